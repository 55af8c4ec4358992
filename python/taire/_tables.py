"""Tables of several libraries, as Arrow record batches and back. Text stays where it is: batches are views of it.

Errors of the libraries may quote values, so none of them comes out as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from ._taire import TaireError

_Work = Callable[[Any, "list[Any]"], "list[Any]"]


def batches(table: Any) -> tuple[Any, list[Any]]:
    """The schema and the record batches of a table."""
    arrow = _arrow(table)
    try:
        # What is read as text must be text.
        arrow.validate(full=True)
    except (pa.ArrowException, ValueError):
        raise TaireError("a column of the table is damaged: its text is not UTF-8, or its parts do not fit") from None
    return arrow.schema, arrow.to_batches()


def rewrite(table: Any, work: _Work) -> Any:
    """What `work` makes of the record batches of a table, as a table of the same kind."""
    schema, parts = batches(table)
    done = pa.Table.from_batches(work(schema, parts))
    if isinstance(table, pa.RecordBatch):
        whole = done.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=done.schema)]
        if len(whole) > 1:
            raise TaireError("the text is too long for one record batch; give a table")
        return whole[0]
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
    if kind == "pandas" and hasattr(table, "columns"):
        return pa.table({str(name): _column(str(name), table[name]) for name in table.columns})
    if kind == "polars" and hasattr(table, "to_arrow"):
        return table.to_arrow()
    if hasattr(table, "__arrow_c_stream__"):
        return pa.table(table)
    raise TypeError("a table of pyarrow, pandas or Polars is needed, or one that speaks Arrow")


def _column(name: str, series: Any) -> Any:
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        raise TaireError(
            f"column `{name}` holds values of several kinds, or some that no table can hold; mend it or drop it"
        ) from None


def _kind(table: Any) -> str:
    return type(table).__module__.partition(".")[0]
