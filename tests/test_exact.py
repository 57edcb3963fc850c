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
from tests.helpers import ROOT, Bench, answer, labels, ok, point, proposal, unlike

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


@pytest.mark.parametrize("case", REFERENCE["holm"], ids=lambda case: str(case["p"]))
def test_holm(case: dict[str, list[float]]) -> None:
    adjusted = stats.holm([Fraction(str(p)) for p in case["p"]])
    assert adjusted == [Fraction(str(p)) for p in case["adj"]]


@pytest.mark.parametrize("case", REFERENCE["flip_noise"], ids=lambda case: str(case["value"]))
def test_own_noise(case: dict[str, Any]) -> None:
    assert stats.own_noise(case["c_of_r"]) == Fraction(case["value"])


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


def test_diff_gives_each_p_and_adjusts_them(tmp_path: Path) -> None:
    """Six of seven fixtures fixed: recall 2/2^6. Phantoms went in the same six, one gate of six broke.

    By hand: recall and phantoms 1/32, passed (6 up, 1 down) 2 (1 + 7) / 2^7 = 1/8, gate 1. Holm over four: the two of
    1/32 become 1/8, the third 1/4, the last 1.
    """
    bench, points, gates = _bench(tmp_path, 7, 6)
    bench.ingest("5", {**dict.fromkeys(points, WRONG), **dict.fromkeys(gates, answer())})
    better = {**dict.fromkeys(points, RIGHT), points[0]: WRONG, **dict.fromkeys(gates, answer()), gates[0]: "broken"}
    bench.ingest("6", better)
    found = evidence_of(bench)["measures"]
    assert {name: (each["exact"], each["adjusted"]) for name, each in found.items()} == {
        "recall": ("1/32", 1 / 8),
        "phantoms": ("1/32", 1 / 8),
        "fixtures_passed": ("1/8", 1 / 4),
        "gate_accuracy": ("1", 1),
    }
    text = bench.report("diff", "5", "6")
    assert (
        "No difference shown in fixtures passed, recall, phantoms or gate accuracy. Fixtures: 6 fixed, 1 broken."
        in text
    )
    assert "v5 has one run, so what chance does to it was not measured." in text


def test_a_measure_without_a_fixture_has_no_p(tmp_path: Path) -> None:
    bench, points, _ = _bench(tmp_path, 5)
    bench.ingest("5", dict.fromkeys(points, WRONG))
    bench.ingest("6", dict.fromkeys(points, RIGHT))
    gate = evidence_of(bench)["measures"]["gate_accuracy"]
    assert (gate["p"], gate["why"], gate["interval"]) == (None, "no fixture to compare", None)
    assert "No p for gate accuracy: no fixture to compare." in bench.report("diff", "5", "6")


VERDICT: dict[str, Any] = json.loads((Path(__file__).parent / "cases" / "verdict.json").read_text("utf-8"))


@pytest.mark.parametrize("name", [name for name in VERDICT if name != "about"])
def test_the_recorded_runs_against_other_programs(name: str) -> None:
    suite, before, after = name.split("_")
    command = ("diff", before, after, "--suite", suite, "--format", "json", "--ledger", ROOT / "ledger/prompteval.db")
    (comparison,) = json.loads(ok(*command))["comparisons"]
    for measure, expected in VERDICT[name].items():
        found = comparison["evidence"]["measures"][measure.replace(" ", "_")]
        assert found["fixtures"] == expected["n"]
        assert found["change"] == pytest.approx(expected["change"], abs=1e-6)
        assert found["interval"] == pytest.approx([expected["low"], expected["high"]], abs=1e-4)
        assert (found["p"], found["adjusted"]) == pytest.approx((expected["p_raw"], expected["p_holm"]))


@pytest.mark.parametrize(("degrees", "point"), [(1, 12.7062), (2, 4.3027), (5, 2.5706), (25, 2.0595), (120, 1.9799)])
def test_points_of_student_t(degrees: int, point: float) -> None:
    """As printed tables have them."""
    assert stats.student_t975(degrees) == pytest.approx(point, abs=5e-5)


@given(st.lists(st.fractions(min_value=-3, max_value=3, max_denominator=6), min_size=1, max_size=30))
def test_an_interval_is_centred_and_turns_with_the_sides(differences: list[Fraction]) -> None:
    low, high = stats.change_interval(differences)
    assert (low + high) / 2 == pytest.approx(float(sum(differences)), abs=1e-9) and low < high
    assert stats.change_interval([-each for each in differences]) == pytest.approx((-high, -low))


def test_diff_measures_noise_where_both_have_several_runs(tmp_path: Path) -> None:
    """Of three runs v5 passes 2, 1 and 0 of 3 on three fixtures: 2/3 + 2/3 + 0 fixtures differ; v6 never differs.

    ± 1.96 sqrt(4/3 / 6 + 0) = 0.9.
    """
    bench, points, _ = _bench(tmp_path, 3)
    for number, right in enumerate((2, 1, 0)):
        bench.ingest("5", {n: unlike(number, right=index < right) for index, n in enumerate(points)})
        bench.ingest("6", {n: unlike(number + 10) for n in points})
    evidence = evidence_of(bench)
    assert evidence["noise"] == {"baseline": pytest.approx(4 / 3), "candidate": 0}
    assert evidence["moves_by_chance"] == pytest.approx(1.96 * (4 / 18) ** 0.5, abs=1e-3)
    text = bench.report("diff", "5", "6")
    assert "moves by about ± 0.9." in text
    assert "No fixture of v6 flipped in 3 pairs of runs, which does not mean none can." in text
    assert text.count("v5    ") >= 3, "each run's own figures"


def test_the_level_itself_is_enough() -> None:
    """Of 20 ways to choose the one answer of the baseline, one is as far from zero as what was seen: p is 1/20."""
    assert stats.permutation_p([((0,), (1,) * 19)]) == stats.LEVEL


def test_noise_of_two_runs_is_how_many_differ() -> None:
    assert stats.own_noise([(1, 2), (2, 2), (0, 2), (1, 2)]) == 2


def test_no_p_is_given_for_a_fixture_or_a_category(tmp_path: Path) -> None:
    bench, points, _ = _bench(tmp_path, 8)
    bench.ingest("5", dict.fromkeys(points, WRONG))
    bench.ingest("6", dict.fromkeys(points, RIGHT))
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert not any("p" in entry for entry in (*comparison["fixtures"], *comparison["candidate"]["categories"]))
