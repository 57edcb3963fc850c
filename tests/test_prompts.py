"""What reports say of the prompts that runs answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers import EMPTY, Bench, answer, labels, ok, point, proposal, refused

RIGHT, WRONG = {"a": answer(proposal("Alpha"))}, {"a": answer(proposal("Beta"))}
FIRST = "Read `rules.md`.\nExtract.\nBe brief.\n"
SECOND = "Read `rules.md`.\nExtract all.\nBe brief.\nNever guess.\n"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A corpus that keeps prompts; version 5 and 6 have prompts of their own, with one file that both refer to."""
    bench = Bench(tmp_path, {"a": labels(point())})
    (bench.fixtures / "corpus.yaml").write_text('version: "1"\nprompt: extract\nkeep_prompts: true\n', "utf-8")
    (tmp_path / "rules.md").write_text("Rule one.\n", "utf-8")
    for version, text, given in (("5", FIRST, WRONG), ("6", SECOND, RIGHT)):
        bench.ingest(version, given, "--prompt", write(bench, f"v{version}.md", text), "--with", tmp_path / "rules.md")
    return bench


def write(bench: Bench, name: str, text: str) -> Path:
    (bench.root / name).write_text(text, "utf-8")
    return bench.root / name


def head(bench: Bench, *arguments: str) -> list[str]:
    return bench.report(*arguments).splitlines()


def test_the_head_counts_lines_where_texts_were_kept(bench: Bench) -> None:
    """ "Extract." became "Extract all.", and a line was added: two lines more, one less."""
    assert "prompt: 2 lines added, 1 removed" in head(bench, "diff", "5", "6")
    text = bench.report("diff", "5", "6", "--prompt")
    assert "\n  -Extract.\n  +Extract all.\n" in text and text.index("+Never guess.") < text.index("\nFixed")
    assert "+Extract all." not in bench.report("diff", "5", "6")
    assert "Extract all" in bench.report("diff", "5", "6", "--prompt", "--format", "markdown")
    assert "--prompt goes with --format text or markdown" in refused("diff", "5", "6", "--prompt", "--format", "csv")


def test_a_file_that_the_prompt_refers_to_counts(bench: Bench) -> None:
    rules = write(bench, "rules.md", "Rule one.\nRule two.\n")
    bench.ingest("7", RIGHT, "--prompt", write(bench, "v7.md", SECOND), "--with", rules)
    assert "prompt: 1 line added, 0 removed" in head(bench, "diff", "6", "7")
    assert "--- rules.md" in bench.report("diff", "6", "7", "--prompt")


def test_digests_where_a_text_was_not_kept(bench: Bench) -> None:
    (bench.fixtures / "corpus.yaml").unlink()
    bench.ingest("7", RIGHT, "--prompt", write(bench, "v7.md", "Other.\n"))
    (line,) = (line for line in head(bench, "diff", "6", "7") if line.startswith("prompt: "))
    assert line.startswith("prompt: v6.md ") and " → v7.md " in line and line.count(" → ") == 1
    assert "not every text was kept" in bench.report("diff", "6", "7", "--prompt")
    assert "the text of v7.md was not kept" in bench.report("show", "--prompt", "--run", "v7")


def test_one_prompt_under_two_versions(bench: Bench) -> None:
    bench.ingest("7", WRONG, "--prompt", bench.root / "v6.md", "--with", bench.root / "rules.md")
    for report in (("diff", "6", "7"), ("history",)):
        (line,) = (line for line in head(bench, *report) if "have the same prompt" in line)
        assert line.startswith("v6 and v7 have the same prompt, v6.md ")
    assert not [line for line in head(bench, "diff", "5", "6") if "same prompt" in line]


def test_two_prompts_under_one_version(bench: Bench) -> None:
    bench.ingest("6", WRONG, "--prompt", bench.root / "v5.md", "--with", bench.root / "rules.md")
    for report in (("diff", "5", "6"), ("history",)):
        assert any(line.startswith("v6 has runs of 2 prompts: v6.md ") for line in head(bench, *report))
    assert "no change is known of" in bench.report("diff", "5", "6", "--prompt")


def test_a_run_recorded_with_fewer_files_has_no_other_prompt(bench: Bench) -> None:
    bench.ingest("6", WRONG, "--prompt", bench.root / "v6.md")
    lines = head(bench, "diff", "5", "6")
    assert "prompt: 2 lines added, 1 removed" in lines and "has runs of" not in bench.report("history")
    assert not any("alone was recorded" in line for line in lines)
    bench.ingest("7", {"a": answer(proposal("Alpha 7"))}, "--prompt", write(bench, "v7.md", "Other.\n"))
    assert "v6 alone was recorded with rules.md" in head(bench, "diff", "6", "7")
    rules = write(bench, "rules.md", "Rule two.\n")
    bench.ingest("6", {"a": EMPTY}, "--prompt", bench.root / "v6.md", "--with", rules)
    assert any(line.startswith("v6 has runs of 2 prompt files: rules.md ") for line in head(bench, "history"))


def test_show_prints_what_was_kept(bench: Bench) -> None:
    assert bench.report("show", "--prompt", "--run", "v6") == f"==> v6.md <==\n{SECOND}\n==> rules.md <==\nRule one.\n"
    bench.ingest("7", RIGHT, "--prompt", write(bench, "v7.md", "Alone.\n"))
    assert bench.report("show", "--prompt", "--run", "v7") == "Alone.\n"
    bench.ingest("8", WRONG)
    said = refused("show", "--prompt", "--run", "v8", "--ledger", bench.ledger)
    assert "was recorded without its prompt" in said
    for wrong in (("show",), ("show", "a", "--prompt")):
        assert "give either a FIXTURE or --prompt" in refused(*wrong, "--ledger", bench.ledger)


def test_a_run_without_a_prompt_says_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(point())})
    bench.ingest("5", WRONG)
    bench.ingest("6", RIGHT)
    assert "prompt" not in bench.report("diff", "5", "6")


def test_json_names_the_prompts(bench: Bench) -> None:
    (comparison,) = bench.diff("5", "6")["comparisons"]
    assert [[file["name"] for file in files] for files in comparison["prompts"]["candidate"]] == [["v6.md", "rules.md"]]


def test_kept_texts_are_facts(bench: Bench) -> None:
    """They are verified, merged, and not lost; a text that is not what its digest says is named."""
    other = bench.root / "other.db"
    ok("ledger", "merge", "--ledger", other, bench.ledger)
    assert ok("show", "--prompt", "--run", "v5", "--ledger", other).startswith(f"==> v5.md <==\n{FIRST}")
    assert ok("ledger", "verify", "--ledger", other, "--against", bench.ledger).startswith("0 problems")
    assert json.loads(ok("runs", "--format", "json", "--ledger", other)) == json.loads(
        bench.report("runs", "--format", "json")
    )
