"""Ids of one key are the same from Python and from the program, whatever their shape, and no two of them become one."""

import random

import pytest
from conftest import KEY, read_jsonl, write_jsonl

import taire

COUNT = 10_000


def mixed_ids(count):
    """Different ids: short and long numbers, leading zeros, letters, accents, other alphabets, marks, blanks inside, long ones."""
    draw = random.Random(2019)
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    shapes = [
        lambda i: str(i),
        lambda i: f"{i:010}",
        lambda i: str(10**12 + draw.randrange(10**12)),
        lambda i: f"{draw.choice(letters)}{i}",
        lambda i: f"{i:06}/{draw.randrange(100)}",
        lambda i: f"{i:x}-{draw.randrange(2**32):08x}",
        lambda i: f"Hérault-{i}-ñ",
        lambda i: f"病歴{i}",
        lambda i: f"dossier n° {i} bis",
        lambda i: "".join(draw.choice(letters) for _ in range(60)) + str(i),
    ]
    ids = {shapes[i % len(shapes)](i): None for i in range(count)}
    assert len(ids) == count
    return list(ids)


@pytest.fixture(scope="module")
def rows():
    patients = mixed_ids(COUNT)
    random.Random(7).shuffle(patients)
    return [{"id": id, "patient": patient, "text": "RAS"} for id, patient in zip(mixed_ids(COUNT), patients)]


def test_ids_are_those_of_the_program_and_stay_apart(rows, command, tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    write_jsonl(source, rows)
    command("deid", source, "-o", out)
    theirs = [(row["id"], row["patient"]) for row in read_jsonl(out)]
    given = {key: [row[key] for row in rows] for key in ("text", "id", "patient")}
    done = taire.Pipeline(key=KEY, jobs=2).deid(given["text"], id=given["id"], patient=given["patient"])
    ours = [(document.id, document.patient) for document in done]
    assert ours == theirs
    for side, key in enumerate(("id", "patient")):
        new = [pair[side] for pair in ours]
        assert len(set(new)) == COUNT
        assert sum(new[i] == rows[i][key] for i in range(COUNT)) < 10


def test_spark_has_the_same_ids(rows, command, tmp_path):
    pytest.importorskip("pyspark")
    from test_spark import spark_session

    from taire import spark

    some = rows[:1000]
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    write_jsonl(source, some)
    command("deid", source, "-o", out)
    with spark_session() as session:
        frame = session.createDataFrame([(r["id"], r["patient"], r["text"]) for r in some], ["id", "patient", "text"])
        done = spark.deid(frame.repartition(3), key=KEY).collect()
    assert {(row["id"], row["patient"]) for row in done} == {(r["id"], r["patient"]) for r in read_jsonl(out)}
