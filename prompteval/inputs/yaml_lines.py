"""Read one YAML document into plain values, and remember the line of each.

The subset is what labels need: mappings with text keys, lists and scalars. Duplicate keys, anchors, aliases, tags,
several documents and deep nesting are refused, so no file can mean two things or grow when it is read.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import yaml

Path = tuple["str | int", ...]
DEEPEST = 20
LONGEST = 100_000  # characters; the parser takes a second for so many, and the longest labels have 600
_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # an escape can write what no file can hold
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,8})")
_KINDS = {"bool": "a boolean", "int": "a number", "float": "a number", "timestamp": "a date", "null": "nothing"}
# What a date, 1.10, 12:30 or null is read as. No contract takes it, it equals no other, and its JSON has no digit.
_ODD = float("nan")
_LIST, _MAPPING = re.compile(r"(?s)\A\[.*\](?= is not )"), re.compile(r"(?s)\A\{.*\}(?= is not )")


class YAMLTextError(ValueError):
    """A text is not one document of the subset; `line` counts from 1."""

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


class Unquoted(NamedTuple):
    """A scalar that YAML does not take for a text: as written, what it is, and how a contract quotes its value."""

    source: str
    kind: str
    quoted: str


class YAMLText(NamedTuple):
    """A value, the line of each place in it, and each scalar in it that is not a text."""

    value: Any
    lines: dict[Path, int]
    unquoted: dict[Path, Unquoted]

    def line(self, place: Path) -> int:
        """Return the line of a place, or of the nearest place around it."""
        return self.lines[place] if place in self.lines else self.line(place[:-1])

    def said(self, place: Path, text: str) -> str:
        """Return what a contract says of the value at `place`, with the value as it stands in the file."""
        if (scalar := self.unquoted.get(place)) is None:
            return _LIST.sub("a list", _MAPPING.sub("a mapping", text))
        if not scalar.source:
            return "is empty"
        if 'type "string"' in text:
            return f"{scalar.source} without quotes is {scalar.kind}; write '{scalar.source}'"
        if text.startswith(f"{scalar.quoted} "):
            return scalar.source + text[len(scalar.quoted) :]
        return f"is {scalar.source}; {text}"


def load(text: str, first_line: int = 1) -> YAMLText:
    """Return the one document in `text`, whose first line is line `first_line` of its file. Raises YAMLTextError."""
    if len(text) > LONGEST:
        raise YAMLTextError(f"longer than {LONGEST:,} characters", first_line)
    try:
        loader = _Loader(text)
        if not loader.check_node():
            raise YAMLTextError("is empty", first_line)
        read = _Values(first_line)
        value = read.take(loader.get_node(), ())
        if loader.check_node():
            raise _RefusedError("more than one document", loader.event())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YAMLTextError(_problem(error), (mark.line if mark else 0) + first_line) from error
    except yaml.YAMLError as error:
        raise YAMLTextError(f"not YAML: {str(error).splitlines()[0]}", first_line) from error
    except (ValueError, OverflowError) as error:
        if isinstance(error, YAMLTextError):
            raise
        # PyYAML lets through what Python says of an escape such as \UFFFFFFFF or of a version with 5,000 digits.
        raise YAMLTextError("not YAML: a number out of range", first_line) from error
    return YAMLText(value, read.lines, read.unquoted)


class _RefusedError(yaml.MarkedYAMLError):
    def __init__(self, text: str, found: yaml.Event | yaml.Node) -> None:
        super().__init__(problem=text, problem_mark=found.start_mark)  # type: ignore[arg-type]  # of the pure parser


def _problem(error: yaml.MarkedYAMLError) -> str:
    if isinstance(error, _RefusedError):
        return str(error.problem)
    return "not YAML: " + ("a tab; write spaces" if r"'\t'" in str(error.problem) else str(error.problem))


class _Loader(yaml.SafeLoader):
    """Compose nodes, and refuse what the subset has not before PyYAML resolves it or descends into it."""

    _depth = 0

    def event(self) -> Any:
        """Return the next event without taking it."""
        return self.peek_event()  # type: ignore[no-untyped-call]

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.event()
        if event.anchor is not None:
            raise _RefusedError("anchors and aliases are not allowed", event)
        if event.tag is not None:
            raise _RefusedError(f"the tag {event.tag} is not allowed", event)
        if isinstance(event, yaml.ScalarEvent) and (found := _NO_TEXT.search(event.value)):
            raise _RefusedError(f"U+{ord(found[0]):04X} is not allowed in a text", event)
        if isinstance(event, yaml.CollectionStartEvent) and self._depth >= DEEPEST:
            raise _RefusedError(f"nested deeper than {DEEPEST}", event)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


class _Values:
    """Turn nodes into values, and note their lines and what was not written as a text."""

    def __init__(self, first_line: int) -> None:
        self.lines: dict[Path, int] = {}
        self.unquoted: dict[Path, Unquoted] = {}
        self._first_line = first_line

    def take(self, node: Any, place: Path) -> Any:
        """Return the value of a node. In a mapping the line of the key counts."""
        self.lines.setdefault(place, self._line(node))
        if isinstance(node, yaml.SequenceNode):
            return [self.take(item, (*place, index)) for index, item in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            return {key.value: self.take(item, self._key(key, place)) for key, item in node.value}
        return self._scalar(node, place)

    def _line(self, node: yaml.Node) -> int:
        return self._first_line + node.start_mark.line

    def _key(self, key: yaml.Node, place: Path) -> Path:
        if not isinstance(key, yaml.ScalarNode):
            raise _RefusedError("a key must be a text", key)
        inner, line = (*place, key.value), self._line(key)
        if inner in self.lines:
            raise _RefusedError(f'the key "{key.value}" occurs twice, on lines {self.lines[inner]} and {line}', key)
        self.lines[inner] = line
        return inner

    def _scalar(self, node: yaml.Node, place: Path) -> Any:
        kind = node.tag.rpartition(":")[2]
        if kind not in _KINDS:
            return node.value
        value: Any = _ODD
        if kind == "bool":
            value = node.value.lower() in ("true", "yes", "on")
        elif kind == "int" and _INTEGER.fullmatch(node.value):
            value = int(node.value)
        self.unquoted[place] = Unquoted(node.value, _KINDS[kind], "null" if value is _ODD else json.dumps(value))
        return value
