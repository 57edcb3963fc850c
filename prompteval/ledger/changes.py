"""What a new corpus revision changes in the fixtures of the one before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Texts = tuple[str, str]  # the digest of a session, and the text of its labels


class Change(NamedTuple):
    """One thing that changed in a fixture. `place` says which: `point a: must_match_all`, `session`, `fixture`.

    `before` and `after` have the value; None where there was none before, or is none now. Where they are the same, the
    value is too long to be named.
    """

    fixture_id: str
    place: str
    before: str | None
    after: str | None


def changes(before: Mapping[str, Texts], after: Mapping[str, Texts]) -> list[Change]:
    """Return what changed between two revisions, given by fixture id, in the order of the fixtures."""
    return [
        change for name in sorted({*before, *after}) for change in _fixture(name, before.get(name), after.get(name))
    ]


def _fixture(name: str, before: Texts | None, after: Texts | None) -> Iterator[Change]:
    if before is None or after is None:
        yield Change(name, "fixture", None if before is None else "", None if after is None else "")
        return
    if before[0] != after[0]:
        yield Change(name, "session", "", "")
    if before[1] != after[1]:
        listed = list(_labels(json.loads(before[1]), json.loads(after[1])))
        yield from (Change(name, *each) for each in listed or [("order of points or terms", "", "")])


def _labels(before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield place, before and after of what is not the same in two labels, whatever the order of points and terms."""
    for key in ("category", "expect_empty", "max_unexpected_proposals"):
        if before[key] != after[key]:
            yield key, _written(before[key]), _written(after[key])
    if before.get("notes") != after.get("notes"):
        yield "notes", "", ""
    old, new = ({point["id"]: point for point in each["expected_points"]} for each in (before, after))
    for point in dict.fromkeys((*old, *new)):
        if point not in old or point not in new:
            yield f"point {point}", "" if point in old else None, "" if point in new else None
        else:
            yield from _point(f"point {point}", old[point], new[point])


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _point(
    place: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[tuple[str, str | None, str | None]]:
    if before["type"] != after["type"]:
        yield f"{place}: type", before["type"], after["type"]
    for role in ("must_match_all", "must_match_any", "must_match_none", "must_not_match"):
        old, new = (_terms(each.get(role, ())) for each in (before, after))
        yield from ((f"{place}: {role}", term, None) for term in old if term not in new)
        yield from ((f"{place}: {role}", None, term) for term in new if term not in old)


def _terms(listed: Iterable[Any]) -> list[str]:
    """Return each term in quotes; of must_match_any, each list of terms as one text."""
    lists = (sorted(each) if isinstance(each, list) else [each] for each in listed)
    return [" with ".join(f'"{term}"' for term in terms) for terms in lists]
