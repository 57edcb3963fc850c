"""Several runs a side: uneven numbers of them, copies of the same answers, and answers that cannot be read."""

from __future__ import annotations

import itertools
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import Bench, answer, labels, point, proposal, write_corpus

RIGHT, NONE = answer(proposal("Alpha")), answer()


def unlike(number: int, right: bool = True) -> dict[str, Any]:
    """Return an answer like no other; `right` has the expected point, otherwise it is one phantom."""
    return answer(proposal(f"{'Alpha' if right else 'Other'} {number}"))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, {name: labels(point()) for name in "abcdefgh"} | {"gate": labels(category="reject-thing")})


def totals_of(text: str) -> dict[str, str]:
    """Return the change of each measure in a text report."""
    lines = text.partition("Totals")[2].partition("\n\n")[0].splitlines()
    return {line[2:19].strip(): line.split("  ")[-1].strip() for line in lines if line.strip()}


def test_a_fixture_counts_once_however_many_answers_it_has(bench: Bench) -> None:
    """Both versions always pass a and always fail b; v5 has three answers for a, v6 three for b.

    Over answers v5 is at 3/4 and v6 at 1/4. Each fixture once, both are at 1/2, with 1 phantom and one open gate.
    """
    for number, names in enumerate(("ab", "a", "a")):
        given = {name: unlike(number, right=name == "a") for name in names}
        bench.ingest("5", {**given, "gate": NONE}, "--partial")
    for number, names in enumerate(("ab", "b", "b"), 10):
        bench.ingest("6", {name: unlike(number, right=name == "a") for name in names} | {"gate": NONE}, "--partial")
    text = bench.report("diff", "5", "6")
    assert totals_of(text) == {
        "Measure": "Change",
        "---------------": "--------",
        "recall": "0.0 pp",
        "phantoms": "0",
        "gate accuracy": "0.0 pp",
        "fixtures passed": "0.0 pp",
    }
    assert text.startswith(
        "v6 extracted 1/2 expected knowledge points (mean of 3 runs) and produced 1 phantom;"
        " v5 was 1/2 (mean of 3 runs) with 1 phantom."
    )
    assert "each counts once, with the mean over its answers" in text
    assert ["admit-thing", "1/2", "1/2"] in [line.split() for line in text.splitlines()]
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert [comparison[side]["means"]["points_matched"] for side in ("baseline", "candidate")] == [1.0, 1.0]
    assert [comparison[side]["totals"]["points_matched"] for side in ("baseline", "candidate")] == [3, 1]


def test_means_that_are_not_whole_are_shown_with_a_decimal(bench: Bench) -> None:
    """v5 passes a in 2 of 3 answers and b in its only one: 1.7/2, 0.3 phantoms. v6 passes both in one."""
    for number, right in enumerate((True, True, False)):
        given = {"a": unlike(number, right)} | ({"b": unlike(number)} if number == 0 else {})
        bench.ingest("5", given, "--partial")
    bench.ingest("6", {"a": RIGHT, "b": RIGHT}, "--partial")
    text = bench.report("diff", "5", "6")
    assert "v5 was 1.7/2 (mean of 3 runs) with 0.3 phantoms." in text
    assert "  recall           1.7/2  83.3 %  2/2 100.0 %  +16.7 pp\n" in text
    assert "  phantoms                   0.3            0      -0.3\n" in text


@settings(max_examples=12)
@given(
    st.lists(st.tuples(st.sampled_from(["right", "wrong", "gate"]), *[st.integers(1, 3)] * 2), min_size=1, max_size=4)
)
def test_numbers_of_answers_make_no_difference(fixtures: list[tuple[str, int, int]]) -> None:
    """A law: where every answer to a fixture comes out the same, both sides do, with any numbers of answers."""
    names = [f"{kind}{index}" for index, (kind, *_) in enumerate(fixtures)]
    expected = {name: labels() if name.startswith("gate") else labels(point()) for name in names}
    texts = itertools.count()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), expected)
        for version, numbers in enumerate(zip(*(numbers for _, *numbers in fixtures), strict=True)):
            for run in range(max(numbers)):
                asked = [name for name, number in zip(names, numbers, strict=True) if run < number]
                answers = {name: unlike(next(texts), right=not name.startswith("wrong")) for name in asked}
                bench.ingest(str(version), answers, "--partial")
        (comparison,) = bench.diff("0", "1")["comparisons"]
    before, after = (comparison[side]["means"] for side in ("baseline", "candidate"))
    assert before == after
    kinds = [kind for kind, *_ in fixtures]
    assert before["points_matched"] == before["fixtures_passed"] == kinds.count("right")
    assert before["phantoms"] == len(kinds) - kinds.count("right")


def test_a_complete_run_takes_the_place_of_the_partial_one_in_it(bench: Bench) -> None:
    """Six fixtures go from a phantom to none: p 2/2^6. Three of them, recorded before, make it no smaller."""
    given = {name: unlike(number, right=False) for number, name in enumerate("abcdef")}
    bench.ingest("6", dict.fromkeys("abcdef", RIGHT), "--partial")
    partial = bench.ingest("5", {name: given[name] for name in "abc"}, "--partial")
    complete = bench.ingest("5", given, "--partial")
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert comparison["evidence"]["p"]["phantoms"]["exact"] == "1/32"
    assert [run["id"][:8] for run in comparison["baseline"]["runs"]] == [complete]
    (copy,) = comparison["baseline"]["copies"]
    assert (copy["run"][:8], copy["of"][:8], copy["answers"]) == (partial, complete, 3)
    text = bench.report("diff", "5", "6")
    assert f"run {partial} of v5 is not counted: each of its 3 answers is in run {complete} too" in text
    assert "3 phantoms" not in text and "v5 was 0/6 with 6 phantoms" in text


def test_a_repeat_counts_and_is_pointed_out(bench: Bench) -> None:
    given = {name: unlike(number) for number, name in enumerate("ab")}
    for _ in range(2):
        bench.ingest("5", given, "--partial", "--repeat")
    bench.ingest("6", {"a": RIGHT, "b": RIGHT}, "--partial")
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert len(comparison["baseline"]["runs"]) == 2
    assert comparison["baseline"]["shared_answers"] == 2
    warning = "v5 has 2 answers word for word in several runs: if those are copies, p is too small"
    assert warning in bench.report("diff", "5", "6")


def test_runs_that_share_only_empty_answers_are_samples(bench: Bench) -> None:
    """Nothing is what many runs answer; that it is the same nothing says nothing."""
    bench.ingest("5", {"a": NONE}, "--partial")
    bench.ingest("5", {"a": NONE, "b": NONE}, "--partial")
    bench.ingest("6", {"a": RIGHT, "b": RIGHT}, "--partial")
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert len(comparison["baseline"]["runs"]) == 2 and not comparison["baseline"]["copies"]
    assert "word for word" not in bench.report("diff", "5", "6")


def test_a_repeated_run_is_no_copy_of_a_larger_one(bench: Bench) -> None:
    given = {name: unlike(number) for number, name in enumerate("abc")}
    for _ in range(2):
        bench.ingest("5", {"a": given["a"]}, "--partial", "--repeat")
    bench.ingest("5", given, "--partial")
    bench.ingest("6", {"a": RIGHT}, "--partial")
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert len(comparison["baseline"]["runs"]) == 2, "the first one is in the third, the second was asked for"


def test_a_copy_of_a_copy_is_named_after_the_run_that_counts(bench: Bench) -> None:
    given = {name: unlike(number) for number, name in enumerate("abc")}
    runs = [bench.ingest("5", {name: given[name] for name in names}, "--partial") for names in ("a", "ab", "abc")]
    bench.ingest("6", {"a": RIGHT}, "--partial")
    copies = bench.diff("5", "6")["comparisons"][0]["baseline"]["copies"]
    assert [(copy["run"][:8], copy["of"][:8]) for copy in copies] == [(runs[0], runs[2]), (runs[1], runs[2])]


def test_runs_that_differ_in_what_is_not_compared_are_no_copies(bench: Bench) -> None:
    """Two samples agree on a and b; c, on which they differ, has another session by the time of v6."""
    for number in (1, 2):
        bench.ingest("5", {"a": unlike(7), "b": unlike(8), "c": unlike(number)}, "--partial")
    path = bench.fixtures / "sessions" / "c.md"
    path.write_text(path.read_text("utf-8") + "\n[USER]: More.\n", "utf-8")
    bench.ingest("6", {"a": RIGHT, "b": RIGHT}, "--partial")
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert len(comparison["baseline"]["runs"]) == 2 and not comparison["baseline"]["copies"]


def test_a_run_without_a_compared_answer_is_not_counted(bench: Bench) -> None:
    old = bench.ingest("6", {"a": unlike(1, right=False)}, "--partial")
    path = bench.fixtures / "sessions" / "a.md"
    path.write_text(path.read_text("utf-8") + "\n[USER]: More.\n", "utf-8")
    bench.ingest("5", {"a": unlike(2), "b": unlike(3)}, "--partial")
    bench.ingest("6", {"a": unlike(4), "b": unlike(5)}, "--partial")
    text = bench.report("diff", "5", "6")
    assert text.startswith("v6 extracted 2/2 expected knowledge points and produced 0 phantoms; v5 was 2/2 with")
    assert f"run {old} of v6 is not counted: it has no answer to a compared fixture" in text
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert [run[:8] for run in comparison["candidate"]["idle"]] == [old]
    assert len(comparison["candidate"]["runs"]) == 1


def test_no_p_is_given_under_different_labels(bench: Bench) -> None:
    """Both versions get all points; the second labels ask for one more a fixture. That is no evidence of anything."""
    names = "abcdefgh"
    bench.ingest("5", dict.fromkeys(names, RIGHT), "--partial")
    write_corpus(bench.fixtures, {name: labels(point(), point("second", must_match_all=["lph"])) for name in names})
    bench.ingest("6", {name: unlike(number) for number, name in enumerate(names)}, "--partial")
    for order in (("5", "6"), ("6", "5")):
        assert bench.diff(*order, "--labels", "recorded")["comparisons"][0]["evidence"] is None
        text = bench.report("diff", *order, "--labels", "recorded")
        assert "none is given: the runs were scored with different labels" in text
    assert bench.diff("5", "6")["comparisons"][0]["evidence"]["p"]["recall"]["value"] == 1


def test_runs_of_one_version_are_named_with_it(bench: Bench) -> None:
    cold = bench.ingest("5", {"a": RIGHT}, "--partial", "--temperature", "0")
    warm = bench.ingest("5", {"a": NONE}, "--partial", "--temperature", "1")
    text = bench.report("diff", cold, warm)
    assert f"baseline run {cold} of version v5: run {cold} of " in text
    assert "confounded: these differ: temperature 0 against 1" in text


@settings(max_examples=12)
@given(
    st.lists(
        st.dictionaries(st.sampled_from("abc"), st.sampled_from("xyz"), min_size=1),
        min_size=1,
        max_size=5,
        unique_by=lambda run: frozenset(run.items()),
    )
)
def test_no_answer_is_lost_with_a_copy(given_runs: list[dict[str, str]]) -> None:
    """A law: whatever is left out is in a run that counts, and no run that counts is in another one that does."""
    texts = {"x": NONE, "y": RIGHT, "z": unlike(1)}
    with tempfile.TemporaryDirectory() as folder:
        bench, recorded = Bench(Path(folder), {name: labels(point()) for name in "abc"}), {}
        for listed in given_runs:
            run = bench.ingest("5", {name: texts[text] for name, text in listed.items()}, "--partial")
            recorded[run] = listed
        text = bench.report("history", "--by", "version", "--format", "json")
    (history,) = json.loads(text)["suites"]
    copies = {copy["run"][:8]: copy["of"][:8] for copy in history["copies"]}
    counted = recorded.keys() - copies.keys()
    assert history["versions"][0]["runs"] == len(counted)
    for run, other in copies.items():
        assert other in counted and recorded[run].items() <= recorded[other].items()
    for run, other in itertools.permutations(counted, 2):
        empty = set(recorded[run].values()) == {"x"}
        assert empty or not recorded[run].items() <= recorded[other].items()


def test_an_answer_that_cannot_be_read_does_not_save_phantoms(bench: Bench) -> None:
    """Eight phantoms against eight unreadable answers: no better, and said so in the head of the report."""
    bench.ingest("5", {name: unlike(number, right=False) for number, name in enumerate("abcdefgh")}, "--partial")
    bench.ingest("6", dict.fromkeys("abcdefgh", "no JSON"), "--partial")
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert comparison["evidence"]["p"]["phantoms"] == {
        "value": None,
        "exact": None,
        "adjusted": False,
        "fixtures": 0,
        "fewest_changes": None,
    }
    assert [comparison["candidate"]["totals"][key] for key in ("fixtures_answered", "fixtures_invalid")] == [8, 8]
    text = bench.report("diff", "5", "6")
    assert text.startswith("v6 extracted 0/8 expected knowledge points and produced n/a phantoms;")
    assert "invalid: 8 of 8 answers of v6; they count as failed" in text
    assert totals_of(text)["phantoms"] == "n/a"
    assert "phantoms: no fixture to compare" in text
    for command in (["runs"], ["history"], ["history", "--by", "version"]):
        assert "8/9, 8 invalid" in bench.report(*command), command


def test_phantoms_are_those_of_fixtures_readable_on_both_sides(bench: Bench) -> None:
    """v5: one phantom on each of a, b and c. v6: none on a, one on b, c not readable. So 2 against 1."""
    bench.ingest("5", {name: unlike(number, right=False) for number, name in enumerate("abc")}, "--partial")
    bench.ingest("6", {"a": RIGHT, "b": unlike(9, right=False), "c": "no JSON"}, "--partial")
    text = bench.report("diff", "5", "6")
    assert "produced 1 phantom; v5 was 0/3 with 2 phantoms." in text
    assert totals_of(text)["phantoms"] == "-1"
    assert "phantoms are those of the 2 fixtures with a valid answer on both sides" in text


def test_noise_is_told_of_the_fixtures_answered_twice(bench: Bench) -> None:
    """Two runs of v5 share one of three fixtures, and differ on it. v6 has two runs without a fixture in common."""
    bench.ingest("5", {"a": unlike(1), "b": unlike(2)}, "--partial")
    bench.ingest("5", {"a": unlike(3, right=False), "c": unlike(4)}, "--partial")
    bench.ingest("6", {"a": unlike(5)}, "--partial")
    bench.ingest("6", {"b": unlike(6), "c": unlike(7)}, "--partial")
    text = bench.report("diff", "5", "6")
    assert "two runs of v5 differ on 1.0 of 1 fixture." in text
    assert "Run-to-run noise was not measured for v6: no fixture has two answers there." in text
    evidence = bench.diff("5", "6")["comparisons"][0]["evidence"]
    assert evidence["noise"] == {"baseline": 1.0, "candidate": None}
    assert evidence["noise_fixtures"] == {"baseline": 1, "candidate": 0}


@pytest.mark.parametrize("often", ["abc", "fgh"])
def test_what_could_be_detected_does_not_depend_on_the_order_of_names(bench: Bench, often: str) -> None:
    """Three fixtures have three answers a side, five have one.

    Five with one answer alone reach 2/32 = 0.0625 at best, so any six are needed: with one of the three, 2/(32 * 20).
    """
    for version, right in (("5", False), ("6", True)):
        for run in range(3):
            names = "abcdefgh" if run == 0 else often
            given = {name: unlike(10 * run + place, right) for place, name in enumerate(names)}
            bench.ingest(version, given, "--partial")
    p = bench.diff("5", "6")["comparisons"][0]["evidence"]["p"]
    assert p["recall"]["fewest_changes"] == p["phantoms"]["fewest_changes"] == 6


@pytest.mark.slow
def test_numbers_of_answers_too_uneven_for_p_are_not_called_too_few(tmp_path: Path) -> None:
    """24 fixtures, each with another number of answers on either side, from 1 to 25."""
    names = [f"a{index:02}" for index in range(24)]
    bench, number = Bench(tmp_path, {name: labels(point()) for name in names}), 0
    for version, step in (("5", 1), ("6", 7)):
        for run in range(25):
            asked = [name for index, name in enumerate(names) if run <= index * step % 25]
            given = {name: unlike(number + place, right=place % 3 > 0) for place, name in enumerate(asked)}
            number += len(asked)
            bench.ingest(version, given or {names[0]: unlike(number)}, "--partial")
    text = bench.report("diff", "5", "6")
    assert "phantoms: the fixtures have too many different numbers of answers for an exact p" in text
    assert "no outcome could reach" not in text


def test_a_verdict_and_what_could_have_been_detected_agree(tmp_path: Path) -> None:
    """Where as many fixtures changed as are said to be enough, and no fewer, there is evidence.

    No gate changes, so Holm doubles the p of phantoms: six are 2 * 2/2^6 = 0.0625, seven 2 * 2/2^7 = 0.03125.
    """
    points, gates = "abcdefgh", [f"gate{number}" for number in range(6)]
    expected = {**dict.fromkeys(points, labels(point(), budget=1)), **dict.fromkeys(gates, labels(category="reject"))}
    bench = Bench(tmp_path, expected)
    bench.ingest("0", {**dict.fromkeys(points, RIGHT), **dict.fromkeys(gates, NONE)})
    with_phantom = answer(proposal("Alpha"), proposal("Other"))
    for changed in (5, 6, 7, 8):
        worse = dict.fromkeys(points[:changed], with_phantom)
        bench.ingest(str(changed), {**dict.fromkeys(points, RIGHT), **worse, **dict.fromkeys(gates, NONE)})
        phantoms = bench.diff("0", str(changed))["comparisons"][0]["evidence"]["p"]["phantoms"]
        assert phantoms["adjusted"] and phantoms["fewest_changes"] == 7
        verdict = "evidence" if changed >= 7 else "no evidence"
        assert f"phantoms: {verdict} of a difference" in bench.report("diff", "0", str(changed)), changed
