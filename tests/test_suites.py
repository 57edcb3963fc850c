"""Runs of several suites in one ledger: each is scored and compared with its own, and never with another's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.helpers import EMPTY, Bench, answer, cli, labels, ok, point, proposal, refused, write_corpus

RIGHT, WRONG = answer(proposal("Alpha")), answer(proposal("Beta"))


def name_suite(root: Path, name: str) -> None:
    (root / "corpus.yaml").write_text(f'name: {name}\nversion: "1"\nprompt: extract\n', "utf-8")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A ledger with version 5 and 6 of two suites that have a fixture of the same name; the main one is `core`."""
    bench = Bench(tmp_path, {"a": labels(point()), "b": labels()})
    bench.ingest("5", {"a": WRONG, "b": EMPTY})
    hard = write_corpus(tmp_path / "hard", {"a": labels(point(must_match_all=["beta"]))})
    name_suite(hard, "hard")
    for version, given in (("6", WRONG), ("5", RIGHT)):
        bench.ingest(version, {"a": given}, "--fixtures", hard)
    bench.ingest("6", {"a": RIGHT, "b": EMPTY})
    bench.ingest("9", {"a": RIGHT}, "--fixtures", hard)
    return bench


def test_a_version_and_latest_are_of_the_main_suite(bench: Bench) -> None:
    """The newest run of all is v9 of `hard`; the newest of `core` is v6, which passes both of its fixtures."""
    for selector in ("latest", "v6"):
        report = bench.score(selector)
        assert (report["run"]["suite"], report["run"]["version"]) == ("core", "6")
        assert report["totals"]["fixtures_passed"] == 2
    hard = bench.score("latest", "--suite", "hard")
    assert (hard["run"]["suite"], hard["run"]["version"], hard["totals"]["fixtures_passed"]) == ("hard", "9", 0)
    assert bench.score(hard["run"]["id"])["run"]["suite"] == "hard", "an id says which suite it is of"


def test_the_suite_is_named(bench: Bench) -> None:
    assert "suite core, corpus " in bench.report("score") and "suite hard, " in bench.report("score", "--suite", "hard")
    assert "FAIL" in bench.report("show", "a", "--suite", "hard", "--run", "v5")
    assert "PASS" in bench.report("show", "a", "--suite", "hard", "--run", "v6")


def test_what_is_no_suite_or_not_in_it(bench: Bench) -> None:
    where = ("--ledger", bench.ledger)
    for command in (("score",), ("runs",), ("history",), ("diff", "5", "6"), ("labels",), ("report",), ("show", "a")):
        assert "the ledger has no suite 'x'; it has core, hard" in refused(*command, "--suite", "x", *where)
    assert "v9 names no run of the suite core; --suite hard names one of hard" in refused(
        "score", "--run", "v9", *where
    )
    hard = bench.score("v9", "--suite", "hard")["run"]["id"]
    assert "no run has that version or starts" in refused("score", "--run", hard, "--suite", "core", *where)


def test_lists_name_each_suite(bench: Bench) -> None:
    text = bench.report("runs")
    assert text.startswith("5 runs, oldest first")
    assert re.findall(r"^  suite (\w+):$", text, re.MULTILINE) == ["core", "hard", "core", "hard"]
    alone = bench.report("runs", "--suite", "core")
    assert alone.startswith("2 runs") and "hard" not in alone and "Suite" not in alone
    history = bench.report("history")
    assert history.startswith("core: 2 runs of 2 versions") and "\nhard: 3 runs of 3 versions" in history
    assert bench.report("history", "--suite", "hard").startswith("3 runs of 3 versions")
    suites = json.loads(bench.report("history", "--format", "json"))["suites"]
    assert [(each["suite"], [run["version"] for run in each["runs"]]) for each in suites] == [
        ("core", ["5", "6"]),
        ("hard", ["6", "5", "9"]),
    ]
    labels_report = bench.report("labels")
    assert labels_report.startswith("core: 1 point in 2 runs") and "\nhard: 1 point in 3 runs" in labels_report


def test_a_comparison_never_crosses_suites(bench: Bench) -> None:
    """v5 → v6: `core` goes from 0 to 1 point, `hard` too; v9 is in `hard` alone."""
    compared = bench.diff("5", "6")
    assert [each["suite"] for each in compared["comparisons"]] == ["core", "hard"]
    for each in compared["comparisons"]:
        totals = [each[side]["totals"]["points_matched"] for side in ("baseline", "candidate")]
        assert totals == [0, 1]
    text = bench.report("diff", "5", "6")
    assert text.startswith("core: v6 extracted 1/1") and "\nhard: v6 extracted 1/1" in text
    assert bench.report("diff", "5", "6", "--suite", "hard").startswith("v6 extracted 1/1")
    assert [each["suite"] for each in bench.diff("5", "9")["comparisons"]] == ["hard"]
    assert bench.diff("5", "9")["not_compared"] == ["v5 alone has runs of the suite core: not compared"]
    ids = [bench.score("v6", "--suite", suite)["run"]["id"] for suite in ("core", "hard")]
    said = refused("diff", *ids, "--ledger", bench.ledger)
    assert "have no suite, model, temperature and harness in common" in said
    assert f"run {ids[0][:8]} alone has runs of the suite core" in said


def test_what_is_left_names_its_suite(bench: Bench) -> None:
    """`hard` has another model on one side: its line says so, and the headline still names the suite compared."""
    bench.ingest("6", {"a": RIGHT, "b": EMPTY}, "--repeat", "--model", "Y")
    compared = bench.diff("6", "9")
    assert compared["not_compared"] == ["v6 alone has runs of the suite core: not compared"]
    assert bench.report("diff", "6", "9").startswith("hard: v9 extracted")
    line = "core: v6 alone has model Y, temperature not recorded, harness not recorded: not compared"
    assert line in bench.diff("5", "6")["not_compared"]


def test_warnings_of_an_ingest_are_about_its_suite(bench: Bench, tmp_path: Path) -> None:
    for name in ("p1.md", "p2.md"):
        (tmp_path / name).write_text(f"Prompt {name}.\n", "utf-8")
    bench.ingest("7", {"a": RIGHT, "b": EMPTY}, "--prompt", tmp_path / "p1.md", "--repeat")
    given = bench.arguments("7", {"a": RIGHT}, "--prompt", tmp_path / "p2.md", "--fixtures", bench.root / "hard")
    said = cli(*given).stderr
    assert "another prompt file" not in said and said.count("under other tags") == 2, (
        "v5 and v9 of hard, and not v6 of core"
    )


def test_textconv_names_the_suites(bench: Bench) -> None:
    lines = ok("ledger", "textconv", bench.ledger).splitlines()
    assert [line.split(", suite ")[1] for line in lines if line.startswith("corpus ")] == ["core", "hard (version 1)"]
    assert sum(line.startswith("  suite hard, corpus ") for line in lines) == 3


def test_latest_labels_are_those_of_the_suite(bench: Bench) -> None:
    """A label of `hard` is corrected to "alpha": its v6 misses it then, and `core` stays as it is."""
    before = bench.report("history", "--labels", "latest", "--suite", "core")
    write_corpus(bench.root / "hard", {"a": labels(point())})
    ok("ingest", "--fixtures", bench.root / "hard", "--ledger", bench.ledger)
    assert bench.score("v6", "--suite", "hard", "--labels", "latest")["totals"]["points_matched"] == 0
    assert bench.score("v5", "--suite", "hard", "--labels", "latest")["totals"]["points_matched"] == 1
    assert bench.score("v6", "--labels", "latest")["totals"]["points_matched"] == 1
    assert bench.report("history", "--labels", "latest", "--suite", "core") == before


def test_the_page_has_each_suite(bench: Bench) -> None:
    page = bench.report("report")
    for name, compared in (("core", "v6 against v5"), ("hard", "v9 against v6")):
        assert f'id="{name}-fixture-a"' in page and f'href="#{name}-history"' in page
        assert f"<h2>Suite {name}: {compared}</h2>" in page
    ids = [part.split('"')[0] for part in page.split(' id="')[1:]]
    assert len(ids) == len(set(ids))
    assert 'id="fixture-a"' in bench.report("report", "--suite", "hard")


def test_the_same_answers_in_two_suites_are_no_copy(bench: Bench) -> None:
    """They answer other sessions or count for other labels; a sample is counted within its suite."""
    assert "sample 1" in bench.report("score", "--run", "v6", "--suite", "hard")
    assert "is not counted" not in bench.report("history", "--by", "version")


CEILING = "this suite can show that something broke, hardly that something got better"


@pytest.mark.parametrize(
    ("size", "failing", "said"), [(24, 2, True), (24, 3, False), (10, 2, True), (9, 0, False), (24, 0, True)]
)
def test_a_suite_that_both_sides_pass_is_too_easy(tmp_path: Path, size: int, failing: int, said: bool) -> None:
    """One version fails nothing in one run and some in another: it is the worst run of either side that counts."""
    names = [f"f-{number:02}" for number in range(size)]
    bench = Bench(tmp_path, {name: labels() for name in names})
    good = dict.fromkeys(names, EMPTY)
    bad = {name: WRONG if number < failing else EMPTY for number, name in enumerate(names)}
    bench.ingest("5", good)
    bench.ingest("6", good)
    bench.ingest("6", bad, "--repeat")
    line = f"core: both pass at least {size - failing} of {size} in every run; {CEILING}"
    assert (line in bench.report("diff", "5", "6").splitlines()) == said
