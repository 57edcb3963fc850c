"""Read a fixtures folder: the texts in `sessions/` and the labels in `expected/*.yaml`."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from prompteval.errors import DataError, Problem, PromptevalError
from prompteval.inputs import yaml_lines
from prompteval.inputs.contract import json_path
from prompteval.inputs.files import FileRefusedError, read_text, scan
from prompteval.inputs.suite import checked, load_suite
from prompteval.model import Corpus, ExpectedPoint, Fixture, Labels, Suite
from prompteval.text.fold import fold

_SEGMENT = re.compile(r"^\[(USER|AGENT)[^\]\n]*\]:", re.MULTILINE)
_NEARLY = {".yaml": (".yml",), ".md": (".markdown", ".txt"), ".txt": (".md", ".markdown", ".text")}
_FRONT_MATTER = re.compile(r"---\n(.*?)^---\n(.*)", re.MULTILINE | re.DOTALL)


class Loaded(NamedTuple):
    """What could be read of a corpus, and everything wrong with it. `labels` has those without a problem."""

    suite: Suite
    sessions: dict[str, str]
    labels: dict[str, Labels]
    sources: dict[str, yaml_lines.YAMLText]  # of the labels
    problems: list[Problem]

    def path(self, name: str) -> str:
        """Return the path of the session of a fixture in its folder."""
        return f"sessions/{name}{suffix(self.suite)}"


def suffix(suite: Suite) -> str:
    """Return the ending of the session files of a suite."""
    return ".txt" if suite.plain else ".md"


def load_corpus(root: Path) -> Loaded:
    """Return what is in `root`, with its problems. Raises PromptevalError if there is no corpus."""
    for name in ("sessions", "expected"):
        _need_folder(root, name)
    suite, problems = load_suite(root)
    loaded = Loaded(suite, {}, {}, {}, problems)
    if problems:  # of corpus.yaml, which says how to read the rest
        return loaded
    texts, unnamed = _read_all(root, "sessions", suffix(suite), problems)
    expected, unlabelled = _read_all(root, "expected", ".yaml", problems)
    loaded.sessions.update(texts)
    problems += _unpaired(loaded, expected, unnamed | unlabelled)
    for name in sorted(loaded.sessions.keys() | expected.keys()):
        if (text := loaded.sessions.get(name)) is not None and not suite.plain:
            problems += session_problems(loaded.path(name), text)
        if (source := expected.get(name)) is not None:
            read, wrong = read_labels(f"expected/{name}.yaml", source, name, suite.contract.types)
            problems += wrong
            if read:
                loaded.labels[name], loaded.sources[name] = read
    if not loaded.sessions and not expected and not problems:
        raise PromptevalError(f"no fixtures in {root}: no {suffix(suite)} file in its sessions folder")
    return loaded


def read_corpus(root: Path) -> Corpus:
    """Return the corpus in `root`. Raises DataError with every problem, or PromptevalError if there is no corpus."""
    return corpus_of(load_corpus(root), root)


def corpus_of(loaded: Loaded, root: Path) -> Corpus:
    """Return what was read of `root` as a corpus. Raises DataError with every problem."""
    if loaded.problems:
        raise DataError(f"the fixtures in {root} cannot be used", loaded.problems)
    return Corpus(loaded.suite, tuple(Fixture(name, loaded.sessions[name], own) for name, own in loaded.labels.items()))


def session_files(root: Path, suite: Suite) -> dict[str, Path]:
    """Return the session file of each fixture in `root` by id, sorted, whether it has labels or not.

    Raises DataError for names that are the same on some systems, PromptevalError if there is no session.
    """
    _need_folder(root, "sessions")
    listing = scan(root / "sessions", suffix(suite))
    if listing.problems:
        raise DataError(f"the sessions in {root} cannot be used", listing.problems)
    if not listing.files:
        raise PromptevalError(f"no fixtures in {root}: no {suffix(suite)} file in its sessions folder")
    return listing.files


def _need_folder(root: Path, name: str) -> None:
    if not (root / name).is_dir():
        raise PromptevalError(f"no fixtures in {root}: it has no folder '{name}'; name the folder with --fixtures")
    if not Path(os.path.realpath(root / name)).is_relative_to(os.path.realpath(root)):
        raise PromptevalError(f"{root / name} is a link that leads out of its folder")


def split_session(text: str) -> tuple[str, str] | None:
    """Return the front matter and the body of a session, or None if it has no front matter."""
    parts = _FRONT_MATTER.fullmatch(text)
    return (parts[1], parts[2]) if parts else None


def _read_all(root: Path, name: str, suffix: str, problems: list[Problem]) -> tuple[dict[str, str], set[str]]:
    """Return the text of each file by its stem, and the stems of files with an ending that is nearly the right one.

    Those, and what cannot be read, are added to `problems`.
    """
    listing = scan(root / name, suffix)
    problems += [Problem(f"{name}/{bad.path}", bad.field, bad.text) for bad in listing.problems]
    texts = {}
    for stem, path in listing.files.items():
        try:
            texts[stem] = read_text(path)
        except FileRefusedError as error:
            problems.append(Problem(f"{name}/{path.name}", "", str(error)))
    misnamed = set()
    for stem, ending in map(os.path.splitext, listing.others):
        if ending.lower() in _NEARLY[suffix]:
            misnamed.add(stem)
            there = stem in listing.files
            advice = f'"{stem}{suffix}" is there too; keep one' if there else f"rename it to end in {suffix}"
            problems.append(Problem(f"{name}/{stem}{ending}", "", f"ends in {ending}; {advice}"))
    return texts, misnamed


def _unpaired(loaded: Loaded, expected: Collection[str], misnamed: Collection[str]) -> Iterator[Problem]:
    for name in loaded.sessions.keys() - {*expected, *misnamed}:
        yield Problem(loaded.path(name), "", f"has no labels; expected/{name}.yaml is missing or unreadable")
    for name in {*expected} - {*loaded.sessions, *misnamed}:
        yield Problem(f"expected/{name}.yaml", "", f"has no session; {loaded.path(name)} is missing or unreadable")


def session_problems(path: str, text: str) -> list[Problem]:
    """Return what is wrong with the front matter and the segments of one session."""
    parts = split_session(text)
    if parts is None:
        return [Problem(path, "", "does not start with front matter between two lines of ---", 1)]
    front_matter, body = parts
    _, problems = checked(path, front_matter, "session-front-matter", first_line=2)
    if not _SEGMENT.match(body.lstrip("\n")):
        problems.append(Problem(path, "", "its body does not start with a [USER]: or [AGENT]: segment"))
    return problems


def read_labels(
    path: str, source: str, name: str, types: Collection[str]
) -> tuple[tuple[Labels, yaml_lines.YAMLText] | None, list[Problem]]:
    """Return the labels in one sidecar of the fixture `name` with their source, or None and the problems.

    A point has one of `types`.
    """
    document, problems = checked(path, source, "expected-labels")
    if document is None:
        return None, problems
    if foreign := _foreign_keys(document.value):
        listed = ", ".join(f'"{key}"' for key in foreign)
        text = f"these are labels of another format, with {listed}; docs/authoring.md describes the one to use"
        return None, [Problem(path, "", text, document.line(()))]
    for place, text in _label_rules(document.value, name, types):
        problems.append(Problem(path, json_path(place), text, document.line(place)))
    return (None, problems) if problems else ((_labels(document.value), document), [])


def _foreign_keys(value: Any) -> list[str]:
    """Return unknown keys of labels if they show another format rather than a typing error."""
    if not isinstance(value, dict):
        return []
    known = {*Labels._fields, "fixture_id", "expected_points"} - {"points"}
    unknown = [key for key in value if key not in known]
    if unknown and len(known - {"notes"} - value.keys()) > 1:  # a misspelt key lacks one
        return unknown
    points = value.get("expected_points")
    own = [point for point in points if isinstance(point, dict)] if isinstance(points, list) else []
    if any(key.startswith("must_") for point in own for key in point):
        return []
    return list(dict.fromkeys(key for point in own for key in point if key not in ExpectedPoint._fields))


def _label_rules(value: Any, name: str, types: Collection[str]) -> Iterator[tuple[yaml_lines.Path, str]]:
    """Yield what the JSON Schema of labels cannot say: names and types that agree, one id per point, lower case.

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
        yield ("expect_empty",), "is true, but there are expected_points"
    if empty is False and not points:
        yield ("expect_empty",), "is false, but there are no expected_points"
    seen: set[str] = set()
    for index, point in enumerate(points):
        point_id, type_ = (point.get("id"), point.get("type")) if isinstance(point, dict) else (None, None)
        if isinstance(point_id, str):
            if point_id in seen:
                yield ("expected_points", index, "id"), f'"{point_id}" is the id of another point'
            seen.add(point_id)
        if isinstance(type_, str) and type_.strip() and type_ not in types:
            yield ("expected_points", index, "type"), f'"{type_}" is none of {", ".join(types)}'
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
