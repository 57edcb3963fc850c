"""How far a comparison can be believed: exact tests, intervals, and the noise between runs of one version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from prompteval import exact
from prompteval.compare import Comparison, Pair
from prompteval.outcome import FixtureOutcome

Interval = tuple[float, float]


class Measure(NamedTuple):
    """One measure on both sides. `p` is None where it could not be computed, or could not be small at this size.

    `fixtures` counts those that the measure is about; `fewest` how many of them would have had to change one way, and
    none the other, to reach p <= 0.05 (None: even all would not do).
    """

    name: str
    p: Fraction | None
    adjusted: bool  # for there being two secondary measures, after Holm
    fixtures: int
    fewest: int | None


class Evidence(NamedTuple):
    """What `diff` says about chance. Intervals and noise are for the baseline and the candidate, in this order.

    `noise` is on how many fixtures two runs of a side differ on average; None: the side has one run.
    """

    recall: Measure
    phantoms: Measure
    gate: Measure
    passed: tuple[Interval | None, Interval | None]
    gate_accuracy: tuple[Interval | None, Interval | None]
    noise: tuple[Fraction | None, Fraction | None]


def weigh(comparison: Comparison) -> Evidence:
    """Return the evidence of a comparison. Recall is primary and unadjusted; phantoms and gate accuracy share Holm."""
    pairs = comparison.pairs
    gates = [pair for pair in pairs if pair.baseline[0].gate is not None and pair.candidate[0].gate is not None]
    recall = _measure("recall", [_values(pair, _matched) for pair in pairs if pair.candidate[0].points_total])
    phantoms = _measure("phantoms", [_values(pair, _phantoms) for pair in pairs])
    gate = _measure("gate accuracy", [_values(pair, _gate) for pair in gates])
    phantoms, gate = _adjusted(phantoms, gate)
    return Evidence(
        recall,
        phantoms,
        gate,
        _intervals([pair.passes for pair in pairs]),
        _intervals([(_share(pair.baseline), _share(pair.candidate)) for pair in gates]),
        (_noise(pair.baseline for pair in pairs), _noise(pair.candidate for pair in pairs)),
    )


def _matched(outcome: FixtureOutcome) -> int:
    return outcome.points_matched


def _phantoms(outcome: FixtureOutcome) -> int:
    return outcome.phantoms


def _gate(outcome: FixtureOutcome) -> int:
    return bool(outcome.gate)


def _values(pair: Pair, value: Callable[[FixtureOutcome], int]) -> exact.Stratum:
    return [value(outcome) for outcome in pair.baseline], [value(outcome) for outcome in pair.candidate]


def _measure(name: str, strata: Sequence[exact.Stratum]) -> Measure:
    try:
        fewest = exact.fewest_changes([(len(before), len(after)) for before, after in strata])
        p = None if fewest is None else exact.permutation_p(strata)
    except exact.TooUnevenError:
        fewest, p = None, None
    return Measure(name, p, False, len(strata), fewest)


def _adjusted(*measures: Measure) -> list[Measure]:
    tested = [measure for measure in measures if measure.p is not None]
    adjusted = dict(zip((m.name for m in tested), exact.holm([m.p for m in tested if m.p is not None]), strict=True))
    return [m._replace(p=adjusted.get(m.name), adjusted=len(tested) > 1) for m in measures]


def _intervals(shares: Iterable[tuple[tuple[int, int], tuple[int, int]]]) -> tuple[Interval | None, Interval | None]:
    """Return Wilson's interval of each side. n is the number of fixtures, however many runs there are of each."""
    listed = list(shares)
    before, after = (sum((Fraction(*pair[side]) for pair in listed), Fraction(0)) for side in (0, 1))
    return exact.wilson(before, len(listed)), exact.wilson(after, len(listed))


def _share(outcomes: Sequence[FixtureOutcome]) -> tuple[int, int]:
    return sum(map(_gate, outcomes)), len(outcomes)


def _noise(sides: Iterable[Sequence[FixtureOutcome]]) -> Fraction | None:
    repeated = [(sum(o.passed for o in outcomes), len(outcomes)) for outcomes in sides if len(outcomes) > 1]
    return exact.own_noise(repeated) if repeated else None
