"""Everything that speaks for and against one fixture of one run, as values."""

from __future__ import annotations

from typing import NamedTuple

from prompteval.outcome import FixtureOutcome, Run


class TermFinding(NamedTuple):
    """One term of a point looked for in one proposal; `around` is the searched text around a hit, in brackets."""

    role: str  # all, any or guard
    alternative: int  # which list of must_match_any, from 0
    term: str
    found: bool
    around: str


class Attempt(NamedTuple):
    """One point held against one proposal."""

    proposal: int  # its number in the answer, from 1
    type: str
    has_words: bool
    has_type: bool
    terms: tuple[TermFinding, ...]


class Wanted(NamedTuple):
    """One term as a label has it: its role (all, any or guard), which list of must_match_any it is in, and the text."""

    role: str
    alternative: int
    term: str


class PointDetail(NamedTuple):
    """One expected point, with its terms in the label's order and every proposal held against it."""

    id: str
    type: str
    matched: bool
    wanted: tuple[Wanted, ...]
    attempts: tuple[Attempt, ...]


class ProposalDetail(NamedTuple):
    """One proposal, by its number in the answer, from 1. `nearest` says, of a phantom, what it lacks of which point."""

    number: int
    type: str
    title: str
    body: str
    expected: bool
    satisfies: int
    nearest: str


class FixtureDetail(NamedTuple):
    """One fixture of one run. `raw` is an invalid answer as it was saved; `session` is the whole session."""

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


class Examined(NamedTuple):
    """One run with the detail of each of its fixtures, by fixture id."""

    run: Run
    fixtures: tuple[FixtureDetail, ...]
