"""Parse JSON without mercy: what two parsers could read differently is refused."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

DEEPEST = 64
LONGEST_NUMBER = 20


class NotJSONError(ValueError):
    """A text is not one strict JSON value; the message says why."""


def parse(text: str) -> Any:
    """Return the one value in `text`.

    Raises NotJSONError for no JSON, several values, duplicate keys, NaN and Infinity, lone surrogates, numbers of more
    than 20 characters and nesting deeper than 64.
    """
    if not text.strip():
        raise NotJSONError("is empty")
    _check_depth(text)
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer, parse_float=_float
        )
    except json.JSONDecodeError as error:
        what = "more than one value" if error.msg == "Extra data" else f"no JSON: {error.msg}"
        raise NotJSONError(f"{what} (line {error.lineno} column {error.colno})") from error
    _check_surrogates(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen = dict(pairs)
    if len(seen) < len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name in times if times[name] > 1)
        raise NotJSONError(f"the key {json.dumps(twice)} occurs twice in one object")
    return seen


def _constant(name: str) -> NoReturn:
    raise NotJSONError(f"{name} is not JSON")


def _integer(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise NotJSONError(f"a number of {len(digits)} characters")
    return int(digits)


def _float(digits: str) -> float:
    if len(digits) > LONGEST_NUMBER or abs(number := float(digits)) == float("inf"):
        raise NotJSONError(f"a number beyond reason: {digits[:LONGEST_NUMBER]}")
    return number


def _check_depth(text: str) -> None:
    """Count brackets outside strings, so that no parser has to recurse into a hostile text."""
    if text.count("[") + text.count("{") > DEEPEST:
        end_of_object(text, 0, to_the_end=True)


def end_of_object(text: str, start: int, to_the_end: bool = False) -> int | None:
    """Return where the brackets that open at `start` are closed again, or None where the text ends before that.

    With `to_the_end` the whole text is gone through. Raises NotJSONError for nesting deeper than 64.
    """
    depth, quoted, escaped = 0, False, False
    for place in range(start, len(text)):
        character = text[place]
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted = True
        elif character in "[{":
            depth += 1
            if depth > DEEPEST:
                raise NotJSONError(f"nested deeper than {DEEPEST}")
        elif character in "]}":
            depth -= 1
            if depth == 0 and not to_the_end:
                return place + 1
    return None


def _check_surrogates(value: Any) -> None:
    for text in _strings(value):
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise NotJSONError("a lone surrogate in a string")


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in _strings(item))]
    return [text for item in value for text in _strings(item)] if isinstance(value, list) else []
