"""What one side of a comparison reached, each fixture with the same weight however many answers it has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from prompteval.outcome import FixtureOutcome

Answers = Sequence[FixtureOutcome]  # of one fixture, one a run


class Mean(NamedTuple):
    """A part of a whole, both of them sums over fixtures of the mean over answers. 0/0 is unknown."""

    part: Fraction
    whole: Fraction


class Measures(NamedTuple):
    """The measures of `diff`."""

    points: Mean
    phantoms: Fraction
    gate: Mean
    fixtures: Mean


def measure(fixtures: Sequence[Answers], readable: Sequence[Answers], weight: int) -> Measures:
    """Return the measures of some fixtures' answers; `readable` has those whose phantoms are counted.

    Each measure is the sum over fixtures of the mean over answers, times `weight`.
    """
    return Measures(
        Mean(*(_sum(fixtures, part, weight) for part in (lambda o: o.points_matched, lambda o: o.points_total))),
        _sum(readable, lambda o: o.phantoms, weight),
        Mean(*(_sum(fixtures, part, weight) for part in (lambda o: bool(o.gate), lambda o: o.gate is not None))),
        passed(fixtures, weight),
    )


def passed(fixtures: Sequence[Answers], weight: int) -> Mean:
    """Return how many fixtures pass, of how many: sums of means as in `measure`."""
    return Mean(_sum(fixtures, lambda o: o.passed, weight), Fraction(weight * len(fixtures)))


def _sum(fixtures: Iterable[Answers], value: Callable[[FixtureOutcome], int], weight: int) -> Fraction:
    return weight * sum_of_means((sum(map(value, answers)), len(answers)) for answers in fixtures)


def sum_of_means(sums: Iterable[tuple[int, int]]) -> Fraction:
    """Return the sum of sum/number over pairs of these; one fraction for each number, since fractions add up slowly."""
    totals: dict[int, int] = {}
    for total, number in sums:
        totals[number] = totals.get(number, 0) + total
    return sum((Fraction(total, number) for number, total in totals.items()), Fraction(0))
