"""Time whole processes against each other in one run: ratios travel between machines, seconds do not."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tests.helpers import ROOT

BARE = (sys.executable, "-c", "import click, sqlite3, tabulate")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
ENVIRONMENT.pop("PYTHONDONTWRITEBYTECODE", None)  # a user's second call finds the bytecode of the first


def prompteval(*arguments: object) -> list[str]:
    """Return the command line of a prompteval process, started as its console script starts it."""
    return [sys.executable, "-c", "from prompteval.__main__ import run; run()", *map(str, arguments)]


def seconds(command: Sequence[str]) -> float:
    """Return the processor time of one whole process: what else the machine does then counts least."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def fastest(
    commands: Mapping[str, Sequence[str]], good: Callable[[dict[str, float]], bool], rounds: int = 12
) -> dict[str, float]:
    """Return the least seconds of each command, by name. The commands take turns, so that a slow moment hits all.

    Where the rounds are not `good`, up to twice as many more are run: on a machine that does other things, few moments
    are quiet.
    """
    for command in commands.values():
        seconds(command)
    least = dict.fromkeys(commands, float("inf"))
    for number in range(1, 3 * rounds + 1):
        for name, command in commands.items():
            least[name] = min(least[name], seconds(command))
        if number % rounds == 0 and good(least):
            break
    return least


class Usage(NamedTuple):
    """What one whole process took: processor time, and the most memory it held (unit of the platform)."""

    seconds: float
    peak: int


_METER = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
    "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime, used.ru_maxrss)"
)


def usage(command: Sequence[str]) -> Usage:
    """Measure one process. A small one starts it: a child counts the memory of whoever started it as its own."""
    meter = [sys.executable, "-c", _METER, *command]
    out = subprocess.run(meter, env=ENVIRONMENT, check=True, capture_output=True).stdout
    taken, peak = out.split()
    return Usage(float(taken), int(peak))
