"""From a selector to scored runs and comparisons: what `score`, `diff`, `history` and `labels` show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from prompteval.errors import SelectionError, nearest
from prompteval.ledger.ledger import Ledger, Selection
from prompteval.outcomes import NOTHING, CorpusRecording, Counts, FixtureOutcome, Given, LeftOut, PointRecord, Run, add
from prompteval.samples import Copy, samples
from prompteval.tags import shown, shown_setting, sort_key

if TYPE_CHECKING:
    from prompteval.compare import Comparison
    from prompteval.ledger.detail import FixtureDetail


class History(NamedTuple):
    """Runs with their totals, oldest first, under the labels of the corpus `judge` (None: each its own).

    `copies` are those among them that are no further samples of their version and setting.
    """

    runs: Sequence[tuple[Run, Counts]]
    judge: str | None
    left_out: Sequence[LeftOut]
    copies: Sequence[Copy]

    @property
    def by_version(self) -> list[tuple[Run, int, Counts]]:
        """One entry for each version and setting, in the order of their first runs: that run, how many, the sums."""
        sums = dict(self.runs)
        groups = _alike(_counted(sums, self.copies))
        return [(group[0], len(group), add(sums[run] for run in group)) for group in groups]


class Compared(NamedTuple):
    """One comparison for each common setting, and a line for each setting found on one side only."""

    comparisons: list[Comparison]
    not_compared: list[str]


class LabelEvidence(NamedTuple):
    """A record of each point that has a valid answer, how many points there are, in how many runs, and which not."""

    points: list[PointRecord]
    total: int
    runs: int
    copies: Sequence[Copy]


def history(ledger: Ledger, model: str | None = None, labels: str = "recorded") -> History:
    """Return every run (of `model` alone, where it is given) with its totals under `labels`, recorded or latest.

    Raises SelectionError where there is none.
    """
    runs = _of_model(ledger.all_runs(), model, "no run has the model")
    judge = ledger.latest_corpus() if labels == "latest" else None
    scoring = ledger.score(runs, judge)
    totals = scoring.totals()
    found = [(run, totals.get(run.id, NOTHING)) for run in runs]
    return History(found, judge, scoring.left_out(), _copies(runs, scoring.given()))


def _of_model(runs: Iterable[Run], model: str | None, problem: str) -> list[Run]:
    found = [run for run in runs if model in (None, run.model)]
    if not found:
        raise SelectionError(f"{problem} '{model}'; 'prompteval runs' lists them.")
    return found


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


def show_fixture(ledger: Ledger, fixture: str, selector: str) -> tuple[FixtureDetail, int]:
    """Return everything behind a fixture of the newest run that `selector` names, and how many it names.

    Raises SelectionError where the run was not asked for it.
    """
    from prompteval.ledger.detail import detail

    selection = ledger.select(selector)
    run = selection.runs[-1]
    scoring = ledger.score([run], sessions=True)
    found = {outcome.fixture_id: outcome for outcome in scoring.outcomes().get(run.id, [])}
    if fixture not in found:
        raise SelectionError(f"run {run.short_id} has no fixture '{fixture}'{nearest(fixture, found)}")
    return detail(scoring, run, found[fixture]), len(selection.runs)


def whole_ledger(ledger: Ledger) -> tuple[list[CorpusRecording], list[tuple[Run, list[FixtureOutcome]]]]:
    """Return all that a ledger holds, oldest first: when which corpus was recorded, and the runs with their outcomes.

    Each run is scored under the labels it was recorded with.
    """
    runs = ledger.runs()
    outcomes = ledger.score(runs).outcomes()
    return ledger.recordings(), [(run, outcomes[run.id]) for run in runs]


def label_evidence(ledger: Ledger, model: str | None) -> LabelEvidence:
    """Return how the points of the latest labels fared in every run (of `model` alone) that is no copy of another."""
    runs = _of_model(ledger.all_runs(), model, "no run has the model")
    copies = _copies(runs, ledger.score(runs).given())
    counted = _counted(runs, copies)
    corpus = ledger.latest_corpus()
    scoring = ledger.score(counted, corpus)
    return LabelEvidence(scoring.points(), scoring.number_of_points(corpus), len(counted), copies)


def diff(
    ledger: Ledger, baseline: str, candidate: str, model: str | None = None, labels: str = "candidate"
) -> Compared:
    """Return the comparisons of two selectors, like with like; two single runs are compared whatever their tags.

    `labels` says whose labels score both sides: candidate, recorded or latest. Raises SelectionError where a selector
    names nothing, both name the same run, or no setting is on both sides.
    """
    before, after = (_narrowed(ledger.select(name), model) for name in (baseline, candidate))
    if both := [run.short_id for run in before.runs if run in after.runs]:
        raise SelectionError(f"run {both[0]} is on both sides; 'prompteval runs' lists what else there is")
    groups, not_compared = _groups(before, after)
    latest = ledger.latest_corpus() if labels == "latest" else None
    comparisons = []
    for left, right in groups:
        judge = {"candidate": right[-1].corpus, "latest": latest}.get(labels)
        comparisons.append(_compare(ledger, [(before.name, left), (after.name, right)], judge))
    return Compared(comparisons, not_compared)


def _compare(ledger: Ledger, sides: Sequence[tuple[str, Sequence[Run]]], judge: str | None) -> Comparison:
    from prompteval.compare import Answered, compare

    runs = [run for _, own in sides for run in own]
    scoring = ledger.score(runs, judge)
    given = scoring.given()
    corpus = judge or runs[-1].corpus
    sessions = {revision: scoring.sessions(revision) for revision in {run.corpus for run in runs} | {corpus}}
    answered = [
        Answered(name, samples(own, given), {run.id: sessions[run.corpus] for run in own}) for name, own in sides
    ]
    return compare(answered, judge, sessions[corpus], scoring.outcomes())


def _narrowed(selection: Selection, model: str | None) -> Selection:
    runs = _of_model(selection.runs, model, f"{selection.name} has no run with model")
    return selection._replace(runs=tuple(runs))


def _groups(before: Selection, after: Selection) -> tuple[list[tuple[Sequence[Run], Sequence[Run]]], list[str]]:
    """Return the runs of either side for each common setting, and a line for each setting on one side only."""
    if not before.is_version and not after.is_version:
        return [(before.runs, after.runs)], []
    left, right = _by_setting(before.runs), _by_setting(after.runs)
    sides = [(before.name, left), (after.name, right)]
    common = [setting for setting in left if setting in right]
    if not common:
        listed = [f"{name} has {shown_setting(runs[0])}" for name, settings in sides for runs in settings.values()]
        raise SelectionError(
            f"{before.name} and {after.name} have no model, temperature and harness in common ({'; '.join(listed)}); "
            "give two run ids to compare them all the same"
        )
    alone = [
        f"{name} alone has {shown_setting(runs[0])}: not compared"
        for name, settings in sides
        for setting, runs in settings.items()
        if setting not in common
    ]
    return [(left[setting], right[setting]) for setting in common], alone


def _by_setting(runs: Iterable[Run]) -> dict[object, list[Run]]:
    """Return the runs of each setting, settings in a total order, runs oldest first."""
    grouped: dict[object, list[Run]] = defaultdict(list)
    for run in sorted(runs, key=_order_of_setting):
        grouped[run.setting].append(run)
    return grouped


def _order_of_setting(run: Run) -> tuple[str, float, str]:
    return run.model, -1.0 if run.temperature is None else run.temperature, run.harness or ""


def successive(ledger: Ledger, runs: Sequence[Run]) -> Compared:
    """Return each version against the one before that has a run of the same setting, newest first, by latest labels.

    A version that is the first of its setting, though not the first of all, is named as not compared.
    """
    versions = sorted({run.version for run in runs}, key=sort_key, reverse=True)
    settings = {version: {run.setting: run for run in runs if run.version == version} for version in versions}
    found = Compared([], [])
    for place, version in enumerate(versions[:-1], 1):
        earlier = versions[place:]
        before = {setting: next((v for v in earlier if setting in settings[v]), None) for setting in settings[version]}
        for other in earlier:
            if other in before.values():
                compared = diff(ledger, other, version, labels="latest").comparisons
                found.comparisons.extend(c for c in compared if before.get(c.candidate.runs[-1].setting) == other)
        found.not_compared.extend(
            f"{shown(version)} with {shown_setting(run)}: no earlier version has a run like that"
            for setting, run in settings[version].items()
            if before[setting] is None
        )
    return found
