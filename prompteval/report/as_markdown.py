"""Set a report as Markdown that can be pasted into a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prompteval.report.table import Report, Section, Table
from prompteval.text.visible import visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_MENTION = re.compile(r"@(?=\w)")


def render(report: Report) -> str:
    """Return the report as GitHub-flavoured Markdown that ends in a line break."""
    blocks = [f"**{escape(report.headline)}**"]
    if report.lead:
        blocks.append(escape(report.lead))
    if report.lines:
        blocks.append("\n".join(f"- {escape(line)}" for line in report.lines))
    for section in report.sections:
        blocks += _section(section)
    if report.settings:
        blocks.append(escape(f"{'; '.join(report.settings)}."))
    return "\n\n".join(blocks) + "\n"


def _section(section: Section) -> Iterator[str]:
    """Yield blocks, which are separated by a blank line."""
    if section.folded:
        yield f"<details>\n<summary>{escape(section.heading)}</summary>"
    elif section.heading:
        yield f"### {escape(section.heading)}"
    yield from map(escape, section.lines if section.heading else filter(None, [" ".join(section.lines)]))
    if section.table:
        yield "\n".join(_table(section.table))
    if section.folded:
        yield "</details>"


def _table(table: Table) -> Iterator[str]:
    headers = [*table.headers, *(["Why"] if any(table.notes) else [])]
    yield _row([escape(header) for header in headers])
    yield _row(["---:" if header in table.right else "---" for header in headers])
    for row, notes in zip(table.rows, table.notes or [()] * len(table.rows), strict=True):
        why = ["<br>".join(escape(note) for note in notes)] if any(table.notes) else []
        yield _row([*(escape(cell) for cell in row), *why])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escape(text: str) -> str:
    """Return `text` so that Markdown and GitHub show it as it is: no mark-up, no HTML, no mention."""
    return _MENTION.sub("@\u200b", _SPECIAL.sub(r"\\\1", visible(text)))
