"""`prompteval check`: what it finds in a corpus, each kind once, and that the committed corpus has none of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers import ROOT, cli, labels, ok, point, refused, session, write_corpus

BODY = "\n".join(
    f"[{'USER' if number % 3 == 0 else 'AGENT'}]: {word} about the alpha edge proxy."
    for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"))
)
POINT = point(must_match_all=["alpha", "edge proxy"], must_not_match=["seven"])


def write(root: Path, name: str, body: str = BODY, **change: Any) -> None:
    """Write one fixture, with its session's body and some of its labels changed."""
    category = re.sub(r"-[0-9]+$", "", name)
    points = () if name.startswith(("reject", "trap")) else (POINT,)
    write_corpus(root, {name: {**labels(*points, category=category), **change}})
    (root / "sessions" / f"{name}.md").write_text(session(name, body + "\n"), encoding="utf-8")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write(tmp_path, "admit-rule-01")
    # Each session has words of its own, so that none is a template of another and "alpha" is telling.
    for name, words in (("reject-noise-01", "a quiet north ward"), ("reject-noise-02", "some loud southern gate")):
        write(tmp_path, name, BODY.replace("about the alpha edge proxy", words))
    rows = [("admit-rule", 1, "practice"), ("reject-noise", 2, "empty")]
    table = [{"category": c, "count": n, "expected": e, "tests": "It."} for c, n, e in rows]
    value = {"version": "1.0.0", "prompt": "proposal-extract", "categories": table}
    (tmp_path / "corpus.yaml").write_text(yaml.safe_dump(value), encoding="utf-8")
    return tmp_path


def edit(path: str, old: str, new: str) -> Callable[[Path], None]:
    """Return a change that replaces a text, which must be there, in one file of a corpus."""

    def change(root: Path) -> None:
        text = (root / path).read_text("utf-8")
        assert re.search(old, text), f"{old} is not in {path}"
        (root / path).write_text(re.sub(old, new, text, count=1), encoding="utf-8")

    return change


def remove(path: str) -> Callable[[Path], None]:
    return lambda root: (root / path).unlink()


def add(text: str) -> Callable[[Path], None]:
    """Return a change that adds a line to a session."""
    return edit("sessions/admit-rule-01.md", r"\n\Z", f"\n{text}\n")


SESSION, SIDECAR = "sessions/admit-rule-01.md", "expected/admit-rule-01.yaml"
PROBLEMS = {
    "no sidecar": (remove(SIDECAR), f"{SESSION}: has no labels"),
    "no session": (remove(SESSION), f"{SIDECAR}: has no session"),
    "other fixture_id": (edit(SIDECAR, "fixture_id: .*", "fixture_id: other"), 'fixture_id (line 1): is "other"'),
    "other category": (edit(SIDECAR, "category: .*", "category: admit-other"), 'category: is "admit-other"'),
    "category not in the table": (edit(SIDECAR, "category: .*", "category: x"), 'category: "x" is not in the table'),
    "no UUID": (edit(SESSION, "session_id: .*", "session_id: 123"), "session_id (line 3): "),
    "UUID v1": (edit(SESSION, "(session_id: .{14})4", r"\g<1>1"), "is not a UUID v4"),
    "captured_at not canonical": (
        edit(SESSION, r"00\.000Z", "00Z"),
        "captured_at (line 5): 2026-01-15T10:00:00Z is not",
    ),
    "captured_at no time": (edit(SESSION, "01-15", "02-30"), "captured_at (line 5): 2026-02-30"),
    "too few segments": (edit(SESSION, r"(?s)\[AGENT\]: \w+.*", "[AGENT]: alpha edge proxy seven\n"), "has 2 segments"),
    "too many segments": (add("\\n".join(["[USER]: More."] * 11)), "has 21 segments, not 8 to 20"),
    "tag in a line": (
        add("so [USER]: said"),
        "line 17: a role tag in the middle of a line",
    ),
    "count": (edit("corpus.yaml", "count: 2", "count: 3"), "reject-noise has 2 fixtures, and the table says 3"),
    "expects nothing": (
        edit("corpus.yaml", "practice", "empty"),
        "expect_empty: corpus.yaml says that admit-rule expects an empty answer",
    ),
    "expects the type map": (
        edit("corpus.yaml", "practice", "map"),
        "corpus.yaml says that admit-rule expects the type map",
    ),
    "term not in the session": (
        edit(SIDECAR, "- alpha", "- omega"),
        '"omega" does not occur in the session, so the point',
    ),
    "guard not in the session": (edit(SIDECAR, "- seven", "- omega"), "so it guards nothing"),
    "invisible": (
        edit("expected/admit-rule-01.yaml", "- alpha\n", '- "\\\\u00ad \\\\u200b"\n'),
        "is blank: nothing of it shows",
    ),
    "own guard": (
        edit("expected/admit-rule-01.yaml", "- seven", '- "edge"'),
        '"edge" is part of the term "edge proxy", so the point cannot be matched',
    ),
    "its own id": (add("see admit-rule-01"), "contains its own fixture id"),
    "key": (add("-----BEGIN RSA PRIVATE KEY-----"), "looks like a private key"),
    "token": (add("ghp_" + "a1B2" * 9), "looks like an access token"),
    "cloud key": (add("AKIA" + "ABCD1234" * 2), "looks like an access token"),
    "password": (add("password = 'hunter22'"), "looks like a password"),
    "e-mail": (add("ask ann@library.example"), "looks like an e-mail address: ann@library.example"),
    "web address": (add("see https://intra.library/x"), "looks like a web address"),
    "host": (add("ssh db1.lantern.internal"), "looks like a host name: db1.lantern.internal"),
    "IP": (add("at 10.0.12.7 today"), "looks like an address on a network: 10.0.12.7"),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_each_problem_is_found(corpus: Path, name: str) -> None:
    change, said = PROBLEMS[name]
    change(corpus)
    result = cli("check", corpus)
    assert result.exit_code == 1
    *lines, last = result.stdout.splitlines()
    assert any(said in line and not line.startswith("warning: ") for line in lines), result.stdout
    assert re.fullmatch(r"\d sessions?: \d+ problems? and \d+ warnings?", last)


def test_a_good_corpus_has_no_problem(corpus: Path) -> None:
    assert ok("check", corpus) == "3 sessions: 0 problems and 0 warnings\n"


def test_a_session_id_that_occurs_twice(corpus: Path) -> None:
    identity = re.search("session_id: (.*)", (corpus / SESSION).read_text("utf-8"))
    assert identity
    edit("sessions/reject-noise-01.md", "session_id: .*", identity[0])(corpus)
    assert f"session_id (line 3): is that of {SESSION}" in cli("check", corpus).stdout


def test_an_alternative_that_cannot_occur(corpus: Path) -> None:
    """A warning while another alternative can, a problem when none can; both name the line of the term."""
    edit(SIDECAR, r"(?s)  must_match_all:.*?(?=  must_not)", "  must_match_any:\n  - [alpha]\n  - [omega, alpha]\n")(
        corpus
    )
    said = 'expected/admit-rule-01.yaml: point.must_match_any (line 9): "omega" does not occur in the session, so '
    assert f"warning: {said}its alternative cannot be matched" in ok("check", corpus)
    edit(SIDECAR, r"- \[alpha\]", "- [sigma]")(corpus)
    result = cli("check", corpus)
    assert result.exit_code == 1 and f"\n{said}the point cannot be matched" in result.stdout
    assert "warning: expected" not in result.stdout


@pytest.mark.parametrize(
    ("key", "slip", "said"),
    [
        ("category", "categroy", ['line 1: missing key "category"', 'line 1: unknown key "categroy"']),
        (
            "must_match_all",
            "must_match_al",
            [
                'expected_points[0] (line 5): needs "must_match_all" or "must_match_any"',
                'expected_points[0] (line 5): unknown key "must_match_al"',
            ],
        ),
    ],
)
def test_a_misspelt_key_is_not_another_format(corpus: Path, key: str, slip: str, said: list[str]) -> None:
    edit(SIDECAR, key, slip)(corpus)
    lines = [line for line in cli("check", corpus).stdout.splitlines() if SIDECAR in line]
    assert lines == [f"{SIDECAR}: {text}" for text in said]


@pytest.mark.parametrize("role", ["must_not_match", "must_match_none"])
def test_no_guards_at_all(corpus: Path, role: str) -> None:
    edit(SIDECAR, r"(?s)must_not_match:\n\s+- seven", f"{role}: []")(corpus)
    assert "0 problems" in ok("check", corpus)


FOREIGN = """
id: {name}
required_facets: [alpha]
expected_points:
- claim: "alpha goes first"
  type: practice
"""


def one_line_about(corpus: Path, name: str) -> str:
    """Return the one line, a problem, that check says about a file."""
    (line,) = (line for line in cli("check", corpus).stdout.splitlines() if name in line)
    assert not line.startswith("warning: ")
    return line


def test_files_of_another_format_get_one_line_each(corpus: Path) -> None:
    """Labels of another format, in whole or in their points, a repeated term, other endings."""
    sidecar = corpus / SIDECAR
    whole = sidecar.read_text("utf-8")
    sidecar.write_text(FOREIGN.format(name="admit-rule-01"), "utf-8")
    line = one_line_about(corpus, "admit-rule-01")
    assert 'labels of another format, with "id", "required_facets"; docs/authoring.md' in line
    sidecar.write_text(re.sub(r"(?s)- id: point.*?(?=\n[a-z])", '- claim: "a"\n  facets: [b]', whole), "utf-8")
    assert 'labels of another format, with "claim", "facets"' in one_line_about(corpus, "admit-rule-01")
    sidecar.write_text(re.sub("- edge proxy", "- alpha", whole), "utf-8")
    assert one_line_about(corpus, "admit-rule-01").endswith('must_match_all (line 7): "alpha" occurs twice')
    sidecar.write_text(whole, "utf-8")
    sidecar.rename(sidecar.with_suffix(".yml"))
    assert one_line_about(corpus, "admit-rule-01").endswith(".yml: ends in .yml; rename it to end in .yaml")
    sidecar.with_suffix(".yml").rename(sidecar)
    sidecar.with_suffix(".yml").write_text("", "utf-8")  # a rename would replace the labels
    assert one_line_about(corpus, "admit-rule-01.yml").endswith('"admit-rule-01.yaml" is there too; keep one')
    sidecar.with_suffix(".yml").unlink()
    session_file = corpus / SESSION
    session_file.rename(session_file.with_suffix(".markdown"))
    assert one_line_about(corpus, "admit-rule-01").endswith(": ends in .markdown; rename it to end in .md")


WARNINGS = {
    "short": ("alpha", "eta", '"eta" is weak: it has 3 characters'),
    "inside a word": ("alpha", "edgy", '"edgy" is weak: it is part of the word "wedgy" of its session'),
    "inside a number": ("alpha", "2024", 'it is part of the word "20245"'),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_weak_terms_are_warnings(corpus: Path, name: str) -> None:
    old, new, said = WARNINGS[name]
    add("eta edgy 2024 wedgy 20245")(corpus)
    edit(SIDECAR, f"- {old}", f"- '{new}'")(corpus)
    result = cli("check", corpus)
    assert result.exit_code == 0, "a warning is no problem"
    assert any(line.startswith("warning: ") and said in line for line in result.stdout.splitlines()), result.stdout


def test_a_stem_is_no_weak_term(corpus: Path) -> None:
    add("invalidation and invalidated")(corpus)
    edit(SIDECAR, "- alpha", "- invalidat")(corpus)
    assert "weak" not in ok("check", corpus)


def test_a_term_in_most_sessions_is_weak(corpus: Path) -> None:
    edit("sessions/reject-noise-01.md", "quiet", "ALPHA")(corpus)
    assert '"alpha" is weak: it occurs in 2 of 3 sessions' in ok("check", corpus)


def test_template_reuse_is_a_warning(corpus: Path) -> None:
    shared = "here come ten words that two authors would never share by chance"
    for name, first in (("reject-noise-01", "So"), ("reject-noise-02", "Now")):
        edit(f"sessions/{name}.md", r"\n\Z", f"\n[AGENT]: {first} {shared}\n")(corpus)
    (line,) = (line for line in ok("check", corpus).splitlines() if "in a row" in line)
    assert line.startswith("warning: sessions/reject-noise-02.md: shares 12 words in a row with reject-noise-01")


def test_a_corpus_without_corpus_file(corpus: Path) -> None:
    (corpus / "corpus.yaml").unlink()
    assert "0 problems" in ok("check", corpus)


def test_no_corpus(tmp_path: Path) -> None:
    assert "no fixtures in" in refused("check", tmp_path)


@pytest.mark.parametrize(("root", "sessions"), [("fixtures", 24), ("fixtures/stress", 16)])
def test_the_committed_suites(root: str, sessions: int) -> None:
    lines = ok("check", ROOT / root).splitlines()
    assert lines[-1].startswith(f"{sessions} sessions: 0 problems and ")
    known = (" is weak: ", " shares 10 words in a row ")
    assert all(line.startswith("warning: ") and any(what in line for what in known) for line in lines[:-1])
