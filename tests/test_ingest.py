"""`prompteval ingest`: what is taken in, what is refused, and that a refusal costs nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from prompteval.digests import digest
from tests.helpers import EMPTY, Bench, answer, cli, labels, ok, point, proposal, refused, write_corpus, write_results

FIXTURES = {"admit-thing-01": labels(point()), "reject-thing-01": labels(), "reject-thing-02": labels()}
GOOD = {"admit-thing-01": answer(proposal("Alpha")), "reject-thing-01": EMPTY, "reject-thing-02": EMPTY}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, FIXTURES)


def test_says_what_was_recorded_and_what_comes_next(bench: Bench) -> None:
    answers = {**GOOD, "reject-thing-01": "oops", "reject-thing-02": None}
    said = ok(*bench.arguments("v6", answers, "--partial", "--harness", "H", "--temperature", "0.0"))
    run, counts, corpus, following = said.splitlines()
    assert run.endswith(": v6, model X, temperature 0, harness H, sample 1")
    assert counts == "3 results: 1 valid, 1 invalid, 1 missing"
    assert corpus.startswith("corpus ") and corpus.endswith(": 3 fixtures, recorded")
    short_id = run.split(":")[0].removeprefix("run ")
    assert following == f"next: prompteval score --run {short_id} --ledger {bench.ledger}"
    assert ok(*following.split()[2:]).startswith("v6 extracted 1/1")


@pytest.mark.parametrize("version", ["6", "v6", "V6", " v6 "])
def test_versions_that_are_one(bench: Bench, version: str) -> None:
    bench.ingest(version, GOOD)
    assert bench.score("6")["run"]["version"] == "6"


@pytest.mark.parametrize("version", ["latest", "Latest", "v latest", "", "  ", "6 7", "v", "vv6", "../6", "6\x1b[0m"])
def test_versions_that_are_none(bench: Bench, version: str) -> None:
    assert "version" in bench.refuse(version, GOOD)


def test_an_empty_path_is_not_the_current_folder(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell makes it of "$DIR" where DIR is not set."""
    results = write_results(bench.root / "results", GOOD)
    monkeypatch.chdir(results)
    tags = ("--version", "1", "--model", "X", "--ledger", bench.ledger, "--fixtures", bench.fixtures)
    assert "the path is empty" in refused("ingest", *tags, "")
    assert "the path is empty" in refused("ingest", *tags, "--prompt", "", results)
    assert not bench.ledger.exists()


def test_an_old_checkout_is_pointed_out(bench: Bench) -> None:
    """Its labels are the latest again; a change that comes or returns for the first time is nothing to speak of."""
    alone = ("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    again = "its labels are the latest again"
    assert again not in cli(*alone).stderr
    changed = labels(point(must_match_all=["other"]))
    write_corpus(bench.fixtures, {"admit-thing-01": changed})
    assert again not in cli(*alone).stderr + cli(*alone).stderr
    write_corpus(bench.fixtures, {"admit-thing-01": FIXTURES["admit-thing-01"]})
    for arguments in (bench.arguments("1", GOOD), alone):
        assert (again in cli(*arguments).stderr) == (arguments is not alone)


@pytest.mark.parametrize("temperature", ["0", "0.0", "-0.0", "0e5"])
def test_zero_is_one_temperature(bench: Bench, temperature: str) -> None:
    bench.ingest("1", GOOD, "--temperature", "0")
    assert "already recorded" in bench.refuse("1", GOOD, "--temperature", temperature)


@pytest.mark.parametrize("temperature", ["nan", "inf", "-inf", "0,7", "warm", "-1", "1e999", ""])
def test_no_temperature(bench: Bench, temperature: str) -> None:
    if temperature:
        assert f"'{temperature}' is not a temperature" in bench.refuse("1", GOOD, "--temperature", temperature)


def test_an_unset_temperature_is_not_zero(bench: Bench) -> None:
    bench.ingest("1", GOOD)
    bench.ingest("1", GOOD, "--temperature", "0")
    text = bench.report("runs")
    assert text.index("  temperature not recorded:") < text.index("  temperature 0:")


def test_model_names_are_kept_to_the_letter(bench: Bench) -> None:
    name = "../../etc/x; drop table run -- é 7e21"
    ok(*bench.arguments("1", GOOD, "--model", name))
    assert bench.score()["run"]["model"] == name
    assert not (bench.root.parent / "etc").exists()


@pytest.mark.parametrize("name", ["", " ", "two\nlines", "\x1b[31mred", "a\u202eb"])
def test_model_names_that_cannot_be_shown(bench: Bench, name: str) -> None:
    assert "--model" in bench.refuse("1", GOOD, "--model", name)


@pytest.mark.parametrize("missing", ["--version", "--model"])
def test_a_run_needs_its_tags(bench: Bench, missing: str) -> None:
    arguments = bench.arguments("1", GOOD)
    at = arguments.index(missing)
    assert f"{missing} is missing" in refused(*arguments[:at], *arguments[at + 2 :])


def test_missing_results_are_listed_and_refused_unless_partial(bench: Bench) -> None:
    answers = {"admit-thing-01": answer()}
    message = bench.refuse("1", answers)
    assert "2 results missing" in message and "reject-thing-01, reject-thing-02" in message and "--partial" in message
    bench.ingest("1", answers, "--partial")


def test_no_result_at_all_is_refused_even_when_partial(bench: Bench) -> None:
    assert "no result in" in bench.refuse("1", {}, "--partial")


def test_a_file_of_no_fixture_is_refused_with_the_nearest(bench: Bench) -> None:
    message = bench.refuse("1", {**GOOD, "admit-thing-1": EMPTY})
    assert "admit-thing-1.json: belongs to no fixture; the nearest is admit-thing-01" in message


def test_all_problems_are_listed_and_counted(bench: Bench) -> None:
    message = bench.refuse("1", {**GOOD, "zzz": EMPTY, "aaa": EMPTY})
    assert [line.split(":")[0] for line in message.splitlines()[:-1]] == ["aaa.json", "zzz.json"]
    assert message.splitlines()[-1].startswith("Error: 2 problems: the results in ")


@pytest.mark.parametrize(
    "litter", [".DS_Store", "._admit-thing-01.json", "admit-thing-01.json~", "#a.json#", ".a.json.swp", "a.json.bak"]
)
def test_litter_is_passed_over(bench: Bench, litter: str) -> None:
    arguments = bench.arguments("1", GOOD)
    Path(str(arguments[-1]), litter).write_text("rubbish")
    result = cli(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")


def test_other_files_are_named(bench: Bench) -> None:
    arguments = bench.arguments("1", GOOD)
    Path(str(arguments[-1]), "notes.txt").write_text("x")
    assert "notes.txt is not a .json file and was passed over" in cli(*arguments).stderr


def _odd_folder(path: Path) -> None:
    path.mkdir()


def _odd_pipe(path: Path) -> None:
    os.mkfifo(path)


def _odd_dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def _odd_way_out(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def _odd_giant(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(5_000_000)


def _odd_utf16(path: Path) -> None:
    path.write_text('{"practice": [], "map": []}', encoding="utf-16")


def _odd_utf16_without_mark(path: Path) -> None:
    path.write_text('{"practice": [], "map": []}', encoding="utf-16-le")


def _odd_case(path: Path) -> None:
    path.with_name(path.name.upper()).write_text("{}")
    path.write_text("{}")


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        (_odd_folder, "is a folder, not a file"),
        (_odd_pipe, "is a pipe, not a file"),
        (_odd_dangling, "is a link to nothing"),
        (_odd_way_out, "is a link that leads out of its folder"),
        (_odd_giant, "is larger than"),
        (_odd_utf16, "is UTF-16; save it as UTF-8"),
        (_odd_utf16_without_mark, "is UTF-16; save it as UTF-8"),
        (_odd_case, "has the same name as"),
    ],
)
def test_odd_things_are_reported_and_never_read(bench: Bench, odd: Any, said: str) -> None:
    arguments = bench.arguments("1", {**GOOD, "reject-thing-02": None})
    odd(Path(str(arguments[-1]), "reject-thing-02.json"))
    message = refused(*arguments)
    assert said in message
    assert not bench.ledger.exists()


def test_names_that_differ_by_normalisation(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"admit-é": labels(point())})
    assert "has the same name as" in bench.refuse("1", {"admit-é": EMPTY, "admit-e\u0301": EMPTY})


def test_a_link_inside_the_folder_is_read(bench: Bench) -> None:
    arguments = bench.arguments("1", {**GOOD, "reject-thing-02": None})
    Path(str(arguments[-1]), "reject-thing-02.json").symlink_to("reject-thing-01.json")
    assert "3 valid" in ok(*arguments)


@pytest.mark.parametrize("results", ["nowhere", "ledger.db"])
def test_results_must_be_a_folder(bench: Bench, results: str) -> None:
    (bench.root / "ledger.db").write_text("x") if results == "ledger.db" else None
    assert "it is not a folder" in refused(*bench.arguments("1", GOOD)[:-1], bench.root / results)


def test_the_same_evidence_is_refused_by_name_and_date(bench: Bench) -> None:
    run = bench.ingest("v1", GOOD)
    message = bench.refuse("1", GOOD, "--note", "another note")
    date = bench.score()["run"]["recorded_at"][:10]
    assert f"already recorded as run {run} of {date}" in message and "--repeat" in message


def test_the_same_answers_in_other_white_space_are_the_same_evidence(bench: Bench) -> None:
    bench.ingest("1", GOOD)
    spaced = {**GOOD, "reject-thing-01": ' {"map" : [ ],\r\n "practice":[]}\n'}
    assert "already recorded" in bench.refuse("1", spaced)


def test_repeat_records_further_samples(bench: Bench) -> None:
    ids = {bench.ingest("1", GOOD), bench.ingest("1", GOOD, "--repeat"), bench.ingest("1", GOOD, "--repeat")}
    assert len(ids) == 3
    assert bench.score()["run"]["sample"] == 3


def test_other_answers_are_a_further_sample_without_asking(bench: Bench) -> None:
    bench.ingest("1", GOOD)
    bench.ingest("1", {**GOOD, "admit-thing-01": answer()})
    assert bench.score()["run"]["sample"] == 2


def test_the_same_answers_under_another_version_are_pointed_out(bench: Bench) -> None:
    run = bench.ingest("1", GOOD)
    result = cli(*bench.arguments("2", GOOD))
    assert result.exit_code == 0
    assert f"run {run} under other tags has exactly these answers" in result.stderr


def test_all_empty_answers_under_another_version_are_no_surprise(bench: Bench) -> None:
    empty = dict.fromkeys(FIXTURES, EMPTY)
    bench.ingest("1", empty)
    assert cli(*bench.arguments("2", empty)).stderr == ""


def test_two_people_get_the_same_run(tmp_path: Path) -> None:
    one, two = Bench(tmp_path / "one", FIXTURES), Bench(tmp_path / "two", dict(reversed(FIXTURES.items())))
    assert one.ingest("1", GOOD) == two.ingest("v1", dict(reversed(GOOD.items())))


def test_a_misplaced_type_is_a_warning(bench: Bench) -> None:
    answers = {**GOOD, "admit-thing-01": {"practice": [proposal("Alpha", type="map")], "map": []}}
    result = cli(*bench.arguments("1", answers))
    assert "3 valid" in result.stdout
    assert result.stderr == 'Warning: admit-thing-01.json: practice[0] has the type "map", which counts\n'


@pytest.mark.parametrize("twin", [b"\xef\xbb\xbf%s", b"%s\r\n"])
def test_plain_twins_have_one_digest(bench: Bench, twin: bytes) -> None:
    invalid = {**GOOD, "reject-thing-01": "line one\nline two" + ("\n" if twin.endswith(b"\r\n") else "")}
    bench.ingest("1", invalid)
    arguments = bench.arguments("1", invalid)
    path = Path(str(arguments[-1]), "reject-thing-01.json")
    raw = path.read_bytes().rstrip(b"\n").replace(b"\n", b"\r\n")
    path.write_bytes(twin % raw)
    assert "already recorded" in refused(*arguments)


@pytest.mark.parametrize("raw", [b"\xff broken", b"cut off \xe2\x82", b"a\0b", b'{"practice": [], "map": []}\0'])
def test_bytes_that_are_no_text_are_kept_as_evidence(bench: Bench, raw: bytes) -> None:
    arguments = bench.arguments("1", GOOD)
    Path(str(arguments[-1]), "reject-thing-01.json").write_bytes(raw)
    assert "2 valid, 1 invalid" in ok(*arguments)
    from prompteval.ledger.open import reading

    with reading(bench.ledger) as connection:
        assert connection.execute("select text from answer where typeof(text) = 'blob'").fetchone() == (raw,)


PROMPT = "# A prompt\n\n<!--\n  Version: 6\n-->\n"


def test_prompt_file_is_recorded(bench: Bench) -> None:
    path = bench.root / "prompt.md"
    path.write_text(PROMPT)
    bench.ingest("v6", GOOD, "--prompt", path)
    assert rows(bench, PROMPTS) == [(0, "prompt.md", hashlib.sha256(PROMPT.encode()).hexdigest()[:32])]


def rows(bench: Bench, query: str) -> list[tuple[Any, ...]]:
    """Return what a query finds in the ledger."""
    connection = sqlite3.connect(bench.ledger)
    found = connection.execute(query).fetchall()
    connection.close()
    return found


PROMPTS = "select position, name, prompt from run_prompt order by position"


def test_files_that_a_prompt_refers_to_are_recorded(bench: Bench) -> None:
    path, rules, other = (bench.root / name for name in ("prompt.md", "rules.md", "local.txt"))
    path.write_text("Apply `docs/rules.md` and `other.txt`.\n")
    rules.write_bytes(b"\xef\xbb\xbfKeep it.\r\n")
    other.write_text("Other.\n")
    expected = [
        (0, "prompt.md", digest("Apply `docs/rules.md` and `other.txt`.\n")),
        (1, "docs/rules.md", digest("Keep it.\n")),
        (2, "other.txt", digest("Other.\n")),
    ]
    bench.ingest("1", GOOD, "--prompt", path, "--with", rules, "--with", f"other.txt={other}")
    assert rows(bench, PROMPTS) == expected
    written = bench.ledger.read_bytes()
    assert str(bench.root).encode() not in written and b"local.txt" not in written
    assert cli("ledger", "verify", "--ledger", bench.ledger).exit_code == 0
    bench.ledger.unlink()
    variables = {"PROMPTEVAL_PROMPT": str(path), "PROMPTEVAL_WITH": f"{rules}{os.pathsep}other.txt={other}"}
    ok(*bench.arguments("1", GOOD), env=variables)
    assert rows(bench, PROMPTS) == expected


def test_files_without_a_prompt_are_refused(bench: Bench) -> None:
    assert "give the prompt with --prompt FILE" in bench.refuse("1", GOOD, "--with", bench.root / "rules.md")


def test_files_under_one_name_are_refused(bench: Bench) -> None:
    (bench.root / "prompt.md").write_text("Apply `rules.md`.\n")
    given = ("--prompt", bench.root / "prompt.md", "--with", f"prompt.md={bench.root / 'prompt.md'}")
    assert "two files have the name prompt.md" in bench.refuse("1", GOOD, *given)


@pytest.mark.parametrize("keep", ["true", "false"])
def test_texts_of_prompts_are_kept_where_the_suite_says_so(bench: Bench, keep: str) -> None:
    (bench.fixtures / "corpus.yaml").write_text(f"version: '1'\nprompt: p\nkeep_prompts: {keep}\n")
    texts = {"prompt.md": "Apply `rules.md`.\n", "rules.md": "Keep it.\n"}
    for name, text in texts.items():
        (bench.root / name).write_text(text)
    given = ("--prompt", bench.root / "prompt.md", "--with", bench.root / "rules.md")
    bench.ingest("1", GOOD, *given)
    bench.ingest("2", GOOD, *given)  # the same files once more
    kept = [(digest(text), text) for text in texts.values()] if keep == "true" else []
    assert rows(bench, "select digest, text from prompt order by text") == kept
    assert len(rows(bench, PROMPTS)) == 4
    assert cli("ledger", "verify", "--ledger", bench.ledger).exit_code == 0


def test_prompt_file_that_contradicts_is_refused(bench: Bench) -> None:
    path = bench.root / "prompt.md"
    path.write_text(PROMPT)
    assert "says Version: 6, but --version says 5" in bench.refuse("5", GOOD, "--prompt", path)


def test_prompt_file_without_a_version(bench: Bench) -> None:
    path = bench.root / "prompt.md"
    path.write_text("Do it.")
    bench.ingest("5", GOOD, "--prompt", path)


def test_prompt_file_that_is_not_there(bench: Bench) -> None:
    assert "cannot be read" in bench.refuse("5", GOOD, "--prompt", bench.root / "none.md")


def test_without_results_the_corpus_alone_is_recorded(bench: Bench) -> None:
    arguments = ("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    assert "3 fixtures, recorded" in ok(*arguments)
    before = (bench.ledger.read_bytes(), bench.ledger.stat().st_mtime_ns)
    assert "3 fixtures, unchanged" in ok(*arguments)
    assert (bench.ledger.read_bytes(), bench.ledger.stat().st_mtime_ns) == before
    assert "the ledger has no runs" in refused("score", "--ledger", bench.ledger)


def test_going_back_to_an_earlier_corpus_makes_it_the_latest_again(bench: Bench) -> None:
    run = bench.ingest("1", GOOD)
    alone = ("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    write_corpus(bench.fixtures, {"admit-thing-01": labels(point(must_match_all=["omega"]))})
    ok(*alone)
    assert bench.score(run, "--labels", "latest")["totals"]["points_matched"] == 0
    write_corpus(bench.fixtures, {"admit-thing-01": FIXTURES["admit-thing-01"]})
    assert "recorded" in ok(*alone)
    assert bench.score(run, "--labels", "latest")["totals"]["points_matched"] == 1


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("PROMPTEVAL_VERSION", "9", "v9, model X"),
        ("PROMPTEVAL_TEMPERATURE", "0.5", "temperature 0.5"),
        ("PROMPTEVAL_HARNESS", "H", "harness H"),
    ],
)
def test_options_from_the_environment(bench: Bench, variable: str, value: str, said: str) -> None:
    arguments = [a for a in bench.arguments("1", GOOD) if a not in ("--version", "1")]
    result = cli(*arguments, env={"PROMPTEVAL_VERSION": "1", variable: value})
    assert said in result.stdout


def test_paths_from_the_environment(bench: Bench) -> None:
    results = write_results(bench.root / "r", GOOD)
    env = {"PROMPTEVAL_LEDGER": str(bench.ledger), "PROMPTEVAL_FIXTURES": str(bench.fixtures), "PROMPTEVAL_MODEL": "M"}
    assert cli("ingest", "--version", "1", results, env=env).exit_code == 0
    assert "model M" in cli("score", env=env).stdout


def test_what_the_environment_sets_means_the_same_to_every_command() -> None:
    """Places and the tags of runs. A variable that narrows or shapes a report would do it to other reports unseen."""
    import click

    from prompteval.cli import main

    shaping = {"--model", "--labels", "--format", "--output", "--run", "--by", "--contract"}
    for name, command in main.commands.items():
        for parameter in command.params:
            if not isinstance(parameter, click.Option):
                continue
            # A flag such as --force or --partial is a decision of the moment.
            lasting = not parameter.is_flag and (name == "ingest" or parameter.opts[0] not in shaping)
            variable = "PROMPTEVAL_" + parameter.opts[0][2:].upper() if lasting else None
            assert parameter.envvar == variable, (name, parameter.opts)


def test_variables_of_an_ingest_do_not_narrow_a_report(bench: Bench) -> None:
    bench.ingest("1", GOOD)
    shaping = ("MODEL", "LABELS", "FORMAT", "RUN", "BY")
    env = {"PROMPTEVAL_LEDGER": str(bench.ledger), **{f"PROMPTEVAL_{name}": "other" for name in shaping}}
    for command in ("runs", "history", "score", "labels"):
        assert cli(command, env=env).stdout == bench.report(command), command


def test_defaults_are_found_from_the_current_folder(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bench.root)
    write_results(bench.root / "tmp" / "results", GOOD)
    said = ok("ingest", "--version", "6", "--model", "X", "tmp/results")
    assert "--ledger" not in said.splitlines()[-1]
    assert ok("score", "--run", "latest").startswith("v6 extracted 1/1")
    assert Path("ledger/prompteval.db").exists()
    shutil.rmtree("ledger")
