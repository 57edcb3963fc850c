"""What else a ledger knows that bears on a comparison: other runs, other labels, and how much runs differ elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from prompteval.outcomes import Measure, NewerLabels, Ratio, Run
from prompteval.samples import samples

if TYPE_CHECKING:
    from prompteval.ledger.ledger import Ledger, Selection


Reached = Mapping[Measure, Sequence[Ratio]]  # by the baseline, and by the candidate


class Flips(NamedTuple):
    """On how many of some fixtures two runs of one version differ."""

    version: str
    flips: int
    fixtures: int


class Context(NamedTuple):
    """`not_named` has the runs that are like those of a side which was named by a run id, and are not compared.

    `recorded` has what both sides reached under the labels each run was recorded with, where those are others.
    `elsewhere` says how two runs of one version differ, where a side has one run and the ledger has such runs with the
    same setting. `newer` has the latest labels where they are others than those used.
    """

    not_named: Sequence[Run]
    recorded: Reached | None
    elsewhere: Flips | None
    newer: NewerLabels | None


NO_CONTEXT = Context((), None, None, None)


def context_of(
    ledger: Ledger,
    sides: Sequence[Selection],
    labels: str | None,
    fixtures: Collection[str],
    again: Callable[[], Reached],
) -> Context:
    """Return the context of a comparison on some fixtures; `again` gives what was reached under own labels."""
    compared = [run for side in sides for run in side.runs]
    others = [run for side in sides for run in _not_named(ledger, side, compared)]
    changed = labels is not None and ledger.labels_differ({run.corpus for run in compared}, labels)
    single = any(len(side.runs) == 1 for side in sides)
    elsewhere = _elsewhere(ledger, compared[-1], labels, fixtures) if single else None
    newer = ledger.newer_labels(compared[-1].suite, {labels} if labels else {run.corpus for run in compared})
    return Context(others, again() if changed else None, elsewhere, newer)


def _not_named(ledger: Ledger, side: Selection, compared: Sequence[Run]) -> list[Run]:
    if side.is_version:
        return []
    (named,) = side.runs
    alike = ledger.select_by_suite(named.version, named.suite)[named.suite].runs
    return [run for run in alike if run.setting == named.setting and run not in compared]


def _elsewhere(ledger: Ledger, like: Run, labels: str | None, fixtures: Collection[str]) -> Flips | None:
    """Return how the two newest runs of the newest version with several differ; two, so that it takes no time.

    None where they are one answer recorded twice. A missing answer is no flip.
    """
    pair = ledger.newest_pair(like)
    if pair is None:
        return None
    scoring = ledger.score(pair, labels or like.corpus)
    if samples(pair, scoring.given()).copies:
        return None
    outcomes = scoring.outcomes()
    before, after = (
        {o.fixture_id: o.passed for o in outcomes.get(run.id, ()) if o.fixture_id in fixtures and o.state != "missing"}
        for run in pair
    )
    both = before.keys() & after.keys()
    return Flips(pair[0].version, sum(before[name] != after[name] for name in both), len(both)) if both else None
