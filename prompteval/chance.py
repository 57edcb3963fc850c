"""How far a comparison can be believed: exact tests, intervals, and the noise between runs of one version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import comb
from typing import NamedTuple

from prompteval import stats
from prompteval.compare import Comparison, sum_of_means
from prompteval.outcomes import GATE, PHANTOMS, RECALL, FixtureOutcome, Ratio
from prompteval.outcomes import Measure as Row

Interval = tuple[float, float]


class Tested(NamedTuple):
    """One measure on both sides. `p` is None where it could not be computed, or could not be small at this size.

    `fixtures` counts those that the measure is about; `fewest` how many of them would have had to change one way, and
    none the other, to reach p <= 0.05 whatever the other measures say (None: even all would not do, or `uneven`).
    """

    name: str
    p: Fraction | None
    adjusted: bool  # for there being two secondary measures, after Holm
    fixtures: int
    fewest: int | None
    uneven: bool  # the fixtures have too many different numbers of answers to compute p


class Noise(NamedTuple):
    """On how many fixtures two runs of one side differ on average, of the fixtures that have two answers or more."""

    differ: Fraction
    fixtures: int


class Evidence(NamedTuple):
    """What `diff` says about chance. Intervals and noise are for the baseline and the candidate, in this order."""

    recall: Tested
    phantoms: Tested
    gate: Tested
    passed: tuple[Interval | None, Interval | None]
    gate_accuracy: tuple[Interval | None, Interval | None]
    noise: tuple[Noise | None, Noise | None]


def weigh(comparison: Comparison) -> Evidence:
    """Return the evidence of a comparison. Recall is primary and unadjusted; phantoms and gate accuracy share Holm."""
    pairs = comparison.pairs
    gates = [pair for pair in pairs if pair.baseline[0].gate is not None and pair.candidate[0].gate is not None]
    asked = [pair for pair in pairs if pair.candidate[0].counts["points_total"]]
    recall = _measure(RECALL.name, [_values(pair[1:], RECALL) for pair in asked])
    phantoms, gate = _secondary(
        (PHANTOMS.name, [_values(valid, PHANTOMS) for valid in comparison.readable]),
        (GATE.name, [_values(pair[1:], GATE) for pair in gates]),
    )
    return Evidence(
        recall,
        phantoms,
        gate,
        _intervals([pair.passes for pair in pairs]),
        _intervals([(_share(pair.baseline), _share(pair.candidate)) for pair in gates]),
        (_noise(pair.baseline for pair in pairs), _noise(pair.candidate for pair in pairs)),
    )


def _values(sides: Sequence[Sequence[FixtureOutcome]], measure: Row) -> stats.Stratum:
    baseline, candidate = sides
    return [o.counts[measure.part] for o in baseline], [o.counts[measure.part] for o in candidate]


def _measure(name: str, strata: Sequence[stats.Stratum]) -> Tested:
    try:
        fewest = _fewest(strata, stats.LEVEL)
        p = None if fewest is None else stats.permutation_p(strata)
    except stats.TooUnevenError:
        return Tested(name, None, False, len(strata), None, uneven=True)
    return Tested(name, p, False, len(strata), fewest, uneven=False)


def _fewest(strata: Sequence[stats.Stratum], level: Fraction) -> int | None:
    """Return how many changes reach the level, whichever fixtures they are in, or None. Raises TooUnevenError.

    The fixtures with the fewest ways to hand their answers out are the hardest to reach it with, so they come first.
    """
    sizes = sorted(
        ((len(before), len(after)) for before, after in strata), key=lambda size: (comb(sum(size), size[0]), size)
    )
    return stats.fewest_changes(sizes, level=level)


def _secondary(*measures: tuple[str, Sequence[stats.Stratum]]) -> list[Tested]:
    """Return the measures adjusted after Holm for those of them that were tested.

    The smallest of n adjusted p values is n times the raw one, so `fewest` has to reach a level n times as strict.
    """
    found = [_measure(name, strata) for name, strata in measures]
    tested = [measure for measure in found if measure.p is not None]
    if len(tested) < 2:
        return found
    adjusted = dict(zip((m.name for m in tested), stats.holm([m.p for m in tested if m.p is not None]), strict=True))
    for place, (name, strata) in enumerate(measures):
        if name in adjusted:
            try:
                fewest = _fewest(strata, stats.LEVEL / len(tested))
            except stats.TooUnevenError:
                fewest = None
            found[place] = found[place]._replace(p=adjusted[name], adjusted=True, fewest=fewest)
    return found


def _intervals(shares: Iterable[tuple[Ratio, Ratio]]) -> tuple[Interval | None, Interval | None]:
    """Return Wilson's interval of each side. n is the number of fixtures, however many runs there are of each."""
    listed = list(shares)
    before, after = (sum_of_means(pair[side] for pair in listed) for side in (0, 1))
    return stats.wilson(before, len(listed)), stats.wilson(after, len(listed))


def _share(outcomes: Sequence[FixtureOutcome]) -> Ratio:
    return Ratio(sum(outcome.counts[GATE.part] for outcome in outcomes), len(outcomes))


def _noise(fixtures: Iterable[Sequence[FixtureOutcome]]) -> Noise | None:
    repeated = [(sum(o.passed for o in outcomes), len(outcomes)) for outcomes in fixtures if len(outcomes) > 1]
    return Noise(stats.own_noise(repeated), len(repeated)) if repeated else None
