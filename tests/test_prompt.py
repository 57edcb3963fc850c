"""`prompteval prompt`: exactly what to paste, and nothing that tells the label."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import ROOT, labels, ok, refused, session, write_corpus

BODY = "[USER]: Say it.\n\n---\n\n[AGENT]: Said [TRANSCRIPT PLACEHOLDER inside].\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_corpus(tmp_path / "fixtures", {"admit-rule-01": labels()})
    (tmp_path / "fixtures" / "sessions" / "admit-rule-01.md").write_text(session("admit-rule-01", BODY), "utf-8")
    (tmp_path / "prompt.md").write_text(
        "# Prompt\n\nVersion: 6\n\nBegin:\n\n[TRANSCRIPT PLACEHOLDER, replaced]\n\nEnd.\n"
    )
    (tmp_path / "plain.md").write_text("# Prompt\n")
    (tmp_path / "criteria.md").write_text("Keep what lasts.\n")
    return tmp_path


def run(root: Path, *arguments: object) -> str:
    return ok("prompt", "admit-rule-01", "--fixtures", root / "fixtures", *arguments)


def test_the_session_takes_the_place_of_the_placeholder(root: Path) -> None:
    text = run(root, "--prompt", root / "prompt.md")
    assert text == f"# Prompt\n\nVersion: 6\n\nBegin:\n\n{BODY}\nEnd.\n"


def test_without_a_placeholder_it_is_appended(root: Path) -> None:
    assert run(root, "--prompt", root / "plain.md") == f"# Prompt\n\n---\n\nTranscript:\n\n{BODY}"


def test_referenced_files_stand_under_a_heading_before_it(root: Path) -> None:
    text = run(root, "--prompt", root / "prompt.md", "--with", root / "criteria.md", "--with", root / "plain.md")
    assert text == (
        "# Prompt\n\nVersion: 6\n\nBegin:\n\n---\n\nReferenced file `criteria.md`:\n\nKeep what lasts.\n\n"
        f"---\n\nReferenced file `plain.md`:\n\n# Prompt\n\n---\n\nTranscript:\n\n{BODY}\nEnd.\n"
    )


def test_the_body_alone(root: Path) -> None:
    assert run(root, "--body") == BODY


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "fixtures" / "sessions").glob("*.md")))
def test_nothing_tells_the_label(name: str, root: Path) -> None:
    text = ok(
        "prompt", name, "--fixtures", ROOT / "fixtures", "--prompt", root / "prompt.md", "--with", root / "criteria.md"
    )
    category = name.rpartition("-")[0]
    for word in (name, category, "session_id", "captured_at", str(ROOT), str(root), "expect_empty"):
        assert word not in text
    body = (ROOT / "fixtures" / "sessions" / f"{name}.md").read_text("utf-8").split("---\n", 2)[2]
    assert body.strip() in text


def test_what_cannot_be_pasted(root: Path) -> None:
    fixtures = ("--fixtures", root / "fixtures")
    assert "the nearest is admit-rule-01" in refused("prompt", "admit-rule", *fixtures, "--body")
    assert "--prompt FILE" in refused("prompt", "admit-rule-01", *fixtures)
    assert "cannot be read" in refused("prompt", "admit-rule-01", *fixtures, "--prompt", root / "none.md")
    (root / "twice.md").write_text("[TRANSCRIPT PLACEHOLDER]\n[TRANSCRIPT PLACEHOLDER]\n")
    message = refused("prompt", "admit-rule-01", *fixtures, "--prompt", root / "twice.md")
    assert "2 transcript placeholders, on lines 1, 2" in message
