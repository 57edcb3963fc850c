"""What an ingest says when it is done."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from prompteval.errors import count
from prompteval.ledger.changes import Change
from prompteval.ledger.ingest import Ingested
from prompteval.report.table import corpus_name
from prompteval.tags import shown, shown_setting
from prompteval.text.visible import wrapped


def ingested_lines(ingested: Ingested, ledger: Path | None) -> list[str]:
    """Return the run's short id and tags, how many results there were, and the next command.

    Without a run: what changed in the fixtures since the labels recorded last.

    `ledger` is named in that command; None: it is the one that every command takes by default.
    """
    where = f" --ledger {shlex.quote(str(ledger))}" if ledger else ""
    corpus, recorded = ingested.corpus, ingested.recorded
    state = "recorded" if recorded.corpus.new else "unchanged"
    total, answered = len(corpus.fixtures), len(ingested.answers)
    fixtures = f"corpus {corpus_name(corpus.revision, corpus.suite.version)}: {count(total, 'fixture')}, {state}"
    if recorded.run_id is None or ingested.tags is None:
        return [fixtures, *_changes(recorded.corpus.changes), "no RESULTS were named, so no run was recorded"]
    tags, short_id = ingested.tags, recorded.run_id[:8]
    valid = sum(answer.valid for answer in ingested.answers.values())
    return [
        f"run {short_id}: {shown(tags.version)}, {shown_setting(tags)}, sample {recorded.sample}",
        f"{count(total, 'result')}: {valid} valid, {answered - valid} invalid, {total - answered} missing",
        fixtures,
        f"next: prompteval score --run {short_id}{where}",
    ]


def _changes(changes: Sequence[Change]) -> Iterator[str]:
    """Yield a line per fixture that changed and, below it, what did, wrapped where that is long."""
    for name, listed in groupby(changes, key=lambda change: change.fixture_id):
        yield f"{name}:"
        for change in listed:
            yield from wrapped(f"{change.place}: {_how(change)}", "  ", "    ")


def _how(change: Change) -> str:
    if change.before is None:
        return f"added {change.after}".rstrip()
    if change.after is None:
        return f"removed {change.before}".rstrip()
    return "changed" if change.before == change.after else f"changed from {change.before} to {change.after}"
