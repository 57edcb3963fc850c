"""The facts prompteval works on, as frozen values. Their digests are what the ledger knows them by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from prompteval import digest


@dataclass(frozen=True)
class Session:
    """One synthetic session: the whole text of its file, front matter included."""

    text: str

    @cached_property
    def digest(self) -> str:
        return digest.of_session(self.text)


@dataclass(frozen=True)
class ExpectedPoint:
    """One piece of knowledge that a human expects to be extracted, with the terms that show it."""

    id: str
    type: str
    must_match_all: tuple[str, ...] = ()
    must_match_any: tuple[tuple[str, ...], ...] = ()
    must_not_match: tuple[str, ...] = ()


@dataclass(frozen=True)
class Labels:
    """What a human expects of one fixture. Two files that say the same have the same digest."""

    category: str
    expect_empty: bool
    points: tuple[ExpectedPoint, ...]
    max_unexpected_proposals: int
    notes: str = ""

    @cached_property
    def digest(self) -> str:
        points = [[p.id, p.type, p.must_match_all, p.must_match_any, p.must_not_match] for p in self.points]
        return digest.of_labels(self.category, self.expect_empty, points, self.max_unexpected_proposals, self.notes)


@dataclass(frozen=True)
class Fixture:
    """A session with its labels."""

    id: str
    session: Session
    labels: Labels


@dataclass(frozen=True)
class CategoryRow:
    """One row of the category table in corpus.yaml."""

    category: str
    count: int
    expected: str
    tests: str


@dataclass(frozen=True)
class Corpus:
    """All fixtures of one folder, by fixture id; `version` and `categories` come from its corpus.yaml, if any."""

    fixtures: tuple[Fixture, ...]
    version: str | None = None
    categories: tuple[CategoryRow, ...] = ()

    @cached_property
    def revision(self) -> str:
        """The digest of the set of (fixture, session digest, label digest)."""
        return digest.of_corpus([f.id, f.session.digest, f.labels.digest] for f in self.fixtures)


@dataclass(frozen=True)
class Proposal:
    """One proposal of an answer, and the list ("practice" or "map") and place in which it stood."""

    list: str
    position: int
    type: str
    title: str
    description: str
    body: str
    tags: tuple[str, ...]
    kk_confidence: str

    def as_json(self) -> dict[str, Any]:
        """Return the proposal as the model wrote it, less its place."""
        return {
            "type": self.type,
            "tags": list(self.tags),
            "title": self.title,
            "description": self.description,
            "body": self.body,
            "kk_confidence": self.kk_confidence,
        }


@dataclass(frozen=True)
class Answer:
    """What the model answered to one session.

    A valid answer is its proposals. An invalid one is its raw text (bytes, where it is no text) and the problems.
    """

    proposals: tuple[Proposal, ...] = ()
    raw: str | bytes | None = None
    problems: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        return self.raw is None

    @cached_property
    def digest(self) -> str:
        """The digest of the proposals, whatever the white space between them; of the raw text where it is invalid."""
        if self.raw is None:
            lists: dict[str, list[Any]] = {"practice": [], "map": []}
            for proposal in sorted(self.proposals, key=lambda p: (p.list, p.position)):
                lists[proposal.list].append(proposal.as_json())
            return digest.of_answer(lists)
        return digest.of_invalid_answer(self.raw)

    @property
    def misplaced(self) -> tuple[Proposal, ...]:
        """The proposals whose type is not the list they stand in: valid, and worth a warning."""
        return tuple(p for p in self.proposals if p.type != p.list)


@dataclass(frozen=True)
class RunTags:
    """What a human recorded about one run. `note`, `prompt_sha256` and `prompt_version` do not change its id."""

    version: str
    model: str
    temperature: float | None = None
    harness: str | None = None
    note: str | None = field(default=None, compare=False)
    prompt_sha256: str | None = field(default=None, compare=False)
    prompt_version: str | None = field(default=None, compare=False)


def run_id(tags: RunTags, evidence: Iterable[tuple[str, str, str]], repeat: int) -> str:
    """Return the id of a run: the digest of its tags, its (fixture, session, answer) digests and its repeat number."""
    return digest.of_run([tags.version, tags.model, tags.temperature, tags.harness], evidence, repeat)
