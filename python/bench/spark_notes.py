"""Compares `taire.spark.deid` with what the program wrote, in several partitionings: `spark_notes.py IN EXPECTED KEY_FILE [POLICY]`."""

import hashlib
import os
import sys
import time

import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql.functions import sha2

from taire import spark


def main(source: str, expected: str, key_file: str, policy: str = "fr") -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "2g")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    theirs = {}
    for batch in pq.ParquetFile(expected).iter_batches():
        for row in batch.to_pylist():
            text = hashlib.sha256(row["note_text"].encode()).hexdigest()
            theirs[row["note_id"]] = (row["note_id"], row["person_id"], row["note_date"], text)
    frame = session.read.parquet(source)
    for how, parts in {
        "as the file comes": frame,
        "3 at random": frame.repartition(3),
        "16 by note": frame.repartition(16, "note_id"),
    }.items():
        begun = time.monotonic()
        done = spark.deid(parts, text="note_text", patient="person_id", id="note_id", policy=policy, key_file=key_file)
        marked = done.select("note_id", "person_id", "note_date", sha2("note_text", 256))
        ours = {row["note_id"]: tuple(row) for row in marked.collect()}
        same = sum(theirs.get(id) == row for id, row in ours.items())
        print(
            f"{how}: {done.rdd.getNumPartitions()} partitions, {same} of {len(theirs)} rows the same, "
            f"{len(ours)} came, {time.monotonic() - begun:.0f} s",
            flush=True,
        )
        if ours != theirs:
            sys.exit("the rows differ from those of the program")
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
