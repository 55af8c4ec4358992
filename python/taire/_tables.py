"""Tables of several libraries, as Arrow record batches and back. Text stays where it is: batches are views of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

_Work = Callable[[Any, "list[Any]"], "list[Any]"]


def batches(table: Any) -> tuple[Any, list[Any]]:
    """The schema and the record batches of a table."""
    arrow = _arrow(table)
    return arrow.schema, arrow.to_batches()


def rewrite(table: Any, work: _Work) -> Any:
    """What `work` makes of the record batches of a table, as a table of the same kind."""
    schema, parts = batches(table)
    done = pa.Table.from_batches(work(schema, parts))
    if isinstance(table, pa.RecordBatch):
        # One batch in, one batch out, even where it was cut for its size.
        whole = done.combine_chunks().to_batches()
        return whole[0] if whole else pa.RecordBatch.from_pylist([], schema=done.schema)
    kind = _kind(table)
    if kind == "polars":
        import polars

        return polars.from_arrow(done)
    if kind == "pandas":
        frame = done.to_pandas()
        frame.index = table.index
        return frame
    return done


def _arrow(table: Any) -> Any:
    if isinstance(table, pa.Table):
        return table
    if isinstance(table, pa.RecordBatch):
        return pa.Table.from_batches([table])
    kind = _kind(table)
    if kind == "pandas":
        return pa.Table.from_pandas(table, preserve_index=False)
    if kind == "polars" and hasattr(table, "to_arrow"):
        return table.to_arrow()
    if hasattr(table, "__arrow_c_stream__"):
        return pa.table(table)
    raise TypeError("a table of pyarrow, pandas or Polars is needed, or one that speaks Arrow")


def _kind(table: Any) -> str:
    return type(table).__module__.partition(".")[0]
