"""Find the lists of proposals in a JSON Schema: suggest pointers for corpus.yaml, and find those that lead nowhere."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from prompteval.model import Contract

_TITLES = ("title", "name", "label", "summary")
_COMBINING = ("allOf", "anyOf", "oneOf")
_KEY = re.compile(r'[^/"~]+')  # what a pointer of corpus.yaml can name

Path = tuple[str, ...]


def answer_block(schema: dict[str, Any]) -> dict[str, str]:
    """Return the values of the templates for a schema, as YAML; nothing if the schema has no list of objects."""
    lists = list(_lists(schema, schema, (), frozenset()))
    if not lists:
        return {}
    keys = Counter(path[-1] for path, _ in lists if path)
    whole = _singular(schema.get("title", ""))
    types = [whole if not path else path[-1] if keys[path[-1]] == 1 else "/".join(path) for path, _ in lists]
    pointers = ["".join(f"/{key}" for key in path) for path, _ in lists]
    each = [_texts(items, schema) for _, items in lists]
    every = list(dict.fromkeys(key for texts in each for key in texts))
    texts = [key for key in every if all(key in own for own in each)] or every
    required = [key for part in _parts(lists[0][1], schema) for key in part.get("required", ())]
    title = [key for key in _TITLES if key in texts] + [key for key in texts if key in required]
    return {
        "type": _quoted(types[0]),
        "proposals": ", ".join(f"{_quoted(type_)}: {_quoted(to)}" for type_, to in zip(types, pointers, strict=True)),
        "title": f"title: {_quoted('/' + title[0])}" if title else "# title: /title",
        "searched": ", ".join(_quoted(f"/{key}") for key in texts) or '""',  # "" is every string of a proposal
    }


def dead_ends(contract: Contract) -> Iterator[tuple[str, str]]:
    """Yield the pointers of a contract that its schema rules out, each with its key in corpus.yaml."""
    schema = dict(contract.schema)
    items: list[Any] = []
    for type_, pointer in contract.proposals:
        found = _follow([schema], pointer, schema)
        if not found:
            yield f"answer.proposals.{type_}", pointer
        items += [part["items"] for part in found if "items" in part]
    named = [("type", contract.type), ("title", contract.title)]
    named += [(key, each) for key in ("searched", "kept") for each in getattr(contract, key) or ()]
    for key, pointer_ in named:
        if pointer_ and items and not _follow(items, pointer_, schema):
            yield f"answer.{key}", pointer_


def _follow(schemas: list[Any], pointer: str, root: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the schemas that a pointer leads to in any of some schemas; an open one may have any key."""
    found = [part for schema in schemas for part in _parts(schema, root)]
    for key in pointer.split("/")[1:]:
        inner = [part["properties"][key] for part in found if key in part.get("properties", ())]
        if not inner and not any(part.get("additionalProperties") is False for part in found):
            return [{}]
        found = [part for schema in inner for part in _parts(schema, root)]
    return found


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _singular(title: str) -> str:
    """Return the name of one proposal of a bare list: `entity` if the title is Entities, or `item`."""
    word = title.strip().lower()
    one = word[:-3] + "y" if word.endswith("ies") else word[:-1] if word.endswith("s") else word
    return one if re.fullmatch(r"[a-z][a-z0-9_-]*", one) else "item"


def _lists(schema: Any, root: dict[str, Any], path: Path, above: frozenset[int]) -> Iterator[tuple[Path, Any]]:
    """Yield the keys that lead to each list of objects, and the schema of its items; `above` ends a recursion."""
    parts = list(_parts(schema, root))
    within = above | {id(part) for part in parts}
    for items in (part["items"] for part in parts if "items" in part):
        if any(part.get("type") == "object" or "properties" in part for part in _parts(items, root)):
            yield path, items
            return
    for key, value in _properties(schema, root).items():
        if not any(id(part) in within for part in _parts(value, root)):
            yield from _lists(value, root, (*path, key), within)


def _texts(items: Any, root: dict[str, Any]) -> list[str]:
    """Return the keys of an item whose values are free text."""
    found = {key: list(_parts(value, root)) for key, value in _properties(items, root).items()}
    return [
        key
        for key, parts in found.items()
        if any("string" in part.get("type", "") for part in parts)
        and not any("enum" in part or "const" in part for part in parts)
    ]


def _properties(schema: Any, root: dict[str, Any]) -> dict[str, Any]:
    """Return the properties of a schema that a pointer of corpus.yaml can name."""
    found = {key: value for part in _parts(schema, root) for key, value in part.get("properties", {}).items()}
    return {key: found[key] for key in found if _KEY.fullmatch(key) and key.strip() and key.isprintable()}


def _parts(schema: Any, root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema with all that it refers to in its file or combines, each once."""
    waiting, seen = [schema], set()
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, dict) and id(part) not in seen:
            seen.add(id(part))
            yield part
            waiting += [each for key in _COMBINING for each in part.get(key, ())]
            if "$ref" in part:
                waiting.append(_at(root, part["$ref"]))


def _at(root: Any, reference: str) -> Any:
    """Return what a reference within the file leads to; None for one by an anchor, and for one to nothing."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    for key in unquote(reference).split("/")[1:]:
        inner = {str(index): each for index, each in enumerate(root)} if isinstance(root, list) else root
        root = inner.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(inner, dict) else None
    return root
