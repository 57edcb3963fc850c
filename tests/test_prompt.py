"""`prompteval prompt`: exactly what to paste, and nothing that reveals the label."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import ROOT, cli, labels, ok, refused, session, write_corpus

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


def run(root: Path, *arguments: object, **settings: Any) -> str:
    return ok("prompt", "admit-rule-01", "--fixtures", root / "fixtures", *arguments, **settings)


def said(root: Path, *arguments: object) -> str:
    """Return what the command says on stderr."""
    result = cli("prompt", "admit-rule-01", "--fixtures", root / "fixtures", *arguments)
    assert result.exit_code == 0
    return result.stderr


def refusal(root: Path, *arguments: object) -> str:
    """Return the one line with which the command is refused."""
    line = refused("prompt", "admit-rule-01", "--fixtures", root / "fixtures", *arguments)
    assert line.count("\n") == 1
    return line


def write_prompt(root: Path, text: str) -> tuple[str, Path]:
    (root / "prompt.md").write_text(text, "utf-8")
    return "--prompt", root / "prompt.md"


def test_the_session_takes_the_place_of_the_placeholder(root: Path) -> None:
    text = run(root, "--prompt", root / "prompt.md")
    assert text == f"# Prompt\n\nVersion: 6\n\nBegin:\n\n{BODY}\nEnd.\n"


def test_without_a_placeholder_it_is_appended(root: Path) -> None:
    assert run(root, "--prompt", root / "plain.md") == f"# Prompt\n\n---\n\nTranscript:\n\n{BODY}"
    line = "Warning: the prompt has no placeholder, so the session is appended\n"
    assert said(root, "--prompt", root / "plain.md") == line
    assert said(root, "--prompt", root / "prompt.md") == ""


@pytest.mark.parametrize("written", ["{{transcript}}", "{{session}}", "{{ session\t}}"])
def test_a_placeholder_in_braces_leaves_the_rest_of_its_line(root: Path, written: str) -> None:
    given = write_prompt(root, f"# Prompt\n\n<session>{written}</session>\n\nEnd.\n")
    assert run(root, *given) == f"# Prompt\n\n<session>{BODY.strip()}</session>\n\nEnd.\n"
    assert said(root, *given) == ""
    text = run(root, *given, "--with", root / "criteria.md")
    assert text == (
        "Referenced file `criteria.md`:\n\nKeep what lasts.\n\n---\n\n"
        f"# Prompt\n\n<session>{BODY.strip()}</session>\n\nEnd.\n"
    )


def test_a_placeholder_of_ones_own(root: Path) -> None:
    given = write_prompt(root, "Read {{session}} as $(x).\n\n$(x)\n$(y)\n")
    assert "2 transcript placeholders, on lines 1, 3" in refusal(root, *given, "--placeholder", "$(x)")
    expected = f"Read {{{{session}}}} as $(x).\n\n$(x)\n{BODY}"
    assert run(root, *given, "--placeholder", "$(y)") == expected
    assert run(root, *given, env={"PROMPTEVAL_PLACEHOLDER": "$(y)"}) == expected
    line = "Warning: the prompt has no placeholder $(z), so the session is appended\n"
    assert said(root, *given, "--placeholder", "$(z)") == line
    assert "the placeholder is blank" in refusal(root, *given, "--placeholder", "")


def test_a_suite_names_its_placeholder(root: Path) -> None:
    given = write_prompt(root, "{{session}}\n<<it>>\n")
    (root / "fixtures" / "corpus.yaml").write_text("version: '1'\nprompt: p\nplaceholder: <<it>>\n")
    assert run(root, *given) == f"{{{{session}}}}\n{BODY}"
    assert run(root, *given, "--placeholder", "{{session}}") == f"{BODY}<<it>>\n"


def test_a_session_is_not_searched_for_placeholders(root: Path) -> None:
    body = "[USER]: Is {{session}} `notes.md`?\n"
    (root / "fixtures" / "sessions" / "admit-rule-01.md").write_text(session("admit-rule-01", body), "utf-8")
    given = write_prompt(root, "{{session}}\n")
    assert (run(root, *given), said(root, *given)) == (body, "")


def test_referenced_files_stand_under_a_heading_before_it(root: Path) -> None:
    text = run(root, "--prompt", root / "prompt.md", "--with", root / "criteria.md", "--with", root / "plain.md")
    assert text == (
        "# Prompt\n\nVersion: 6\n\nBegin:\n\n---\n\nReferenced file `criteria.md`:\n\nKeep what lasts.\n\n"
        f"---\n\nReferenced file `plain.md`:\n\n# Prompt\n\n---\n\nTranscript:\n\n{BODY}\nEnd.\n"
    )


def headings(text: str) -> list[str]:
    """Return the names under which files were pasted."""
    return re.findall("^Referenced file `(.*)`:$", text, re.MULTILINE)


def test_a_file_stands_under_the_name_that_the_prompt_uses(root: Path) -> None:
    given = write_prompt(root, "Apply `docs/rules/criteria.md` and `plain.md`.\n\n[TRANSCRIPT PLACEHOLDER]\n")
    files = ("--with", root / "criteria.md", "--with", root / "plain.md", "--with", root / "other.txt")
    (root / "other.txt").write_text("Other.\n")
    assert headings(run(root, *given, *files)) == ["docs/rules/criteria.md", "plain.md", "other.txt"]
    assert said(root, *given, *files) == ""


def test_of_two_names_a_file_takes_the_one_that_its_path_ends_in(root: Path) -> None:
    given = write_prompt(root, "Apply `new/rules.md`, not `long/old/rules.md` or `rules.md`.\n\n{{session}}\n")
    for folder in ("new", "long/old"):
        (root / folder).mkdir(parents=True)
        (root / folder / "rules.md").write_text("Rules.\n")
    files = ("--with", root / "long" / "old" / "rules.md", "--with", root / "new" / "rules.md")
    assert headings(run(root, *given, *files)) == ["long/old/rules.md", "new/rules.md"]
    assert said(root, *given, *files) == ""  # rules.md is short for one of them
    assert said(root, *given, *files[:2]).count("`new/rules.md`") == 1


def test_a_name_can_be_given(root: Path) -> None:
    given = write_prompt(root, "Apply `docs/rules.md`.\n\n{{session}}\n")
    text = run(root, *given, "--with", f"docs/rules.md={root / 'criteria.md'}")
    assert headings(text) == ["docs/rules.md"] and "Keep what lasts." in text and str(root) not in text
    assert said(root, *given, "--with", f"docs/rules.md={root / 'criteria.md'}") == ""
    assert headings(run(root, *given, "--with", f" rules={root / 'criteria.md'}")) == [" rules"]
    (root / "a=criteria.md").write_text("Its name has a sign.\n")
    assert "Its name has a sign." in run(root, *given, "--with", root / "a=criteria.md")


def test_a_file_that_was_not_given_is_pointed_out(root: Path) -> None:
    named = "`a.md`, `docs/b$.txt`, `a.md` again, `prompt.md`, `*.md`, `.md`, `see c.md`, d.md, `e.json`"
    given = write_prompt(root, f"Apply {named}.\n\n{{{{session}}}}\n")
    assert said(root, *given) == (
        "Warning: the prompt names `a.md`, which was not given; add --with a.md or --with a.md=FILE\n"
        "Warning: the prompt names `docs/b$.txt`, which was not given; "
        "add --with 'docs/b$.txt' or --with 'docs/b$.txt'=FILE\n"
    )
    assert "`a.md`" in said(root, *given, "--with", f"other/a.md={root / 'plain.md'}")  # another file
    assert said(root, *given, "--body") == ""


def test_what_goes_under_no_name(root: Path) -> None:
    given, file = write_prompt(root, "Apply `docs/plain.md`.\n"), root / "plain.md"
    for name in ("", " ", "a\nb", "a\x1b[0m", "\u202ea"):
        line = refusal(root, *given, "--with", f"{name}={file}")
        assert "--with is blank or holds characters that cannot be shown" in line
    assert "names no file" in refusal(root, *given, "--with", "a.md=")
    assert "the path is empty" in refused("prompt", "admit-rule-01", *given, "--with", "")
    twice = ("--with", file, "--with", f"docs/plain.md={root / 'criteria.md'}")
    assert "two files have the name docs/plain.md" in refusal(root, *given, *twice)
    assert "two files have the name prompt.md" in refusal(root, *given, "--with", f"prompt.md={file}")
    assert f"{root / 'none.md'} cannot be read" in refusal(root, *given, "--with", f"docs/plain.md={root / 'none.md'}")
    (root / "nul.md").write_text("a\0b")
    assert "holds U+0000" in refusal(root, *given, "--with", root / "nul.md")


def test_a_variable_names_several_files(root: Path) -> None:
    given = write_prompt(root, "Apply `docs/rules.md`.\n\n{{session}}\n")
    (root / "with space.md").write_text("Spaced.\n")
    variable = os.pathsep.join((f"docs/rules.md={root / 'criteria.md'}", str(root / "with space.md")))
    assert headings(run(root, *given, env={"PROMPTEVAL_WITH": variable})) == ["docs/rules.md", "with space.md"]


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
    assert "--prompt FILE" in refused("prompt", "admit-rule-01", *fixtures, "--with", root / "criteria.md")
    assert "cannot be read" in refused("prompt", "admit-rule-01", *fixtures, "--prompt", root / "none.md")
    (root / "twice.md").write_text("[TRANSCRIPT PLACEHOLDER]\n[TRANSCRIPT PLACEHOLDER]\n")
    message = refused("prompt", "admit-rule-01", *fixtures, "--prompt", root / "twice.md")
    assert "2 transcript placeholders, on lines 1, 2" in message
