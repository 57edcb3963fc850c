"""The commands that look after the ledger file itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prompteval.console import PATH, emit, ledger_option, tell
from prompteval.errors import LedgerError, count
from prompteval.text.visible import lines, wrapped

if TYPE_CHECKING:
    from prompteval.ledger.merge import Merged

_STALE = "search texts and views were made by other rules; the next ingest refreshes them"


@contextmanager
def _files(ledgers: Iterable[Path]) -> Iterator[dict[str, Path]]:
    """Yield the file of each ledger under the name that messages call it by; `-` is the ledger on stdin.

    Raises LedgerError if stdin is empty, as it is after a `git show` that failed.
    """
    import shutil
    import sys
    import tempfile

    files = {str(path): path for path in ledgers}
    with tempfile.TemporaryDirectory() as folder:
        if files.pop("-", None):
            piped = Path(folder) / "ledger.db"
            with piped.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
            if not piped.stat().st_size:
                raise LedgerError("stdin is empty, not a ledger; nothing was done")
            files["the ledger on stdin"] = piped
        yield files


def _grown(ledger: object, merged: Merged) -> str:
    return f"{ledger} has {count(merged.runs, 'run')} now, {merged.new} of them new"


@click.group()
def ledger() -> None:
    """Maintain the ledger file: verify it, merge others into it, show it in git.

    \b
    prompteval ledger verify
    """


@ledger.command()
@ledger_option
@click.option(
    "--against", type=PATH, metavar="FILE", help="Report anything in this earlier ledger that is missing now."
)
def verify(ledger: Path, against: Path | None) -> None:
    """Check every text against its digest and every row against its checksum, and compare tables and triggers.

    With --against, also report facts of an earlier ledger that are missing or changed; `-` reads that ledger from
    stdin. Exits with 1 if there are problems.

    \b
    prompteval ledger verify
    git show main:ledger/prompteval.db | prompteval ledger verify --against -
    """
    from prompteval.ledger.integrity import verify as verify_ledger

    with _files([against] if against else []) as files:
        problems, counted, stale = verify_ledger(ledger, files)
    verdict = [*wrapped(f"{count(len(problems), 'problem')} in {ledger}: {counted}", more="  "), *[_STALE] * stale]
    emit(lines([*map(str, problems), *verdict]), None)
    if problems:
        raise click.exceptions.Exit(1)


@ledger.command()
@ledger_option
@click.argument("others", type=PATH, nargs=-1, required=True)
def merge(ledger: Path, others: tuple[Path, ...]) -> None:
    """Add every run, session and label of OTHERS to the ledger; `-` reads a ledger from stdin.

    The result is the same file in whichever direction you merge. A run that is in several ledgers is stored once. If
    one of them does not verify, nothing is written.

    \b
    prompteval ledger merge ../colleague/ledger/prompteval.db
    git show :3:ledger/prompteval.db | prompteval ledger merge -
    """
    from prompteval.ledger.merge import merge as merge_ledgers

    with _files(others) as files:
        merged = merge_ledgers(ledger, files)
    emit(lines([_grown(ledger, merged)]), None)


@ledger.command()
@click.argument("ledger", type=PATH)
def textconv(ledger: Path) -> None:
    """Print a ledger as text, for git: its labels, its runs and the outcome of each fixture.

    With the configuration below, `git diff` and `git log -p` show this text instead of "Binary files differ". For a
    ledger that cannot be read it is the reason, because git stops at an error.

    \b
    prompteval ledger textconv ledger/prompteval.db
    git config diff.prompteval.textconv "prompteval ledger textconv"
    """
    from prompteval.ledger.ledger import Ledger
    from prompteval.report.textconv import textconv_lines
    from prompteval.versions import whole_ledger

    if not ledger.is_file():
        raise LedgerError(f"{ledger} is not a file")
    try:
        with Ledger.open(ledger, "this state") as opened:
            text = lines(textconv_lines(*whole_ledger(opened)))
    except LedgerError as error:
        text = lines([str(error)])
    emit(text, None)


@ledger.command("merge-driver")
@click.argument("base", type=PATH)
@click.argument("ours", type=PATH)
@click.argument("theirs", type=PATH)
@click.argument("name", default="the ledger")
def merge_driver(base: Path, ours: Path, theirs: Path, name: str) -> None:
    """Git merge driver: merge BASE, OURS and THEIRS into OURS.

    A run that one side lost is a conflict; OURS is then left unchanged. With the lines below, the last of which goes
    into .gitattributes, git shows, merges, rebases and cherry-picks ledgers by itself.

    \b
    prompteval ledger merge-driver BASE OURS THEIRS
    git config diff.prompteval.textconv "prompteval ledger textconv"
    git config merge.prompteval.driver "prompteval ledger merge-driver %O %A %B %P"
    ledger/*.db -text diff=prompteval merge=prompteval
    """
    from prompteval.ledger.merge import drive

    merged = drive(base, ours, theirs)
    tell(_grown(name, merged))
