from collections.abc import Sequence
from os import PathLike
from typing import Any, TypedDict

__version__: str
POLICIES: list[str]

class TaireError(ValueError):
    """A policy, a key, a column or a document that cannot be used. The message never quotes a document."""

class Columns(TypedDict):
    text: str | None
    id: str | None
    patient: str | None
    date: str | None
    visit: str | None
    keep: list[str]

_Span = tuple[int, int, str, str | None, float, list[str]]
_Treated = tuple[str, Found, str | None, str | None, float, str | None, str | None]

class Found:
    """The spans of a document, not yet Python's objects."""

    def in_text(self, text: str) -> list[_Span]:
        """The spans in their text."""

class Records:
    """What is certain of patients, sealed under the secret key.

    Made by `Pipeline.gather_table`, joined with `Records.join`, given to `Pipeline.deid_table`. It may be pickled and sent
    to other processes: without the key it tells how many patients there are and little more. An empty one, `Records()`,
    has each document treated alone.
    """

    def __new__(cls) -> Records: ...
    @staticmethod
    def join(parts: Sequence[Records]) -> Records:
        """All of them as one. The order does not matter."""
    @staticmethod
    def from_bytes(sealed: bytes) -> Records:
        """What `to_bytes` gave."""
    def to_bytes(self) -> bytes:
        """The sealed records, to be sent."""
    def __len__(self) -> int:
        """How many patients."""

class Pipeline:
    def __new__(
        cls,
        policy: str | None,
        key: bytes | None,
        key_file: str | PathLike[str] | None,
        lang: str | None,
        words: Sequence[str | PathLike[str]],
        jobs: int | None,
        refuse_below: float | None,
    ) -> Pipeline: ...
    def many(
        self,
        scheme: str | None,
        texts: Sequence[str],
        ids: Sequence[str | None],
        patients: Sequence[str | None],
        dates: Sequence[str | None],
        known_identities: Sequence[str | None],
        final_spans: Sequence[str | None],
    ) -> list[_Treated]: ...
    def gather(self, schema: Any, batches: Sequence[Any], columns: Columns) -> Records: ...
    def deid_batches(
        self, schema: Any, batches: Sequence[Any], columns: Columns, records: Records | None, keeps_refused: bool
    ) -> list[Any]: ...

def plan(schema: Any, columns: Columns, policy: str | None, keeps_refused: bool) -> tuple[list[str], Any, bool]: ...
