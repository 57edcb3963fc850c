"""From a selector to scored runs and comparisons: what `score`, `diff`, `history` and `labels` show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from prompteval.errors import SelectionError, nearest
from prompteval.ledger.ledger import Ledger, Selection
from prompteval.outcomes import (
    NOTHING,
    CorpusRecording,
    Counts,
    FixtureOutcome,
    Given,
    LeftOut,
    NewerLabels,
    PointRecord,
    PromptUsed,
    Run,
    add,
)
from prompteval.samples import Copy, samples
from prompteval.tags import shown, shown_setting, sort_key

if TYPE_CHECKING:
    from prompteval.compare import Comparison
    from prompteval.ledger.detail import FixtureDetail


Prompts = Mapping[str, "tuple[PromptUsed, ...]"]  # by run id; none where a run was recorded without


class History(NamedTuple):
    """The runs of a suite with their totals, oldest first, under the labels of the corpus `judge` (None: each its own).

    `copies` are those among them that are no further samples of their version and setting. `newer` has the latest
    labels, where they differ from those of some run and do not score it here.
    """

    suite: str
    runs: Sequence[tuple[Run, Counts]]
    judge: str | None
    left_out: Sequence[LeftOut]
    copies: Sequence[Copy]
    prompts: Prompts
    newer: NewerLabels | None

    @property
    def repeats(self) -> list[tuple[Run, Run]]:
        """The copies that have exactly the answers of another run, each with that run."""
        return [(copy.run, copy.of) for copy in self.copies if copy.repeat]

    @property
    def by_version(self) -> list[tuple[Run, int, Counts]]:
        """One entry for each version and setting, versions by number: its first run, how many, the sums."""
        sums = dict(self.runs)
        groups = sorted(_alike(_counted(sums, self.copies)), key=lambda group: sort_key(group[0].version))
        return [(group[0], len(group), add(sums[run] for run in group)) for group in groups]


class Compared(NamedTuple):
    """A comparison for each suite and setting on both sides, and a line for each that is on one side only."""

    comparisons: list[Comparison]
    not_compared: list[str]
    several: bool  # suites in the ledger, of those asked for


class LabelEvidence(NamedTuple):
    """A record of each point that has a valid answer, how many points there are, in how many runs, and which not.

    `corpus` is the revision with the labels.
    """

    suite: str
    corpus: str
    points: list[PointRecord]
    total: int
    runs: int
    copies: Sequence[Copy]


class Shown(NamedTuple):
    """A fixture of a run, the newest of so many `runs`, under the labels of the corpus `judge` (None: the run's own).

    `newer` has the latest labels, where they differ from those the run was recorded with and are not used.
    """

    detail: FixtureDetail
    runs: int
    judge: str | None
    newer: NewerLabels | None


def histories(
    ledger: Ledger, suite: str | None = None, model: str | None = None, labels: str = "recorded"
) -> list[History]:
    """Return the runs of each suite, or of `suite` alone, with their totals under `labels`, recorded or latest.

    `model` narrows them further. Raises SelectionError where there is none.
    """
    found = []
    for name, runs in _suites(ledger, suite, model):
        judge = ledger.latest_corpus(name) if labels == "latest" else None
        scoring = ledger.score(runs, judge)
        totals = scoring.totals()
        rows = [(run, totals.get(run.id, NOTHING)) for run in runs]
        copies, newer = (
            _copies(runs, scoring.given()),
            None if judge else ledger.newer_labels(name, {run.corpus for run in runs}),
        )
        found.append(History(name, rows, judge, scoring.left_out(), copies, scoring.prompts(), newer))
    return found


def all_runs(histories: Iterable[History]) -> list[tuple[Run, Counts]]:
    """Return the runs of all suites with their totals, oldest first."""
    return sorted((row for each in histories for row in each.runs), key=lambda row: (row[0].recorded_at, row[0].id))


def _suites(ledger: Ledger, suite: str | None, model: str | None) -> list[tuple[str, list[Run]]]:
    """Return each suite with its runs of a model. Raises SelectionError where there is none."""
    runs = {name: _of_model(own, model) for name, own in ledger.runs_by_suite(suite).items()}
    if not any(runs.values()):
        raise SelectionError(f"no run has the model '{model}'; 'prompteval runs' lists them.")
    return [(name, own) for name, own in runs.items() if own]


def _of_model(runs: Iterable[Run], model: str | None) -> list[Run]:
    return [run for run in runs if model in (None, run.model)]


def _copies(runs: Iterable[Run], given: Mapping[str, Given]) -> list[Copy]:
    """Return the runs that are copies of others with the same version and setting."""
    return [copy for group in _alike(runs) for copy in samples(group, given).copies]


def _alike(runs: Iterable[Run]) -> Iterable[list[Run]]:
    """Return the runs in groups of the same version and setting, in the order of their first runs."""
    grouped: dict[object, list[Run]] = defaultdict(list)
    for run in runs:
        grouped[run.version, run.setting].append(run)
    return grouped.values()


def _counted(runs: Iterable[Run], copies: Iterable[Copy]) -> list[Run]:
    copied = {copy.run.id for copy in copies}
    return [run for run in runs if run.id not in copied]


def show_fixture(ledger: Ledger, fixture: str, selector: str, suite: str | None, labels: str) -> Shown:
    """Return everything behind a fixture of the newest run that `selector` names, under `labels`, recorded or latest.

    Raises SelectionError where the run was not asked for it, or the latest labels cannot score it.
    """
    from prompteval.ledger.detail import detail

    selection = ledger.select(selector, suite)
    run = selection.runs[-1]
    judge = ledger.latest_corpus(run.suite) if labels == "latest" else None
    scoring = ledger.score([run], judge, more=["session"])
    found = {outcome.fixture_id: outcome for outcome in scoring.outcomes().get(run.id, [])}
    if why := dict(scoring.left_out()).get(fixture):
        raise SelectionError(f"the latest labels do not score '{fixture}' of run {run.short_id}: {why}")
    if fixture not in found:
        raise SelectionError(f"run {run.short_id} has no fixture '{fixture}'{nearest(fixture, found)}")
    newer = None if judge else ledger.newer_labels(run.suite, {run.corpus})
    return Shown(detail(scoring, run, found[fixture]), len(selection.runs), judge, newer)


def prompts_of(ledger: Ledger, selector: str, suite: str | None) -> tuple[Run, tuple[PromptUsed, ...], int]:
    """Return the newest run that `selector` names, its prompt and the files that refers to, and how many it names.

    Raises SelectionError where the run was recorded without.
    """
    selection = ledger.select(selector, suite)
    run = selection.runs[-1]
    files = ledger.score([run], more=["prompt"]).prompts().get(run.id)
    if not files:
        raise SelectionError(
            f"run {run.short_id} was recorded without its prompt; 'prompteval ingest --prompt' names it"
        )
    return run, files, len(selection.runs)


def whole_ledger(ledger: Ledger) -> tuple[list[CorpusRecording], list[tuple[Run, list[FixtureOutcome]]]]:
    """Return all that a ledger holds, oldest first: when which corpus was recorded, and the runs with their outcomes.

    Each run is scored under the labels it was recorded with.
    """
    runs = ledger.runs()
    outcomes = ledger.score(runs).outcomes()
    return ledger.recordings(), [(run, outcomes[run.id]) for run in runs]


def label_evidence(ledger: Ledger, suite: str | None, model: str | None) -> list[LabelEvidence]:
    """Return, per suite, how the points of the latest labels fared in every run (of `model`) that is no copy."""
    found = []
    for name, runs in _suites(ledger, suite, model):
        copies = _copies(runs, ledger.score(runs).given())
        counted, corpus = _counted(runs, copies), ledger.latest_corpus(name)
        scoring = ledger.score(counted, corpus)
        total = scoring.number_of_points(corpus)
        found.append(LabelEvidence(name, corpus, scoring.points(), total, len(counted), copies))
    return found


def diff(
    ledger: Ledger,
    baseline: str,
    candidate: str,
    *,
    suite: str | None = None,
    model: str | None = None,
    labels: str = "candidate",
) -> Compared:
    """Return the comparisons of two selectors, like with like; two single runs are compared whatever their tags.

    `labels` says whose labels score both sides: candidate, recorded or latest. Raises SelectionError where a selector
    names nothing, both name the same run, or no suite and setting is on both sides.
    """
    from prompteval.compare import compare

    sides = [_narrowed(ledger.select_by_suite(name, suite), model) for name in (baseline, candidate)]
    suites = ledger.suites(suite)
    found = Compared([], [], len(suites) > 1)
    for name in suites:
        own = [side[name] for side in sides if name in side]
        if len(own) == 1:
            found.not_compared.append(f"{own[0].name} alone has runs of the suite {name}: not compared")
        elif own:
            pairs, alone = _alike_on_both(*own)
            found.not_compared.extend(f"{name}: {line}" if found.several else line for line in alone)
            for left, right in pairs:
                judge = {"candidate": right.runs[-1].corpus, "latest": ledger.latest_corpus(name)}.get(labels)
                found.comparisons.append(compare(ledger, left, right, judge))
    if not found.comparisons:
        before, after = (next(iter(side.values())).name for side in sides)
        raise SelectionError(
            f"{before} and {after} have no suite, model, temperature and harness in common "
            f"({'; '.join(found.not_compared)}); give two run ids of one suite to compare them all the same"
        )
    return found


def _narrowed(sides: Mapping[str, Selection], model: str | None) -> dict[str, Selection]:
    """Return the runs of a model, by suite. Raises SelectionError where there is none."""
    found = {name: side._replace(runs=_of_model(side.runs, model)) for name, side in sides.items()}
    if not any(side.runs for side in found.values()):
        side = next(iter(found.values()))
        raise SelectionError(f"{side.name} has no run with model '{model}'; 'prompteval runs' lists them.")
    return {name: side for name, side in found.items() if side.runs}


def _alike_on_both(before: Selection, after: Selection) -> tuple[list[tuple[Selection, Selection]], list[str]]:
    """Return both sides of each setting that they have in common, and a line for each setting of one side alone."""
    if both := [run.short_id for run in before.runs if run in after.runs]:
        raise SelectionError(f"run {both[0]} is on both sides; 'prompteval runs' lists what else there is")
    if not before.is_version and not after.is_version:
        return [(before, after)], []
    left, right = _by_setting(before), _by_setting(after)
    alone = [
        f"{side.name} alone has {shown_setting(side.runs[0])}: not compared"
        for mine, other in ((left, right), (right, left))
        for setting, side in mine.items()
        if setting not in other
    ]
    return [(left[setting], right[setting]) for setting in left if setting in right], alone


def _by_setting(side: Selection) -> dict[object, Selection]:
    """Return the runs of each setting, settings in a total order, runs oldest first."""
    grouped: dict[object, list[Run]] = defaultdict(list)
    for run in sorted(side.runs, key=_order_of_setting):
        grouped[run.setting].append(run)
    return {setting: side._replace(runs=runs) for setting, runs in grouped.items()}


def _order_of_setting(run: Run) -> tuple[str, float, str]:
    return run.model, -1.0 if run.temperature is None else run.temperature, run.harness or ""


def successive(ledger: Ledger, suite: str, runs: Sequence[Run], most: int) -> Compared:
    """Return each version against the one before that has a run of the same setting, newest first, by latest labels.

    `runs` are those of the suite; only so many of the newest versions are compared, `most`. A version that is the first
    of its setting, though not the first of all, is named as not compared.
    """
    versions = sorted({run.version for run in runs}, key=sort_key, reverse=True)
    settings: dict[str, dict[object, Run]] = {version: {} for version in versions}
    for run in runs:
        settings[run.version][run.setting] = run
    found = Compared([], [], False)
    for place, version in enumerate(versions[:-1][:most], 1):
        earlier = versions[place:]
        before = {setting: next((v for v in earlier if setting in settings[v]), None) for setting in settings[version]}
        for other in earlier:
            if other in before.values():
                compared = diff(ledger, other, version, suite=suite, labels="latest").comparisons
                found.comparisons.extend(c for c in compared if before.get(c.candidate.runs[-1].setting) == other)
        found.not_compared.extend(
            f"{shown(version)} with {shown_setting(run)}: no earlier version has a run like that"
            for setting, run in settings[version].items()
            if before[setting] is None
        )
    return found
