"""The suite in fixtures/stress: it has no problem, every fixture can be passed, and merged rules do not pass."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.helpers import EMPTY, ROOT, Bench, answer, by_id, ok, proposal

STRESS = ROOT / "fixtures" / "stress"
POINTS: dict[str, list[dict[str, Any]]] = {
    path.stem: yaml.safe_load(path.read_text("utf-8"))["expected_points"] for path in STRESS.glob("expected/*.yaml")
}


def made_for(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one proposal, of the first point's type, with the terms of all points; of alternatives, the first."""
    title = [term for point in points for term in point.get("must_match_all", [])]
    body = [term for point in points for term in point.get("must_match_any", [[]])[0]]
    return proposal("; ".join(title), "; ".join(body), points[0]["type"])


def outcomes(root: Path, answers: Mapping[str, object]) -> dict[str, Any]:
    """Record answers to the suite and return the outcome of each fixture."""
    bench = Bench(root, {})
    bench.fixtures = STRESS
    bench.ingest("6", answers)
    return by_id(bench.score())


def test_it_has_no_problem() -> None:
    assert ok("check", STRESS).splitlines()[-1].startswith("16 sessions: 0 problems and ")


def test_a_proposal_for_each_point_passes(tmp_path: Path) -> None:
    answers = {name: answer(*(made_for([point]) for point in points)) for name, points in POINTS.items()}
    found = outcomes(tmp_path, answers)
    assert len(found) == 16
    assert {name: outcome["reasons"] for name, outcome in found.items() if not outcome["passed"]} == {}


def test_one_proposal_for_all_points_fails(tmp_path: Path) -> None:
    """It satisfies neither of two rules, and it has one type where two are expected."""
    answers = {name: answer(made_for(points)) if points else EMPTY for name, points in POINTS.items()}
    found = outcomes(tmp_path, answers)
    several = {name for name, points in POINTS.items() if len(points) > 1}
    assert {name for name, outcome in found.items() if not outcome["passed"]} == several
    for name in ("split-two-rules-01", "split-two-rules-02"):
        assert (found[name]["points_matched"], found[name]["points_total"]) == (0, 2)


def test_one_map_may_hold_both_points_about_the_structure(tmp_path: Path) -> None:
    name = "practice-and-map-02"
    rule, *structure = POINTS[name]
    assert [point["type"] for point in (rule, *structure)] == ["practice", "map", "map"]
    found = outcomes(tmp_path, {**dict.fromkeys(POINTS, EMPTY), name: answer(made_for([rule]), made_for(structure))})
    assert found[name]["passed"]
