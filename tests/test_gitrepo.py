"""What is read from git without starting it: `ledger resolve`, `verify --against` a commit, and `git-setup`."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import answer, cli, labels, ok, point, proposal, refused, write_corpus
from tests.repository import Repository

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("git") is None, reason="no git")]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository without a driver, with a run of version 1."""
    made = Repository(tmp_path, driver=False)
    made.record("1")
    return made


def resolve(repository: Repository) -> list[str]:
    """Resolve the conflict, commit, and return the versions in the ledger."""
    assert "next: git add" in ok("ledger", "resolve", "--ledger", repository.ledger)
    assert "UU ledger" in (status := repository.git("status", "--short")) or "AA ledger" in status, "nothing is staged"
    repository.git("add", "ledger/prompteval.db")
    return repository.versions()


def test_neither_git_nor_a_connection_is_started(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library that reads the repository could do both."""
    repository.part()
    repository.git("merge", "other", code=1)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("started")

    with monkeypatch.context() as patched:
        for module, name in ((subprocess, "Popen"), (os, "posix_spawn"), (os, "fork"), (socket, "socket")):
            patched.setattr(module, name, never, raising=False)
        ok("ledger", "verify", "--ledger", repository.ledger, "--against", "main")
        ok("ledger", "resolve", "--ledger", repository.ledger)
        ok("ledger", "git-setup", "--ledger", repository.ledger)
    assert repository.versions() == ["1", "2", "3", "4"]


def test_a_merge(repository: Repository) -> None:
    repository.part()
    repository.git("merge", "other", code=1)
    assert resolve(repository) == ["1", "2", "3", "4"]
    repository.git("commit", "-qm", "Merge")
    for parent in ("HEAD^", "HEAD^2", "HEAD~1"):
        assert ok("ledger", "verify", "--ledger", repository.ledger, "--against", parent).startswith("0 problems")


def test_the_same_bytes_as_with_a_driver(repository: Repository) -> None:
    repository.part()
    repository.git("branch", "start")
    repository.git("merge", "other", code=1)
    resolve(repository)
    resolved = repository.ledger.read_bytes()
    repository.git("reset", "-q", "--hard", "start")
    ok("ledger", "git-setup", "--ledger", repository.ledger)
    repository.git("merge", "-q", "other")
    assert repository.ledger.read_bytes() == resolved


def test_both_sides_began_the_ledger(tmp_path: Path) -> None:
    repository = Repository(tmp_path, driver=False)
    repository.branch("other")
    repository.record("2")
    repository.git("checkout", "-q", "main")
    repository.record("3")
    repository.git("merge", "other", code=1)
    assert resolve(repository) == ["2", "3"]


def test_a_rebase_stops_at_each_run(repository: Repository) -> None:
    repository.part()
    repository.git("checkout", "-q", "other")
    repository.git("rebase", "main", code=1)
    assert resolve(repository) == ["1", "2", "4"]
    repository.git("rebase", "--continue", code=1)
    assert resolve(repository) == ["1", "2", "3", "4"]
    repository.git("rebase", "--continue")


def test_a_cherry_pick_brings_its_own_run_alone(repository: Repository) -> None:
    repository.part()
    repository.git("cherry-pick", "other", code=1)
    assert resolve(repository) == ["1", "3", "4"]


def test_a_run_recorded_meanwhile_stays(repository: Repository) -> None:
    repository.part()
    repository.git("merge", "other", code=1)
    repository.bench.ingest("5", {"a": answer(proposal("Alpha 5"))})
    assert resolve(repository) == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("how", ["gc", "worktree", "shallow"])
def test_wherever_git_keeps_its_objects(repository: Repository, tmp_path: Path, how: str) -> None:
    repository.part()
    if how == "worktree":
        repository.git("worktree", "add", "-q", "-b", "third", str(tmp_path / "linked"))
        repository.root = tmp_path / "linked"
        repository.ledger = repository.bench.ledger = repository.root / "ledger" / "prompteval.db"
    elif how == "shallow":
        repository.git("clone", "-q", "--no-local", "--depth", "2", "--no-single-branch", ".", str(tmp_path / "clone"))
        repository.root = tmp_path / "clone"
        repository.ledger = repository.bench.ledger = repository.root / "ledger" / "prompteval.db"
        repository.git("branch", "-q", "other", "origin/other")
    else:
        repository.git("gc", "-q")
    allowed = ("--allow-unrelated-histories",) if how == "shallow" else ()
    repository.git("merge", *allowed, "other", code=1)
    assert resolve(repository) == ["1", "2", "3", "4"]


def test_a_side_that_lost_a_run_stays_a_conflict(repository: Repository) -> None:
    first = repository.ledger.read_bytes()
    repository.record("2")
    repository.branch("other")
    repository.ledger.write_bytes(first)
    repository.record("3")
    repository.git("checkout", "-q", "main")
    repository.record("4")
    repository.git("merge", "other", code=1)
    before = repository.ledger.read_bytes()
    assert "their side lost 1 run of the base" in refused("ledger", "resolve", "--ledger", repository.ledger)
    assert repository.ledger.read_bytes() == before


def test_a_squash_is_a_merge_and_no_replay(repository: Repository) -> None:
    """It leaves no MERGE_HEAD either, and our side must not have lost anything all the same."""
    first = repository.ledger.read_bytes()
    repository.record("2")
    repository.branch("other")
    repository.record("3")
    repository.git("checkout", "-q", "main")
    repository.record("4")
    whole = repository.ledger.read_bytes()
    repository.git("merge", "--squash", "other", code=1)
    assert resolve(repository) == ["1", "2", "3", "4"]
    repository.git("reset", "-q", "--hard")
    assert repository.ledger.read_bytes() == whole
    repository.ledger.write_bytes(first)
    repository.record("5")
    repository.git("merge", "--squash", "other", code=1)
    assert "our side lost 1 run of the base" in refused("ledger", "resolve", "--ledger", repository.ledger)


@pytest.mark.parametrize("how", ["merge", "cherry-pick"])
def test_an_empty_file_is_no_ledger_without_runs(repository: Repository, how: str) -> None:
    repository.branch("other")
    repository.record("2")
    repository.git("checkout", "-q", "main")
    repository.ledger.write_bytes(b"")
    repository.commit("Empty it")
    repository.git(how, "other", code=1)
    assert "ours is empty, not a ledger" in refused("ledger", "resolve", "--ledger", repository.ledger)


def test_a_stash_is_brought_back(repository: Repository) -> None:
    repository.bench.ingest("2", {"a": answer(proposal("Alpha 2"))})
    repository.git("stash", "-q")
    repository.record("3")
    repository.git("stash", "pop", code=1)
    assert resolve(repository) == ["1", "2", "3"]


def test_a_side_that_removed_the_ledger_stays_a_conflict(repository: Repository) -> None:
    repository.branch("other")
    repository.git("rm", "-q", "ledger/prompteval.db")
    repository.git("commit", "-qm", "Remove")
    repository.git("checkout", "-q", "main")
    repository.record("2")
    repository.git("merge", "other", code=1)
    assert "their side lost 1 run of the base" in refused("ledger", "resolve", "--ledger", repository.ledger)


def test_a_side_that_is_no_ledger_is_named(repository: Repository) -> None:
    repository.branch("other")
    repository.ledger.write_bytes(b"no ledger " * 20)
    repository.commit("Break it")
    repository.git("checkout", "-q", "main")
    repository.record("2")
    repository.git("merge", "other", code=1)
    assert "theirs is not a ledger" in refused("ledger", "resolve", "--ledger", repository.ledger)


def test_where_there_is_nothing_to_resolve(repository: Repository, tmp_path: Path) -> None:
    before = repository.ledger.read_bytes()
    assert "is in no conflict" in refused("ledger", "resolve", "--ledger", repository.ledger)
    assert repository.ledger.read_bytes() == before
    alone = tmp_path / "alone.db"
    shutil.copy(repository.ledger, alone)
    for command in ("resolve", "git-setup"):
        assert "alone.db is in no git repository" in refused("ledger", command, "--ledger", alone)


def test_verify_against_a_commit(repository: Repository) -> None:
    repository.git("tag", "-am", "first", "v1")
    first = repository.git("rev-parse", "HEAD").strip()
    repository.record("2")
    for state in ("HEAD", "@", "main", "v1", first, first[:7], "HEAD^", "HEAD~1", "@~", "refs/tags/v1"):
        assert ok("ledger", "verify", "--ledger", repository.ledger, "--against", state).startswith("0 problems"), state
    repository.git("checkout", "-q", "v1", "--", "ledger")
    found = cli("ledger", "verify", "--ledger", repository.ledger, "--against", "main")
    assert found.exit_code == 1 and "in main" in found.stdout


@pytest.mark.parametrize("state", ["nowhere", "HEAD^2", "HEAD~9", "HEAD:ledger", "", "no/such.db", "HEAD@{9}", "a b"])
def test_a_state_that_is_none(repository: Repository, state: str) -> None:
    said = refused("ledger", "verify", "--ledger", repository.ledger, "--against", state)
    assert said == f"Error: '{state}' is no file here and no branch, tag or id of a commit\n"


def test_a_commit_without_a_ledger(repository: Repository) -> None:
    said = refused("ledger", "verify", "--ledger", repository.ledger, "--against", "HEAD~1")
    assert said == "Error: HEAD~1 has no ledger/prompteval.db\n"


def cut(pattern: str, length: int) -> Callable[[Path], None]:
    """Return a damage: the files of .git that match are cut to a length."""

    def damage(git: Path) -> None:
        files = [file for file in git.glob(pattern) if file.is_file()]
        assert files
        for file in files:
            file.chmod(0o644)
            file.write_bytes(file.read_bytes()[:length])

    return damage


DAMAGES: dict[str, Callable[[Path], object]] = {
    "no index": cut("index", 0),
    "half an index": cut("index", 30),
    "objects": cut("objects/??/*", 20),
    "configuration": lambda git: (git / "config").write_bytes(b"[core"),
    "lost objects": lambda git: shutil.rmtree(git / "objects"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_repository_is_one_line(repository: Repository, damage: str) -> None:
    repository.part()
    repository.git("merge", "other", code=1)
    before = repository.ledger.read_bytes()
    DAMAGES[damage](repository.root / ".git")
    said = refused("ledger", "resolve", "--ledger", repository.ledger)
    told = ("the git repository around ", "the index of ", f"{repository.ledger} is in no git")
    assert said.startswith(tuple(f"Error: {what}" for what in told))
    assert len(said.splitlines()) == 1
    assert repository.ledger.read_bytes() == before


def test_setting_up_git_changes_nothing_else(repository: Repository) -> None:
    config = repository.root / ".git" / "config"
    config.write_text(config.read_text() + '# mine\n[Diff "PromptEval"]\n\tother = 1\n[diff "word"]\n\tbinary = true\n')
    before = config.read_text()
    for _ in range(2):
        ok("ledger", "git-setup", "--ledger", repository.ledger)
    assert config.read_text().startswith(before.replace('[Diff "PromptEval"]\n\tother = 1\n', ""))
    assert config.read_text().count("prompteval") == 4
    assert "union of ledgers" in repository.git("config", "merge.prompteval.name")
    ok("ledger", "git-setup", "--remove", "--ledger", repository.ledger)
    assert config.read_text() == before.replace('[Diff "PromptEval"]\n\tother = 1\n', "")


@pytest.mark.parametrize("text", ["[core]\n\tbare = false", "[core]\r\n\tbare = false\r\n"])
def test_line_ends_and_mode_of_the_configuration_stay(repository: Repository, text: str) -> None:
    config = repository.root / ".git" / "config"
    config.write_bytes(text.encode())
    config.chmod(0o600)
    ok("ledger", "git-setup", "--ledger", repository.ledger)
    assert config.read_bytes().startswith(text.encode()) and config.stat().st_mode & 0o777 == 0o600
    assert repository.git("config", "core.bare").strip() == "false"
    assert "textconv" in repository.git("config", "--get-regexp", "diff.prompteval")
    assert (b"\r\n" in config.read_bytes()) == (config.read_bytes().count(b"\n") == config.read_bytes().count(b"\r\n"))


def test_a_comment_stays_and_the_old_form_of_a_section_goes(repository: Repository) -> None:
    config = repository.root / ".git" / "config"
    before = config.read_text()
    ok("ledger", "git-setup", "--ledger", repository.ledger)
    config.write_text(config.read_text() + "\t# mine\n; mine too\n[merge.prompteval]\n\tname = old\n")
    ok("ledger", "git-setup", "--remove", "--ledger", repository.ledger)
    assert config.read_text() == f"{before}\t# mine\n; mine too\n"


@pytest.mark.parametrize("how", ["split", "sparse"])
def test_an_index_that_cannot_be_read_says_how_to_write_a_plain_one(repository: Repository, how: str) -> None:
    repository.part()
    if how == "split":
        repository.git("update-index", "--split-index")
    else:
        repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "ledger")
    repository.git("merge", "other", code=1)
    result = cli("ledger", "resolve", "--ledger", repository.ledger)
    if result.exit_code:  # a library to come may read it
        assert "'git update-index --no-split-index' and 'git sparse-checkout disable'" in result.stderr
        command = ("update-index", "--no-split-index") if how == "split" else ("sparse-checkout", "disable")
        repository.git(*command)
        ok("ledger", "resolve", "--ledger", repository.ledger)
    repository.git("add", "ledger/prompteval.db")
    assert repository.versions() == ["1", "2", "3", "4"]


def test_nothing_of_the_repository_is_run(repository: Repository) -> None:
    """Python would take a module from the current folder, and that is whatever branch is checked out."""
    ok("ledger", "git-setup", "--ledger", repository.ledger)
    for name in ("click.py", "json.py", "prompteval.py"):
        (repository.root / name).write_text(f"open({str(repository.root / 'run')!r}, 'w')")
    repository.record("2")
    assert "+run " in repository.git("log", "-p", "-1", "--", "ledger")
    assert not (repository.root / "run").exists()


def test_git_shows_and_merges_once_it_is_set_up(repository: Repository) -> None:
    ok("ledger", "git-setup", "--ledger", repository.ledger)
    repository.part()
    assert "+run " in repository.git("log", "-p", "-1", "--", "ledger")
    repository.git("merge", "-q", "other")
    assert repository.versions() == ["1", "2", "3", "4"]


def test_another_writer_of_the_configuration_is_respected(repository: Repository) -> None:
    lock = repository.root / ".git" / "config.lock"
    lock.write_text("")
    assert "is being changed by another process" in refused("ledger", "git-setup", "--ledger", repository.ledger)
    assert lock.exists()


def test_a_place_of_python_that_git_would_read_otherwise(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a driver's command, git puts file names in the place of %O and the like."""
    python = tmp_path / '100%Pure "snake"' / "python"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    ok("ledger", "git-setup", "--ledger", repository.ledger)
    repository.part()
    repository.git("merge", "-q", "other")
    assert repository.versions() == ["1", "2", "3", "4"]
    assert "+run " in repository.git("log", "-p", "-1", "-m", "--", "ledger")


def test_a_branch_may_be_named_like_a_folder(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.git("branch", "ledger")
    monkeypatch.chdir(repository.root)
    assert ok("ledger", "verify", "--ledger", "ledger/prompteval.db", "--against", "ledger").startswith("0 problems")


def test_git_shows_the_states_around_one_that_cannot_be_read(repository: Repository) -> None:
    """Git ends its log where a textconv fails, and a broken state stays in the history for good."""
    ok("ledger", "git-setup", "--ledger", repository.ledger)
    whole = repository.ledger.read_bytes()
    for broken in (b"", b"no ledger " * 20, whole[:5000], whole.replace(b"Alpha 1", b"Alpha 2")):
        repository.ledger.write_bytes(broken)
        repository.commit("Break it")
    repository.ledger.write_bytes(whole)
    repository.record("2")
    shown = repository.git("log", "-p", "--", "ledger")
    for line in ("+run ", "+this state is empty", "+this state is not a ledger", "+this state is cut short"):
        assert line in shown
    assert "+this state is damaged: answer" in shown


def test_git_shows_labels_without_a_run(tmp_path: Path) -> None:
    repository = Repository(tmp_path, driver=False)
    ok("ledger", "git-setup", "--ledger", repository.ledger)
    ok("ingest", "--fixtures", repository.bench.fixtures, "--ledger", repository.ledger)
    repository.commit("Record labels")
    write_corpus(repository.bench.fixtures, {"a": labels(point(must_match_all=["omega"]))})
    ok("ingest", "--fixtures", repository.bench.fixtures, "--ledger", repository.ledger)
    changed = [line for line in repository.git("diff").splitlines() if line.startswith(("+", "-"))][2:]
    assert [line.split()[0] for line in changed if line != "+"] == ["+corpus", "+"] and "labels" in changed[1]
