"""Several runs a side: uneven numbers of them, copies of the same answers, and answers that cannot be read."""

from __future__ import annotations

import itertools
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import Bench, answer, labels, point, proposal, unlike, write_corpus

RIGHT, NONE = answer(proposal("Alpha")), answer()
GATE = {"gate": NONE}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, {name: labels(point()) for name in "abcdefgh"} | {"gate": labels(category="reject-thing")})


def row(text: str, measure: str) -> list[str]:
    """Return the cells of a measure in a text report."""
    (line,) = (line for line in text.splitlines() if line.startswith(f"  {measure}  "))
    return line.split()[len(measure.split()) :]


def test_a_fixture_counts_once_however_many_answers_it_has(bench: Bench) -> None:
    """Both versions always pass a and the gate and always fail the rest; v5 has three runs, v6 one."""
    for number in range(3):
        bench.ingest(
            "5", {name: unlike(10 * number + place, name == "a") for place, name in enumerate("abcdefgh")} | GATE
        )
    bench.ingest("6", {name: unlike(90 + place, name == "a") for place, name in enumerate("abcdefgh")} | GATE)
    text = bench.report("diff", "5", "6")
    assert text.startswith(
        "v6 extracted 1/8 expected knowledge points and produced 7 phantoms; v5 was 1/8 (mean of 3 runs)"
    )
    assert row(text, "recall")[:3] == ["1/8", "1/8", "0.0"]
    assert row(text, "phantoms")[:3] == ["7", "7", "0"]
    assert "each fixture counts once, with the mean over its answers" in text
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert [comparison[side]["means"]["points_matched"] for side in ("baseline", "candidate")] == [1.0, 1.0]
    assert [comparison[side]["totals"]["points_matched"] for side in ("baseline", "candidate")] == [3, 1]


def test_means_that_are_not_whole_are_shown_with_a_decimal(tmp_path: Path) -> None:
    """v5 passes a in 2 of 3 answers and b in all: 1.7/2, 0.3 phantoms. v6 passes both in one."""
    bench = Bench(tmp_path, {name: labels(point()) for name in "ab"})
    for number, right in enumerate((True, True, False)):
        bench.ingest("5", {"a": unlike(number, right), "b": unlike(number)})
    bench.ingest("6", {"a": RIGHT, "b": RIGHT})
    text = bench.report("diff", "5", "6")
    assert "v5 was 1.7/2 (mean of 3 runs) with 0.3 phantoms." in text
    assert row(text, "recall")[:3] == ["1.7/2", "2/2", "+16.7"]
    assert row(text, "phantoms")[:3] == ["0.3", "0", "-0.3"]


@settings(max_examples=12)
@given(
    st.lists(st.sampled_from(["right", "wrong", "gate"]), min_size=1, max_size=4), st.integers(1, 3), st.integers(1, 3)
)
def test_numbers_of_runs_make_no_difference(kinds: list[str], before: int, after: int) -> None:
    """A law: where every answer to a fixture comes out the same, both sides do, with any numbers of runs."""
    names = [f"{kind}{index}" for index, kind in enumerate(kinds)]
    texts = itertools.count()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), {n: labels() if n.startswith("gate") else labels(point()) for n in names})
        for version, runs in enumerate((before, after)):
            for _ in range(runs):
                bench.ingest(str(version), {n: unlike(next(texts), right=not n.startswith("wrong")) for n in names})
        (comparison,) = bench.diff("0", "1")["comparisons"]
    was, now = (comparison[side]["means"] for side in ("baseline", "candidate"))
    assert was == now and was["points_matched"] == was["fixtures_passed"] == kinds.count("right")
    assert was["phantoms"] == len(kinds) - kinds.count("right")


def copies(bench: Bench) -> list[tuple[str, str, int]]:
    """Return the runs of v5 that are not counted, the runs they are copies of, and the numbers of their answers."""
    found = bench.diff("5", "6")["comparisons"][0]["baseline"]["copies"]
    return [(copy["run"][:8], copy["of"][:8], copy["answers"]) for copy in found]


def test_a_complete_run_takes_the_place_of_the_partial_one_in_it(bench: Bench) -> None:
    """Recorded before or not, three answers of a run are no second run: the verdict is that of two complete ones."""
    given = {name: unlike(number, right=False) for number, name in enumerate("abcdefgh")} | GATE
    bench.ingest("6", dict.fromkeys("abcdefgh", RIGHT) | GATE)
    partial = bench.ingest("5", {name: given[name] for name in "abc"}, "--partial")
    complete = bench.ingest("5", given)
    assert copies(bench) == [(partial, complete, 3)]
    text = bench.report("diff", "5", "6")
    assert f"run {partial} of v5 is not counted: each of its 3 answers is in run {complete} too" in text
    assert "On these 9 fixtures v6 " in text and "missing" not in text


def test_an_answer_counts_once_also_with_repeat(bench: Bench) -> None:
    """The gate is the same nothing each time; the others too: one run, recorded three times."""
    given = {name: unlike(number) for number, name in enumerate("abcdefgh")} | GATE
    first, second, third = (bench.ingest("5", given, "--repeat") for _ in range(3))
    bench.ingest("6", dict.fromkeys("abcdefgh", RIGHT) | GATE)
    assert copies(bench) == [(second, first, 9), (third, first, 9)]
    for report in (("runs",), ("history",)):
        assert f"run {second} is a repeat of run {first}" in bench.report(*report)
        assert f"run {third} is a repeat of run {first}" in bench.report(*report)


def test_runs_of_nothing_but_empty_answers(tmp_path: Path) -> None:
    """Empty answers are the same by chance: no copies of each other, unless repeated; a copy of what has more."""
    bench = Bench(tmp_path, {"a": labels(point()), "g": labels(), "h": labels()})
    bench.ingest("6", {"a": RIGHT, "g": NONE, "h": NONE})
    small = bench.ingest("5", {"g": NONE}, "--partial")
    gates = bench.ingest("5", {"g": NONE, "h": NONE}, "--partial")
    assert copies(bench) == []
    whole = bench.ingest("5", {"a": unlike(1), "g": NONE, "h": NONE})
    assert copies(bench) == [(small, whole, 1), (gates, whole, 2)]
    bench.ingest("7", {"a": NONE, "g": NONE, "h": NONE}, "--repeat")
    again = bench.ingest("7", {"a": NONE, "g": NONE, "h": NONE}, "--repeat")
    (copy,) = bench.diff("7", "6")["comparisons"][0]["baseline"]["copies"]
    assert copy["run"][:8] == again


def test_a_copy_of_a_copy_is_named_after_the_run_that_counts(bench: Bench) -> None:
    given = {name: unlike(number) for number, name in enumerate("abc")}
    runs = [bench.ingest("5", {name: given[name] for name in names}, "--partial") for names in ("a", "ab", "abc")]
    bench.ingest("6", {"a": RIGHT}, "--partial")
    copies = bench.diff("5", "6")["comparisons"][0]["baseline"]["copies"]
    assert [(copy["run"][:8], copy["of"][:8]) for copy in copies] == [(runs[0], runs[2]), (runs[1], runs[2])]


def test_runs_that_differ_in_what_is_not_compared_are_no_copies(bench: Bench) -> None:
    """Two samples agree on all but c, which has another session by the time of v6."""
    for number in (1, 2):
        bench.ingest("5", dict.fromkeys("abdefgh", unlike(7)) | {"c": unlike(number)} | GATE)
    path = bench.fixtures / "sessions" / "c.md"
    path.write_text(path.read_text("utf-8") + "\n[USER]: More.\n", "utf-8")
    bench.ingest("6", dict.fromkeys("abcdefgh", RIGHT) | GATE)
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert len(comparison["baseline"]["runs"]) == 2 and not comparison["baseline"]["copies"]


def test_a_run_that_was_not_asked_is_not_counted(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(point())})
    old = bench.ingest("6", {"a": unlike(1, right=False)})
    path = bench.fixtures / "sessions" / "a.md"
    path.write_text(path.read_text("utf-8") + "\n[USER]: More.\n", "utf-8")
    write_corpus(bench.fixtures, {"b": labels(point())})
    path.write_text(path.read_text("utf-8") + "\n[USER]: More.\n", "utf-8")
    bench.ingest("5", {"a": unlike(2), "b": unlike(3)})
    bench.ingest("6", {"a": unlike(4), "b": unlike(5)})
    text = bench.report("diff", "5", "6")
    assert text.startswith("v6 extracted 2/2 expected knowledge points and produced 0 phantoms; v5 was 2/2 with")
    assert f"run {old} of v6 is not counted: it was not asked about a compared fixture" in text
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert [run[:8] for run in comparison["candidate"]["idle"]] == [old]


def test_no_p_is_given_under_different_labels(bench: Bench) -> None:
    """Both versions get all points; the second labels ask for one more per fixture. That is no evidence of anything."""
    names = "abcdefgh"
    bench.ingest("5", dict.fromkeys(names, RIGHT) | GATE)
    write_corpus(bench.fixtures, {name: labels(point(), point("second", must_match_all=["lph"])) for name in names})
    bench.ingest("6", {name: unlike(number) for number, name in enumerate(names)} | GATE)
    for order in (("5", "6"), ("6", "5")):
        evidence = bench.diff(*order, "--labels", "recorded")["comparisons"][0]["evidence"]
        assert all(each["p"] is None for each in evidence["measures"].values())
        text = bench.report("diff", *order, "--labels", "recorded")
        assert "No verdict: the runs were scored with different labels" in text
    assert bench.diff("5", "6")["comparisons"][0]["evidence"]["measures"]["recall"]["p"] == 1


def test_runs_of_one_version_are_named_with_it(bench: Bench) -> None:
    cold = bench.ingest("5", {"a": RIGHT}, "--partial", "--temperature", "0")
    warm = bench.ingest("5", {"a": NONE}, "--partial", "--temperature", "1")
    text = bench.report("diff", cold, warm)
    assert f"baseline run {cold} of version v5: run {cold} of " in text
    assert "note: the runs also differ in temperature: 0 against 1" in text


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
        empty = {*recorded[run].values(), *recorded[other].values()} == {"x"}
        assert empty or not recorded[run].items() <= recorded[other].items()


def test_an_answer_that_cannot_be_read_does_not_save_phantoms(bench: Bench) -> None:
    """Eight phantoms against eight unreadable answers: no better, and the head of the report says so."""
    bench.ingest("5", {name: unlike(number, right=False) for number, name in enumerate("abcdefgh")} | GATE)
    bench.ingest("6", dict.fromkeys("abcdefgh", "no JSON") | {"gate": "no JSON"})
    (comparison,) = bench.diff("5", "6")["comparisons"]
    found = comparison["evidence"]["measures"]["phantoms"]
    assert (found["fixtures"], found["p"], found["why"]) == (0, None, "no fixture to compare")
    assert [comparison["candidate"]["totals"][key] for key in ("fixtures_answered", "fixtures_invalid")] == [9, 9]
    text = bench.report("diff", "5", "6")
    assert text.startswith("v6 extracted 0/8 expected knowledge points and produced n/a phantoms;")
    assert "9 of 9 answers of v6 invalid: they count as failed and have no phantoms" in text
    assert row(text, "phantoms") == ["n/a", "n/a", "n/a"]
    for command in (["runs"], ["history"], ["history", "--by", "version"]):
        assert "9/9, 9 invalid" in bench.report(*command), command


def test_phantoms_are_those_of_fixtures_readable_on_both_sides(tmp_path: Path) -> None:
    """v5: one phantom on each of a to i. v6: none on eight of them, and i is not readable. So 8 against 0."""
    bench = Bench(tmp_path, {name: labels(point(), budget=1) for name in "abcdefghi"})
    extra = {name: answer(proposal("Alpha"), proposal(f"Other {name}")) for name in "abcdefghi"}
    bench.ingest("5", extra)
    bench.ingest("6", {**dict.fromkeys("abcdefgh", RIGHT), "i": "no JSON"})
    text = bench.report("diff", "5", "6")
    assert "produced 0 phantoms; v5 was 9/9 with 8 phantoms." in text
    assert "produces fewer phantoms (8 → 0, p = 0.0234, without 0 unreadable of v5 and 1 unreadable of v6)" in text


@pytest.mark.slow
def test_numbers_of_answers_too_uneven_for_p(tmp_path: Path) -> None:
    """24 fixtures that came into the corpus one after the other: each has another number of answers."""
    bench, number = Bench(tmp_path, {}), itertools.count()
    names: list[str] = []
    for index in range(24):
        names.append(f"a{index:02}")
        write_corpus(bench.fixtures, {names[-1]: labels(point())})
        for version, every in (("5", 1), ("6", 2)):
            if index % every == 0:
                bench.ingest(version, {name: unlike(next(number), next(number) % 3 > 0) for name in names})
    text = bench.report("diff", "5", "6")
    assert "too many different numbers of answers for an exact p" in text
