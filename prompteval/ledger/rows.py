"""The rows that hold more than facts: terms and proposals with the texts that are compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from prompteval.fold import fold, fold_by_character
from prompteval.model import Proposal
from prompteval.reading import read_blocks, read_line

Row = dict[str, Any]
_ASCII_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def proposal_of(said: Sequence[Any]) -> Proposal:
    """Return the proposal of a row, from `list` to `kk_confidence` in the order of the table."""
    list_, position, type_, title, description, body, tags, confidence = said
    return Proposal(list_, position, type_, title, description, body, tuple(json.loads(tags)), confidence)


def term_row(role: str, alternative: int, term: str) -> Row:
    """Return what the ledger keeps of one term, less the point it belongs to."""
    folded, spelled = fold(term), fold_by_character(term)
    return {
        "role": role,
        "alternative": alternative,
        "term": term,
        "folded": folded,
        "spelled": None if spelled == folded else spelled,
    }


def proposal_row(answer: str, proposal: Proposal) -> Row:
    """Return the row of a proposal, with those search texts that the view proposal_text cannot make by itself."""
    written = f"{fold(proposal.title)}\n{fold(proposal.body)}"
    read = f"{fold(read_line(proposal.title))}\n{fold(read_blocks(proposal.body))}"
    spelled = f"{fold_by_character(proposal.title)}\n{fold_by_character(proposal.body)}"
    return {
        "answer": answer,
        "list": proposal.list,
        "position": proposal.position,
        "type": proposal.type,
        "title": proposal.title,
        "description": proposal.description,
        "body": proposal.body,
        "tags": json.dumps(proposal.tags, ensure_ascii=False),
        "kk_confidence": proposal.kk_confidence,
        "written": None if written == _written_in_sql(proposal) else written,
        "read": None if _stripped(read) == _stripped(written.replace("`", "")) else read,
        "spelled": None if spelled == written else spelled,
    }


def _stripped(text: str) -> list[str]:
    """Return title and body without the white space around them, which Markdown drops and `written` still has."""
    return [part.strip() for part in text.split("\n", 1)]


def _written_in_sql(proposal: Proposal) -> str | None:
    """Return what the view proposal_text makes of title and body; SQLite's lower() knows ASCII and stops at a NUL."""
    parts = [text.replace("\n\n", " ").replace("\n", " ") for text in (proposal.title, proposal.body)]
    text = "\n".join(parts)
    return None if "\0" in text else text.translate(_ASCII_LOWER)
