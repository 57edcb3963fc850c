"""The results of scoring, and the table of measures, as immutable values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction


class Ratio(NamedTuple):
    """A part of a whole, or a count, which has none. 0/0 is unknown, neither 0 % nor 100 %. Fractions are means."""

    part: int | Fraction
    whole: int | Fraction | None = None

    @property
    def value(self) -> Fraction | None:
        """The number itself, exact; None if it is unknown."""
        from fractions import Fraction

        if self.whole is None:
            return Fraction(self.part)
        return Fraction(self.part) / self.whole if self.whole else None


class Measure(NamedTuple):
    """One row of the table of measures: its name, and the counts that are its part and (None: a count) its whole.

    `more_is_better` says which way is up. `readable`: it counts valid answers only, since others have nothing to count.
    """

    name: str
    part: str
    whole: str | None
    more_is_better: bool = True
    readable: bool = False

    @property
    def key(self) -> str:
        """Its name in JSON."""
        return self.name.replace(" ", "_")

    def of(self, counts: Counts) -> Ratio:
        """Return this measure from the counts of a fixture, a run or several."""
        return Ratio(counts[self.part], counts[self.whole] if self.whole else None)


Counts = Mapping[str, int]  # the columns of the view fixture_score, for a fixture, or their sums
RECALL = Measure("recall", "points_matched", "points_total")
PHANTOMS = Measure("phantoms", "phantoms", None, more_is_better=False, readable=True)
GATE = Measure("gate accuracy", "gate_correct", "gate_total")
PASSED = Measure("fixtures passed", "fixtures_passed", "fixtures_total")
MEASURES = (RECALL, PHANTOMS, GATE, PASSED)
COUNTS = (
    *(count for measure in MEASURES for count in (measure.part, measure.whole) if count),
    *("fixtures_answered", "fixtures_invalid"),
)
NOTHING: Counts = dict.fromkeys(COUNTS, 0)


def add(counts: Iterable[Counts]) -> Counts:
    """Return the sums over the counts of several fixtures or runs."""
    listed = list(counts)
    return {name: sum(each[name] for each in listed) for name in COUNTS}


class NearMiss(NamedTuple):
    """The proposal that comes nearest to a missed point; `absent` has the terms that it lacks.

    `has_words`: it has all of them, under the wrong type.
    """

    number: int
    type: str
    has_words: bool
    has_type: bool
    absent: tuple[Wanted, ...]


class Wanted(NamedTuple):
    """A term as a label has it: its role (all, any, none or guard), which list of must_match_any, and its text."""

    role: str
    alternative: int
    term: str


class Reason(NamedTuple):
    """Why a fixture fails: `code` is no-result, invalid, missed, not-empty or phantoms, the rest its facts.

    `number` counts the problems, proposals or phantoms, and `texts` has the problems, the guards that leaked or the
    titles of the phantoms. Of a missed point, `satisfied`: a proposal has all of it; `near`: the nearest that has not.
    """

    code: str
    number: int = 0
    budget: int = 0
    point: str | None = None
    type: str | None = None
    satisfied: bool = False
    proposals: int = 0
    texts: tuple[str, ...] = ()
    near: NearMiss | None = None


class FixtureOutcome(NamedTuple):
    """How one run did on one fixture. `gate` is None if the fixture does not expect an empty answer."""

    fixture_id: str
    category: str
    state: str  # valid, invalid or missing
    passed: bool
    gate: bool | None
    counts: Counts
    reasons: tuple[Reason, ...] = ()


class Run(NamedTuple):
    """One run as the ledger knows it. `sample` counts the runs with the same tags, from 1, oldest first."""

    id: str
    suite: str
    version: str
    model: str
    temperature: float | None
    harness: str | None
    note: str | None
    sample: int
    recorded_at: str
    corpus: str
    corpus_version: str | None

    @property
    def short_id(self) -> str:
        """The first digits of the id, as reports show it."""
        return self.id[:8]

    @property
    def date(self) -> str:
        """The day it was recorded."""
        return self.recorded_at[:10]

    @property
    def setting(self) -> tuple[str, float | None, str | None]:
        """What must be the same for two runs to be compared like with like."""
        return self.model, self.temperature, self.harness


class Given(NamedTuple):
    """What one run answered: the digests of session and answer, by fixture id.

    `telling` has the fixtures with an answer that is not empty: word for word the same, two of those are hardly a
    coincidence. `repeated`: recorded with --repeat, as a further sample on purpose.
    """

    answers: dict[str, tuple[str, str]]
    telling: set[str]
    repeated: bool


class PromptUsed(NamedTuple):
    """A prompt that a run answered, or a file that it refers to; `text` is None if it was not kept."""

    name: str
    digest: str
    text: str | None


class CorpusRecording(NamedTuple):
    """When a corpus became the latest, and its fixtures as (fixture id, session digest, labels digest)."""

    recorded_at: str
    suite: str
    corpus: str
    version: str | None
    fixtures: tuple[tuple[str, str, str], ...]


class NewerLabels(NamedTuple):
    """The latest labels of a suite, where they are not those that a run was scored with."""

    corpus: str
    recorded_at: str


class LeftOut(NamedTuple):
    """A fixture that was not scored or compared, and why."""

    fixture_id: str
    why: str


class Scored(NamedTuple):
    """One run under one set of labels: `labels` is recorded or latest, `labels_corpus` the revision they come from.

    `newer` has the latest ones, if they differ from those the run was recorded with and do not score it here.
    """

    run: Run
    labels: str
    labels_corpus: str
    outcomes: Sequence[FixtureOutcome]
    totals: Counts
    categories: Mapping[str, Ratio]
    left_out: Sequence[LeftOut]
    newer: NewerLabels | None


class SoleTerm(NamedTuple):
    """A term that alone caused misses, in how many answers, and the titles of the proposals that lack it.

    The titles are those that occur most often first, each once. A term of must_match_none, which occurs, has none.
    """

    term: str
    answers: int
    titles: tuple[str, ...]


class PointRecord(NamedTuple):
    """How one expected point fared over the valid answers of several runs.

    `near` counts answers that missed it with a near miss. `half`: a proposal of some answer holds at least half of its
    terms. `sole` has each term that alone caused a miss; `guards` each guard that alone did, with the number of
    answers.
    """

    fixture_id: str
    point_id: str
    runs: int
    matched: int
    near: int
    half: bool
    sole: tuple[SoleTerm, ...]
    guards: tuple[tuple[str, int], ...]

    @property
    def missed(self) -> bool:
        """Whether no answer comes near to it: then the prompt misses it, whatever its terms are."""
        return not self.half
