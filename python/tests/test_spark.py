"""PySpark on two local workers gives the output of the program, whatever the partitions."""

import contextlib
import os
import shutil
import sys

import pytest
from conftest import KEY, notes

import taire

pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from taire import spark  # noqa: E402

NOTES = 300


@contextlib.contextmanager
def spark_session():
    from pyspark.sql import SparkSession

    if not shutil.which("java") and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java for Spark")
    # Workers must be this Python, not the first on the path.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.sql.shuffle.partitions", "4")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def session():
    with spark_session() as session:
        yield session


def rows(frame):
    return {row["note_id"]: tuple(row) for row in frame.collect()}


def test_the_result_is_that_of_the_program(session, command, key_file, tmp_path):
    dates = pa.array((16_000 + i for i in range(NOTES)), pa.int32()).cast(pa.date32())
    table = pa.Table.from_pylist(notes(NOTES)).append_column("note_date", dates)
    table = table.append_column("ward", pa.array(["A"] * NOTES))
    pq.write_table(table, tmp_path / "in.parquet")
    command("deid", tmp_path / "in.parquet", "-o", tmp_path / "out.parquet")
    theirs = {row["note_id"]: tuple(row.values()) for row in pq.read_table(tmp_path / "out.parquet").to_pylist()}
    frame = session.read.parquet(str(tmp_path / "in.parquet"))
    names = dict(text="note_text", patient="person_id", id="note_id", date="note_date")
    for parts in (1, 3, 8):
        # Notes of one patient are in several partitions.
        done = spark.deid(frame.repartition(parts), key=KEY, **names)
        assert rows(done) == theirs
    done = spark.deid(frame, key_file=key_file)
    assert rows(done) == theirs
    assert done.columns == ["note_id", "person_id", "note_text", "note_date"]
    alone = rows(spark.deid(frame, key_file=key_file, records=False))
    first = int(taire.Pipeline(key=KEY).deid("RAS", id=0).id)
    assert alone != theirs and alone[first] == theirs[first]


def test_mistakes(session, key_file):
    frame = session.createDataFrame([("a", "Mme Durand")], ["id", "text"])
    for wrong in [
        lambda: spark.deid(frame),
        lambda: spark.deid(frame, key=KEY, key_file=key_file),
        lambda: spark.deid(frame, key=KEY, text="letter"),
        lambda: spark.deid(frame, key=KEY, policy="none"),
        lambda: spark.deid(frame, key=KEY, refused="skip"),
    ]:
        with pytest.raises(ValueError):
            wrong()
    done = spark.deid(frame, key=KEY, refused="null", refuse_below=1.0).collect()
    assert done[0]["text"] is None and "least sure" in done[0]["taire_refused"]
