"""Read everything that speaks for and against one fixture of one run. To be asked within `select.scoring`."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from typing import NamedTuple

from prompteval.detail import Attempt, FixtureDetail, PointDetail, ProposalDetail, TermFinding, Wanted
from prompteval.errors import SelectionError, nearest
from prompteval.ledger.outcomes import Key, lacking, read_outcomes
from prompteval.outcome import FixtureOutcome, Run

_AROUND = 30  # characters on each side of a hit

_FIXTURE = """
select labels.notes, labels.expect_empty, labels.max_unexpected_proposals, scored.answer, answer.raw, session.text
from scored
join labels on labels.digest = scored.labels
join run on run.id = scored.run_id
join corpus_fixture on corpus_fixture.corpus = run.corpus and corpus_fixture.fixture_id = scored.fixture_id
join session on session.digest = corpus_fixture.session
left join answer on answer.digest = scored.answer
where scored.run_id = ? and scored.fixture_id = ?
"""
_POINTS = """
select point_outcome.point_id, point.type, point_outcome.matched
from point_outcome
join scored on scored.run_id = point_outcome.run_id and scored.fixture_id = point_outcome.fixture_id
join point on point.labels = scored.labels and point.point_id = point_outcome.point_id
where point_outcome.run_id = ? and point_outcome.fixture_id = ?
order by point_outcome.position
"""
_PROPOSALS = """
select
  proposal.list, proposal.position, proposal.type, proposal.title, proposal.body,
  proposal_outcome.expected, proposal_outcome.satisfies,
  proposal_text.written, proposal_text.read, proposal_text.spelled
from proposal_outcome
join scored on scored.run_id = proposal_outcome.run_id and scored.fixture_id = proposal_outcome.fixture_id
join proposal
  on proposal.answer = scored.answer
  and proposal.list = proposal_outcome.list
  and proposal.position = proposal_outcome.position
join proposal_text
  on proposal_text.answer = proposal.answer
  and proposal_text.list = proposal.list
  and proposal_text.position = proposal.position
where proposal_outcome.run_id = ? and proposal_outcome.fixture_id = ?
order by proposal.list desc, proposal.position  -- practice comes before map, as in an answer
"""
_TERMS = """
select
  term_occurrence.point_id, term_occurrence.list, term_occurrence.position, term_occurrence.role,
  term_occurrence.alternative, term_occurrence.term, term_occurrence.occurs, term.folded, term.spelled
from term_occurrence
join scored on scored.run_id = term_occurrence.run_id and scored.fixture_id = term_occurrence.fixture_id
join term
  on term.labels = scored.labels
  and term.point_id = term_occurrence.point_id
  and term.role = term_occurrence.role
  and term.alternative = term_occurrence.alternative
  and term.term = term_occurrence.term
where term_occurrence.run_id = ? and term_occurrence.fixture_id = ?
order by term_occurrence.role, term_occurrence.alternative, term.rowid
"""
_WANTED = """
select term.point_id, term.role, term.alternative, term.term
from scored
join term on term.labels = scored.labels
where scored.run_id = ? and scored.fixture_id = ?
order by term.role, term.alternative, term.rowid
"""
_HELD = """
select point_id, list, position, found, has_words, has_type
from proposal_point
where run_id = ? and fixture_id = ?
order by point_id, list, position
"""

Place = tuple[str, int]  # list and position of a proposal


class _Proposal(NamedTuple):
    detail: ProposalDetail  # its `nearest` is still empty
    texts: tuple[str, ...]  # written, read, spelled


class _Held(NamedTuple):
    found: int
    has_words: bool
    has_type: bool


def read_details(connection: sqlite3.Connection, run: Run) -> dict[str, FixtureDetail]:
    """Return the detail of each fixture of a chosen run, by fixture id."""
    return {
        outcome.fixture_id: _detail(connection, run, outcome) for outcome in read_outcomes(connection).get(run.id, [])
    }


def read_detail(connection: sqlite3.Connection, run: Run, fixture: str) -> FixtureDetail:
    """Return the detail of one fixture of a chosen run. Raises SelectionError where the run was not asked for it."""
    outcomes = {outcome.fixture_id: outcome for outcome in read_outcomes(connection).get(run.id, [])}
    if fixture not in outcomes:
        raise SelectionError(f"run {run.short_id} has no fixture '{fixture}'{nearest(fixture, outcomes)}")
    return _detail(connection, run, outcomes[fixture])


def _detail(connection: sqlite3.Connection, run: Run, outcome: FixtureOutcome) -> FixtureDetail:
    key = (run.id, outcome.fixture_id)
    notes, empty, budget, answer, raw, session = connection.execute(_FIXTURE, key).fetchone()
    proposals = _proposals(connection, key)
    points = _points(connection, key, proposals)
    problems = connection.execute("select problem from answer_problem where answer = ? order by position", [answer])
    return FixtureDetail(
        run,
        outcome,
        notes,
        bool(empty),
        budget,
        points,
        tuple(p.detail._replace(nearest=_nearest(p.detail, points)) for p in proposals.values()),
        raw.decode("utf-8", "backslashreplace") if isinstance(raw, bytes) else raw,
        tuple(problem for (problem,) in problems),
        session,
    )


def _proposals(connection: sqlite3.Connection, key: Key) -> dict[Place, _Proposal]:
    rows = connection.execute(_PROPOSALS, key)
    return {
        (list_, position): _Proposal(
            ProposalDetail(number, type_, title, body, bool(expected), satisfies, ""), tuple(texts)
        )
        for number, (list_, position, type_, title, body, expected, satisfies, *texts) in enumerate(rows, 1)
    }


def _points(connection: sqlite3.Connection, key: Key, proposals: dict[Place, _Proposal]) -> tuple[PointDetail, ...]:
    terms = _findings(connection, key, proposals)
    held: dict[str, dict[Place, _Held]] = defaultdict(dict)
    for point, list_, position, found, has_words, has_type in connection.execute(_HELD, key):
        held[point][list_, position] = _Held(found, bool(has_words), bool(has_type))
    wanted: dict[str, list[Wanted]] = defaultdict(list)
    for point, *term in connection.execute(_WANTED, key):
        wanted[point].append(Wanted(*term))
    return tuple(
        PointDetail(
            point,
            type_,
            bool(matched),
            tuple(wanted[point]),
            tuple(
                Attempt(
                    proposal.detail.number, proposal.detail.type, h.has_words, h.has_type, tuple(terms[point, place])
                )
                for place, proposal in proposals.items()
                if (h := held[point].get(place))
            ),
        )
        for point, type_, matched in connection.execute(_POINTS, key)
    )


def _findings(
    connection: sqlite3.Connection, key: Key, proposals: dict[Place, _Proposal]
) -> dict[tuple[str, Place], list[TermFinding]]:
    """Return each term held against each proposal, by point and proposal."""
    terms: dict[tuple[str, Place], list[TermFinding]] = defaultdict(list)
    for point, list_, position, role, alternative, term, occurs, folded, spelled in connection.execute(_TERMS, key):
        texts = proposals[list_, position].texts
        around = _around((folded, folded, spelled or folded), texts) if occurs else ""
        terms[point, (list_, position)].append(TermFinding(role, alternative, term, bool(occurs), around))
    return terms


def _around(forms: tuple[str, str, str], texts: tuple[str, ...]) -> str:
    """Return the text around the first hit, in the first of the three texts that has one."""
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


def _nearest(proposal: ProposalDetail, points: tuple[PointDetail, ...]) -> str:
    """Say which point a phantom came nearest to, and what it lacks of it."""
    if proposal.expected:
        return ""
    tried = [(point, attempt) for point in points for attempt in point.attempts if attempt.proposal == proposal.number]
    near = [(point, attempt) for point, attempt in tried if any(t.found and t.role != "guard" for t in attempt.terms)]
    if not near:
        return "has no term of any point" if points else ""
    point, attempt = max(
        near, key=lambda each: (each[1].has_words, sum(t.found for t in each[1].terms if t.role != "guard"))
    )
    lacks = [] if attempt.has_words else [f"lacks {lacking(_absent(attempt))}"]
    if not attempt.has_type:
        lacks.append(f"is a {attempt.type}, {point.type} expected")
    if not lacks:
        lacks.append("satisfies it, and a guard of the point leaked")
    return f'nearest to "{point.id}": {", and ".join(lacks)}'


def _absent(attempt: Attempt) -> list[tuple[str, int, str]]:
    """Return the terms that would have had to occur; where one alternative is complete, no other one is wanted."""
    wanted = [term for term in attempt.terms if term.role != "guard"]
    alternatives = {term.alternative for term in wanted if term.role == "any"}
    incomplete = {term.alternative for term in wanted if term.role == "any" and not term.found}
    enough = bool(alternatives - incomplete)
    return [(t.role, t.alternative, t.term) for t in wanted if not t.found and not (t.role == "any" and enough)]
