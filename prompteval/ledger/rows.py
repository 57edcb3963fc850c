"""What more than plain facts stands in rows: texts to compare, seals, and times as they are written."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from prompteval.digest import seal
from prompteval.ledger import schema, searched
from prompteval.model import Proposal

Row = dict[str, Any]
_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"


def sealed(table: str, row: Row) -> Row:
    """Return a row with its seal."""
    return {**row, "seal": seal(*(row[name] for name in schema.SEALED[table]))}


def term_row(role: str, alternative: int, term: str) -> Row:
    """Return what the ledger keeps of one term, less the point it belongs to."""
    return {"role": role, "alternative": alternative, "term": term, **searched.of_term(term)._asdict()}


def proposal_row(answer: str, proposal: Proposal) -> Row:
    """Return the row of a proposal, with its search texts."""
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
        **searched.of_proposal(proposal.title, proposal.body)._asdict(),
    }


def time_text(time: datetime) -> str:
    """Return a time in UTC as the ledger has it: to the microsecond, so that texts sort as times do."""
    return time.strftime(_TIME)


def time_of(text: str) -> datetime:
    """Return the time in UTC that a text of the ledger says. Raises ValueError unless it is written like one."""
    time = datetime.strptime(text, _TIME).replace(tzinfo=timezone.utc)
    if time_text(time) != text or time.year == 9999:  # nothing could be recorded after the last moment of that
        raise ValueError(f"{text} is written otherwise than a time, or never comes")
    return time
