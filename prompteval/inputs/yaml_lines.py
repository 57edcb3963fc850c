"""Read one YAML document into plain values, and remember the line of each.

The subset is what labels need: mappings with text keys, lists and scalars. Duplicate keys, anchors, aliases, tags,
several documents and deep nesting are refused, so no file can mean two things or grow when it is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import yaml

Path = tuple["str | int", ...]
DEEPEST = 20
LONGEST = 100_000  # characters; the parser takes a second for so many, and the longest labels have 600
_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # an escape can write what no file can hold
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,8})")


class YAMLTextError(ValueError):
    """A text is not one document of the subset; `line` counts from 1."""

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


class YAMLText(NamedTuple):
    """A value, the line of each place in it, and the source of each scalar that was not written as a text."""

    value: Any
    lines: dict[Path, int]
    unquoted: dict[Path, tuple[str, str]]


_KINDS = {
    "tag:yaml.org,2002:bool": "a boolean",
    "tag:yaml.org,2002:int": "a number",
    "tag:yaml.org,2002:float": "a number",
    "tag:yaml.org,2002:timestamp": "a date",
    "tag:yaml.org,2002:null": "nothing",
}


def load(text: str, first_line: int = 1) -> YAMLText:
    """Return the one document in `text`, whose first line is line `first_line` of its file. Raises YAMLTextError."""
    if len(text) > LONGEST:
        raise YAMLTextError(f"longer than {LONGEST:,} characters", first_line)
    builder = _Builder(first_line)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YAMLTextError(f"no YAML: {error.problem}", (mark.line if mark else 0) + first_line) from error
    except yaml.YAMLError as error:
        raise YAMLTextError(f"no YAML: {str(error).splitlines()[0]}", first_line) from error
    except (ValueError, OverflowError) as error:
        if isinstance(error, YAMLTextError):
            raise
        # PyYAML lets through what Python says of an escape such as \UFFFFFFFF or of a version with 5,000 digits.
        raise YAMLTextError("no YAML: a number out of range", first_line) from error
    return YAMLText(builder.root, builder.lines, builder.unquoted)


class _Builder:
    """Build the value from parser events: a loop and a stack, so that nesting costs no recursion."""

    def __init__(self, first_line: int) -> None:
        self.root: Any = None
        self.lines: dict[Path, int] = {}
        self.unquoted: dict[Path, tuple[str, str]] = {}
        self._first_line = first_line
        self._resolve: Callable[..., str] = yaml.resolver.Resolver().resolve
        self._open: list[tuple[Path, dict[str, Any] | list[Any]]] = []
        self._key: str | None = None
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        line = (event.start_mark.line if event.start_mark else 0) + self._first_line
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise YAMLTextError("more than one document", line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
        elif isinstance(event, yaml.NodeEvent):
            self._take_node(event, line)

    def _take_node(self, event: yaml.NodeEvent, line: int) -> None:
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise YAMLTextError("anchors and aliases are not allowed", line)
        if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)) and event.tag is not None:
            raise YAMLTextError(f"the tag {event.tag} is not allowed", line)
        if isinstance(event, yaml.ScalarEvent) and (found := _NO_TEXT.search(event.value)):
            raise YAMLTextError(f"U+{ord(found[0]):04X} is no character of a text", line)
        if self._open and isinstance(self._open[-1][1], dict) and self._key is None:
            self._key = self._take_key(event, line)
        elif isinstance(event, yaml.ScalarEvent):
            path = self._place(line)
            self._put(self._scalar(event, path))
        else:
            path = self._place(line)
            if len(path) >= DEEPEST:
                raise YAMLTextError(f"nested deeper than {DEEPEST}", line)
            container: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
            self._put(container)
            self._open.append((path, container))

    def _take_key(self, event: yaml.NodeEvent, line: int) -> str:
        path, mapping = self._open[-1]
        if not isinstance(event, yaml.ScalarEvent):
            raise YAMLTextError("a key must be a text", line)
        if event.value in mapping:
            raise YAMLTextError(f'the key "{event.value}" occurs twice', line)
        self.lines[(*path, event.value)] = line
        return str(event.value)

    def _place(self, line: int) -> Path:
        """Return the path of the value that comes now. In a mapping the key's line counts, not the value's."""
        if not self._open:
            self.lines[()] = line
            return ()
        path, container = self._open[-1]
        if isinstance(container, dict):
            return (*path, str(self._key))
        here: Path = (*path, len(container))
        self.lines[here] = line
        return here

    def _put(self, value: Any) -> None:
        if not self._open:
            self.root = value
            return
        container = self._open[-1][1]
        if isinstance(container, list):
            container.append(value)
        else:
            container[str(self._key)] = value
            self._key = None

    def _scalar(self, event: yaml.ScalarEvent, path: Path) -> Any:
        tag = self._resolve(yaml.ScalarNode, event.value, event.implicit)
        if tag not in _KINDS:
            return event.value
        self.unquoted[path] = (event.value, _KINDS[tag])
        if tag.endswith(":null"):
            return None
        if tag.endswith(":bool"):
            return event.value.lower() in ("true", "yes", "on")
        if tag.endswith(":int") and _INTEGER.fullmatch(event.value):
            return int(event.value)
        # A date, 1.10 or 12:30: no contract takes a number with a fraction, and each is told from the next.
        return len(self.unquoted) + 0.5
