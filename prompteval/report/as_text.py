"""Set a report for a terminal: no width, no colour, nothing that data could steer it with."""

from __future__ import annotations

from collections.abc import Iterator

from prompteval.report.table import Report, Section, Table
from prompteval.text.visible import visible


def render(report: Report) -> str:
    """Return the report as plain text that ends in a line break."""
    lines = [visible(report.headline)]
    if report.lead:
        lines += ["", visible(report.lead)]
    if report.lines:
        lines += ["", *(visible(line) for line in report.lines)]
    for section in report.sections:
        lines += ["", *_section(section)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _section(section: Section) -> Iterator[str]:
    if section.heading:
        yield visible(section.heading)
    yield from (f"  {visible(line)}" for line in section.lines)
    if section.table:
        yield from _table(section.table)


def _table(table: Table) -> Iterator[str]:
    from tabulate import tabulate

    align = ["right" if header in table.right else "left" for header in table.headers]
    rows = [[visible(cell) for cell in row] for row in table.rows]
    headers = [visible(header) for header in table.headers]
    text = tabulate(rows, headers, tablefmt="simple", colalign=align if rows else None, disable_numparse=True)
    set_lines = text.split("\n")
    yield from (f"  {line}" for line in set_lines[:2])
    for index, line in enumerate(set_lines[2:]):
        yield f"  {line}"
        yield from (f"    - {visible(note)}" for note in (table.notes[index] if table.notes else ()))
