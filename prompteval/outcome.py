"""What scoring says about a run: one outcome a fixture, with the reasons it fails, and the sums over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple


class Reason(NamedTuple):
    """Why a fixture fails. `code` is missed, phantoms, not-empty, no-result or invalid; `detail` goes into JSON."""

    code: str
    text: str
    detail: Mapping[str, Any]


class FixtureOutcome(NamedTuple):
    """How one run did on one fixture. `gate` is None where the fixture does not expect an empty answer."""

    fixture_id: str
    category: str
    state: str  # valid, invalid or missing
    passed: bool
    points_matched: int
    points_total: int
    proposals: int
    phantoms: int
    gate: bool | None
    reasons: tuple[Reason, ...] = ()


class Ratio(NamedTuple):
    """A part of a whole. 0/0 is unknown, neither 0 % nor 100 %."""

    part: int
    whole: int


class Totals(NamedTuple):
    """The sums over the fixtures of one run, or of several. `answered` counts the invalid answers too."""

    fixtures: Ratio
    points: Ratio
    phantoms: int
    gate: Ratio
    answered: Ratio
    invalid: int


NOTHING = Totals(Ratio(0, 0), Ratio(0, 0), 0, Ratio(0, 0), Ratio(0, 0), 0)


def add(sums: Iterable[Totals]) -> Totals:
    """Return the sums over several totals, such as those of the runs of one version."""
    listed = list(sums)
    return Totals(
        _add(each.fixtures for each in listed),
        _add(each.points for each in listed),
        sum(each.phantoms for each in listed),
        _add(each.gate for each in listed),
        _add(each.answered for each in listed),
        sum(each.invalid for each in listed),
    )


def _add(ratios: Iterable[Ratio]) -> Ratio:
    parts = list(ratios)
    return Ratio(sum(ratio.part for ratio in parts), sum(ratio.whole for ratio in parts))


def totals(outcomes: Iterable[FixtureOutcome]) -> Totals:
    """Return the sums over outcomes, which may be those of several runs."""
    listed = list(outcomes)
    gates = [outcome.gate for outcome in listed if outcome.gate is not None]
    return Totals(
        Ratio(sum(o.passed for o in listed), len(listed)),
        Ratio(sum(o.points_matched for o in listed), sum(o.points_total for o in listed)),
        sum(o.phantoms for o in listed),
        Ratio(sum(gates), len(gates)),
        Ratio(sum(o.state != "missing" for o in listed), len(listed)),
        sum(o.state == "invalid" for o in listed),
    )


def by_category(outcomes: Iterable[FixtureOutcome]) -> dict[str, Ratio]:
    """Return passed/total of each category, by name."""
    listed = list(outcomes)
    names = sorted({outcome.category for outcome in listed})
    return {
        name: Ratio(sum(o.passed for o in listed if o.category == name), sum(o.category == name for o in listed))
        for name in names
    }


class Run(NamedTuple):
    """One run as the ledger knows it. `sample` counts the runs with the same tags, from 1, oldest first."""

    id: str
    version: str
    model: str
    temperature: float | None
    harness: str | None
    note: str | None
    sample: int
    recorded_at: str
    corpus: str
    corpus_version: str | None

    @property
    def short_id(self) -> str:
        return self.id[:8]

    @property
    def setting(self) -> tuple[str, float | None, str | None]:
        """What must be the same for two runs to be compared like with like."""
        return self.model, self.temperature, self.harness


class CorpusRecording(NamedTuple):
    """When a corpus became the latest, and its fixtures as (fixture id, session digest, label digest)."""

    recorded_at: str
    corpus: str
    version: str | None
    fixtures: tuple[tuple[str, str, str], ...]


class PointRecord(NamedTuple):
    """How one expected point fared over the valid answers of several runs.

    `near` counts answers that missed it with a near miss; `sole` has each term whose absence alone caused a miss, with
    the number of answers; `guards` each guard that alone did.
    """

    fixture_id: str
    point_id: str
    runs: int
    matched: int
    near: int
    sole: tuple[tuple[str, int], ...]
    guards: tuple[tuple[str, int], ...]

    @property
    def matched_of(self) -> Ratio:
        return Ratio(self.matched, self.runs)


class LeftOut(NamedTuple):
    """A fixture that was not scored or compared, and why."""

    fixture_id: str
    why: str


class Scored(NamedTuple):
    """One run under one set of labels: `labels` is recorded or latest, `judge` the corpus revision they come from."""

    run: Run
    labels: str
    judge: str
    outcomes: Sequence[FixtureOutcome]
    left_out: Sequence[LeftOut]


class Copy(NamedTuple):
    """A run that is not counted, since each of its answers is in another one, which is."""

    run: Run
    of: Run
    answers: int


class History(NamedTuple):
    """Runs with their totals, oldest first, under the labels of the corpus `judge` (None: each its own).

    `copies` are those among them that are no further samples of their version and setting.
    """

    runs: Sequence[tuple[Run, Totals]]
    judge: str | None
    left_out: Sequence[LeftOut]
    copies: Sequence[Copy]

    @property
    def counted(self) -> list[tuple[Run, Totals]]:
        """The runs that are no copies of others."""
        copies = {copy.run.id for copy in self.copies}
        return [(run, sums) for run, sums in self.runs if run.id not in copies]
