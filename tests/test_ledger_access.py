"""What somebody without the rights may not do, and what another process is doing at the same time."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from prompteval.ledger import write
from tests.helpers import Bench, answer, cli, labels, ok, point

GIVEN = {"a": answer(), "b": answer()}
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork, no rights to lose")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A ledger of two runs. Whatever a test forbids is allowed again at the end, so that the folder can be removed."""
    made = Bench(tmp_path, {"a": labels(point()), "b": labels()})
    for version in ("1", "2"):
        made.ingest(version, GIVEN)
    yield made
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o755)


def _lose_privileges() -> None:
    """Make root one who has to keep to the rights of files, like everybody else (capset of Linux: no capability)."""
    if os.geteuid() == 0:
        library = ctypes.CDLL(None, use_errno=True)
        header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        if library.capset(header, none) != 0:
            raise OSError(ctypes.get_errno(), "capset")


def unprivileged(*arguments: object) -> tuple[int, str, str]:
    """Run a command as somebody whom the rights of files bind; return exit code, stdout and stderr."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            _lose_privileges()
            result = cli(*arguments)
            said = [result.exit_code, result.stdout, result.stderr]
        except BaseException as error:  # it would end in the parent's test runner
            said = [-1, "", repr(error)]
        os.write(writer, json.dumps(said).encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        code, out, errors = json.loads(pipe.read())
    os.waitpid(child, 0)
    assert code >= 0, errors
    return code, out, errors


def freeze(folder: Path) -> None:
    """Take the right to write from a folder and what is in it."""
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)


def test_a_folder_that_may_not_be_written_to_is_read(bench: Bench) -> None:
    reports = ("score",), ("diff", "1", "2"), ("runs",), ("history",), ("show", "a"), ("ledger", "verify")
    expected = [bench.report(*command) for command in reports]
    bench.ledger.with_name(".ledger.db.lock").unlink(missing_ok=True)
    freeze(bench.root)
    before, names = bench.ledger.stat(), sorted(bench.root.iterdir())
    for command, report in zip(reports, expected, strict=True):
        assert unprivileged(*command, "--ledger", bench.ledger) == (0, report, ""), command
    after = bench.ledger.stat()
    assert (after.st_mtime_ns, after.st_size, after.st_ino) == (before.st_mtime_ns, before.st_size, before.st_ino)
    assert sorted(bench.root.iterdir()) == names


def test_a_folder_that_may_not_be_written_to_is_not_written_to(bench: Bench) -> None:
    arguments = bench.arguments("3", GIVEN)
    other = bench.root / "other.db"
    ok("ledger", "merge", bench.ledger, "--ledger", other)
    bench.ledger.with_name(".ledger.db.lock").unlink(missing_ok=True)
    bench.root.chmod(0o555)
    before, names = bench.ledger.read_bytes(), sorted(bench.root.iterdir())
    for command in (arguments, ("ledger", "merge", other, "--ledger", bench.ledger)):
        code, out, errors = unprivileged(*command)
        assert (code, out) == (2, ""), errors
        assert errors.startswith(f"Error: {bench.ledger} cannot be written: Permission denied; nothing was written")
        assert len(errors.splitlines()) == 1
    assert bench.ledger.read_bytes() == before and sorted(bench.root.iterdir()) == names


def test_what_may_not_be_read_is_named(bench: Bench) -> None:
    arguments = bench.arguments("3", GIVEN)
    results = Path(str(arguments[-1]))
    files = {
        "ledger": (bench.ledger, ["score", "--ledger", bench.ledger]),
        "result": (results / "a.json", arguments),
        "folder of results": (results, arguments),
        "session": (bench.fixtures / "sessions" / "a.md", arguments),
        "labels": (bench.fixtures / "expected" / "a.yaml", ["check", bench.fixtures]),
        "folder of sessions": (bench.fixtures / "sessions", ["check", bench.fixtures]),
    }
    for name, (path, command) in files.items():
        mode = path.stat().st_mode
        path.chmod(0)
        code, out, errors = unprivileged(*command)
        path.chmod(mode)
        assert code in (1, 2), name
        assert "Permission denied" in out + errors and path.name in out + errors, (name, out, errors)
        assert "Usage" not in errors and "Traceback" not in errors


HOLD = """
import sys, time
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def held(bench: Bench, seconds: float) -> subprocess.Popen[str]:
    """Return another process that holds the lock of the ledger for that long."""
    lock = bench.ledger.with_name(".ledger.db.lock")
    command = [sys.executable, "-c", HOLD, str(lock), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


@pytest.mark.slow
def test_a_writer_waits_for_another_process(bench: Bench) -> None:
    with held(bench, 2) as process:
        bench.ingest("3", GIVEN)
        assert process.wait() == 0
    assert bench.report("runs").startswith("3 runs")


def test_a_lock_held_for_long_is_one_line(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "LOCK_SECONDS", 1)
    with held(bench, 60) as process:
        started = time.monotonic()
        said = bench.refuse("3", GIVEN)
        assert time.monotonic() - started >= 1
        assert said == f"Error: {bench.ledger} is being written by another process; try again\n"
        assert bench.report("runs").startswith("2 runs"), "a reader does not wait"
        process.kill()
    bench.ingest("3", GIVEN)  # the lock of a process that is gone holds nobody
