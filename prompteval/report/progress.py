"""The lines of `save` (what was saved) and `status` (a bar, three lists and the next command)."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path

from prompteval.collect.cards import Filed
from prompteval.collect.save import Saved
from prompteval.collect.status import Status
from prompteval.errors import count, in_order
from prompteval.text.visible import wrapped

_WIDTH = 24


def status_lines(status: Status, results: Path, fixtures: Path | None) -> list[str]:
    """Return the lines. `fixtures` is named in the next command; None: it is the default folder."""
    saved = len(status.valid) + len(status.invalid)
    filled = _WIDTH * saved // status.total
    lines = [f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {saved} of {count(status.total, 'answer')} saved"]
    lines += _listed("valid", list(status.valid))
    lines += _listed("invalid", [f"{name}: {problem}" for name, problem in status.invalid])
    lines += _listed("missing", list(status.missing))
    lines += _listed("in the way of an ingest", [str(problem) for problem in status.problems])
    return [*lines, "", f"next: {_next(status, shlex.quote(str(results)), fixtures)}"]


def saved_lines(saved: Saved) -> list[str]:
    """Return what was saved, and where."""
    answer = saved.answer
    if not answer.valid:
        return [f"saved {saved.path} as it is: invalid, {answer.problems[0]}"]
    if not answer.proposals:
        return [f"saved {saved.path}: an empty answer"]
    lists = Counter(proposal.list for proposal in answer.proposals)
    return [f"saved {saved.path}: {', '.join(f'{number} {name}' for name, number in lists.items())}"]


def filed_lines(filed: Filed, results: Path) -> list[str]:
    """Return what was saved of many replies, what was not, and the next command."""
    lines = [line for each in filed.saved for line in saved_lines(each)]
    lines += [f"{path}: has this answer already" for path in filed.unchanged]
    lines += map(str, in_order(filed.problems))
    lines.append(f"{count(len(filed.saved), 'answer')} saved in {results}, {count(len(filed.problems), 'problem')}")
    if filed.problems:
        return [*lines, "next: copy again what is not whole; --as-is also saves what the model itself broke"]
    return [*lines, f"next: prompteval status {shlex.quote(str(results))}"]


def _listed(heading: str, items: list[str]) -> list[str]:
    listed = (line for item in items for line in wrapped(item, "  ", "    "))
    return ["", f"{heading}: {len(items)}", *listed] if items else []


def _next(status: Status, results: str, fixtures: Path | None) -> str:
    where = f" --fixtures {shlex.quote(str(fixtures))}" if fixtures else ""
    if status.problems:
        return f"fix these files, then prompteval status{where} {results}"
    if status.missing:
        return f"prompteval prompt {status.missing[0]} --prompt FILE{where}"
    return f"prompteval ingest --version V --model NAME{where} {results}"
