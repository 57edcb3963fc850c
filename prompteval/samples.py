"""Tell samples from copies: the same answers, recorded in two runs, are one piece of evidence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from prompteval.outcomes import Given, Run


class Copy(NamedTuple):
    """A run that is not counted, since each of its answers is in another one, which is. `repeat`: that has no other."""

    run: Run
    of: Run
    answers: int
    repeat: bool


class Samples(NamedTuple):
    """The runs of one side that count, oldest first, and those that do not.

    `shared` is how many answers that are not empty occur word for word in more than one of the counted runs.
    """

    runs: Sequence[Run]
    copies: Sequence[Copy]
    shared: int


_NOTHING = Given({}, set(), False)
_Answer = tuple[str, tuple[str, str]]  # fixture id, and the digests of session and answer


def samples(runs: Sequence[Run], given: Mapping[str, Given]) -> Samples:
    """Return which of the runs of one side count. `given` is by run id; a run without an answer has none."""
    own = [given.get(run.id, _NOTHING) for run in runs]
    holders: dict[_Answer, list[int]] = defaultdict(list)
    for place, mine in enumerate(own):
        for answer in mine.answers.items():
            holders[answer].append(place)
    whole = {place: other for place in range(len(runs)) if (other := _whole(place, own, holders)) is not None}
    copies = []
    for place in whole:
        other = place
        while other in whole:  # a copy of a copy is one of what that is a copy of
            other = whole[other]
        same = own[place].answers == own[other].answers
        copies.append(Copy(runs[place], runs[other], len(own[place].answers), same))
    counted = [place for place in range(len(runs)) if place not in whole]
    times = Counter((fixture, own[place].answers[fixture]) for place in counted for fixture in own[place].telling)
    return Samples([runs[place] for place in counted], copies, sum(number > 1 for number in times.values()))


def _whole(place: int, given: Sequence[Given], holders: Mapping[_Answer, Sequence[int]]) -> int | None:
    """Return the first run that has all answers of the run in `place`: more than those, or the same and came first.

    None: it is a sample. Empty answers alone can be the same by chance: a run of nothing else is a copy only of a run
    that has others too, or where it was recorded as a repeat. `holders` has the places of the runs with each answer.
    Only a run with its rarest answer can have all of them, so that not every run is compared with every other.
    """
    mine = given[place]
    answers = mine.answers.items()
    for other in min((holders[answer] for answer in answers), key=len, default=()):
        theirs = given[other]
        has_all = answers < theirs.answers.items() or (answers == theirs.answers.items() and other < place)
        if has_all and (mine.telling or theirs.telling or mine.repeated):
            return other
    return None
