"""What the recorded answers say about the labels: where a label may be brittle rather than a prompt bad."""

from __future__ import annotations

from collections.abc import Sequence

from prompteval.errors import count
from prompteval.report.table import Report, Section, Table, not_counted
from prompteval.tags import shown
from prompteval.versions import LabelEvidence


def labels_reports(suites: Sequence[LabelEvidence]) -> list[Report]:
    """Return a report per suite: points never matched, terms that alone cause misses, points more often near misses."""
    return [_report(each, f"{each.suite}: " if len(suites) > 1 else "") for each in suites]


def _report(evidence: LabelEvidence, suite: str) -> Report:
    points, total = evidence.points, evidence.total
    never = [(*p[:2], f"{p.matched}/{p.runs}", str(p.near)) for p in points if not p.matched]
    terms = [(*p[:2], f'"{term}"', f"{number}/{p.runs}") for p in points for term, number in p.sole]
    guards = [(*p[:2], f'"{term}"', f"{number}/{p.runs}") for p in points for term, number in p.guards]
    near = [(*p[:2], str(p.near), str(p.matched)) for p in points if p.near > p.matched]
    sections = [
        _section("Never matched", (), ("Matched", "Near misses"), never),
        _section("Terms that alone cause a miss", ("Term",), ("Answers",), terms),
        _section("Guards that alone cause a miss", ("Guard",), ("Answers",), guards),
        _section("More near misses than matches", (), ("Near misses", "Matches"), near),
    ]
    lines = [
        "counted over the valid answers, under the latest labels",
        "'prompteval show FIXTURE' shows the answer; if it makes the point in other words, fix the label",
        *(not_counted(copy, shown(copy.run.version)) for copy in evidence.copies),
    ]
    unanswered = f" ({total - len(points)} without a valid answer)" if total > len(points) else ""
    headline = f"{suite}{count(total, 'point')}{unanswered} in {count(evidence.runs, 'run')}"
    return Report(headline, lines, sections)


def _section(heading: str, texts: Sequence[str], numbers: Sequence[str], rows: Sequence[Sequence[str]]) -> Section:
    """Return a list of points with columns of texts, and then of numbers."""
    if not rows:
        return Section(heading, ("none",))
    return Section(heading, table=Table(("Fixture", "Point", *texts, *numbers), rows, right=numbers))
