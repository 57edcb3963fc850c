"""Explain why a term that seems to stand in a text does not: some characters only look like its own."""

from __future__ import annotations

import unicodedata

# Letters of other alphabets, and digits, that are drawn like a Latin letter in common fonts.
_TWINS = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u043a\u0442\u043c\u043d\u0432"
    "\u03b1\u03bf\u03c1\u03c5\u03bd\u03b9\u03ba\u03c4\u03c7\u0131\u0251\u026a\u00f8\u0142\u00f0"
    "01|",
    "aeopcyxijshdqwktmhb" + "aopuviktxiaiold" + "oll",
)


def look(text: str) -> str:
    """Return `text` with each character as the Latin letter it looks like; the same length, so places agree."""
    return "".join(map(_bare, text)).translate(_TWINS)


def _bare(character: str) -> str:
    """Return a character without its accents; one that has no single base stays as it is."""
    base = unicodedata.normalize("NFD", character)[0]
    return base if base.isalnum() else character


def explain(term: str, text: str) -> str:
    """Return which characters in `text` stand where `term` has others that look alike, or nothing where none do.

    Both are folded already. The answer names code points: `"с" (U+0441 CYRILLIC SMALL LETTER ES) for "c" (U+0063 …)`.
    """
    place = look(text).find(look(term))
    if place < 0:
        return ""
    found = text[place : place + len(term)]
    pairs = dict.fromkeys((have, want) for have, want in zip(found, term, strict=True) if have != want)
    return ", ".join(f"{_named(have)} for {_named(want)}" for have, want in pairs)


def _named(character: str) -> str:
    return f'"{character}" (U+{ord(character):04X} {unicodedata.name(character, "without a name")})'
