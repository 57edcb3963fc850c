"""The reasons why a fixture fails, in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from prompteval.errors import count
from prompteval.outcomes import NearMiss, Reason


def text(reason: Reason) -> str:
    """Return one reason as one line."""
    if reason.code == "no-result":
        return "no result"
    if reason.code == "invalid":
        more = f" (and {count(reason.number - 1, 'further problem')})" if reason.number > 1 else ""
        return f"invalid result: {reason.texts[0]}{more}"
    if reason.code == "not-empty":
        return f"not empty: {count(reason.number, 'proposal')}"
    if reason.code == "phantoms":
        return f"{count(reason.number, 'phantom')} over a budget of {reason.budget}: {quoted(reason.texts)}"
    return f'missed "{reason.point}": {"; ".join(_why_missed(reason))}'


def facts(reason: Reason) -> dict[str, Any]:
    """Return the facts of a reason as JSON values."""
    said: dict[str, dict[str, Any]] = {
        "invalid": {"problems": list(reason.texts)},
        "missed": {"point": reason.point},
        "not-empty": {"count": reason.number},
        "phantoms": {"count": reason.number, "budget": reason.budget},
    }
    return {"code": reason.code, **said.get(reason.code, {}), "text": text(reason)}


def _why_missed(reason: Reason) -> Iterator[str]:
    if reason.texts:
        yield f"{quoted(reason.texts)} leaked"
    if reason.satisfied:
        return
    if not reason.proposals:
        yield "no proposal"
    elif reason.near is None:
        yield "no proposal has any of its terms"
    elif reason.near.has_words:
        yield f"right words under the wrong type: {reason.near.type}, not {reason.type}"
    else:
        yield f"nearest proposal {lacking(reason.near, reason.type)}"


def lacking(near: NearMiss, type_: str | None) -> str:
    """Return why a near miss does not satisfy a point of a type: `lacks "a", and has the type a, not b`."""
    lists: dict[tuple[str, int], list[str]] = defaultdict(list)
    for wanted in near.absent:
        lists[wanted.role, wanted.alternative].append(f'"{wanted.term}"')
    alternatives = " or ".join(" with ".join(terms) for (role, _), terms in lists.items() if role == "any")
    lacks = ", ".join([*lists["all", 0], *filter(None, [alternatives])])
    found = [f"{verb} {terms}" for verb, terms in (("lacks", lacks), ("holds", ", ".join(lists["none", 0]))) if terms]
    if not near.has_type:
        found.append(f"has the type {near.type}, not {type_}")
    return ", and ".join(found)


def quoted(texts: Iterable[str]) -> str:
    """Return texts in quotes, with commas between them."""
    return ", ".join(f'"{each}"' for each in texts)
