"""The facts, what scoring says of them, and the table of measures: all of them values that never change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

DIGEST_LENGTH = 32  # hexadecimal digits: 128 bits of SHA-256
_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(text: str | bytes) -> str:
    """Return the digest of a text: SHA-256 of its bytes in UTF-8, as 32 hexadecimal digits."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()[:DIGEST_LENGTH]


def canonical(value: Any) -> str:
    """Return a value as canonical JSON: sorted keys, no spaces, characters as they are."""
    return _CANONICAL.encode(value)


# The facts


class ExpectedPoint(NamedTuple):
    """One piece of knowledge that a human expects to be extracted, with the terms that show it."""

    id: str
    type: str
    must_match_all: tuple[str, ...] = ()
    must_match_any: tuple[tuple[str, ...], ...] = ()
    must_match_none: tuple[str, ...] = ()
    must_not_match: tuple[str, ...] = ()

    @property
    def lists(self) -> Iterable[tuple[str, int, tuple[str, ...]]]:
        """Each list of terms as (role, which list of must_match_any, terms); roles are all, any, none and guard."""
        yield "all", 0, self.must_match_all
        yield from (("any", number, terms) for number, terms in enumerate(self.must_match_any))
        yield "none", 0, self.must_match_none
        yield "guard", 0, self.must_not_match


class Labels(NamedTuple):
    """What a human expects of one fixture. Two files that say the same have the same text."""

    category: str
    expect_empty: bool
    points: tuple[ExpectedPoint, ...]
    max_unexpected_proposals: int
    notes: str = ""

    @property
    def text(self) -> str:
        """The labels as canonical JSON with the keys of the sidecar, less those that say nothing."""
        points = [{key: value for key, value in point._asdict().items() if value} for point in self.points]
        value = {**self._asdict(), "expected_points": points}
        del value["points"]
        return canonical({key: item for key, item in value.items() if key != "notes" or item})


class Fixture(NamedTuple):
    """A session, as the whole text of its file, with its labels."""

    id: str
    session: str
    labels: Labels


class CategoryRow(NamedTuple):
    """One row of the category table in corpus.yaml."""

    category: str
    fixtures: int
    expected: str
    tests: str


class Contract(NamedTuple):
    """What an answer looks like, as a JSON Schema, and where its proposals are, as JSON Pointers.

    `proposals` has the pointer of the list of each type. In a proposal, `type` leads to a type that overrides the
    list's, `title` to its name in reports, and `searched` to the strings that terms are looked for in. `kept` leads to
    those that guards are looked for in; None: every string of the proposal.
    """

    schema: Mapping[str, Any]
    proposals: tuple[tuple[str, str], ...]
    type: str | None
    title: str | None
    searched: tuple[str, ...]
    kept: tuple[str, ...] | None = None

    @property
    def text(self) -> str:
        """The contract as canonical JSON."""
        return canonical(self._asdict())


class Corpus(NamedTuple):
    """All fixtures of one suite, by fixture id; `version` and `categories` come from its corpus.yaml, if any."""

    suite: str
    contract: Contract
    fixtures: tuple[Fixture, ...]
    version: str | None = None
    categories: tuple[CategoryRow, ...] = ()

    @property
    def revision(self) -> str:
        """The digest that the ledger knows this corpus by."""
        fixtures = ((f.id, digest(f.session), digest(f.labels.text)) for f in self.fixtures)
        return corpus_revision(self.suite, digest(self.contract.text), fixtures)


def corpus_revision(suite: str, contract: str, fixtures: Iterable[Sequence[str]]) -> str:
    """Return the digest of a suite, its contract and a set of (fixture id, session digest, labels digest)."""
    return digest(canonical(["corpus", suite, contract, sorted(map(list, fixtures))]))


class Proposal(NamedTuple):
    """One proposal of a valid answer by its number in the answer, from 1. `list` is the type of the list it stood in.

    `searched` has the texts that terms are looked for in, the first of them the title where that is searched; `others`
    has the further texts that guards are looked for in. `kept`: guards are looked for in the searched texts too.
    """

    number: int
    list: str
    position: int
    type: str
    title: str
    searched: tuple[str, ...]
    others: tuple[str, ...]
    kept: bool


class Answer(NamedTuple):
    """What the model answered to one session, and how it reads under a contract.

    `text` is canonical JSON where the answer is strict JSON, else what was saved: bytes where that is no text.
    """

    text: str | bytes
    problems: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the answer keeps the contract."""
        return not self.problems

    @property
    def misplaced(self) -> tuple[str, ...]:
        """One line for each proposal whose type is not that of the list it stands in: valid, and worth a warning."""
        odd = (p for p in self.proposals if p.type != p.list)
        return tuple(f'{p.list}[{p.position}] has the type "{p.type}", which counts' for p in odd)


class PromptFile(NamedTuple):
    """A prompt, or a file that it refers to: the name under which it was given, and the digest of its bytes."""

    name: str
    digest: str


class RunTags(NamedTuple):
    """What a human recorded about one run. `note` and `prompts` do not change its id."""

    version: str
    model: str
    temperature: float | None = None
    harness: str | None = None
    note: str | None = None
    prompts: tuple[PromptFile, ...] = ()

    @property
    def identity(self) -> tuple[Any, ...]:
        """The tags that are part of the run's id."""
        return self.version, self.model, self.temperature, self.harness


def run_id(suite: str, tags: Sequence[Any], evidence: Iterable[Sequence[str]], repeat: int) -> str:
    """Return the id of a run: the digest of its suite, tags, evidence and repeat number.

    `tags` are version, model, temperature and harness; the evidence is a set of (fixture id, session digest, answer
    digest).
    """
    return digest(canonical(["run", suite, list(tags), sorted(map(list, evidence)), repeat]))


# What scoring says


class Ratio(NamedTuple):
    """A part of a whole. 0/0 is unknown, neither 0 % nor 100 %."""

    part: int
    whole: int


class Measure(NamedTuple):
    """One row of the table of measures: its name, and the counts that are its part and (None: a count) its whole.

    `more_is_better` says which way is up. `readable`: told of valid answers alone, since others have nothing to count.
    """

    name: str
    part: str
    whole: str | None
    more_is_better: bool = True
    readable: bool = False

    def of(self, counts: Counts) -> Ratio | int:
        """Return what the counts of a fixture, a run or several say of this measure."""
        return counts[self.part] if self.whole is None else Ratio(counts[self.part], counts[self.whole])


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
    """How one run did on one fixture. `gate` is None where the fixture does not expect an empty answer."""

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
    def setting(self) -> tuple[str, float | None, str | None]:
        """What must be the same for two runs to be compared like with like."""
        return self.model, self.temperature, self.harness


class Given(NamedTuple):
    """What one run answered: the digests of session and answer, by fixture id.

    `telling` has the fixtures with an answer that is not empty: word for word the same, two of those are hardly a
    coincidence. `repeated`: recorded with --repeat, as a further sample on purpose.
    """

    answers: Mapping[str, tuple[str, str]]
    telling: frozenset[str]
    repeated: bool


class CorpusRecording(NamedTuple):
    """When a corpus became the latest, and its fixtures as (fixture id, session digest, labels digest)."""

    recorded_at: str
    corpus: str
    version: str | None
    fixtures: tuple[tuple[str, str, str], ...]


class LeftOut(NamedTuple):
    """A fixture that was not scored or compared, and why."""

    fixture_id: str
    why: str


class Scored(NamedTuple):
    """One run under one set of labels: `labels` is recorded or latest, `judge` the corpus revision they come from."""

    run: Run
    labels: str
    judge: str
    outcomes: Sequence[FixtureOutcome]
    totals: Counts
    categories: Mapping[str, Ratio]
    left_out: Sequence[LeftOut]


class PointRecord(NamedTuple):
    """How one expected point fared over the valid answers of several runs.

    `near` counts answers that missed it with a near miss; `sole` has each term whose absence alone caused a miss, with
    the number of answers; `guards` each guard that alone did.
    """

    fixture_id: str
    point_id: str
    runs: int
    matched: int
    near: int
    sole: tuple[tuple[str, int], ...]
    guards: tuple[tuple[str, int], ...]

    @property
    def matched_of(self) -> Ratio:
        """How many of the answers matched it."""
        return Ratio(self.matched, self.runs)


# What `show` and the page say of one fixture of one run


class TermFinding(NamedTuple):
    """One term of a point looked for in one proposal; `around` is the searched text around the hit, in brackets."""

    role: str
    alternative: int
    term: str
    found: bool
    around: str


class Attempt(NamedTuple):
    """One proposal compared with one point."""

    proposal: int  # its number in the answer, from 1
    type: str
    has_words: bool
    has_type: bool
    terms: tuple[TermFinding, ...]


class PointDetail(NamedTuple):
    """One expected point, with its terms in the label's order and every proposal of the answer."""

    id: str
    type: str
    matched: bool
    wanted: tuple[Wanted, ...]
    attempts: tuple[Attempt, ...]


class ProposalDetail(NamedTuple):
    """One proposal; `texts` are its searched texts without the title. `near`: the missed points that it comes near."""

    number: int
    type: str
    title: str
    texts: tuple[str, ...]
    expected: bool
    near: tuple[tuple[str, str, NearMiss], ...]


class FixtureDetail(NamedTuple):
    """One fixture of one run. `raw` is an invalid answer as it is kept; `session` is the whole session."""

    run: Run
    outcome: FixtureOutcome
    notes: str
    expect_empty: bool
    budget: int
    points: tuple[PointDetail, ...]
    proposals: tuple[ProposalDetail, ...]
    raw: str | None
    problems: tuple[str, ...]
    session: str
