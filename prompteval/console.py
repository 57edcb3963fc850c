"""What commands share: options, output, and the one place where errors become messages."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any, TypeVar

import click

from prompteval.errors import PromptevalError
from prompteval.text import visible

Command = TypeVar("Command", bound=Callable[..., Any])
DEFAULT_LEDGER = Path("ledger/prompteval.db")
DEFAULT_FIXTURES = Path("fixtures")


class _NamedPath(click.Path):
    """A path that is not empty. A shell turns an unset variable into an empty one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the path is empty", param, ctx)
        return super().convert(value, param, ctx)


PATH = _NamedPath(path_type=Path, readable=False)  # whoever opens it reports errors
NAMED_FILE = _NamedPath(path_type=str, readable=False)  # FILE or NAME=FILE; its variable has several, as a PATH has


class Failure(click.ClickException):
    """An error for the user: one message, after the problems that caused it; exit code 2."""

    exit_code = 2

    def __init__(self, *lines: str) -> None:
        *self.problems, last = lines
        super().__init__(last)

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002
        tell(*self.problems, f"Error: {self.message}")


class Commands(click.Group):
    """The command group; it turns every expected failure into a message and an exit code.

    `modules` has the module of each command, by name, in the order in which they are listed.
    """

    def __init__(self, *args: Any, modules: Mapping[str, str], **extra: Any) -> None:
        super().__init__(*args, **extra)
        self._modules = modules

    def main(self, *args: Any, **extra: Any) -> Any:
        if sys.stdin is None:  # closed by whoever started us
            sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
        _speak_utf8()
        try:
            return super().main(*args, **extra)
        except OSError as error:  # of click's own: a help text or a message that cannot be written
            tell(f"Error: stdout or stderr cannot be written: {error.strerror}")
            sys.exit(2)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _expected():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _expected():
                return super().invoke(ctx)
        except PromptevalError as error:
            raise Failure(*error.lines) from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            raise Failure(f"{error.filename or 'a file'} cannot be used: {error.strerror}") from error

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """List commands in the order of the work, as they stand in cli.py."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command."""
        if cmd_name not in self._modules:
            return None
        command: click.Command = getattr(import_module(self._modules[cmd_name]), cmd_name)
        return command


class _PlainUsageError(click.UsageError):
    """A usage error in the requested encoding: click would turn an ascii stream into one of UTF-8."""

    def show(self, file: IO[Any] | None = None) -> None:
        super().show(file or sys.stderr)


@contextmanager
def _expected() -> Iterator[None]:
    """Remove what steers a terminal from click's own messages, and end on Ctrl-C with what is true at any moment."""
    try:
        yield
    except KeyboardInterrupt as error:
        tell("", "Interrupted; the ledger is intact.")
        raise click.exceptions.Exit(130) from error
    except click.UsageError as error:
        raise _PlainUsageError(visible.visible_text(error.format_message()), error.ctx) from error


def _speak_utf8() -> None:
    """Write the same bytes whatever the locale, unless PYTHONIOENCODING asks for others; never fail on a character."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            asked = os.environ.get("PYTHONIOENCODING", "").partition(":")[0]
            reconfigure(encoding=asked or "utf-8", errors="backslashreplace", newline="\n")


def tell(*lines: str) -> None:
    """Write lines to stderr, with nothing in them that steers a terminal. Without a stderr, they are lost."""
    try:
        click.echo(visible.lines(lines), file=sys.stderr, err=True, nl=False)
    except OSError:
        with open(os.devnull, "wb") as nowhere:  # or Python fails on the same bytes again at its exit
            os.dup2(nowhere.fileno(), 2)


def emit(text: str, output: Path | None, ledger: Path | None = None) -> None:
    """Write a report to a file or stdout. Raises PromptevalError if that fails or would overwrite the ledger."""
    try:
        if output is None:
            if sys.stdout is None:
                raise PromptevalError("the report cannot be written to stdout: it is closed")
            # file: click would make an ascii stream one of UTF-8. color: it would cut escapes out of a session.
            click.echo(_encodable(text), file=sys.stdout, nl=False, color=True)
            sys.stdout.flush()
            return
        if ledger is not None and output.exists() and output.samefile(ledger):
            raise PromptevalError(f"--output {output} is the ledger; name another file")
        output.write_bytes(text.encode("utf-8"))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise PromptevalError(f"the report cannot be written to {output or 'stdout'}: {error.strerror}") from error


def emit_unchanged(text: str, output: Path | None = None, ledger: Path | None = None) -> None:
    """Write a text that must not be changed. Raises PromptevalError if it could steer the terminal it goes to."""
    flat = text.replace("\t", " ")
    if output is None and sys.stdout is not None and sys.stdout.isatty() and visible.visible_text(flat) != flat:
        raise PromptevalError("the text holds control or bidi characters; write it to a file or a pipe, with > or |")
    emit(text, output, ledger)


def _encodable(text: str) -> str:
    """Write the arrow in ASCII if the encoding of the terminal lacks it."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return text.replace("\u2192", "->")
    return text


def lasting_option(*names: str, **attributes: Any) -> Callable[[Command], Command]:
    """Return a click option that can also be set by the variable PROMPTEVAL_NAME, which its help names.

    For places and for the tags of runs, which mean the same to every command. What narrows or shapes one report is
    asked for each time: a variable would do it to other reports unseen.
    """
    variable = "PROMPTEVAL_" + names[0].removeprefix("--").replace("-", "_").upper()
    return click.option(*names, envvar=variable, show_envvar=True, **attributes)


ledger_option = lasting_option(
    "--ledger", type=PATH, default=DEFAULT_LEDGER, show_default=True, metavar="FILE", help="The results ledger."
)
fixtures_option = lasting_option(
    "--fixtures", type=PATH, default=DEFAULT_FIXTURES, show_default=True, metavar="DIR", help="The fixture corpus."
)
with_option = lasting_option(
    "--with",
    "referenced",
    type=NAMED_FILE,
    multiple=True,
    metavar="[NAME=]FILE",
    help="A file the prompt refers to. NAME is what the prompt calls it, if that is not the name of FILE.",
)
run_option = click.option(
    "--run", "selector", default="latest", show_default=True, metavar="RUN", help="latest, a version or a run id."
)
labels_option = click.option(
    "--labels",
    type=click.Choice(["recorded", "latest"]),
    default="recorded",
    show_default=True,
    help="The labels the run was recorded with, or the latest ones.",
)
suite_option = click.option("--suite", metavar="NAME", help="Only this suite, if the ledger has several.")
output_option = click.option(
    "--output", type=PATH, metavar="FILE", help="Write the report to a file instead of stdout."
)


def format_option(*formats: str) -> Callable[[Command], Command]:
    """Return the option that names the format of a report; the first one is the default."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="The format of the report.",
    )
