"""Why one fixture of one run scored as it did."""

from __future__ import annotations

from collections.abc import Iterator

from prompteval.detail import Attempt, FixtureDetail, PointDetail, ProposalDetail, TermFinding
from prompteval.errors import count
from prompteval.report.table import Report, Section, Table, run_name, table
from prompteval.tags import shown_setting


def show_reports(detail: FixtureDetail, transcript: bool) -> list[Report]:
    """Return the one report of a fixture; with `transcript` its session stands at the end."""
    outcome = detail.outcome
    verdict = "PASS" if outcome.passed else "FAIL"
    headline = f"{outcome.fixture_id} in {run_name(detail.run)}: {verdict}"
    lines = [*(reason.text for reason in outcome.reasons), shown_setting(detail.run), _expects(detail)]
    if detail.notes:
        lines.append(f"Note: {' '.join(detail.notes.split())}")
    sections = [_point(point, detail) for point in detail.points]
    if outcome.state == "valid":
        sections += _proposals(detail.proposals)
    if detail.raw is not None:
        sections.append(Section("What is wrong with the answer", detail.problems))
        sections.append(Section("The answer as it was saved", tuple(detail.raw.split("\n"))))
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
    rows = []
    for attempt in point.attempts:
        for term in attempt.terms:
            rows.append((_who(attempt, point), _role(term), f'"{term.term}"', _found(term), term.around))
    lines = () if rows else (_nowhere(point, detail.outcome.state),)
    listed = Table(("Proposal", "Wanted", "Term", "Found", "Where"), tuple(rows))
    return Section(f'Point "{point.id}", a {point.type}: {verdict}', lines, listed if rows else None)


def _nowhere(point: PointDetail, state: str) -> str:
    terms = ", ".join(f'"{wanted.term}"' for wanted in point.wanted if wanted.role != "guard")
    return f"no {'proposal' if state == 'valid' else 'answer'} to look in for {terms}"


def _who(attempt: Attempt, point: PointDetail) -> str:
    wrong = "" if attempt.has_type else f", {point.type} expected"
    return f"{attempt.proposal}, a {attempt.type}{wrong}"


def _role(term: TermFinding) -> str:
    return {"all": "yes", "any": f"alternative {term.alternative + 1}", "guard": "no (guard)"}[term.role]


def _found(term: TermFinding) -> str:
    if term.role == "guard":
        return "leaked" if term.found else "no"
    return "yes" if term.found else "absent"


def _proposals(proposals: tuple[ProposalDetail, ...]) -> Iterator[Section]:
    if not proposals:
        yield Section("Proposals", ("none",))
        return
    rows = [(str(p.number), p.type, "expected" if p.expected else "phantom", p.title, p.nearest) for p in proposals]
    yield Section("Proposals", table=table(("#", "Type", "Counts as", "Title", "Why"), rows, right=("#",)))
    for proposal in proposals:
        yield Section(f'{proposal.number}. {proposal.type} "{proposal.title}"', tuple(proposal.body.split("\n")))
