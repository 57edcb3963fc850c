"""How far a comparison can be believed: exact tests, intervals, and the noise between runs of one version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import NamedTuple

from prompteval import stats
from prompteval.compare import Comparison
from prompteval.outcomes import GATE, MEASURES, PASSED, PHANTOMS, RECALL, Measure

Interval = tuple[float, float]


class Tested(NamedTuple):
    """One measure on both sides. `p` is None where it could not be computed, or could not be small at this size.

    `fixtures` counts those that the measure is about; `fewest` how many of them would have had to change one way, and
    none the other, to reach p <= 0.05 whatever the other measures say (None: even all would not do, or `uneven`).
    """

    fixtures: int
    p: Fraction | None = None
    fewest: int | None = None
    adjusted: bool = False  # for there being two secondary measures, after Holm
    uneven: bool = False  # the fixtures have too many different numbers of answers to compute p


class Noise(NamedTuple):
    """On how many fixtures two runs of one side differ on average, of the fixtures that have two answers or more."""

    differ: Fraction
    fixtures: int


class Evidence(NamedTuple):
    """What `diff` says about chance. Intervals and noise are those of the baseline, then those of the candidate."""

    tested: Mapping[Measure, Tested]
    intervals: Mapping[Measure, Sequence[Interval | None]]
    noise: Sequence[Noise | None]


def weigh(comparison: Comparison) -> Evidence:
    """Return the evidence of a comparison. Recall is primary and unadjusted; phantoms and gate accuracy share Holm."""
    strata = {measure: _strata(comparison, measure) for measure in MEASURES}
    tested = {measure: _tested(strata[measure]) for measure in (RECALL, PHANTOMS, GATE)}
    secondary = {measure: p for measure in (PHANTOMS, GATE) if (p := tested[measure].p) is not None}
    if len(secondary) > 1:
        for measure, p in zip(secondary, stats.holm(list(secondary.values())), strict=True):
            # The smallest of n adjusted p values is n times the raw one, so the level is n times as strict.
            fewest = None
            with suppress(stats.TooUnevenError):
                fewest = _fewest(strata[measure], stats.LEVEL / len(secondary))
            tested[measure] = tested[measure]._replace(p=p, adjusted=True, fewest=fewest)
    intervals = {measure: [_interval(values) for values in _sides(strata[measure])] for measure in (PASSED, GATE)}
    return Evidence(tested, intervals, [_noise(values) for values in _sides(strata[PASSED])])


def _strata(comparison: Comparison, measure: Measure) -> list[stats.Stratum]:
    """Return what the answers count for a measure, for each fixture that it is about."""
    return [
        ([o.counts[measure.part] for o in before], [o.counts[measure.part] for o in after])
        for before, after in comparison.answers_to(measure)
        if measure.whole is None or (before[0].counts[measure.whole] and after[0].counts[measure.whole])
    ]


def _sides(strata: Sequence[stats.Stratum]) -> list[list[Sequence[int]]]:
    """Return the values of the baseline, one list per fixture, and those of the candidate."""
    return [[stratum[side] for stratum in strata] for side in (0, 1)]


def _tested(strata: Sequence[stats.Stratum]) -> Tested:
    try:
        fewest = _fewest(strata, stats.LEVEL)
        p = None if fewest is None else stats.permutation_p(strata)
    except stats.TooUnevenError:
        return Tested(len(strata), uneven=True)
    return Tested(len(strata), p, fewest)


def _fewest(strata: Sequence[stats.Stratum], level: Fraction) -> int | None:
    """Return how many changes reach the level, whichever fixtures they are in, or None. Raises TooUnevenError."""
    return stats.fewest_changes([(len(before), len(after)) for before, after in strata], level=level)


def _interval(values: Sequence[Sequence[int]]) -> Interval | None:
    """Return Wilson's interval. n is the number of fixtures, however many runs there are of each."""
    return stats.wilson(stats.sum_of_means(values), len(values))


def _noise(values: Sequence[Sequence[int]]) -> Noise | None:
    repeated = [(sum(passed), len(passed)) for passed in values if len(passed) > 1]
    return Noise(stats.own_noise(repeated), len(repeated)) if repeated else None
