"""Commands as processes of their own, held to 10 seconds of processor time and 500 MB."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Mapping
from typing import Any

import pytest

from tests.helpers import ROOT, cli

resource = pytest.importorskip("resource", reason="no limits on a process")

SECONDS, BYTES = 10, 500_000_000


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def process(
    *arguments: object, env: Mapping[str, str] | None = None, **streams: Any
) -> subprocess.CompletedProcess[bytes]:
    """Run a command; stdout and stderr are kept unless `streams` says where they go. Fails on a traceback."""
    whole = [sys.executable, "-m", "prompteval", *map(_text, arguments)]
    where = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **streams}
    if "input" in where:
        del where["stdin"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    # The wall clock gets more than the processor, for a machine that does other things too.
    done = subprocess.run(whole, env=environment, preexec_fn=_limit, timeout=4 * SECONDS, check=False, **where)
    said = (done.stdout or b"") + (done.stderr or b"")
    assert b"Traceback" not in said and b"Exception" not in said, said.decode(errors="replace")
    assert done.returncode >= 0, f"ended by signal {-done.returncode}"
    return done


def bounded(*arguments: object) -> tuple[int, str]:
    """Run a command in a copy of this process, which costs no imports; return the exit code and all that was said."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            result = cli(*arguments)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            said = result.stdout + result.stderr if peak < BYTES else f"{peak:,} bytes"
            with os.fdopen(writer, "w") as pipe:
                json.dump([result.exit_code, said], pipe)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    assert told, f"{arguments[0]} came to no end: status {status}"
    code, said = json.loads(told)
    return int(code), str(said)


def _text(argument: object) -> str | bytes:
    return argument if isinstance(argument, (str, bytes)) else str(argument)


def steering(data: bytes) -> list[str]:
    """Return the characters in an output that steer a terminal: control, C1, format and bidi characters."""
    text = data.decode("utf-8", "surrogateescape").replace("\n", "")
    return sorted({f"U+{ord(c):04X}" for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")})
