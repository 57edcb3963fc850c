"""`prompteval sheet`, and many replies at once with `save --sheet`, `prompt --all` and `save --all`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from prompteval.digests import digest
from tests.documents import lines_with
from tests.helpers import EMPTY, ROOT, answer, cli, labels, ok, point, proposal, refused, session, unlike, write_corpus

NAMES = [f"admit-thing-{number:02}" for number in range(1, 6)]


def body(name: str) -> str:
    """Return a transcript like no other, with what could end a script and what JSON has to escape."""
    return f'[USER]: Say {digest(name)[:6]} </script> <!-- "\\" \u2028.\n\n[AGENT]: Said.\n'


class Desk:
    """A corpus of sessions that differ, a prompt with a file it refers to, and a results folder that is not there."""

    def __init__(self, root: Path, names: list[str] = NAMES) -> None:
        self.root, self.names = root, names
        self.fixtures = write_corpus(root / "fixtures", dict.fromkeys(names, labels(point())))
        for name in names:
            self.write(name, body(name))
        (root / "prompt.md").write_text("# Prompt\n\nApply `criteria.md`.\n\n[TRANSCRIPT PLACEHOLDER]\n\nEnd.\n")
        (root / "criteria.md").write_text("Keep what lasts.\n")
        self.results, self.texts, self.page = root / "v7-1", root / "texts", root / "v7-1.html"
        self.prompt: list[object] = ["--prompt", root / "prompt.md", "--with", root / "criteria.md"]
        self.corpus: list[object] = ["--fixtures", self.fixtures]

    def write(self, name: str, transcript: str) -> None:
        front_matter = session(name).rpartition("---\n")[0]
        (self.fixtures / "sessions" / f"{name}.md").write_text(f"{front_matter}---\n{transcript}")

    def sheet(self, *more: object) -> dict[str, Any]:
        """Write the page and return its data."""
        ok("sheet", *self.prompt, *self.corpus, "--results", self.results, "--output", self.page, *more)
        (found,) = re.findall(r'<script type="application/json" id="data">(.*)</script>', self.page.read_text("utf-8"))
        data: dict[str, Any] = json.loads(found)
        return data

    def download(self, replies: Mapping[str, Any]) -> Path:
        """Write the file that the page downloads: `replies` by fixture, or by digest."""
        texts = {
            digest(body(name)) if name in self.names else name: reply if isinstance(reply, str) else json.dumps(reply)
            for name, reply in replies.items()
        }
        path = self.root / "v7-1.replies.json"
        path.write_text(json.dumps({"results": "v7-1", "prompt": self.sheet()["prompt"], "replies": texts}))
        return path

    def save(self, *more: object) -> list[object]:
        return ["save", *more, "--results", self.results, *self.prompt, *self.corpus]

    def saved(self) -> dict[str, Any]:
        files = self.results.glob("*.json") if self.results.exists() else []
        return {path.stem: json.loads(path.read_text("utf-8")) for path in files}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


GOOD = {name: unlike(number) for number, name in enumerate(NAMES)}


def test_a_card_for_each_session_without_an_answer(desk: Desk) -> None:
    ok("save", NAMES[0], "--results", desk.results, *desk.corpus, input=json.dumps(EMPTY))
    data = desk.sheet()
    assert dict(data["cards"]) == {digest(body(name)): body(name)[:-1] for name in NAMES[1:]}
    pasted = {data["before"] + text + data["after"] for _, text in data["cards"]}
    assert pasted == {ok("prompt", name, *desk.prompt, *desk.corpus) for name in NAMES[1:]}


def test_the_page_is_blind_and_loads_nothing(desk: Desk) -> None:
    desk.sheet()
    page = desk.page.read_text("utf-8")
    for word in (*NAMES, "admit", "expect_empty", "alpha", "session_id"):
        assert word not in page.replace("v7-1", "")
    assert page.count("Keep what lasts.") == 1, "the prompt stands in it once"
    assert page.count("</script") == 2 and "<!--" not in page
    assert "default-src 'none'" in page and not re.search(r"""(src|href)=|url\(|@import|https?:""", page)


def test_the_order_is_drawn_from_the_prompt_and_the_folder(desk: Desk) -> None:
    names = [f"{name}-{number}" for name in NAMES for number in range(4)]
    desk = Desk(desk.root / "more", names)
    orders = []
    for results in ("v7-1", "v7-1", "v7-2"):
        desk.results = desk.root / results
        orders.append([key for key, _ in desk.sheet()["cards"]])
    (desk.root / "criteria.md").write_text("Keep less.\n")
    desk.results = desk.root / "v7-1"
    orders.append([key for key, _ in desk.sheet()["cards"]])
    assert orders[0] == orders[1] and sorted(orders[0]) == sorted(orders[2])
    assert len({tuple(order) for order in [*orders, sorted(orders[0])]}) == 4


def test_a_folder_may_have_any_name(desk: Desk) -> None:
    desk.results = desk.root / os.fsdecode(b"v7 \xff\n<b>%DATA%")
    data = desk.sheet()
    assert data["results"] == "v7 \\udcff <b>%DATA%" and data["cards"]


def test_fixtures_with_one_session_are_one_card(desk: Desk) -> None:
    desk.write(NAMES[1], body(NAMES[0]))
    assert len(desk.sheet()["cards"]) == len(NAMES) - 1
    printed = ok(*desk.save("--sheet", desk.download({NAMES[0]: GOOD[NAMES[0]]})))
    assert "2 answers saved" in printed
    assert desk.saved() == dict.fromkeys(NAMES[:2], GOOD[NAMES[0]])


def test_nothing_is_left_to_do(desk: Desk) -> None:
    ok(*desk.save("--sheet", desk.download(GOOD)))
    for arguments in (["sheet"], ["prompt", "--all", desk.texts]):
        message = refused(*arguments, *desk.prompt, *desk.corpus, "--results", desk.results)
        assert f"every fixture has an answer in {desk.results}; next: prompteval status" in message


def test_all_replies_of_a_sheet_are_saved(desk: Desk) -> None:
    path = desk.download(GOOD)
    printed = ok(*desk.save("--sheet", path))
    assert desk.saved() == GOOD
    end = f"0 problems\nnext: prompteval status {desk.results}\n"
    assert printed.endswith(f"5 answers saved in {desk.results}, {end}")
    again = ok(*desk.save("--sheet", path))
    assert again.endswith(f"0 answers saved in {desk.results}, {end}") and again.count("has this answer already") == 5


def test_every_reply_that_cannot_be_saved_is_listed_and_the_others_are_saved(desk: Desk) -> None:
    ok("save", NAMES[0], "--results", desk.results, *desk.corpus, input=json.dumps(EMPTY))
    bad = {
        NAMES[0]: answer(proposal("Other")),
        NAMES[1]: "",
        NAMES[2]: "Sorry.",
        NAMES[3]: json.dumps({"practice": []}),
        digest("gone"): GOOD[NAMES[4]],
    }
    path = desk.download({**bad, NAMES[4]: GOOD[NAMES[4]]})
    result = cli(*desk.save("--sheet", path))
    assert result.exit_code == 1
    assert desk.saved() == {NAMES[0]: EMPTY, NAMES[4]: GOOD[NAMES[4]]}
    for name, said in (
        (NAMES[0], "already exists; --force replaces it"),
        (NAMES[1], "the reply is empty"),
        (NAMES[2], "no JSON object in the 1 lines"),
        (NAMES[3], 'missing key "map"'),
    ):
        place = f"v7-1.replies.json: card {digest(body(name))[:8]}, {name}: "
        assert [line for line in result.stdout.splitlines() if line.startswith(place) and said in line], said
    assert f"card {digest('gone')[:8]}: no fixture has its session" in result.stdout
    assert "1 answer saved in" in result.stdout and "5 problems" in result.stdout

    result = cli(*desk.save("--sheet", path, "--force", "--as-is"))
    assert result.exit_code == 1 and "4 answers saved" in result.stdout and "1 problem\n" in result.stdout
    assert (desk.results / f"{NAMES[2]}.json").read_text() == "Sorry."
    assert json.loads((desk.results / f"{NAMES[0]}.json").read_text()) == bad[NAMES[0]]


def test_another_session_text_is_refused(desk: Desk) -> None:
    path = desk.download({NAMES[0]: GOOD[NAMES[0]]})
    desk.write(NAMES[0], "[USER]: Say another thing.\n")
    assert "no fixture has its session" in cli(*desk.save("--sheet", path)).stdout
    assert desk.saved() == {}


@pytest.mark.parametrize("change", ["prompt.md", "criteria.md", "no criteria", "placeholder"])
def test_replies_to_another_prompt_are_refused(desk: Desk, change: str) -> None:
    path = desk.download(GOOD)
    if change == "no criteria":
        desk.prompt = desk.prompt[:2]
    elif change == "placeholder":
        desk.prompt += ["--placeholder", "End."]
    else:
        (desk.root / change).write_text("Another.\n")
    assert "replies to another prompt" in refused(*desk.save("--sheet", path))
    assert desk.saved() == {}


NO_SHEET = ("", "{", "[]", "7", "{}", '{"prompt": "", "replies": []}', '{"prompt": "", "replies": {"a": 1}}', "\0")


@pytest.mark.parametrize("text", NO_SHEET)
def test_what_is_no_file_of_a_sheet_is_refused(desk: Desk, text: str) -> None:
    path = desk.root / "bad.json"
    path.write_text(text)
    assert f"Error: {path}" in refused(*desk.save("--sheet", path))
    assert desk.saved() == {}


def test_a_file_of_a_sheet_that_is_cut_off_is_refused(desk: Desk) -> None:
    path = desk.download(GOOD)
    whole = path.read_text()
    for end in range(0, len(whole) - 1, 50):
        path.write_text(whole[:end])
        assert "save the replies in the sheet again. Nothing was written" in refused(*desk.save("--sheet", path))
    assert "cannot be read" in refused(*desk.save("--sheet", desk.root / "none.json"))
    assert desk.saved() == {}


def test_a_loop_of_ones_own(desk: Desk) -> None:
    ok("save", NAMES[0], "--results", desk.results, *desk.corpus, input=json.dumps(EMPTY))
    arguments = ("prompt", "--all", desk.texts, *desk.prompt, *desk.corpus, "--results", desk.results)
    assert ok(*arguments) == f"4 texts in {desk.texts}\n"
    texts = {path.stem: path.read_text("utf-8") for path in desk.texts.iterdir()}
    assert sorted(texts.values()) == sorted(ok("prompt", name, *desk.prompt, *desk.corpus) for name in NAMES[1:])
    assert not any(name in stem for name in ("admit", *NAMES) for stem in texts)

    wanted = {}
    for ending, (stem, text) in zip((".json", ".reply.txt", "", ".md"), texts.items(), strict=True):
        (name,) = (name for name in NAMES if body(name) in text)
        wanted[name] = GOOD[name]
        (desk.texts / (stem + ending)).write_text(json.dumps(GOOD[name]))
    assert ok(*arguments) == f"4 texts in {desk.texts}\n"
    assert "4 answers saved" in ok(*desk.save("--all", desk.texts))
    assert desk.saved() == {NAMES[0]: EMPTY, **wanted}


@pytest.mark.skipif(sys.platform == "win32", reason="the loop is for a shell")
@pytest.mark.slow
def test_the_loop_of_the_document_works_as_typed(desk: Desk) -> None:
    for file, name in (("prompt.md", "extract.md"), ("criteria.md", "criteria.md")):
        (desk.root / file).rename(desk.root / name)
    programs = {
        "prompteval": f'exec "{sys.executable}" -m prompteval "$@"',
        "claude": f"cat > asked && echo '{json.dumps(EMPTY)}'",
    }
    for name, line in programs.items():
        (desk.root / name).write_text(f"#!/bin/sh\n{line}\n")
        (desk.root / name).chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{desk.root}{os.pathsep}{os.environ['PATH']}"}
    for _ in range(2):  # what was answered is not asked again
        lines = lines_with("prompt --all", "docs/prompt-eval.md")
        subprocess.run(["sh", "-ec", lines], cwd=desk.root, env=environment, check=True, capture_output=True)
        (desk.results,) = {*(desk.root / "tmp").iterdir()} - {desk.root / "tmp" / "texts"}
        assert desk.saved() == dict.fromkeys(NAMES, EMPTY)
        (desk.results / f"{NAMES[0]}.json").unlink()
        (desk.root / "claude").write_text("#!/bin/sh\nexit 1\n")


def test_what_is_no_reply_in_the_folder_is_listed(desk: Desk) -> None:
    ok("prompt", "--all", desk.texts, *desk.prompt, *desk.corpus)
    assert len(list(desk.texts.iterdir())) == len(NAMES), "without --results, a text for each fixture"
    one, two, three, *_ = sorted(path.stem for path in desk.texts.iterdir())
    (desk.texts / f"{one}.json").write_text(json.dumps(EMPTY))
    (desk.texts / f"{one}.md").write_text(json.dumps(EMPTY))
    (desk.texts / f"{two}.json").mkdir()
    (desk.texts / f"{three}.json").write_text("")
    (desk.texts / "notes.md").write_text("A note.")
    result = cli(*desk.save("--all", desk.texts))
    assert result.exit_code == 1 and "0 answers saved" in result.stdout and "5 problems" in result.stdout
    for ending in (".json", ".md"):
        assert f"{one}{ending}: is one of several replies to the same session; keep one" in result.stdout
    assert f"{two}.json: is a folder" in result.stdout
    assert f"{three}.json: card " in result.stdout and "the reply is empty" in result.stdout
    assert "notes.md: is not a name that 'prompt --all' gives" in result.stdout
    assert "cannot be listed" in refused(*desk.save("--all", desk.root / "none"))


def test_replies_of_a_loop_to_another_prompt_or_session_are_refused(desk: Desk) -> None:
    ok("prompt", "--all", desk.texts, *desk.prompt, *desk.corpus)
    for path in [*desk.texts.iterdir()]:
        path.with_suffix(".json").write_text(json.dumps(EMPTY))
    (desk.root / "criteria.md").write_text("Keep less.\n")
    result = cli(*desk.save("--all", desk.texts))
    assert result.exit_code == 1 and desk.saved() == {}
    assert result.stdout.count("is a reply to another prompt; give --prompt and --with as it was given") == len(NAMES)
    ok("prompt", "--all", desk.texts, *desk.prompt, *desk.corpus)
    name = sorted(desk.texts.iterdir())[-1].with_suffix(".json")
    name.write_text(json.dumps(EMPTY))
    result = cli(*desk.save("--all", desk.texts))
    assert "1 answer saved" in result.stdout and "5 problems" in result.stdout

    desk.write(NAMES[0], "[USER]: Say another thing.\n")
    desk.prompt = []
    result = cli(*desk.save("--all", desk.texts))
    assert "is not a name that 'prompt --all' gives for one of these sessions" in result.stdout
    assert "is one of several replies to the same session; keep one" in result.stdout


def test_a_loop_needs_no_prompt_to_save(desk: Desk) -> None:
    ok("prompt", "--all", desk.texts, *desk.prompt, *desk.corpus)
    for path in [*desk.texts.iterdir()]:
        path.with_suffix(".json").write_text(json.dumps(EMPTY))
    ok("save", "--all", desk.texts, "--results", desk.results, *desk.corpus)
    assert desk.saved() == dict.fromkeys(NAMES, EMPTY)


def test_a_reply_is_never_overwritten_by_a_text(desk: Desk) -> None:
    arguments = ("prompt", "--all", desk.texts, *desk.prompt, *desk.corpus)
    ok(*arguments)
    path = sorted(desk.texts.iterdir())[0]
    path.write_text(json.dumps(EMPTY))
    assert f"{path} already exists, with another text; nothing was written" in refused(*arguments)
    assert "1 answer saved" in ok(*desk.save("--all", desk.texts))


def test_one_way_at_a_time(desk: Desk) -> None:
    assert "--prompt FILE" in refused("sheet", *desk.corpus, "--results", desk.results)
    assert "one FIXTURE, or --all DIR" in refused("prompt", *desk.prompt, *desk.corpus)
    assert "one FIXTURE, or --all DIR" in refused("prompt", NAMES[0], "--all", desk.texts, *desk.prompt, *desk.corpus)
    assert "one FIXTURE, --sheet FILE or --all DIR" in refused(*desk.save())
    assert "one FIXTURE, --sheet FILE or --all DIR" in refused(*desk.save(NAMES[0], "--all", desk.texts))


def test_the_sheet_of_the_shipped_suite_is_small() -> None:
    page = ok("sheet", "--prompt", ROOT / "LICENSE", "--results", "tmp/none", "--fixtures", ROOT / "fixtures")
    assert len(page.encode()) < 200_000
    for path in (ROOT / "fixtures" / "sessions").glob("*.md"):
        assert path.stem not in page and path.stem.rpartition("-")[0] not in page
