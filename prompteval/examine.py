"""Look behind the scores: fixtures term by term, points over all runs, version after version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from prompteval.detail import Examined, FixtureDetail
from prompteval.evaluate import Compared, Where, diff_runs, read_history
from prompteval.ledger import select
from prompteval.ledger.detail import read_detail, read_details
from prompteval.ledger.open import reading
from prompteval.ledger.points import read_points
from prompteval.outcome import Copy, PointRecord, Run
from prompteval.tags import shown, shown_setting, sort_key


def show_fixture(ledger: Path, fixture: str, selector: str) -> tuple[FixtureDetail, int]:
    """Return what speaks for and against a fixture of the newest run that `selector` names, and how many it names."""
    with reading(ledger) as connection:
        selection = select.select(connection, selector)
        run = selection.runs[-1]
        with select.scoring(connection, [run], None, ledger):
            return read_detail(connection, run, fixture), len(selection.runs)


def examine(ledger: Path, runs: Iterable[Run], labels: str | None) -> list[Examined]:
    """Return the detail of every fixture of each run, under the labels of the corpus `labels` (None: its own)."""
    examined = []
    with reading(ledger) as connection:
        for run in runs:
            with select.scoring(connection, [run], labels, ledger):
                details = read_details(connection, run)
            examined.append(Examined(run, tuple(details.values())))
    return examined


class LabelEvidence(NamedTuple):
    """A record of each point that has a valid answer, how many points there are, in how many runs, and which not."""

    points: list[PointRecord]
    total: int
    runs: int
    copies: Sequence[Copy]


def label_evidence(ledger: Path, model: str | None) -> LabelEvidence:
    """Return how the points of the latest labels fared in every run (of `model` alone) that is no copy of another."""
    history = read_history(ledger, model)
    runs = [run for run, _ in history.counted]
    with reading(ledger) as connection:
        corpus = select.latest_corpus(connection)
        with select.scoring(connection, runs, corpus, ledger):
            points = read_points(connection)
        return LabelEvidence(points, select.points_of(connection, corpus), len(runs), history.copies)


def successive(ledger: Path, runs: Iterable[Run]) -> Compared:
    """Return each version against the one before that has a run of the same setting, newest first, by latest labels.

    A version that is the first of its setting, though not the first of all, is named as not compared.
    """
    listed = list(runs)
    versions = sorted({run.version for run in listed}, key=sort_key)
    settings = {version: {run.setting for run in listed if run.version == version} for version in versions}
    found = Compared([], [])
    for place in reversed(range(1, len(versions))):
        version = versions[place]
        before = {
            setting: next((earlier for earlier in reversed(versions[:place]) if setting in settings[earlier]), None)
            for setting in settings[version]
        }
        for earlier in sorted({name for name in before.values() if name}, key=sort_key, reverse=True):
            compared = diff_runs(ledger, earlier, version, Where(labels="latest")).comparisons
            found.comparisons.extend(c for c in compared if before[c.candidate.runs[-1].setting] == earlier)
        first = {run.setting: run for run in listed if run.version == version and before[run.setting] is None}
        found.not_compared.extend(
            f"{shown(version)} with {shown_setting(run)}: no earlier version has a run like that"
            for run in first.values()
        )
    return found
