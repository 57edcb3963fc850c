"""What could mislead the reader of a comparison, each kind once, and what `diff` says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.helpers import Bench, answer, labels, ok, point, proposal, refused, unlike, write_corpus

NONE = answer()
POINTS, GATES = [f"a{n:02}" for n in range(13)], [f"g{n:02}" for n in range(11)]


def run(number: int, wrong: int = 0) -> dict[str, Any]:
    """Return the answers of one run, the first few of them wrong; no two runs share an answer but the empty ones."""
    given = {name: unlike(100 * number + place, place >= wrong) for place, name in enumerate(POINTS)}
    return {**given, **dict.fromkeys(GATES, NONE)}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A corpus of 24 fixtures, 13 with a point and 11 that expect nothing."""
    return Bench(tmp_path, {**{n: labels(point()) for n in POINTS}, **{n: labels() for n in GATES}})


def measures(bench: Bench, *more: object) -> dict[str, Any]:
    (comparison,) = bench.diff("5", "6", *more)["comparisons"]
    found: dict[str, Any] = comparison["evidence"]["measures"]
    return found


def test_missing_answers_are_failures_and_give_no_verdict(bench: Bench) -> None:
    """Three runs a side; v6 breaks 5 of 24 answers in each. Kept, they cost recall; left out, they cost the verdict."""
    for number in range(3):
        bench.ingest("5", run(number))
        broken = {**run(10 + number), **dict.fromkeys(POINTS[:5], f"broken {number}")}
        bench.ingest("6", broken)
    kept = bench.report("diff", "5", "6")
    assert "15 of 72 answers of v6 invalid: they count as failed" in kept
    assert "finds fewer expected points (39 → 24" in kept and measures(bench)["recall"]["p"] < 0.001
    bench.ledger.unlink()
    for number in range(3):
        bench.ingest("5", run(number))
        bench.ingest(
            "6", {name: given for name, given in run(10 + number).items() if name not in POINTS[:5]}, "--partial"
        )
    text = bench.report("diff", "5", "6")
    assert text.startswith("v6 extracted 24/39 expected knowledge points in 3 runs")
    assert "No verdict: answers are missing (15 of v6), and what is missing may be what failed" in text
    assert "15 of 72 answers of v6 missing: they count as failed" in text
    assert all(each["p"] is None and each["why"] == "answers are missing" for each in measures(bench).values())
    history = bench.report("history", "--by", "version")
    assert "24/39" in history, "as in history"


def test_complete_runs_by_id_give_a_verdict_and_the_rest_is_named(bench: Bench) -> None:
    bench.ingest("5", run(0))
    whole = bench.ingest("6", run(1, wrong=9))
    part = bench.ingest("6", {name: given for name, given in run(2).items() if name != "a00"}, "--partial")
    assert "No verdict" in bench.report("diff", "5", "6")
    text = bench.report("diff", "5", whole)
    assert f"On these 24 fixtures run {whole} " in text and "No verdict" not in text
    assert f"not compared, though recorded with the same tags: {part} of v6" in text


def test_only_the_failures_asked_again(bench: Bench) -> None:
    """v6's folder is that of v5 with the seven failures answered again: six answers with a point are the same."""
    before = run(0, wrong=7)
    bench.ingest("5", before)
    bench.ingest("6", {**before, **{name: unlike(900 + place) for place, name in enumerate(POINTS[:7])}})
    text = bench.report("diff", "5", "6")
    assert "word for word the same on both sides: 6 non-empty answers" in text
    assert "6 answers are word for word the same on both sides." in text.splitlines()[2], "in the verdict too"
    bench.ingest("7", {**run(1), "a00": before["a00"]})
    said = bench.report("diff", "5", "7")
    assert "on both sides: 1 non-empty answer" in said and "word for word" not in said.splitlines()[2]


def test_one_fixture_is_no_difference_elsewhere(bench: Bench) -> None:
    """One fixture goes from 0/5 to 5/5: p 2/252 on these fixtures, and the interval over fixtures includes 0."""
    for number in range(5):
        bench.ingest("5", run(number, wrong=1))
        bench.ingest("6", run(10 + number))
    found = measures(bench)
    assert found["recall"]["exact"] == "1/126" and found["recall"]["interval"][0] < 0 < found["recall"]["interval"][1]
    text = bench.report("diff", "5", "6")
    assert "on these fixtures; too few moved to expect it elsewhere." in text
    assert "On these 24 fixtures v6" not in text


def test_what_is_promised_takes_the_noise_into_account(bench: Bench) -> None:
    """Two runs of each version differ on 2 of 24: ± 1.96 sqrt(2 (2 / 4)) = 2.0, and no number of runs is promised."""
    for number, wrong in enumerate((0, 2)):
        bench.ingest("5", run(number, wrong))
        bench.ingest("6", run(10 + number, wrong))
    text = bench.report("diff", "5", "6")
    assert "moves by about ± 2.0." in text and "would show" not in text
    assert "could have detected" not in text


def test_copies_count_once(bench: Bench) -> None:
    """The empty answers recorded first, the whole folder then, and twice more with --repeat: one run each time."""
    bench.ingest("5", {name: unlike(50 + place, right=False) for place, name in enumerate([*POINTS, *GATES])})
    alone = run(1)
    bench.ingest("6", dict.fromkeys(GATES, NONE), "--partial")
    bench.ingest("6", alone)
    first = measures(bench)
    bench.ingest("6", alone, "--repeat")
    assert measures(bench) == first and first["gate_accuracy"]["exact"] == "1/1024"
    assert bench.report("diff", "5", "6").count("is not counted") == 2


def test_labels_that_changed_after_the_answers(bench: Bench) -> None:
    """Under the first labels v5 has 13 points and v6 none, under the corrected ones the other way round."""
    bench.ingest("5", {**{n: answer(proposal("Alpha")) for n in POINTS}, **dict.fromkeys(GATES, NONE)})
    bench.ingest("6", {**{n: answer(proposal("Beta")) for n in POINTS}, **dict.fromkeys(GATES, NONE)})
    assert "these labels" not in bench.report("diff", "5", "6")
    write_corpus(bench.fixtures, {name: labels(point(must_match_all=["beta"])) for name in POINTS})
    ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    text = bench.report("diff", "5", "6", "--labels", "latest")
    assert text.startswith("v6 extracted 13/13") and "v5 was 0/13" in text
    line = "these labels are not those of all runs; under those each was recorded with: "
    assert f"{line}recall 13/13 → 0/13, fixtures passed 24/24 → 11/24" in text
    assert "note: the runs also differ" not in text, "both sides are scored alike"
    recorded = bench.report("diff", "5", "6")
    assert "newer labels exist" in recorded and "--labels latest uses them" in recorded


def test_the_largest_change_has_a_p(bench: Bench) -> None:
    """Fixtures passed is one of the four; each blank cell has its reason below."""
    bench.ingest("5", run(0))
    bench.ingest("6", run(1, wrong=6))
    text = bench.report("diff", "5", "6")
    assert measures(bench)["fixtures_passed"]["exact"] == "1/32"
    assert text.count("may exist all the same") == 1
    rows = [
        line
        for line in text.splitlines()
        if line.startswith(("  fixtures passed ", "  recall ", "  phantoms ", "  gate "))
    ]
    assert len(rows) == 4 and all(line.split()[-1][0].isdigit() for line in rows)


@pytest.mark.parametrize("order", ["5566", "5656"])
def test_a_day_looks_like_a_version(bench: Bench, order: str) -> None:
    for number, version in enumerate(order):
        bench.ingest(version, run(number))
    said = "all runs of one side were recorded before all of the other: a good or bad day looks like a version"
    assert (said in bench.report("diff", "5", "6")) == (order == "5566")


def test_one_run_a_side_names_what_is_known_of_noise(bench: Bench) -> None:
    """v5 has two runs elsewhere in the ledger that differ on 2 fixtures; v6 and v7 have one run each."""
    bench.ingest("5", run(0))
    bench.ingest("6", run(1))
    bench.ingest("7", run(2))
    assert "in this ledger" not in bench.report("diff", "6", "7")
    bench.ingest("5", run(3, wrong=2))
    assert "; two runs of v5 in this ledger differ on 2 of 24." in bench.report("diff", "6", "7")


def test_a_copy_or_a_missing_answer_says_nothing_of_noise(bench: Bench) -> None:
    """v5 was recorded twice and differs on nothing by construction; v4 lacks answers, which are no flips."""
    bench.ingest("6", run(1))
    bench.ingest("7", run(2))
    bench.ingest("5", run(0))
    bench.ingest("5", run(0), "--repeat")
    assert "in this ledger" not in bench.report("diff", "6", "7")
    bench.ingest("4", run(4))
    bench.ingest("4", {name: given for name, given in run(5, wrong=2).items() if name not in POINTS[5:]}, "--partial")
    assert "; two runs of v4 in this ledger differ on 2 of 16." in bench.report("diff", "6", "7")


def test_a_missing_answer_is_no_noise(bench: Bench) -> None:
    """Two runs of each version pass all that they answered; 5 answers are missing in one, none in common in two."""
    for number in range(2):
        bench.ingest("5", run(number))
        bench.ingest(
            "6", {n: given for n, given in run(5 + number).items() if number or n not in POINTS[:5]}, "--partial"
        )
        bench.ingest(
            "7", {n: given for n, given in run(8 + number).items() if (n in POINTS) == bool(number)}, "--partial"
        )
    for candidate, noise in (("6", 0), ("7", None)):
        (comparison,) = bench.diff("5", candidate)["comparisons"]
        assert comparison["evidence"]["noise"] == {"baseline": 0, "candidate": noise}
    assert "moves by about" not in bench.report("diff", "5", "6")
    assert "v7 has no fixture with two answers, so what chance does to it" in bench.report("diff", "5", "7")


def test_neighbours_are_many_chances(bench: Bench) -> None:
    for number, version in enumerate("567"):
        bench.ingest(version, run(number))
    assert "3 versions make 2 comparisons, and each one can mislead by chance" in bench.report("history")
    assert "chances" not in bench.report("runs")


def test_the_two_sides_must_not_be_one(bench: Bench) -> None:
    bench.ingest("5", run(0))
    assert "is on both sides" in refused("diff", "5", "latest", "--ledger", bench.ledger)
