"""From a selector to scored runs and comparisons: what `score`, `diff` and `runs` show."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from prompteval.errors import SelectionError
from prompteval.ledger import select
from prompteval.ledger.open import reading
from prompteval.ledger.outcomes import read_outcomes, read_totals
from prompteval.outcome import NOTHING, CorpusRecording, FixtureOutcome, History, Run, Scored
from prompteval.samples import samples
from prompteval.tags import shown_setting

if TYPE_CHECKING:
    from prompteval.compare import Comparison


class Where(NamedTuple):
    """What a diff is narrowed to (None: every model), and whose labels judge: candidate, recorded or latest."""

    model: str | None = None
    labels: str = "candidate"


class Compared(NamedTuple):
    """One comparison for each common setting, and a line for each setting found on one side only."""

    comparisons: list[Comparison]
    not_compared: list[str]


def read_history(ledger: Path, model: str | None = None, labels: str = "recorded") -> History:
    """Return every run (of `model` alone, where it is given) with its totals under `labels`, recorded or latest.

    Raises SelectionError where there is none.
    """
    with reading(ledger) as connection:
        runs = [run for run in select.all_runs(connection) if model in (None, run.model)]
        if not runs:
            raise SelectionError(f"no run has the model '{model}'; 'prompteval runs' lists them.")
        judge = select.latest_corpus(connection) if labels == "latest" else None
        with select.scoring(connection, runs, judge, ledger):
            left_out = select.left_out(connection, judge)
            sums, given = read_totals(connection), select.given(connection)
    alike: dict[object, list[Run]] = {}
    for run in runs:
        alike.setdefault((run.version, run.setting), []).append(run)
    copies = [copy for group in alike.values() for copy in samples(group, given).copies]
    return History([(run, sums.get(run.id, NOTHING)) for run in runs], judge, left_out, copies)


class Whole(NamedTuple):
    """All that a ledger holds, oldest first: when which corpus was recorded, and the runs with their outcomes."""

    corpora: list[CorpusRecording]
    runs: list[tuple[Run, list[FixtureOutcome]]]


def whole_ledger(ledger: Path, name: str) -> Whole:
    """Return all that a ledger holds, each run under the labels it was recorded with.

    Raises LedgerError, which calls the ledger `name`.
    """
    with reading(ledger, name) as connection:
        runs = select.runs_of(connection)
        with select.scoring(connection, runs, None, name):
            outcomes = read_outcomes(connection)
        return Whole(select.corpus_recordings(connection), [(run, outcomes[run.id]) for run in runs])


def score_run(ledger: Path, selector: str, labels: str) -> tuple[Scored, int]:
    """Return the newest run that `selector` names, scored, and how many it names. `labels` is recorded or latest."""
    with reading(ledger) as connection:
        selection = select.select(connection, selector)
        run = selection.runs[-1]
        corpus = select.latest_corpus(connection) if labels == "latest" else None
        with select.scoring(connection, [run], corpus, ledger):
            left_out = select.left_out(connection, corpus)
            outcomes = read_outcomes(connection).get(run.id, [])
    return Scored(run, labels, corpus or run.corpus, outcomes, left_out), len(selection.runs)


def diff_runs(ledger: Path, baseline: str, candidate: str, where: Where) -> Compared:
    """Return the comparisons of two selectors, like with like; two single runs are compared whatever their tags.

    Raises SelectionError where a selector names nothing, both name the same run, or no setting is on both sides.
    """
    from prompteval.compare import Answered, compare

    with reading(ledger) as connection:
        before, after = (_of_model(select.select(connection, name), where.model) for name in (baseline, candidate))
        if both := [run.short_id for run in before.runs if run in after.runs]:
            raise SelectionError(f"run {both[0]} is on both sides; 'prompteval runs' lists what else there is")
        groups, not_compared = _groups(before, after)
        latest = select.latest_corpus(connection) if where.labels == "latest" else None
        comparisons = []
        for left, right in groups:
            judge = {"candidate": right[-1].corpus, "latest": latest}.get(where.labels)
            with select.scoring(connection, (*left, *right), judge, ledger):
                outcomes, given = read_outcomes(connection), select.given(connection)
            corpora = {run.corpus for run in (*left, *right)} | {judge or right[-1].corpus}
            sessions = {corpus: select.sessions_of(connection, corpus) for corpus in corpora}
            baseline_side, candidate_side = (
                Answered(name, samples(runs, given), {run.id: sessions[run.corpus] for run in runs})
                for name, runs in ((before.name, left), (after.name, right))
            )
            counted = judge, sessions[judge or right[-1].corpus]
            comparisons.append(compare(baseline_side, candidate_side, counted, outcomes))
    return Compared(comparisons, not_compared)


def _of_model(selection: select.Selection, model: str | None) -> select.Selection:
    if model is None:
        return selection
    runs = tuple(run for run in selection.runs if run.model == model)
    if not runs:
        raise SelectionError(f"{selection.name} has no run with model '{model}'; 'prompteval runs' lists them.")
    return selection._replace(runs=runs)


Setting = tuple[str, "float | None", "str | None"]
Groups = list[tuple[tuple[Run, ...], tuple[Run, ...]]]


def _groups(before: select.Selection, after: select.Selection) -> tuple[Groups, list[str]]:
    if not before.is_version and not after.is_version:
        return [(before.runs, after.runs)], []
    left, right = _by_setting(before.runs), _by_setting(after.runs)
    common = [(left[key], right[key]) for key in left if key in right]
    alone = [
        f"{name} alone has {shown_setting(runs[0])}: not compared"
        for name, mine, other in ((before.name, left, right), (after.name, right, left))
        for key, runs in mine.items()
        if key not in other
    ]
    if not common:
        listed = "; ".join(f"{name} has {shown_setting(run)}" for name, run in _settings(before, after))
        raise SelectionError(
            f"{before.name} and {after.name} have no model, temperature and harness in common ({listed}); "
            "give two run ids to compare them all the same"
        )
    return common, alone


def _settings(*selections: select.Selection) -> Iterable[tuple[str, Run]]:
    return ((s.name, runs[0]) for s in selections for runs in _by_setting(s.runs).values())


def _by_setting(runs: Iterable[Run]) -> dict[Setting, tuple[Run, ...]]:
    """Return the runs of each setting, settings in a total order, runs oldest first."""
    grouped: dict[Setting, tuple[Run, ...]] = {}
    for run in runs:
        grouped[run.setting] = (*grouped.get(run.setting, ()), run)
    return dict(sorted(grouped.items(), key=lambda item: _total_order(item[0])))


def _total_order(key: Setting) -> tuple[str, float, str]:
    model, temperature, harness = key
    return model, -1.0 if temperature is None else temperature, harness or ""
