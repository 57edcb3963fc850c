"""From a selector to scored runs and comparisons: what `score`, `diff`, `history` and `labels` show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from prompteval.errors import SelectionError, nearest
from prompteval.ledger.detail import FixtureDetail
from prompteval.ledger.ledger import Ledger, Selection
from prompteval.outcomes import (
    NOTHING,
    CorpusRecording,
    Counts,
    FixtureOutcome,
    Given,
    LeftOut,
    PointRecord,
    Run,
    add,
)
from prompteval.samples import Copy, samples
from prompteval.tags import shown, shown_setting, sort_key

if TYPE_CHECKING:
    from prompteval.compare import Comparison


class History(NamedTuple):
    """Runs with their totals, oldest first, under the labels of the corpus `judge` (None: each its own).

    `copies` are those among them that are no further samples of their version and setting.
    """

    runs: Sequence[tuple[Run, Counts]]
    judge: str | None
    left_out: Sequence[LeftOut]
    copies: Sequence[Copy]

    @property
    def counted(self) -> list[tuple[Run, Counts]]:
        """The runs that are no copies of others."""
        copies = {copy.run.id for copy in self.copies}
        return [(run, sums) for run, sums in self.runs if run.id not in copies]

    @property
    def by_version(self) -> list[tuple[Run, int, Counts]]:
        """One entry for each version and setting, in the order of their first runs: that run, how many, the sums."""
        grouped: dict[object, list[tuple[Run, Counts]]] = {}
        for run, sums in self.counted:
            grouped.setdefault((run.version, run.setting), []).append((run, sums))
        return [(group[0][0], len(group), add(sums for _, sums in group)) for group in grouped.values()]


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
    runs = _of_model(ledger, model)
    judge = ledger.latest_corpus() if labels == "latest" else None
    scoring = ledger.score(runs, judge)
    totals = scoring.totals()
    found = [(run, totals.get(run.id, NOTHING)) for run in runs]
    return History(found, judge, scoring.left_out(), copies(runs, scoring.given()))


def _of_model(ledger: Ledger, model: str | None) -> list[Run]:
    runs = [run for run in ledger.all_runs() if model in (None, run.model)]
    if not runs:
        raise SelectionError(f"no run has the model '{model}'; 'prompteval runs' lists them.")
    return runs


def copies(runs: Iterable[Run], given: Mapping[str, Given]) -> list[Copy]:
    """Return the runs that are copies of others with the same version and setting."""
    alike: dict[object, list[Run]] = {}
    for run in runs:
        alike.setdefault((run.version, run.setting), []).append(run)
    return [copy for group in alike.values() for copy in samples(group, given).copies]


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


class Whole(NamedTuple):
    """All that a ledger holds, oldest first: when which corpus was recorded, and the runs with their outcomes."""

    corpora: list[CorpusRecording]
    runs: list[tuple[Run, list[FixtureOutcome]]]


def whole_ledger(ledger: Ledger) -> Whole:
    """Return all that a ledger holds, each run under the labels it was recorded with."""
    runs = ledger.runs()
    outcomes = ledger.score(runs).outcomes()
    return Whole(ledger.recordings(), [(run, outcomes[run.id]) for run in runs])


def label_evidence(ledger: Ledger, model: str | None) -> LabelEvidence:
    """Return how the points of the latest labels fared in every run (of `model` alone) that is no copy of another."""
    runs = _of_model(ledger, model)
    found = copies(runs, ledger.score(runs).given())
    copied = {copy.run.id for copy in found}
    counted = [run for run in runs if run.id not in copied]
    corpus = ledger.latest_corpus()
    return LabelEvidence(ledger.score(counted, corpus).points(), ledger.number_of_points(corpus), len(counted), found)


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
        comparisons.append(_compare(ledger, (before.name, left), (after.name, right), judge))
    return Compared(comparisons, not_compared)


def _compare(
    ledger: Ledger, left: tuple[str, Sequence[Run]], right: tuple[str, Sequence[Run]], judge: str | None
) -> Comparison:
    from prompteval.compare import Answered, compare

    runs = (*left[1], *right[1])
    scoring = ledger.score(runs, judge)
    given = scoring.given()
    corpus = judge or right[1][-1].corpus
    sessions = {revision: ledger.sessions(revision) for revision in {run.corpus for run in runs} | {corpus}}
    sides = [
        Answered(name, samples(own, given), {run.id: sessions[run.corpus] for run in own})
        for name, own in (left, right)
    ]
    return compare(sides, judge, sessions[corpus], scoring.outcomes())


def _narrowed(selection: Selection, model: str | None) -> Selection:
    if model is None:
        return selection
    runs = tuple(run for run in selection.runs if run.model == model)
    if not runs:
        raise SelectionError(f"{selection.name} has no run with model '{model}'; 'prompteval runs' lists them.")
    return selection._replace(runs=runs)


Setting = tuple[str, "float | None", "str | None"]
Groups = list[tuple[tuple[Run, ...], tuple[Run, ...]]]


def _groups(before: Selection, after: Selection) -> tuple[Groups, list[str]]:
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
        named = ((side.name, runs[0]) for side in (before, after) for runs in _by_setting(side.runs).values())
        listed = "; ".join(f"{name} has {shown_setting(run)}" for name, run in named)
        raise SelectionError(
            f"{before.name} and {after.name} have no model, temperature and harness in common ({listed}); "
            "give two run ids to compare them all the same"
        )
    return common, alone


def _by_setting(runs: Iterable[Run]) -> dict[Setting, tuple[Run, ...]]:
    """Return the runs of each setting, settings in a total order, runs oldest first."""
    grouped: dict[Setting, tuple[Run, ...]] = {}
    for run in runs:
        grouped[run.setting] = (*grouped.get(run.setting, ()), run)
    return dict(sorted(grouped.items(), key=lambda item: _total_order(item[0])))


def _total_order(key: Setting) -> tuple[str, float, str]:
    model, temperature, harness = key
    return model, -1.0 if temperature is None else temperature, harness or ""


def successive(ledger: Ledger, runs: Iterable[Run]) -> Compared:
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
            compared = diff(ledger, earlier, version, labels="latest").comparisons
            found.comparisons.extend(c for c in compared if before[c.candidate.runs[-1].setting] == earlier)
        first = {run.setting: run for run in listed if run.version == version and before[run.setting] is None}
        found.not_compared.extend(
            f"{shown(version)} with {shown_setting(run)}: no earlier version has a run like that"
            for run in first.values()
        )
    return found
