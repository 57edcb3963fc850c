"""Parse JSON without mercy: what two parsers could read differently is refused."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

DEEPEST = 64
LONGEST_NUMBER = 20
_MARK = re.compile(r'\\.|["\[\]{}]', re.DOTALL)


class NotJSONError(ValueError):
    """A text is not one strict JSON value; the message says why."""


def parse(text: str) -> Any:
    """Return the one value in `text`.

    Raises NotJSONError for no JSON, several values, duplicate keys, NaN and Infinity, lone surrogates, numbers of more
    than 20 characters and nesting deeper than 64.
    """
    if not text.strip():
        raise NotJSONError("is empty")
    if text.count("[") + text.count("{") > DEEPEST:  # no parser has to recurse into a hostile text
        end_of_object(text, 0, to_the_end=True)
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_number, parse_float=_number
        )
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        what = "more than one value" if error.msg == "Extra data" else f"no JSON: {error.msg}"
        raise NotJSONError(f"{what} (line {error.lineno} column {error.colno})") from error
    except UnicodeEncodeError as error:
        raise NotJSONError("a lone surrogate in a string") from error
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise NotJSONError(f"the key {json.dumps(name)} occurs twice in one object")
        found[name] = value
    return found


def _constant(name: str) -> NoReturn:
    raise NotJSONError(f"{name} is not JSON")


def _number(digits: str) -> int | float:
    if len(digits) > LONGEST_NUMBER:
        raise NotJSONError(f"a number of {len(digits)} characters")
    number = int(digits) if digits.lstrip("-").isdigit() else float(digits)
    if abs(number) == float("inf"):
        raise NotJSONError(f"a number out of range: {digits}")
    return number


def end_of_object(text: str, start: int, to_the_end: bool = False) -> int | None:
    """Return where the brackets that open at `start` are closed again, or None where the text ends before that.

    With `to_the_end` the whole text is gone through. Raises NotJSONError for nesting deeper than 64.
    """
    depth, quoted = 0, False
    for mark in _MARK.finditer(text, start):
        if mark[0] == '"':
            quoted = not quoted
        elif not quoted and mark[0] in ("[", "{"):
            depth += 1
            if depth > DEEPEST:
                raise NotJSONError(f"nested deeper than {DEEPEST}")
        elif not quoted and mark[0] in ("]", "}"):
            depth -= 1
            if depth == 0 and not to_the_end:
                return mark.end()
    return None
