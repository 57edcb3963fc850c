"""The facts as frozen values: what somebody wrote or recorded, before it is in a ledger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from prompteval.digests import canonical, corpus_revision, digest


class ExpectedPoint(NamedTuple):
    """One piece of knowledge that a human expects to be extracted, with the terms that show it."""

    id: str
    type: str
    must_match_all: tuple[str, ...] = ()
    must_match_any: tuple[tuple[str, ...], ...] = ()
    must_match_none: tuple[str, ...] = ()
    must_not_match: tuple[str, ...] = ()


class Labels(NamedTuple):
    """What a human expects of one fixture. Two files that say the same have the same text."""

    category: str
    expect_empty: bool
    points: tuple[ExpectedPoint, ...]
    max_unexpected_proposals: int
    notes: str = ""

    @property
    def text(self) -> str:
        """The labels as canonical JSON with the keys of the sidecar, without empty ones."""
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

    @property
    def types(self) -> tuple[str, ...]:
        """The types that a point may have."""
        return tuple(type_ for type_, _ in self.proposals)

    @property
    def is_list(self) -> bool:
        """Whether an answer is a list, and not an object."""
        return any(not pointer for _, pointer in self.proposals)


class Suite(NamedTuple):
    """What corpus.yaml says of a suite, or what holds where it says nothing.

    `plain`: its sessions are plain texts. `placeholder` is what a session replaces in a prompt (None: the usual ones).
    `keep_prompts`: the texts of prompts are recorded with a run.
    """

    contract: Contract
    name: str = "core"
    version: str | None = None
    categories: tuple[CategoryRow, ...] = ()
    plain: bool = False
    placeholder: str | None = None
    keep_prompts: bool = False


class Corpus(NamedTuple):
    """All fixtures of one suite, by fixture id."""

    suite: Suite
    fixtures: tuple[Fixture, ...]

    @property
    def revision(self) -> str:
        """The digest of this corpus in the ledger."""
        fixtures = ((f.id, digest(f.session), digest(f.labels.text)) for f in self.fixtures)
        return corpus_revision(self.suite.name, digest(self.suite.contract.text), fixtures)


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

    `text` is canonical JSON where the answer is strict JSON, else what was saved: bytes where that is not text.
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
    """A prompt under its base name, or a file that it refers to under the name that the prompt uses for it."""

    name: str
    text: str

    @property
    def digest(self) -> str:
        """The digest of the text in the ledger."""
        return digest(self.text)


class RunTags(NamedTuple):
    """What a human recorded about one run. `note` and `prompts` do not change its id."""

    version: str
    model: str
    temperature: float | None = None
    harness: str | None = None
    note: str | None = None
    prompts: tuple[PromptFile, ...] = ()

    @property
    def identity(self) -> tuple[str, str, float | None, str | None]:
        """The tags that are part of the run's id."""
        return self.version, self.model, self.temperature, self.harness
