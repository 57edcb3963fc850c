"""Fold text, so that what reads the same matches the same.

`fold` follows the reading eye: compatibility forms (NFKC), curly quotes, dashes, characters that show nothing, case and
white space stop to matter. A normal form looks at neighbours, so a folded text can lose what a plain search finds:
"cafe" is in "cafe" + U+0301, and not in the composed "café". `fold_by_character` looks at one character at a time and
so keeps every plain match by construction; a text is searched both ways.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Listed, not asked of `unicodedata`: the answer must not change with the Unicode tables of the running Python.
_DASHES = (
    "\u058a\u05be\u1400\u1806\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d"
    "\u301c\u3030\u30a0\ufe31\ufe32\ufe58\ufe63\uff0d\U00010d6e\U00010ead"
)
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f"
# Default_Ignorable_Code_Point of the Unicode Character Database (DerivedCoreProperties.txt), as ranges.
_IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
)
# What Unicode 14 to 18 added that folds at all: it has another form or lower case, joins a neighbour, or is a mark that
# changes its place. Python 3.10, with Unicode 13, knows none of it. So it is left as it stands everywhere, and the text
# before it and after it is folded by itself. A run spans what is not assigned.
_NEWER = (
    "\u0558\u058b\u058c\u05c8\u05c9\u0897-\u089f\u08ca-\u08d2\u0c3c\u1715\u1ac1-\u1af0\u1c89\u1dfa\u209d-\u209f\u2c2f\ua7c0"
    "\ua7cb-\ua7f4\uab6c\uab6d\U00010570-\U000105e4\U00010781-\U000107bf\U00010d50-\U00010d6d\U00010ecb-\U00010eff"
    "\U00010f82-\U00010f85\U00011070\U00011382-\U000113d0\U00011f41\U00011f42\U0001611e-\U0001612f\U00016d63-\U00016d6a"
    "\U00016ea0-\U00016eb8\U0001b123-\U0001b126\U0001ccd6-\U0001ccf9\U0001d127\U0001d128\U0001d250-\U0001d281\U0001d6a6"
    "\U0001df40-\U0001dfff\U0001e030-\U0001e08f\U0001e2ae\U0001e4ec-\U0001e6f5"
)
_KNOWN = f"[^{_NEWER}]+"  # not compiled here: that takes a millisecond, and most texts are ASCII
_WHITE_SPACE = re.compile(r"\s+")
_FINAL_SIGMA = {0x03C2: "\u03c3"}  # str.lower() picks ς by its neighbours; one sigma keeps the fold the same everywhere


def _table() -> dict[int, str]:
    table = {ord(dash): "-" for dash in _DASHES}
    table |= {ord(quote): "'" for quote in _SINGLE_QUOTES} | {ord(quote): '"' for quote in _DOUBLE_QUOTES}
    for first, last in _IGNORABLE:
        table |= dict.fromkeys(range(first, last + 1), "")
    return table


_TABLE = _table()
_TAGS = re.compile("[\U000e0000-\U000e0fff]")  # the ignorable plane-14 block: a range, too long for the table


def _once(text: str) -> str:
    visible = _TAGS.sub("", text.translate(_TABLE))
    return unicodedata.normalize("NFKC", visible).translate(_TABLE).lower().translate(_FINAL_SIGMA)


def _to_the_end(text: str) -> str:
    """Repeat one pass until nothing changes: lower case can open a new composition, and a removal too."""
    while (folded := _once(text)) != text:
        text = folded
    return text


def _known_folded(text: str) -> str:
    return re.sub(_KNOWN, lambda known: _to_the_end(known[0]), text)


def fold(text: str) -> str:
    """Return `text` as it is compared: NFKC, plain quotes and dashes, visible, lower case, single spaces.

    The same under every Python: letters newer than Unicode 13 are left as they are.
    """
    if text.isascii():
        return _WHITE_SPACE.sub(" ", text.lower())
    return _WHITE_SPACE.sub(" ", _known_folded(text))


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    return _known_folded(character)


def fold_by_character(text: str) -> str:
    """Return `text` folded one character at a time: `a in b` implies `fold_by_character(a) in fold_by_character(b)`."""
    if text.isascii():
        return fold(text)
    return _WHITE_SPACE.sub(" ", "".join(map(_fold_character, text)))
