"""Everything behind the outcome of one fixture of one run."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from prompteval.inputs.contract import contract_of, proposals_of
from prompteval.ledger.scoring import Key, Scoring
from prompteval.outcomes import FixtureOutcome, NearMiss, Run, Wanted

_AROUND = 30  # characters on each side of a hit
_FIXTURE = """
select notes, expect_empty, max_unexpected_proposals, answer, contract, problems, session
from scored
join expectation using (labels)
left join validity using (answer, contract)
join run on run.id = scored.run_id
join corpus_fixture using (corpus, fixture_id)
where run_id = ? and fixture_id = ?
"""
_POINTS = """
select point_id, type, matched from point_outcome where run_id = ? and fixture_id = ? order by position
"""
_PROPOSALS = """
select expected, written, read, spelled, others, others_read, others_spelled
from proposal_outcome
join scored using (run_id, fixture_id)
join search_text using (answer, contract, number)
where run_id = ? and fixture_id = ?
order by number
"""
_WANTED = """
select point_id, role, alternative, term
from scored
join term using (labels)
where run_id = ? and fixture_id = ?
order by point_id, case role when 'guard' then 'z' else role end, alternative, position
"""
_FINDINGS = """
select point_id, number, role, alternative, term, occurs, folded, coalesce(spelled, folded)
from scored
join term using (labels)
join term_occurrence using (run_id, fixture_id, point_id, role, alternative, position, term)
where run_id = ? and fixture_id = ?
order by case role when 'guard' then 'z' else role end, alternative, position
"""
_ATTEMPTS = """
select point_id, number, type, has_words, has_type
from proposal_point
join proposal_outcome using (run_id, fixture_id, number)
where run_id = ? and fixture_id = ?
order by number
"""


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
    terms: Sequence[TermFinding]


class PointDetail(NamedTuple):
    """One expected point, with its terms in the label's order, every proposal of the answer and its near misses."""

    id: str
    type: str
    matched: bool
    wanted: Sequence[Wanted]
    attempts: Sequence[Attempt]
    near: Sequence[NearMiss]


class ProposalDetail(NamedTuple):
    """One proposal; `texts` are its searched texts without the title."""

    number: int
    type: str
    title: str
    texts: Sequence[str]
    expected: bool


class FixtureDetail(NamedTuple):
    """One fixture of one run. `raw` is an invalid answer as it is kept; `session` is the whole session."""

    run: Run
    outcome: FixtureOutcome
    notes: str
    expect_empty: bool
    budget: int
    points: Sequence[PointDetail]
    proposals: Sequence[ProposalDetail]
    raw: str | None
    problems: Sequence[str]
    session: str


def detail(scoring: Scoring, run: Run, outcome: FixtureOutcome) -> FixtureDetail:
    """Return everything behind an outcome of a run that is scored, with the text of its session."""
    key = (run.id, outcome.fixture_id)
    notes, empty, budget, answer, contract, listed, session = scoring.ask(_FIXTURE, key).fetchone()
    whole, problems = scoring.facts["session"][session,].text, json.loads(listed or "[]")
    text = scoring.facts["answer"][answer,].text if answer else ""
    raw = text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text
    texts, proposals = {}, []
    if outcome.state == "valid":
        read = proposals_of(json.loads(text), contract_of(scoring.facts["contract"][contract,].text))
        for p, (expected, *searched) in zip(read, scoring.ask(_PROPOSALS, key), strict=True):
            texts[p.number] = searched
            others = p.searched[1:] if p.searched[:1] == (p.title,) else p.searched
            proposals.append(ProposalDetail(p.number, p.type, p.title, others, bool(expected)))
    points = _points(scoring, key, texts)
    kept = raw if problems else None
    return FixtureDetail(run, outcome, notes, bool(empty), budget, points, proposals, kept, problems, whole)


def _points(scoring: Scoring, key: Key, texts: dict[int, list[str]]) -> list[PointDetail]:
    wanted, findings, attempts = defaultdict(list), defaultdict(list), defaultdict(list)
    for point, *term in scoring.ask(_WANTED, key):
        wanted[point].append(Wanted(*term))
    for point, number, role, alternative, term, occurs, folded, spelled in scoring.ask(_FINDINGS, key):
        around = _around((folded, folded, spelled) * 2, texts[number]) if occurs else ""
        findings[point, number].append(TermFinding(role, alternative, term, bool(occurs), around))
    for point, number, type_, has_words, has_type in scoring.ask(_ATTEMPTS, key):
        terms = findings[point, number]
        attempts[point].append(Attempt(number, type_, bool(has_words), bool(has_type), terms))
    near = scoring.near_misses
    return [
        PointDetail(point, type_, bool(matched), wanted[point], attempts[point], near.get((*key, point), ()))
        for point, type_, matched in scoring.ask(_POINTS, key)
    ]


def _around(forms: tuple[str, ...], texts: list[str]) -> str:
    """Return the text around the first hit, in the first of the texts that has one."""
    term, text = next((term, text) for term, text in zip(forms, texts, strict=True) if term in text)
    start = text.index(term)
    end = start + len(term)
    before = text[max(0, start - _AROUND) : start]
    after = text[end : end + _AROUND]
    if start > _AROUND:
        before = "…" + re.sub(r"^\S*\s", "", before, count=1)
    if end + _AROUND < len(text):
        after = re.sub(r"\s\S*$", "", after, count=1) + "…"
    return f"{before}[{term}]{after}".replace("\n", " / ")
