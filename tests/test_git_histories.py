"""Random histories of git, with the merge driver and without: a branch always has the runs that a model says it has."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

from tests.helpers import labels, ok, point, write_corpus
from tests.repository import Repository

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("git") is None, reason="no git")]
STEPS = 12


class History:
    """A repository beside a model of it: which runs each branch has."""

    def __init__(self, root: Path, driver: bool, random: Random) -> None:
        self.repository = Repository(root, driver)
        self.driver, self.random = driver, random
        self.branches: dict[str, set[str]] = {"main": set()}
        self.here, self.recorded = "main", 0
        self.record()

    def record(self) -> None:
        self.recorded += 1
        self.repository.record(str(self.recorded))
        self.branches[self.here].add(str(self.recorded))

    def record_again(self) -> None:
        """Record what another branch has recorded: the same run, at another time."""
        others = set().union(*self.branches.values()) - self.branches[self.here]
        if others:
            version = self.random.choice(sorted(others))
            self.repository.record(version)
            self.branches[self.here].add(version)

    def correct(self) -> None:
        """The next run is recorded with other labels."""
        term = f"alpha {self.random.randrange(3)}"
        write_corpus(self.repository.bench.fixtures, {"a": labels(point(must_match_all=[term]))})

    def branch(self) -> None:
        name = f"branch-{len(self.branches)}"
        self.repository.branch(name, self.here)
        self.branches[name] = set(self.branches[self.here])
        self.here = name

    def checkout(self) -> None:
        self.here = self.random.choice(list(self.branches))
        self.repository.git("checkout", "-q", self.here)

    def merge(self) -> None:
        other = self.random.choice(list(self.branches))
        parents = [self.repository.git("rev-parse", name).strip() for name in ("HEAD", other)]
        self._replay("merge", "--no-edit", other)
        self.branches[self.here] |= self.branches[other]
        for parent in parents:
            before = self.repository.state(parent)
            verified = ok("ledger", "verify", "--ledger", self.repository.ledger, "--against", "-", input=before)
            assert verified.startswith("0 problems")

    def pick(self) -> None:
        """Cherry-pick the newest commit of a branch, where it recorded a run that is not here.

        In a conflict without a driver their side has every run of that branch.
        """
        other = self.random.choice(list(self.branches))
        subject, _, version = self.repository.git("log", "-1", "--format=%s", other).strip().partition(" ")
        if subject == "Record" and version not in self.branches[self.here]:
            conflict = self._replay("cherry-pick", other)
            self.branches[self.here] |= self.branches[other] if conflict else {version}

    def _replay(self, *command: str) -> bool:
        """Return whether git left a conflict, which is over now."""
        if "CONFLICT" not in self.repository.git(*command, code=None):
            return False
        assert not self.driver
        self.repository.merge_theirs()
        self.repository.commit("Resolve")
        return True


@pytest.mark.parametrize("driver", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_every_branch_has_the_runs_of_all_that_went_into_it(tmp_path: Path, seed: int, driver: bool) -> None:
    random = Random(seed)
    history = History(tmp_path, driver, random)
    steps = (history.record, history.record, history.record_again, history.correct, history.branch, history.checkout)
    for _ in range(STEPS):
        random.choice((*steps, history.merge, history.merge, history.pick))()
        assert set(history.repository.versions()) == history.branches[history.here]
