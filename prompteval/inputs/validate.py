"""Check single files against the contracts, outside any corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from prompteval.errors import Problem, PromptevalError, count
from prompteval.inputs.files import FileRefusedError, read_bytes, read_text, scan
from prompteval.inputs.fixtures import read_labels, session_problems
from prompteval.inputs.results import read_answer
from prompteval.inputs.suite import FILE, suite_of
from prompteval.model import Contract

ANSWERS = "proposal-output"
_CONTRACTS = {".json": ANSWERS, ".yaml": "expected-labels", ".md": "session-front-matter"}
_SUFFIX = {contract: suffix for suffix, contract in _CONTRACTS.items()} | {"corpus": ".yaml"}


class Validation(NamedTuple):
    """All problems, all warnings, and a line that counts them."""

    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]
    summary: str


def validate_files(paths: Iterable[Path], kind: str | None, answers: Contract) -> Validation:
    """Return what is wrong with the files; a folder stands for its files of that kind, by default answers.

    `kind` is one of CONTRACTS (None: as the name of each file suggests); `answers` is the contract of answers.
    Raises PromptevalError for a path that does not exist and a folder without such a file.
    """
    problems: list[Problem] = []
    warnings: list[str] = []
    files = list(_files(paths, kind, problems))
    for path in files:
        try:
            suggested = "corpus" if path.name == FILE else _CONTRACTS.get(path.suffix, ANSWERS)
            problems += _problems(path, kind or suggested, answers, warnings)
        except FileRefusedError as error:
            problems.append(Problem(str(path), "", str(error)))
    bad = len({problem.path for problem in problems})
    verdict = f"{count(len(problems), 'problem')} in {bad} of {count(len(files), 'file')}"
    return Validation(tuple(problems), tuple(warnings), verdict if problems else f"{count(len(files), 'file')}: valid")


def _files(paths: Iterable[Path], kind: str | None, problems: list[Problem]) -> Iterator[Path]:
    suffix = _SUFFIX[kind or ANSWERS]
    for path in paths:
        if os.path.isdir(path):  # not Path.is_dir, which raises for a name that is too long
            listing = scan(path, suffix)
            problems += [Problem(str(path / bad.path), bad.field, bad.text) for bad in listing.problems]
            if not listing.files and not listing.problems:
                raise PromptevalError(f"{path} has no {suffix} file")
            yield from listing.files.values()
        elif os.path.lexists(path):
            yield path
        else:
            raise PromptevalError(f"{path} does not exist")


def _problems(path: Path, kind: str, answers: Contract, warnings: list[str]) -> list[Problem]:
    if kind == "expected-labels":
        return read_labels(str(path), read_text(path), path.stem, answers.types)[1]
    if kind == "session-front-matter":
        return session_problems(str(path), read_text(path))
    if kind == "corpus":
        return suite_of(str(path), read_text(path), path.parent)[1]
    answer = read_answer(read_bytes(path), answers)
    warnings += [f"{path}: {text}" for text in answer.misplaced]
    return [Problem(str(path), "", problem) for problem in answer.problems]
