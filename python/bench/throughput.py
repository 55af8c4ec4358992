"""Treats a JSONL file on one thread and writes what `taire deid` writes: `throughput.py list|table IN OUT KEY_FILE`."""

import json
import sys

import taire


def main(how: str, source: str, out: str, key_file: str) -> None:
    with open(source, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    pipeline = taire.Pipeline("fr", key_file=key_file, jobs=1)
    ids, patients, texts = ([row[key] for row in rows] for key in ("id", "patient", "text"))
    if how == "list":
        done = pipeline.deid(texts, id=ids, patient=patients)
        treated = [(document.patient, document.text) for document in done]
    else:
        import pyarrow as pa

        table = pipeline.deid_table(pa.table({"id": ids, "patient": patients, "text": texts}))
        treated = list(zip(table["patient"].to_pylist(), table["text"].to_pylist()))
    with open(out, "w", encoding="utf-8") as file:
        for id, (patient, text) in zip(ids, treated):
            row = {"id": id, "patient": int(patient), "text": text}
            file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
