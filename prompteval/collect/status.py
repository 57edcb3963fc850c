"""The progress of a results folder: what is valid, what is invalid, what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from prompteval.errors import Problem
from prompteval.inputs.fixtures import session_files
from prompteval.inputs.results import load_results
from prompteval.inputs.suite import read_suite


class Status(NamedTuple):
    """Fixture ids, each list sorted. `invalid` has the first problem of each; `problems` would stop an ingest."""

    valid: tuple[str, ...]
    invalid: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def total(self) -> int:
        return len(self.valid) + len(self.invalid) + len(self.missing)


def read_status(fixtures: Path, results: Path) -> Status:
    """Return the state of a results folder; one that does not exist yet is empty. Raises PromptevalError."""
    suite = read_suite(fixtures)
    ids = session_files(fixtures, suite)
    if not results.exists():
        return Status((), (), tuple(ids), ())
    found, problems = load_results(results, ids, suite.contract)
    answers = sorted(found.answers.items())
    return Status(
        valid=tuple(name for name, answer in answers if answer.valid),
        invalid=tuple((name, answer.problems[0]) for name, answer in answers if not answer.valid),
        missing=tuple(name for name in ids if name not in found.answers),
        problems=tuple(problems),
    )
