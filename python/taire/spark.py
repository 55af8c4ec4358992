"""De-identification of Spark data frames on Arrow batches, without a shuffle.

    from taire import spark

    clean = spark.deid(notes, text="note_text", patient="person_id", id="note_id", policy="fr", key_file="/secrets/taire.key")

Surrogates are drawn from the key, so the documents of one patient agree wherever they are treated. What is certain in one
document of a patient (a name after a title, a number after its key) is looked for in the patient's others, as by the
command line: `deid` reads the frame twice for it. The first reading happens when `deid` is called; each partition sends back
what it found, sealed under the key, and all workers get the whole as a broadcast. So the result is that of `taire deid` on
the same table with the same policy and key, whatever the partitions.
"""

from __future__ import annotations

import functools
import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import Records, _columns, pipeline
from ._taire import plan

__all__ = ["deid"]


class _Held:
    """Stands for a broadcast where there is none (Spark Connect)."""

    def __init__(self, value: bytes) -> None:
        self.value = value


def _share(session: Any, value: bytes) -> Any:
    try:
        context = session.sparkContext
    except Exception:
        return _Held(value)
    return context.broadcast(value)


# What workers were sent, opened once in each of them.
_opened: dict[str, Records] = {}


def _open(name: str, shared: Any) -> Records:
    if name not in _opened:
        _opened.clear()
        _opened[name] = Records.from_bytes(shared.value)
    return _opened[name]


def deid(
    df: Any,
    *,
    text: str | None = None,
    patient: str | None = None,
    id: str | None = None,
    date: str | None = None,
    visit: str | None = None,
    policy: str | None = None,
    key: bytes | None = None,
    key_file: str | os.PathLike[str] | None = None,
    lang: str | None = None,
    keep: Sequence[str] = (),
    records: bool = True,
    refused: str = "raise",
    refuse_below: float | None = None,
) -> Any:
    """A data frame with its notes rewritten; columns as in `taire.Pipeline.deid_table`.

    `key` holds the bytes of the secret key and goes to the workers as a broadcast, which Spark writes to its temporary
    files. `key_file` is the path of a key file that every worker has and the driver need not: the key then never travels.
    `policy` is a shipped name, or the path of a file that driver and workers have.

    With `records=False` each document is treated alone, as by a policy with `trusted = "document"`, and the frame is read
    once. `refused="null"` keeps rows that cannot be treated, without text and with the reason in column `taire_refused`;
    `raise` fails the job. The frame must give the same rows each time it is read: cache or save what is drawn at random.
    """
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    if (key is None) == (key_file is None):
        raise ValueError("give `key` or `key_file`")
    if refused not in ("raise", "null"):
        raise ValueError("refused takes `raise` or `null`")
    columns = _columns(text, id, patient, date, visit, keep)
    names = dict(text=text, id=id, patient=patient, date=date, visit=visit, keep=tuple(keep))
    read, written, trusts = plan(to_arrow_schema(df.schema), columns, policy, refused == "null")
    session = df.sparkSession
    secret = None if key is None else _share(session, bytes(key))
    path = None if key_file is None else os.fspath(key_file)
    make: Callable[..., Any] = functools.partial(
        pipeline, policy, key_file=path, lang=lang, jobs=1, refuse_below=refuse_below
    )

    def ready() -> Any:
        # One for each worker process: processes are what Spark runs at once, so each has one thread.
        return make(key=None if secret is None else secret.value)

    def gather(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        worker = ready()
        found = [worker.gather_table(batch, **names) for batch in batches]
        yield pa.RecordBatch.from_pydict({"records": [Records.join(found).to_bytes()]})

    frame = df.select(*(f"`{name.replace('`', '``')}`" for name in read))
    sealed = b""
    if records and trusts:
        rows = frame.mapInArrow(gather, "records binary").collect()
        sealed = Records.join([Records.from_bytes(bytes(row.records)) for row in rows]).to_bytes()
    name, shared = uuid.uuid4().hex, _share(session, sealed)

    def treat(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        worker, known = ready(), _open(name, shared)
        for batch in batches:
            # A table, because long texts may take more than one batch.
            table = pa.Table.from_batches([batch])
            yield from worker.deid_table(table, **names, records=known, refused=refused).to_batches()

    return frame.mapInArrow(treat, from_arrow_schema(written))
