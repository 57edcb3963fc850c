"""The views in the file, as sqlite3 and Datasette show them: what stands in each row, counted by hand."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import Bench, answer, labels, point, proposal

FIXTURES = {
    "a": labels(point("k", must_match_all=["alpha", "beta"], must_not_match=["lf-1"]), category="admit"),
    "b": labels(
        point("k", must_match_all=["alpha", "one"]), point("m", must_match_all=["gamma", "delta"]), category="admit"
    ),
    "c": labels(point(), category="admit"),
    "d": labels(category="reject"),
    "e": labels(category="reject"),
}
ANSWERS: dict[str, Any] = {
    # The first satisfies k, but the guard occurs, twice; the third has the words in a map. All three are phantoms.
    "a": answer(proposal("Alpha beta LF-1"), proposal("Alpha, LF-1 again"), proposal("Alpha beta", type="map")),
    # The first is expected for k; the second has one word of m and one of k; the third has nothing.
    "b": answer(proposal("Alpha one gamma"), proposal("Alpha delta"), proposal("Nothing")),
    "d": "no JSON",
    "e": answer(),
}


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run without an answer to c, and a second and third that differ in the harness alone, or not at all."""
    bench = Bench(tmp_path_factory.mktemp("views"), FIXTURES)
    bench.ingest("1", ANSWERS, "--partial")
    for number, harness in enumerate(("H", "H", "I")):
        bench.ingest("2", {"e": answer(proposal(f"Title {number}"))}, "--partial", "--harness", harness)
    return bench.ledger


def rows(ledger: Path, view: str, columns: str, order: str = "1, 2, 3") -> list[tuple[Any, ...]]:
    """Return what a view of the file says of the run of version 1."""
    connection = sqlite3.connect(ledger)
    where = "run_id in (select id from run where version = '1')"
    found = connection.execute(f"select {columns} from {view} where {where} order by {order}").fetchall()
    connection.close()
    return found


def test_a_missing_answer_is_a_row(ledger: Path) -> None:
    columns = "fixture_id, state, passed, points_matched, points_total, proposals, phantoms, gate"
    assert rows(ledger, "fixture_outcome", columns) == [
        ("a", "valid", 0, 0, 1, 3, 3, None),
        ("b", "valid", 0, 1, 2, 3, 2, None),
        ("c", "missing", 0, 0, 1, 0, 0, None),
        ("d", "invalid", 0, 0, 0, 0, 0, 0),
        ("e", "valid", 1, 0, 0, 0, 0, 1),
    ]


def test_the_totals_of_a_run(ledger: Path) -> None:
    """Precision: of 6 proposals 1 was expected."""
    counts = "fixtures_answered, fixtures_passed, fixtures_total, points_matched, points_total, phantoms, proposals"
    found = rows(ledger, "run_score", f"{counts}, gate_correct, gate_total, recall, gate_accuracy, precision")
    assert found == [(4, 1, 5, 1, 4, 5, 6, 1, 2, 0.25, 0.5, pytest.approx(1 / 6))]


def test_precision_is_of_proposals_and_not_of_points(tmp_path: Path) -> None:
    """One of two proposals matches two points: precision 1/2 and recall 2/2. Without proposals there is none."""
    bench = Bench(tmp_path, {"a": labels(point(), point("other", must_match_all=["beta"]))})
    bench.ingest("1", {"a": answer(proposal("Alpha beta"), proposal("Other"))})
    assert rows(bench.ledger, "run_score", "precision, recall, phantoms") == [(0.5, 1.0, 1)]
    none = Bench(tmp_path / "none", {"a": labels(point())})
    none.ingest("1", {"a": answer()})
    assert rows(none.ledger, "run_score", "precision, recall, gate_accuracy") == [(None, 0.0, None)]


def test_the_categories_of_a_run(ledger: Path) -> None:
    assert rows(ledger, "category_score", "category, fixtures_passed, fixtures_total") == [
        ("admit", 0, 3),
        ("reject", 1, 2),
    ]


def test_words_and_type_make_a_point_satisfied(ledger: Path) -> None:
    columns = "fixture_id, point_id, number, found, has_words, has_type, satisfies"
    assert rows(ledger, "proposal_point", columns) == [
        ("a", "k", 1, 2, 1, 1, 1),
        ("a", "k", 2, 1, 0, 1, 0),
        ("a", "k", 3, 2, 1, 0, 0),
        ("b", "k", 1, 2, 1, 1, 1),
        ("b", "k", 2, 1, 0, 1, 0),
        ("b", "k", 3, 0, 0, 1, 0),
        ("b", "m", 1, 1, 0, 1, 0),
        ("b", "m", 2, 1, 0, 1, 0),
        ("b", "m", 3, 0, 0, 1, 0),
    ]


def test_a_guard_that_occurs_twice_leaks_once(ledger: Path) -> None:
    assert rows(ledger, "leaked", "fixture_id, point_id, term") == [("a", "k", "lf-1")]
    outcome = rows(ledger, "point_outcome", "fixture_id, point_id, satisfied_by, leaks, matched")
    assert outcome == [("a", "k", 1, 1, 0), ("b", "k", 1, 0, 1), ("b", "m", 0, 0, 0), ("c", "point", 0, 0, 0)]


def test_near_misses(ledger: Path) -> None:
    """Not the proposal that satisfies k, not for a matched point, and not without a word; the expected one too."""
    assert rows(ledger, "near_miss", "fixture_id, point_id, rank, number, has_words, has_type") == [
        ("a", "k", 1, 3, 1, 0),
        ("a", "k", 2, 2, 0, 1),
        ("b", "m", 1, 1, 0, 1),
        ("b", "m", 2, 2, 0, 1),
    ]


def test_reasons(ledger: Path) -> None:
    """In the order in which they are told, each with its facts. A fixture without a reason passes."""
    columns = "fixture_id, position, code, point_id, count, budget, nearest"
    assert rows(ledger, "fixture_reason", columns) == [
        ("a", 0, "missed", "k", None, None, 3),
        ("a", 2, "phantoms", None, 3, 0, None),
        ("b", 1, "missed", "m", None, None, 1),
        ("b", 3, "phantoms", None, 2, 0, None),
        ("c", 0, "no-result", None, None, None, None),
        ("d", 0, "invalid", None, 1, None, None),
    ]


def test_samples_have_the_same_harness(ledger: Path) -> None:
    connection = sqlite3.connect(ledger)
    query = "select version, harness, sample from run_sample join run on run.id = run_id order by 1, 2, 3"
    assert connection.execute(query).fetchall() == [("1", None, 1), ("2", "H", 1), ("2", "H", 2), ("2", "I", 1)]
    connection.close()
