"""The HTML page of `report`: self-contained, sound, and inert whatever the model wrote."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompteval.text.highlight import marked
from tests.helpers import ROOT, Bench, answer, labels, ok, point, proposal, refused, unlike, write_corpus
from tests.small import small_bench

VOID = {"meta", "link", "br", "line", "polyline"}


class Reader(HTMLParser):
    """Read a page: its ids, links, tags and text; every tag has to be closed in its turn."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src"):
                self.targets.append(value or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        assert tag in VOID

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return small_bench(tmp_path, monkeypatch)


def charts(page: str) -> list[str]:
    """Return each chart of the history of a page that has one suite."""
    return page.partition('<div class="charts">')[2].partition("</div>")[0].split("</figure>")[:-1]


def test_a_page_is_sound_and_needs_nothing_else(bench: Bench) -> None:
    page = Reader(bench.report("report"))
    assert len(page.ids) == len(set(page.ids))
    assert {target for target in page.targets if not target.startswith("#")} == {"data:,"}
    assert {target[1:] for target in page.targets if target.startswith("#")} <= set(page.ids)
    assert not page.tags & {"script", "iframe", "img", "object", "form"}
    assert not [name for name in page.attributes if name.startswith("on")]


def test_what_broke_and_why_is_two_clicks_away(bench: Bench) -> None:
    page = Reader(bench.report("report"))
    assert "#top-broken" in page.targets and "#fixture-admit-map-01" in page.targets
    broken = page.text.partition("Broken: 1")[2].partition("Fixed: 4")[0]
    assert "admit-map-01 passed by 1/1 → 0/1 runs" in broken
    assert 'now: missed "holdings": right words under the wrong type: practice, not map' in broken
    assert "map holdings with alternative 1 holdings, alternative 1 branch, alternative 2 shelf" in broken
    assert re.search(r"v5, run \w+: ✓ PASS.*Holdings A branch.*v6, run \w+: ✗ FAIL.*✗ phantom: near miss", broken)
    assert "[USER]: Say it." in page.text, "the transcript"
    assert 'near miss of "holdings": has the type practice, not map' in page.text


def test_every_run_is_a_point_of_each_chart(bench: Bench) -> None:
    drawn = charts(bench.report("report"))
    assert [chart.count("<circle") for chart in drawn] == [2, 2, 2, 2]
    made = "model X, temperature 0, harness claude"
    before, after = (bench.score(version)["run"]["id"][:8] for version in ("v5", "v6"))
    first = f"v5, run {before}, {made}: 2/5, 40.0 %; answers 6/6, 1 invalid"
    second = f"v6, run {after}, {made}: 4/5, 80.0 %; answers 5/6"
    assert f"<title>{first}</title>" in drawn[1] and f"<title>{second}</title>" in drawn[1]


def test_models_have_a_line_each(tmp_path: Path) -> None:
    """Both fall from v5 to v6; a line through all runs would rise, since v6 has more runs of the better model."""
    bench = Bench(tmp_path, {name: labels(point()) for name in "abcd"})
    for version, model, right in (("5", "A", 1), ("6", "A", 0), ("5", "B", 4), ("6", "B", 3), ("6", "B", 3)):
        given_answers = {name: answer(proposal("Alpha" if i < right else "X")) for i, name in enumerate("abcd")}
        bench.ingest(version, given_answers, "--model", model, "--repeat")
    page = bench.report("report")
    lines = [line.split() for line in re.findall(r'<polyline class="mean" points="([^"]*)"', charts(page)[0])]
    heights = [[float(pair.split(",")[1]) for pair in line] for line in lines]
    assert len(heights) == 2 and all(first < second for first, second in heights), "y grows downwards"


def test_dots_stay_in_the_column_of_their_version(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(point())})
    for version in ("5", "6"):
        for number in range(40):
            bench.ingest(version, {"a": answer(proposal(f"Alpha {version} {number}"))})
    page = bench.report("report")
    places = [float(x) for x in re.findall(r'<circle cx="([-0-9.]+)"', charts(page)[1])]
    assert len(places) == 80 and min(places) > 44 and max(places) < 306
    assert max(places[:40]) < min(places[40:])


def test_one_page_has_one_set_of_labels(tmp_path: Path) -> None:
    """v5 is right under the old labels, v6 under the new: the page scores both under the new ones, everywhere."""
    bench = Bench(tmp_path, {"a": labels(point(must_match_all=["old"]))})
    bench.ingest("5", {"a": answer(proposal("Old"))})
    write_corpus(bench.fixtures, {"a": labels(point(must_match_all=["new"]))})
    bench.ingest("6", {"a": answer(proposal("New"))})
    text = Reader(bench.report("report")).text
    assert "v6 extracted 1/1 expected knowledge points and produced 0 phantoms; v5 was 0/1 with 1 phantom." in text
    assert re.search(r"v5, run \w+: ✗ FAIL", text) and re.search(r"v6, run \w+: ✓ PASS", text)
    assert "v5 extracted 0/1" in text and "v6 extracted 1/1" in text


def test_a_chart_of_what_is_unknown_has_no_point(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels()})
    bench.ingest("1", {"a": answer()})
    drawn = charts(bench.report("report"))
    assert [chart.count("<circle") for chart in drawn] == [1, 0, 1, 1], "no recall without points"


def test_matching_words_are_marked(bench: Bench) -> None:
    page = bench.report("report")
    assert "Purge by <mark>cache tag</mark>" in page
    assert 'see <mark class="guard">LF-482</mark>.' in page


HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(1)> \x1b[31m\u202e &amp; {{ 7*7 }} '\""


def test_hostile_text_is_inert(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": {**labels(point()), "notes": HOSTILE}, "b": labels()})
    for version in ("5", "6"):
        given_answers = {"a": answer(proposal(HOSTILE, f"alpha {HOSTILE}{version}")), "b": HOSTILE}
        bench.ingest(version, given_answers, "--note", "<script>", "--harness", "<i>x</i>")
    text = bench.report("report")
    page = Reader(text)
    assert not page.tags & {"script", "img", "i"} and "onerror" not in page.attributes
    assert not [character for character in text if character != "\n" and not character.isprintable()]
    assert "{{ 7*7 }}" in page.text and "&amp;amp;" in text


def test_the_report_of_the_committed_ledger_is_small() -> None:
    page = ok("report", "--ledger", ROOT / "ledger" / "prompteval.db")
    assert len(page.encode()) < 2_000_000
    Reader(page)


def test_a_ledger_of_one_run_has_a_report_without_a_comparison(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(point())})
    bench.ingest("1", {"a": answer(proposal("Alpha"))})
    assert "v1 extracted 1/1" in Reader(bench.report("report")).text


def test_the_report_compares_each_version_with_the_last_one_like_it(tmp_path: Path) -> None:
    """Model X: 1 and 3; model Y: 2, 3 and 4. So 3 with 1 under X, 3 with 2 and 4 with 3 under Y; 2 has none before."""
    bench = Bench(tmp_path, {"a": labels(point())})
    for version, model in (("1", "X"), ("2", "Y"), ("3", "X"), ("3", "Y"), ("4", "Y")):
        bench.ingest(version, {"a": answer(proposal(f"Alpha {version}"))}, "--model", model)
    text = Reader(bench.report("report")).text
    found = re.findall(r"v(\d) extracted 1/1 expected knowledge points and produced 0 phantoms; v(\d) was", text)
    assert found == [("4", "3"), ("3", "2"), ("3", "1")]
    assert "v2 with model Y, temperature not recorded, harness not recorded: no earlier version has a run like" in text


@given(text=st.text(), terms=st.lists(st.text(min_size=1)), guards=st.lists(st.text(min_size=1)))
def test_marks_lose_no_text(text: str, terms: list[str], guards: list[str]) -> None:
    assert "".join(part.text for part in marked(text, terms, guards)) == text


@given(text=st.text(), terms=st.lists(st.text("\xad\u200b\u2060\ufeff")))
def test_a_term_of_nothing_that_shows_marks_nothing(text: str, terms: list[str]) -> None:
    assert not [part for part in marked(text, terms, terms) if part.kind]


@given(before=st.text(), term=st.text("abc d", min_size=1), after=st.text())
def test_a_plain_term_is_marked(before: str, term: str, after: str) -> None:
    if term.strip():
        parts = marked(before + term + after, [term], [])
        assert any(part.kind == "term" for part in parts)


def test_two_sides_are_compared_and_nothing_else(bench: Bench) -> None:
    bench.ingest("7", {name: answer() for name in ("admit-cache-01", "reject-noise-01")}, "--partial")
    text = Reader(bench.report("report", "v6", "v5")).text
    assert "v5 against v6" in text and "against v7" not in text and "v7 against" not in text
    assert "give both BASELINE and CANDIDATE, or neither" in refused("report", "v5", "--ledger", bench.ledger)


def test_the_newest_version_has_the_highest_number(tmp_path: Path) -> None:
    """Version 9 is recorded before twenty runs of version 10, and is still the one before it."""
    bench = Bench(tmp_path, {"a": labels(point())})
    for version, number in (("9", 0), *(("10", number) for number in range(1, 21)), ("2", 21)):
        bench.ingest(version, {"a": unlike(number)})
    assert "<h1>v10 against v9</h1>" in bench.report("report")


def test_runs_without_a_fixture_in_common_have_a_page(tmp_path: Path) -> None:
    """The corpus lost the only fixture of v5: the latest labels score nothing of it."""
    bench = Bench(tmp_path, {"a": labels(point())})
    bench.ingest("5", {"a": answer(proposal("Alpha"))})
    (bench.fixtures / "sessions" / "a.md").unlink()
    (bench.fixtures / "expected" / "a.yaml").unlink()
    write_corpus(bench.fixtures, {"b": labels(point())})
    bench.ingest("6", {"b": answer(proposal("Alpha"))})
    text = Reader(bench.report("report")).text
    assert "v6 and v5 have no fixture in common that can be compared." in text and "v6, run" in text
    assert "Broken" not in text and "0 broken" not in text
