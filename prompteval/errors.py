"""The errors that reach a user, each as one plain message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Problem(NamedTuple):
    """One thing that is wrong with one file: where, in which field, and what."""

    path: str
    field: str
    text: str
    line: int | None = None

    def __str__(self) -> str:
        line = f" (line {self.line})" if self.line else ""
        field = f"{self.field}{line}: " if self.field else f"line {self.line}: " if self.line else ""
        return f"{self.path}: {field}{self.text}"


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return problems sorted by path, then line."""
    return tuple(sorted(problems, key=lambda p: (p.path, p.line or 0, p.field, p.text)))


class PromptevalError(Exception):
    """The command could not be done; the message says what, where, and what to do next."""

    @property
    def lines(self) -> list[str]:
        """The message, one text per line, whatever line breaks a file name has."""
        return [str(self)]


class DataError(PromptevalError):
    """Files break a contract. `problems` lists everything that is wrong, sorted by path."""

    def __init__(self, summary: str, problems: Iterable[Problem]) -> None:
        self.problems = in_order(problems)
        super().__init__(summary)

    @property
    def lines(self) -> list[str]:
        """Every problem, and their number."""
        return [*map(str, self.problems), f"{count(len(self.problems), 'problem')}: {self.args[0]}"]

    def __str__(self) -> str:
        return "\n".join(self.lines)


class LedgerError(PromptevalError):
    """A ledger cannot be read or written."""


class SelectionError(PromptevalError):
    """A selector names no run, or more than one."""


def count(number: int, noun: str) -> str:
    """Return `1 phantom`, `2 phantoms`, `2 categories`: a number with its noun."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + ("es" if noun.endswith("s") else "s")
    return f"{number} {noun if number == 1 else plural}"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; the nearest is admit-gotcha-01`, or nothing if no name is known."""
    from difflib import get_close_matches

    near = get_close_matches(name.casefold(), sorted(known), n=1, cutoff=0.0)
    return f"; the nearest is {near[0]}" if near else ""
