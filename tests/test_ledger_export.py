"""`prompteval ledger export`, `import` and `digest`: text and back, with nothing lost and nothing let in."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import Bench, answer, labels, ok, point, proposal, refused, write_corpus
from tests.process import bounded
from tests.small import small_bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return small_bench(tmp_path, monkeypatch)


def digest(ledger: Path) -> str:
    return ok("ledger", "digest", "--ledger", ledger)


def exported(bench: Bench) -> Path:
    folder = bench.root / "text"
    assert ok("ledger", "export", folder, "--ledger", bench.ledger).endswith("has 2 runs and 1 corpus revision\n")
    return folder


def test_import_undoes_export(bench: Bench) -> None:
    folder, again = exported(bench), bench.root / "again.db"
    assert ok("ledger", "import", folder, "--ledger", again).endswith("has 2 runs now, 2 of them new\n")
    assert digest(again) == digest(bench.ledger)
    assert ok("ledger", "verify", "--ledger", again).startswith("0 problems")
    for command in (("runs",), ("score", "--run", "v5"), ("diff", "v5", "v6")):
        assert ok(*command, "--ledger", again) == bench.report(*command)
    before = {path: path.read_bytes() for path in folder.rglob("*.ndjson")}
    ok("ledger", "export", folder, "--ledger", again)
    assert {path: path.read_bytes() for path in folder.rglob("*.ndjson")} == before


def test_what_is_hard_to_write_comes_back(tmp_path: Path) -> None:
    """Bytes that are no text, line breaks of all kinds, terms in the order of their label."""
    bench = Bench(tmp_path, {"a": labels(point(must_match_any=[["z", "b"], ["a"]])), "b": labels(), "c": labels()})
    given = {"a": answer(proposal("x\u2028y\u0085\x1cz", "one\r\ntwo\n\u202e")), "b": '{"practice": "\n\u2029'}
    arguments = bench.arguments("1", given, "--partial")
    (Path(str(arguments[-1])) / "c.json").write_bytes(b"{\xff\x00")
    ok(*arguments)
    ok("ledger", "export", tmp_path / "text", "--ledger", bench.ledger)
    ok("ledger", "import", tmp_path / "text", "--ledger", tmp_path / "again.db")
    assert digest(tmp_path / "again.db") == digest(bench.ledger)


def test_files_are_named_after_what_they_hold(bench: Bench) -> None:
    folder = exported(bench)
    runs = [json.loads(path.read_bytes().split(b"\n")[0]) for path in sorted((folder / "runs").iterdir())]
    assert [run["id"] for run in runs] == [path.stem for path in sorted((folder / "runs").iterdir())]
    assert sorted(run["version"] for run in runs) == ["5", "6"]


def test_digest_is_that_of_the_facts_and_not_of_the_file(bench: Bench) -> None:
    ok("ledger", "merge", bench.ledger, "--ledger", bench.root / "rebuilt.db")
    assert digest(bench.root / "rebuilt.db") == digest(bench.ledger)
    before = digest(bench.ledger)
    bench.ingest("7", {"admit-map-01": answer()}, "--partial")
    assert digest(bench.ledger) != before


def _line(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


def _without(table: str, text: str) -> list[str]:
    kept = [line for line in text.splitlines(keepends=True) if f'"table":"{table}"' not in line]
    assert len(kept) < len(text.splitlines())
    return kept


CHANGES: dict[str, tuple[str, Callable[[str], str], str]] = {
    "title": ("runs", _line("TTL", "TTX"), "does not verify"),
    "model": ("runs", _line('"model":"X"', '"model":"Y"'), "does not verify"),
    "term": ("corpora", _line("edge proxy", "edge"), "does not verify"),
    "lost line": ("runs", lambda text: text[: text.rindex("\n", 0, -1) + 1], "does not verify"),
    "no JSON": ("runs", lambda text: text + "nothing\n", "is no row"),
    "conflict": ("runs", lambda text: "<<<<<<< ours\n" + text, "is no row"),
    "other table": ("runs", _line('"table":"answer"', '"table":"session"'), "is no row"),
    "other column": ("runs", _line('"version"', '"score":1,"version"'), "is no row"),
    "twice": ("runs", lambda text: text + text.split("\n")[0] + "\n", "is no row"),
    "note": ("runs", _line("before the bump", "after the bump"), "is no row"),
    "moment": ("runs", _line('"recorded_at":"2026', '"recorded_at":"2025'), "is no row"),
    "problem": ("runs", _line("no JSON", "JSON"), "is no row"),
    "corpus recording": ("corpora", _line('"version":null', '"version":"9"'), "is no row"),
    "no problem": ("runs", lambda text: "".join(_without("answer_problem", text)), "does not verify"),
    "no recording": ("corpora", lambda text: "".join(_without("corpus_recording", text)), "does not verify"),
    "deep": ("runs", lambda text: text + "[" * 100_000 + "\n", "is no row"),
    "empty": ("runs", lambda _: "", "does not hold what its name says"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_was_changed_is_not_imported(bench: Bench, name: str) -> None:
    folder = exported(bench)
    kind, change, said = CHANGES[name]
    changed = 0
    for path in (folder / kind).iterdir():
        text = path.read_bytes().decode()
        try:
            path.write_bytes(change(text).encode())
            changed += 1
        except AssertionError:
            continue
    assert changed
    before = bench.ledger.read_bytes()
    for ledger in (bench.root / "new.db", bench.ledger):
        message = refused("ledger", "import", folder, "--ledger", ledger)
        assert said in message or "has another" in message, message
        assert len(message.splitlines()) == 1
    assert bench.ledger.read_bytes() == before and not (bench.root / "new.db").exists()


def test_a_folder_without_an_export(tmp_path: Path) -> None:
    assert "has no runs/*.ndjson" in refused("ledger", "import", tmp_path, "--ledger", tmp_path / "new.db")


def test_an_export_overwrites_nothing(bench: Bench) -> None:
    folder = exported(bench)
    path = next((folder / "runs").iterdir())
    path.write_bytes(b"other\n")
    assert "says something else" in refused("ledger", "export", folder, "--ledger", bench.ledger)
    assert path.read_bytes() == b"other\n"


def test_an_export_completes_what_was_cut_short(bench: Bench) -> None:
    folder = exported(bench)
    whole = {path: path.read_bytes() for path in folder.rglob("*.ndjson")}
    for path, data in whole.items():
        path.write_bytes(data[: len(data) // 2])
    exported(bench)
    assert {path: path.read_bytes() for path in folder.rglob("*.ndjson")} == whole
    assert not list(folder.rglob("*.tmp"))


def test_labels_that_became_the_latest_again_are_added_to_their_file(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {})
    for term in ("alpha", "omega", "alpha"):
        write_corpus(bench.fixtures, {"a": labels(point(must_match_all=[term]))})
        ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
        ok("ledger", "export", tmp_path / "text", "--ledger", bench.ledger)
    ok("ledger", "import", tmp_path / "text", "--ledger", tmp_path / "again.db")
    assert digest(tmp_path / "again.db") == digest(bench.ledger)
    assert len(ok("ledger", "textconv", tmp_path / "again.db").split("corpus ")) == 4


# A value of some column of some table, in place of what an export wrote.
WRONG: dict[str, list[object]] = {
    **{name: [10**23, 2**63, "1", True, 1.5, None] for name in ("repeat", "position", "expect_empty")},
    **{name: [1, True, [], {}, "\ud800"] for name in ("note", "title", "term", "fixture_id", "point_id")},
    **{name: [None] for name in ("title", "term", "fixture_id", "point_id", "labels", "answer", "digest")},
    "recorded_at": [
        *("9999-99-99T99:99:99.999999Z", "2026-1-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z", "", None, 7)
    ],
    "temperature": ["0", True, [0]],
    "raw": [{"hex": "xyz"}, {"hex": 1}, {}, ["a"], 5, None],
    "version": [None, 6],
    "tags": ["{", "[1]", "null", '[ "tag"]', "[" * 100_000, 1, []],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in WRONG for value in WRONG[name]])
def test_a_value_that_no_ledger_has_is_one_line(bench: Bench, name: str, value: object) -> None:
    folder, changed = exported(bench), 0
    for path in folder.rglob("*.ndjson"):
        rows = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
        for row in rows:
            row.pop("seal", None)  # which tells by itself; version 1 had none
        places = [row for row in rows if row.get(name, value) != value and row["table"] != "corpus_fixture"][:1]
        for row in places:
            row[name] = value
            changed += 1
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert changed
    message = refused("ledger", "import", folder, "--ledger", bench.root / "new.db")
    assert "nothing was imported" in message and len(message.splitlines()) == 1
    assert not (bench.root / "new.db").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_what_is_no_file_is_neither_read_nor_waited_for(bench: Bench) -> None:
    folder = exported(bench)
    for path in (next((folder / "runs").iterdir()), next((folder / "corpora").iterdir())):
        data = path.read_bytes()
        for make in (os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)):
            path.unlink()
            make(path)
            for command in ("import", "export"):
                message = refused("ledger", command, folder, "--ledger", bench.ledger)
                assert str(path) in message and len(message.splitlines()) == 1
            path.rmdir() if path.is_dir() else path.unlink()
            path.write_bytes(data)
    shutil.rmtree(folder / "runs")
    os.mkfifo(folder / "runs")
    assert "is not a folder" in refused("ledger", "import", folder, "--ledger", bench.ledger)


def test_a_giant_line_is_not_read_whole(bench: Bench) -> None:
    folder = exported(bench)
    with next((folder / "runs").iterdir()).open("r+b") as file:
        file.truncate(10_000_000_000)
    code, said = bounded("ledger", "import", folder, "--ledger", bench.root / "new.db")
    assert code == 2 and "has a line of" in said and len(said.splitlines()) == 1


def test_problems_that_another_version_words_otherwise_are_merged(bench: Bench) -> None:
    """They explain an invalid answer and are no evidence. Whichever is merged into which, one wording stands."""
    other, folder = bench.root / "other.db", exported(bench)
    for path in (folder / "runs").iterdir():
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        for row in rows:
            if row["table"] == "answer_problem":
                row["problem"] = "What, no value?"
                del row["seal"]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    ok("ledger", "import", folder, "--ledger", other)
    for first, second in ((bench.ledger, other), (other, bench.ledger)):
        ok("ledger", "merge", first, second, "--ledger", bench.root / f"{first.stem}-first.db")
    made = [(bench.root / f"{name}-first.db").read_bytes() for name in ("ledger", "other")]
    assert made[0] == made[1] != bench.ledger.read_bytes()
    for before in (bench.ledger, other):
        against = ("--against", before)
        assert ok("ledger", "verify", "--ledger", bench.root / "other-first.db", *against).startswith("0 problems")


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    """The last line may be the one that says which labels are the latest."""
    bench = Bench(tmp_path, {"a": labels(point())})
    bench.ingest("1", {"a": answer()})
    ok("ledger", "export", tmp_path / "text", "--ledger", bench.ledger)
    for file in (tmp_path / "text").rglob("*.ndjson"):
        whole = file.read_bytes()
        for cut in (1, 30):
            file.write_bytes(whole[:-cut])
            assert "is cut short" in refused("ledger", "import", tmp_path / "text", "--ledger", tmp_path / "new.db")
            assert not (tmp_path / "new.db").exists()
        file.write_bytes(whole)
