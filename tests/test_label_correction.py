"""A label that is wrong is corrected for all runs: the recipe of docs/prompt-eval.md, and what each step says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import ROOT, Bench, answer, cli, labels, ok, point, proposal, refused, session, write_corpus

NAME = "admit-gotcha-01"
RECIPE = (
    (ROOT / "docs" / "prompt-eval.md").read_text("utf-8").partition("\n## Correct a label\n")[2].partition("\n## ")[0]
)
TALK = "".join(f"[USER]: Line {number} of a talk.\n\n" for number in range(7))
BODY = f"{TALK}[AGENT]: A bib_anchor is strictly permanent: never renumber it.\n"
WRONG = labels(point("anchor", must_match_all=["bib_anchor", "never", "strictly"]), category="admit-gotcha")
RIGHT = labels(point("anchor", must_match_all=["bib_anchor", "never", "renumber"]), category="admit-gotcha")
V5 = {NAME: answer(proposal("Keep the bib_anchor", "Never renumber it."))}
V6 = {NAME: answer(proposal("A bib_anchor is for good", "It is never renumbered."))}


def write(bench: Bench, name: str, value: dict[str, Any], version: str | None = None) -> None:
    """Write the labels of a fixture and, where it is given, the version of the corpus."""
    write_corpus(bench.fixtures, {name: value})
    (bench.fixtures / "sessions" / f"{name}.md").write_text(session(name, BODY), encoding="utf-8")
    if version:
        (bench.fixtures / "corpus.yaml").write_text(
            f'name: core\nversion: "{version}"\nprompt: p.md\n', encoding="utf-8"
        )


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Both versions make the point, and neither says "strictly". The commands find all of it where they look."""
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path, {})
    bench.ledger = tmp_path / "ledger" / "prompteval.db"
    bench.ledger.parent.mkdir()
    write(bench, NAME, WRONG, "1.0.0")
    bench.ingest("5", V5)
    bench.ingest("6", V6)
    return bench


def ingest(bench: Bench) -> tuple[str, str]:
    """Record the corpus alone, and return stdout and stderr."""
    result = cli("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    assert result.exit_code == 0, result.stderr
    return result.stdout, result.stderr


def commands() -> list[list[str]]:
    """Return the commands of the recipe, in its order."""
    return [shlex.split(line, comments=True)[1:] for line in re.findall(r"^prompteval .*$", RECIPE, re.MULTILINE)]


def test_the_recipe(bench: Bench) -> None:
    """Each command is run as it stands there; the edit is made before `check`, which is right for the first time."""
    said = {}
    for command in commands():
        if command == ["check"]:
            write(bench, NAME, RIGHT, "1.1.0")
        said[" ".join(command)] = ok(*command)
    titles = '\n    - "A bib_anchor is for good"\n    - "Keep the bib_anchor"\n'
    assert f"2 of 2 answers say it otherwise:{titles}" in said["labels"]
    assert ": FAIL" in said[f"show {NAME} --run v6"]
    changed = f'{NAME}:\n  point anchor: must_match_all: removed "strictly"\n'
    assert f'{changed}  point anchor: must_match_all: added "renumber"\n' in said["ingest"]
    assert ": PASS" in said[f"show {NAME} --run v6 --labels latest"]
    for version in ("v5", "v6"):
        assert "extracted 1/1" in said[f"score --run {version} --labels latest"]
    assert said["history --labels latest"].count("1/1") >= 2
    assert "0 fixed, 0 broken" in said["diff v5 v6 --labels latest"]
    assert len(said) == 9, "a command that the recipe has no more, or has twice"


def test_reports_say_that_newer_labels_exist(bench: Bench) -> None:
    reports = [("score",), ("show", NAME), ("history",), ("history", "--by", "version")]
    assert not any("newer labels" in bench.report(*report) for report in reports)
    write(bench, NAME, RIGHT, "1.1.0")
    revision = ingest(bench)[0].split()[1]
    for report in reports:
        (line,) = [line for line in bench.report(*report).splitlines() if "newer labels" in line]
        form = rf"newer labels exist \(corpus {revision} of \d{{4}}-\d\d-\d\d\); --labels latest uses them"
        assert re.fullmatch(form, line)
        assert "newer labels" not in bench.report(*report, "--labels", "latest")


def test_other_fixtures_and_other_sessions_are_no_newer_labels(bench: Bench) -> None:
    write(bench, "admit-gotcha-02", RIGHT, "1.1.0")
    path = bench.fixtures / "sessions" / f"{NAME}.md"
    write(bench, NAME, RIGHT)
    path.write_text(path.read_text("utf-8") + "\n[USER]: Thanks.\n", encoding="utf-8")
    ingest(bench)
    assert "newer labels" not in bench.report("score") + bench.report("history")
    message = refused("show", NAME, "--labels", "latest", "--ledger", bench.ledger)
    assert f"the latest labels do not score '{NAME}' of run" in message and "its session changed" in message


@pytest.mark.wrapped
def test_every_change_is_listed(bench: Bench) -> None:
    """Each on a line, by fixture, none wider than 80 columns."""
    long = " ".join(["renumbered"] * 12)
    first = labels(
        point("gone"),
        point("stays", must_match_any=[["one", "two"], ["three"]], must_not_match=["lf-1"]),
        budget=1,
        category="admit-gotcha",
    )
    second = labels(
        point("stays", "map", must_match_any=[["two", "one"], ["four"]], must_match_none=[long]),
        point("came"),
        budget=2,
        category="admit-gotcha",
    )
    for name in ("a", "b", "c"):
        write(bench, name, first, "1.1.0")
    ingest(bench)
    write(bench, "a", {**second, "notes": "Another note."}, "1.2.0")
    write(bench, "d", labels(category="reject"))
    for path in ("expected/b.yaml", "sessions/b.md"):
        (bench.fixtures / path).unlink()
    write(bench, "c", labels(category="admit-gotcha"))
    with (bench.fixtures / "sessions" / "c.md").open("a", encoding="utf-8") as file:
        file.write("[USER]: More.\n")
    said = ingest(bench)[0]
    assert max(map(len, said.splitlines())) <= 80
    assert said.splitlines()[1:-1] == [
        "a:",
        "  max_unexpected_proposals: changed from 1 to 2",
        "  notes: changed",
        "  point gone: removed",
        "  point stays: type: changed from practice to map",
        '  point stays: must_match_any: removed "three"',
        '  point stays: must_match_any: added "four"',
        '  point stays: must_match_none: added "renumbered renumbered renumbered',
        "    renumbered renumbered renumbered renumbered renumbered renumbered renumbered",
        '    renumbered renumbered"',
        '  point stays: must_not_match: removed "lf-1"',
        "  point came: added",
        "b:",
        "  fixture: removed",
        "c:",
        "  session: changed",
        "  expect_empty: changed from false to true",
        "  max_unexpected_proposals: changed from 1 to 0",
        "  point gone: removed",
        "  point stays: removed",
        "d:",
        "  fixture: added",
    ]


def test_what_did_not_change_is_not_listed(bench: Bench) -> None:
    write(
        bench,
        NAME,
        labels(point("anchor", must_match_all=["strictly", "never", "bib_anchor"]), category="admit-gotcha"),
    )
    assert "  order of points or terms: changed\n" in ingest(bench)[0]
    assert ingest(bench)[0].splitlines()[0].endswith("1 fixture, unchanged")
    assert len(ingest(bench)[0].splitlines()) == 2
    fresh = cli("ingest", "--fixtures", bench.fixtures, "--ledger", bench.root / "fresh.db").stdout
    assert len(fresh.splitlines()) == 2, "of a first corpus nothing came or went"


def test_another_suite_is_no_earlier_state(bench: Bench) -> None:
    (bench.fixtures / "corpus.yaml").write_text('name: stress\nversion: "1.0.0"\nprompt: p.md\n', encoding="utf-8")
    out, warnings = ingest(bench)
    assert "1 fixture, recorded" in out and len(out.splitlines()) == 2 and warnings == ""


def test_a_version_that_was_kept_is_a_warning(bench: Bench) -> None:
    write(bench, NAME, RIGHT)
    warning = "Warning: labels or sessions changed, and corpus.yaml kept version 1.0.0; give it a new one\n"
    assert ingest(bench)[1] == warning
    write(bench, NAME, RIGHT, "1.1.0")
    assert ingest(bench)[1] == "", "a new name alone is no change of labels"
    write(bench, NAME, WRONG, "1.2.0")
    assert "kept version" not in ingest(bench)[1]


def test_problems_of_labels_are_warnings(bench: Bench) -> None:
    write(
        bench, NAME, labels(point("anchor", must_match_all=["bib_anchor", "rigid"]), category="admit-gotcha"), "1.1.0"
    )
    (warning,) = ingest(bench)[1].splitlines()
    assert warning.startswith(f"Warning: expected/{NAME}.yaml: anchor.must_match_all")
    assert '"rigid" does not occur in the session' in warning


def test_changes_are_not_told_from_damaged_labels(bench: Bench) -> None:
    """What came and went since then cannot be said; nothing is written over it either."""
    damaged = bench.ledger.read_bytes().replace(b"A note.", b"B note.")
    bench.ledger.write_bytes(damaged)
    write(bench, NAME, RIGHT, "1.1.0")
    assert "is damaged: labels" in refused("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    assert bench.ledger.read_bytes() == damaged
