"""Numbers as texts, rounded from the exact value: counts, shares and means of the measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prompteval.outcomes import MEASURES, Counts, Ratio

if TYPE_CHECKING:
    from fractions import Fraction

UNKNOWN = "n/a"
MEASURE_HEADERS = tuple(measure.name.capitalize() for measure in MEASURES)  # of the columns that `shares` fills


def of(ratio: Ratio) -> str:
    """Return `13/14`, or `12.7/14` for a mean; a count is a number."""
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
    """Return the result of a run, one text per measure."""
    return [share(measure.of(counts)) for measure in MEASURES]


def number(total: int | Fraction, per: int = 1) -> str:
    """Return a number or a mean: without decimals if it is whole, otherwise with one."""
    return decimals(total, per) if total % per else str(total // per)


def decimals(dividend: int | Fraction, divisor: int | Fraction = 1, places: int = 1) -> str:
    """Return a quotient that is not negative, rounded half to even from the exact value, so never off by a bit."""
    quotient, rest = divmod(dividend * 10**places, divisor)
    quotient += 2 * rest > divisor or (2 * rest == divisor and quotient % 2)
    return f"{quotient // 10**places}.{quotient % 10**places:0{places}d}"


def answers(sums: Counts) -> str:
    """Return `22/24`, or `22/24, 1 invalid` if some of the answers are invalid."""
    answered = f"{sums['fixtures_answered']}/{sums['fixtures_total']}"
    return answered + (f", {sums['fixtures_invalid']} invalid" if sums["fixtures_invalid"] else "")
