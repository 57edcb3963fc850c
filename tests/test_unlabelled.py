"""The steps around the model need no labels: sessions can be answered before anybody has labelled them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import EMPTY, ok, refused, session, write_corpus


def _broken(labels: Path) -> None:
    (labels / "a-01.yaml").write_text("no: [labels", "utf-8")


def _empty(labels: Path) -> None:
    (labels / "a-01.yaml").unlink()


@pytest.mark.parametrize("change", [shutil.rmtree, _empty, _broken])
def test_prompt_save_and_status(tmp_path: Path, change: Callable[[Path], None]) -> None:
    corpus, results, prompt = tmp_path / "corpus", tmp_path / "results", tmp_path / "extract.md"
    write_corpus(corpus, {"a-01": {}})
    (corpus / "sessions" / "a-01.md").write_text(session("a-01", "[USER]: The kite is red.\n"), "utf-8")
    change(corpus / "expected")
    prompt.write_text("Extract.\n", "utf-8")
    assert "The kite is red." in ok("prompt", "a-01", "--prompt", prompt, "--fixtures", corpus)
    assert ok("status", "--next", results, "--fixtures", corpus) == "a-01\n"
    ok("save", "a-01", "--results", results, "--fixtures", corpus, input=json.dumps(EMPTY))
    assert ok("status", "--next", results, "--fixtures", corpus) == ""
    assert "a-01" in refused("ingest", "--fixtures", corpus, "--ledger", tmp_path / "l.db") or change is shutil.rmtree
