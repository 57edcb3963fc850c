"""Tell samples from copies: the same answers, recorded in two runs, are one piece of evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from prompteval.outcome import Run


class Given(NamedTuple):
    """What one run answered: the digest of each answer, by fixture id.

    `telling` has the fixtures with an answer that is not empty: word for word the same, two of those are hardly a
    coincidence. `repeated`: recorded with --repeat, as a further sample on purpose.
    """

    answers: Mapping[str, str]
    telling: frozenset[str]
    repeated: bool


class Copy(NamedTuple):
    """A run that is not counted, since each of its answers is in another one, which is."""

    run: Run
    of: Run
    answers: int


class Samples(NamedTuple):
    """The runs of one side that count, oldest first, and those that do not.

    `shared` is how many answers that are not empty occur word for word in more than one of the counted runs.
    """

    runs: tuple[Run, ...]
    copies: tuple[Copy, ...] = ()
    shared: int = 0


def samples(runs: Sequence[Run], given: Mapping[str, Given]) -> Samples:
    """Return which of the runs of one side count. `given` is by run id; a run without an answer has none."""
    copies = tuple(copy for run in runs if (copy := _copy(run, runs, given)))
    left_out = {copy.run.id for copy in copies}
    counted = tuple(run for run in runs if run.id not in left_out)
    times = Counter(
        (fixture, given[run.id].answers[fixture])
        for run in counted
        if run.id in given
        for fixture in given[run.id].telling
    )
    return Samples(counted, copies, sum(number > 1 for number in times.values()))


def _copy(run: Run, runs: Sequence[Run], given: Mapping[str, Given]) -> Copy | None:
    mine = given.get(run.id)
    if mine is None or not mine.telling:
        return None
    answers = mine.answers.items()
    earlier = True
    for other in runs:
        earlier &= other is not run
        theirs = given[other.id].answers.items() if other.id in given else None
        if theirs and (answers < theirs or (answers == theirs and earlier and not mine.repeated)):
            return Copy(run, other, len(answers))
    return None
