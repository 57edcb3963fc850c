"""The texts that are searched, and those that are searched for: made on writing, and kept under a seal.

The seal is a digest of them and of what they were made of. A score holds the texts against it, since to make them anew
would take a Markdown parser, and another version may make them otherwise; `ledger verify` does make them anew.
"""

from __future__ import annotations

from typing import NamedTuple

from prompteval.digest import seal
from prompteval.text.fold import fold, fold_by_character
from prompteval.text.markdown import read_blocks, read_line

_ASCII_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


class TermTexts(NamedTuple):
    """A term as it is compared, and (None: the same) character by character."""

    folded: str
    spelled: str | None
    seal: str


class ProposalTexts(NamedTuple):
    """The search texts of a proposal; None where the view proposal_text makes the same by itself."""

    written: str | None
    read: str | None
    spelled: str | None
    seal: str


def of_term(term: str) -> TermTexts:
    """Return what the ledger keeps of a term to compare it."""
    folded, spelled = fold(term), fold_by_character(term)
    texts = folded, None if spelled == folded else spelled
    return TermTexts(*texts, seal(term, *texts))


def of_proposal(title: str, body: str) -> ProposalTexts:
    """Return what the ledger keeps of a proposal to search it."""
    written = f"{fold(title)}\n{fold(body)}"
    read = f"{fold(read_line(title))}\n{fold(read_blocks(body))}"
    spelled = f"{fold_by_character(title)}\n{fold_by_character(body)}"
    texts = (
        None if written == _written_in_sql(title, body) else written,
        None if _stripped(read) == _stripped(written.replace("`", "")) else read,
        None if spelled == written else spelled,
    )
    return ProposalTexts(*texts, seal(title, body, *texts))


def _stripped(text: str) -> list[str]:
    """Return title and body without the white space around them, which Markdown drops and `written` still has."""
    return [part.strip() for part in text.split("\n", 1)]


def _written_in_sql(title: str, body: str) -> str | None:
    """Return what the view proposal_text makes of title and body: SQLite's lower() knows ASCII alone.

    Some versions of SQLite end a text at its first NUL.
    """
    text = "\n".join(part.replace("\n\n", " ").replace("\n", " ") for part in (title, body))
    return None if "\0" in text else text.translate(_ASCII_LOWER)
