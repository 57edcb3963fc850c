"""Read one YAML document into plain values, and remember the line of each.

The subset is what labels need: mappings with text keys, lists and scalars. Duplicate keys, anchors, aliases, tags,
several documents and deep nesting are refused, so no file can mean two things or grow when it is read.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import yaml

Path = tuple["str | int", ...]
DEEPEST = 20
LONGEST = 100_000  # characters; the parser takes a second for so many, and the longest labels have 600
_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # an escape can write what no file can hold
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_KINDS = {"bool": "a boolean", "int": "a number", "float": "a number", "timestamp": "a date", "null": "nothing"}
# What a date, 1.10, 12:30 or null is read as. No contract takes it, it equals no other, and its JSON has no digit.
_ODD = float("nan")
_LIST, _MAPPING = re.compile(r"(?s)\A\[.*\](?= is not )"), re.compile(r"(?s)\A\{.*\}(?= is not )")


class YAMLTextError(ValueError):
    """A text is not one document of the subset; `line` counts from 1."""

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


class YAMLText(NamedTuple):
    """A value, the line of each place in it, and source and kind of each scalar that YAML does not take for a text."""

    value: Any
    lines: dict[Path, int]
    unquoted: dict[Path, tuple[str, str]]

    def line(self, place: Path) -> int:
        """Return the line of a place, or of the nearest place around it."""
        return self.lines[place] if place in self.lines else self.line(place[:-1])

    def said(self, place: Path, text: str) -> str:
        """Return the message of a contract about the value at `place`, with the value as written in the file."""
        if place not in self.unquoted:
            return _LIST.sub("a list", _MAPPING.sub("a mapping", text))
        source, kind = self.unquoted[place]
        if not source:
            return "is empty"
        if 'type "string"' in text:
            return f"{source} without quotes is {kind}; write '{source}'"
        value, _, problem = text.partition(" ")
        return f"{source} {problem}" if value in (source, "null", "true", "false") else f"is {source}; {text}"


def load(text: str, first_line: int = 1) -> YAMLText:
    """Return the one document in `text`, whose first line is line `first_line` of its file. Raises YAMLTextError."""
    if len(text) > LONGEST:
        raise YAMLTextError(f"longer than {LONGEST:,} characters", first_line)
    try:
        return _Loader(text, first_line).document()
    except yaml.MarkedYAMLError as error:
        mark, problem = error.problem_mark or error.context_mark, str(error.problem)
        problem = "a tab; write spaces" if r"'\t'" in problem else problem
        raise YAMLTextError(f"not YAML: {problem}", (mark.line if mark else 0) + first_line) from error
    except yaml.YAMLError as error:
        raise YAMLTextError(f"not YAML: {str(error).splitlines()[0]}", first_line) from error
    except (ValueError, OverflowError) as error:
        if isinstance(error, YAMLTextError):
            raise
        # PyYAML lets through what Python says of an escape such as \UFFFFFFFF or of a version with 5,000 digits.
        raise YAMLTextError("not YAML: a number out of range", first_line) from error


class _Loader(yaml.SafeLoader):
    """Compose nodes, refusing what the subset lacks before PyYAML descends into it, and turn them into values."""

    def __init__(self, text: str, first_line: int) -> None:
        super().__init__(text)
        self._first_line, self._depth = first_line, 0
        self._read = YAMLText(None, {}, {})

    def document(self) -> YAMLText:
        """Return the one document. Raises YAMLTextError and what PyYAML raises."""
        if not self.check_node():
            raise YAMLTextError("is empty", self._first_line)
        value = self._take(self.get_node(), ())
        if self.check_node():
            raise self._refused("more than one document", self._next())
        return self._read._replace(value=value)

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Return the next node. Raises YAMLTextError."""
        event = self._next()
        if event.anchor is not None:
            raise self._refused("anchors and aliases are not allowed", event)
        if event.tag is not None:
            raise self._refused(f"the tag {event.tag} is not allowed", event)
        if isinstance(event, yaml.ScalarEvent) and (found := _NO_TEXT.search(event.value)):
            raise self._refused(f"U+{ord(found[0]):04X} is not allowed in a text", event)
        if isinstance(event, yaml.CollectionStartEvent) and self._depth >= DEEPEST:
            raise self._refused(f"nested deeper than {DEEPEST}", event)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def _next(self) -> Any:
        return self.peek_event()  # type: ignore[no-untyped-call]

    def _refused(self, text: str, found: Any) -> YAMLTextError:
        return YAMLTextError(text, self._first_line + found.start_mark.line)

    def _take(self, node: Any, place: Path) -> Any:
        self._read.lines.setdefault(place, self._first_line + node.start_mark.line)  # but the key's line in a mapping
        if isinstance(node, yaml.SequenceNode):
            return [self._take(item, (*place, index)) for index, item in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            return {key.value: self._take(item, self._key(key, place)) for key, item in node.value}
        kind = node.tag.rpartition(":")[2]
        if kind not in _KINDS:
            return node.value
        self._read.unquoted[place] = node.value, _KINDS[kind]
        if kind == "bool":
            return node.value.lower() in ("true", "yes", "on")
        return int(node.value) if kind == "int" and _INTEGER.fullmatch(node.value) else _ODD

    def _key(self, key: Any, place: Path) -> Path:
        if not isinstance(key, yaml.ScalarNode):
            raise self._refused("a key must be a text", key)
        inner, line = (*place, key.value), self._first_line + key.start_mark.line
        if first := self._read.lines.get(inner):
            raise YAMLTextError(f'the key "{key.value}" occurs twice, on lines {first} and {line}', line)
        self._read.lines[inner] = line
        return inner
