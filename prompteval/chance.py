"""How far a comparison can be believed: an exact test and an interval per measure, and the noise between runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from prompteval import stats
from prompteval.compare import Comparison
from prompteval.outcomes import MEASURES, Measure


class Weighed(NamedTuple):
    """What chance says of the change of one measure, counted per run.

    `fixtures` counts those that the measure is about. `low` and `high` are the 95 % interval of the change. `adjusted`
    is `p` after Holm, and `why` says why there is none.
    """

    fixtures: int
    change: Fraction
    low: float | None = None
    high: float | None = None
    p: Fraction | None = None
    adjusted: Fraction | None = None
    why: str = ""

    @property
    def is_small(self) -> bool:
        """Whether the adjusted p says that chance alone hardly makes such a change on these fixtures."""
        return self.adjusted is not None and self.adjusted <= stats.LEVEL

    @property
    def is_shown(self) -> bool:
        """Whether the change can also be expected on other fixtures: the interval excludes 0."""
        return self.is_small and self.low is not None and self.high is not None and not self.low <= 0 <= self.high


class Noise(NamedTuple):
    """On how many fixtures two runs of one side differ on average, and how many pairs of runs say so."""

    differ: Fraction
    runs: int

    @property
    def pairs(self) -> int:
        """How many pairs the runs make."""
        return math.comb(self.runs, 2)


class Evidence(NamedTuple):
    """What `diff` says about chance. `noise` is that of the baseline and the candidate; None: no two answers."""

    weighed: Mapping[Measure, Weighed]
    noise: Sequence[Noise | None]

    @property
    def moves_by_chance(self) -> float | None:
        """By how many fixtures the number passed moves by chance, 19 times in 20: 1.96 sqrt(n1/2k1 + n2/2k2)."""
        known = [noise for noise in self.noise if noise]
        if len(known) < 2:
            return None
        return stats.Z95 * math.sqrt(sum(noise.differ / (2 * noise.runs) for noise in known))


def weigh(comparison: Comparison) -> Evidence:
    """Return what chance says of a comparison. All measures with a p share one adjustment."""
    weighed = {measure: _weighed(comparison, measure) for measure in MEASURES}
    with_p = {measure: each.p for measure, each in weighed.items() if each.p is not None}
    for measure, p in zip(with_p, stats.holm(list(with_p.values())), strict=True):
        weighed[measure] = weighed[measure]._replace(adjusted=p)
    return Evidence(weighed, [_noise(comparison, side) for side in (0, 1)])


def _weighed(comparison: Comparison, measure: Measure) -> Weighed:
    strata = _strata(comparison, measure)
    means = [(_mean(before), _mean(after)) for before, after in strata]
    found = Weighed(len(strata), sum((after - before for before, after in means), Fraction(0)))
    if why := _no_p(comparison, strata):
        return found._replace(why=why)
    low, high = stats.change_interval([after - before for before, after in means])
    least, most = _possible(comparison, measure)
    found = found._replace(low=max(low, float(least)), high=high if most is None else min(high, float(most)))
    try:
        return found._replace(p=stats.permutation_p(strata))
    except stats.TooUnevenError as error:
        return found._replace(why=str(error))


def _no_p(comparison: Comparison, strata: Sequence[stats.Stratum]) -> str:
    if not strata:
        return "no fixture to compare"
    if not comparison.same_labels:
        return "the runs were scored with different labels"
    return "answers are missing" if comparison.missing else ""


def _strata(comparison: Comparison, measure: Measure) -> list[stats.Stratum]:
    """Return what the answers count for a measure, for each fixture that it is about."""
    return [
        ([o.counts[measure.part] for o in before], [o.counts[measure.part] for o in after])
        for before, after in comparison.answers_to(measure)
        if measure.whole is None or (before[0].counts[measure.whole] and after[0].counts[measure.whole])
    ]


def _possible(comparison: Comparison, measure: Measure) -> tuple[Fraction, Fraction | None]:
    """Return the least and the most that a measure could change by; None: a count has no end."""
    before = comparison.measures[measure][0]
    least = -Fraction(before.part, comparison.weight)
    return least, None if before.whole is None else Fraction(before.whole, comparison.weight) + least


def _mean(values: Sequence[int]) -> Fraction:
    return Fraction(sum(values), len(values))


def _noise(comparison: Comparison, side: int) -> Noise | None:
    """Return the noise of a side over the answers it has: one that is missing is no flip."""
    answered = ([o.passed for o in pair.sides[side] if o.state != "missing"] for pair in comparison.pairs)
    repeated = [(sum(passed), len(passed)) for passed in answered if len(passed) > 1]
    if not repeated:
        return None
    return Noise(stats.own_noise(repeated), max(runs for _, runs in repeated))
