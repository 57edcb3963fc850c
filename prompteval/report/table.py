"""The finished parts of a report: every number is already a text, and a renderer only sets it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from prompteval.errors import count
from prompteval.outcomes import LeftOut, NewerLabels, Run
from prompteval.tags import shown

if TYPE_CHECKING:
    from prompteval.samples import Copy


class Table(NamedTuple):
    """Rows under headers. `right` has the headers of columns that hold numbers; `notes` has lines under each row.

    Two kinds of columns are no columns in text. What `heads` names stands above the rows that share it. What `names`
    names has any width, since a person or a model wrote it: the first stands last in its row, the others below it.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[str] = ()
    notes: Sequence[Sequence[str]] = ()
    heads: Sequence[str] = ()
    names: Sequence[str] = ()

    @property
    def shared(self) -> dict[str, str]:
        """The cells that are the same in every row, of the columns that `heads` names: said once, above the rows."""
        values = {name: {row[place] for row in self.rows} for place, name in enumerate(self.headers)}
        return {name: min(values[name]) for name in self.heads if len(values.get(name, ())) == 1}


class Section(NamedTuple):
    """A heading (empty: none), lines of text, and a table. `folded`: a long list that a page may fold away.

    `verbatim`: the lines are never wrapped, since another line break would change what they say.
    """

    heading: str
    lines: Sequence[str] = ()
    table: Table | None = None
    folded: bool = False
    verbatim: bool = False


class Report(NamedTuple):
    """A whole report: the sentence that sums it up, what it is of, its sections, and a name for a list of links.

    `lead` is a paragraph that stands below the headline. `settings` says what was compared, before `lines`.
    """

    headline: str
    lines: Sequence[str]
    sections: Sequence[Section]
    short: str = ""
    lead: str = ""
    settings: Sequence[str] = ()


def said(cells: Mapping[str, str]) -> str:
    """Return `model X, temperature 0`: the cells that are not empty, each with its header."""
    return ", ".join(f"{header.lower()} {cell}" for header, cell in cells.items() if cell)


def left_out(fixtures: Sequence[LeftOut], heading: str = "Left out") -> list[Section]:
    """Return the section that lists the fixtures left out, or nothing if there are none."""
    return [Section(heading, table=Table(("Fixture", "Why"), fixtures, names=("Fixture",)))] if fixtures else []


def corpus_name(revision: str, version: str | None) -> str:
    """Return the short name of a corpus revision, with the version that corpus.yaml gave it."""
    return revision[:8] + of_version(version)


def of_version(version: str | None) -> str:
    """Return ` (version 6)`, or nothing without a version."""
    return f" (version {version})" if version else ""


def newer_labels(newer: NewerLabels | None) -> list[str]:
    """Return the line that says that newer labels exist than those in use, or none where they do not."""
    if newer is None:
        return []
    return [f"newer labels exist (corpus {newer.corpus[:8]} of {newer.recorded_at[:10]}); --labels latest uses them"]


def run_name(run: Run) -> str:
    """Return `v6, run 3fa85f64`."""
    return f"{shown(run.version)}, run {run.short_id}"


def not_counted(copy: Copy, side: str) -> str:
    """Return the line that says why a run is not counted; `side` is what counts the others."""
    answers = f"each of its {count(copy.answers, 'answer')}"
    return f"run {copy.run.short_id} of {side} is not counted: {answers} is in run {copy.of.short_id} too"
