"""The checks an author needs before anybody answers a corpus: more of its structure than an ingest checks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from prompteval.errors import Problem, count, in_order
from prompteval.inputs import terms, yaml_lines
from prompteval.inputs.fixtures import Loaded, load_corpus, split_session
from prompteval.model import CategoryRow, Labels

FEWEST_SEGMENTS, MOST_SEGMENTS = 8, 20
_NUMBER = re.compile(r"-[0-9]+$")
_TAG = re.compile(r"\[(?:USER|AGENT)\]:")
_TIME = re.compile(r"[0-9-]{10}T[0-9:]{8}\.[0-9]{3}Z")


class Checked(NamedTuple):
    """All problems, which must be fixed, all warnings, which should be read, and a line that counts them."""

    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    summary: str


def check_corpus(root: Path) -> Checked:
    """Return what is wrong or weak in the corpus in `root`. Raises PromptevalError if there is none."""
    return check_loaded(load_corpus(root))


def check_loaded(loaded: Loaded) -> Checked:
    """Return what is wrong or weak in what was read of a corpus."""
    problems = [*loaded.problems, *_structure(loaded), *terms.problems(loaded)]
    warnings = list(terms.warnings(loaded))
    counted = f"{count(len(problems), 'problem')} and {count(len(warnings), 'warning')}"
    return Checked(in_order(problems), in_order(warnings), f"{count(len(loaded.sessions), 'session')}: {counted}")


def _structure(loaded: Loaded) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for name, text in sorted(loaded.sessions.items()):
        path = loaded.path(name)
        if not loaded.suite.plain and (parts := split_session(text)) is not None:
            yield from _front_matter(path, parts[0], seen)
            yield from _segments(path, text, parts[1])
    rows = {row.category: row for row in loaded.suite.categories}
    for name, labels in loaded.labels.items():
        yield from _category(name, labels, rows)
    yield from _counts(loaded)


def _front_matter(path: str, source: str, seen: dict[str, str]) -> Iterator[Problem]:
    """Yield session ids that occur twice and times in another form than 2026-01-15T10:00:00.000Z."""
    try:
        document = yaml_lines.load(source, first_line=2)
    except yaml_lines.YAMLTextError:
        return  # load_corpus has reported it
    value = document.value if isinstance(document.value, dict) else {}
    identity, captured = value.get("session_id"), value.get("captured_at")
    if isinstance(identity, str) and (first := seen.setdefault(identity, path)) != path:
        yield Problem(path, "session_id", f"is already that of {first}", document.line(("session_id",)))
    if isinstance(captured, str) and not _is_canonical(captured):
        text = f"{captured} is not a time written as 2026-01-15T10:00:00.000Z"
        yield Problem(path, "captured_at", text, document.line(("captured_at",)))


def _is_canonical(time: str) -> bool:
    try:
        datetime.strptime(time, "%Y-%m-%dT%H:%M:%S.%fZ")
    except ValueError:
        return False
    return _TIME.fullmatch(time) is not None


def _segments(path: str, text: str, body: str) -> Iterator[Problem]:
    first = text[: len(text) - len(body)].count("\n") + 1
    number = 0
    for line, content in enumerate(body.split("\n"), first):
        places = [found.start() for found in _TAG.finditer(content)]
        number += bool(places) and places[0] == 0
        if any(place > 0 for place in places):
            yield Problem(path, "", "a role tag in the middle of a line; a segment starts on a line of its own", line)
    if not FEWEST_SEGMENTS <= number <= MOST_SEGMENTS:
        yield Problem(path, "", f"has {count(number, 'segment')}, not {FEWEST_SEGMENTS} to {MOST_SEGMENTS}")


def _category(name: str, labels: Labels, rows: dict[str, CategoryRow]) -> Iterator[Problem]:
    path, category = f"expected/{name}.yaml", labels.category
    if category != _NUMBER.sub("", name) or not _NUMBER.search(name):
        yield Problem(path, "category", f'is "{category}", but the file is not named {category}-NUMBER.yaml')
    if rows and category not in rows:
        yield Problem(path, "category", f'"{category}" is not in the table of corpus.yaml')
    elif rows:
        yield from _expected(path, labels, rows[category].expected)


def _expected(path: str, labels: Labels, expected: str) -> Iterator[Problem]:
    """Yield each difference between the labels and the column `expected` of the category table."""
    if (expected == "empty") != labels.expect_empty:
        wanted = "an empty answer" if expected == "empty" else "points"
        yield Problem(path, "expect_empty", f"corpus.yaml says that {labels.category} expects {wanted}")
    if expected not in ("empty", "subset") and all(point.type != expected for point in labels.points):
        yield Problem(path, "expected_points", f"corpus.yaml says that {labels.category} expects the type {expected}")


def _counts(loaded: Loaded) -> Iterator[Problem]:
    found = Counter(labels.category for labels in loaded.labels.values())
    for row in loaded.suite.categories:
        if found[row.category] != row.fixtures:
            text = f"{row.category} has {count(found[row.category], 'fixture')}, and the table says {row.fixtures}"
            yield Problem("corpus.yaml", "categories", text)
    for category, times in Counter(row.category for row in loaded.suite.categories).items():
        if times > 1:
            yield Problem("corpus.yaml", "categories", f"{category} is in the table {times} times")
