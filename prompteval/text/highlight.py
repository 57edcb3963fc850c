"""Find the terms of a label in a text as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
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
    wanted_of = {"term": list(filter(None, map(fold, terms))), "guard": list(filter(None, map(fold, guards)))}
    if not any(wanted_of.values()):  # a term of nothing that shows stands nowhere
        return [Part(text, "")] if text else []
    folded, origin = _folded(text)
    kinds = [""] * len(text)
    for kind, wanted in wanted_of.items():
        for term in wanted:
            for found in re.finditer(f"(?={re.escape(term)})", folded):  # hits may overlap
                first, last = origin[found.start()], origin[found.start() + len(term) - 1]
                kinds[first : last + 1] = [kind] * (last + 1 - first)
    parts = groupby(zip(text, kinds, strict=True), key=itemgetter(1))
    return [Part("".join(character for character, _ in places), kind) for kind, places in parts]


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
