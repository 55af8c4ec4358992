"""Treats a JSONL file on one thread and writes what `taire deid` writes: `throughput.py list|table IN OUT KEY_FILE`.

Prints the user seconds from the making of the pipeline to the treated documents, which lie in Python's memory before and
after.
"""

import json
import resource
import sys

import pyarrow as pa

import taire


def user_seconds() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def main(how: str, source: str, out: str, key_file: str) -> None:
    with open(source, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    ids, patients, texts = ([row[key] for row in rows] for key in ("id", "patient", "text"))
    given = pa.table({"id": ids, "patient": patients, "text": texts})
    begun = user_seconds()
    pipeline = taire.Pipeline("fr", key_file=key_file, jobs=1)
    if how == "list":
        done = pipeline.deid(texts, id=ids, patient=patients)
        print(user_seconds() - begun)
        treated = [(document.patient, document.text) for document in done]
    else:
        table = pipeline.deid_table(given)
        print(user_seconds() - begun)
        treated = list(zip(table["patient"].to_pylist(), table["text"].to_pylist()))
    with open(out, "w", encoding="utf-8") as file:
        for id, (patient, text) in zip(ids, treated):
            row = {"id": id, "patient": int(patient), "text": text}
            file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
