"""Notes of a Ray dataset: what is certain of each patient is gathered from all blocks, then all are rewritten.

    python ray_notes.py notes.parquet out/ taire.key
"""

import sys

import pyarrow as pa
import ray

import taire

NAMES = dict(text="note_text", patient="person_id", id="note_id")


def gather(block, key_file):
    records = taire.pipeline("fr", key_file=key_file, jobs=1).gather_table(block, **NAMES)
    return pa.table({"records": [records.to_bytes()]})


def deid(block, sealed, key_file):
    records = taire.Records.from_bytes(ray.get(sealed))
    return taire.pipeline("fr", key_file=key_file, jobs=1).deid_table(block, records=records, **NAMES)


def main(source, out, key_file):
    notes = ray.data.read_parquet(source)
    arrow = dict(batch_format="pyarrow", batch_size=None)
    gathered = notes.map_batches(gather, fn_kwargs=dict(key_file=key_file), **arrow).take_all()
    records = taire.Records.join([taire.Records.from_bytes(row["records"]) for row in gathered])
    sealed = ray.put(records.to_bytes())
    notes.map_batches(deid, fn_kwargs=dict(sealed=sealed, key_file=key_file), **arrow).write_parquet(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
