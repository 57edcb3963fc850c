"""The house rules: who imports whom, what the package never does, what each command and public thing says of itself."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import click

from prompteval.cli import main
from tests.helpers import ROOT

PACKAGE = ROOT / "prompteval"
TREES = {path: ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}

# Lower layers first. A room is a module or a folder of the package; it imports from the layers before its own, and from
# its own where that makes no circle.
LAYERS = [
    {"errors", "digests"},
    {"outcomes", "model", "tags"},
    {"text"},
    {"inputs"},
    {"collect"},
    {"ledger"},
    {"samples", "stats", "context", "compare", "chance", "versions"},
    {"report"},
    {"console"},
    {"cli_work", "cli_reports", "cli_ledger"},
    {"cli"},
    {"__main__"},
]
# Who alone may import a library.
ALONE = {
    "click": {"cli", "cli_work", "cli_reports", "cli_ledger", "console"},
    "sqlite3": {"ledger"},
    "sqlite_utils": {"ledger"},
    "filelock": {"ledger"},
    "jinja2": {"report"},
    "markupsafe": {"report"},
    "yaml": {"inputs"},
    "jsonschema_rs": {"inputs"},
    "markdown_it": {"text"},
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
# What a report does without may not be loaded when the command line starts.
HEAVY = {
    *("yaml", "jsonschema_rs", "markdown_it", "sqlite_utils", "sqlite3", "filelock"),
    *("jinja2", "json"),
}


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted name of each module that a file imports, wherever in it."""
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(path: Path) -> str:
    """Return the room of a module: its file name, or the folder it stands in."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def arrows() -> dict[str, set[str]]:
    """Return the rooms that each room imports from."""
    found: dict[str, set[str]] = {room(path): set() for path in TREES if room(path) != "__init__"}
    for path in TREES:
        for name in imports(path):
            package, _, rest = name.partition(".")
            other = rest.split(".")[0]
            if package == "prompteval" and other in found and other != room(path):
                found[room(path)].add(other)
    return found


def commands(group: click.Group = main, before: str = "prompteval") -> dict[str, click.Command]:
    """Return every command by what a user types for it."""
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found[f"{before} {name}"] = command
        if isinstance(command, click.Group):
            found |= commands(command, f"{before} {name}")
    return found


def test_imports_point_one_way() -> None:
    level = {name: index for index, layer in enumerate(LAYERS) for name in layer}
    rooms = arrows()
    assert sorted(rooms.keys() - level) == [], "rooms that stand in no layer of LAYERS"
    wrong = [f"{name} imports {other}" for name in rooms for other in rooms[name] if level[other] > level[name]]
    assert sorted(wrong) == []
    TopologicalSorter(rooms).prepare()  # raises with the circle, where rooms of one layer make one


def test_libraries_stay_in_their_rooms() -> None:
    for path in TREES:
        for name in imports(path):
            library = name.split(".")[0]
            assert room(path) in ALONE.get(library, {room(path)}), f"{path} imports {library}"


def test_nothing_starts_a_process_or_opens_a_connection() -> None:
    for path, tree in TREES.items():
        for name in imports(path):
            parts = name.split(".")
            prefixes = {".".join(parts[: length + 1]) for length in range(len(parts))}
            assert not prefixes & NEVER or prefixes & ALLOWED, f"{path} imports {name}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                assert not CALLS.fullmatch(ast.unparse(node.func)), f"{path} calls {ast.unparse(node.func)}"


def test_the_check_of_calls_can_fail() -> None:
    for call in ("os.system", "os.execvp", "os.fork", "os.posix_spawn", "os.popen", "eval", "exec"):
        assert CALLS.fullmatch(call)
    for call in ("connection.execute", "re.compile", "os.open", "self.exec"):
        assert not CALLS.fullmatch(call)


def test_what_is_public_has_a_docstring() -> None:
    for path, tree in TREES.items():
        assert ast.get_docstring(tree) or not tree.body, path
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                assert ast.get_docstring(node), f"{path}: {node.name} has no docstring"


def test_every_command_has_help_with_an_example() -> None:
    for name, command in commands().items():
        assert re.search(rf"\x08\n *{name}\b", command.help or ""), name
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{name} {parameter.name} has no help"


def test_the_command_line_is_cheap_to_import() -> None:
    code = "import sys, prompteval.cli; print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert HEAVY & set(loaded.stdout.split()) == set()
