"""Set a report as Markdown that can be pasted into a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prompteval.plain import visible
from prompteval.report.values import Report, Section, Table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_MENTION = re.compile(r"@(?=\w)")


def render(report: Report) -> str:
    """Return the report as GitHub-flavoured Markdown that ends in a line break."""
    lines = [f"**{escape(report.headline)}**", "", *(f"- {escape(line)}" for line in report.lines)]
    for section in report.sections:
        lines += ["", *_section(section)]
    return "\n".join(lines) + "\n"


def _section(section: Section) -> Iterator[str]:
    if section.folded:
        yield from ("<details>", f"<summary>{escape(section.heading)}</summary>", "")
    elif section.heading:
        yield from (f"### {escape(section.heading)}", "")
    for line in section.lines:
        yield from (escape(line), "")
    if section.table:
        yield from _table(section.table)
    if section.folded:
        yield from ("", "</details>")


def _table(table: Table) -> Iterator[str]:
    headers = [*table.headers, *(["Why"] if any(table.notes) else [])]
    rule = ["---:" if index in table.right else "---" for index in range(len(headers))]
    yield _row([escape(header) for header in headers])
    yield _row(rule)
    for row, notes in zip(table.rows, table.notes or [()] * len(table.rows), strict=True):
        why = ["<br>".join(escape(note) for note in notes)] if any(table.notes) else []
        yield _row([*(escape(cell) for cell in row), *why])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escape(text: str) -> str:
    """Return `text` so that Markdown and GitHub show it as it is: no mark-up, no HTML, no mention."""
    return _MENTION.sub("@\u200b", _SPECIAL.sub(r"\\\1", visible(text)))
