"""The exact tests on the largest comparisons that people make."""

from __future__ import annotations

import random
import time

import pytest

from prompteval.stats import Stratum, permutation_p

pytestmark = pytest.mark.slow


def _strata(runs: int, highest: int) -> list[Stratum]:
    chosen = random.Random(1)
    return [
        ([chosen.randint(0, highest) for _ in range(runs)], [chosen.randint(0, highest) for _ in range(runs)])
        for _ in range(24)
    ]


@pytest.mark.parametrize(("runs", "bound"), [(5, 0.2), (30, 2.0)])
def test_seconds_of_a_comparison(runs: int, bound: float) -> None:
    """24 fixtures: recall and phantoms with up to three per fixture, and the gate."""
    started = time.process_time()
    for highest in (3, 3, 1):
        permutation_p(_strata(runs, highest))
    taken = time.process_time() - started
    print(f"\n{runs} against {runs} runs: {taken / bound:.2f} of the {bound} s allowed")
    assert taken <= bound
