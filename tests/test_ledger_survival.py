"""Whatever happens while a ledger is written, it is the old one or the new one, whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from types import ModuleType
from typing import cast

import pytest
from filelock import FileLock

from prompteval.__main__ import run
from prompteval.ledger import write
from tests.helpers import Bench, answer, cli, labels, ok, point, proposal, refused

# Ctrl-C interrupts it, though the tests may run as a job in the background, which ignores that.
INTERRUPTIBLE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from prompteval.__main__ import run; run()"
)
NEEDS_NO_ROOT = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes everywhere")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path, {"a": labels(point()), "b": labels()})
    bench.ingest("1", {"a": answer(proposal("Alpha")), "b": answer()})
    return bench


def test_a_second_writer_waits_and_then_says_so(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "LOCK_SECONDS", 0.1)
    with FileLock(bench.ledger.with_name(".ledger.db.lock")):
        assert "is being written by another process" in bench.refuse("3", {"a": answer(), "b": answer()})
    bench.ingest("3", {"a": answer(), "b": answer()})


@pytest.mark.parametrize("stage", ["_prepare", "_check", "_flush"])
def test_an_error_at_any_stage_leaves_the_ledger_whole(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write, stage, fail)
    message = bench.refuse("3", {"a": answer(), "b": answer()})
    assert "cannot be written: No space left on device; nothing was written" in message
    assert not list(bench.ledger.parent.glob(".ledger.db.*.tmp*"))


def test_a_folder_that_cannot_be_flushed_is_no_reason_to_deny_what_was_recorded(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush = write._flush

    def fail(path: Path) -> None:
        if path.is_dir():
            raise OSError(22, "Invalid argument")
        flush(path)

    monkeypatch.setattr(write, "_flush", fail)
    bench.ingest("3", {"a": answer(), "b": answer()})
    assert "v3" in bench.report("runs")


def test_an_interrupt_leaves_the_ledger_whole(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(write, "_check", interrupt)
    before = bench.ledger.read_bytes()
    result = cli(*bench.arguments("3", {"a": answer(), "b": answer()}))
    assert result.exit_code == 130
    assert "the ledger is intact" in result.stderr and "Traceback" not in result.stderr
    assert bench.ledger.read_bytes() == before


def test_an_interrupt_after_the_last_moment_does_not_deny_what_was_recorded(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(path: Path) -> None:
        if path.is_dir():  # flushed when the new ledger stands in its place
            raise KeyboardInterrupt

    monkeypatch.setattr(write, "_flush", interrupt)
    result = cli(*bench.arguments("3", {"a": answer(), "b": answer()}))
    assert result.exit_code == 130 and "nothing" not in result.stderr
    assert "v3" in bench.report("runs")


def test_an_interrupt_while_modules_are_imported_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupting:
        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "prompteval.cli", cast(ModuleType, Interrupting()))
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 130


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_kill_leaves_the_old_ledger_or_the_new_one(bench: Bench) -> None:
    """Kill 200 ingests, each a fork of this process, so that no moment is spent on starting Python."""
    arguments = bench.arguments("3", {"a": answer(proposal("long", "word " * 18_000)), "b": answer()})
    before = bench.ledger.read_bytes()
    random, outcomes, span = Random(0), [], 0.1
    for _ in range(200):
        bench.ledger.write_bytes(before)
        child = os.fork()
        if child == 0:
            os._exit(cli(*arguments).exit_code)
        time.sleep(random.uniform(0, span))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        span *= 1.05 if os.WIFSIGNALED(status) else 0.95  # finds twice an ingest's time, however busy the machine is
        recorded = bench.ledger.read_bytes() != before
        outcomes.append((recorded, os.WIFSIGNALED(status)))
        if recorded:
            assert ok("ledger", "verify", "--ledger", bench.ledger).startswith("0 problems")
            assert bench.report("runs").startswith("2 runs")
    assert {recorded for recorded, _ in outcomes} == {False, True}
    assert sum(killed for _, killed in outcomes) >= 50  # else the moments were not spread over the ingest
    bench.ledger.write_bytes(before)


def test_the_next_write_sweeps_what_a_kill_left_and_nothing_else(tmp_path: Path) -> None:
    """Also where a name has characters that a pattern reads otherwise, or begins like another."""
    bench = Bench(tmp_path, {"a": labels()})
    for name in ("ledger.db", "l[ab].db", "l*.db"):
        bench.ledger = tmp_path / name
        left = [f".{name}.1.tmp", f".{name}.1.tmp-journal"]
        others = [f".{name}.old.1.tmp", f".{name}.copy.tmp.keep", f".{name}.tmp", f".x{name}.1.tmp", ".la.db.1.tmp"]
        for beside in (*left, *others):
            (tmp_path / beside).write_bytes(b"left by a kill")
        bench.ingest("1", {"a": answer()})
        assert [(tmp_path / beside).exists() for beside in (*left, *others)] == [False] * 2 + [True] * 5


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_while_another_process_writes(bench: Bench) -> None:
    arguments = bench.arguments("3", {"a": answer(), "b": answer()})
    before = bench.ledger.read_bytes()
    with FileLock(bench.ledger.with_name(".ledger.db.lock")):
        process = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTIBLE, *map(str, arguments)], stderr=subprocess.PIPE, text=True
        )
        time.sleep(2)  # it waits for the lock by now
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "the ledger is intact" in said and "Traceback" not in said
    assert bench.ledger.read_bytes() == before


def test_a_read_only_ledger_is_left_alone(bench: Bench) -> None:
    bench.ledger.chmod(0o444)
    assert "is read-only; nothing was written" in bench.refuse("3", {"a": answer(), "b": answer()})
    before = bench.ledger.read_bytes()
    other = Bench(bench.root / "other", {"a": labels(point())})
    other.ingest("9", {"a": answer()})
    assert "is read-only" in refused("ledger", "merge", other.ledger, "--ledger", bench.ledger)
    assert bench.ledger.read_bytes() == before
    assert bench.ledger.stat().st_mode & 0o777 == 0o444


@NEEDS_NO_ROOT
def test_a_ledger_that_cannot_be_written(bench: Bench) -> None:
    bench.ledger.parent.chmod(0o555)
    try:
        assert "cannot be written" in refused("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    finally:
        bench.ledger.parent.chmod(0o755)


@pytest.mark.slow
def test_eight_writers_at_once_are_all_recorded(tmp_path: Path) -> None:
    """They even make the ledger together: whoever waits for the lock finds what the others wrote."""
    bench = Bench(tmp_path, {"a": labels(point())})
    commands = [bench.arguments(str(version), {"a": answer(proposal(f"Alpha {version}"))}) for version in range(8)]
    writers = [
        subprocess.Popen([sys.executable, "-m", "prompteval", *map(str, command)], stdout=subprocess.DEVNULL)
        for command in commands
    ]
    assert [writer.wait() for writer in writers] == [0] * 8
    assert bench.report("runs").startswith("8 runs")
    assert ok("ledger", "verify", "--ledger", bench.ledger).startswith("0 problems")


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits")
def test_a_full_disk_leaves_the_ledger_whole(bench: Bench) -> None:
    """A limit on the size of files stops the copy half-way, as a full disk would."""
    import resource

    arguments = bench.arguments("3", {"a": answer(proposal("long", "word " * 18_000)), "b": answer()})
    before = bench.ledger.read_bytes()
    limit = len(before) + 8192
    stopped = subprocess.run(
        [sys.executable, "-m", "prompteval", *map(str, arguments)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert stopped.returncode == 2
    assert stopped.stderr.startswith("Error: ") and "nothing was written" in stopped.stderr
    assert bench.ledger.read_bytes() == before
    assert not list(bench.ledger.parent.glob(".ledger.db.*.tmp*"))
