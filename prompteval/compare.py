"""Compare the outcomes of a baseline and a candidate, fixture by fixture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from prompteval.context import NO_CONTEXT, Context, context_of
from prompteval.outcomes import (
    MEASURES,
    PASSED,
    Counts,
    FixtureOutcome,
    Given,
    LeftOut,
    Measure,
    PromptUsed,
    Ratio,
    Run,
    add,
)
from prompteval.samples import Samples, samples
from prompteval.stats import sum_of_means

if TYPE_CHECKING:
    from prompteval.ledger.ledger import Ledger, Selection

Answers = Sequence[FixtureOutcome]  # to one fixture, one per run
Both = Sequence[Answers]  # those of the baseline, then those of the candidate


@dataclass(frozen=True)
class Side:
    """The runs of one side of a comparison, and their outcomes on the compared fixtures, by fixture and run id."""

    name: str
    samples: Samples
    outcomes: Mapping[str, Mapping[str, FixtureOutcome]]

    @cached_property
    def runs(self) -> list[Run]:
        """The runs that count, oldest first: asked about a compared fixture, or all where none is compared."""
        return [run for run in self.samples.runs if run not in self.idle]

    @cached_property
    def idle(self) -> list[Run]:
        """The runs that were not asked about a compared fixture."""
        asked = {identity for outcomes in self.outcomes.values() for identity in outcomes}
        return [run for run in self.samples.runs if asked and run.id not in asked]

    def number_of(self, state: str) -> int:
        """Return how many of its answers are valid, invalid or missing."""
        return sum(outcome.state == state for outcome in self.all_outcomes)

    @cached_property
    def all_outcomes(self) -> list[FixtureOutcome]:
        """The outcomes of all runs on all compared fixtures."""
        return [outcome for outcomes in self.outcomes.values() for outcome in outcomes.values()]

    def counts_of(self, run: Run) -> Counts:
        """Return the sums of one run over the compared fixtures that it was asked about."""
        return add(answers[run.id].counts for answers in self.outcomes.values() if run.id in answers)


class Pair(NamedTuple):
    """One fixture with its answers on both sides."""

    fixture_id: str
    sides: Both

    @property
    def category(self) -> str:
        return self.sides[1][0].category

    @property
    def passes(self) -> list[Ratio]:
        """How many of the runs pass it, on either side."""
        return [Ratio(sum(outcome.passed for outcome in answers), len(answers)) for answers in self.sides]

    @property
    def change(self) -> str:
        """fixed: passes more often than before; broken: less often; still-failing: as often, not always; passing."""
        before, after = (Fraction(sum(outcome.passed for outcome in answers), len(answers)) for answers in self.sides)
        if before != after:
            return "fixed" if before < after else "broken"
        return "passing" if after == 1 else "still-failing"

    @property
    def other_reason(self) -> bool:
        """Whether it fails for other reasons than before: the points that are missed count, the titles do not."""
        before, after = ({(why.code, why.point) for o in answers for why in o.reasons} for answers in self.sides)
        return before != after


@dataclass(frozen=True)
class Comparison:
    """A baseline and a candidate of one suite, on the fixtures that both were asked about with the same session.

    `labels` is the corpus revision whose labels scored both sides; None: each run's own. `shared` counts the answers
    that are not empty and word for word the same on both sides.
    """

    suite: str
    baseline: Side
    candidate: Side
    labels: str | None
    left_out: Sequence[LeftOut]
    prompts: Mapping[str, tuple[PromptUsed, ...]]  # by run id
    shared: int
    context: Context

    @property
    def sides(self) -> tuple[Side, Side]:
        """The baseline and the candidate."""
        return self.baseline, self.candidate

    @cached_property
    def pairs(self) -> list[Pair]:
        """The compared fixtures, by fixture id."""
        return [
            Pair(fixture, [list(side.outcomes[fixture].values()) for side in self.sides])
            for fixture in sorted(self.baseline.outcomes)
        ]

    @property
    def same_labels(self) -> bool:
        """Whether the same labels scored every answer; otherwise a difference may be one of the labels."""
        return self.labels is not None or len({run.corpus for side in self.sides for run in side.runs}) == 1

    @property
    def missing(self) -> dict[str, int]:
        """How many answers are missing, by the name of the side; nothing where all are there."""
        return {side.name: number for side in self.sides if (number := side.number_of("missing"))}

    @cached_property
    def answers_each(self) -> int | None:
        """How many runs each fixture has on either side; None: not all have the same number."""
        numbers = {len(answers) for pair in self.pairs for answers in pair.sides}
        return numbers.pop() if len(numbers) == 1 else None

    @property
    def weight(self) -> int:
        """What each fixture weighs in `measures`: its answers where all have the same number, so that they are sums."""
        return self.answers_each or 1

    @cached_property
    def readable(self) -> list[Both]:
        """The valid answers of the fixtures that have one on both sides: what is not readable has no phantoms."""
        valid = ([[o for o in answers if o.state == "valid"] for answers in pair.sides] for pair in self.pairs)
        return [both for both in valid if all(both)]

    def answers_to(self, measure: Measure) -> list[Both]:
        """Return the answers of each fixture on both sides that a measure is told of."""
        return self.readable if measure.readable else [pair.sides for pair in self.pairs]

    @cached_property
    def measures(self) -> dict[Measure, list[Ratio]]:
        """What baseline and candidate reached, each fixture with the same weight, as in the tests of `chance`."""
        return {measure: self._reached(measure, self.answers_to(measure)) for measure in MEASURES}

    @cached_property
    def categories(self) -> dict[str, list[Ratio]]:
        """How many fixtures of each category pass on either side, weighed as in `measures`."""
        categories = sorted({pair.category for pair in self.pairs})
        return {
            name: self._reached(PASSED, [pair.sides for pair in self.pairs if pair.category == name])
            for name in categories
        }

    def _reached(self, measure: Measure, fixtures: Sequence[Both]) -> list[Ratio]:
        """Return a measure of each side: sums over fixtures of the mean over answers, times their weight."""

        def total(side: int, name: str) -> Fraction:
            return self.weight * sum_of_means([o.counts[name] for o in both[side]] for both in fixtures)

        part, whole = measure.part, measure.whole
        return [Ratio(total(side, part), total(side, whole) if whole else None) for side in (0, 1)]

    def changed(self, change: str) -> list[Pair]:
        """Return the pairs with that `change`."""
        return [pair for pair in self.pairs if pair.change == change]


class _Asked(NamedTuple):
    """One side before it is paired: the sessions that each run was asked about, and the outcomes that could count."""

    name: str
    samples: Samples
    sessions: Sequence[Mapping[str, str]]
    outcomes: Mapping[str, Mapping[str, FixtureOutcome]]

    def on(self, fixtures: Iterable[str]) -> Side:
        """Return the side on some fixtures."""
        return Side(self.name, self.samples, {name: self.outcomes[name] for name in fixtures})


def compare(ledger: Ledger, baseline: Selection, candidate: Selection, labels: str | None) -> Comparison:
    """Return the comparison of two sides of one suite under the labels of corpus `labels` (None: each run's own).

    A fixture takes part when each side was asked about the very session of that corpus (None: of the newest
    candidate's) in at least one run; the rest are left out, each with its reason. A missing answer counts as failed.
    """
    sides = (baseline, candidate)
    found = _paired(ledger, sides, labels)
    fixtures = [pair.fixture_id for pair in found.pairs]
    context = context_of(ledger, sides, labels, fixtures, lambda: _paired(ledger, sides, None).measures)
    return replace(found, context=context)


def _paired(ledger: Ledger, selections: Sequence[Selection], labels: str | None) -> Comparison:
    """Return the comparison without its context."""
    runs = [run for side in selections for run in side.runs]
    scoring = ledger.score(runs, labels, more=["prompt"])
    outcomes, given = scoring.outcomes(), scoring.given()
    corpora = {run.corpus for run in runs} | {labels or runs[-1].corpus}
    sessions = {corpus: scoring.sessions(corpus) for corpus in corpora}
    wanted = sessions[labels or runs[-1].corpus]
    before, after = (_asked(side, samples(side.runs, given), outcomes, sessions, wanted) for side in selections)
    fixtures = sorted(before.outcomes.keys() & after.outcomes.keys())
    rest = {name for run in runs for name in sessions[run.corpus]}.difference(fixtures)
    said = {fixture.fixture_id: fixture.why for fixture in scoring.left_out()}
    left_out = [LeftOut(name, _why(name, wanted, before, after) or said[name]) for name in sorted(rest)]
    sides = before.on(fixtures), after.on(fixtures)
    shared = _shared(sides, given, fixtures)
    return Comparison(runs[-1].suite, *sides, labels, left_out, scoring.prompts(), shared, NO_CONTEXT)


def _asked(
    side: Selection,
    counted: Samples,
    outcomes: Mapping[str, Answers],
    sessions: Mapping[str, Mapping[str, str]],
    wanted: Mapping[str, str],
) -> _Asked:
    found: dict[str, dict[str, FixtureOutcome]] = defaultdict(dict)
    for run in counted.runs:
        for outcome in outcomes.get(run.id, ()):
            name = outcome.fixture_id
            if name in wanted and sessions[run.corpus][name] == wanted[name]:
                found[name][run.id] = outcome
    return _Asked(side.name, counted, [sessions[run.corpus] for run in side.runs], found)


def _why(name: str, wanted: Mapping[str, str], *sides: _Asked) -> str | None:
    """Return why a fixture is left out, or None where it is not for its session."""
    asked = [side.name for side in sides if any(name in sessions for sessions in side.sessions)]
    if len(asked) == 1:
        return f"only in {asked[0]}"
    if name not in wanted:
        return "not in the labels' corpus"
    same = all(any(sessions.get(name) == wanted[name] for sessions in side.sessions) for side in sides)
    return None if same else "its session changed"


def _shared(sides: Sequence[Side], given: Mapping[str, Given], fixtures: Iterable[str]) -> int:
    """Return how many answers to some fixtures are not empty and word for word the same on both sides."""
    before, after = (
        {
            (name, given[run.id].answers[name])
            for run in side.runs
            if run.id in given
            for name in given[run.id].telling.intersection(fixtures)
        }
        for side in sides
    )
    return len(before & after)
