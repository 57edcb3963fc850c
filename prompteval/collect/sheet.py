"""The sheet: one page to make a run with, a card for each session that was not answered yet."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from prompteval.collect.cards import Card
from prompteval.collect.prompt import Frame
from prompteval.digests import canonical, digest
from prompteval.model import Contract
from prompteval.text.visible import visible

_FOLDER = Path(__file__).parent / "page"


def sheet_page(
    frame: Frame, cards: Mapping[str, Card], contract: Contract, results: Path, options: Sequence[str]
) -> str:
    """Return the page for these cards, in an order that the prompt and the name of the folder `results` decide.

    `options` are those of the command that saves what it downloads. Nothing in it says which fixture a card is.
    """
    name = visible(Path(os.path.abspath(results)).name)
    sheet = digest(canonical(["sheet", frame.digest, name]))
    order = sorted(cards, key=lambda key: digest(sheet + key))
    data = {
        "sheet": sheet,
        "prompt": frame.digest,
        "results": name,
        "command": visible(shlex.join(["prompteval", "save", "--sheet", f"{name}.replies.json", *options])),
        "before": frame.before,
        "after": frame.after,
        "types": contract.proposals,
        "cards": [(key, cards[key].transcript.strip("\n")) for key in order],
    }
    page, style, script = (
        (_FOLDER / file).read_text(encoding="utf-8") for file in ("sheet.html", "sheet.css", "sheet.js")
    )
    # The data comes last, since it may hold anything; "<" would end its element.
    parts = {
        "STYLE-HASH": _hash(style),
        "SCRIPT-HASH": _hash(script),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
    }
    for part, text in parts.items():
        page = page.replace(f"%{part}%", text, 1)
    return page


def _hash(text: str) -> str:
    """Return a source of the content security policy that allows this one script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode()}'"
