"""Folding: cases through the whole program, and its laws."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from prompteval.ledger import derived
from prompteval.model import Answer, Proposal
from prompteval.text.fold import _NEWER, fold, fold_by_character
from prompteval.text.markdown import _TAG, LONGEST_RENDERED, _outside_comments, read_blocks, read_line
from tests.helpers import Bench, answer, by_id, labels, point, proposal, slow_but

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "cases" / "folding.yaml").read_text("utf-8"))
# Letters with marks in any order, signs that fold, Markdown marks: where folding and substrings can come apart.
TRICKY = st.text("aAéÉçΣσςİıǅßﬁＡ가각가\u0301\u0323\u0327\u200b\u00ad\u2011—’“\u00a0 \n`*_[]<>&;\0", max_size=12)


@pytest.fixture(scope="module")
def occurs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bool]:
    names = [f"case-{index:02}" for index in range(len(CASES))]
    pairs = list(zip(names, CASES, strict=True))
    fixtures = {name: labels(point(must_match_all=[case["term"]]), budget=1) for name, case in pairs}
    bench = Bench(tmp_path_factory.mktemp("folding"), fixtures)
    bench.ingest("1", {name: answer(proposal(case.get("title", "T"), case["body"])) for name, case in pairs})
    outcomes = by_id(bench.score())
    return {case["name"]: outcomes[name]["passed"] for name, case in pairs}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any], occurs: dict[str, bool]) -> None:
    assert occurs[case["name"]] is case["occurs"]


@given(st.text() | TRICKY)
def test_fold_is_idempotent(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold_by_character(fold_by_character(text)) == fold_by_character(text)


@given(st.text() | TRICKY, st.text() | TRICKY, st.text() | TRICKY)
def test_a_plain_match_is_never_lost(before: str, term: str, after: str) -> None:
    text = before + term + after
    assert fold_by_character(term) in fold_by_character(text)
    if term.lower() in text.lower():
        assert fold_by_character(term.lower()) in fold_by_character(text)


@given(TRICKY, TRICKY)
def test_normal_forms_are_one(left: str, right: str) -> None:
    text = left + right
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text)) == fold(text)


@pytest.mark.slow
def test_every_character_folds_like_its_lower_case() -> None:
    newer = re.compile(f"[{_NEWER}]")
    differing = [
        hex(code)
        for code in range(0x110000)
        if not 0xD800 <= code <= 0xDFFF and fold_by_character(chr(code).lower()) != fold_by_character(chr(code))
    ]
    assert [code for code in differing if not newer.match(chr(int(code, 16)))] == []


LEFT_ALONE = {
    "a capital": "\u2c2f",
    "a letter with another form": "\u209d",
    "a mark that would change its place": "e\U00010efd\u0301",
    "two that would compose": "\U0001611e\U0001611e",
    "one that would come apart": "\U00011383",
}


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_is_newer_than_the_oldest_python_is_left_alone(text: str) -> None:
    assert fold(f"\u00c9{text}\u00c9") == f"\u00e9{text}\u00e9" == fold_by_character(f"\u00c9{text}\u00c9")


# Every character of the planes that have letters, alone, twice, and among marks and letters that could join it.
FOLD_ALL = """
import hashlib
from prompteval.text.fold import fold
codes = [*range(0xD800), *range(0xE000, 0x20000), *range(0x2F800, 0x2FB00), *range(0xE0000, 0xE1000)]
texts = (fold("{0}|e{0}{0}\\u0323{0}\\u0301|".format(chr(code))) for code in codes)
print(hashlib.sha256("".join(texts).encode()).hexdigest())
"""
OTHERS = sorted(Path.home().glob(".pyenv/versions/3.1[0-9].*/bin/python"))
PYTHONS = [sys.executable, *(pytest.param(str(python), marks=pytest.mark.slow) for python in OTHERS)]


@pytest.mark.parametrize("python", PYTHONS)
def test_the_fold_is_the_same_under_every_python(python: str) -> None:
    """Where this fails under a newer Python, its Unicode has letters that fold and are not listed."""
    folder = Path(__file__).parent.parent
    made = subprocess.run([python, "-c", FOLD_ALL], cwd=folder, capture_output=True, text=True, check=True).stdout
    assert made == "10f021675024e19ca4a9611dd9794c4cce1697df69eadc0a8324001e1b062569\n"


# What has no width of its own, by its Unicode name: joiners, direction marks, fillers, selectors of variants, tags.
HIDDEN = re.compile(
    "ZERO WIDTH|INVISIBLE |VARIATION SELECTOR|HANGUL FILLER|SEONG FILLER|^SOFT HYPHEN|GRAPHEME JOINER|WORD JOINER"
    "|FUNCTION APPLICATION|DIRECTIONAL |LEFT-TO-RIGHT (MARK|EMB|OVER|ISO)|RIGHT-TO-LEFT (MARK|EMB|OVER|ISO)"
    "|KHMER VOWEL INHERENT|SHORTHAND FORMAT|^TAG |ARABIC LETTER MARK|VOWEL SEPARATOR|SWAPPING|FORM SHAPING|DIGIT SHAPES"
)


def test_every_dash_is_one() -> None:
    dashes = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Pd"]
    assert len(dashes) > 20
    assert [ascii(dash) for dash in (*dashes, "\u2212") if {fold(dash), fold_by_character(dash)} != {"-"}] == []


def test_every_curly_quote_is_straight() -> None:
    for straight, quotes in (("'", "\u2018\u2019\u201a\u201b"), ('"', "\u201c\u201d\u201e\u201f")):
        assert [ascii(quote) for quote in quotes if {fold(quote), fold_by_character(quote)} != {straight}] == []


def test_nothing_that_does_not_show_keeps_a_match_away() -> None:
    hidden = [chr(code) for code in range(0x110000) if HIDDEN.search(unicodedata.name(chr(code), ""))]
    assert len(hidden) > 350
    shown = [ascii(hide) for hide in hidden if fold(f"a{hide}b") != "ab" or fold_by_character(f"a{hide}b") != "ab"]
    assert shown == []


# How the Unicode Character Database derives Default_Ignorable_Code_Point (DerivedCoreProperties.txt): the category Cf,
# the selectors of variants and a list, most of which is not assigned and so has no name; but not signs that enclose
# numbers, annotations and the joiners of hieroglyphs.
SEEN = [*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0xFFF9, 0xFFFC)]
LISTED = [
    0x34F,
    0x115F,
    0x1160,
    0x17B4,
    0x17B5,
    0x2065,
    0x3164,
    0xFFA0,
    *range(0xFFF0, 0xFFF9),
    *range(0xE0000, 0xE1000),
]


def test_every_default_ignorable_is_removed() -> None:
    formats = {code for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf"}
    selectors = {code for code in range(0x110000) if "VARIATION SELECTOR" in unicodedata.name(chr(code), "")}
    ignorable = (formats | selectors | set(LISTED)) - set(SEEN) - set(range(0x13430, 0x13440))
    assert len(ignorable) > 4100
    assert [hex(code) for code in sorted(ignorable) if fold(f"a{chr(code)}b") != "ab"] == []
    assert [hex(code) for code in sorted(ignorable) if fold_by_character(f"a{chr(code)}b") != "ab"] == []


def test_signs_that_show_are_kept() -> None:
    """They are of the category Cf, and yet a reader sees them: the sign around a number, the end of a verse."""
    assert [hex(code) for code in SEEN if fold(f"a{chr(code)}b") == "ab"] == []


@pytest.mark.slow
def test_marks_that_lower_case_lets_meet_are_folded_to_the_end() -> None:
    """H has no composed form with a macron below, h has one: after lower() the text composes again."""
    letters = [chr(code) for code in range(0x41, 0x250)]
    marks = [chr(code) for code in range(0x300, 0x345)]
    texts = [letter + first + second for letter in letters for first in marks for second in "\u0301\u0307\u0323\u0328"]
    assert [ascii(text) for text in texts if fold(fold(text)) != fold(text)] == []
    assert [ascii(text) for text in texts if fold(text.lower()) != fold(text)] == []


@given(TRICKY, TRICKY)
def test_the_ledger_keeps_only_the_search_texts_that_differ(title: str, body: str) -> None:
    """What is stored, or what the views make where it is not, is what folding and reading give, but for outer space."""
    made = Proposal(1, "practice", 0, "practice", title, (title, body), (), True)
    row = derived.of_answer("a", "c", Answer("{}", proposals=(made,))).proposals[0]
    written, read, spelled = row[6:9]
    assert written == f"{fold(title)}\n{fold(body)}"
    assert (spelled or written) == f"{fold_by_character(title)}\n{fold_by_character(body)}"
    searched = written.replace("`", "") if read is None else read
    wanted = [fold(read_line(title)).strip(), fold(read_blocks(body)).strip()]
    assert [text.strip() for text in searched.split("\n")] == wanted


def test_a_giant_body_is_searched_as_written_alone() -> None:
    assert read_blocks("**a** " * LONGEST_RENDERED) == "**a** " * LONGEST_RENDERED


@given(st.text(alphabet="<!->a ", max_size=30))
def test_comments_are_taken_out_as_a_pattern_would(html: str) -> None:
    """The pattern is the rule; it looks for the end of a comment at every beginning, which takes quadratic time."""
    one_pass = re.sub(r"<!--.*?-->|</?[A-Za-z][^<>]*>", "", html, flags=re.DOTALL)
    assert "".join(_TAG.sub("", part) for part in _outside_comments(html)) == one_pass


def letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


@given(st.text("ab*_#>-+. \n\t"))
def test_reading_loses_no_letter(text: str) -> None:
    """Marks and white space alone; what has no place on a page is left out: link targets, tags, languages of code."""
    assert letters(read_blocks(text)) == letters(read_line(text)) == letters(text)


# Tags that begin a block in CommonMark, and show nothing themselves.
UNSEEN = "base basefont col colgroup frame frameset head iframe link menuitem noframes param source title track"


def test_every_tag_of_a_block_is_white_space() -> None:
    from markdown_it.common.html_blocks import block_names

    breaking = {"br", "pre", *block_names}.difference(UNSEEN.split())
    tags = [form.format(name) for name in sorted(breaking) for form in ("<{}>", "</{}>", "<{} x='y'>", "<{}/>")]
    texts = [text for tag in tags for text in (f"lap{tag}wing", f"<div>lap{tag}wing</div>")]
    assert len(texts) > 300
    assert [text for text in texts if fold(read_blocks(text)).strip() != "lap wing"] == []
    assert [tag for tag in tags if fold(read_line(f"lap{tag}wing")) != "lap wing"] == []


PIECES = [
    "<!--",
    "a <!--",
    "<!-- a",
    "<a ",
    "![",
    "[",
    "- a\n",
    "|a|b\n|-|-\n",
    "**a ",
    "`a``",
    "&",
    "<br>",
    "</p",
    "&#9",
]


@pytest.mark.parametrize("start", ["", "<div>"])
@pytest.mark.parametrize("piece", slow_but(["<!--"], PIECES))
def test_rendering_takes_linear_time(start: str, piece: str) -> None:
    """Four times the text takes about four times as long, and never anything like sixteen times."""

    def seconds(length: int) -> float:
        text = start + piece * (length // len(piece))
        best = float("inf")
        for _ in range(3):
            before = time.process_time()
            read_blocks(text)
            best = min(best, time.process_time() - before)
        return best

    assert seconds(12_000) < 10 * seconds(3_000) + 0.01
