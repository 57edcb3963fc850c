"""Everything behind the outcome of one fixture of one run."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from prompteval.ledger.scoring import Key, Scoring
from prompteval.outcomes import FixtureOutcome, NearMiss, Run, Wanted

if TYPE_CHECKING:
    from prompteval.model import Proposal

_AROUND = 30  # characters on each side of a hit
_FIXTURE = """
select notes, expect_empty, max_unexpected_proposals, scored.answer, scored.contract, corpus_fixture.session
from scored
join expectation using (labels)
join run on run.id = scored.run_id
join corpus_fixture using (corpus, fixture_id)
where run_id = ? and fixture_id = ?
"""
_POINTS = """
select point_id, type, matched from point_outcome where run_id = ? and fixture_id = ? order by position
"""
_PROPOSALS = """
select number, expected, written, read, spelled, others, others_read, others_spelled
from proposal_outcome
join scored using (run_id, fixture_id)
join search_text using (answer, contract, number)
where run_id = ? and fixture_id = ?
order by number
"""
_TERMS = """
select point_id, role, alternative, term, folded, coalesce(spelled, folded)
from scored
join term using (labels)
where run_id = ? and fixture_id = ?
order by point_id, case role when 'guard' then 'z' else role end, alternative, position
"""
_OCCURRENCES = """
select number, point_id, role, alternative, term from term_occurrence where run_id = ? and fixture_id = ? and occurs
"""
_ATTEMPTS = """
select point_id, number, has_words, has_type from proposal_point where run_id = ? and fixture_id = ? order by number
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


def detail(scoring: Scoring, run: Run, outcome: FixtureOutcome) -> FixtureDetail:
    """Return everything behind an outcome of a run that is scored, with the text of its session."""
    key = (run.id, outcome.fixture_id)
    notes, empty, budget, answer, contract, session = scoring.ask(_FIXTURE, key).fetchone()
    text, problems, proposals = _answer(scoring, answer, contract)
    expected, texts = {}, {}
    for number, is_expected, *searched in scoring.ask(_PROPOSALS, key):
        expected[number], texts[number] = bool(is_expected), searched
    points = _points(scoring, key, {p.number: p.type for p in proposals}, texts)
    near = defaultdict(list)
    for point in points:
        for miss in scoring.near_misses.get((*key, point.id), ()):
            near[miss.number].append((point.id, point.type, miss))
    return FixtureDetail(
        run,
        outcome,
        notes,
        bool(empty),
        budget,
        points,
        tuple(
            ProposalDetail(
                p.number,
                p.type,
                p.title,
                p.searched[1:] if p.searched[:1] == (p.title,) else p.searched,
                expected[p.number],
                tuple(near[p.number]),
            )
            for p in proposals
        ),
        text if problems else None,
        problems,
        scoring.facts["session"][session,].text,
    )


def _answer(
    scoring: Scoring, answer: str | None, contract: str
) -> tuple[str | None, tuple[str, ...], tuple[Proposal, ...]]:
    """Return an answer as a text, its problems and its proposals."""
    import json

    from prompteval.inputs.contract import contract_of, proposals_of

    if answer is None:
        return None, (), ()
    text = scoring.facts["answer"][answer,].text
    query = "select problems from validity where answer = ? and contract = ?"
    problems = tuple(json.loads(scoring.ask(query, [answer, contract]).fetchone()[0]))
    if problems:
        return text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text, problems, ()
    reader = contract_of(scoring.facts["contract"][contract,].text)
    return text, (), tuple(proposals_of(json.loads(text), reader))


def _points(scoring: Scoring, key: Key, types: dict[int, str], texts: dict[int, list[str]]) -> tuple[PointDetail, ...]:
    occurs = {tuple(row) for row in scoring.ask(_OCCURRENCES, key)}
    terms = defaultdict(list)
    for point, *term in scoring.ask(_TERMS, key):
        terms[point].append(term)
    attempts: dict[str, list[Attempt]] = defaultdict(list)
    for point, number, has_words, has_type in scoring.ask(_ATTEMPTS, key):
        found = []
        for role, alternative, term, folded, spelled in terms[point]:
            hit = (number, point, role, alternative, term) in occurs
            around = _around((folded, folded, spelled) * 2, texts[number]) if hit else ""
            found.append(TermFinding(role, alternative, term, hit, around))
        attempts[point].append(Attempt(number, types[number], bool(has_words), bool(has_type), tuple(found)))
    return tuple(
        PointDetail(
            point,
            type_,
            bool(matched),
            tuple(Wanted(*term[:3]) for term in terms[point]),
            tuple(attempts[point]),
        )
        for point, type_, matched in scoring.ask(_POINTS, key)
    )


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
