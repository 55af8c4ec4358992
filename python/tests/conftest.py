"""What the tests share: the program, a key, documents of `examples/`, and generated notes."""

import json
import os
import pathlib
import subprocess

import pytest

import taire

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEY = bytes(range(32))


@pytest.fixture(scope="session")
def key_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("key") / "taire.key"
    path.touch(0o600)
    path.write_text("taire-key-1:" + KEY.hex() + "\n")
    return path


@pytest.fixture(scope="session")
def pipeline():
    return taire.Pipeline(key=KEY)


@pytest.fixture(scope="session")
def binary():
    path = os.environ.get("TAIRE_BINARY")
    if not path:
        pytest.skip("TAIRE_BINARY names no program to compare with")
    return path


@pytest.fixture(scope="session")
def command(binary, key_file):
    """Runs the program."""

    def run(*args):
        subprocess.run([binary, *map(str, args), "--key", str(key_file), "--quiet"], check=True)

    return run


def letters():
    """The invented letters of `examples/` with a patient each; those of one folder have the same."""
    rows = []
    for path in sorted((ROOT / "examples").rglob("*.txt")):
        text = path.read_bytes().decode("utf-8", "replace")
        folder = path.parent.name
        patient = folder if "-" in folder else path.stem
        rows.append({"id": path.stem, "text": text, "patient": patient, "date": "2020-02-12"})
    return rows


def notes(count):
    """Short notes, three of each patient, that only help each other: one says the name after a title, another does not."""
    families = ["Kervadec", "Trévidic", "Loiseleur", "Castagnet", "Quintrec", "Abgrall", "Morvanou"]
    rows = []
    for i in range(count):
        family, patient = families[i // 3 % len(families)], i // 3
        text = [
            f"Mme Aldegonde {family.upper()}, née le 17/02/19{40 + patient % 50}, IPP 80{patient:08}. Dr Paul Fabre.",
            f"Revue ce jour, {family} se plaint de douleurs. Plaquettes 251 000/mm3. Vue par Fabre le 3 mars 2019.",
            f"{family.upper()} va bien. Contrôle dans 3 mois. Tél. 06.71.20.85.{patient % 100:02}.",
        ][i % 3]
        rows.append({"note_id": i, "person_id": 800_000 + patient, "note_text": text})
    return rows


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def read_jsonl(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
