"""Compare the outcomes of a baseline and a candidate, fixture by fixture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from prompteval.outcomes import MEASURES, PASSED, Counts, FixtureOutcome, LeftOut, Measure, Ratio, Run, add
from prompteval.samples import Samples

Outcomes = Mapping[str, Sequence[FixtureOutcome]]  # by run id
Answers = Sequence[FixtureOutcome]  # of one fixture, one per run


class Mean(NamedTuple):
    """A part of a whole (None: a count), both of them sums over fixtures of the mean over answers. 0/0 is unknown."""

    part: Fraction
    whole: Fraction | None


def mean(fixtures: Iterable[Answers], measure: Measure, weight: int = 1) -> Mean:
    """Return a measure over the answers of some fixtures, each fixture with the same weight."""
    listed = list(fixtures)
    part, whole = (
        weight * sum_of_means((sum(o.counts[name] for o in answers), len(answers)) for answers in listed)
        for name in (measure.part, measure.whole or measure.part)
    )
    return Mean(part, whole if measure.whole else None)


def sum_of_means(sums: Iterable[tuple[int, int]]) -> Fraction:
    """Return the sum of sum/number over pairs of these; one fraction for each number, since fractions add up slowly."""
    totals: dict[int, int] = {}
    for total, number in sums:
        totals[number] = totals.get(number, 0) + total
    return sum((Fraction(total, number) for number, total in totals.items()), Fraction(0))


class Side:
    """The runs of one side of a comparison, and their outcomes on the compared fixtures, by fixture and run id."""

    def __init__(self, name: str, samples: Samples, outcomes: Mapping[str, Mapping[str, FixtureOutcome]]) -> None:
        self.name = name
        self.samples = samples
        self.outcomes = outcomes

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The runs that count, oldest first: with an answer to a compared fixture, or all where none is compared."""
        return tuple(run for run in self.samples.runs if run not in self.idle)

    @cached_property
    def idle(self) -> tuple[Run, ...]:
        """The runs without an answer to a compared fixture."""
        answered = {identity for outcomes in self.outcomes.values() for identity in outcomes}
        return tuple(run for run in self.samples.runs if answered and run.id not in answered)

    @cached_property
    def all_outcomes(self) -> list[FixtureOutcome]:
        """The outcomes of all runs on all compared fixtures."""
        return [outcome for outcomes in self.outcomes.values() for outcome in outcomes.values()]

    def counts_of(self, run: Run) -> Counts:
        """The sums of one run over the compared fixtures that it answered."""
        return add(outcomes[run.id].counts for outcomes in self.outcomes.values() if run.id in outcomes)

    @property
    def categories(self) -> dict[str, Ratio]:
        """How many of all answers in each category pass, by name."""
        grouped: dict[str, list[Counts]] = defaultdict(list)
        for outcome in self.all_outcomes:
            grouped[outcome.category].append(outcome.counts)
        return {name: Ratio(sum(c[PASSED.part] for c in found), len(found)) for name, found in sorted(grouped.items())}


class Pair(NamedTuple):
    """One fixture on both sides, with one outcome for each run that answered it."""

    fixture_id: str
    baseline: tuple[FixtureOutcome, ...]
    candidate: tuple[FixtureOutcome, ...]

    @property
    def category(self) -> str:
        return self.candidate[0].category

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
    def valid(self) -> tuple[list[FixtureOutcome], list[FixtureOutcome]]:
        """The outcomes of valid answers: what is not readable has no phantoms to count."""
        return _valid(self.baseline), _valid(self.candidate)

    @property
    def other_reason(self) -> bool:
        """Whether it fails for other reasons than before."""
        return _texts(self.baseline) != _texts(self.candidate)


def _valid(outcomes: Sequence[FixtureOutcome]) -> list[FixtureOutcome]:
    return [outcome for outcome in outcomes if outcome.state == "valid"]


def _passes(outcomes: Sequence[FixtureOutcome]) -> Ratio:
    return Ratio(sum(outcome.passed for outcome in outcomes), len(outcomes))


def _texts(outcomes: Iterable[FixtureOutcome]) -> set[tuple[str, str | None]]:
    """The reasons, less what a model words otherwise each time: which points are missed counts, the titles do not."""
    return {(reason.code, reason.point) for outcome in outcomes for reason in outcome.reasons}


class Comparison:
    """A baseline and a candidate under one set of labels, on the fixtures that both answered with the same session.

    `labels` is the corpus revision whose labels scored both sides; None: each run's own.
    """

    def __init__(self, baseline: Side, candidate: Side, labels: str | None, left_out: tuple[LeftOut, ...]) -> None:
        self.baseline = baseline
        self.candidate = candidate
        self.labels = labels
        self.left_out = left_out

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The compared fixtures, by fixture id."""
        return tuple(
            Pair(name, tuple(outcomes.values()), tuple(self.candidate.outcomes[name].values()))
            for name, outcomes in sorted(self.baseline.outcomes.items())
        )

    @property
    def same_labels(self) -> bool:
        """Whether the same labels scored every answer; otherwise a difference may be one of the labels."""
        return (
            self.labels is not None or len({run.corpus for s in (self.baseline, self.candidate) for run in s.runs}) == 1
        )

    @cached_property
    def answers_each(self) -> int | None:
        """How many answers each fixture has on either side; None: not all have the same number."""
        numbers = {len(outcomes) for pair in self.pairs for outcomes in (pair.baseline, pair.candidate)}
        return numbers.pop() if len(numbers) == 1 else None

    @property
    def weight(self) -> int:
        """What each fixture weighs in `measures`: its answers where all have the same number, so that they are sums."""
        return self.answers_each or 1

    @cached_property
    def readable(self) -> list[tuple[Answers, Answers]]:
        """The valid answers of the fixtures that have one on both sides: phantoms are counted and compared on these."""
        return [valid for valid in (pair.valid for pair in self.pairs) if all(valid)]

    @cached_property
    def measures(self) -> dict[Measure, tuple[Mean, Mean]]:
        """What baseline and candidate reached, each fixture with the same weight, as in the tests of `chance`.

        Where all fixtures have the same number of answers these are sums; otherwise sums of means, one per fixture.
        """
        return {measure: self._both(self.answers_to(measure), measure) for measure in MEASURES}

    def answers_to(self, measure: Measure) -> list[tuple[Answers, Answers]]:
        """Return the answers of each fixture on both sides that a measure is told of."""
        return self.readable if measure.readable else [(pair.baseline, pair.candidate) for pair in self.pairs]

    def _both(self, answers: Sequence[tuple[Answers, Answers]], measure: Measure) -> tuple[Mean, Mean]:
        return (
            mean([before for before, _ in answers], measure, self.weight),
            mean([after for _, after in answers], measure, self.weight),
        )

    @cached_property
    def categories(self) -> dict[str, tuple[Mean, Mean]]:
        """How many fixtures of each category pass on either side, weighed as in `measures`."""
        grouped: dict[str, list[tuple[Answers, Answers]]] = defaultdict(list)
        for pair in self.pairs:
            grouped[pair.category].append((pair.baseline, pair.candidate))
        return {name: self._both(answers, PASSED) for name, answers in sorted(grouped.items())}

    def changed(self, change: str) -> list[Pair]:
        """Return the pairs with that `change`."""
        return [pair for pair in self.pairs if pair.change == change]


class Answered(NamedTuple):
    """One side before it is paired: the runs that count, and the session of each fixture by run id."""

    name: str
    samples: Samples
    sessions: Mapping[str, Mapping[str, str]]


def compare(
    baseline: Answered, candidate: Answered, labels: tuple[str | None, Mapping[str, str]], outcomes: Outcomes
) -> Comparison:
    """Return the comparison of two sides.

    `labels` is the corpus revision whose labels scored `outcomes` (None: each run's own), and the session of each
    fixture that counts. A fixture takes part when each side answered that very session in at least one run; the rest
    are left out, each with its reason.
    """
    revision, sessions = labels
    left = _answers(baseline, sessions, outcomes)
    right = _answers(candidate, sessions, outcomes)
    names = {name for side in (baseline, candidate) for asked in side.sessions.values() for name in asked}
    shared = sorted(left.keys() & right.keys())
    left_out = [
        LeftOut(name, _why(name, sessions, (baseline, left), (candidate, right)))
        for name in sorted(names - set(shared))
    ]
    return Comparison(
        Side(baseline.name, baseline.samples, {name: left[name] for name in shared}),
        Side(candidate.name, candidate.samples, {name: right[name] for name in shared}),
        revision,
        tuple(left_out),
    )


def _answers(side: Answered, sessions: Mapping[str, str], outcomes: Outcomes) -> dict[str, dict[str, FixtureOutcome]]:
    found: dict[str, dict[str, FixtureOutcome]] = defaultdict(dict)
    for run in side.samples.runs:
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
