"""Find the terms of a label in a text as it was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from prompteval.text.fold import fold, fold_by_character


class Part(NamedTuple):
    """A piece of a text; `kind` is term, guard, or empty for what lies between."""

    text: str
    kind: str


def marked(text: str, terms: Iterable[str], guards: Iterable[str]) -> list[Part]:
    """Return `text` in parts, each place marked where a term or a guard stands. The parts joined are the text.

    A hit that only the rendered Markdown has, or that a normal form made, has no place of its own here: no mark.
    """
    folded, origin = _folded(text)
    kinds = [""] * len(text)
    for kind, wanted in (("term", terms), ("guard", guards)):
        for term in wanted:
            for start in _places(fold(term), folded):
                first, last = origin[start], origin[start + len(fold(term)) - 1]
                kinds[first : last + 1] = [kind] * (last + 1 - first)
    return list(_parts(text, kinds))


def _folded(text: str) -> tuple[str, list[int]]:
    """Return `text` folded character by character, and for each character of it the place it comes from."""
    characters: list[str] = []
    origin: list[int] = []
    for place, character in enumerate(text):
        for piece in fold_by_character(character):
            if piece == " " and characters and characters[-1] == " ":
                continue  # a run of white space is one space
            characters.append(piece)
            origin.append(place)
    return "".join(characters), origin


def _places(term: str, text: str) -> Iterator[int]:
    start = text.find(term) if term else -1  # a term without visible characters occurs nowhere
    while start >= 0:
        yield start
        start = text.find(term, start + 1)


def _parts(text: str, kinds: list[str]) -> Iterator[Part]:
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or kinds[place] != kinds[start]:
            yield Part(text[start:place], kinds[start])
            start = place
