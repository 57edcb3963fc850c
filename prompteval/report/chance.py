"""What a comparison says about chance, in words that do not claim more than it knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from prompteval.chance import Evidence, Interval, Tested, weigh
from prompteval.compare import Comparison
from prompteval.errors import count
from prompteval.outcomes import MEASURES, RECALL, Measure
from prompteval.report.numbers import UNKNOWN, decimals
from prompteval.report.table import Section, Table
from prompteval.stats import LEVEL


def evidence_section(comparison: Comparison) -> Section:
    """Return p of each measure, the intervals of the shares, and what may be concluded from them."""
    if not comparison.same_labels:
        text = "none is given: the runs were scored with different labels, and what differs may be the labels"
        return Section("Evidence", (text,))
    evidence = weigh(comparison)
    rows = [
        (
            measure.name,
            *(map(_interval, evidence.intervals[measure]) if measure in evidence.intervals else ("", "")),
            _p(evidence.tested[measure].p) if measure in evidence.tested else "",
        )
        for measure in MEASURES
    ]
    names = tuple(f"{side.name}, 95 % interval" for side in comparison.sides)
    lines = [
        *(_verdict(measure, tested) for measure, tested in evidence.tested.items()),
        *_power(evidence.tested),
        *_noise(comparison, evidence),
    ]
    return Section("Evidence", lines, Table(("Measure", *names, "p"), rows, right=(*names, "p")))


def _verdict(measure: Measure, tested: Tested) -> str:
    name = f"{measure.name} (primary)" if measure is RECALL else measure.name
    if tested.p is not None:
        p = f"(p {_p(tested.p)}{' after Holm' if tested.adjusted else ''})"
        if tested.p <= LEVEL:
            return f"{name}: evidence of a difference {p}"
        return f"{name}: no evidence of a difference {p}; that is not evidence that they are equal"
    if not tested.fixtures:
        return f"{name}: no fixture to compare"
    if tested.uneven:
        return f"{name}: the fixtures have too many different numbers of answers for an exact p"
    return f"{name}: with {count(tested.fixtures, 'fixture')} no outcome could reach p 0.05, so none is given"


def _power(tested: Mapping[Measure, Tested]) -> Iterator[str]:
    """Say what this design could have detected, where it detected nothing."""
    able = {measure: found for measure, found in tested.items() if found.p is not None and found.fewest}
    if any(found.p is not None and found.p > LEVEL for found in able.values()):
        parts = [f"{t.fewest} of {count(t.fixtures, 'fixture')} in {measure.name}" for measure, t in able.items()]
        yield (
            f"This design could have detected a change of {', '.join(parts)}: "
            "all one way, in every run, with nothing else changed (p at most 0.05)."
        )
    for measure, found in tested.items():
        if found.adjusted and found.fewest is None:
            fixtures = count(found.fixtures, "fixture")
            yield f"{measure.name}: after Holm, not even a change of all {fixtures} would be sure to be detected."


def _noise(comparison: Comparison, evidence: Evidence) -> Iterator[str]:
    measured, unmeasured = [], []
    for side, noise in zip(comparison.sides, evidence.noise, strict=True):
        if side.samples.shared:
            answers = count(side.samples.shared, "answer")
            yield f"{side.name} has {answers} word for word in several runs: if those are copies, p is too small"
        if noise is None:
            unmeasured.append(side.name)
        else:
            fixtures = count(noise.fixtures, "fixture")
            measured.append(f"two runs of {side.name} differ on {decimals(noise.differ)} of {fixtures}")
    if measured:
        yield f"Run-to-run noise: on average {'; '.join(measured)}."
    if unmeasured:
        yield f"Run-to-run noise was not measured for {' and '.join(unmeasured)}: no fixture has two answers there."


def _p(p: Fraction | None) -> str:
    if p is None:
        return UNKNOWN
    if 0 < p < Fraction(1, 10_000):
        return "< 0.0001"
    shown = decimals(p, places=4)
    return "> 0.0500" if shown == "0.0500" and p > LEVEL else shown


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return UNKNOWN
    low, high = (decimals(Fraction(100 * share)) for share in interval)
    return f"{low} to {high} %"
