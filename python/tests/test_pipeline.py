"""Texts and lists, against themselves and against the program."""

import datetime
import pickle
import threading

import pytest
from conftest import KEY, letters, read_jsonl, write_jsonl

import taire


def columns(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


def shown(spans):
    return [(s.start, s.end, s.label, s.role, s.score, s.sources) for s in spans]


def test_one_text(pipeline):
    text = "Mme Aldegonde KERVADEC, née le 17/02/1941, plaquettes 251 000/mm3"
    done = pipeline.deid(text, patient="800417")
    assert "KERVADEC" not in done.text and "17/02/1941" not in done.text and "251 000/mm3" in done.text
    assert done == pipeline.deid(text, patient=800417) == taire.Pipeline("fr", key=KEY).deid(text, patient="800417")
    assert done != pipeline.deid(text, patient="800418")
    assert all(done.text[s.start : s.end] for s in done.spans)
    assert pickle.loads(pickle.dumps(done)) == done and pickle.loads(pickle.dumps(pipeline.deid(text))).spans
    with pytest.raises(AttributeError):
        done.text = text
    assert done.patient not in (None, "800417")
    assert "KERVADEC" not in repr(pipeline.detect(text))
    # Without patient and id, the same text is the same document, another text is another.
    assert pipeline.deid(text) == pipeline.deid(text)


@pytest.mark.parametrize("policy", [None, "fasdim", "bigeard"])
def test_a_list_is_a_jsonl_file_of_the_program(policy, command, tmp_path):
    rows = letters()
    assert len({row["patient"] for row in rows}) < len(rows) > 10
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    write_jsonl(source, rows)
    chosen = ["--policy", policy] if policy else []
    command("deid", source, "-o", out, "--to", "jsonl", *chosen)
    given = columns(rows)
    ours = taire.Pipeline(policy, key=KEY, jobs=2).deid(given.pop("text"), **given)
    theirs = read_jsonl(out)
    assert [d.text for d in ours] == [d["text"] for d in theirs]
    keys = ("start", "end", "label", "role", "score", "sources")
    assert [shown(d.spans) for d in ours] == [[tuple(s[k] for k in keys) for s in d["spans"]] for d in theirs]
    command("deid", source, "-o", tmp_path / "kind.jsonl", *chosen)
    kind = read_jsonl(tmp_path / "kind.jsonl")
    assert [(d.text, d.patient, d.date) for d in ours] == [(d["text"], d["patient"], d["date"]) for d in kind]
    assert [d.id for d in ours] == [str(d["id"]) for d in kind] != [str(row["id"]) for row in rows]


def test_a_patient_has_one_record_in_a_call(pipeline):
    texts = ["Mme Aldegonde QUINTREC, IPP 8004170236.", "Ce jour, Quintrec va bien."]
    together = pipeline.detect(texts, patient=["a", "a"])
    apart = pipeline.detect(texts, patient=["a", "b"])
    found = lambda d: [d.text[s.start : s.end] for s in d.spans]  # noqa: E731
    assert "Quintrec" in found(together[1])
    assert found(together[0]) == found(apart[0])
    assert any("trusted" in s.sources for s in together[1].spans)
    assert not any("trusted" in s.sources for s in apart[1].spans)


def test_offsets_count_what_python_counts(pipeline):
    text = "😀 né à Quimperlé, M. Alban KERVADEC"
    found = pipeline.detect(text)
    assert found.text == text
    assert "KERVADEC" in [text[s.start : s.end] for s in found.spans]
    assert "NOM" in {s.label for s in pipeline.detect(text, scheme="eds").spans}


def test_what_is_known_is_found(pipeline):
    known = {"family_name": "Zzyx", "given_names": ["Ulm"], "birth_date": datetime.date(1941, 2, 17)}
    assert [s.label for s in pipeline.detect("Revu zzyx ce jour.", known=known).spans] == ["FamilyName"]
    assert not pipeline.detect("Revu zzyx ce jour.").spans


def test_dates_of_several_kinds(pipeline):
    given = ["2020-02-12", "12/02/2020", datetime.date(2020, 2, 12), datetime.datetime(2020, 2, 12, 9, 30)]
    done = pipeline.deid(["Vu ce jour."] * 4, id=["x"] * 4, date=given)
    assert len({d.date for d in done}) == 1 and done[0].date not in (None, "2020-02-12")
    assert pipeline.deid("Vu ce jour.", date=float("nan")).date is None


def test_mistakes_are_reported_without_the_text(pipeline, tmp_path):
    open_key = tmp_path / "key"
    open_key.write_text("taire-key-1:" + KEY.hex())
    open_key.chmod(0o644)
    cases = [
        (lambda: taire.Pipeline("none", key=KEY), "unknown policy `none`"),
        (lambda: taire.Pipeline(key=b"short"), "the key holds 5 bytes"),
        (lambda: taire.Pipeline(key=KEY, key_file=open_key), "not both"),
        (lambda: taire.Pipeline(key_file=open_key), "mode 644"),
        (lambda: taire.Pipeline(key=KEY, lang="de"), "de"),
        (lambda: taire.Pipeline(key=KEY, refuse_below=2), "0 to 1"),
        (lambda: pipeline.deid("Durand", date="Durand"), "a date beside a document"),
        (lambda: pipeline.deid("Durand", known={"name": "Durand"}), "`name`"),
        (lambda: pipeline.deid("Durand \ud800"), "half a character"),
        (lambda: pipeline.deid(["Durand", "b"], id=["Durand"]), "not as many"),
        (lambda: pipeline.detect("Durand", scheme="none"), "none"),
        (lambda: pipeline.deid(["a", "Durand " * 5_000_000]), "document 1: "),
        (lambda: taire.Pipeline(key=KEY, refuse_below=1.0).deid("Mme Durand"), "least sure span"),
    ]
    for wrong, part in cases:
        with pytest.raises(taire.TaireError) as error:
            wrong()
        assert part in str(error.value) and "Durand" not in str(error.value), str(error.value)
        assert "Durand" not in repr(error.value.__cause__) + repr(error.value.__context__)
    for wrong in [
        lambda: pipeline.deid(["a", 3]),
        lambda: pipeline.deid(["a"], patient="b"),
        lambda: pipeline.deid("a", id=1.5),
        lambda: pickle.dumps(pipeline),
    ]:
        with pytest.raises(TypeError):
            wrong()
    with pytest.warns(UserWarning, match="no key"):
        taire.Pipeline("bigeard")


def test_other_threads_go_on_while_a_list_is_treated(pipeline):
    texts = [row["text"] for row in letters()] * 10
    done, beats = threading.Event(), 0
    worker = threading.Thread(target=lambda: (pipeline.deid(texts), done.set()))
    worker.start()
    while not done.wait(0.001):
        beats += 1
    worker.join()
    assert beats > 5


def test_the_number_of_threads_changes_nothing():
    rows = columns(letters())
    texts = rows.pop("text")
    results = [taire.Pipeline(key=KEY, jobs=jobs).deid(texts, **rows) for jobs in (1, 3)]
    assert results[0] == results[1]


def test_results_can_be_sent_elsewhere(pipeline):
    document = pipeline.deid("Mme Durand")
    assert pickle.loads(pickle.dumps(document)) == document
    assert taire.pipeline("fr", key=KEY) is taire.pipeline("fr", key=KEY)


def test_spans_are_final(pipeline):
    text = "Mme KERVADEC, suivie à Brest avec Ambre"
    start = text.index("Ambre")
    for spans in (
        [(start, start + 5, "GivenName")],
        [{"start": start, "end": start + 5, "label": "GivenName", "role": "Relative"}],
        [taire.Span(start, start + 5, "GivenName", None, 1.0, [])],
    ):
        done = pipeline.deid(text, patient="7", spans=spans)
        assert done.text.startswith("Mme KERVADEC, suivie à Brest") and "Ambre" not in done.text
    assert pipeline.deid(text, spans=[]).text == text
    assert [d.text == text for d in pipeline.deid([text, text], spans=[[], None])] == [True, False]
    for spans in ([(0, 99, "City")], [(0, 3, "Durand")], [(0, 3, "City"), (2, 5, "City")]):
        with pytest.raises(taire.TaireError, match="document 0: "):
            pipeline.deid(text, spans=spans)
