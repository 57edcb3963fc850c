"""Tell samples from copies: the same answers, recorded in two runs, are one piece of evidence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from prompteval.outcomes import Given, Run


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
    places = {run.id: place for place, run in enumerate(runs)}
    holders: dict[tuple[str, tuple[str, str]], list[Run]] = defaultdict(list)
    for run in runs:
        for answer in given[run.id].answers.items() if run.id in given else ():
            holders[answer].append(run)
    whole = {run.id: other for run in runs if (other := _whole(run, given, holders, places))}
    counted = tuple(run for run in runs if run.id not in whole)
    copies = []
    for run in runs:
        other = run
        while other.id in whole:  # a copy of a copy is one of what that is a copy of
            other = whole[other.id]
        if other is not run:
            copies.append(Copy(run, other, len(given[run.id].answers)))
    times = Counter(
        (fixture, given[run.id].answers[fixture])
        for run in counted
        if run.id in given
        for fixture in given[run.id].telling
    )
    return Samples(counted, tuple(copies), sum(number > 1 for number in times.values()))


def _whole(
    run: Run,
    given: Mapping[str, Given],
    holders: Mapping[tuple[str, tuple[str, str]], Sequence[Run]],
    places: Mapping[str, int],
) -> Run | None:
    """Return the first run that has all answers of `run`: more than those, or the same and came first.

    None: `run` is a sample. `holders` has the runs with each answer, oldest first, and `places` the place of each run.
    Only a run with the rarest answer of `run` can have all of them, so that not every run is compared with every other.
    """
    mine = given.get(run.id)
    if mine is None or not mine.telling or mine.repeated:
        return None
    answers = mine.answers.items()
    for other in min((holders[answer] for answer in answers), key=len):
        theirs = given[other.id].answers.items()
        if answers < theirs or (answers == theirs and places[other.id] < places[run.id]):
            return other
    return None
