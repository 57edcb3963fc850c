"""Set a report for a terminal: 80 columns, no colour, nothing that data could steer it with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from prompteval.report.table import Report, Section, Table, said
from prompteval.text import visible as text
from prompteval.text.visible import visible, wrapped

_INDENT, _GAP, _NOTE = "  ", "  ", "    - "


def render(report: Report) -> str:
    """Return the report as plain text that ends in a line break."""
    lines = wrapped(report.headline)
    if report.lead:
        lines += ["", *wrapped(report.lead)]
    if facts := (*report.settings, *report.lines):
        lines += ["", *(part for line in facts for part in wrapped(line, more=_INDENT))]
    for section in report.sections:
        lines += ["", *_section(section)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _section(section: Section) -> Iterator[str]:
    if section.heading:
        yield from wrapped(section.heading, more=_INDENT)
    for line in section.lines:
        yield from [_INDENT + visible(line)] if section.verbatim else wrapped(line, _INDENT)
    if section.table:
        yield from _table(section.table)


def _table(table: Table) -> Iterator[str]:
    """Yield the rows: what several share stands above them, what has no room in one stands below it."""
    rows = [dict(zip(table.headers, map(visible, row), strict=True)) for row in table.rows]
    shared = table.shared
    heads = [header for header in table.heads if header in table.headers and header not in shared]
    widths = {header: max(len(header), *(len(row[header]) for row in rows), 0) for header in table.headers}
    names = _names(table, widths)
    columns = {header: widths[header] for header in table.headers if header not in (*table.heads, *names)}
    columns.update({name: widths[name] for name in names[:1]})
    if shared:
        yield from (*wrapped(said(shared), _INDENT), "")
    yield from _row({header: header for header in columns}, columns, table.right)
    yield _INDENT + _GAP.join("-" * width for width in columns.values())[: text.WIDTH - len(_INDENT)]
    above = ""
    for index, row in enumerate(rows):
        if heads and above != (above := said({header: row[header] for header in heads})):
            yield from wrapped(f"{above}:", _INDENT)
        yield from _row(row, columns, table.right)
        for note in (said({name: row[name] for name in names[1:]}), *(table.notes[index] if table.notes else ())):
            if note:
                yield from wrapped(note, _NOTE, " " * len(_NOTE))


def _names(table: Table, widths: Mapping[str, int]) -> Sequence[str]:
    """Return the columns of which the first stands last in its row and the others below it."""
    columns = [header for header in table.headers if header not in table.heads]
    whole = len(_INDENT) + sum(widths[header] + len(_GAP) for header in columns) - len(_GAP)
    if table.names or whole <= text.WIDTH:
        return table.names
    return [header for header in columns if header not in table.right]


def _row(cells: Mapping[str, str], columns: Mapping[str, int], right: Collection[str]) -> Iterator[str]:
    """Yield a row; its last cell, where it is a text, goes on in further lines below itself."""
    aligned = [cells[h].rjust(width) if h in right else cells[h].ljust(width) for h, width in columns.items()]
    *before, last = aligned
    start = _INDENT + "".join(cell + _GAP for cell in before)
    yield from [start + last] if list(columns)[-1] in right else wrapped(last.rstrip(), start)
