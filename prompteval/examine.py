"""Look behind the scores: fixtures term by term, points over all runs, version after version."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from prompteval.compare import Comparison
from prompteval.detail import Examined, FixtureDetail
from prompteval.evaluate import Where, diff_runs, list_runs
from prompteval.ledger import select
from prompteval.ledger.detail import read_detail, read_details
from prompteval.ledger.open import reading
from prompteval.ledger.points import read_points
from prompteval.outcome import PointRecord, Run, Totals, totals
from prompteval.tags import sort_key


def show_fixture(ledger: Path, fixture: str, selector: str) -> tuple[FixtureDetail, int]:
    """Return what speaks for and against a fixture of the newest run that `selector` names, and how many it names."""
    with reading(ledger) as connection:
        selection = select.select(connection, selector)
        run = selection.runs[-1]
        select.score_under(connection, [run], None)
        return read_detail(connection, run, fixture), len(selection.runs)


def examine(ledger: Path, runs: Iterable[Run], labels: str | None) -> list[Examined]:
    """Return the detail of every fixture of each run, under the labels of the corpus `labels` (None: its own)."""
    examined = []
    for run in runs:
        with reading(ledger) as connection:
            select.score_under(connection, [run], labels)
            details = read_details(connection, run)
        sums = totals(detail.outcome for detail in details.values())
        examined.append(Examined(run, sums, tuple(details.values())))
    return examined


def label_evidence(ledger: Path, model: str | None) -> tuple[list[PointRecord], int]:
    """Return how each point of the latest labels fared in every run (of `model` alone), and how many runs there are."""
    runs = [run for run, _ in list_runs(ledger, model)]
    with reading(ledger) as connection:
        select.score_under(connection, runs, select.latest_corpus(connection))
        return read_points(connection), len(runs)


def latest_labels(ledger: Path) -> str:
    """Return the corpus revision whose labels were recorded last."""
    with reading(ledger) as connection:
        return select.latest_corpus(connection)


def successive(ledger: Path, history: Iterable[tuple[Run, Totals]]) -> list[Comparison]:
    """Return the comparison of each version with the one before, newest first, where they share a setting."""
    runs = [run for run, _ in history]
    versions = sorted({run.version for run in runs}, key=sort_key)
    found: list[Comparison] = []
    for before, after in pairwise(versions):
        if {r.setting for r in runs if r.version == before} & {r.setting for r in runs if r.version == after}:
            found = [*diff_runs(ledger, before, after, Where()).comparisons, *found]
    return found
