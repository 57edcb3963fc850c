"""The parts a report is made of, finished: every number is a text by now, and a renderer only sets it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from prompteval.outcome import Ratio, Run
from prompteval.tags import shown

UNKNOWN = "n/a"


@dataclass(frozen=True)
class Table:
    """Rows under headers. `right` names the columns set to the right; `notes` holds lines that belong under a row."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    notes: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Section:
    """A heading (empty: none), lines of text, and a table. `folded`: a long list that a page may fold away."""

    heading: str
    lines: tuple[str, ...] = ()
    table: Table | None = None
    folded: bool = False


@dataclass(frozen=True)
class Report:
    """A whole report: what it is of, the sentence that sums it up, and its sections."""

    headline: str
    lines: tuple[str, ...]
    sections: tuple[Section, ...]


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[str] = ()) -> Table:
    """Return a table; `right` names the headers of the columns that hold numbers."""
    wanted = set(right)
    columns = frozenset(index for index, header in enumerate(headers) if header in wanted)
    return Table(tuple(headers), tuple(tuple(row) for row in rows), columns)


def percent(ratio: Ratio) -> str:
    """Return `92.9 %`, rounded half to even from the exact ratio, or `n/a` for 0/0."""
    if not ratio.whole:
        return UNKNOWN
    return f"{_tenth(Decimal(100 * ratio.part) / ratio.whole)} %"


def points_change(before: Ratio, after: Ratio) -> str:
    """Return the change between two ratios in percentage points, signed, or `n/a` where one is unknown."""
    if not before.whole or not after.whole:
        return UNKNOWN
    return f"{_tenth(Decimal(100 * after.part) / after.whole - Decimal(100 * before.part) / before.whole):+} pp"


def _tenth(number: Decimal) -> Decimal:
    return number.quantize(Decimal("0.1"), ROUND_HALF_EVEN) + 0  # + 0: no negative zero


def of(ratio: Ratio) -> str:
    """Return `13/14`."""
    return f"{ratio.part}/{ratio.whole}"


def corpus_name(revision: str, version: str | None) -> str:
    """Return the short name of a corpus revision, with the version that corpus.yaml gave it."""
    return revision[:8] + (f" (version {version})" if version else "")


def run_name(run: Run) -> str:
    """Return `v6, run 3fa85f64`."""
    return f"{shown(run.version)}, run {run.short_id}"
