"""Ledgers in git: merged through a real git, with the driver and by pipes, and `verify --against` an earlier state."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import lines_with
from tests.helpers import ROOT, answer, cli, labels, ok, point, proposal, refused, write_corpus
from tests.repository import Repository

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("git") is None, reason="no git")]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.record("1")
    return made


def test_a_merge_is_the_union(repository: Repository) -> None:
    repository.part()
    repository.git("merge", "-q", "other")
    assert repository.versions() == ["1", "2", "3", "4"]


def test_both_sides_may_begin_the_ledger(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.branch("other")
    repository.record("2")
    repository.git("checkout", "-q", "main")
    repository.record("3")
    repository.git("merge", "-q", "other")
    assert repository.versions() == ["2", "3"]


def test_a_rebase_replays_each_run(repository: Repository) -> None:
    repository.part()
    repository.git("checkout", "-q", "other")
    repository.git("rebase", "-q", "main")
    assert repository.versions() == ["1", "2", "3", "4"]


def test_a_cherry_pick_brings_its_own_run_alone(repository: Repository) -> None:
    repository.part()
    repository.git("cherry-pick", "other")
    assert repository.versions() == ["1", "3", "4"]


def test_a_criss_cross_merge_is_the_union(repository: Repository) -> None:
    repository.branch("other")
    repository.record("2")
    repository.git("branch", "second")
    repository.git("checkout", "-q", "main")
    repository.record("3")
    repository.git("branch", "first")
    repository.git("merge", "-q", "second")
    repository.record("4")
    repository.git("checkout", "-q", "other")
    repository.git("merge", "-q", "first")
    repository.record("5")
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "other")
    assert repository.versions() == ["1", "2", "3", "4", "5"]


def test_a_revert_of_a_recording_is_a_conflict(repository: Repository) -> None:
    repository.record("2")
    picked = repository.git("rev-parse", "HEAD").strip()
    repository.record("3")
    before = repository.ledger.read_bytes()
    assert "their side lost 1 run of the base" in repository.git("revert", "--no-edit", picked, code=1)
    assert repository.ledger.read_bytes() == before


@pytest.mark.parametrize("loser", ["main", "other"])
def test_a_merge_with_a_side_that_lost_a_run_is_a_conflict(repository: Repository, loser: str) -> None:
    only_first = repository.ledger.read_bytes()
    repository.record("2")
    repository.branch("other")
    for name, version in (("other", "3"), ("main", "4")):
        repository.git("checkout", "-q", name)
        if name == loser:
            repository.ledger.write_bytes(only_first)
        repository.record(version)
    before = repository.ledger.read_bytes()
    said = repository.git("merge", "other", code=1)
    assert f"{'our' if loser == 'main' else 'their'} side lost 1 run of the base" in said
    assert repository.ledger.read_bytes() == before


@pytest.mark.parametrize("loser", ["ours", "theirs"])
def test_labels_that_one_side_lost_are_a_conflict(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loser: str
) -> None:
    """Nothing but the recording of a corpus says which labels are the latest; no run is lost with it."""
    monkeypatch.setenv("GITHEAD_0123", "other")  # a merge, and no commit that is replayed
    without = repository.ledger.read_bytes()
    base, ours, theirs = (tmp_path / f"{name}.db" for name in ("base", "ours", "theirs"))
    write_corpus(repository.bench.fixtures, {"a": labels(point(must_match_all=["omega"]))})
    ok("ingest", "--fixtures", repository.bench.fixtures, "--ledger", repository.ledger)
    shutil.copy(repository.ledger, base)
    for path in (ours, theirs):
        path.write_bytes(without if path.stem == loser else base.read_bytes())
    before = ours.read_bytes()
    said = refused("ledger", "merge-driver", base, ours, theirs)
    assert f"{'our' if loser == 'ours' else 'their'} side lost or changed a fact of the base: labels" in said
    assert ours.read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits")
def test_a_full_disk_leaves_ours_as_it_was(repository: Repository, tmp_path: Path) -> None:
    import resource

    shutil.copy(repository.ledger, tmp_path / "base.db")
    shutil.copy(repository.ledger, tmp_path / "ours.db")
    repository.bench.ingest("2", {"a": answer(proposal("Alpha", "word " * 18_000))})
    before = (tmp_path / "ours.db").read_bytes()
    sides = (tmp_path / "base.db", tmp_path / "ours.db", repository.ledger)
    limit = len(before) + 8192
    stopped = subprocess.run(
        [sys.executable, "-m", "prompteval", "ledger", "merge-driver", *map(str, sides)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert stopped.returncode == 2 and len(stopped.stderr.splitlines()) == 1, stopped.stderr
    assert (tmp_path / "ours.db").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"base.db", "ours.db", "repository", "bench"}


def test_a_cherry_pick_brings_the_labels_of_its_run(repository: Repository) -> None:
    """The commit before it recorded them: without that recording nothing would say that they are the latest."""
    repository.branch("other")
    write_corpus(repository.bench.fixtures, {"a": labels(point(must_match_all=["alpha 3"]))})
    repository.record("2", "3")
    command = ("score", "--run", "3", "--labels", "latest", "--ledger", repository.ledger)
    before = ok(*command)
    assert before.startswith("v3 extracted 1/1") and "corpus" in before
    repository.git("checkout", "-q", "main")
    repository.git("cherry-pick", "other")
    assert repository.versions() == ["1", "3"]
    assert ok(*command).splitlines()[0] == before.splitlines()[0]
    assert ok("score", "--run", "1", *command[3:]).startswith("v1 extracted 0/1"), "scored by alpha 3"


@pytest.mark.parametrize("order", ["ours first", "theirs first"])
def test_the_earlier_recording_stands_whichever_is_merged(repository: Repository, tmp_path: Path, order: str) -> None:
    """The base and one side have a run that the other side knows by an earlier recording."""
    base, ours, theirs = (tmp_path / f"{name}.db" for name in ("base", "ours", "theirs"))
    root = tmp_path / "later"
    root.mkdir()
    later = Repository(root)
    later.record("1")
    shutil.copy(later.ledger, base)
    later.record("2")
    shutil.copy(later.ledger, ours)
    ok("ledger", "merge", repository.ledger, base, "--ledger", theirs)
    sides = (ours, theirs) if order == "ours first" else (theirs, ours)
    ok("ledger", "merge-driver", base, *sides)
    for side in (repository.ledger, sides[1]):
        assert ok("ledger", "verify", "--ledger", sides[0], "--against", side).startswith("0 problems")


def test_a_side_that_is_read_only_is_left_alone(repository: Repository, tmp_path: Path) -> None:
    ours = Path(shutil.copy(repository.ledger, tmp_path / "ours.db"))
    repository.record("2")
    ours.chmod(0o444)
    before = ours.read_bytes()
    assert "is read-only" in refused("ledger", "merge-driver", ours, ours, repository.ledger)
    assert ours.read_bytes() == before and ours.stat().st_mode & 0o777 == 0o444


@pytest.fixture
def conflict(tmp_path: Path) -> Repository:
    """Without a driver: 1 to 3 on the branch `other`, 1 and 4 on main, and a merge that is not over."""
    made = Repository(tmp_path, driver=False)
    made.record("1")
    made.part()
    made.git("merge", "other", code=1)
    return made


def shell(repository: Repository, word: str) -> str:
    """Run the lines of docs/ledger.md that hold a word, which must succeed; return what they print."""
    done = repository.run("sh", "-ec", lines_with(word, "docs/ledger.md"))
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_without_a_driver_the_lines_of_the_document_end_a_conflict(conflict: Repository) -> None:
    (conflict.root / "fixtures").mkdir()
    shell(conflict, "git show :3:")
    conflict.git("commit", "-qm", "Merge")
    assert conflict.versions() == ["1", "2", "3", "4"]
    assert (conflict.root / "fixtures" / "RESULTS.md").read_text().count("| v") == 4
    for parent in ("HEAD^", "HEAD^2"):
        against = ("--ledger", conflict.ledger, "--against", "-")
        assert ok("ledger", "verify", *against, input=conflict.state(parent)).startswith("0 problems")


def test_their_side_as_a_file(conflict: Repository) -> None:
    """For a shell whose pipes are not binary."""
    file = conflict.root / shell(conflict, "checkout-index").split()[0]
    ok("ledger", "merge", file, "--ledger", conflict.ledger)
    file.unlink()
    assert conflict.versions() == ["1", "2", "3", "4"]


def test_in_a_cherry_pick_their_side_has_the_whole_branch(conflict: Repository) -> None:
    conflict.git("merge", "--abort")
    conflict.git("cherry-pick", "other", code=1)
    conflict.merge_theirs()
    assert conflict.versions() == ["1", "2", "3", "4"]


def test_the_lines_of_the_document_set_up_git(conflict: Repository) -> None:
    conflict.git("merge", "--abort")
    shell(conflict, "merge.prompteval.driver")
    conflict.git("merge", "-q", "other")
    assert conflict.versions() == ["1", "2", "3", "4"]
    assert "v4" in conflict.git("show", "--first-parent", "other..HEAD^")


def test_the_help_of_the_driver_has_the_lines_of_the_document() -> None:
    help_text = ok("ledger", "merge-driver", "--help")
    attributes = (ROOT / ".gitattributes").read_text().splitlines()[-1]
    for line in (*lines_with("merge.prompteval.driver", "docs/ledger.md").splitlines(), attributes):
        assert f"  {line}\n" in help_text
    assert f"`{attributes}`" in (ROOT / "docs" / "ledger.md").read_text()


def test_a_ledger_on_stdin(repository: Repository, tmp_path: Path) -> None:
    first = repository.ledger.read_bytes()
    repository.record("2")
    both = repository.ledger.read_bytes()
    repository.ledger.write_bytes(first)
    found = cli("ledger", "verify", "--ledger", repository.ledger, "--against", "-", input=both)
    assert found.exit_code == 1 and "is missing but exists in the ledger on stdin" in found.stdout
    ok("ledger", "merge", "-", repository.ledger, "--ledger", tmp_path / "new.db", input=both)
    ok("ledger", "merge", "-", "--ledger", repository.ledger, input=both)
    assert repository.versions() == ["1", "2"]
    assert (tmp_path / "new.db").read_bytes() == repository.ledger.read_bytes()


@pytest.mark.parametrize(
    ("given", "said"),
    [(b"", "stdin is empty, not a ledger"), (b"no ledger " * 20, "the ledger on stdin is not a ledger")],
)
@pytest.mark.parametrize("command", [("merge", "-"), ("verify", "--against", "-")])
def test_what_is_no_ledger_on_stdin(repository: Repository, command: tuple[str, ...], given: bytes, said: str) -> None:
    before = repository.ledger.read_bytes()
    message = refused("ledger", *command, "--ledger", repository.ledger, input=given)
    assert message.startswith(f"Error: {said}") and len(message.splitlines()) == 1
    assert repository.ledger.read_bytes() == before


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="no sqlite3")
def test_the_lines_of_the_document_keep_a_ledger_as_text(repository: Repository) -> None:
    """Also line breaks of all kinds, an answer that is not JSON, and one that is not UTF-8."""
    write_corpus(repository.bench.fixtures, {name: labels(point()) for name in "bcd"})
    given = {
        "a": answer(proposal("x\u2028y\x1cz'", "one\r\ntwo\n\u202e")),
        "b": '{"practice": "\n\u2029',
        "d": answer(),
    }
    arguments = repository.bench.arguments("2", given, "--temperature", "0.1")
    (Path(str(arguments[-1])) / "c.json").write_bytes(b"{\xff\x00")
    ok(*arguments)
    shell(repository, "ledger.sql")
    new = repository.root / "new.db"
    for one, other in ((new, repository.ledger), (repository.ledger, new)):
        assert ok("ledger", "verify", "--ledger", one, "--against", other).startswith("0 problems")
    assert ok("history", "--ledger", new) == ok("history", "--ledger", repository.ledger)
    assert ok("show", "b", "--ledger", new) == ok("show", "b", "--ledger", repository.ledger)


def test_what_is_no_ledger_leaves_ours_as_it_was(tmp_path: Path, repository: Repository) -> None:
    empty, text = tmp_path / "empty", tmp_path / "text"
    empty.write_bytes(b"")
    text.write_bytes(b"no ledger " * 20)
    before = repository.ledger.read_bytes()
    for sides in ((empty, repository.ledger, text), (text, repository.ledger, repository.ledger)):
        message = refused("ledger", "merge-driver", *sides, "ledger/prompteval.db")
        assert "is not a ledger" in message and len(message.splitlines()) == 1 and str(text) not in message
        assert repository.ledger.read_bytes() == before


def test_verify_against_an_earlier_state(repository: Repository, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.db"
    shutil.copy(repository.ledger, earlier)
    repository.record("2")
    assert ok("ledger", "verify", "--ledger", repository.ledger, "--against", earlier).startswith("0 problems")
    turned = cli("ledger", "verify", "--ledger", earlier, "--against", repository.ledger)
    assert turned.exit_code == 1
    places = {line.removeprefix(f"{earlier}: ").split()[0] for line in turned.stdout.splitlines()[:-1]}
    assert places == {"run", "result", "answer"}


def test_verify_against_finds_a_changed_run(repository: Repository, tmp_path: Path) -> None:
    """A note is no part of a run's id, so nothing but the comparison can see that it changed."""
    root = tmp_path / "again"
    root.mkdir()
    other = Repository(root)
    other.bench.ingest("1", {"a": answer(proposal("Alpha 1"))}, "--note", "added later")
    found = cli("ledger", "verify", "--ledger", other.ledger, "--against", repository.ledger)
    assert found.exit_code == 1 and "differs from what it is in" in found.stdout
