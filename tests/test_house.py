"""The house rules: who imports whom, what the package never does, how long things may be."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from prompteval.cli import main
from tests.helpers import ROOT

PACKAGE = ROOT / "prompteval"
MODULES = sorted(PACKAGE.rglob("*.py"))
SOURCES = [*MODULES, *sorted((ROOT / "tests").rglob("*.py"))]

# Lower layers first; a module imports from its own layer's left only. Folders stand for their modules.
LAYERS = [
    {"errors", "plain", "terminal", "fold", "outcome", "exact", "digest"},
    {
        "marks",
        "model",
        "textfile",
        "strict_json",
        "yaml_text",
        "contract",
        "reading",
        "detail",
        "copies",
        "measures",
    },
    {"folder", "tags", "compare", "evidence"},
    {"fixtures", "results"},
    {"wording", "checks", "reply", "paste", "save", "status", "validate", "ledger"},
    {"evaluate", "ingest"},
    {"examine"},
    {"report"},
    {"options"},
    {"cli_ledger"},
    {"cli"},
]
# Who alone may import a library.
ALONE = {
    "click": {"cli", "cli_ledger", "options"},
    "sqlite3": {"ledger"},
    "sqlite_utils": {"ledger"},
    "filelock": {"ledger"},
    "tabulate": {"report"},
    "jinja2": {"report"},
    "markupsafe": {"report"},
    "yaml": {"yaml_text"},
    "jsonschema_rs": {"contract"},
    "markdown_it": {"reading"},
}
# What can start a process, open a connection or change the machine.
NEVER = {
    *("subprocess", "multiprocessing", "socket", "socketserver", "ssl", "http", "urllib", "ftplib", "smtplib"),
    *("imaplib", "poplib", "telnetlib", "xmlrpc", "asyncio", "selectors", "webbrowser", "pty", "ctypes", "antigravity"),
    *("requests", "httpx", "aiohttp", "concurrent", "signal", "sched", "importlib.metadata"),
    "urllib3",
}
ALLOWED = {"urllib.parse"}  # writes and reads text, and nothing else
CALLS = re.compile(
    r"os\.(system|popen|exec\w*|spawn\w*|fork\w*|posix_spawn\w*|startfile)|(?<!\.)(eval|exec|__import__)"
)


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted name of each module that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(path: Path) -> str:
    """Return the layer name of a module: its file name, or the folder it stands in."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", [p for p in MODULES if not room(p).startswith("__")], ids=lambda p: str(p.name))
def test_imports_point_one_way(path: Path) -> None:
    mine = next(index for index, layer in enumerate(LAYERS) if room(path) in layer)
    for name in imports(path):
        if name.startswith("prompteval."):
            other = name.split(".")[1]
            if not (PACKAGE / other).is_dir() and not (PACKAGE / f"{other}.py").exists():
                continue  # a name of the package itself
            theirs = next(index for index, layer in enumerate(LAYERS) if other in layer)
            assert theirs < mine or other == room(path) or (theirs == mine and other in LAYERS[mine]), name


def test_every_module_stands_in_a_layer() -> None:
    rooms = {room(path) for path in MODULES} - {"__init__", "__main__"}
    assert rooms == set().union(*LAYERS)


def test_no_two_modules_import_each_other() -> None:
    """Within a layer the order is free, so a circle has to be ruled out by itself."""
    graph = {room(path): {n.split(".")[1] for n in imports(path) if n.startswith("prompteval.")} for path in MODULES}

    def reach(start: str, seen: frozenset[str]) -> set[str]:
        found = set()
        for name in graph.get(start, set()) - seen - {start}:
            found |= {name} | reach(name, seen | {name})
        return found

    assert not [name for name in graph if any(name in graph.get(other, ()) for other in reach(name, frozenset()))]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.name))
def test_libraries_stay_in_their_rooms(path: Path) -> None:
    for name in imports(path):
        library = name.split(".")[0]
        assert room(path) in ALONE.get(library, {room(path)}), f"{path.name} imports {library}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.name))
def test_nothing_starts_a_process_or_opens_a_connection(path: Path) -> None:
    for name in imports(path):
        parts = name.split(".")
        prefixes = {".".join(parts[: length + 1]) for length in range(len(parts))}
        assert not prefixes & NEVER or prefixes & ALLOWED, f"{path.name} imports {name}"
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            assert not CALLS.fullmatch(ast.unparse(node.func)), f"{path.name} calls {ast.unparse(node.func)}"


def test_the_check_of_calls_can_fail() -> None:
    for call in ("os.system", "os.execvp", "os.fork", "os.posix_spawn", "os.popen", "eval", "exec"):
        assert CALLS.fullmatch(call)
    for call in ("connection.execute", "re.compile", "os.open", "self.exec"):
        assert not CALLS.fullmatch(call)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.name))
def test_nothing_is_too_long(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= 400, f"{path} is longer than 400 lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert (node.end_lineno or 0) - node.lineno < 40, f"{path.name}: {node.name} is longer than 40 lines"
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            assert len(arguments) <= 5, f"{path.name}: {node.name} has more than 5 parameters"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.name))
def test_what_is_public_has_a_docstring(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree) or not tree.body, path
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{path.name}: {node.name} has no docstring"


def commands(group: click.Group = main, before: str = "prompteval") -> dict[str, click.Command]:
    """Return every command by what a user types for it."""
    found: dict[str, click.Command] = {}
    for name, command in group.commands.items():
        found[f"{before} {name}"] = command
        if isinstance(command, click.Group):
            found |= commands(command, f"{before} {name}")
    return found


@pytest.mark.parametrize("name", commands())
def test_every_command_has_help_with_an_example(name: str) -> None:
    command = commands()[name]
    assert re.search(rf"\x08\n *{name}\b", command.help or "")
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.name} has no help"


def test_only_score_and_its_like_are_cheap_to_import() -> None:
    """What a report does without may not be loaded when the command line starts."""
    import os
    import subprocess

    code = "import sys, prompteval.cli; print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    heavy = {
        "yaml",
        "jsonschema_rs",
        "markdown_it",
        "sqlite_utils",
        "tabulate",
        "jinja2",
        "sqlite3",
        "json",
        "filelock",
    }
    assert not heavy & set(loaded.stdout.split())
