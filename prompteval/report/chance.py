"""What a comparison says about chance, in words that do not claim more than it knows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from prompteval.chance import Evidence, Interval, Tested, weigh
from prompteval.compare import Comparison
from prompteval.errors import count
from prompteval.report.table import UNKNOWN, Section, decimals, table
from prompteval.stats import LEVEL


def evidence_section(comparison: Comparison) -> Section:
    """Return p of each measure, the intervals of the shares, and what may be concluded from them."""
    evidence = weigh(comparison)
    rows = [
        ("recall", "", "", _p(evidence.recall)),
        ("phantoms", "", "", _p(evidence.phantoms)),
        ("gate accuracy", *map(_interval, evidence.gate_accuracy), _p(evidence.gate)),
        ("fixtures passed", *map(_interval, evidence.passed), ""),
    ]
    names = tuple(f"{side.name}, 95 % interval" for side in (comparison.baseline, comparison.candidate))
    lines = tuple(_lines(comparison, evidence))
    return Section("Evidence", lines, table(("Measure", *names, "p"), rows, right=(*names, "p")))


def _lines(comparison: Comparison, evidence: Evidence) -> Iterator[str]:
    for measure in (evidence.recall, evidence.phantoms, evidence.gate):
        yield _verdict(measure)
    tested = [m for m in (evidence.recall, evidence.phantoms, evidence.gate) if m.p is not None and m.fewest]
    if any(m.p is not None and m.p > LEVEL for m in tested):
        yield _power(tested)
    for measure in (evidence.phantoms, evidence.gate):
        if measure.adjusted and measure.fewest is None:
            fixtures = count(measure.fixtures, "fixture")
            yield f"{measure.name}: after Holm, not even a change of all {fixtures} would be sure to be detected."
    yield from _noise(comparison, evidence)


def _noise(comparison: Comparison, evidence: Evidence) -> Iterator[str]:
    sides = (comparison.baseline, comparison.candidate)
    for side in sides:
        if side.samples.shared:
            answers = count(side.samples.shared, "answer")
            yield f"{side.name} has {answers} word for word in several runs: if those are copies, p is too small"
    measured = [
        f"two runs of {side.name} differ on {decimals(noise.differ, 1)} of {count(noise.fixtures, 'fixture')}"
        for side, noise in zip(sides, evidence.noise, strict=True)
        if noise is not None
    ]
    if measured:
        yield f"Run-to-run noise: on average {'; '.join(measured)}."
    unmeasured = [side.name for side, noise in zip(sides, evidence.noise, strict=True) if noise is None]
    if unmeasured:
        yield f"Run-to-run noise was not measured for {' and '.join(unmeasured)}: no fixture has two answers there."


def _verdict(measure: Tested) -> str:
    name = f"{measure.name} (primary)" if measure.name == "recall" else measure.name
    if measure.p is not None:
        p = f"(p {_shown_p(measure.p)}{' after Holm' if measure.adjusted else ''})"
        if measure.p <= LEVEL:
            return f"{name}: evidence of a difference {p}"
        return f"{name}: no evidence of a difference {p}; that is not evidence that they are equal"
    if not measure.fixtures:
        return f"{name}: no fixture to compare"
    if measure.uneven:
        return f"{name}: the fixtures have too many different numbers of answers for an exact p"
    return f"{name}: with {count(measure.fixtures, 'fixture')} no outcome could reach p 0.05, so none is given"


def _power(measures: list[Tested]) -> str:
    """Say what this design could have detected."""
    parts = [f"{m.fewest} of {count(m.fixtures, 'fixture')} in {m.name}" for m in measures]
    return (
        f"This design could have detected a change of {', '.join(parts)}: "
        "all one way, in every run, with nothing else changed (p at most 0.05)."
    )


def _p(measure: Tested) -> str:
    return UNKNOWN if measure.p is None else _shown_p(measure.p)


def _shown_p(p: Fraction) -> str:
    if 0 < p < Fraction(1, 10_000):
        return "< 0.0001"
    shown = decimals(p, 4)
    return "> 0.0500" if shown == "0.0500" and p > LEVEL else shown


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return UNKNOWN
    low, high = (decimals(Fraction(100 * share), 1) for share in interval)
    return f"{low} to {high} %"
