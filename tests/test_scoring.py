"""The scoring rules, driven through ingest and score."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers import Bench, answer, by_id, case_answer, case_labels, labels, point, proposal

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "cases" / "scoring.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All cases as the fixtures of one corpus, answered by one run."""
    names = [f"case-{index:02}" for index in range(len(CASES))]
    bench = Bench(
        tmp_path_factory.mktemp("cases"), {n: case_labels(case) for n, case in zip(names, CASES, strict=True)}
    )
    bench.ingest("1", {n: case_answer(case["answer"]) for n, case in zip(names, CASES, strict=True)}, "--partial")
    fixtures = by_id(bench.score())
    return {case["name"]: fixtures[name] for name, case in zip(names, CASES, strict=True)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_rule(case: dict[str, Any], scored: dict[str, Any]) -> None:
    outcome, expect = scored[case["name"]], case["expect"]
    assert [reason["text"] for reason in outcome["reasons"]] == expect.get("reasons", [])
    assert outcome["passed"] is expect["passed"]
    assert outcome["points_matched"] == expect["matched"]
    assert outcome["points_total"] == len(case["points"])
    assert outcome["phantoms"] == expect["phantoms"]
    assert outcome["gate"] is expect.get("gate")


def test_case_names_are_unique() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES)


def test_reason_details(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(point()), "b": labels(), "c": labels(), "d": labels()})
    bench.ingest("1", {"a": answer(), "b": answer(proposal()), "c": "{}"}, "--partial")
    fixtures = by_id(bench.score())
    stripped = {
        name: [{k: v for k, v in r.items() if k != "text"} for r in f["reasons"]] for name, f in fixtures.items()
    }
    assert stripped == {
        "a": [{"code": "missed", "point": "point"}],
        "b": [{"code": "not-empty", "count": 1}, {"code": "phantoms", "count": 1, "budget": 0}],
        "c": [{"code": "invalid", "problems": ['missing key "map"', 'missing key "practice"']}],
        "d": [{"code": "no-result"}],
    }


def test_nothing_by_nothing_is_unknown(tmp_path: Path) -> None:
    """A corpus of reject fixtures has no recall, one of points alone no gate accuracy: n/a, neither 0 % nor 100 %."""
    bench = Bench(tmp_path, {"a": labels()})
    bench.ingest("1", {"a": answer()})
    lines = bench.report("score").splitlines()
    assert next(line.split() for line in lines if "recall" in line) == ["recall", "0/0", "n/a"]
    assert next(line.split() for line in lines if "gate" in line) == ["gate", "accuracy", "1/1", "100.0", "%"]

    points = Bench(tmp_path / "points", {"a": labels(point())})
    points.ingest("1", {"a": answer()})
    lines = points.report("score").splitlines()
    assert next(line.split() for line in lines if "gate" in line) == ["gate", "accuracy", "0/0", "n/a"]
    assert points.score()["totals"]["gate_total"] == 0


def test_totals_add_up(scored: dict[str, Any]) -> None:
    """The sums of the report are the sums of its rows, counted here a second time from the cases themselves."""
    assert sum(f["phantoms"] for f in scored.values()) == sum(case["expect"]["phantoms"] for case in CASES)
    assert sum(f["points_total"] for f in scored.values()) == sum(len(case["points"]) for case in CASES)


def test_every_kind_of_answer_on_every_kind_of_fixture(tmp_path: Path) -> None:
    """A fixture passes exactly when the rule of the design says so, for all small combinations."""
    kinds = {"points": labels(point()), "reject": labels(), "lenient": labels(point(), budget=1)}
    answers: dict[str, Any] = {
        "right": answer(proposal("Alpha")),
        "phantom": answer(proposal("Alpha"), proposal("Other")),
        "empty": answer(),
        "broken": "nonsense",
        "missing": None,
    }
    pairs = {f"{kind}-{given}": (kinds[kind], answers[given]) for kind, given in itertools.product(kinds, answers)}
    bench = Bench(tmp_path, {name: value for name, (value, _) in pairs.items()})
    bench.ingest("1", {name: given for name, (_, given) in pairs.items()}, "--partial")
    passed = {name for name, fixture in by_id(bench.score()).items() if fixture["passed"]}
    assert passed == {"points-right", "lenient-right", "lenient-phantom", "reject-empty"}
