"""Read what the scoring views say about the chosen runs, and put the reasons into words."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from typing import Any, NamedTuple

from prompteval.errors import count
from prompteval.ledger import schema
from prompteval.outcome import FixtureOutcome, Ratio, Reason, Totals

Key = tuple[str, str]  # run id, fixture id


class _Missed(NamedTuple):
    point: str
    type: str
    satisfied_by: int


class _Near(NamedTuple):
    """A proposal that holds some of a missed point's terms. The greatest is the nearest."""

    has_words: int
    found: int
    has_type: int
    list: str  # "practice" comes before "map": the order of an answer
    position: int  # counted down, so that the first of equals is the greatest
    type: str


class _Evidence(NamedTuple):
    """The rows behind the reasons, by run and fixture, and where it matters by point."""

    missed: dict[Key, list[_Missed]]
    leaked: dict[tuple[Key, str], list[str]]
    near: dict[tuple[Key, str], list[_Near]]
    absent: dict[tuple[Key, str, str, int], list[tuple[str, int, str]]]
    phantoms: dict[Key, list[str]]
    problems: dict[Key, list[str]]


def read_outcomes(connection: sqlite3.Connection) -> dict[str, list[FixtureOutcome]]:
    """Return the outcomes of the chosen runs, by run id, lists by fixture id. To be asked within `select.scoring`."""
    schema.climb(connection, "fixture_outcome")
    evidence = _read_evidence(connection)
    outcomes: dict[str, list[FixtureOutcome]] = defaultdict(list)
    rows = connection.execute(
        "select run_id, fixture_id, category, state, passed, points_matched, points_total, proposals, phantoms, gate,"
        " max_unexpected_proposals, expect_empty from fixture_outcome order by run_id, fixture_id"
    )
    for run_id, fixture_id, category, state, passed, matched, total, proposals, phantoms, gate, budget, empty in rows:
        verdict = _Verdict(state, proposals, phantoms, budget, bool(empty))
        outcomes[run_id].append(
            FixtureOutcome(
                fixture_id,
                category,
                state,
                bool(passed),
                matched,
                total,
                proposals,
                phantoms,
                None if gate is None else bool(gate),
                tuple(_reasons((run_id, fixture_id), verdict, evidence)),
            )
        )
    return dict(outcomes)


def read_totals(connection: sqlite3.Connection) -> dict[str, Totals]:
    """Return the totals of the chosen runs, by run id, without their fixtures. To be asked within `select.scoring`."""
    schema.climb(connection, "run_score")
    invalid = dict(
        connection.execute(
            "select run_id, count(*) from scored join answer on answer.digest = scored.answer"
            " where answer.state = 'invalid' group by run_id"
        ).fetchall()
    )
    rows = connection.execute(
        "select run_id, fixtures_passed, fixtures_total, points_matched, points_total, phantoms,"
        " gate_correct, gate_total, fixtures_answered from run_score order by run_id"
    )
    return {
        run_id: Totals(
            Ratio(passed, total),
            Ratio(matched, points),
            phantoms,
            Ratio(correct, gates),
            Ratio(answered, total),
            invalid.get(run_id, 0),
        )
        for run_id, passed, total, matched, points, phantoms, correct, gates, answered in rows
    }


def _read_evidence(connection: sqlite3.Connection) -> _Evidence:
    evidence = _Evidence(
        missed=defaultdict(list),
        leaked=defaultdict(list),
        near=defaultdict(list),
        absent=defaultdict(list),
        phantoms=defaultdict(list),
        problems=defaultdict(list),
    )
    for run, fixture, *missed in connection.execute(
        "select point_outcome.run_id, point_outcome.fixture_id, point_outcome.point_id, point.type, satisfied_by"
        " from point_outcome join scored using (run_id, fixture_id)"
        " join point on point.labels = scored.labels and point.point_id = point_outcome.point_id"
        " where not matched order by run_id, fixture_id, point.position"
    ):
        evidence.missed[run, fixture].append(_Missed(*missed))
    if evidence.missed:
        _read_misses(connection, evidence)
    for run, fixture, title in connection.execute(
        "select run_id, fixture_id, title from proposal_outcome where not expected"
        " order by run_id, fixture_id, list desc, position"
    ):
        evidence.phantoms[run, fixture].append(title)
    for run, fixture, problem in connection.execute(
        "select run_id, fixture_id, problem from scored join answer_problem using (answer)"
        " order by run_id, fixture_id, position"
    ):
        evidence.problems[run, fixture].append(problem)
    return evidence


def _read_misses(connection: sqlite3.Connection, evidence: _Evidence) -> None:
    for run, fixture, point, term in connection.execute(
        "select run_id, fixture_id, point_id, term from leaked order by run_id, fixture_id, point_id, term"
    ):
        evidence.leaked[(run, fixture), point].append(term)
    for run, fixture, point, *near in connection.execute(
        "select proposal_point.run_id, proposal_point.fixture_id, point_id, has_words, found, has_type,"
        " proposal_point.list, -proposal_point.position, proposal.type"
        " from proposal_point join scored using (run_id, fixture_id)"
        " join proposal on proposal.answer = scored.answer"
        " and proposal.list = proposal_point.list and proposal.position = proposal_point.position"
        " where found > 0 order by run_id, fixture_id, point_id, proposal_point.list, proposal_point.position"
    ):
        evidence.near[(run, fixture), point].append(_Near(*near))
    for run, fixture, point, list_, position, *absent in connection.execute(
        "select run_id, fixture_id, point_id, list, position, role, alternative, term from term_occurrence"
        " where role <> 'guard' and not occurs"
        " and (role = 'all' or (run_id, fixture_id, point_id, list, position) not in"
        " (select run_id, fixture_id, point_id, list, position from term_list where role = 'any' and found = terms))"
        " order by run_id, fixture_id, point_id, list, position, role, alternative, term"
    ):
        evidence.absent[(run, fixture), point, list_, position].append((absent[0], absent[1], absent[2]))


class _Verdict(NamedTuple):
    state: str
    proposals: int
    phantoms: int
    budget: int
    expect_empty: bool


def _reasons(key: Key, verdict: _Verdict, evidence: _Evidence) -> list[Reason]:
    """Return every reason that applies; a missing or invalid result has that one reason."""
    if verdict.state == "missing":
        return [Reason("no-result", "no result", {})]
    if verdict.state == "invalid":
        problems = evidence.problems[key]
        more = f" (and {count(len(problems) - 1, 'further problem')})" if len(problems) > 1 else ""
        return [Reason("invalid", f"invalid result: {problems[0]}{more}", {"problems": problems})]
    reasons = [
        Reason(
            "missed", f'missed "{missed.point}": {_why_missed(key, verdict, missed, evidence)}', {"point": missed.point}
        )
        for missed in evidence.missed[key]
    ]
    if verdict.expect_empty and verdict.proposals:
        detail: dict[str, Any] = {"count": verdict.proposals}
        reasons.append(Reason("not-empty", f"not empty: {count(verdict.proposals, 'proposal')}", detail))
    if verdict.phantoms > verdict.budget:
        titles = ", ".join(f'"{title}"' for title in evidence.phantoms[key])
        detail = {"count": verdict.phantoms, "budget": verdict.budget}
        text = f"{count(verdict.phantoms, 'phantom')} over a budget of {verdict.budget}: {titles}"
        reasons.append(Reason("phantoms", text, detail))
    return reasons


def _why_missed(key: Key, verdict: _Verdict, missed: _Missed, evidence: _Evidence) -> str:
    leaked = evidence.leaked[key, missed.point]
    parts = [", ".join(f'"{term}"' for term in leaked) + " leaked"] if leaked else []
    if not missed.satisfied_by:
        parts.append(_why_unsatisfied(key, verdict, missed, evidence))
    return "; ".join(parts)


def _why_unsatisfied(key: Key, verdict: _Verdict, missed: _Missed, evidence: _Evidence) -> str:
    if not verdict.proposals:
        return "no proposal"
    near = max(evidence.near[key, missed.point], default=None)
    if near is None:
        return "no proposal has any of its terms"
    if near.has_words:
        return f"right words in a {near.type}, {missed.type} expected"
    lacks = lacking(evidence.absent[key, missed.point, near.list, -near.position])
    wrong_type = "" if near.has_type else f", and is a {near.type}, {missed.type} expected"
    return f"nearest proposal lacks {lacks}{wrong_type}"


def lacking(absent: list[tuple[str, int, str]]) -> str:
    """Return absent terms, given as (role, alternative, term), in words; a list of must_match_any is an alternative."""
    terms = [f'"{term}"' for role, _, term in absent if role == "all"]
    lists: dict[int, list[str]] = defaultdict(list)
    for role, alternative, term in absent:
        if role == "any":
            lists[alternative].append(f'"{term}"')
    if lists:
        terms.append(" or ".join(" with ".join(listed) for listed in lists.values()))
    return ", ".join(terms)
