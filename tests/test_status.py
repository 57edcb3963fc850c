"""`prompteval status`, and the loop of prompt, save and status that a person goes through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from prompteval.cli import main
from tests.helpers import EMPTY, answer, labels, ok, point, proposal, refused, write_corpus, write_results


@pytest.fixture
def fixtures(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "fixtures", {"a-01": labels(point()), "b-01": labels(), "c-01": labels()})


def test_three_lists_and_the_next_command(fixtures: Path, tmp_path: Path) -> None:
    results = write_results(tmp_path / "results", {"a-01": answer(proposal()), "b-01": "nonsense"})
    assert ok("status", results, "--fixtures", fixtures).splitlines() == [
        "[################........] 2 of 3 answers saved",
        "",
        "valid: 1",
        "  a-01",
        "",
        "invalid: 1",
        "  b-01: no JSON: Expecting value (line 1 column 1)",
        "",
        "missing: 1",
        "  c-01",
        "",
        f"next: prompteval prompt c-01 --prompt FILE --fixtures {fixtures}",
    ]
    assert ok("status", "--next", results, "--fixtures", fixtures) == "c-01\n"


def test_before_the_first_answer(fixtures: Path, tmp_path: Path) -> None:
    text = ok("status", tmp_path / "none", "--fixtures", fixtures)
    assert text.startswith("[........................] 0 of 3 answers saved") and "missing: 3" in text
    assert ok("status", tmp_path / "none", "--next", "--fixtures", fixtures) == "a-01\n"


def test_when_all_are_there(fixtures: Path, tmp_path: Path) -> None:
    results = write_results(tmp_path / "results of v6", dict.fromkeys(("a-01", "b-01", "c-01"), EMPTY))
    last = ok("status", results, "--fixtures", fixtures).splitlines()[-1]
    assert last == f"next: prompteval ingest --version V --model NAME --fixtures {fixtures} '{results}'"
    assert ok("status", results, "--next", "--fixtures", fixtures) == ""


def test_what_is_in_the_way(fixtures: Path, tmp_path: Path) -> None:
    results = write_results(tmp_path / "results", {"a-1": EMPTY, "b-01": EMPTY})
    text = ok("status", results, "--fixtures", fixtures)
    assert "in the way of an ingest: 1\n  a-1.json: belongs to no fixture; the nearest is a-01" in text
    assert "next: fix these files" in text


def test_results_that_are_a_file(fixtures: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "is not a folder" in refused("status", tmp_path / "file", "--fixtures", fixtures)


def test_the_whole_loop_edits_no_file_by_hand(fixtures: Path, tmp_path: Path) -> None:
    """From no folder at all to a diff in the terminal, for two versions."""
    (tmp_path / "prompt.md").write_text("Extract.\n")
    ledger, where = tmp_path / "ledger.db", ("--fixtures", fixtures)
    for version, title in (("5", "Other"), ("6", "Alpha")):
        results = tmp_path / f"v{version}"
        seen = []
        while name := ok("status", "--next", results, *where).strip():
            assert "[USER]: Say it." in ok("prompt", name, "--prompt", tmp_path / "prompt.md", *where)
            reply = answer(proposal(title)) if name == "a-01" else EMPTY
            pasted = f"Here it is:\n```json\n{json.dumps(reply, indent=1)}\n```\n"
            command = ["save", name, "--results", str(results), *map(str, where)]
            assert CliRunner().invoke(main, command, input=pasted).exit_code == 0
            seen.append(name)
        assert seen == ["a-01", "b-01", "c-01"]
        ok("ingest", "--version", version, "--model", "X", "--ledger", ledger, *where, results)
    assert ok("diff", "5", "6", "--ledger", ledger).startswith(
        "v6 extracted 1/1 expected knowledge points and produced 0 phantoms; v5 was 0/1 with 1 phantom."
    )
