"""`prompteval labels`: what the answers say about the labels, counted by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers import Bench, answer, case_answer, case_labels, labels, ok, point, proposal, write_corpus

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "cases" / "labels.yaml").read_text("utf-8"))
SECTIONS = {
    "never": "Never matched",
    "terms": "Terms that alone cause a miss",
    "guards": "Guards that alone cause a miss",
    "near": "More near misses than matches",
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Three runs. "never" lacks "stem" twice and has nothing once; "often" is matched once and nearly twice."""
    bench = Bench(
        tmp_path,
        {
            "a": labels(point("never", must_match_all=["alpha", "stem"])),
            "b": labels(point("often", must_match_all=["beta"], must_match_any=[["one", "two"], ["three"]])),
            "c": labels(point("fine")),
            "d": labels(),
        },
    )
    given = [
        (proposal("Alpha"), proposal("Beta three")),
        (proposal("Alpha twice"), proposal("Beta one")),
        (proposal("Nothing"), proposal("Three", type="practice")),
    ]
    for first, second in given:
        bench.ingest("1", {"a": answer(first), "b": answer(second), "c": answer(proposal("Alpha"))}, "--partial")
    bench.ingest("1", {"a": "invalid", "b": "invalid"}, "--partial")
    return bench


def rows(bench: Bench, heading: str) -> list[list[str]]:
    """Return the rows of one section, without the notes below them."""
    return [line.split() for line in section(bench, heading) if not set(line) <= {" ", "-"} and "    - " not in line]


def section(bench: Bench, heading: str) -> list[str]:
    """Return the lines of one section."""
    return bench.report("labels").partition(heading + "\n")[2].partition("\n\n")[0].splitlines()


def notes(bench: Bench, heading: str) -> list[str]:
    """Return the notes below the rows of one section."""
    return [line.partition("    - ")[2] for line in section(bench, heading) if "    - " in line]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], list[str]]:
    """All cases as the fixtures of one corpus: run n gives the nth answer of each. The lines by case and section."""
    names = {f"case-{index:02}": case for index, case in enumerate(CASES)}
    bench = Bench(tmp_path_factory.mktemp("labels"), {name: case_labels(case) for name, case in names.items()})
    for number in range(max(len(case["answers"]) for case in CASES)):
        given = {n: case_answer(case["answers"][number]) for n, case in names.items() if number < len(case["answers"])}
        bench.ingest("1", given, "--partial")
    lines = {key: rows(bench, heading) for key, heading in SECTIONS.items()}
    return {
        (case["name"], key): [" ".join(line[1:]) for line in listed if line[0] == name]
        for name, case in names.items()
        for key, listed in lines.items()
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any], told: dict[tuple[str, str], list[str]]) -> None:
    assert {key: told[case["name"], key] for key in SECTIONS} == {key: case["expect"].get(key, []) for key in SECTIONS}


def test_points_that_no_run_matched(bench: Bench) -> None:
    assert rows(bench, "Never matched")[1:] == [["a", "never", "0/3", "2"]]


def test_terms_that_alone_cause_a_miss(bench: Bench) -> None:
    """ "Beta one" lacks either "two" or "three"; "Three" lacks "beta" alone, since "three" is a whole alternative."""
    assert rows(bench, "Terms that alone cause a miss")[1:] == [
        ["a", "never", '"stem"', "2/3"],
        ["b", "often", '"beta"', "1/3"],
        ["b", "often", '"three"', "1/3"],
        ["b", "often", '"two"', "1/3"],
    ]


def test_points_with_more_near_misses_than_matches(bench: Bench) -> None:
    expected = [["a", "never", "2", "0"], ["b", "often", "2", "1"]]
    assert rows(bench, "More near misses than matches")[1:] == expected


def test_guards_that_alone_cause_a_miss(tmp_path: Path) -> None:
    """The first answer is spoilt by one guard, the second by both, the third lacks the term itself."""
    bench = Bench(tmp_path, {"a": labels(point(must_match_all=["alpha"], must_not_match=["lf-1", "lf-2"]))})
    for title in ("Alpha of LF-1", "Alpha of LF-1 and LF-2", "Beta of LF-2"):
        bench.ingest("1", {"a": answer(proposal(title))})
    assert rows(bench, "Guards that alone cause a miss")[1:] == [["a", "point", '"lf-1"', "1/3"]]


def test_points_without_a_valid_answer_are_counted(bench: Bench) -> None:
    write_corpus(bench.fixtures, {"e": labels(point(), point("second"))})
    ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    assert bench.report("labels").startswith("5 points (2 without a valid answer) in 4 runs\n")


def test_the_latest_labels_count(bench: Bench) -> None:
    write_corpus(bench.fixtures, {"a": labels(point("never", must_match_all=["alpha"]))})
    ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    assert rows(bench, "Never matched") == [["none"]]


def test_markdown(bench: Bench) -> None:
    assert "| a | never | 0/3 | 2 |" in bench.report("labels", "--format", "markdown")
    assert bench.report("labels").startswith("3 points in 4 runs\n")


def test_a_term_is_not_alone_where_a_guard_occurred_too(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(point(must_match_all=["alpha", "beta"], must_not_match=["secret"]))})
    bench.ingest("1", {"a": answer(proposal("Alpha secret"))})
    assert rows(bench, "Terms that alone cause a miss") == [["none"]]


def test_a_brittle_term_is_told_with_what_the_answers_say(tmp_path: Path) -> None:
    """Three titles at most, the most frequent one first, and no more than 60 characters of each."""
    bench = Bench(tmp_path, {"a": labels(point(must_match_all=["alpha", "beta", "gamma"]))})
    titles = ["Zeta", "Zeta", "A" * 61, "B" * 60, "C"]
    for number, title in enumerate(titles):
        bench.ingest("1", {"a": answer(proposal(title, f"Alpha and beta {number}"))})
    bench.ingest("1", {"a": answer(proposal("Alpha", "Beta gamma"))})
    shown = ["5 of 6 answers say it otherwise:", '"Zeta"', f'"{"A" * 59}…"', f'"{"B" * 60}"']
    assert notes(bench, SECTIONS["terms"]) == shown
    assert max(map(len, bench.report("labels").splitlines())) <= 80


@pytest.mark.parametrize(
    ("terms", "title", "missed"),
    [
        ({"must_match_all": ["alpha", "beta", "gamma"]}, "Alpha", True),
        ({"must_match_all": ["alpha", "beta", "gamma"]}, "Alpha beta", False),
        ({"must_match_all": ["alpha", "beta"]}, "Alpha", False),
        ({"must_match_all": ["alpha"]}, "Other", True),
        ({"must_match_any": [["alpha", "beta", "gamma"], ["delta", "beta"]]}, "Beta", False),
        ({"must_match_any": [["alpha"], ["beta", "gamma", "delta"]]}, "Beta", True),
        ({"must_match_all": ["alpha"], "must_match_any": [["beta", "gamma"]]}, "Beta", True),
        ({"must_match_all": ["alpha"], "must_match_any": [["beta", "gamma"]]}, "Beta alpha", False),
    ],
)
def test_a_missed_point_has_no_answer_with_half_of_its_terms(
    tmp_path: Path, terms: dict[str, Any], title: str, missed: bool
) -> None:
    bench = Bench(tmp_path, {"a": labels(point(**terms))})
    bench.ingest("1", {"a": answer(proposal(title))})
    assert notes(bench, SECTIONS["never"]) == ["no answer has half of its terms: the prompt misses it"] * missed
    assert not missed or notes(bench, SECTIONS["terms"]) == [], "what is missed is not said otherwise"


def test_json_and_csv(bench: Bench) -> None:
    (suite,) = json.loads(bench.report("labels", "--format", "json"))["suites"]
    assert (suite["suite"], suite["runs"], suite["points_total"]) == ("core", 4, 3)
    assert suite["points"][0] == {
        "fixture_id": "a",
        "point": "never",
        "answers": 3,
        "matched": 0,
        "near_misses": 2,
        "half_found": True,
        "terms": [{"term": "stem", "answers": 2, "titles": ["Alpha", "Alpha twice"]}],
        "guards": [],
    }
    first, *rest = bench.report("labels", "--format", "csv").splitlines()
    assert first == "suite,fixture_id,point,answers,matched,near_misses,half_found,terms,guards"
    assert rest == [
        "core,a,never,3,0,2,1,stem (2),",
        "core,b,often,3,1,2,1,beta (1); three (1); two (1),",
        "core,c,fine,3,3,0,1,,",
    ]


def test_an_excluded_term_that_alone_causes_a_miss(tmp_path: Path) -> None:
    """Both rules in one proposal: all that must occur does, and the one term that must not keeps it from the point."""
    bench = Bench(tmp_path, {"a": labels(point(must_match_all=["alpha"], must_match_none=["beta", "gamma"]))})
    bench.ingest("5", {"a": answer(proposal("Alpha and beta"))})
    bench.ingest("6", {"a": answer(proposal("Alpha, beta and gamma"))})
    text = bench.report("labels").partition("Terms that alone cause a miss")[2].partition("Guards that alone")[0]
    assert '"beta"' in text and "1/2" in text and '"gamma"' not in text
    assert notes(bench, SECTIONS["terms"]) == ["1 of 2 answers has it where it must not be (must_match_none)"]
