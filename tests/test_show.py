"""`prompteval show`: a reader agrees with the score without opening a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import Bench, answer, labels, ok, point, proposal, refused, session
from tests.small import small_bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return small_bench(tmp_path, monkeypatch)


def show(bench: Bench, fixture: str, *more: str) -> str:
    """Return the report with each run of spaces as one, so that a test reads like a sentence."""
    return "\n".join(" ".join(line.split()) for line in bench.report("show", fixture, *more).splitlines())


def test_a_missed_term(bench: Bench) -> None:
    text = show(bench, "admit-cache-01", "--run", "v5")
    assert text.startswith(f"admit-cache-01 in v5, run {bench.score('v5')['run']['id'][:8]}: FAIL\n")
    assert "Note: A note." in text and "expects 1 point and at most 0 phantoms" in text
    assert 'Point "edge-purge" (practice): missed' in text
    assert '1, practice yes absent "edge proxy"' in text
    assert '1, practice yes yes "cache tag"\n- purge by [cache tag] / the proxy keeps pages until…' in text
    assert 'Purge by cache tag\n- near miss of "edge-purge": lacks "edge proxy"' in text
    assert "The proxy keeps pages until then." in text, "the body stands below, as it was written"


def test_a_guard_that_leaked(bench: Bench) -> None:
    text = show(bench, "admit-cache-02", "--run", "v5")
    assert '1, practice no (guard) leaked "lf-482"' in text and "see [lf-482]." in text
    assert '2, practice no (guard) no "lf-482"' in text
    assert '1 practice phantom TTL\n- satisfies "ttl", of which a guard leaked' in text
    assert "2 practice phantom Aside\n- comes near no missed point" in text


def test_the_wrong_type(bench: Bench) -> None:
    text = show(bench, "admit-map-01", "--run", "v6")
    assert '1, practice, not map alternative 1 yes "branch"' in text
    assert '1, practice, not map alternative 2 absent "shelf"' in text
    assert 'Holdings\n- near miss of "holdings": has the type practice, not map' in text


def test_a_passing_fixture(bench: Bench) -> None:
    text = show(bench, "mixed-plan-01")
    assert "in v6" in text and ": PASS" in text and text.count(": matched") == 2
    assert 'yes "lf_loans"\n- loans / they live in `[lf_loans]`.' in text


def test_a_violated_gate(bench: Bench) -> None:
    text = show(bench, "reject-noise-01", "--run", "v5")
    assert "expects an answer without proposals" in text and "Point" not in text
    assert "1 practice phantom Pipe | and `tick` <b>" in text and "Noise\nin two lines." in text


def test_an_invalid_and_a_missing_answer(bench: Bench) -> None:
    text = show(bench, "reject-noise-02", "--run", "v5")
    assert "no JSON: Expecting value" in text and "Nothing durable was said." in text
    assert "no result" in show(bench, "reject-noise-02", "--run", "v6")


def test_a_point_without_proposals(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(point())})
    bench.ingest("1", {"a": answer()})
    text = show(bench, "a")
    assert "no proposal to look in" in text and "Proposals\nnone" in text
    bench.ingest("2", {"a": "x"})
    assert "no answer to look in" in show(bench, "a")


def test_where_a_hit_is_found_in_a_long_text(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(point(must_match_all=["needle"]))})
    bench.ingest("1", {"a": answer(proposal("T", "straw " * 50 + "needle " + "hay " * 50))})
    assert "…straw straw straw straw [needle] hay hay hay hay hay hay hay…" in show(bench, "a")


def test_the_transcript(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels()})
    bench.ingest("1", {"a": answer()})
    assert "[USER]: Say it." not in show(bench, "a")
    assert bench.report("show", "a", "--transcript").replace("  ", "").rstrip("\n").endswith(session("a").rstrip("\n"))


def test_hostile_text_is_inert(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(), "b": labels()})
    bench.ingest("1", {"a": answer(proposal("\x1b[31mred\u202e", "\x9b2J\nbody")), "b": "\x1b]0;title\x07"})
    for name in ("a", "b"):
        text = bench.report("show", name)
        assert not [c for c in text if c != "\n" and not c.isprintable()]


def test_selectors_and_names(bench: Bench, tmp_path: Path) -> None:
    assert "no fixture 'admit-cache'; the nearest is admit-cache-0" in refused(
        "show", "admit-cache", "--ledger", bench.ledger
    )
    assert "no run" in refused("show", "admit-cache-01", "--run", "zz", "--ledger", bench.ledger)
    target = tmp_path / "out.txt"
    ok("show", "admit-cache-01", "--ledger", bench.ledger, "--output", target)
    assert target.read_text("utf-8") == bench.report("show", "admit-cache-01")


# A proposal whose words are found in one way alone: as written, as its Markdown reads (with marks, or with marks of
# code alone, which are not kept twice), or character by character.
ONE_WAY = {
    "as written": ("2**8** is", "2**8"),
    "as it reads": ("the **edge** proxy", "edge proxy"),
    "as code reads": ("purge by `cache` tag", "cache tag"),
    "by character": ("a cafe\u0301", "cafe"),
}


@pytest.mark.parametrize("name", ONE_WAY)
@pytest.mark.parametrize("field", ["body", "description"])
def test_a_hit_is_shown_in_whatever_way_it_was_found(tmp_path: Path, name: str, field: str) -> None:
    """Terms are looked for in the body, guards in the description too; each hit has its place, also on the page."""
    text, term = ONE_WAY[name]
    wanted = point(must_match_all=[term]) if field == "body" else point(must_match_all=["title"], must_not_match=[term])
    bench = Bench(tmp_path, {"a": labels(wanted)})
    bench.ingest("1", {"a": answer({**proposal(), field: text})})
    assert f"[{term}]" in bench.report("show", "a")
    assert bench.score()["fixtures"][0]["points_matched"] == (field == "body")
    bench.report("report")
