"""The committed ledger in Datasette: every table, view and canned query answers, and the ledger stays as it was."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
import yaml

from prompteval.ledger import schema
from tests.helpers import ROOT, ok, slow_but

LEDGER = ROOT / "ledger" / "prompteval.db"
SETTINGS = ROOT / "ledger" / "datasette.yaml"
DATABASE: dict[str, Any] = yaml.safe_load(SETTINGS.read_text("utf-8"))["databases"]["prompteval"]
TABLES = [*schema.table_statements()]


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    before = LEDGER.read_bytes(), LEDGER.stat().st_mtime_ns, sorted(path.name for path in LEDGER.parent.iterdir())
    yield
    assert (LEDGER.read_bytes(), LEDGER.stat().st_mtime_ns, sorted(p.name for p in LEDGER.parent.iterdir())) == before


def _arguments() -> list[str]:
    """Return what ledger/README.md gives to Datasette."""
    text = (ROOT / "ledger" / "README.md").read_text("utf-8").replace("\\\n", "")
    (line,) = re.findall(r"^    \.venv/bin/datasette (.*)$", text, re.MULTILINE)
    return [str(ROOT / word) if word.startswith("ledger/") else word for word in line.split()]


def fetch(path: str) -> str:
    """Return a page as Datasette serves it, with the committed settings."""
    command = [sys.executable, "-m", "datasette", "serve", *_arguments(), "--get", path]
    result = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, encoding="utf-8")
    assert result.returncode == 0, result.stdout[:500] + result.stderr[-500:]
    return result.stdout


def test_the_settings_name_what_is_there() -> None:
    assert set(TABLES) <= set(DATABASE["tables"]) <= {*TABLES, *schema.view_statements()}


def test_the_first_page_shows_descriptions_and_queries() -> None:
    page = fetch("/prompteval")
    for query in DATABASE["queries"].values():
        assert query["title"] in page
    value = json.loads(fetch("/prompteval.json"))
    assert {table["name"] for table in value["tables"]} >= set(TABLES)


@pytest.mark.parametrize("name", slow_but(["run"], ["run", "result", "fixture_outcome"]))
def test_a_table_with_its_facets(name: str) -> None:
    page = fetch(f"/prompteval/{name}")
    assert DATABASE["tables"][name]["description"].partition(".")[0] in page
    assert "facet-results" in page


@pytest.mark.slow
def test_a_foreign_key_shows_its_label() -> None:
    row = json.loads(fetch("/prompteval/result.json?_labels=on&_shape=array&_size=1"))[0]
    assert row["run_id"]["label"] in ("5", "6", "8")


def test_a_canned_report_says_what_score_says() -> None:
    report = json.loads(ok("score", "--run", "v5", "--format", "json", "--ledger", LEDGER))
    query = urlencode({"run": report["run"]["id"][:8], "_shape": "array"})
    rows = json.loads(fetch(f"/prompteval/run_report.json?{query}"))
    names = ("fixture_id", "passed", "points_matched", "points_total", "phantoms")
    assert [tuple(row[n] for n in names) for row in rows] == [tuple(f[n] for n in names) for f in report["fixtures"]]


def test_a_canned_diff_says_what_diff_says() -> None:
    comparisons = json.loads(ok("diff", "v5", "v6", "--format", "json", "--ledger", LEDGER))["comparisons"]
    rows = json.loads(fetch("/prompteval/version_diff.json?baseline=5&candidate=6&_shape=array"))
    found = {(r["suite"], r["fixture_id"]): (r["baseline_passed"], r["candidate_passed"]) for r in rows}
    for comparison in comparisons:
        for fixture in comparison["fixtures"]:
            sides = tuple(sum(o["passed"] for o in fixture[side]) for side in ("baseline", "candidate"))
            assert found[comparison["suite"], fixture["fixture_id"]] == sides


@pytest.mark.parametrize("name", ["never_matched", "noisiest_fixtures"])
def test_the_other_canned_queries_answer(name: str) -> None:
    assert isinstance(json.loads(fetch(f"/prompteval/{name}.json?_shape=array")), list)
