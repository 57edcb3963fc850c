"""The exact tests against reference values, against brute force, and what `diff` says of them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompteval import stats
from tests.helpers import Bench, answer, labels, point, proposal

# Computed with fractions by another program and checked with scipy and statsmodels.
REFERENCE: dict[str, Any] = json.loads((Path(__file__).parent / "cases" / "exact.json").read_text("utf-8"))
SAME, FIXED, BROKEN = ((1,), (1,)), ((0,), (1,)), ((1,), (0,))


@pytest.mark.parametrize("case", REFERENCE["mcnemar"], ids=lambda case: f"{case['b']}-{case['c']}")
def test_one_run_a_side_is_mcnemar(case: dict[str, int]) -> None:
    strata = [BROKEN] * case["b"] + [FIXED] * case["c"] + [SAME] * 3
    assert stats.permutation_p(strata) == Fraction(case["num"], case["den"])


@pytest.mark.parametrize("case", REFERENCE["signflip"], ids=lambda case: str(case["id"]))
def test_counts_of_one_run_a_side_are_sign_flips(case: dict[str, Any]) -> None:
    strata = [((max(0, -difference),), (max(0, difference),)) for difference in case["diffs"]]
    assert stats.permutation_p(strata) == Fraction(case["num"], case["den"])


@pytest.mark.parametrize("case", REFERENCE["stratified"], ids=lambda case: str(case["id"]))
def test_several_runs_a_side(case: dict[str, Any]) -> None:
    assert stats.permutation_p(zip(case["a"], case["b"], strict=True)) == Fraction(case["num"], case["den"])


@pytest.mark.parametrize("case", REFERENCE["wilson95"], ids=lambda case: f"{case['x']}-{case['n']}")
def test_wilson(case: dict[str, Any]) -> None:
    interval = stats.wilson(case["x"], case["n"])
    assert interval == pytest.approx((case["lo"], case["hi"]), abs=1e-12)
    assert interval is not None and 0 <= interval[0] <= interval[1] <= 1


def test_wilson_of_nothing_is_unknown() -> None:
    assert stats.wilson(0, 0) is None


@pytest.mark.parametrize("case", REFERENCE["holm"], ids=lambda case: str(case["p"]))
def test_holm(case: dict[str, list[float]]) -> None:
    adjusted = stats.holm([Fraction(str(p)) for p in case["p"]])
    assert adjusted == [Fraction(str(p)) for p in case["adj"]]


@pytest.mark.parametrize("case", REFERENCE["flip_noise"], ids=lambda case: str(case["value"]))
def test_own_noise(case: dict[str, Any]) -> None:
    assert stats.own_noise(case["c_of_r"]) == Fraction(case["value"])


@pytest.mark.parametrize(("against", "needed"), REFERENCE["critical_c_for_b"].items())
def test_how_many_changes_it_takes(against: str, needed: int) -> None:
    assert stats.fewest_changes([(1, 1)] * 40, int(against)) == needed


@pytest.mark.parametrize(("fixtures", "fewest"), [(0, None), (5, None), (6, 6), (24, 6)])
def test_few_fixtures_cannot_reach_the_level(fixtures: int, fewest: int | None) -> None:
    assert stats.fewest_changes([(1, 1)] * fixtures) == fewest


def brute_force(strata: Sequence[stats.Stratum]) -> Fraction:
    """Return p by listing every way to hand the values out."""
    ways = []
    for before, after in strata:
        values, n = [*before, *after], len(after)
        chosen = itertools.combinations(range(len(values)), n)
        ways.append([_difference(values, set(places)) for places in chosen])
    observed = sum((Fraction(sum(b), len(b)) - Fraction(sum(a), len(a)) for a, b in strata), Fraction(0))
    totals = [sum(way, Fraction(0)) for way in itertools.product(*ways)]
    return Fraction(len([total for total in totals if total >= abs(observed) or total <= -abs(observed)]), len(totals))


def _difference(values: list[int], after: set[int]) -> Fraction:
    inside = [value for place, value in enumerate(values) if place in after]
    outside = [value for place, value in enumerate(values) if place not in after]
    return Fraction(sum(inside), len(inside)) - Fraction(sum(outside), len(outside))


values = st.lists(st.integers(0, 4), min_size=1, max_size=3)


@given(strata=st.lists(st.tuples(values, values), max_size=4))
def test_against_brute_force(strata: list[tuple[list[int], list[int]]]) -> None:
    assert stats.permutation_p(strata) == brute_force(strata)


@given(strata=st.lists(st.tuples(values, values), max_size=6))
def test_swapping_the_sides_changes_nothing(strata: list[tuple[list[int], list[int]]]) -> None:
    assert stats.permutation_p(strata) == stats.permutation_p([(after, before) for before, after in strata])
    assert 0.0 < float(stats.permutation_p(strata)) <= 1.0


def test_too_uneven_is_said_and_not_waited_for() -> None:
    strata = [([1] * 15 + [9] * (m - 15), [3] * 10 + [1] * (n - 10)) for m in range(20, 31) for n in range(20, 31)]
    with pytest.raises(stats.TooUnevenError):
        stats.permutation_p(strata)


RIGHT, WRONG = answer(proposal("Alpha")), answer(proposal("Other"))


def _bench(root: Path, fixtures: int, gates: int = 0) -> tuple[Bench, list[str], list[str]]:
    points, empty = [f"a{n:02}" for n in range(fixtures)], [f"g{n:02}" for n in range(gates)]
    return Bench(root, {**{n: labels(point()) for n in points}, **{n: labels() for n in empty}}), points, empty


def evidence_of(bench: Bench) -> Any:
    return bench.diff("5", "6")["comparisons"][0]["evidence"]


def test_diff_gives_each_p_and_adjusts_the_secondary_ones(tmp_path: Path) -> None:
    """Six of seven fixtures fixed: recall 2/2^6. Phantoms went in the same six, one gate of six changed.

    By hand: recall 1/32 as it is. Phantoms 2/2^6 = 1/32, gate 1; Holm doubles the smaller one to 1/16. So seven changes
    (2/2^7 = 1/64) are what phantoms need, of the 12 fixtures whose answers are valid; six gates cannot do it.
    """
    bench, points, gates = _bench(tmp_path, 7, 6)
    bench.ingest("5", {**dict.fromkeys(points, WRONG), **dict.fromkeys(gates, answer())})
    better = {**dict.fromkeys(points, RIGHT), points[0]: WRONG, **dict.fromkeys(gates, answer()), gates[0]: "broken"}
    bench.ingest("6", better)
    p = evidence_of(bench)["p"]
    assert (p["recall"]["exact"], p["recall"]["adjusted"]) == ("1/32", False)
    assert (p["phantoms"]["exact"], p["phantoms"]["adjusted"]) == ("1/16", True)
    assert p["gate_accuracy"]["exact"] == "1"
    text = bench.report("diff", "5", "6")
    assert "recall (primary): evidence of a difference (p 0.0312)" in text
    assert (
        "phantoms: no evidence of a difference (p 0.0625 after Holm); that is not evidence that they are equal" in text
    )
    assert "6 of 7 fixtures in recall, 7 of 12 fixtures in phantoms: all one way" in text
    assert [p[name]["fewest_changes"] for name in ("recall", "phantoms", "gate_accuracy")] == [6, 7, None]
    assert "Run-to-run noise was not measured for v5 and v6" in text


def test_diff_gives_no_p_where_none_could_be_small(tmp_path: Path) -> None:
    bench, points, _ = _bench(tmp_path, 5)
    bench.ingest("5", dict.fromkeys(points, WRONG))
    bench.ingest("6", dict.fromkeys(points, RIGHT))
    assert evidence_of(bench)["p"]["recall"]["exact"] is None
    text = bench.report("diff", "5", "6")
    assert "recall (primary): with 5 fixtures no outcome could reach p 0.05, so none is given" in text
    assert "gate accuracy: no fixture to compare" in text


def test_diff_measures_noise_where_a_version_has_several_runs(tmp_path: Path) -> None:
    """v5 passes 2 of 3 on one fixture and 0 of 3 on the rest: 2 * 2 * 1 / (3 * 2) = 2/3 of a fixture."""
    bench, points, _ = _bench(tmp_path, 3)
    for right in (1, 1, 0):
        given_answers = {name: RIGHT if index < right else WRONG for index, name in enumerate(points)}
        bench.ingest("5", given_answers, "--repeat")
    bench.ingest("6", dict.fromkeys(points, RIGHT))
    assert evidence_of(bench)["noise"] == {"baseline": pytest.approx(2 / 3), "candidate": None}
    text = bench.report("diff", "5", "6")
    assert "on average two runs of v5 differ on 0.7 of 3 fixtures" in text
    assert "Moved up" in text and "Moved down" in text and "Fixed" not in text
    assert text.count("v5    ") >= 3, "each run's own figures"


def test_the_level_itself_is_enough() -> None:
    """Of 20 ways to choose the one answer of the baseline, one is as far from zero as what was seen: p is 1/20."""
    assert stats.permutation_p([((0,), (1,) * 19)]) == stats.LEVEL
    assert stats.fewest_changes([(1, 19)]) == 1


def test_an_interval_of_shares_stays_among_shares() -> None:
    """Without a bound, 11 of 11 would reach to 1.0000000000000002."""
    for total in range(1, 200):
        for passed in (0, total):
            low, high = stats.wilson(passed, total) or (-1, 2)
            assert 0 <= low <= high <= 1


def test_an_interval_of_a_tiny_mean_stays_among_shares() -> None:
    """The lower end of 10^-12 in 3 lies above zero, at less than what a difference of two floats can tell from it."""
    for digits in range(1, 20):
        low, high = stats.wilson(Fraction(1, 10**digits), 3) or (-1, 2)
        assert 0 <= low < Fraction(1, 10**digits) < high <= 1


def test_noise_of_two_runs_is_how_many_differ() -> None:
    assert stats.own_noise([(1, 2), (2, 2), (0, 2), (1, 2)]) == 2


def test_the_interval_counts_fixtures_and_not_answers(tmp_path: Path) -> None:
    """Ten runs of four fixtures are no forty fixtures: the interval of 2/4 is that of two in four."""
    bench, points, _ = _bench(tmp_path, 4)
    for _ in range(3):
        bench.ingest("5", {name: RIGHT if name < "a02" else WRONG for name in points}, "--repeat")
    bench.ingest("6", dict.fromkeys(points, RIGHT))
    assert evidence_of(bench)["intervals"]["fixtures_passed"]["baseline"] == pytest.approx(stats.wilson(2, 4))


def test_no_p_is_given_for_a_fixture_or_a_category(tmp_path: Path) -> None:
    bench, points, _ = _bench(tmp_path, 8)
    bench.ingest("5", dict.fromkeys(points, WRONG))
    bench.ingest("6", dict.fromkeys(points, RIGHT))
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert not any("p" in entry for entry in (*comparison["fixtures"], *comparison["candidate"]["categories"]))
