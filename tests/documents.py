"""What cog puts into the documents: the ledger's tables from the SQL files, and commands with what they print.

`python -m cogapp -r README.md docs/*.md fixtures/stress/README.md` writes them; a test fails when that is due.
"""

from __future__ import annotations

import json
import re
import shlex
import tempfile
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import yaml
from click.testing import CliRunner

from prompteval.cli import main
from prompteval.ledger import schema
from tests.helpers import ROOT, Bench, cli, ok

_COLUMN = re.compile(r"  (\w+) (text|integer|real|any)\b(.*?),?(?:  -- (.*))?")
_REFERENCE = re.compile(r"references (\w+) \((\w+)\)")


def ledger() -> str:
    """Return one section for each table and view: its grain, its columns and what they mean."""
    tables = [line for statement in schema.table_statements().values() for line in _table(statement)]
    views = [line for statement in schema.view_statements().values() for line in _view(statement)]
    return "\n".join(["## Tables", *tables, "\n## Views", *views, ""])


def _head(statement: str) -> tuple[str, str]:
    """Return the name of a table or view and the comment that says what one row is."""
    found = re.match(r"create (?:table|view) (\w+)[^\n]*\n\s*-- (.*)\n", statement)
    assert found, statement
    return found[1], found[2]


def _table(statement: str) -> Iterator[str]:
    name, grain = _head(statement)
    yield f"\n### {name}\n\n{grain[0].upper()}{grain[1:]}.\n"
    yield "| Column | Type | Meaning |\n| --- | --- | --- |"
    keys = re.search(r"\n  primary key \((.*?)\)", statement)
    for line in statement.split("\n"):
        if column := _COLUMN.fullmatch(line):
            rule, meaning = column[3], column[4]
            assert meaning, f"{name}.{column[1]} has no comment"
            reference = _REFERENCE.search(rule)
            more = f" → `{reference[1]}.{reference[2]}`" if reference else ""
            null = "" if "not null" in rule else ", may be null"
            key = ", key" if "primary key" in rule or (keys and column[1] in keys[1].split(", ")) else ""
            yield f"| `{column[1]}` | {column[2]}{key}{null} | {meaning}{more} |"


def _view(statement: str) -> Iterator[str]:
    name, grain = _head(statement)
    yield f"\n### {name}\n\n{grain[0].upper()}{grain[1:]}.\n"
    body = statement.split("\n", 2)[2]
    yield f"```sql\n{body.strip()}\n```"


def as_text() -> str:
    """Return the lines that keep a ledger as text, and make it a ledger again."""
    kind = f"pragma application_id={schema.APPLICATION_ID}; pragma user_version={schema.USER_VERSION};"
    dump = f"(echo '{kind}'; sqlite3 -readonly ledger/prompteval.db .dump) > ledger.sql"
    return f"\n```sh\n{dump}\nsqlite3 new.db < ledger.sql\n```\n"


def lines_with(word: str, page: str) -> str:
    """Return the one block of shell lines in a document that holds a word."""
    blocks: list[str] = re.findall(r"```sh\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    (found,) = [block for block in blocks if word in block]
    return found


def run(command: str, lines: int | None = None) -> str:
    """Return a command and what it prints, or the first lines of it, as a code block."""
    program, *arguments = shlex.split(command)
    assert program == "prompteval"
    result = cli(*arguments)
    assert result.exit_code == 0, result.output
    printed = result.stdout.rstrip("\n").split("\n")
    cut = ["…"] if lines is not None and len(printed) > lines else []
    return "\n".join(["", "```console", f"$ {command}", *printed[:lines], *cut, "```", ""])


def run_json(command: str) -> str:
    """Return a command and the JSON that it prints, with the first object alone of each list, as a code block."""
    _, *arguments = shlex.split(command)
    return f"\n```console\n$ {command}\n{_compact(_first(json.loads(ok(*arguments))))}\n```\n"


def _first(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _first(inner) for key, inner in value.items()}
    return [_first(value[0])] if isinstance(value, list) and value and isinstance(value[0], dict) else value


def _compact(value: Any, indent: str = "") -> str:
    """Return JSON with as many values on a line as fit."""
    line: str = json.dumps(value, ensure_ascii=False)
    if len(indent + line) <= 100 or not isinstance(value, (dict, list)):
        return line
    within, names = indent + "  ", value if isinstance(value, dict) else [None] * len(value)
    inner = value.values() if isinstance(value, dict) else value
    lines = [""]
    for name, item in zip(names, inner, strict=True):
        text = ("" if name is None else f"{json.dumps(name)}: ") + _compact(item, within)
        if "\n" not in text + lines[-1] and len(f"{within}{lines[-1]} {text},") <= 100:
            lines[-1] = f"{lines[-1]} {text},".lstrip()
        else:
            lines.append(f"{text},")
    opening, closing = "[]" if isinstance(value, list) else "{}"
    whole = "\n".join(f"{within}{filled}" for filled in lines if filled).removesuffix(",")
    return f"{opening}\n{whole}\n{indent}{closing}"


def categories(suite: str) -> str:
    """Return a table of the fixtures that all runs of each version passed, by category."""
    found: dict[str, dict[str, list[bool]]] = {}
    heads = []
    for (other, version), runs in sorted(_passes().items()):
        if other == suite:
            heads.append(f"v{version}, {len(runs)} {'run' if len(runs) == 1 else 'runs'}")
            for name, passed in (each for run in runs for each in run.items()):
                found.setdefault(name.rpartition("-")[0], {}).setdefault(version, []).append(passed)
    rows = ["Category", *heads], ["---", *("---:" for _ in heads)]
    shares = ([name, *(f"{sum(each)}/{len(each)}" for each in sides.values())] for name, sides in found.items())
    return "\n".join(["", *(f"| {' | '.join(row)} |" for row in (*rows, *shares)), ""])


def flips() -> str:
    """Return a table of the recorded versions: on how many fixtures two runs of one differ, and on which any do."""
    lines = ["\n| Suite | Version | Runs | Two runs differ on | Which |", "| --- | --- | ---: | --- | --- |"]
    for (suite, version), runs in sorted(_passes().items()):
        names = [name for name in runs[0] if len({run[name] for run in runs}) > 1]
        pairs = [sum(one[name] != other[name] for name in names) for one, other in combinations(runs, 2)]
        mean = f"{sum(pairs) / len(pairs):.1f} of {len(runs[0])} fixtures" if pairs else "not known"
        lines.append(f"| {suite} | v{version} | {len(runs)} | {mean} | {', '.join(names)} |")
    return "\n".join([*lines, ""])


def _passes() -> dict[tuple[str, str], list[dict[str, bool]]]:
    """Return which fixtures each run passes, by suite and version, oldest run first."""
    found: dict[tuple[str, str], list[dict[str, bool]]] = {}
    for run in json.loads(ok("runs", "--format", "json"))["runs"]:
        report = json.loads(ok("score", "--run", run["id"], "--format", "json"))
        passes = {fixture["fixture_id"]: fixture["passed"] for fixture in report["fixtures"]}
        found.setdefault((run["suite"], run["version"]), []).append(passes)
    return found


def verdicts(*comparisons: str) -> str:
    """Return a list of what `diff` says first, each with the arguments that it was given."""
    lines = []
    for arguments in comparisons:
        (found,) = json.loads(ok("diff", *arguments.split(), "--format", "json"))["comparisons"]
        lines.append(f"- `diff {arguments}`: {found['evidence']['verdict']}")
    return "\n".join(["", *lines, ""])


def help_pages() -> str:
    """Return one section for each command: what `--help` prints, a hundred characters wide."""
    return "".join(_help_page([], main))


def _help_page(path: list[str], command: click.Command) -> Iterator[str]:
    result = CliRunner().invoke(main, [*path, "--help"], terminal_width=100, prog_name="prompteval")
    yield f"## {' '.join(['prompteval', *path])}\n\n```text\n{result.stdout.strip()}\n```\n\n"
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _help_page([*path, name], inner)


def worked_example(page: str) -> str:
    """Return what `score` prints for the labels and the answer that stand in a document, as its first two blocks."""
    text = (ROOT / page).read_text("utf-8")
    labels, answer = (re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)[0] for kind in ("yaml", "json"))
    fixture = yaml.safe_load(labels)
    name = fixture.pop("fixture_id")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), {name: fixture})
        bench.ingest("6", {name: json.loads(answer)})
        report = bench.report("score")
    shown = report[report.index("Totals") : report.index("Categories")]
    return f"\n```text\n{shown.strip()}\n```\n"


def sources() -> list[str]:
    """Return the documents that cog writes into, as paths from the root."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "fixtures").rglob("*.md"))]
    return [str(path.relative_to(ROOT)) for path in files if "[[[cog" in path.read_text("utf-8")]
