"""Why one fixture of one run scored as it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prompteval.errors import count
from prompteval.ledger.detail import FixtureDetail, PointDetail, ProposalDetail
from prompteval.report import reasons
from prompteval.report.table import Report, Section, Table, newer_labels, run_name
from prompteval.tags import shown_setting
from prompteval.versions import Shown

_WORDS = {  # whether a term is wanted, what it is called where it is found, and where it is not
    "all": ("yes", "yes", "absent"),
    "any": ("alternative {}", "yes", "absent"),
    "none": ("no (in this one)", "yes", "no"),
    "guard": ("no (guard)", "leaked", "no"),
}


def show_reports(found: Shown, transcript: bool) -> list[Report]:
    """Return the report of one fixture; with `transcript`, its session is at the end."""
    detail = found.detail
    outcome = detail.outcome
    headline = f"{outcome.fixture_id} in {run_name(detail.run)}: {'PASS' if outcome.passed else 'FAIL'}"
    expects = f"{count(len(detail.points), 'point')} and at most {count(detail.budget, 'phantom')}"
    lines = [
        *map(reasons.text, outcome.reasons),
        shown_setting(detail.run),
        *([f"scored under the latest labels, those of corpus {found.judge[:8]}"] if found.judge else []),
        *newer_labels(found.newer),
        f"expects {'an answer without proposals' if detail.expect_empty else expects}",
    ]
    if detail.notes:
        lines.append(f"Note: {' '.join(detail.notes.split())}")
    sections = [_point(point, outcome.state) for point in detail.points]
    if outcome.state == "valid":
        sections += _proposals(detail)
    if detail.raw is not None:
        sections.append(Section("What is wrong with the answer", detail.problems))
        sections.append(Section("The answer", detail.raw.split("\n")))
    if transcript:
        sections.append(Section("Session", detail.session.rstrip("\n").split("\n")))
    return [Report(headline, lines, sections)]


def _point(point: PointDetail, state: str) -> Section:
    heading = f'Point "{point.id}" ({point.type}): {"matched" if point.matched else "missed"}'
    rows, where = [], []
    for attempt in point.attempts:
        proposal = f"{attempt.proposal}, {attempt.type}" + ("" if attempt.has_type else f", not {point.type}")
        for term in attempt.terms:
            wanted, *found = _WORDS[term.role]
            rows.append((proposal, wanted.format(term.alternative + 1), found[not term.found], f'"{term.term}"'))
            where.append((term.around,))
    if rows:
        table = Table(("Proposal", "Wanted", "Found", "Term"), rows, notes=where, names=("Term",))
        return Section(heading, table=table)
    terms = reasons.quoted(wanted.term for wanted in point.wanted if wanted.role in ("all", "any"))
    return Section(heading, (f"no {'proposal' if state == 'valid' else 'answer'} to look in for {terms}",))


def _proposals(detail: FixtureDetail) -> Iterator[Section]:
    if not detail.proposals:
        yield Section("Proposals", ("none",))
        return
    rows = [(str(p.number), p.type, "expected" if p.expected else "phantom", p.title) for p in detail.proposals]
    why = [(why_phantom(p, detail.points),) for p in detail.proposals]
    yield Section("Proposals", table=Table(("#", "Type", "Counts as", "Title"), rows, ("#",), why, names=("Title",)))
    for proposal in detail.proposals:
        yield Section(
            f'{proposal.number}. {proposal.type} "{proposal.title}"',
            [line for text in proposal.texts for line in text.split("\n")],
        )


def why_phantom(proposal: ProposalDetail, points: Sequence[PointDetail]) -> str:
    """Return the missed points that a phantom is near, and what it lacks; nothing for an expected proposal."""
    if proposal.expected:
        return ""
    near = [
        f'near miss of "{point.id}": {reasons.lacking(miss, point.type)}'
        for point in points
        for miss in point.near
        if miss.number == proposal.number
    ]
    near += [
        f'satisfies "{point.id}", of which a guard leaked'
        for point in points
        for attempt in point.attempts
        if attempt.proposal == proposal.number and attempt.has_words and attempt.has_type and not point.matched
    ]
    if near:
        return "; ".join(near)
    return "comes near no missed point" if any(not point.matched for point in points) else ""
