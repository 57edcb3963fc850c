"""What an ingest says when it is done."""

from __future__ import annotations

import shlex
from pathlib import Path

from prompteval.errors import count
from prompteval.ledger.ingest import Ingested
from prompteval.report.table import corpus_name
from prompteval.tags import shown, shown_setting


def ingested_lines(ingested: Ingested, ledger: Path | None) -> list[str]:
    """Return the run's short id and tags, how many results there were, and the next command.

    `ledger` is named in that command; None: it is the one that every command takes by default.
    """
    where = f" --ledger {shlex.quote(str(ledger))}" if ledger else ""
    corpus, recorded = ingested.corpus, ingested.recorded
    state = "recorded" if recorded.new_corpus else "unchanged"
    total, answered = len(corpus.fixtures), len(ingested.answers)
    fixtures = f"corpus {corpus_name(corpus.revision, corpus.suite.version)}: {count(total, 'fixture')}, {state}"
    if recorded.run_id is None or ingested.tags is None:
        return [fixtures, "no RESULTS were named, so no run was recorded"]
    tags, short_id = ingested.tags, recorded.run_id[:8]
    valid = sum(answer.valid for answer in ingested.answers.values())
    return [
        f"run {short_id}: {shown(tags.version)}, {shown_setting(tags)}, sample {recorded.sample}",
        f"{count(total, 'result')}: {valid} valid, {answered - valid} invalid, {total - answered} missing",
        fixtures,
        f"next: prompteval score --run {short_id}{where}",
    ]
