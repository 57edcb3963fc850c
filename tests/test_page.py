"""The page of `report` as a reader sees it in Chromium: on a phone and a desk, light and dark, by keyboard, printed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize

from tests.bench.ledgers import fill, real_corpus
from tests.browser import chromium, driven
from tests.helpers import ROOT, Bench, answer, labels, ok, point
from tests.small import small_bench

pytestmark = driven
PHONE, DESK = ViewportSize(width=375, height=812), ViewportSize(width=1280, height=800)
OPEN = "document.querySelectorAll('details').forEach(each => { each.open = true })"
LEDGER = ROOT / "ledger" / "prompteval.db"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return where the page of the committed ledger is."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    ok("report", "--ledger", LEDGER, "--output", path)
    return path.as_uri()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Yield the page at a desk; its own scripts, if it had any, would not run."""
    with browser.new_context(viewport=DESK, java_script_enabled=False) as context:
        opened = context.new_page()
        opened.goto(address)
        yield opened


def on_screen(page: Page, selector: str) -> bool:
    """Return whether the first such element can be seen without scrolling."""
    box = page.locator(selector).first.bounding_box()
    assert box and page.viewport_size
    return box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"]


def test_the_first_screen(page: Page) -> None:
    assert all(on_screen(page, each) for each in ("h1", ".verdict", ".counts", ".measures"))
    page.set_viewport_size(PHONE)
    assert all(on_screen(page, each) for each in (".verdict", ".counts"))


def test_what_did_version_6_break_and_why(page: Page) -> None:
    """A new reader: the first screen leads to v6 against v5, one click; what it broke, and why, is the second."""
    page.get_by_role("link", name="v6 against v5").first.click()
    found = page.locator("#core-compare-2")
    assert on_screen(page, "#core-compare-2 .verdict")
    assert "v6 passes more fixtures (47 → 69, p < 0.0001)" in found.inner_text()
    found.get_by_role("link", name="1 broken").click()
    assert on_screen(page, "#core-compare-2-broken .reasons")
    assert "right words under the wrong type: practice, not map" in found.locator(".reasons").first.inner_text()


def test_each_anchor_opens_what_it_points_to(page: Page) -> None:
    links = page.locator("a[href^='#']")
    targets = sorted({str(links.nth(place).get_attribute("href")) for place in range(links.count())})
    assert len(targets) > 100
    for target in targets[:: len(targets) // 25]:
        page.goto(page.url.partition("#")[0] + target)
        assert page.locator(f"[id='{target[1:]}']").is_visible(), target


def test_a_cell_leads_to_the_answer_and_back(page: Page) -> None:
    page.locator(".heat td.fail a").first.click()
    assert page.url.endswith("#core-fixture-admit-convention-01-43a3a568")
    shown = page.locator("section:target .proposal")
    assert shown.first.is_visible() and shown.first.locator("mark").count()
    page.locator("[id='core-fixture-admit-convention-01'] a", has_text="verdict").click()
    assert on_screen(page, ".verdict")


def test_the_heads_of_fixtures_and_runs_stay(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 400})
    page.locator(".heat").first.locator("tr").last.scroll_into_view_if_needed()
    assert not on_screen(page, ".heat tbody tr") and on_screen(page, ".heat thead th")


def test_everything_can_be_reached_by_keyboard(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the verdict" and on_screen(page, ".skip")
    closed = page.locator("details", has=page.locator("summary", has_text="What was compared")).first
    closed.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert closed.locator("li").first.is_visible()


def test_nothing_is_wider_than_the_screen(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    page.evaluate(OPEN)
    for width in (320, 375, 768, 1024, 1280, 1600):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_axe_finds_nothing(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: ViewportSize, dark: bool
) -> None:
    """The small ledger has every kind of outcome, and little enough of it to look at with everything open."""
    alone = Bench(tmp_path / "alone", {"a": labels(point())})
    alone.ingest("1", {"a": answer()})
    page = browser.new_page(viewport=size, color_scheme="dark" if dark else "light")
    for bench in (small_bench(tmp_path, monkeypatch), alone):
        bench.report("report", "--output", bench.root / "report.html")
        page.goto((bench.root / "report.html").as_uri())
        page.evaluate(OPEN)
        found = Axe().run(page)
        assert found.response["passes"] and not found.response["violations"], found.generate_report()
    page.close()


def test_no_request_and_no_message(browser: Browser, address: str) -> None:
    page, said = browser.new_page(), []
    page.on("request", lambda request: said.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(address)
    assert [each for each in said if not each.startswith("data:")] == [address]
    page.close()


def test_print_has_the_verdict_and_what_broke_but_no_links(page: Page) -> None:
    page.emulate_media(media="print")
    seen = [page.locator(each).first.is_visible() for each in (".verdict", ".measures", "#core-top-broken .proposal")]
    assert all(seen) and not page.locator("nav").first.is_visible()
    assert not page.locator(".links").first.is_visible()


def test_a_page_of_300_runs_is_small_and_fast(browser: Browser, tmp_path: Path) -> None:
    ledger, path = tmp_path / "ledger.db", tmp_path / "report.html"
    fill(ledger, real_corpus(), range(1, 301))
    start = time.process_time()
    ok("report", "--ledger", ledger, "--output", path)
    assert time.process_time() - start < 3
    assert path.stat().st_size < 3_000_000
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.title().startswith("v300 against v299")
    for width in (375, 1080, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
