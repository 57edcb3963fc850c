"""The committed ledger: its numbers are the numbers of the recorded answers."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers import ROOT, by_id, ok

LEDGER = ROOT / "ledger" / "prompteval.db"
VERSIONS = ("5", "6", "8")
SUITES = {"core": ROOT / "fixtures", "stress": ROOT / "fixtures" / "stress"}

# By hand, from the answers and the labels: fixture -> (points matched, points, phantoms, passed) in the first run of
# versions 5, 6 and 8.
ONE, TWO, NOTHING = (1, 1, 0, True), (2, 2, 0, True), (0, 0, 0, True)
EXTRA = (1, 1, 1, False)
CORE = {
    # The practice that was taught; version 5 adds a map of the field, rota, setting, queue, method or test it names.
    **dict.fromkeys(("admit-convention-01", "admit-convention-02", "admit-gotcha-02"), (EXTRA, ONE, ONE)),
    **dict.fromkeys(("admit-prohibition-01", "admit-rationale-01", "admit-tooling-01"), (EXTRA, ONE, ONE)),
    # The gateway rule with 47 seconds and EXPIRED; version 5 adds a map of the worker.
    "admit-gotcha-01": (EXTRA, ONE, ONE),
    # The record identity out of the ticket talk; version 5 adds a map of the module.
    "mixed-salvage-01": (EXTRA, ONE, ONE),
    # The 45 days without the plan they came up in, from all three.
    "mixed-salvage-02": (ONE, ONE, ONE),
    # The rule and the service that replaces the call; versions 6 and 8 say both in one practice.
    "admit-prohibition-02": (TWO, (1, 2, 0, False), (1, 2, 0, False)),
    # Where the mapping lives, Storytrail, what a lapwing is: one map from all three.
    **dict.fromkeys(("admit-map-location-01", "admit-map-feature-01", "admit-map-vocab-01"), (ONE, ONE, ONE)),
    # Somebody's homework; version 5 makes two practices of the course's rules.
    "reject-unrelated-01": ((0, 0, 2, False), NOTHING, NOTHING),
    # Nothing durable, and nothing from any of them.
    **{
        f"{kind}-{number}": (NOTHING, NOTHING, NOTHING)
        for kind in ("reject-abandoned", "reject-exploratory", "reject-meta-only", "reject-noise", "trap-phantom")
        for number in ("01", "02")
    },
}
STRESS = {
    # How charts are filled, with the children's exception; version 5 adds a practice that nobody stated. Version 8
    # makes two maps of it, and both hold the terms.
    "agent-map-02": (EXTRA, ONE, ONE),
    # Short titles, the Daybook, stowaways. Version 5 repeats the exception in a second practice, which holds the terms
    # as well. Version 8 describes bound-in titles and leaves out what they are called.
    "buried-02": ((3, 3, 0, True), (3, 3, 0, True), (2, 3, 1, False)),
    # An attempt that was taken out, with a good rule in its middle: nothing from any of them.
    "gate-trap-01": (NOTHING, NOTHING, NOTHING),
    # The due day in notices. Version 5 has it whole, then the outbox once more and a map of the filter. Version 6 cuts
    # it in two, so that neither half has both the exception and the boundary.
    "keep-together-01": ((1, 1, 2, False), (0, 1, 2, False), ONE),
    # 11 tours; version 5 adds maps of the check and of the tour number.
    "last-word-01": ((1, 1, 2, False), ONE, ONE),
    # The lower account number and the readers of the docket; version 5 adds a map of the code that orders the pair.
    "practice-and-map-01": ((2, 2, 1, False), TWO, TWO),
    # Orders for one class until Friday: nothing; version 5 makes a map of the class.
    "scope-trap-01": ((0, 0, 1, False), NOTHING, NOTHING),
    # What a door list shows and where it is read from; version 5 adds a map of each.
    "split-two-rules-01": ((2, 2, 2, False), TWO, TWO),
}

# All runs of a version together: (points matched, points, phantoms, fixtures passed, fixtures).
TOTALS = {
    "core": {"5": (42, 42, 26, 47, 72), "6": (39, 42, 0, 69, 72), "8": (26, 28, 2, 45, 48)},
    "stress": {"5": (21, 21, 19, 5, 16), "6": (41, 42, 5, 29, 32), "8": (41, 42, 1, 31, 32)},
}


Reports = dict[tuple[str, str], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def reports() -> Reports:
    """The JSON reports of all runs, by suite and version, oldest first."""
    found: Reports = {}
    for run in json.loads(ok("runs", "--format", "json", "--ledger", LEDGER))["runs"]:
        report = json.loads(ok("score", "--run", run["id"], "--format", "json", "--ledger", LEDGER))
        found.setdefault((run["suite"], run["version"]), []).append(report)
    return found


@pytest.mark.parametrize(
    ("suite", "fixture"), [(suite, name) for suite, known in (("core", CORE), ("stress", STRESS)) for name in known]
)
def test_by_hand(suite: str, fixture: str, reports: Reports) -> None:
    keys = ("points_matched", "points_total", "phantoms", "passed")
    first = [by_id(reports[suite, version][0])[fixture] for version in VERSIONS]
    assert tuple(tuple(each[key] for key in keys) for each in first) == {**CORE, **STRESS}[fixture]


def test_what_is_counted_by_hand() -> None:
    """Every fixture of the core suite, and one of each category of the stress suite."""
    assert set(CORE) == {path.stem for path in (SUITES["core"] / "expected").glob("*.yaml")}
    rows = yaml.safe_load((SUITES["stress"] / "corpus.yaml").read_text("utf-8"))["categories"]
    assert sorted(name.rpartition("-")[0] for name in STRESS) == sorted(row["category"] for row in rows)


def test_totals() -> None:
    keys = ("points_matched", "points_total", "phantoms", "fixtures_passed", "fixtures_total")
    history = json.loads(ok("history", "--by", "version", "--format", "json", "--ledger", LEDGER))
    found = {
        suite["suite"]: {each["version"]: tuple(each["totals"][key] for key in keys) for each in suite["versions"]}
        for suite in history["suites"]
    }
    assert found == TOTALS


def compared(suite: str, baseline: str, candidate: str) -> dict[str, Any]:
    """Return the comparison of two versions on a suite."""
    text = ok("diff", baseline, candidate, "--suite", suite, "--format", "json", "--ledger", LEDGER)
    (comparison,) = json.loads(text)["comparisons"]
    found: dict[str, Any] = comparison
    return found


def test_noise_between_the_runs_of_a_version() -> None:
    """By hand: reject-unrelated-01 fails in the first of v5's three runs and in the second of v8's two."""
    assert compared("core", "v5", "v6")["evidence"]["noise"] == {"baseline": pytest.approx(2 / 3), "candidate": 0}
    assert compared("core", "v6", "v8")["evidence"]["noise"] == {"baseline": 0, "candidate": 1}


def test_what_one_run_a_side_shows_and_what_three_do(reports: Reports) -> None:
    pairs = [
        [report["run"]["id"] for report in pair]
        for pair in zip(reports["core", "5"], reports["core", "6"], strict=True)
    ]
    single = [compared("core", *pair)["evidence"]["verdict"] for pair in pairs]
    assert len(single) == 3
    assert all("fewer phantoms" in verdict and "passes more" not in verdict for verdict in single)
    verdict = compared("core", "v5", "v6")["evidence"]["verdict"]
    assert "fewer phantoms" in verdict and "passes more" in verdict
    for suite in SUITES:
        assert compared(suite, "v6", "v8")["evidence"]["verdict"].startswith("No difference shown")


def never_failed(reports: Reports, suite: str, *versions: str) -> set[str]:
    """Return the fixtures of a suite that every run of these versions passed."""
    runs = [by_id(report) for version in versions for report in reports[suite, version]]
    return {name for name in runs[0] if all(run[name]["passed"] for run in runs)}


def test_what_the_suites_separate(reports: Reports) -> None:
    assert len(never_failed(reports, "core", *VERSIONS)) == 14
    hard = {"admit-prohibition-02", "reject-unrelated-01"}
    assert never_failed(reports, "core", "6", "8") == CORE.keys() - hard
    easy = {"gate-trap-01", "gate-trap-02", "scope-trap-02", "practice-and-map-02"}
    assert never_failed(reports, "stress", *VERSIONS) == easy
    every = set(by_id(reports["stress", "5"][0]))
    assert every - never_failed(reports, "stress", "6", "8") == {"keep-together-01", "keep-together-02", "buried-02"}


def test_keep_together_is_what_version_8_was_written_for(reports: Reports) -> None:
    passed = {
        version: [
            fixture["passed"]
            for report in reports["stress", version]
            for fixture in report["fixtures"]
            if fixture["category"] == "keep-together"
        ]
        for version in VERSIONS
    }
    assert {version: (sum(each), len(each)) for version, each in passed.items()} == {
        "5": (0, 2),
        "6": (1, 4),
        "8": (4, 4),
    }


@cache
def answers(run: str) -> dict[str, list[dict[str, str]]]:
    """Return the proposals of each fixture as they were recorded."""
    connection = sqlite3.connect(f"file:{LEDGER}?mode=ro", uri=True)
    results = "select fixture_id, text from result join answer on digest = answer where run_id = ?"
    found = {fixture: json.loads(text) for fixture, text in connection.execute(results, [run])}
    connection.close()
    return {fixture: [*lists["practice"], *lists["map"]] for fixture, lists in found.items()}


def naive(labels: dict[str, Any], proposals: list[dict[str, str]]) -> tuple[int, list[str]]:
    """Return points matched and the types of phantoms by the plainest reading of the rules: lower case, and `in`."""
    texts = [f"{p['title']}\n{p['body']}".lower().replace("`", "") for p in proposals]
    everything = json.dumps(proposals, ensure_ascii=False).lower()
    matched, expected = 0, set()
    for point in labels["expected_points"]:
        if any(guard in everything for guard in point.get("must_not_match", [])):
            continue
        hits = [i for i, p in enumerate(proposals) if p["type"] == point["type"] and _holds(point, texts[i])]
        matched += bool(hits)
        expected |= set(hits)
    return matched, [p["type"] for i, p in enumerate(proposals) if i not in expected]


def _holds(point: dict[str, Any], text: str) -> bool:
    return (
        all(term in text for term in point.get("must_match_all", []))
        and any(all(term in text for term in terms) for terms in point.get("must_match_any", [[]]))
        and not any(term in text for term in point.get("must_match_none", []))
    )


@pytest.mark.parametrize(
    ("suite", "path"),
    [(name, path) for name, folder in SUITES.items() for path in sorted((folder / "expected").glob("*.yaml"))],
    ids=lambda value: value if isinstance(value, str) else value.stem,
)
def test_every_answer_again_by_the_plainest_rules(suite: str, path: Path, reports: Reports) -> None:
    labels = yaml.safe_load(path.read_text("utf-8"))
    for report in (each for version in VERSIONS for each in reports[suite, version]):
        scored, proposals = by_id(report)[path.stem], answers(report["run"]["id"])[path.stem]
        matched, phantoms = naive(labels, proposals)
        assert (scored["points_matched"], scored["phantoms"]) == (matched, len(phantoms))
        empty = not proposals if labels["expect_empty"] else True
        complete = matched == len(labels["expected_points"])
        assert scored["passed"] is (complete and empty and len(phantoms) <= labels["max_unexpected_proposals"])


@pytest.mark.parametrize(
    ("suite", "counts"), [("core", {"map": 24, "practice": 2}), ("stress", {"map": 15, "practice": 4})]
)
def test_most_phantoms_of_version_5_are_maps(suite: str, counts: dict[str, int], reports: Reports) -> None:
    found: Counter[str] = Counter()
    for report in reports[suite, "5"]:
        for path in (SUITES[suite] / "expected").glob("*.yaml"):
            found.update(naive(yaml.safe_load(path.read_text("utf-8")), answers(report["run"]["id"])[path.stem])[1])
    assert found == counts


def test_results_page_is_current() -> None:
    page = (ROOT / "fixtures" / "RESULTS.md").read_text("utf-8")
    assert page == ok("history", "--format", "markdown", "--ledger", LEDGER)
