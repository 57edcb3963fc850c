"""Read Markdown as a person does: the words, without the marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Some nested marks cost a Markdown parser quadratic time. A body this long is searched as written alone.
LONGEST_RENDERED = 100_000
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _inline(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            yield "\n"
        elif token.type == "image":
            yield from _inline(token.children or ())
        elif token.type != "html_inline":
            yield token.content


def _blocks(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            yield "".join(_inline(token.children or ()))
        elif token.type == "html_block":
            yield _TAG.sub("", token.content)
        elif token.content:
            yield token.content


def read_line(markdown: str) -> str:
    """Return the words of one line of Markdown (a title): no block syntax, so `# 1` stays `# 1`."""
    if len(markdown) > LONGEST_RENDERED:
        return markdown
    return "\n".join(_blocks(_parser().parseInline(markdown)))


def read_blocks(markdown: str) -> str:
    """Return the words of a Markdown text, one block a line; code keeps its characters, links and tags their text."""
    if len(markdown) > LONGEST_RENDERED:
        return markdown
    return "\n".join(_blocks(_parser().parse(markdown)))
