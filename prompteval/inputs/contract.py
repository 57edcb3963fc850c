"""Hold a value against one of the shipped contracts (JSON Schema 2020-12)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import jsonschema_rs

CONTRACTS = ("proposal-output", "expected-labels", "session-front-matter", "corpus")
_FOLDER = Path(__file__).parent.parent / "contracts"
_LONGEST_MESSAGE = 200
_MOST_PLACES = 5_000

FieldPath = tuple["str | int", ...]


class Breach(NamedTuple):
    """One place where a value breaks its contract."""

    path: FieldPath
    text: str

    @property
    def field(self) -> str:
        return json_path(self.path)


def json_path(path: Iterable[str | int]) -> str:
    """Return `practice[0].kk_confidence` for `("practice", 0, "kk_confidence")`; the empty path is ``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def contract_text(name: str) -> str:
    """Return the JSON Schema called `name` (one of CONTRACTS) as text."""
    return (_FOLDER / f"{name}.schema.json").read_text(encoding="utf-8")


@lru_cache
def _schema(name: str) -> dict[str, Any]:
    import json

    schema: dict[str, Any] = json.loads(contract_text(name))
    return schema


@lru_cache
def _validator(name: str) -> jsonschema_rs.Draft202012Validator:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(_schema(name))


def breaches(name: str, value: Any) -> list[Breach]:
    """Return all that is wrong with `value` under the contract `name`, in the order of the value's own places.

    Of a value with more than 5,000 places only the first: a million errors would cost gigabytes, and nobody reads them.
    """
    errors = _validator(name).iter_errors(value) if _is_small(value) else _first_error(name, value)
    found = [Breach(tuple(error.instance_path), _shortened(_message(name, error))) for error in errors]
    return sorted(found, key=lambda breach: ([(isinstance(step, str), str(step)) for step in breach.path], breach.text))


def _is_small(value: Any) -> bool:
    left, waiting = _MOST_PLACES, [value]
    while waiting and left >= 0:
        item = waiting.pop()
        if isinstance(item, (dict, list)):
            left -= len(item)
            waiting += item.values() if isinstance(item, dict) else item
    return left >= 0


def _first_error(name: str, value: Any) -> list[jsonschema_rs.ValidationError]:
    import jsonschema_rs

    try:
        _validator(name).validate(value)
    except jsonschema_rs.ValidationError as error:
        return [error]
    return []


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + "…"


def _message(contract: str, error: jsonschema_rs.ValidationError) -> str:
    kind: Any = error.kind  # one of a family of classes, each with its own attributes
    name = type(kind).__name__
    if name == "AdditionalProperties":
        return "unknown key " + ", ".join(f'"{key}"' for key in sorted(kind.unexpected))
    if name == "Required":
        return f'missing key "{kind.property}"'
    if name == "Pattern" and kind.pattern == "\\S":
        return "is blank"
    if name == "Pattern":
        return f"{error.message.partition(' does not match ')[0]} is not {_description(contract, error)}"
    if name == "AnyOf":
        return 'needs "must_match_all" or "must_match_any"'
    return str(error.message)


def _description(contract: str, error: jsonschema_rs.ValidationError) -> str:
    """Return what the contract says a text with a pattern is, in words."""
    part: Any = _schema(contract)
    for step in error.schema_path[:-1]:
        part = part[step]
    return str(part["description"])
