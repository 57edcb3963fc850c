"""Compare the outcomes of a baseline and a candidate, fixture by fixture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from prompteval.outcome import FixtureOutcome, LeftOut, Ratio, Run, Totals, by_category, totals

Outcomes = Mapping[str, Sequence[FixtureOutcome]]  # by run id


@dataclass(frozen=True, eq=False, repr=False)
class Side:
    """The runs of one side of a comparison, and their outcomes on the compared fixtures, by fixture and run id."""

    name: str
    runs: tuple[Run, ...]
    outcomes: Mapping[str, Mapping[str, FixtureOutcome]]

    @cached_property
    def totals(self) -> Totals:
        """The sums over all runs and compared fixtures."""
        return totals(self._all())

    @cached_property
    def categories(self) -> dict[str, Ratio]:
        return by_category(self._all())

    def totals_of(self, run: Run) -> Totals:
        """The sums of one run over the compared fixtures that it answered."""
        return totals(outcomes[run.id] for outcomes in self.outcomes.values() if run.id in outcomes)

    def _all(self) -> list[FixtureOutcome]:
        return [outcome for outcomes in self.outcomes.values() for outcome in outcomes.values()]


class Pair(NamedTuple):
    """One fixture on both sides, with one outcome for each run that answered it."""

    fixture_id: str
    baseline: tuple[FixtureOutcome, ...]
    candidate: tuple[FixtureOutcome, ...]

    @property
    def passes(self) -> tuple[Ratio, Ratio]:
        """How many of the runs pass it, on either side."""
        return _passes(self.baseline), _passes(self.candidate)

    @property
    def change(self) -> str:
        """fixed: passes more often than before; broken: less often; still-failing: as often, not always; passing."""
        before, after = self.passes
        difference = after.part * before.whole - before.part * after.whole
        if difference:
            return "fixed" if difference > 0 else "broken"
        return "passing" if after.part == after.whole else "still-failing"

    @property
    def other_reason(self) -> bool:
        """Whether it fails for other reasons than before."""
        return _texts(self.baseline) != _texts(self.candidate)


def _passes(outcomes: Sequence[FixtureOutcome]) -> Ratio:
    return Ratio(sum(outcome.passed for outcome in outcomes), len(outcomes))


def _texts(outcomes: Iterable[FixtureOutcome]) -> set[tuple[str, object]]:
    """The reasons, less what a model words anew each time: which points are missed counts, the titles do not."""
    return {(reason.code, reason.detail.get("point")) for outcome in outcomes for reason in outcome.reasons}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """A baseline and a candidate under one set of labels, on the fixtures that both answered with the same session."""

    baseline: Side
    candidate: Side
    labels: str | None  # the corpus revision whose labels judged both sides; None: each run's own
    left_out: tuple[LeftOut, ...]

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The compared fixtures, by fixture id."""
        return tuple(
            Pair(name, tuple(outcomes.values()), tuple(self.candidate.outcomes[name].values()))
            for name, outcomes in sorted(self.baseline.outcomes.items())
        )

    def changed(self, change: str) -> list[Pair]:
        """Return the pairs with that `change`."""
        return [pair for pair in self.pairs if pair.change == change]


class Answered(NamedTuple):
    """One side before it is paired: its runs with their outcomes, and the session of each fixture by run id."""

    name: str
    runs: tuple[Run, ...]
    sessions: Mapping[str, Mapping[str, str]]


def compare(
    baseline: Answered, candidate: Answered, judge: tuple[str | None, Mapping[str, str]], outcomes: Outcomes
) -> Comparison:
    """Return the comparison of two sides.

    `judge` is the corpus revision whose labels scored `outcomes` (None: each run's own), and the session of each
    fixture that counts. A fixture takes part when each side answered that very session in at least one run; the rest
    are left out, each with its reason.
    """
    revision, sessions = judge
    left = _answers(baseline, sessions, outcomes)
    right = _answers(candidate, sessions, outcomes)
    names = {name for side in (baseline, candidate) for asked in side.sessions.values() for name in asked}
    shared = sorted(left.keys() & right.keys())
    left_out = [
        LeftOut(name, _why(name, sessions, (baseline, left), (candidate, right)))
        for name in sorted(names - set(shared))
    ]
    return Comparison(
        Side(baseline.name, baseline.runs, {name: left[name] for name in shared}),
        Side(candidate.name, candidate.runs, {name: right[name] for name in shared}),
        revision,
        tuple(left_out),
    )


def _answers(side: Answered, sessions: Mapping[str, str], outcomes: Outcomes) -> dict[str, dict[str, FixtureOutcome]]:
    found: dict[str, dict[str, FixtureOutcome]] = defaultdict(dict)
    for run in side.runs:
        for outcome in outcomes.get(run.id, ()):
            same_session = side.sessions[run.id].get(outcome.fixture_id) == sessions.get(outcome.fixture_id)
            if same_session and outcome.state != "missing":
                found[outcome.fixture_id][run.id] = outcome
    return found


def _why(name: str, sessions: Mapping[str, str], *sides: tuple[Answered, Mapping[str, object]]) -> str:
    for side, _ in sides:
        if not any(name in asked for asked in side.sessions.values()):
            others = [other.name for other, _ in sides if other is not side]
            return f"only in {others[0]}"
    if name not in sessions:
        return "not in the labels' corpus"
    lacking = [side for side, answered in sides if name not in answered]
    asked_otherwise = [
        side for side in lacking if all(asked.get(name) != sessions[name] for asked in side.sessions.values())
    ]
    return "its session changed" if asked_otherwise else f"no answer in {' and '.join(side.name for side in lacking)}"
