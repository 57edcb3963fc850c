"""The sheet in Chromium: a whole run with a stub chat, what is kept, and what the page says of a reply."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Dialog, Locator, expect

from prompteval.digests import digest
from tests.browser import chromium, driven
from tests.helpers import EMPTY, Bench, answer, by_id, ok, proposal, unlike
from tests.test_sheet import Desk, body

pytestmark = driven
NAMES = [f"admit-thing-{number:02}" for number in range(24)]
REPLIES = {name: json.dumps(unlike(number, right=number % 3 > 0)) for number, name in enumerate(NAMES)}
# A chat as a browser shows one: it answers what is sent, and has a button that copies the answer.
CHAT = """<!doctype html><meta charset="utf-8"><button id="new">New chat</button><textarea autofocus></textarea>
<pre></pre><button id="copy">Copy</button><script>
const [box, out] = [document.querySelector("textarea"), document.querySelector("pre")], replies = REPLIES;
document.querySelector("#new").onclick = () => { box.value = out.textContent = ""; box.focus(); };
box.onkeydown = (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  out.textContent = replies.filter(([marker]) => box.value.includes(marker)).map(([, reply]) => reply).join();
};
document.querySelector("#copy").onclick = async () => {
  await navigator.clipboard.writeText(out.textContent);
  document.title = out.textContent;
};
</script>"""


# Leaves a thousand characters of the storage that all pages of file:// share.
FILL = """() => { for (let size = 1 << 23; size >= 1; size >>= 1) {
  const text = localStorage.getItem("another page") ?? "";
  try { localStorage.setItem("another page", text + "x".repeat(size)); } catch { }
} localStorage.setItem("another page", localStorage.getItem("another page").slice(1000)); }"""
# Lets a hundred replies come and returns the milliseconds that one takes.
HURRY = """reply => { const boxes = [...document.querySelectorAll("textarea.reply")], began = performance.now();
for (const box of boxes.slice(0, 100)) { box.value = reply + box.ariaLabel; box.dispatchEvent(new Event("input")); }
return (performance.now() - began) / 100; }"""
NO_STORAGE = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('closed'); }})"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as fresh:
        yield fresh


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, NAMES)


class Person:
    """Somebody at a sheet, whose every action is counted by where it is done."""

    def __init__(self, desk: Desk, context: BrowserContext) -> None:
        self.desk, self.actions = desk, Counter[str]()
        self.data = desk.sheet()
        marked = [[body(name).split()[2], reply] for name, reply in REPLIES.items()]
        (desk.root / "chat.html").write_text(CHAT.replace("REPLIES", json.dumps(marked)))
        own = desk.page.as_uri()
        self.problems: list[str] = []
        self.asked: list[str] = []
        self.chat, self.page = context.new_page(), context.new_page()
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("request", lambda request: self.problems.extend({request.url} - {own}))
        self.page.on("dialog", self._answer)
        self.chat.goto((desk.root / "chat.html").as_uri())
        self.page.goto(own)
        self.at = self.page

    def _answer(self, dialog: Dialog) -> None:
        self.asked.append(dialog.type)
        dialog.accept()

    def _count(self, kind: str) -> None:
        self.actions[f"{'chat' if self.at is self.chat else 'sheet'}: {kind}"] += 1

    def click(self, name: str) -> None:
        self._count(name)
        self.at.get_by_role("button", name=name, exact=True).click()

    def press(self, key: str) -> None:
        self._count(key)
        self.at.keyboard.press(key)

    def switch(self) -> None:
        self.actions["switch"] += 1
        self.at = self.chat if self.at is self.page else self.page
        self.at.bring_to_front()

    def ask(self) -> None:
        """Send in the chat what is on the clipboard, and come back with the reply on it."""
        self.switch()
        self.click("New chat")
        self.press("Control+V")
        self.press("Enter")
        self.click("Copy")
        self.chat.wait_for_function("document.title && document.title === document.querySelector('pre').textContent")
        self.switch()

    def paste(self, text: str, number: int | None = None) -> None:
        """Paste a text where the focus is, or into the box of a card."""
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        if number:
            self.box(number).focus()
        self.page.keyboard.press("Control+V")

    def box(self, number: int) -> Locator:
        return self.page.get_by_label(f"Reply {number}", exact=True)

    def found(self, number: int) -> Locator:
        return self.page.locator(f"#found-{number}")

    def progress(self, text: str) -> None:
        expect(self.page.locator("#progress")).to_contain_text(text)

    def said(self, text: str) -> None:
        expect(self.page.locator("#said")).to_contain_text(text)

    def name(self, number: int) -> str:
        """Return the fixture of a card."""
        return next(name for name in NAMES if digest(body(name)) == self.data["cards"][number - 1][0])

    def copied(self, number: int) -> None:
        """Wait until the prompt of a card is on the clipboard, and the focus is in its box."""
        self.said(f"Prompt {number} is copied")
        expect(self.box(number)).to_be_focused()

    def save(self) -> Path:
        with self.page.expect_download() as download:
            self.click("Save replies")
        path = self.desk.root / download.value.suggested_filename
        download.value.save_as(path)
        return path


@pytest.fixture
def person(desk: Desk, context: BrowserContext) -> Iterator[Person]:
    each = Person(desk, context)
    yield each
    assert each.problems == [], "errors, breaches of the content security policy, or requests"


def test_a_whole_run(desk: Desk, person: Person, tmp_path: Path) -> None:
    person.click("Copy prompt 1")
    person.copied(1)
    for number in range(1, 25):
        person.ask()
        if number == 12:
            person.page.reload()
            person.said("11 replies came back")
            person.progress("11 of 24 replies, less than a minute left")
            person.box(12).focus()
        person.press("Control+V")
        if number < 24:
            person.copied(number + 1)
        expect(person.found(number)).to_have_text("✓ 1 JSON object: 1 practice, 0 map.")
    person.progress("24 of 24 replies: save them now")
    expect(person.page.get_by_role("button", name="Save replies")).to_be_focused()
    assert person.actions == {
        "switch": 48,
        "chat: New chat": 24,
        "chat: Control+V": 24,
        "chat: Enter": 24,
        "chat: Copy": 24,
        "sheet: Copy prompt 1": 1,
        "sheet: Control+V": 24,
    }, "three actions per fixture outside the chat, as docs/prompt-eval.md says"

    path = person.save()
    assert path.name == "v7-1.replies.json"
    person.progress("24 of 24 replies, all saved")
    assert "24 answers saved" in ok(*desk.save("--sheet", path))
    bench = Bench(tmp_path / "bench", {})
    bench.fixtures = desk.fixtures
    scores = []
    singly = tmp_path / "singly"
    for name, reply in REPLIES.items():
        ok("save", name, "--results", singly, *desk.corpus, input=reply)
    for place, results in enumerate((desk.results, singly)):
        bench.ledger = tmp_path / f"{place}.db"
        tags = ("--version", "7", "--model", "X", *desk.prompt)
        ok("ingest", *tags, *desk.corpus, "--ledger", bench.ledger, results)
        scores.append(by_id(bench.score()))
    assert scores[0] == scores[1]
    assert sum(fixture["passed"] for fixture in scores[0].values()) == 16


def test_a_paste_moves_on_and_says_what_is_in_the_reply(person: Person) -> None:
    cases = {
        json.dumps(EMPTY): "✓ 1 JSON object: 0 practice, 0 map.",
        f"```json\n{json.dumps(answer(proposal(), proposal(type='map')))}\n```": "✓ 1 JSON object: 1 practice, 1 map.",
        "I found {nothing} here.": "⚠ No JSON in it. Was the whole reply copied?",
        REPLIES[NAMES[0]][:-20]: "⚠ The JSON in it does not end. Was the whole reply copied?",
        '{"practice": [}': "⚠ The JSON in it does not end. Was the whole reply copied?",
        '{"practice": [,]}': "⚠ What looks like JSON in it is not JSON.",
        '{"practice": []}': "⚠ 1 JSON object: 0 practice, no list of map.",
        "{}\n{}": "⚠ 2 JSON objects in it, and one is expected.",
    }
    person.click("Copy prompt 1")
    person.copied(1)
    for number, (reply, said) in enumerate(cases.items(), 1):
        person.paste(reply)
        person.copied(number + 1)
        expect(person.found(number)).to_have_text(said)
        person.said(f"Card {number}: {said} Prompt {number + 1} is copied")
    expect(person.page.locator("#look")).to_have_text("Look again at card 3 4 5 6 7 8 ")


def test_the_next_prompt_is_copied_only_if_wanted(person: Person) -> None:
    person.page.get_by_label("A paste also copies the next prompt").uncheck()
    person.click("Copy prompt 1")
    person.copied(1)
    person.paste(json.dumps(EMPTY))
    expect(person.page.get_by_role("button", name="Copy prompt 2", exact=True)).to_be_focused()
    person.press("Enter")
    person.copied(2)


def test_slips_that_put_a_reply_on_the_wrong_card(person: Person) -> None:
    person.click("Copy prompt 1")
    person.copied(1)
    person.press("Control+V")
    person.said("Card 1: that was the prompt, not its reply")
    expect(person.box(1)).to_have_value("")
    person.paste(REPLIES[NAMES[0]])
    person.copied(2)
    person.paste(REPLIES[NAMES[0]])
    for number, other in ((1, 2), (2, 1)):
        expect(person.found(number)).to_contain_text(f"The same text as card {other}.")
    person.copied(3)
    person.paste(REPLIES[NAMES[1]], 5)
    expect(person.found(5)).to_contain_text("Its prompt was not the one copied last.")
    person.page.reload()
    expect(person.page.locator("#look")).to_have_text("Look again at card 1 2 5 ")
    person.paste("{}", 2)
    expect(person.box(2)).to_have_value("{}")  # it replaced what was there
    expect(person.found(1)).not_to_contain_text("The same text")


def test_a_refused_clipboard(desk: Desk, browser: Browser) -> None:
    with browser.new_context() as context:
        context.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))")
        person = Person(desk, context)
        person.click("Copy prompt 1")
        person.said("The browser refused the clipboard. Prompt 1 is selected: copy it with Ctrl-C.")
        box = person.page.locator("#card-1 .prompt")
        selected = "box => box.value.slice(box.selectionStart, box.selectionEnd)"
        assert box.evaluate(selected) == person.data["before"] + person.data["cards"][0][1] + person.data["after"]
        person.press("Control+C")
        person.copied(1)
        expect(box).to_be_hidden()
        person.box(1).fill(json.dumps(EMPTY))
        expect(person.found(1)).to_have_text("✓ 1 JSON object: 0 practice, 0 map.")
        person.page.close()


def test_leaving_with_replies_that_were_not_saved(person: Person) -> None:
    person.page.reload()
    assert person.asked == []
    person.paste(json.dumps(EMPTY), 1)
    person.page.reload()
    assert person.asked == ["beforeunload"]
    person.save()
    person.page.reload()
    assert person.asked == ["beforeunload"]
    person.paste(json.dumps(EMPTY), 2)
    person.page.reload()
    assert person.asked == ["beforeunload", "beforeunload"]
    person.click("Clear")
    person.progress("0 of 24 replies")
    assert person.asked[2:] == ["confirm"]
    assert person.page.evaluate("localStorage.length") == 0
    person.page.reload()
    person.progress("0 of 24 replies")


def test_a_reply_that_cannot_be_stored_is_marked_and_saved(person: Person) -> None:
    person.page.evaluate(FILL)
    person.paste(json.dumps(EMPTY), 1)
    expect(person.found(1)).not_to_contain_text("Not kept")
    long = answer(proposal("Long", "word " * 1000))
    person.paste(json.dumps(long), 2)
    expect(person.found(2)).to_contain_text("Not kept: save replies now.")
    expect(person.page.get_by_role("alert")).to_contain_text("Not kept: save replies now.")
    replies = json.loads(person.save().read_text("utf-8"))["replies"]
    assert [json.loads(reply) for reply in replies.values()] == [EMPTY, long]
    person.page.evaluate("localStorage.removeItem('another page')")
    person.paste(json.dumps(long), 2)
    expect(person.page.get_by_role("alert")).to_be_empty()


def test_a_browser_without_storage(desk: Desk, context: BrowserContext) -> None:
    context.add_init_script(NO_STORAGE)
    person = Person(desk, context)
    person.paste(json.dumps(EMPTY), 1)
    expect(person.found(1)).to_contain_text("Not kept: save replies now.")
    assert len(json.loads(person.save().read_text("utf-8"))["replies"]) == 1


def test_the_same_sheet_in_two_windows(person: Person, context: BrowserContext) -> None:
    other = context.new_page()
    other.goto(person.desk.page.as_uri())
    person.page.bring_to_front()
    person.paste(REPLIES[NAMES[0]], 1)
    expect(other.get_by_label("Reply 1", exact=True)).to_have_value(REPLIES[NAMES[0]])
    other.close()


def test_replies_are_as_pasted(desk: Desk, person: Person) -> None:
    reply = f'Tab\t"quotes" \\ </script> \u2028 é 😀\n{REPLIES[NAMES[0]]}\n\n'
    person.paste(reply, 1)
    path = person.save()
    assert [*json.loads(path.read_text("utf-8"))["replies"].values()] == [reply]
    assert "1 answer saved" in ok(*desk.save("--sheet", path))
    assert desk.saved() == {person.name(1): json.loads(REPLIES[NAMES[0]])}


def test_five_hundred_cards(tmp_path: Path, context: BrowserContext) -> None:
    desk = Desk(tmp_path, [f"many-{number}" for number in range(500)])
    for name in desk.names:
        desk.write(name, body(name) + "word " * 800)
    desk.sheet()
    page = context.new_page()
    page.goto(desk.page.as_uri())
    ready: Any = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    page.get_by_role("button", name="Copy prompt 1", exact=True).click()
    expect(page.locator("#said")).to_contain_text("Prompt 1 is copied")
    took = page.evaluate(HURRY, REPLIES[NAMES[0]])
    expect(page.locator("#progress")).to_contain_text("100 of 500 replies")
    assert ready < 3000 and took < 100, (ready, took)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_everybody_can_use_it(desk: Desk, browser: Browser, scheme: Any, width: int) -> None:
    with browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 700}) as context:
        person = Person(desk, context)
        for number, reply in enumerate((json.dumps(EMPTY), "Sorry.", "Sorry."), 1):
            person.page.get_by_label(f"Reply {number}", exact=True).fill(reply)
        expect(person.page.locator("#look")).to_contain_text("1 2 3")
        found = Axe().run(person.page)
        assert found.violations_count == 0, found.generate_report()
        assert person.page.evaluate("document.documentElement.scrollWidth") <= width
        person.page.close()
