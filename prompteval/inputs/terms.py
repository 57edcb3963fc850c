"""Check the words of sessions and labels: can each point be matched, is each term specific, does anything leak."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from prompteval.errors import Problem, count
from prompteval.inputs.fixtures import Loaded, split_session
from prompteval.model import ExpectedPoint
from prompteval.text.fold import fold, fold_by_character

SHORTEST_TERM = 4  # characters; shorter ones occur by chance
LONGEST_SHARED = 10  # words; what two people write by chance, a test's message say, is shorter
# The roles of terms that must not occur, and what it means where one does not occur in the session either.
_EXCLUDING = {"must_match_none": "so it excludes nothing", "must_not_match": "so it guards nothing"}
_WORD = re.compile(r"\w+")

# Patterns that must not be in a corpus, not even invented: readers and scanners would take them for real.
# Each begins where a run of its characters does, or else a word of a million letters would be searched as often.
_PRIVATE = {
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "an access token": re.compile(
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}|\bsk-[\w-]{20,}"
        r"|\bxox[abprs]-[\w-]{10,}|(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*"
    ),
    "a password": re.compile(
        r"(?i)\b(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token)\b['\"]?\s*(?:[:=]|=>)\s*['\"]?(?!\$)[^\s'\",;]{6,}"
    ),
    "an e-mail address": re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "a web address": re.compile(r"(?i)\bhttps?://[^\s)>\"'`]+"),
    "a host name": re.compile(
        r"(?i)(?<![\w@./-])(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|io|dev|app|cloud|info|biz|eu|uk|de|fr|es|nl|ch|at"
        r"|local|localdomain|internal|lan|intranet)(?![\w-]|\.\w|\()"
    ),
    "an address on a network": re.compile(
        r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.])"
    ),
}


class _Term(NamedTuple):
    name: str  # of the fixture
    point: ExpectedPoint
    role: str
    alternative: int  # which list of must_match_any
    text: str
    line: int

    def problem(self, text: str) -> Problem:
        return Problem(f"expected/{self.name}.yaml", f"{self.point.id}.{self.role}", text, self.line)


def problems(loaded: Loaded) -> Iterator[Problem]:
    """Yield points that cannot match, guards that never occur, names that reveal a label, and private data."""
    for term, lost in _absent(loaded):
        if lost:
            effect = _EXCLUDING.get(term.role, "so the point cannot be matched")
            yield term.problem(f'"{term.text}" does not occur in the session, {effect}')
    yield from _own_guards(loaded)
    for name, text in sorted(loaded.sessions.items()):
        if name in text:
            yield Problem(loaded.path(name), "", "contains its own fixture id, which reveals the label")
        for number, what, found in _private(text):
            yield Problem(loaded.path(name), "", f"looks like {what}: {found[:40]}", number)


def _absent(loaded: Loaded) -> Iterator[tuple[_Term, bool]]:
    """Yield the terms that do not occur in their session; False: another alternative can still match the point."""
    bodies = {name: _both_ways(_body(loaded, name)) for name in loaded.sessions}
    absent = [term for term in _terms(loaded) if not _occurs(_both_ways(term.text), bodies[term.name])]
    for term in absent:
        same = {other.alternative for other in absent if other[:3] == term[:3]}
        yield term, term.role != "must_match_any" or len(same) == len(term.point.must_match_any)


def _private(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line number, the kind and the text of what must not be in a corpus."""
    present = {what: pattern for what, pattern in _PRIVATE.items() if pattern.search(text)}  # most have none of it
    for number, line in enumerate(text.split("\n") if present else (), 1):
        for what, pattern in present.items():
            yield from ((number, what, found[0]) for found in pattern.finditer(line))


def _own_guards(loaded: Loaded) -> Iterator[Problem]:
    """Yield the guards that are part of a term of their own point: whatever has the term has the guard."""
    for term in _terms(loaded):
        if term.role in _EXCLUDING:
            needed = _holding(term.text, term.point.must_match_all)
            broken = [_holding(term.text, listed) for listed in term.point.must_match_any]
            if broken and all(broken):
                needed += broken[0]
            if needed:
                text = f'"{term.text}" is part of the term "{needed[0]}", so the point cannot be matched'
                yield term.problem(text)


def warnings(loaded: Loaded) -> Iterator[Problem]:
    """Yield weak terms and sessions that share long runs of words."""
    bodies = {name: fold(_body(loaded, name)) for name in loaded.sessions}
    for term, lost in _absent(loaded):
        if not lost:
            yield term.problem(f'"{term.text}" does not occur in the session, so its alternative cannot be matched')
    for term in _terms(loaded):
        if term.role not in _EXCLUDING:
            for reason in _weak(fold(term.text), term.name, bodies):
                yield term.problem(f'"{term.text}" is weak: {reason}')
    for (left, right), run in _template_reuse(bodies).items():
        text = f'shares {len(run)} words in a row with {left}: "{" ".join(run[:LONGEST_SHARED])} …"'
        yield Problem(loaded.path(right), "", text)


def _body(loaded: Loaded, name: str) -> str:
    text = loaded.sessions[name]
    parts = None if loaded.suite.plain else split_session(text)
    return parts[1] if parts else text


def _terms(loaded: Loaded) -> Iterator[_Term]:
    for name, labels in loaded.labels.items():
        for number, point in enumerate(labels.points if name in loaded.sessions else ()):
            for role in ("must_match_all", "must_match_any", *_EXCLUDING):
                lists = point.must_match_any if role == "must_match_any" else [getattr(point, role)]
                for alternative, terms in enumerate(lists):
                    inner = (alternative,) if role == "must_match_any" else ()
                    for position, text in enumerate(terms):
                        place = ("expected_points", number, role, *inner, position)
                        yield _Term(name, point, role, alternative, text, loaded.sources[name].line(place))


def _both_ways(text: str) -> tuple[str, str]:
    return fold(text), fold_by_character(text)


def _occurs(term: tuple[str, str], text: tuple[str, str]) -> bool:
    return term[0] in text[0] or term[1] in text[1]


def _holding(guard: str, terms: Iterable[str]) -> list[str]:
    return [term for term in terms if _occurs(_both_ways(guard), _both_ways(term))]


def _weak(term: str, name: str, bodies: dict[str, str]) -> Iterator[str]:
    if len(term) < SHORTEST_TERM:
        yield f"it has {count(len(term), 'character')}"
    if longer := _longer_word(term, bodies[name]):
        yield f'it is part of the word "{longer}" of its session'
    having = sum(term in body for body in bodies.values())
    if having * 2 > len(bodies) > 1:
        yield f"it occurs in {having} of {len(bodies)} sessions"


def _longer_word(term: str, text: str) -> str | None:
    """Return a word that `term` is a part of. A stem at the start of a word is a good term; a number has no stem."""
    start = r"\w+" if term[:1].isalnum() else r"(?!)"
    end = r"\d+" if term[-1:].isdigit() else r"(?!)"
    found = re.search(rf"(?<!\w){start}{re.escape(term)}\w*|(?<!\w){re.escape(term)}{end}\w*", text)
    return found[0] if found else None


def _template_reuse(bodies: dict[str, str]) -> dict[tuple[str, str], list[str]]:
    """Return the longest run of words that two sessions have in common, for each pair with a long one."""
    words = {name: _WORD.findall(body) for name, body in sorted(bodies.items())}
    runs: dict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
    for name, listed in words.items():
        for place in range(len(listed) - LONGEST_SHARED + 1):
            runs[tuple(listed[place : place + LONGEST_SHARED])].setdefault(name, place)
    longest: dict[tuple[str, str], list[str]] = {}
    for places in runs.values():
        names = sorted(places)
        for index, left in enumerate(names):
            for right in names[index + 1 :]:
                run = _common_run(words[left][places[left] :], words[right][places[right] :])
                if len(run) > len(longest.get((left, right), ())):
                    longest[left, right] = run
    return longest


def _common_run(left: list[str], right: list[str]) -> list[str]:
    length = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    return left[:length]
