"""`prompteval diff`: what is compared with what, and what it says of each fixture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.helpers import Bench, answer, labels, ok, point, proposal, refused, unlike, write_corpus

RIGHT, WRONG, NONE = answer(proposal("Alpha")), answer(proposal("Other")), answer()


def changes(report: dict[str, Any], index: int = 0) -> dict[str, str]:
    """Return what became of each fixture in one comparison of a JSON report."""
    return {f["fixture_id"]: f["change"] for f in report["comparisons"][index]["fixtures"]}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, {name: labels(point()) for name in ("a", "b", "c", "d", "e")})


def test_every_kind_of_change(bench: Bench) -> None:
    bench.ingest("5", {"a": WRONG, "b": RIGHT, "c": WRONG, "d": WRONG, "e": RIGHT})
    bench.ingest("6", {"a": RIGHT, "b": WRONG, "c": NONE, "d": WRONG, "e": RIGHT})
    assert changes(bench.diff("v5", "v6")) == {
        "a": "fixed",
        "b": "broken",
        "c": "still-failing",
        "d": "still-failing",
        "e": "passing",
    }
    text = bench.report("diff", "v5", "v6")
    assert text.startswith(
        "v6 extracted 2/5 expected knowledge points and produced 2 phantoms; v5 was 2/5 with 3 phantoms.\n"
    )
    other_reason = text[text.index("Still failing for another reason") :]
    assert "  c " in other_reason and "Still failing for the same reason\n  d\n" in other_reason
    assert "was: 1 phantom over a budget of 0" in other_reason


def test_the_headline_is_the_sentence_of_the_mission(tmp_path: Path) -> None:
    """9/10 with 1 phantom against 7/10 with 4 phantoms, counted by hand from the answers below."""
    words = [f"word{letter}" for letter in "abcdefghij"]
    bench = Bench(tmp_path, {"a": labels(*(point(word, must_match_all=[word]) for word in words))})
    bench.ingest("5", {"a": answer(*map(proposal, words[:7]), *(proposal(f"Extra {n}") for n in "abcd"))})
    bench.ingest("6", {"a": answer(*map(proposal, words[:9]), proposal("Extra"))})
    first = bench.report("diff", "v5", "v6").splitlines()[0]
    assert first == ("v6 extracted 9/10 expected knowledge points and produced 1 phantom; v5 was 7/10 with 4 phantoms.")


def test_totals_stand_side_by_side_with_the_change(bench: Bench) -> None:
    bench.ingest("5", {"a": WRONG, "b": RIGHT, "c": WRONG, "d": WRONG, "e": RIGHT})
    bench.ingest("6", dict.fromkeys("abcde", RIGHT))
    rows = {line[2:].partition("  ")[0]: line.split() for line in bench.report("diff", "5", "6").splitlines()}
    assert rows["recall"][:4] == ["recall", "2/5", "5/5", "+60.0"]
    assert rows["phantoms"][:4] == ["phantoms", "3", "0", "-3"]
    assert rows["gate accuracy"] == ["gate", "accuracy", "n/a", "n/a", "n/a"]


def test_like_is_compared_with_like(bench: Bench) -> None:
    """One comparison for each common setting; a setting on one side only is named and left alone."""
    for version, temperature, given in (("5", "0", WRONG), ("6", "0", RIGHT), ("5", "1", RIGHT), ("6", "1", WRONG)):
        bench.ingest(version, dict.fromkeys("abcde", given), "--temperature", temperature)
    bench.ingest("6", dict.fromkeys("abcde", NONE), "--harness", "H")
    report = bench.diff("v5", "v6")
    assert [set(changes(report, index).values()) for index in (0, 1)] == [{"fixed"}, {"broken"}]
    assert [c["baseline"]["runs"][0]["temperature"] for c in report["comparisons"]] == [0.0, 1.0]
    assert report["not_compared"] == ["v6 alone has model X, temperature not recorded, harness H: not compared"]
    assert bench.report("diff", "v5", "v6").count("both with model X, temperature") == 2


def test_nothing_in_common_is_refused_with_what_each_has(bench: Bench) -> None:
    bench.ingest("5", dict.fromkeys("abcde", WRONG), "--temperature", "0")
    bench.ingest("6", dict.fromkeys("abcde", RIGHT))
    message = refused("diff", "v5", "v6", "--ledger", bench.ledger)
    assert "temperature 0," in message and "temperature not recorded" in message and "two run ids" in message


def test_two_run_ids_are_compared_whatever_their_tags(bench: Bench) -> None:
    before = bench.ingest("5", dict.fromkeys("abcde", WRONG), "--temperature", "0", "--harness", "H")
    after = bench.ingest("6", dict.fromkeys("abcde", RIGHT))
    report = bench.diff(before, after)
    assert set(changes(report).values()) == {"fixed"}
    assert report["comparisons"][0]["differences"] == [
        "temperature: 0 against not recorded",
        "harness: H against not recorded",
    ]
    text = bench.report("diff", before, "latest")
    assert "note: the runs also differ in temperature: 0 against not recorded; harness: H" in text


def test_model_narrows_both_sides(bench: Bench) -> None:
    for version, given in (("5", WRONG), ("6", RIGHT)):
        bench.ingest(version, dict.fromkeys("abcde", given))
        bench.ingest(version, dict.fromkeys("abcde", given), "--model", "Y")
    assert len(bench.diff("v5", "v6")["comparisons"]) == 2
    (only,) = bench.diff("v5", "v6", "--model", "Y")["comparisons"]
    assert only["baseline"]["runs"][0]["model"] == "Y"
    assert "v5 has no run with model 'Z'" in refused("diff", "5", "6", "--model", "Z", "--ledger", bench.ledger)


def test_several_runs_a_side(bench: Bench) -> None:
    for number, right in enumerate((2, 2, 1)):
        given = {n: unlike(number, right=index < right) for index, n in enumerate("abcde")}
        bench.ingest("5", given)
        bench.ingest("6", {**{n: unlike(number + 10) for n in "abcd"}, "e": unlike(number, right=False)})
    assert changes(bench.diff("5", "6")) == {
        "a": "passing",
        "b": "fixed",
        "c": "fixed",
        "d": "fixed",
        "e": "still-failing",
    }
    text = bench.report("diff", "5", "6")
    assert "2/3 → 3/3" in text and "0/3 → 3/3" in text
    assert 'was: missed "point": no proposal has any of its terms (3 of 3 runs)' in text
    assert text.startswith("v6 extracted 12/15 expected knowledge points in 3 runs")


def test_fixtures_left_out_each_with_its_reason(bench: Bench) -> None:
    bench.ingest("5", dict.fromkeys("abcde", RIGHT))
    path = bench.fixtures / "sessions" / "c.md"
    path.write_text(path.read_text("utf-8") + "\n[USER]: More.\n", "utf-8")
    (bench.fixtures / "sessions" / "d.md").unlink()
    (bench.fixtures / "expected" / "d.yaml").unlink()
    write_corpus(bench.fixtures, {"f": labels(point()), "g": labels()})
    bench.ingest("6", {**dict.fromkeys("acef", RIGHT), "g": NONE}, "--partial")
    report = bench.diff("5", "6")
    assert changes(report) == {"a": "passing", "b": "broken", "e": "passing"}
    assert {f["fixture_id"]: f["why"] for f in report["comparisons"][0]["left_out"]} == {
        "c": "its session changed",
        "d": "only in v5",
        "f": "only in v6",
        "g": "only in v6",
    }
    text = bench.report("diff", "5", "6")
    assert "3 fixtures compared" in text and "Left out" in text


def test_nothing_left_to_compare(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(point())})
    bench.ingest("5", {"a": RIGHT})
    path = bench.fixtures / "sessions" / "a.md"
    path.write_text(path.read_text("utf-8") + "\n[USER]: More.\n", "utf-8")
    bench.ingest("6", {"a": RIGHT})
    assert bench.report("diff", "5", "6").startswith("v6 and v5 have no fixture in common that can be compared.")
    assert changes(bench.diff("5", "6")) == {}


def test_a_missing_answer_counts_as_failed_like_an_invalid_one(bench: Bench) -> None:
    bench.ingest("5", dict.fromkeys("abcde", RIGHT))
    bench.ingest("6", {"a": "nonsense", "c": RIGHT, "d": RIGHT, "e": RIGHT}, "--partial")
    report = bench.diff("5", "6")
    assert {name for name, change in changes(report).items() if change == "broken"} == {"a", "b"}
    assert report["comparisons"][0]["left_out"] == []
    assert "now: no result" in bench.report("diff", "5", "6")


def test_both_sides_are_scored_under_the_labels_of_the_candidate(bench: Bench) -> None:
    """A label corrected between two runs changes the baseline's score too, whichever side it stands on."""
    answers = dict.fromkeys("abcde", WRONG)
    bench.ingest("5", answers)
    write_corpus(bench.fixtures, {"a": labels(point(must_match_all=["other"]))})
    bench.ingest("6", answers)
    forward, backward = bench.diff("5", "6"), bench.diff("6", "5")
    assert changes(forward)["a"] == "passing"
    assert changes(backward)["a"] == "still-failing"
    assert forward["comparisons"][0]["labels"] != backward["comparisons"][0]["labels"]
    assert forward["comparisons"][0]["differences"] == [], "both sides are scored alike"


def test_the_labels_of_a_diff_can_be_chosen(bench: Bench) -> None:
    """WRONG is right under the second labels, RIGHT under the first and third. v5 has the first, v6 the second."""
    bench.ingest("5", dict.fromkeys("abcde", WRONG))
    write_corpus(bench.fixtures, {"a": labels(point(must_match_all=["other"]))})
    bench.ingest("6", dict.fromkeys("abcde", WRONG))
    write_corpus(bench.fixtures, {"a": labels(point())})
    ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    expected = {"candidate": "passing", "recorded": "fixed", "latest": "still-failing"}
    for name, change in expected.items():
        assert changes(bench.diff("5", "6", "--labels", name))["a"] == change, name
    assert bench.diff("5", "6", "--labels", "recorded")["comparisons"][0]["labels"] is None
    assert "each run under the labels it was recorded with" in bench.report("diff", "5", "6", "--labels", "recorded")


def test_the_same_run_on_both_sides_is_refused(bench: Bench) -> None:
    identity = bench.ingest("5", dict.fromkeys("abcde", WRONG))
    for pair in (("5", "5"), (identity, "latest"), ("v5", identity)):
        assert f"run {identity} is on both sides" in refused("diff", *pair, "--ledger", bench.ledger)


def test_a_version_and_a_run_id_are_compared_under_a_common_setting(bench: Bench) -> None:
    bench.ingest("5", dict.fromkeys("abcde", WRONG))
    bench.ingest("5", dict.fromkeys("abcde", WRONG), "--temperature", "1")
    after = bench.ingest("6", dict.fromkeys("abcde", RIGHT), "--temperature", "1")
    report = bench.diff("v5", after)
    (only,) = report["comparisons"]
    assert only["baseline"]["runs"][0]["temperature"] == 1.0
    assert len(report["not_compared"]) == 1


@pytest.mark.parametrize("form", ["text", "markdown", "json", "csv"])
def test_every_form_is_written(bench: Bench, tmp_path: Path, form: str) -> None:
    bench.ingest("5", dict.fromkeys("abcde", WRONG))
    bench.ingest("6", dict.fromkeys("abcde", RIGHT))
    target = tmp_path / "report"
    ok("diff", "5", "6", "--ledger", bench.ledger, "--format", form, "--output", target)
    assert target.read_text("utf-8") == bench.report("diff", "5", "6", "--format", form)


def test_csv_has_a_row_for_each_compared_fixture(bench: Bench) -> None:
    bench.ingest("5", {"a": WRONG, "b": RIGHT}, "--partial")
    bench.ingest("6", {"a": RIGHT, "b": RIGHT}, "--partial")
    header, *rows = bench.report("diff", "5", "6", "--format", "csv").splitlines()
    assert header.startswith("suite,model,temperature,harness,fixture_id,category,change,baseline_runs,baseline_passed")
    assert rows == [
        "core,X,,,a,admit-thing,fixed,1,0,0,1,1,0,1,1,1,1,0,0",
        "core,X,,,b,admit-thing,passing,1,1,1,1,0,0,1,1,1,1,0,0",
        *(f"core,X,,,{name},admit-thing,still-failing,1,0,0,1,0,0,1,0,0,1,0,0" for name in "cde"),
    ]


def test_markdown_folds_the_long_lists(bench: Bench) -> None:
    bench.ingest("5", dict.fromkeys("abcde", WRONG))
    bench.ingest("6", {**dict.fromkeys("abcd", RIGHT), "e": NONE})
    text = bench.report("diff", "5", "6", "--format", "markdown")
    assert text.startswith("**v6 extracted 4/5 expected knowledge points and produced 0 phantoms; v5 was 0/5")
    assert text.count("<details>") == text.count("</details>") == 3
    assert "| a | 0/1 → 1/1 |" in text
