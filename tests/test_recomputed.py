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


def any_bench(root: Path, random: Random) -> Bench:
    """Return two versions with one to three runs each, in which answers are missing, invalid, right and wrong."""
    fixtures = {f"gate{n}": labels(category="reject-thing") for n in range(random.randint(0, 4))}
    for n in range(random.randint(3, 8)):
        points = (point(f"p{i}", must_match_all=[f"word{i}"]) for i in range(random.randint(1, 2)))
        fixtures[f"point{n}"] = labels(*points, budget=random.randint(0, 1))
    bench, number = Bench(root, fixtures), itertools.count()
    for version in ("5", "6"):
        for _ in range(random.randint(1, 3)):
            given = {name: _any_answer(random, number) for name in fixtures if random.random() < 0.9}
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
            if [reason["code"] for reason in fixture["reasons"]] != ["no-result"]:
                found.setdefault(fixture["fixture_id"], []).append(fixture)
    return found


def valid(answers: Answers, name: str) -> list[dict[str, Any]]:
    return [f for f in answers[name] if [reason["code"] for reason in f["reasons"]] != ["invalid"]]


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


def expected_p(strata: dict[str, list[Stratum]]) -> dict[str, str | None]:
    """Return p of each measure, of the secondary two after Holm; None where even a change of all would not do."""
    found: dict[str, Fraction] = {}
    for name, listed in strata.items():
        best = [([0] * len(before), [1] * len(after)) for before, after in listed]
        if listed and permutation_p(best) <= Fraction(1, 20):
            found[name] = permutation_p(listed)
    if found.keys() >= {"phantoms", "gate_accuracy"}:
        low, high = sorted(("phantoms", "gate_accuracy"), key=lambda name: found[name])
        found[low] = min(Fraction(1), 2 * found[low])
        found[high] = max(found[low], found[high])
    return {name: str(found[name]) if name in found else None for name in strata}


def wilson(share: float, n: int) -> list[float]:
    z = 1.959963984540054
    middle, half = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return [max(0.0, (middle - half) / (1 + z * z / n)), min(1.0, (middle + half) / (1 + z * z / n))]


class Recomputed:
    """One comparison as JSON, the answers of either side, and the fixtures that both answered."""

    def __init__(self, bench: Bench) -> None:
        (self.comparison,) = bench.diff("5", "6")["comparisons"]
        self.sides = {name: answers_of(bench, self.comparison[name]["runs"]) for name in ("baseline", "candidate")}
        self.names = sorted(self.sides["baseline"].keys() & self.sides["candidate"].keys())
        self.gates = [name for name in self.names if name.startswith("gate")]
        self.readable = [name for name in self.names if all(valid(answers, name) for answers in self.sides.values())]

    def strata(self, names: Sequence[str], value: Value, of: Lookup = dict.__getitem__) -> list[Stratum]:
        before, after = self.sides.values()
        return [([value(f) for f in of(before, name)], [value(f) for f in of(after, name)]) for name in names]


@pytest.fixture(scope="module", params=slow_but(range(6), range(12)))
def found(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Recomputed:
    return Recomputed(any_bench(tmp_path_factory.mktemp("bench"), Random(request.param)))


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
    kinds = {"fixtures_passed": (found.names, "fixtures_passed"), "gate_accuracy": (found.gates, "gate_correct")}
    for kind, (names, measure) in kinds.items():
        for side, answers in found.sides.items():
            given = found.comparison["evidence"]["intervals"][kind][side]
            if not names:
                assert given is None
                continue
            share = sum(mean(answers[name], MEASURES[measure]) for name in names) / len(names)
            assert given == pytest.approx(wilson(float(share), len(names)))


def test_every_p(found: Recomputed) -> None:
    points = [name for name in found.names if name not in found.gates]
    expected = expected_p(
        {
            "recall": found.strata(points, MEASURES["points_matched"]),
            "phantoms": found.strata(found.readable, MEASURES["phantoms"], valid),
            "gate_accuracy": found.strata(found.gates, MEASURES["gate_correct"]),
        }
    )
    assert {name: p["exact"] for name, p in found.comparison["evidence"]["p"].items()} == expected
