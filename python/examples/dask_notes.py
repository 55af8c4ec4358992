"""Notes of a Dask data frame: what is certain of each patient is gathered from all partitions, then all are rewritten.

    python dask_notes.py notes.parquet out/ taire.key
"""

import sys

import dask
import dask.dataframe as dd

import taire

NAMES = dict(text="note_text", patient="person_id", id="note_id")


def gather(frame, key_file):
    return taire.pipeline("fr", key_file=key_file, jobs=1).gather_table(frame, **NAMES)


def deid(frame, records, key_file):
    return taire.pipeline("fr", key_file=key_file, jobs=1).deid_table(frame, records=records, **NAMES)


def main(source, out, key_file):
    parts = dd.read_parquet(source, split_row_groups=True).to_delayed()
    gathered = dask.compute(*[dask.delayed(gather)(part, key_file) for part in parts])
    records = dask.delayed(taire.Records.join(gathered))
    done = [dask.delayed(deid)(part, records, key_file) for part in parts]
    dd.from_delayed(done).to_parquet(out, write_index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
