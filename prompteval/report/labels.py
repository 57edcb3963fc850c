"""What the recorded answers say about the labels: where a label may be brittle rather than a prompt bad."""

from __future__ import annotations

from collections.abc import Sequence

from prompteval.errors import count
from prompteval.outcomes import PointRecord, SoleTerm
from prompteval.report.table import Report, Section, Table, not_counted
from prompteval.tags import shown
from prompteval.text.visible import visible
from prompteval.versions import LabelEvidence

_MISSED = "no answer has half of its terms: the prompt misses it"
_TITLES, _LONGEST = 3, 60  # how many titles are shown, and how much of each


def labels_reports(suites: Sequence[LabelEvidence]) -> list[Report]:
    """Return a report per suite: points never matched, terms that alone cause misses, points more often near misses."""
    return [_report(each, f"{each.suite}: " if len(suites) > 1 else "") for each in suites]


def _report(evidence: LabelEvidence, suite: str) -> Report:
    points, total = evidence.points, evidence.total
    never = [(*p[:2], f"{p.matched}/{p.runs}", str(p.near)) for p in points if not p.matched]
    missed = [[_MISSED] if p.missed else [] for p in points if not p.matched]
    terms = [(*p[:2], f'"{sole.term}"', f"{sole.answers}/{p.runs}") for p in points for sole in p.sole]
    said = [_said(sole, p) for p in points for sole in p.sole]
    guards = [(*p[:2], f'"{term}"', f"{number}/{p.runs}") for p in points for term, number in p.guards]
    near = [(*p[:2], str(p.near), str(p.matched)) for p in points if p.near > p.matched]
    sections = [
        _section("Never matched", (), ("Matched", "Near misses"), never, missed),
        _section("Terms that alone cause a miss", ("Term",), ("Answers",), terms, said),
        _section("Guards that alone cause a miss", ("Guard",), ("Answers",), guards),
        _section("More near misses than matches", (), ("Near misses", "Matches"), near),
    ]
    lines = [
        "counted over the valid answers, under the latest labels",
        "if an answer makes the point in other words, fix the label;",
        "'prompteval show FIXTURE --labels latest' shows the newest answer",
        *(not_counted(copy, shown(copy.run.version)) for copy in evidence.copies),
    ]
    unanswered = f" ({total - len(points)} without a valid answer)" if total > len(points) else ""
    headline = f"{suite}{count(total, 'point')}{unanswered} in {count(evidence.runs, 'run')}"
    return Report(headline, lines, sections)


def _said(sole: SoleTerm, point: PointRecord) -> list[str]:
    """Return how many answers satisfy a point but for a term, with titles of the proposals that do."""
    answers, one = f"{sole.answers} of {count(point.runs, 'answer')}", sole.answers == 1
    if not sole.titles:
        return [f"{answers} {'has' if one else 'have'} it where it must not be (must_match_none)"]
    if point.missed:
        return []
    titles = (f'"{_cut(visible(title))}"' for title in sole.titles[:_TITLES])
    return [f"{answers} {'says' if one else 'say'} it otherwise:", *titles]


def _cut(title: str) -> str:
    return title if len(title) <= _LONGEST else f"{title[: _LONGEST - 1]}…"


def _section(
    heading: str,
    texts: Sequence[str],
    numbers: Sequence[str],
    rows: Sequence[Sequence[str]],
    notes: Sequence[Sequence[str]] = (),
) -> Section:
    """Return a list of points with columns of texts, and then of numbers."""
    if not rows:
        return Section(heading, ("none",))
    return Section(heading, table=Table(("Fixture", "Point", *texts, *numbers), rows, numbers, notes))
