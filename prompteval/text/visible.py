"""Make text that somebody else wrote safe to show: one line, and nothing in it that steers a terminal."""

from __future__ import annotations

from collections.abc import Iterable

WIDTH = 80  # columns of a text report


def visible(text: str) -> str:
    """Return `text` on one line, with control, format and bidi characters as escapes that do nothing."""
    return "".join(_shown(character) for character in text) if not text.isprintable() else text


def visible_text(text: str) -> str:
    """Return `text` with its line breaks, and everything else that is invisible made visible."""
    return "\n".join(map(visible, text.replace("\r\n", "\n").split("\n")))


def wrapped(text: str, indent: str = "", more: str | None = None) -> list[str]:
    """Return `text`, made visible, in lines of at most WIDTH characters; a longer word is not broken.

    `indent` stands before the first line, `more` before the others, by default as many spaces.
    """
    import textwrap

    setter = textwrap.TextWrapper(WIDTH, indent, break_long_words=False, break_on_hyphens=False)
    setter.subsequent_indent = " " * len(indent) if more is None else more
    return setter.wrap(visible(text)) or [indent]


def _shown(character: str) -> str:
    if character in "\n\t\r":
        return " "
    import unicodedata

    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character


def lines(texts: Iterable[str]) -> str:
    """Return texts, one per line, each made visible."""
    return "".join(f"{visible(text)}\n" for text in texts)
