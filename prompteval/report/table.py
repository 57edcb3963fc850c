"""The parts a report is made of, finished: every number is a text by now, and a renderer only sets it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from prompteval.errors import count
from prompteval.outcomes import MEASURES, Counts, Measure, Ratio, Run
from prompteval.tags import shown

if TYPE_CHECKING:
    from fractions import Fraction

    from prompteval.compare import Mean
    from prompteval.samples import Copy

UNKNOWN = "n/a"


class Table(NamedTuple):
    """Rows under headers. `right` names the columns set to the right; `notes` holds lines that belong under a row."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    notes: tuple[tuple[str, ...], ...] = ()


class Section(NamedTuple):
    """A heading (empty: none), lines of text, and a table. `folded`: a long list that a page may fold away."""

    heading: str
    lines: tuple[str, ...] = ()
    table: Table | None = None
    folded: bool = False


class Report(NamedTuple):
    """A whole report: the sentence that sums it up, what it is of, its sections, and a name for a list of links."""

    headline: str
    lines: tuple[str, ...]
    sections: tuple[Section, ...]
    short: str = ""


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[str] = ()) -> Table:
    """Return a table; `right` names the headers of the columns that hold numbers."""
    wanted = set(right)
    columns = frozenset(index for index, header in enumerate(headers) if header in wanted)
    return Table(tuple(headers), tuple(tuple(row) for row in rows), columns)


def percent(ratio: Ratio | Mean) -> str:
    """Return `92.9 %`, rounded half to even from the exact ratio, or `n/a` for 0/0."""
    if not ratio.whole:
        return UNKNOWN
    return f"{_decimals(100 * ratio.part, ratio.whole, 1)} %"


def share(value: int | Ratio | Mean) -> str:
    """Return `13/14  92.9 %`, set so that a column of them lines up, or `n/a` for 0/0; a count is a number."""
    if isinstance(value, int) or value.whole is None:
        return number(value if isinstance(value, int) else value.part)
    return f"{of(value)} {percent(value):>7}" if value.whole else UNKNOWN


def shares(counts: Counts) -> tuple[str, ...]:
    """Return what a run reached, a text per measure."""
    return tuple(share(measure.of(counts)) for measure in MEASURES)


def measure_headers() -> tuple[str, ...]:
    """Return the headers of the columns that `shares` fills."""
    return tuple(measure.name.capitalize() for measure in MEASURES)


def moved(measure: Measure, before: Mean, after: Mean) -> str:
    """Return the change of a measure: a number, or percentage points."""
    return change(before.part, after.part) if measure.whole is None else points_change(before, after)


def points_change(before: Ratio | Mean, after: Ratio | Mean) -> str:
    """Return the change between two ratios in percentage points, signed, or `n/a` where one is unknown."""
    if not before.whole or not after.whole:
        return UNKNOWN
    difference = after.part * before.whole - before.part * after.whole
    return f"{_sign(difference)}{_decimals(100 * max(difference, -difference), before.whole * after.whole, 1)} pp"


def change(before: Fraction, after: Fraction) -> str:
    """Return the change between two numbers, signed; `0` for none."""
    return f"{_sign(after - before)}{number(abs(after - before))}"


def _sign(difference: int | Fraction) -> str:
    return "+" if difference > 0 else "-" if difference < 0 else ""


def number(value: int | Fraction) -> str:
    """Return a count as it is, and what is not whole with one decimal."""
    return str(value) if value == value.numerator else _decimals(value.numerator, value.denominator, 1)


def mean(total: int, numbers: int) -> str:
    """Return a mean as it is where it is whole, otherwise with one decimal."""
    return _decimals(total, numbers, 1) if total % numbers else str(total // numbers)


def decimals(number: Fraction, places: int) -> str:
    """Return a number that is not negative with that many decimals, rounded half to even from the exact value."""
    return _decimals(number.numerator, number.denominator, places)


def _decimals(dividend: int | Fraction, divisor: int | Fraction, places: int) -> str:
    """Return a quotient: integers or fractions alone, so never off by a bit."""
    quotient, rest = divmod(dividend * 10**places, divisor)
    quotient += 2 * rest > divisor or (2 * rest == divisor and quotient % 2)
    return f"{quotient // 10**places}.{quotient % 10**places:0{places}d}"


def of(value: int | Ratio | Mean) -> str:
    """Return `13/14`, or `12.7/14` where it is a mean; a count is a number."""
    if isinstance(value, int) or value.whole is None:
        return number(value if isinstance(value, int) else value.part)
    return f"{number(value.part)}/{number(value.whole)}"


def answers(sums: Counts) -> str:
    """Return `22/24`, or `22/24, 1 invalid` where some of the answers cannot be read."""
    answered = f"{sums['fixtures_answered']}/{sums['fixtures_total']}"
    return answered + (f", {sums['fixtures_invalid']} invalid" if sums["fixtures_invalid"] else "")


def corpus_name(revision: str, version: str | None) -> str:
    """Return the short name of a corpus revision, with the version that corpus.yaml gave it."""
    return revision[:8] + (f" (version {version})" if version else "")


def run_name(run: Run) -> str:
    """Return `v6, run 3fa85f64`."""
    return f"{shown(run.version)}, run {run.short_id}"


def not_counted(copy: Copy, side: str) -> str:
    """Return the line that says why a run is not counted; `side` is what counts the others."""
    answers = f"each of its {count(copy.answers, 'answer')}"
    return f"run {copy.run.short_id} of {side} is not counted: {answers} is in run {copy.of.short_id} too"
