"""What an ingest appends, and what it leaves alone: corpus versions, samples, the bits of the file; and their merge."""

from __future__ import annotations

import os
import sqlite3
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from prompteval.ledger import times
from tests.helpers import Bench, answer, cli, labels, ok, point, proposal, write_corpus

RIGHT = {"a": answer(proposal("Alpha"))}


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    moments = iter(datetime(2026, 3, 1, tzinfo=timezone.utc) + timedelta(days=day) for day in range(99))
    monkeypatch.setattr(times, "utc_now", lambda: next(moments))
    return Bench(tmp_path, {"a": labels(point())})


def name_corpus(bench: Bench, version: str) -> str:
    """Give the corpus a version name and return what an ingest of it alone says."""
    row = "{category: admit-thing, count: 1, expected: practice, tests: t}"
    text = f"version: '{version}'\nprompt: p\ncategories:\n  - {row}\n"
    (bench.fixtures / "corpus.yaml").write_text(text, encoding="utf-8")
    return ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)


def recordings(ledger: Path) -> list[str]:
    """Return the names of the corpora that a ledger recorded, oldest first."""
    connection = sqlite3.connect(ledger)
    found = connection.execute("select version from corpus_recording order by recorded_at").fetchall()
    connection.close()
    return [version for (version,) in found]


def corpus_version(ledger: Path, run: str) -> str:
    """Return the version of the corpus as the report of a run names it."""
    lines = ok("score", "--run", run, "--ledger", ledger).splitlines()
    line = next(line for line in lines if line.startswith("suite core, corpus "))
    return line.partition("(version ")[2].partition(")")[0]


def test_a_corpus_is_recorded_when_its_name_alone_changed(bench: Bench) -> None:
    """The sessions and labels, and so the revision, stay as they are; the same name again is nothing new."""
    assert name_corpus(bench, "1.0.0").startswith("corpus ")
    said = name_corpus(bench, "1.1.0")
    assert "(version 1.1.0): 1 fixture, recorded" in said
    assert "(version 1.1.0): 1 fixture, unchanged" in name_corpus(bench, "1.1.0")
    assert recordings(bench.ledger) == ["1.0.0", "1.1.0"]
    connection = sqlite3.connect(bench.ledger)
    assert connection.execute("select count(*) from corpus").fetchone() == (1,)
    connection.close()


def test_a_run_keeps_the_corpus_name_of_its_time(bench: Bench) -> None:
    name_corpus(bench, "1.0.0")
    first = bench.ingest("1", RIGHT)
    name_corpus(bench, "1.1.0")
    second = bench.ingest("2", RIGHT)
    assert [corpus_version(bench.ledger, run) for run in (first, second)] == ["1.0.0", "1.1.0"]


def test_a_refusal_names_the_newest_of_several_samples(bench: Bench) -> None:
    """The first is of 1 March, the second of 2 March: that one is already there."""
    first, second = bench.ingest("1", RIGHT), bench.ingest("1", RIGHT, "--repeat")
    message = bench.refuse("1", RIGHT)
    assert f"already recorded as run {second} of 2026-03-02" in message and first not in message


def test_a_further_sample_is_no_run_under_other_tags(bench: Bench) -> None:
    other = bench.ingest("2", RIGHT)
    bench.ingest("1", RIGHT)
    said = cli(*bench.arguments("1", RIGHT, "--repeat")).stderr
    assert [line for line in said.splitlines() if "under other tags" in line] == [
        f"Warning: run {other} under other tags has exactly these answers"
    ]


def test_samples_are_counted_for_each_setting_by_itself(bench: Bench) -> None:
    """Each differs in one tag from the first, so each is a first sample; the last is a second one of the first."""
    others = (("--temperature", "0"), ("--temperature", "1"), ("--harness", "H"), ("--model", "Y"))
    said = [ok(*bench.arguments("1", RIGHT, *more)).splitlines()[0] for more in ((), *others)]
    said.append(ok(*bench.arguments("2", RIGHT)).splitlines()[0])
    assert [line.rpartition(", ")[2] for line in said] == ["sample 1"] * 6
    assert ok(*bench.arguments("1", RIGHT, "--repeat")).splitlines()[0].endswith(", sample 2")


def test_a_string_with_u0000_makes_an_answer_invalid(bench: Bench) -> None:
    """SQLite ends a text there, so what stands behind it would not be searched in every tool."""
    bench.ingest("1", {"a": answer(proposal("One", "Alpha \0 Beta"))})
    (fixture,) = bench.score()["fixtures"]
    assert [reason["code"] for reason in fixture["reasons"]] == ["invalid"]
    assert "U+0000" in fixture["reasons"][0]["text"]


@pytest.mark.skipif(os.name == "nt", reason="no such bits")
@pytest.mark.parametrize("bits", [0o600, 0o640, 0o664, 0o666], ids=oct)
def test_the_ledger_keeps_its_permission_bits(bench: Bench, bits: int) -> None:
    """A new file would have those of the umask, which are one set for all four."""
    bench.ingest("1", RIGHT)
    bench.ledger.chmod(bits)
    bench.ingest("2", RIGHT)
    assert bench.ledger.stat().st_mode & 0o777 == bits
    other = Bench(bench.root / "other", {"a": labels(point())})
    other.ingest("3", RIGHT)
    ok("ledger", "merge", other.ledger, "--ledger", bench.ledger)
    assert bench.ledger.stat().st_mode & 0o777 == bits


def test_merging_takes_over_which_corpus_is_the_latest(bench: Bench) -> None:
    """Theirs corrected the label after all that ours recorded: the run of ours misses its point under it."""
    run = bench.ingest("1", RIGHT)
    other = Bench(bench.root / "other", {"a": labels(point(must_match_all=["omega"]))})
    name_corpus(other, "2.0.0")
    assert bench.score(run, "--labels", "latest")["totals"]["points_matched"] == 1
    ok("ledger", "merge", other.ledger, "--ledger", bench.ledger)
    assert recordings(bench.ledger) == [None, "2.0.0"]
    assert bench.score(run, "--labels", "latest")["totals"]["points_matched"] == 0
    assert bench.score(run)["totals"]["points_matched"] == 1


def test_the_merge_driver_takes_over_a_corpus_without_a_run(bench: Bench) -> None:
    """Base: a run. Ours: another run. Theirs: a corrected label, and a name for it, and no run."""
    bench.ingest("1", RIGHT)
    base = bench.ledger.read_bytes()
    write_corpus(bench.fixtures, {"a": labels(point(must_match_all=["omega"]))})
    name_corpus(bench, "2.0.0")
    theirs, bench.ledger = bench.ledger, bench.root / "ours.db"
    bench.ledger.write_bytes(base)
    (bench.root / "base.db").write_bytes(base)
    (bench.fixtures / "corpus.yaml").unlink()
    write_corpus(bench.fixtures, {"a": labels(point())})
    bench.ingest("2", RIGHT)
    ok("ledger", "merge-driver", bench.root / "base.db", bench.ledger, theirs, "ledger.db")
    assert recordings(bench.ledger) == [None, "2.0.0"]
    assert ok("ledger", "verify", "--ledger", bench.ledger).startswith("0 problems")
    assert bench.score("2", "--labels", "latest")["totals"]["points_matched"] == 0


def test_another_prompt_file_under_the_same_version_is_pointed_out(bench: Bench) -> None:
    """Reports put runs of one version together; without its file, a run says nothing about its prompt."""
    path, runs = bench.root / "prompt.md", []
    for number, text in enumerate(("Version: 6\n", "Version: 6\n", "Version: 6\nMore.\n")):
        path.write_text(text)
        given = {"a": answer(proposal(f"Title {number}"))}
        result = cli(*bench.arguments("6", given, "--prompt", path))
        runs.append(result.stdout.split(":")[0])
        assert ("another prompt file" in result.stderr) == (number == 2)
    assert f"Warning: {runs[0]} and 1 more of the same version had another prompt file" in result.stderr
    for arguments in (("7", RIGHT, "--prompt", path), ("6", RIGHT)):
        path.write_text("No version.\n")
        assert "another prompt file" not in cli(*bench.arguments(*arguments)).stderr
