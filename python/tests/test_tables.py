"""Tables of every library, against the program on the same Parquet file."""

import pickle

import pytest
from conftest import KEY, letters, notes

import taire

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
import pyarrow.parquet as pq  # noqa: E402


@pytest.fixture(scope="module")
def table():
    table = pa.Table.from_pylist(notes(90) + [{"note_id": 90, "person_id": None, "note_text": None}])
    ward = pa.array(["A", "B"] * 45 + ["C"])
    return table.append_column("ward", ward).append_column("nurse", pa.array(["Durand"] * 91))


NAMES = dict(text="note_text", id="note_id", patient="person_id", keep=["ward"])


@pytest.fixture(scope="module")
def expected(table, pipeline):
    return pipeline.deid_table(table, **NAMES)


def test_a_table_is_a_parquet_file_of_the_program(table, expected, command, tmp_path):
    days = pa.array(range(16_000, 16_000 + table.num_rows), pa.int32()).cast(pa.date32())
    dated = table.append_column("note_date", days)
    pq.write_table(dated, tmp_path / "in.parquet")
    command("deid", tmp_path / "in.parquet", "-o", tmp_path / "out.parquet", "--keep-columns", "ward")
    theirs = pq.read_table(tmp_path / "out.parquet")
    ours = taire.Pipeline(key=KEY).deid_table(dated, **NAMES)
    assert ours == theirs
    assert ours.column_names == ["note_id", "person_id", "note_text", "ward", "note_date"]
    assert ours["note_id"] != dated["note_id"] and len(set(ours["note_id"].to_pylist())) == table.num_rows
    assert ours["note_text"] == expected["note_text"]
    assert ours["note_text"].to_pylist()[-1] is None
    assert ours["person_id"].type == pa.int64() and ours["note_date"].type == pa.date32()


def test_every_kind_of_table_gives_the_same(table, expected, pipeline):
    rows = expected.to_pylist()
    for text in (pa.large_string(), pa.string_view()):
        other = table.set_column(2, "note_text", table["note_text"].cast(text))
        assert pipeline.deid_table(other, **NAMES).to_pylist() == rows
    assert pipeline.deid_table(pl.from_arrow(table), **NAMES).to_dicts() == rows
    frame = table.to_pandas(types_mapper=pd.ArrowDtype).set_index(pd.Index(range(5, 96)))
    done = pipeline.deid_table(frame, **NAMES)
    assert isinstance(done, pd.DataFrame) and list(done.index) == list(range(5, 96))
    assert done["note_text"].tolist()[:90] == [row["note_text"] for row in rows][:90]
    batch = table.combine_chunks().to_batches()[0]
    assert pipeline.deid_table(batch, **NAMES).to_pylist() == rows
    empty = pipeline.deid_table(table.slice(0, 0), **NAMES)
    assert empty.num_rows == 0 and empty.schema == expected.schema


def test_usual_names_are_recognised(table, expected, pipeline):
    assert pipeline.deid_table(table, keep=["ward"]) == expected


def test_parts_with_records_give_the_whole(table, expected, pipeline):
    for cut in (1, 7, 45):
        parts = [table.slice(at, cut) for at in range(0, table.num_rows, cut)]
        gathered = [pipeline.gather_table(part, **NAMES) for part in parts]
        records = taire.Records.join([pickle.loads(pickle.dumps(one)) for one in reversed(gathered)])
        done = [pipeline.deid_table(part, records=records, **NAMES) for part in parts]
        assert pa.concat_tables(done).to_pylist() == expected.to_pylist()
    assert len(records) == 30
    sealed = records.to_bytes()
    assert b"kervadec" not in sealed.lower() and b"800000" not in sealed
    alone = pipeline.deid_table(table, records=taire.Records(), **NAMES)
    assert alone["note_text"] != expected["note_text"]
    with pytest.raises(taire.TaireError, match="another key"):
        taire.Pipeline(key=KEY[::-1]).deid_table(table, records=records, **NAMES)
    with pytest.raises(taire.TaireError, match="no records"):
        taire.Records.from_bytes(sealed[:-1])


def test_known_identities_in_columns_are_used_and_left_out(pipeline):
    rows = {"text": ["Revu zzyx ce jour."], "family_name": ["Zzyx"], "id": ["a"]}
    done = pipeline.deid_table(pl.DataFrame(rows))
    assert done.columns == ["text", "id"] and "zzyx" not in done["text"][0]


def test_refused_rows_are_never_passed(pipeline):
    long = "Durand " * 5_000_000
    table = pa.table({"id": ["a", "b"], "text": ["M. Alban KERVADEC", long], "patient": ["1", "2"]})
    with pytest.raises(taire.TaireError, match="row 1: this document holds 33 MB") as error:
        pipeline.deid_table(table)
    assert "Durand" not in str(error.value)
    done = pipeline.deid_table(table, refused="null")
    assert done.column_names == ["id", "text", "patient", "taire_refused"]
    assert [row["text"] is None for row in done.to_pylist()] == [False, True]
    assert done["patient"].to_pylist()[1] is None and "33 MB" in done["taire_refused"].to_pylist()[1]


def test_wrong_tables_are_reported(table, pipeline):
    for wrong, part in [
        (lambda: pipeline.deid_table(table, text="letter"), "`text`: no column `letter`"),
        (lambda: pipeline.deid_table(table, keep=["bed"]), "no column `bed`"),
        (lambda: pipeline.deid_table(table, text="note_id"), "numbers"),
        (lambda: pipeline.deid_table(table.drop_columns("note_text")), "no text column"),
    ]:
        with pytest.raises(taire.TaireError) as error:
            wrong()
        assert part in str(error.value)
    for wrong in [lambda: pipeline.deid_table([1], text="a"), lambda: pipeline.deid_table(table, keep="ward")]:
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError):
        pipeline.deid_table(table, refused="skip")


def test_errors_of_other_libraries_do_not_come_out(pipeline):
    mixed = pd.DataFrame({"text": pd.Series(["Durand", 3], dtype=object)})
    half = pd.DataFrame({"text": pd.Series(["Durand \ud800"], dtype=object)})
    offsets = pa.array([0, 8], pa.int32()).buffers()[1]
    bad = pa.StringArray.from_buffers(1, offsets, pa.py_buffer(b"Durand\xff\xfe"))
    for wrong in (mixed, half, pa.table({"text": bad})):
        with pytest.raises(taire.TaireError) as error:
            pipeline.deid_table(wrong)
        assert "Durand" not in str(error.value) and error.value.__suppress_context__


def test_a_column_of_texts_is_a_list_too(pipeline):
    texts = [row["text"] for row in letters()[:3]]
    expected = pipeline.deid(texts)
    assert pipeline.deid(pd.Series(texts)) == expected
    assert pipeline.deid(pl.Series(texts)) == expected
