"""The parts a report is made of, finished: every number is a text by now, and a renderer only sets it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from prompteval.errors import count
from prompteval.outcomes import MEASURES, Counts, LeftOut, Ratio, Run
from prompteval.tags import shown

if TYPE_CHECKING:
    from fractions import Fraction

    from prompteval.samples import Copy

UNKNOWN = "n/a"
MEASURE_HEADERS = tuple(measure.name.capitalize() for measure in MEASURES)  # of the columns that `shares` fills


class Table(NamedTuple):
    """Rows under headers. `right` has the columns set to the right; `notes` has the lines under each row."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    notes: tuple[tuple[str, ...], ...] = ()


class Section(NamedTuple):
    """A heading (empty: none), lines of text, and a table. `folded`: a long list that a page may fold away."""

    heading: str
    lines: Sequence[str] = ()
    table: Table | None = None
    folded: bool = False


class Report(NamedTuple):
    """A whole report: the sentence that sums it up, what it is of, its sections, and a name for a list of links."""

    headline: str
    lines: Sequence[str]
    sections: Sequence[Section]
    short: str = ""


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Iterable[str] = (),
    notes: Iterable[Iterable[str]] = (),
) -> Table:
    """Return a table; `right` names the headers of the columns that hold numbers."""
    columns = frozenset(map(list(headers).index, right))
    return Table(tuple(headers), tuple(map(tuple, rows)), columns, tuple(map(tuple, notes)))


def left_out(fixtures: Sequence[LeftOut], heading: str = "Left out") -> list[Section]:
    """Return the section that names fixtures that were left out, or none where none were."""
    return [Section(heading, table=table(("Fixture", "Why"), fixtures))] if fixtures else []


def of(ratio: Ratio) -> str:
    """Return `13/14`, or `12.7/14` where it is a mean; a count is a number."""
    return number(ratio.part) if ratio.whole is None else f"{number(ratio.part)}/{number(ratio.whole)}"


def percent(ratio: Ratio) -> str:
    """Return `92.9 %`, rounded half to even from the exact ratio, or `n/a` for 0/0."""
    return f"{decimals(100 * ratio.part, ratio.whole)} %" if ratio.whole else UNKNOWN


def share(ratio: Ratio) -> str:
    """Return `13/14  92.9 %`, set so that a column of them lines up, or `n/a` for 0/0; a count is a number."""
    if ratio.whole is None:
        return of(ratio)
    return f"{of(ratio)} {percent(ratio):>7}" if ratio.whole else UNKNOWN


def shares(counts: Counts) -> list[str]:
    """Return what a run reached, a text per measure."""
    return [share(measure.of(counts)) for measure in MEASURES]


def number(total: int | Fraction, per: int = 1) -> str:
    """Return a number, or a mean, as it is where it is whole, otherwise with one decimal."""
    return decimals(total, per) if total % per else str(total // per)


def decimals(dividend: int | Fraction, divisor: int | Fraction = 1, places: int = 1) -> str:
    """Return a quotient that is not negative, rounded half to even from the exact value, so never off by a bit."""
    quotient, rest = divmod(dividend * 10**places, divisor)
    quotient += 2 * rest > divisor or (2 * rest == divisor and quotient % 2)
    return f"{quotient // 10**places}.{quotient % 10**places:0{places}d}"


def answers(sums: Counts) -> str:
    """Return `22/24`, or `22/24, 1 invalid` where some of the answers cannot be read."""
    answered = f"{sums['fixtures_answered']}/{sums['fixtures_total']}"
    return answered + (f", {sums['fixtures_invalid']} invalid" if sums["fixtures_invalid"] else "")


def corpus_name(revision: str, version: str | None) -> str:
    """Return the short name of a corpus revision, with the version that corpus.yaml gave it."""
    return revision[:8] + of_version(version)


def of_version(version: str | None) -> str:
    """Return ` (version 6)`, or nothing where there is none."""
    return f" (version {version})" if version else ""


def run_name(run: Run) -> str:
    """Return `v6, run 3fa85f64`."""
    return f"{shown(run.version)}, run {run.short_id}"


def not_counted(copy: Copy, side: str) -> str:
    """Return the line that says why a run is not counted; `side` is what counts the others."""
    answers = f"each of its {count(copy.answers, 'answer')}"
    return f"run {copy.run.short_id} of {side} is not counted: {answers} is in run {copy.of.short_id} too"
