"""Read Markdown as a person does: the words, without the marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# A body this long, which no model writes, is searched as written alone.
LONGEST_RENDERED = 100_000
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_NAME = re.compile(r"</?([^\s/>]+)")
_ENTITY = re.compile(r"&(?:#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z][a-z0-9]{1,31});", re.IGNORECASE)  # as in CommonMark
# Tags where a browser breaks a line or begins another block, list item or table cell.
_BREAKING = (
    " address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre"
    " search section summary table tbody td tfoot th thead tr ul "
)


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
        elif token.type == "html_inline":
            yield _read_tag(token.content)
        else:
            yield token.content


def _blocks(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            yield "".join(_inline(token.children or ()))
        elif token.type == "html_block":
            yield "".join(map(_read_html, _outside_comments(token.content)))
        elif token.content:
            yield token.content


def _read_tag(tag: str) -> str:
    name = _NAME.match(tag)
    return "\n" if name and f" {name[1].lower()} " in _BREAKING else ""


def _read_html(html: str) -> str:
    from html import unescape

    words = _TAG.sub(lambda tag: _read_tag(tag[0]), html)
    return _ENTITY.sub(lambda entity: unescape(entity[0]), words)


def _outside_comments(html: str) -> Iterator[str]:
    """Yield the parts between comments. One without an end is none; a pattern would look for that end each time."""
    start = 0
    while (opened := html.find("<!--", start)) >= 0 and (closed := html.find("-->", opened + 4)) >= 0:
        yield html[start:opened]
        start = closed + 3
    yield html[start:]


def read_line(markdown: str) -> str:
    """Return the words of one line of Markdown (a title): no block syntax, so `# 1` stays `# 1`."""
    if len(markdown) > LONGEST_RENDERED:
        return markdown
    return "\n".join(_blocks(_parser().parseInline(markdown)))


def read_blocks(markdown: str) -> str:
    """Return the words of a Markdown text, one block a line; code keeps its characters, links and tags their text.

    A tag that breaks a line or a block is a line break, and any other tag is nothing.
    """
    if len(markdown) > LONGEST_RENDERED:
        return markdown
    return "\n".join(_blocks(_parser().parse(markdown)))
