"""Read a fixtures folder: `sessions/*.md`, `expected/*.yaml` and, where there is one, `corpus.yaml`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from prompteval.errors import DataError, Problem, PromptevalError
from prompteval.inputs import yaml_lines
from prompteval.inputs.contract import DEFAULT_SUITE, breaches, default_contract, json_path
from prompteval.inputs.files import FileRefusedError, read_text, scan
from prompteval.model import CategoryRow, Corpus, ExpectedPoint, Fixture, Labels
from prompteval.text.fold import fold

_SEGMENT = re.compile(r"^\[(USER|AGENT)[^\]\n]*\]:", re.MULTILINE)
_FRONT_MATTER = re.compile(r"---\n(.*?)^---\n(.*)", re.MULTILINE | re.DOTALL)


class Loaded(NamedTuple):
    """What could be read of a corpus, and all that is wrong with it. `labels` holds those without a problem."""

    sessions: dict[str, str]
    labels: dict[str, Labels]
    version: str | None
    categories: tuple[CategoryRow, ...]
    problems: list[Problem]


def load_corpus(root: Path) -> Loaded:
    """Return what is in `root`, with its problems. Raises PromptevalError where there is no corpus."""
    for name in ("sessions", "expected"):
        if not (root / name).is_dir():
            raise PromptevalError(f"no fixtures in {root}: it has no folder '{name}'; name the folder with --fixtures")
    problems: list[Problem] = []
    sessions = _read_all(root, "sessions", ".md", problems)
    expected = _read_all(root, "expected", ".yaml", problems)
    problems += _unpaired(sessions, expected)
    labels = {}
    for name in sorted(sessions.keys() | expected.keys()):
        if (text := sessions.get(name)) is not None:
            problems += session_problems(f"sessions/{name}.md", text)
        if (source := expected.get(name)) is not None:
            read, wrong = read_labels(f"expected/{name}.yaml", source, name)
            problems += wrong
            if read:
                labels[name] = read
    version, categories, wrong = _read_corpus_file(root)
    if not sessions and not expected and not problems:
        raise PromptevalError(f"no fixtures in {root}: its sessions folder has no .md file")
    return Loaded(sessions, labels, version, categories, problems + wrong)


def read_corpus(root: Path) -> Corpus:
    """Return the corpus in `root`. Raises DataError with every problem, or PromptevalError where there is no corpus."""
    loaded = load_corpus(root)
    if loaded.problems:
        raise DataError(f"the fixtures in {root} cannot be used", loaded.problems)
    fixtures = tuple(Fixture(name, loaded.sessions[name], labels) for name, labels in loaded.labels.items())
    return Corpus(DEFAULT_SUITE, default_contract(), fixtures, loaded.version, loaded.categories)


def fixture_ids(root: Path) -> list[str]:
    """Return the fixture ids of the corpus in `root`, sorted. Raises as read_corpus does."""
    return [fixture.id for fixture in read_corpus(root).fixtures]


def split_session(text: str) -> tuple[str, str] | None:
    """Return the front matter and the body of a session, or None where it has no front matter."""
    parts = _FRONT_MATTER.fullmatch(text)
    return (parts[1], parts[2]) if parts else None


def _read_all(root: Path, name: str, suffix: str, problems: list[Problem]) -> dict[str, str]:
    """Return the text of each file by its stem; what cannot be read is added to `problems`."""
    if not Path(os.path.realpath(root / name)).is_relative_to(os.path.realpath(root)):
        raise PromptevalError(f"{root / name} is a link out of its folder")
    listing = scan(root / name, suffix)
    problems += [Problem(f"{name}/{bad.path}", bad.field, bad.text) for bad in listing.problems]
    texts = {}
    for stem, path in listing.files.items():
        try:
            texts[stem] = read_text(path)
        except FileRefusedError as error:
            problems.append(Problem(f"{name}/{path.name}", "", str(error)))
    return texts


def _unpaired(sessions: dict[str, str], expected: dict[str, str]) -> Iterator[Problem]:
    for name in sessions.keys() - expected.keys():
        yield Problem(f"sessions/{name}.md", "", f"has no labels; expected/{name}.yaml is missing or unreadable")
    for name in expected.keys() - sessions.keys():
        yield Problem(f"expected/{name}.yaml", "", f"has no session; sessions/{name}.md is missing or unreadable")


def session_problems(path: str, text: str) -> list[Problem]:
    """Return what is wrong with the front matter and the segments of one session."""
    parts = split_session(text)
    if parts is None:
        return [Problem(path, "", "does not start with front matter between two lines of ---", 1)]
    front_matter, body = parts
    _, problems = _checked(path, front_matter, "session-front-matter", first_line=2)
    if not _SEGMENT.match(body.lstrip("\n")):
        problems.append(Problem(path, "", "its body does not start with a [USER]: or [AGENT]: segment"))
    return problems


def read_labels(path: str, source: str, name: str) -> tuple[Labels | None, list[Problem]]:
    """Return the labels in one sidecar of the fixture `name`, or None and the problems."""
    document, problems = _checked(path, source, "expected-labels")
    if document is None:
        return None, problems
    for place, text in _label_rules(document.value, name):
        problems.append(Problem(path, json_path(place), text, document.line(place)))
    return (None, problems) if problems else (_labels(document.value), [])


def _label_rules(value: Any, name: str) -> Iterator[tuple[yaml_lines.Path, str]]:
    """Yield what a JSON Schema cannot say: names that agree, one id a point, lower case, emptiness that agrees.

    The value may break its contract elsewhere; what has the wrong shape is passed over, and the contract names it.
    """
    if not isinstance(value, dict):
        return
    if isinstance(fixture_id := value.get("fixture_id"), str) and fixture_id != name:
        yield ("fixture_id",), f'is "{fixture_id}" in the file of "{name}"'
    points, empty = value.get("expected_points"), value.get("expect_empty")
    if not isinstance(points, list):
        return
    if empty is True and points:
        yield ("expect_empty",), "is true, yet there are expected_points"
    if empty is False and not points:
        yield ("expect_empty",), "is false, yet there are no expected_points"
    seen: set[str] = set()
    for index, point in enumerate(points):
        point_id = point.get("id") if isinstance(point, dict) else None
        if isinstance(point_id, str):
            if point_id in seen:
                yield ("expected_points", index, "id"), f'"{point_id}" names a second point'
            seen.add(point_id)
    yield from _bad_terms(("expected_points",), points)


def _bad_terms(place: yaml_lines.Path, value: Any) -> Iterator[tuple[yaml_lines.Path, str]]:
    """Yield the terms below `place`, the texts in any list named must_…, that are not lower case or show nothing."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _bad_terms((*place, key), item)
    in_terms = any(isinstance(step, str) and step.startswith("must_") for step in place)
    if in_terms and isinstance(value, str):
        if value != value.lower():
            yield place, f'the term "{value}" is not lower case'
        if value.strip() and not fold(value).strip():
            yield place, "is blank: nothing of it shows"


def _labels(value: dict[str, Any]) -> Labels:
    points = tuple(
        ExpectedPoint(
            point["id"],
            point["type"],
            tuple(point.get("must_match_all", ())),
            tuple(tuple(terms) for terms in point.get("must_match_any", ())),
            tuple(point.get("must_match_none", ())),
            tuple(point.get("must_not_match", ())),
        )
        for point in value["expected_points"]
    )
    budget = int(value["max_unexpected_proposals"])
    return Labels(value["category"], value["expect_empty"], points, budget, value.get("notes", ""))


def _checked(
    path: str, source: str, contract: str, first_line: int = 1
) -> tuple[yaml_lines.YAMLText | None, list[Problem]]:
    """Return the YAML in `source` and what it breaks of a contract; None where it cannot be read."""
    try:
        document = yaml_lines.load(source, first_line)
    except yaml_lines.YAMLTextError as error:
        return None, [Problem(path, "", str(error), error.line)]
    return document, [
        Problem(path, breach.field, document.said(breach.path, breach.text), document.line(breach.path))
        for breach in breaches(contract, document.value)
    ]


def corpus_problems(path: str, source: str) -> list[Problem]:
    """Return what is wrong with a corpus.yaml."""
    return _checked(path, source, "corpus")[1]


def _read_corpus_file(root: Path) -> tuple[str | None, tuple[CategoryRow, ...], list[Problem]]:
    path = root / "corpus.yaml"
    if not os.path.lexists(path):  # a link to nothing is a mistake, not an absence
        return None, (), []
    try:
        document, problems = _checked(path.name, read_text(path), "corpus")
    except FileRefusedError as error:
        return None, (), [Problem(path.name, "", str(error))]
    if document is None or problems:
        return None, (), problems
    columns = ("category", "count", "expected", "tests")
    rows = tuple(CategoryRow(*(row[name] for name in columns)) for row in document.value["categories"])
    return document.value["version"], rows, []
