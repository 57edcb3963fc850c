"""Ledgers that older versions wrote: read with the same scores, and carried over on the next write."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from prompteval.ledger import schema
from tests.helpers import ROOT, ok, write_corpus, write_results
from tests.small import FIXTURES

KEPT = sorted((ROOT / "tests" / "ledgers").glob("v*.db"))
REPORTS = {
    "score-v5": ("score", "--run", "v5"),
    "score-v6": ("score", "--run", "v6"),
    "diff-v5-v6": ("diff", "v5", "v6"),
    "runs": ("runs",),
}
# SHA-256 of tables, triggers and views. Whoever changes one of them raises USER_VERSION and adds a line and a ledger.
MADE_OF = {
    1: "5800eeb923dd71176c952b503548788051ca263e450d9352b753805570948011",
    2: "f3c3de38f13c729b8ff548fb8e8765346a2388528e997006355879e44534ae2b",
}


@pytest.fixture(params=KEPT, ids=lambda path: str(path.stem))
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copy(request.param, tmp_path))


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version to come: it says so, and has one view more."""
    views = [*schema.view_statements(), "create view later as select 1 as one"]
    monkeypatch.setattr(schema, "view_statements", lambda: views)
    monkeypatch.setattr(schema, "USER_VERSION", schema.USER_VERSION + 1)


def version_of(ledger: Path) -> int:
    connection = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)
    try:
        (version,) = connection.execute("pragma user_version").fetchone()
        return int(version)
    finally:
        connection.close()


def same_reports(ledger: Path) -> bool:
    return all(
        ok(*command, "--format", form, "--ledger", ledger) == (ROOT / "tests" / "golden" / f"{name}.{end}").read_text()
        for name, command in REPORTS.items()
        for form, end in (("text", "txt"), ("json", "json"))
    )


def ingest(ledger: Path, root: Path) -> str:
    corpus = write_corpus(root / "fixtures", FIXTURES)
    results = write_results(root / "results", {"admit-map-01": {"practice": [], "map": []}})
    tags = ("--version", "7", "--model", "X", "--partial")
    return ok("ingest", *tags, "--fixtures", corpus, "--ledger", ledger, results)


def test_a_ledger_of_each_version_is_kept() -> None:
    assert [path.stem for path in KEPT] == [f"v{number}" for number in range(1, schema.USER_VERSION + 1)]
    assert [version_of(path) for path in KEPT] == list(range(1, schema.USER_VERSION + 1))


@pytest.mark.parametrize("version", range(1, schema.USER_VERSION + 1))
def test_the_schema_does_not_change_without_a_new_version(version: int) -> None:
    objects = sorted([*key, sql] for key, sql in schema.expected_objects(version).items())
    assert hashlib.sha256(json.dumps(objects).encode()).hexdigest() == MADE_OF[version]


def test_every_kept_ledger_verifies(ledger: Path) -> None:
    """Also where a later version has other tables."""
    assert ok("ledger", "verify", "--ledger", ledger).startswith("0 problems")


def test_this_version_carries_it_over_on_the_next_write(ledger: Path, tmp_path: Path) -> None:
    shutil.copy(ledger, tmp_path / "before.db")
    ingest(ledger, tmp_path)
    assert version_of(ledger) == schema.USER_VERSION
    against = ("--against", tmp_path / "before.db")
    assert ok("ledger", "verify", "--ledger", ledger, *against).startswith("0 problems")
    for name in ("score-v5", "score-v6", "diff-v5-v6"):
        expected = (ROOT / "tests" / "golden" / f"{name}.json").read_text()
        assert ok(*REPORTS[name], "--format", "json", "--ledger", ledger) == expected


def test_ledgers_of_several_versions_are_merged(tmp_path: Path) -> None:
    ok("ledger", "merge", *KEPT, "--ledger", tmp_path / "all.db")
    assert version_of(tmp_path / "all.db") == schema.USER_VERSION
    for path in KEPT:
        verified = ok("ledger", "verify", "--ledger", path, "--against", tmp_path / "all.db")
        assert verified.startswith("0 problems")


def test_every_kept_ledger_has_the_same_scores(ledger: Path) -> None:
    before = ledger.read_bytes()
    assert same_reports(ledger)
    assert ledger.read_bytes() == before


@pytest.mark.usefixtures("later")
def test_a_later_version_reads_it(ledger: Path) -> None:
    before = ledger.read_bytes()
    assert same_reports(ledger)
    assert ledger.read_bytes() == before


def test_a_later_version_carries_it_over_on_the_next_write(
    ledger: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("later")
    corpus = write_corpus(tmp_path / "fixtures", FIXTURES)
    before = ledger.read_bytes()
    assert "unchanged" in ok("ingest", "--fixtures", corpus, "--ledger", ledger)
    assert ledger.read_bytes() == before  # nothing new is no reason to write
    assert ingest(ledger, tmp_path).startswith("run ")
    assert version_of(ledger) == schema.USER_VERSION
    assert ok("ledger", "verify", "--ledger", ledger).startswith("0 problems")
    for name in ("score-v5", "score-v6", "diff-v5-v6"):
        expected = (ROOT / "tests" / "golden" / f"{name}.json").read_text()
        assert ok(*REPORTS[name], "--format", "json", "--ledger", ledger) == expected


@pytest.mark.usefixtures("later")
def test_carrying_over_adds_and_loses_no_fact(ledger: Path, tmp_path: Path) -> None:
    shutil.copy(ledger, tmp_path / "before.db")
    ingest(ledger, tmp_path)
    against = ("--against", tmp_path / "before.db")
    assert ok("ledger", "verify", "--ledger", ledger, *against).startswith("0 problems")
