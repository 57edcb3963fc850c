"""The committed ledger: its numbers are the numbers of the recorded answers."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers import ROOT, ok

LEDGER = ROOT / "ledger" / "prompteval.db"
VERSIONS = ("5", "6")

# By hand, from the answers and the labels: (version, fixture) -> points matched, points, phantoms, passed.
BY_HAND = {
    # The practice that was taught, and a map of bib_anchor that only repeats it.
    ("5", "admit-convention-01"): (1, 1, 1, False),
    ("6", "admit-convention-01"): (1, 1, 0, True),
    # The gateway rule with 47 seconds and EXPIRED; version 5 adds a map of the worker.
    ("5", "admit-gotcha-01"): (1, 1, 1, False),
    ("6", "admit-gotcha-01"): (1, 1, 0, True),
    # Where the mapping lives, as a map, from both.
    ("5", "admit-map-location-01"): (1, 1, 0, True),
    ("6", "admit-map-location-01"): (1, 1, 0, True),
    # The rule and the service that replaces the call; version 6 says both in one practice.
    ("5", "admit-prohibition-02"): (2, 2, 0, True),
    ("6", "admit-prohibition-02"): (1, 2, 0, False),
    # How the replay tests run; version 5 adds a map of them.
    ("5", "admit-tooling-01"): (1, 1, 1, False),
    ("6", "admit-tooling-01"): (1, 1, 0, True),
    # Storytrail, the feature that was explained, as one map from both.
    ("5", "admit-map-feature-01"): (1, 1, 0, True),
    ("6", "admit-map-feature-01"): (1, 1, 0, True),
    # A plan was edited and nothing else; both answer with nothing.
    ("5", "reject-meta-only-01"): (0, 0, 0, True),
    ("6", "reject-meta-only-01"): (0, 0, 0, True),
    # Work that was taken out again, and options that were left open.
    ("5", "reject-abandoned-01"): (0, 0, 0, True),
    ("5", "reject-exploratory-02"): (0, 0, 0, True),
    # The record identity out of the ticket talk; version 5 adds a map of the module.
    ("5", "mixed-salvage-01"): (1, 1, 1, False),
    ("6", "mixed-salvage-01"): (1, 1, 0, True),
}


@pytest.fixture(scope="module")
def reports() -> dict[str, dict[str, Any]]:
    """The JSON report of the oldest run of each version, by version and fixture id."""
    runs = json.loads(ok("runs", "--format", "json", "--ledger", LEDGER))["runs"]
    first = {run["version"]: run["id"] for run in reversed(runs)}
    found = {}
    for version in VERSIONS:
        report = json.loads(ok("score", "--run", first[version], "--format", "json", "--ledger", LEDGER))
        found[version] = {"run": report["run"]["id"], **{f["fixture_id"]: f for f in report["fixtures"]}}
    return found


@pytest.mark.parametrize(("version", "fixture"), BY_HAND)
def test_by_hand(version: str, fixture: str, reports: dict[str, dict[str, Any]]) -> None:
    scored = reports[version][fixture]
    keys = ("points_matched", "points_total", "phantoms", "passed")
    assert tuple(scored[key] for key in keys) == BY_HAND[version, fixture]


def answers(run: str) -> dict[str, list[dict[str, str]] | None]:
    """Return the proposals of each answered fixture as they were recorded; None for an invalid answer."""
    connection = sqlite3.connect(f"file:{LEDGER}?mode=ro", uri=True)
    found: dict[str, list[dict[str, str]] | None] = {}
    results = "select fixture_id, answer, state from result join answer on digest = answer where run_id = ?"
    for fixture, digest, state in connection.execute(results, [run]):
        rows = connection.execute("select type, title, body from proposal where answer = ?", [digest])
        proposals = [dict(zip(("type", "title", "body"), row, strict=True)) for row in rows]
        found[fixture] = proposals if state == "valid" else None
    connection.close()
    return found


def naive(labels: dict[str, Any], proposals: list[dict[str, str]]) -> tuple[int, int]:
    """Return points matched and phantoms by the plainest reading of the rules: lower case, and `in`."""
    texts = [f"{p['title']}\n{p['body']}".lower().replace("`", "") for p in proposals]
    matched, expected = 0, set()
    for point in labels["expected_points"]:
        if any(guard in text for guard in point.get("must_not_match", []) for text in texts):
            continue
        hits = [i for i, p in enumerate(proposals) if p["type"] == point["type"] and _holds(point, texts[i])]
        matched += bool(hits)
        expected |= set(hits)
    return matched, len(proposals) - len(expected)


def _holds(point: dict[str, Any], text: str) -> bool:
    alternatives = point.get("must_match_any", [[]])
    return all(term in text for term in point.get("must_match_all", [])) and any(
        all(term in text for term in terms) for terms in alternatives
    )


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", sorted((ROOT / "fixtures" / "expected").glob("*.yaml")), ids=lambda p: str(p.stem))
def test_every_fixture_again_by_the_plainest_rules(
    version: str, path: Path, reports: dict[str, dict[str, Any]]
) -> None:
    scored, recorded = reports[version][path.stem], answers(reports[version]["run"])
    labels = yaml.safe_load(path.read_text("utf-8"))
    proposals = recorded.get(path.stem)
    if path.stem not in recorded or proposals is None:
        code = "invalid" if path.stem in recorded else "no-result"
        assert [reason["code"] for reason in scored["reasons"]] == [code]
        assert (scored["passed"], scored["points_matched"], scored["phantoms"]) == (False, 0, 0)
        return
    matched, phantoms = naive(labels, proposals)
    assert (scored["points_matched"], scored["phantoms"]) == (matched, phantoms)
    empty = not proposals if labels["expect_empty"] else True
    complete = matched == len(labels["expected_points"])
    assert scored["passed"] is (complete and empty and phantoms <= labels["max_unexpected_proposals"])


def test_results_page_is_current() -> None:
    page = (ROOT / "fixtures" / "RESULTS.md").read_text("utf-8")
    assert page == ok("history", "--format", "markdown", "--ledger", LEDGER)
