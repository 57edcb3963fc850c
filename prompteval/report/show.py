"""Why one fixture of one run scored as it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prompteval.errors import count
from prompteval.ledger.detail import Attempt, FixtureDetail, PointDetail, ProposalDetail, TermFinding
from prompteval.report import reasons
from prompteval.report.table import Report, Section, Table, run_name, table
from prompteval.tags import shown_setting


def show_reports(detail: FixtureDetail, transcript: bool) -> list[Report]:
    """Return the one report of a fixture; with `transcript` its session stands at the end."""
    outcome = detail.outcome
    headline = f"{outcome.fixture_id} in {run_name(detail.run)}: {'PASS' if outcome.passed else 'FAIL'}"
    lines = [*map(reasons.text, outcome.reasons), shown_setting(detail.run), _expects(detail)]
    if detail.notes:
        lines.append(f"Note: {' '.join(detail.notes.split())}")
    sections = [_point(point, detail) for point in detail.points]
    if outcome.state == "valid":
        sections += _proposals(detail)
    if detail.raw is not None:
        sections.append(Section("What is wrong with the answer", detail.problems))
        sections.append(Section("The answer", tuple(detail.raw.split("\n"))))
    if transcript:
        sections.append(Section("Session", tuple(detail.session.rstrip("\n").split("\n"))))
    return [Report(headline, tuple(lines), tuple(sections))]


def _expects(detail: FixtureDetail) -> str:
    if detail.expect_empty:
        return "expects an answer without proposals"
    points, phantoms = count(len(detail.points), "point"), count(detail.budget, "phantom")
    return f"expects {points} and at most {phantoms}"


def _point(point: PointDetail, detail: FixtureDetail) -> Section:
    verdict = "matched" if point.matched else "missed"
    rows = [
        (_who(attempt, point), _role(term), f'"{term.term}"', _found(term), term.around)
        for attempt in point.attempts
        for term in attempt.terms
    ]
    lines = () if rows else (_nowhere(point, detail.outcome.state),)
    listed = Table(("Proposal", "Wanted", "Term", "Found", "Where"), tuple(rows)) if rows else None
    return Section(f'Point "{point.id}", a {point.type}: {verdict}', lines, listed)


def _nowhere(point: PointDetail, state: str) -> str:
    terms = reasons.quoted(wanted.term for wanted in point.wanted if wanted.role in ("all", "any"))
    return f"no {'proposal' if state == 'valid' else 'answer'} to look in for {terms}"


def _who(attempt: Attempt, point: PointDetail) -> str:
    wrong = "" if attempt.has_type else f", {point.type} expected"
    return f"{attempt.proposal}, a {attempt.type}{wrong}"


def _role(term: TermFinding) -> str:
    alternative = f"alternative {term.alternative + 1}"
    return {"all": "yes", "any": alternative, "none": "no (in this one)", "guard": "no (guard)"}[term.role]


def _found(term: TermFinding) -> str:
    if term.role == "guard":
        return "leaked" if term.found else "no"
    return "yes" if term.found else "no" if term.role == "none" else "absent"


def _proposals(detail: FixtureDetail) -> Iterator[Section]:
    if not detail.proposals:
        yield Section("Proposals", ("none",))
        return
    rows = [
        (str(p.number), p.type, "expected" if p.expected else "phantom", p.title, why_phantom(p, detail.points))
        for p in detail.proposals
    ]
    yield Section("Proposals", table=table(("#", "Type", "Counts as", "Title", "Why"), rows, right=("#",)))
    for proposal in detail.proposals:
        lines = tuple(line for text in proposal.texts for line in text.split("\n"))
        yield Section(f'{proposal.number}. {proposal.type} "{proposal.title}"', lines)


def why_phantom(proposal: ProposalDetail, points: Sequence[PointDetail]) -> str:
    """Return which missed points a phantom comes near, and what it lacks of each; nothing of an expected proposal."""
    if proposal.expected:
        return ""
    near = [f'near miss of "{point}": {reasons.lacking(miss, type_)}' for point, type_, miss in proposal.near]
    near += [
        f'satisfies "{point.id}", of which a guard leaked'
        for point in points
        for attempt in point.attempts
        if attempt.proposal == proposal.number and attempt.has_words and attempt.has_type and not point.matched
    ]
    if near:
        return "; ".join(near)
    return "comes near no missed point" if any(not point.matched for point in points) else ""
