"""De-identification of French and Spanish clinical documents, offline.

    import taire

    pipeline = taire.Pipeline("fr", key_file="taire.key")
    pipeline.deid("Mme Aldegonde KERVADEC, née le 17/02/1941", patient="800417").text
    pipeline.detect(["M. Alban Le Goff", "Mme Durand"])
    pipeline.deid_table(frame, text="note_text", patient="person_id", id="note_id")

This is the engine of the command line, and gives its bytes: one call is one run. The texts of a list, or the rows of a
table, come out as `taire deid` writes the same documents from one JSONL or Parquet file with the same policy and key:
where the policy says `trusted = "record"`, as the shipped ones do, what is certain in one document of a patient is looked
for in the patient's others in that call. A single text is treated alone, as a file with one document does.

Lists and tables are treated on all cores, without the interpreter's lock. Nothing is downloaded or sent. Errors are
`TaireError`; no message quotes a document.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from ._taire import POLICIES, Records, TaireError, __version__
from ._taire import Pipeline as _Pipeline

if TYPE_CHECKING:
    from ._taire import Columns, Found

__all__ = ["POLICIES", "Document", "Pipeline", "Records", "Span", "TaireError", "__version__", "pipeline"]

Path = str | os.PathLike[str]
Name = str | int | None
Day = str | datetime.date | None
Known = Mapping[str, Any] | None
Final = Sequence[Any] | None
Table = TypeVar("Table")


class Span(NamedTuple):
    """Something that identifies somebody: `text[start:end]`, in code points, as Python counts."""

    start: int
    end: int
    label: str
    role: str | None
    score: float
    """The chance that it is right."""
    sources: list[str]
    """Who found it."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Document:
    """A treated document: the original text for `detect`, the new one for `deid`, and the spans in it.

    `id`, `patient` and `date` are their replacements after `deid`, as in the tables of the command line. `doubt` is the
    chance that the worst decision in the document is wrong: read the highest first. A text that came as HTML, RTF or base64
    comes back from `deid` in that form; `plain` is then its new text without markup, in which the spans count. `detect` gives
    what it read. Printing a document shows its size only.
    """

    text: str
    _spans: list[Span] | Found
    patient: str | None = None
    date: str | None = None
    doubt: float = 0.0
    id: str | None = None
    plain: str | None = None

    @property
    def spans(self) -> list[Span]:
        """What was found, in order."""
        if isinstance(self._spans, list):
            return self._spans
        made = [Span(*span) for span in self._spans.in_text(self.text if self.plain is None else self.plain)]
        object.__setattr__(self, "_spans", made)
        return made

    def _all(self) -> tuple[str, list[Span], str | None, str | None, float, str | None, str | None]:
        return self.text, self.spans, self.patient, self.date, self.doubt, self.id, self.plain

    def __eq__(self, other: object) -> bool:
        return self._all() == other._all() if isinstance(other, Document) else NotImplemented

    def __reduce__(self) -> Any:
        return Document, self._all()

    def __repr__(self) -> str:
        return f"Document({len(self.text)} characters, {len(self.spans)} spans)"


class Pipeline:
    """A policy, made once and used for any number of documents, from any number of threads.

    `policy`: a shipped name (`taire.POLICIES`) or the path of a TOML file; without one, each document has the policy of
    its language. `key`: the bytes of a secret key, 32 or more, random; or `key_file`: a file of `taire key new`, readable
    by its owner alone. Without either, a key is made and forgotten with this object, and a warning says so. `lang`: `fr`
    or `es` for all documents, else each document's own. `words`: lists of judged words for a policy with an allow-list.
    `jobs`: threads, by default one for each core. `refuse_below`: refuse documents that are less sure than this.
    """

    def __init__(
        self,
        policy: str | None = None,
        *,
        key: bytes | None = None,
        key_file: Path | None = None,
        lang: str | None = None,
        words: Sequence[Path] = (),
        jobs: int | None = None,
        refuse_below: float | None = None,
    ) -> None:
        if key is None and key_file is None:
            warnings.warn("no key was given: nothing else will agree with these surrogates", stacklevel=2)
        lang = None if lang == "auto" else lang
        self._inner = _Pipeline(policy, key, key_file, lang, list(words), jobs, refuse_below)

    def __reduce__(self) -> Any:
        raise TypeError("a pipeline holds a secret key and is not pickled: call taire.pipeline(...) where it is used")

    @overload
    def deid(  # type: ignore[overload-overlap]
        self,
        text: str,
        *,
        id: Name = ...,
        patient: Name = ...,
        date: Day = ...,
        known: Known = ...,
        spans: Final = ...,
    ) -> Document: ...
    @overload
    def deid(
        self,
        text: Iterable[str],
        *,
        id: Iterable[Name] | None = ...,
        patient: Iterable[Name] | None = ...,
        date: Iterable[Day] | None = ...,
        known: Iterable[Known] | None = ...,
        spans: Iterable[Final] | None = ...,
    ) -> list[Document]: ...
    def deid(
        self,
        text: Any,
        *,
        id: Any = None,
        patient: Any = None,
        date: Any = None,
        known: Any = None,
        spans: Any = None,
    ) -> Any:
        """Rewrites a text, or a list of them with lists of what comes beside them.

        Documents of one `patient` share their surrogates, in any call with the same key. Without patient, those of one
        `id` do; without either, only the same text does. `date` is the document's own; `known` is an identity with the
        keys of `identity.json` (`family_name`, `given_names`, `birth_date`, ...). `spans` are final: a list of `Span`, of
        `(start, end, label)` or of dicts with these keys and `role`; such a text is not searched.

        If one document cannot be treated, `TaireError` says which and why, and nothing is returned.
        """
        return self._treat(None, text, id, patient, date, known, spans)

    @overload
    def detect(  # type: ignore[overload-overlap]
        self, text: str, *, patient: Name = ..., date: Day = ..., known: Known = ..., scheme: str = ...
    ) -> Document: ...
    @overload
    def detect(
        self,
        text: Iterable[str],
        *,
        patient: Iterable[Name] | None = ...,
        date: Iterable[Day] | None = ...,
        known: Iterable[Known] | None = ...,
        scheme: str = ...,
    ) -> list[Document]: ...
    def detect(
        self, text: Any, *, patient: Any = None, date: Any = None, known: Any = None, scheme: str = "taire"
    ) -> Any:
        """Finds what identifies people in a text, or in a list of them.

        `scheme` names labels and borders: `taire`, `meddocan`, `eds`, `hipaa`, `bigeard` or `hnfc`.
        """
        return self._treat(scheme, text, None, patient, date, known)

    def _treat(
        self,
        scheme: str | None,
        text: Any,
        id: Any,
        patient: Any,
        date: Any,
        known: Any,
        spans: Any = None,
    ) -> Document | list[Document]:
        one = isinstance(text, str)
        texts = [text] if one else list(text)
        ids, patients, days, identities, settled = (
            _column(v, one, len(texts)) for v in (id, patient, date, known, spans)
        )
        treated = self._inner.many(
            scheme,
            texts,
            [_name(v) for v in ids],
            [_name(v) for v in patients],
            [_day(v) for v in days],
            [None if v is None else json.dumps(v, default=str) for v in identities],
            [None if v is None else json.dumps([_final(s) for s in v]) for v in settled],
        )
        documents = [Document(*done) for done in treated]
        return documents[0] if one else documents

    def deid_table(
        self,
        table: Table,
        *,
        text: str | None = None,
        id: str | None = None,
        patient: str | None = None,
        date: str | None = None,
        visit: str | None = None,
        keep: Sequence[str] = (),
        records: Records | None = None,
        refused: str = "raise",
    ) -> Table:
        """Rewrites a table of notes: a pandas or Polars frame, a pyarrow table or record batch; gives the same kind.

        `text`, `id`, `patient`, `date` and `visit` name columns; those not named are recognised by their usual names, as by
        the command line (OMOP's `note` table needs none). Ids, patients, visits and dates are replaced,
        columns of known identities (`family_name`, ...) are used and left out. All other columns are left out too,
        unless `keep` names them: a column that nobody looked at is a leak.

        `records` is what `gather_table` found in all parts of a table that is treated in parts; without it, this table is
        taken for the whole. `refused="null"` keeps the row of a document that cannot be treated, without text, with the
        reason in column `taire_refused`, instead of raising. Needs pyarrow.
        """
        from . import _tables

        if refused not in ("raise", "null"):
            raise ValueError("refused takes `raise` or `null`")
        columns = _columns(text, id, patient, date, visit, keep)
        done: Table = _tables.rewrite(
            table, lambda schema, batches: self._inner.deid_batches(schema, batches, columns, records, refused == "null")
        )
        return done

    def gather_table(
        self,
        table: Any,
        *,
        text: str | None = None,
        id: str | None = None,
        patient: str | None = None,
        date: str | None = None,
        visit: str | None = None,
        keep: Sequence[str] = (),
    ) -> Records:
        """What is certain of each patient in one part of a table, for `deid_table` of every part.

        Where a table is treated in parts, on several machines or because it is large, gather from every part first, join
        with `Records.join`, and give the whole to `deid_table`: then the result does not depend on the parts, and is that
        of the command line on the whole table.
        """
        from . import _tables

        schema, batches = _tables.batches(table)
        return self._inner.gather(schema, batches, _columns(text, id, patient, date, visit, keep))


@functools.lru_cache(maxsize=4)
def pipeline(
    policy: str | None = None,
    *,
    key: bytes | None = None,
    key_file: Path | None = None,
    lang: str | None = None,
    words: tuple[Path, ...] = (),
    jobs: int | None = None,
    refuse_below: float | None = None,
) -> Pipeline:
    """The same `Pipeline` for the same arguments: for functions that a cluster calls again and again in its workers."""
    return Pipeline(
        policy, key=key, key_file=key_file, lang=lang, words=words, jobs=jobs, refuse_below=refuse_below
    )


def _final(span: Any) -> dict[str, Any]:
    """A final span in JSON, from a `Span`, a tuple or a dict."""
    if isinstance(span, Mapping):
        return {"start": span["start"], "end": span["end"], "label": span["label"], "role": span.get("role")}
    start, end, label, *rest = span
    return {"start": start, "end": end, "label": label, "role": rest[0] if rest else None}


def _columns(
    text: str | None, id: str | None, patient: str | None, date: str | None, visit: str | None, keep: Sequence[str]
) -> Columns:
    if isinstance(keep, str):
        raise TypeError("keep takes a list of column names")
    return {"text": text, "id": id, "patient": patient, "date": date, "visit": visit, "keep": list(keep)}


def _column(values: Any, one: bool, length: int) -> list[Any]:
    if values is None:
        return [None] * length
    if not one and isinstance(values, (str, bytes, Mapping)):
        raise TypeError("a list of texts takes lists of ids, patients, dates and identities")
    return [values] if one else list(values)


def _is_missing(value: Any) -> bool:
    # None, and what pandas writes for it: NaN, NaT and NA differ from themselves, or cannot say.
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _name(value: Any) -> str | None:
    if _is_missing(value):
        return None
    if isinstance(value, float) and not value.is_integer():
        raise TypeError("an id or a patient is a string or a whole number")
    return str(int(value) if isinstance(value, float) else value) or None


def _day(value: Any) -> str | None:
    if _is_missing(value):
        return None
    return value.isoformat() if isinstance(value, datetime.date) else str(value) or None
