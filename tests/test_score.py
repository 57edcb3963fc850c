"""`prompteval score`: its forms, its selectors and what it does with hostile text."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.helpers import Bench, answer, by_id, labels, ok, point, proposal, refused, write_corpus

FORMATS = ("text", "markdown", "json", "csv")
DOCUMENTED = {
    "labels": "recorded",
    "fixtures": [
        {
            "fixture_id": "kept-01",
            "category": "admit-thing",
            "passed": True,
            "points_matched": 1,
            "points_total": 1,
            "phantoms": 0,
            "gate": None,
            "reasons": [],
        },
        {
            "fixture_id": "none-01",
            "category": "reject-thing",
            "passed": False,
            "points_matched": 0,
            "points_total": 0,
            "phantoms": 1,
            "gate": False,
            "reasons": [
                {"code": "not-empty", "count": 1, "text": "not empty: 1 proposal"},
                {"code": "phantoms", "count": 1, "budget": 0, "text": '1 phantom over a budget of 0: "Extra"'},
            ],
        },
    ],
    "categories": [
        {"category": "admit-thing", "passed": 1, "total": 1},
        {"category": "reject-thing", "passed": 0, "total": 1},
    ],
    "totals": {
        "fixtures_passed": 1,
        "fixtures_total": 2,
        "points_matched": 1,
        "points_total": 1,
        "phantoms": 1,
        "gate_correct": 0,
        "gate_total": 1,
        "fixtures_answered": 2,
        "fixtures_invalid": 0,
    },
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Two runs: version 5 with a phantom, version 6 with a miss."""
    bench = Bench(tmp_path, {"kept-01": labels(point()), "none-01": labels(category="reject-thing")})
    bench.ingest("5", {"kept-01": answer(proposal("Alpha")), "none-01": answer(proposal("Extra"))}, "--note", "first")
    bench.ingest("6", {"kept-01": answer(), "none-01": answer()}, "--temperature", "0.5", "--harness", "H")
    return bench


def test_json_is_as_documented(bench: Bench) -> None:
    report = bench.score("v5")
    run = report.pop("run")
    assert list(run) == [
        "id",
        "suite",
        "version",
        "model",
        "temperature",
        "harness",
        "note",
        "sample",
        "recorded_at",
        "corpus",
    ]
    assert (run["version"], run["model"], run["temperature"], run["harness"]) == ("5", "X", None, None)
    assert (run["note"], run["sample"]) == ("first", 1)
    assert report == DOCUMENTED


def test_text_names_the_run_and_every_reason(bench: Bench) -> None:
    text = bench.report("score", "--run", "v6")
    assert text.startswith("v6 extracted 0/1 expected knowledge points and produced 0 phantoms.\n")
    for said in (
        "model X, temperature 0.5, harness H",
        'missed "point": no proposal',
        "gate accuracy      1/1  100.0 %",
    ):
        assert said in text
    assert "temperature not recorded" in bench.report("score", "--run", "v5")
    assert "Note: first" in bench.report("score", "--run", "v5")


def test_csv_keeps_numbers_and_quotes_formulas(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(), "b": labels(point(must_match_all=["=cmd()"]))})
    bench.ingest("1", {"a": answer(proposal("=1+1", "x")), "b": answer()}, "--note", "n", "--harness", "@SUM(1)")
    rows = list(csv.DictReader(io.StringIO(bench.report("score", "--format", "csv"))))
    assert [row["fixture_id"] for row in rows] == ["a", "b"]
    assert rows[0]["phantoms"] == "1"
    assert rows[0]["harness"] == "'@SUM(1)"
    assert rows[0]["gate"] == "0" and rows[1]["gate"] == ""
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_goes_to_a_file_as_to_stdout(bench: Bench, tmp_path: Path, form: str) -> None:
    target = tmp_path / "report"
    assert bench.report("score", "--format", form, "--output", target) == ""
    assert target.read_text("utf-8") == bench.report("score", "--format", form)


def test_a_report_never_replaces_the_ledger(bench: Bench) -> None:
    before = bench.ledger.read_bytes()
    assert "is the ledger" in refused("score", "--ledger", bench.ledger, "--output", bench.ledger)
    assert bench.ledger.read_bytes() == before


def test_a_report_that_cannot_be_written_is_an_error(bench: Bench, tmp_path: Path) -> None:
    message = refused("score", "--ledger", bench.ledger, "--output", tmp_path / "nowhere" / "report")
    assert message.startswith("Error: the report cannot be written")


HOSTILE = "\x1b[2J\x9b31m a | b `c` <script>alert(1)</script> \u202egnp\u2028end @team [x](http://x)"


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_text_is_inert(tmp_path: Path, form: str) -> None:
    bench = Bench(tmp_path, {"a": labels()})
    bench.ingest("1", {"a": answer(proposal(HOSTILE + "\nsecond line"))})
    text = bench.report("score", "--format", form)
    assert not [c for c in text if c != "\n" and not c.isprintable() and c != "\u200b"]
    if form == "json":
        assert json.loads(text)["fixtures"][0]["reasons"][1]["text"].endswith(f'"{HOSTILE}\nsecond line"')
    if form == "markdown":
        html = MarkdownIt("gfm-like", {"linkify": False}).render(text)
        assert "<script" not in html and "<a " not in html and "<code" not in html
        assert "@team" not in html
        assert max(line.count("<td") for line in html.splitlines()) <= 1
        row = next(line for line in text.splitlines() if line.startswith("| a |"))
        assert row.replace("\\|", "").count("|") == 6


def test_latest_labels(tmp_path: Path) -> None:
    """After a label is corrected and recorded, old answers score as a fresh ingest of them would."""
    before = {"a": labels(point(must_match_all=["alpha one"])), "b": labels(), "gone": labels()}
    bench = Bench(tmp_path, before)
    answers = {"a": answer(proposal("Alpha two")), "b": answer()}
    bench.ingest("1", answers, "--partial")
    for folder in ("sessions/gone.md", "expected/gone.yaml"):
        (bench.fixtures / folder).unlink()
    write_corpus(bench.fixtures, {"a": labels(point(must_match_all=["alpha two"])), "b": labels()})
    session_b = bench.fixtures / "sessions" / "b.md"
    session_b.write_text(session_b.read_text("utf-8") + "\n[USER]: More.\n", "utf-8")
    ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    recorded, latest = bench.score("1"), bench.score("1", "--labels", "latest")
    assert by_id(recorded)["a"]["passed"] is False and recorded["labels"] == "recorded"
    assert by_id(latest)["a"]["passed"] is True and latest["labels"] == "latest"
    assert latest["left_out"] == [
        {"fixture_id": "b", "why": "its session changed"},
        {"fixture_id": "gone", "why": "not in that corpus"},
    ]
    assert "Left out" in bench.report("score", "--run", "1", "--labels", "latest")
    fresh = Bench(tmp_path / "fresh", {})
    fresh.fixtures = bench.fixtures
    fresh.ingest("1", answers)
    assert by_id(fresh.score())["a"] == by_id(latest)["a"]


def test_selectors(bench: Bench) -> None:
    five, six = (bench.score(name)["run"]["id"] for name in ("5", "6"))
    assert bench.score("latest")["run"]["id"] == six
    for name in ("v5", "V5", five[:8], five, five[:8].upper()):
        assert bench.score(name)["run"]["id"] == five


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ("v7", "no run has that version or starts with 'v7'; 'prompteval runs' lists them."),
        ("zzz", "no run has that version or starts with 'zzz'"),
        ("", "no run starts with ''"),
        ("\x1b[31m", "no run starts with '\\x1b[31m'"),
        ("%", "no run starts with '%'"),
    ],
)
def test_a_selector_that_names_no_run(bench: Bench, selector: str, said: str) -> None:
    assert said in refused("score", "--run", selector, "--ledger", bench.ledger)


def test_a_version_with_several_runs_is_its_newest(bench: Bench) -> None:
    newest = bench.ingest("5", {"kept-01": answer(), "none-01": answer()})
    assert bench.score("v5")["run"]["id"].startswith(newest)
    assert bench.score("v5")["run"]["sample"] == 2


def test_a_prefix_of_several_runs_is_refused_with_the_candidates(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels()})
    ids = [bench.ingest("x", {"a": answer()}, "--repeat") for _ in range(17)]
    first = sorted(identity[0] for identity in ids)
    shared = next(letter for letter in first if first.count(letter) > 1)  # 17 ids, 16 digits
    message = refused("score", "--run", shared, "--ledger", bench.ledger)
    assert f"runs start with '{shared}'" in message
    assert all(identity in message for identity in ids if identity[0] == shared)


def test_an_empty_ledger_has_nothing_to_score(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels()})
    ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    assert "the ledger has no runs" in refused("score", "--ledger", bench.ledger)
    assert "no ledger at" in refused("score", "--ledger", tmp_path / "none.db")


def test_invalid_answers_show_their_first_problem(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(point())})
    wrong = answer(proposal(kk_confidence="sure", tags="x"))
    bench.ingest("1", {"a": json.dumps(wrong)})
    (reason,) = bench.score()["fixtures"][0]["reasons"]
    assert reason["code"] == "invalid"
    assert reason["text"].startswith("invalid result: practice[0].kk_confidence: ")
    assert reason["text"].endswith("(and 1 further problem)")
    assert len(reason["problems"]) == 2
