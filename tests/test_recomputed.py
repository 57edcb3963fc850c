"""The numbers of `diff` against a second way to compute them: from the scores of single runs, by the plainest loops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.helpers import Bench, answer, labels, point, proposal, slow_but

Answers = dict[str, list[dict[str, Any]]]  # by fixture: what `score` says of it in each run
Stratum = tuple[list[int], list[int]]
Lookup = Callable[[Answers, str], list[dict[str, Any]]]
Value = Callable[[dict[str, Any]], int]
MEASURES: dict[str, Value] = {
    "fixtures_passed": lambda f: f["passed"],
    "points_matched": lambda f: f["points_matched"],
    "phantoms": lambda f: f["phantoms"],
    "gate_correct": lambda f: bool(f["gate"]),
}


def any_bench(root: Path, random: Random, complete: bool) -> Bench:
    """Return two versions of one to three runs, with invalid, right, wrong and (unless `complete`) missing answers."""
    fixtures = {f"gate{n}": labels(category="reject-thing") for n in range(random.randint(0, 4))}
    for n in range(random.randint(3, 8)):
        points = (point(f"p{i}", must_match_all=[f"word{i}"]) for i in range(random.randint(1, 2)))
        fixtures[f"point{n}"] = labels(*points, budget=random.randint(0, 1))
    bench, number = Bench(root, fixtures), itertools.count()
    for version in ("5", "6"):
        for _ in range(random.randint(1, 3)):
            given = {name: _any_answer(random, number) for name in fixtures if complete or random.random() < 0.9}
            bench.ingest(version, given or {"point0": answer()}, "--partial")
    return bench


def _any_answer(random: Random, number: Iterable[int]) -> Any:
    if random.random() < 0.1:
        return f"broken {next(iter(number))}"
    words = ("word0", "word1", "word0 word1", "nothing")
    titles = (f"{random.choice(words)} {next(iter(number))}" for _ in range(random.choice((0, 1, 1, 2, 3))))
    return answer(*map(proposal, titles))


def answers_of(bench: Bench, runs: Sequence[dict[str, Any]]) -> Answers:
    found: Answers = {}
    for run in runs:
        for fixture in bench.score(run["id"])["fixtures"]:
            found.setdefault(fixture["fixture_id"], []).append(fixture)
    return found


def valid(answers: Answers, name: str) -> list[dict[str, Any]]:
    return [f for f in answers[name] if not {reason["code"] for reason in f["reasons"]} & {"invalid", "no-result"}]


def mean(listed: Sequence[dict[str, Any]], value: Value) -> Fraction:
    return Fraction(sum(map(value, listed)), len(listed))


def permutation_p(strata: Sequence[Stratum]) -> Fraction:
    """Hand each fixture's values out in every way, and add the fixtures up one after another."""
    ways, observed = {Fraction(0): 1}, Fraction(0)
    for before, after in strata:
        values, n = before + after, len(after)
        observed += Fraction(sum(after), n) - Fraction(sum(before), len(before))
        added: dict[Fraction, int] = {}
        for taken in itertools.combinations(range(len(values)), n):
            part = sum(values[i] for i in taken)
            difference = Fraction(part, n) - Fraction(sum(values) - part, len(before))
            for total, count in ways.items():
                added[total + difference] = added.get(total + difference, 0) + count
        ways = added
    return Fraction(sum(c for total, c in ways.items() if abs(total) >= abs(observed)), sum(ways.values()))


def expected_p(strata: dict[str, list[Stratum]]) -> dict[str, tuple[str, float] | None]:
    """Return p of each measure, exact and after Holm over those that have a fixture."""
    found = {name: permutation_p(listed) for name, listed in strata.items() if listed}
    order, highest, adjusted = sorted(found, key=lambda name: found[name]), Fraction(0), {}
    for rank, name in enumerate(order):
        highest = max(highest, min(Fraction(1), (len(order) - rank) * found[name]))
        adjusted[name] = highest
    return {name: (str(found[name]), float(adjusted[name])) if name in found else None for name in strata}


# The 97.5 % points of Student's t for 2 to 14 degrees of freedom, from a printed table.
T = dict(enumerate((4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145), 2))


def interval(strata: Sequence[Stratum], most: int | None) -> tuple[float, float]:
    """Return Student's interval of the change, with +1 and -1 beside the differences, within what is possible."""
    differences = [float(Fraction(sum(a), len(a)) - Fraction(sum(b), len(b))) for b, a in strata]
    wide = [*differences, 1.0, -1.0]
    middle = sum(wide) / len(wide)
    spread = math.sqrt(sum((each - middle) ** 2 for each in wide) / (len(wide) - 1))
    half = T[len(wide) - 1] * spread / math.sqrt(len(wide)) * len(differences)
    before = sum(float(Fraction(sum(b), len(b))) for b, _ in strata)
    high = sum(differences) + half
    return max(sum(differences) - half, -before), high if most is None else min(high, most - before)


class Recomputed:
    """One comparison as JSON, the answers of either side, and the fixtures that both answered."""

    def __init__(self, bench: Bench) -> None:
        (self.comparison,) = bench.diff("5", "6")["comparisons"]
        self.sides = {name: answers_of(bench, self.comparison[name]["runs"]) for name in ("baseline", "candidate")}
        self.names = sorted(self.sides["baseline"].keys() & self.sides["candidate"].keys())
        self.complete = all(
            f["reasons"] == [] or f["reasons"][0]["code"] != "no-result"
            for a in self.sides.values()
            for listed in a.values()
            for f in listed
        )
        self.gates = [name for name in self.names if name.startswith("gate")]
        self.readable = [name for name in self.names if all(valid(answers, name) for answers in self.sides.values())]

    def measured(self) -> dict[str, list[Stratum]]:
        """Return the values of each measure, for each fixture that it is about."""
        points = [name for name in self.names if name not in self.gates]
        return {
            "recall": self.strata(points, MEASURES["points_matched"]),
            "phantoms": self.strata(self.readable, MEASURES["phantoms"], valid),
            "gate_accuracy": self.strata(self.gates, MEASURES["gate_correct"]),
            "fixtures_passed": self.strata(self.names, MEASURES["fixtures_passed"]),
        }

    def strata(self, names: Sequence[str], value: Value, of: Lookup = dict.__getitem__) -> list[Stratum]:
        before, after = self.sides.values()
        return [([value(f) for f in of(before, name)], [value(f) for f in of(after, name)]) for name in names]


@pytest.fixture(scope="module", params=slow_but(range(6), range(12)))
def found(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Recomputed:
    return Recomputed(any_bench(tmp_path_factory.mktemp("bench"), Random(request.param), request.param % 3 > 0))


def test_the_fixtures_compared(found: Recomputed) -> None:
    assert [fixture["fixture_id"] for fixture in found.comparison["fixtures"]] == found.names


def test_every_mean(found: Recomputed) -> None:
    for side, answers in found.sides.items():
        for measure, value in MEASURES.items():
            counted = [answers[name] for name in found.names]
            if measure == "phantoms":
                counted = [valid(answers, name) for name in found.readable]
            expected = float(sum(mean(listed, value) for listed in counted))
            assert found.comparison[side]["means"][measure] == pytest.approx(expected), measure


def test_every_interval(found: Recomputed) -> None:
    points = sum(f["points_total"] for name in found.names for f in found.sides["baseline"][name][:1])
    most = {"recall": points, "gate_accuracy": len(found.gates), "fixtures_passed": len(found.names), "phantoms": None}
    for name, strata in found.measured().items():
        given = found.comparison["evidence"]["measures"][name]["interval"]
        if strata and found.complete:
            assert given == pytest.approx(interval(strata, most[name]), rel=1e-3, abs=1e-3), name
        else:
            assert given is None


def test_every_p(found: Recomputed) -> None:
    expected = expected_p(found.measured()) if found.complete else dict.fromkeys(found.measured())
    given = found.comparison["evidence"]["measures"]
    for name, p in expected.items():
        assert (given[name]["exact"], given[name]["adjusted"]) == (p or (None, None)), name
        assert bool(given[name]["why"]) == (p is None)
