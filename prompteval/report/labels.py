"""What the recorded answers say about the labels: where a label may be brittle rather than a prompt bad."""

from __future__ import annotations

from collections.abc import Sequence

from prompteval.errors import count
from prompteval.report.table import Report, Section, not_counted, of, table
from prompteval.tags import shown
from prompteval.versions import LabelEvidence


def labels_reports(evidence: LabelEvidence) -> list[Report]:
    """Return the one report: points never matched, terms that alone cause misses, points more often nearly matched."""
    points, total = evidence.points, evidence.total
    never = [(p.fixture_id, p.point_id, of(p.matched_of), str(p.near)) for p in points if not p.matched]
    alone = [(p.fixture_id, p.point_id, f'"{term}"', f"{number}/{p.runs}") for p in points for term, number in p.sole]
    guards = [(p.fixture_id, p.point_id, f'"{term}"', f"{n}/{p.runs}") for p in points for term, n in p.guards]
    outnumbered = [(p.fixture_id, p.point_id, str(p.near), str(p.matched)) for p in points if p.near > p.matched]
    sections = [
        _section("Never matched", ("Fixture", "Point", "Matched", "Near misses"), never),
        _section("Terms that alone cause a miss", ("Fixture", "Point", "Term", "Answers"), alone),
        _section("Guards that alone cause a miss", ("Fixture", "Point", "Guard", "Answers"), guards),
        _section("More near misses than matches", ("Fixture", "Point", "Near misses", "Matches"), outnumbered),
    ]
    lines = [
        "counted over the valid answers, under the latest labels",
        "'prompteval show FIXTURE' shows the answer; if it makes the point in other words, fix the label",
        *(not_counted(copy, shown(copy.run.version)) for copy in evidence.copies),
    ]
    unanswered = f" ({total - len(points)} without a valid answer)" if total > len(points) else ""
    headline = f"{count(total, 'point')}{unanswered} in {count(evidence.runs, 'run')}"
    return [Report(headline, tuple(lines), tuple(sections))]


def _section(heading: str, headers: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Section:
    if not rows:
        return Section(heading, ("none",))
    return Section(
        heading, table=table(headers, rows, right=headers[2:] if headers[2] not in ("Term", "Guard") else headers[3:])
    )
