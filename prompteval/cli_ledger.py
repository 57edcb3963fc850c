"""The commands that look after the ledger file itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from prompteval.console import PATH, emit, ledger_option, tell
from prompteval.errors import LedgerError, count
from prompteval.text.visible import lines

if TYPE_CHECKING:
    from prompteval.ledger.merge import Merged


def _grown(ledger: object, merged: Merged) -> str:
    return f"{ledger} has {count(merged.runs, 'run')} now, {merged.new} of them new"


@click.group("ledger")
def ledger_commands() -> None:
    """Look after the ledger file: verify it, merge others into it, read it in git.

    \b
    prompteval ledger verify
    """


@ledger_commands.command()
@ledger_option
@click.option("--against", metavar="STATE", help="An earlier state that nothing may be missing of: a file or a commit.")
def verify(ledger: Path, against: str | None) -> None:
    """Recompute every digest, run id and searched text, and compare tables, triggers and views to the letter.

    With --against, also look for facts of an earlier state of the ledger that are missing or changed. Exit code 1 when
    something is wrong.

    \b
    prompteval ledger verify
    prompteval ledger verify --against main
    """
    from prompteval.ledger.verify import lost
    from prompteval.ledger.verify import verify as verify_ledger

    problems, counted = verify_ledger(ledger)
    if against is not None:
        problems += lost(ledger, against)
    verdict = f"{count(len(problems), 'problem')} in {ledger}: {counted}"
    emit(lines([*map(str, problems), verdict]), None)
    if problems:
        raise click.exceptions.Exit(1)


@ledger_commands.command()
@ledger_option
@click.argument("others", type=PATH, nargs=-1, required=True)
def merge(ledger: Path, others: tuple[Path, ...]) -> None:
    """Add every run, session and label of OTHERS to the ledger.

    The result is the same file whichever is merged into which. A run that is in several is there once. Whatever does
    not verify is refused, and then nothing is written.

    \b
    prompteval ledger merge ../colleague/ledger/prompteval.db
    """
    from prompteval.ledger.merge import merge as merge_ledgers

    merged = merge_ledgers(ledger, others)
    emit(lines([_grown(ledger, merged)]), None)


@ledger_commands.command()
@click.argument("ledger", type=PATH)
def textconv(ledger: Path) -> None:
    """Print a ledger as text, for git: which labels and runs it holds and how each fixture came out.

    With the configuration below, `git diff` and `git log -p` show it in place of "Binary files differ". Of a state that
    cannot be read they show why, since git would stop there.

    \b
    prompteval ledger textconv ledger/prompteval.db
    git config diff.prompteval.textconv "prompteval ledger textconv"
    """
    from prompteval.evaluate import whole_ledger
    from prompteval.report.textconv import textconv_lines

    if not ledger.is_file():
        raise LedgerError(f"{ledger} is no file")
    try:
        text = lines(textconv_lines(*whole_ledger(ledger, "this state")))
    except LedgerError as error:
        text = lines([str(error)])
    emit(text, None)


@ledger_commands.command("merge-driver")
@click.argument("base", type=PATH)
@click.argument("ours", type=PATH)
@click.argument("theirs", type=PATH)
@click.argument("name", default="the ledger")
def merge_driver(base: Path, ours: Path, theirs: Path, name: str) -> None:
    """Merge three states of a ledger into OURS, for git: ours, and what theirs has beyond the base.

    A run that one side lost is a conflict; OURS then stays as it is. With the configuration below, git merges, rebases
    and cherry-picks ledgers by itself.

    \b
    prompteval ledger merge-driver BASE OURS THEIRS
    git config merge.prompteval.driver "prompteval ledger merge-driver %O %A %B %P"
    """
    from prompteval.ledger.merge import drive

    merged = drive(base, ours, theirs)
    tell(_grown(name, merged))


@ledger_commands.command()
@ledger_option
def resolve(ledger: Path) -> None:
    """Merge a ledger that git left in conflict, as the merge driver would have, where none was set up.

    The sides are those that git keeps until the conflict is over; nothing is staged or committed.

    \b
    prompteval ledger resolve && git add ledger/prompteval.db
    """
    from shlex import quote

    from prompteval.ledger.merge import resolve as resolve_conflict

    merged = resolve_conflict(ledger)
    emit(lines([_grown(ledger, merged), f"next: git add {quote(str(ledger))}"]), None)


@ledger_commands.command("git-setup")
@click.option("--remove", is_flag=True, help="Take the lines out again.")
@ledger_option
def git_setup(ledger: Path, remove: bool) -> None:
    """Write the lines into .git/config of this clone that let git show and merge the ledger with this installation.

    Everything works without them; `ledger resolve` then mends what git could not merge.

    \b
    prompteval ledger git-setup
    """
    import sys
    from shlex import quote

    from prompteval.gitrepo import configure

    python = quote(Path(sys.executable).as_posix())  # a virtual environment is not always active
    # Not from the current folder, which is a repository that anybody may have filled: -P, and before 3.11 -I.
    safe = "-P" if sys.version_info >= (3, 11) else "-I"
    config = configure(ledger, None if remove else f"{python} {safe} -m prompteval")
    emit(lines([f"diff.prompteval and merge.prompteval {'taken out of' if remove else 'set in'} {config}"]), None)


@ledger_commands.command()
@ledger_option
def digest(ledger: Path) -> None:
    """Print the digest of all facts in a ledger that verifies: the same for every file that holds them.

    \b
    prompteval ledger digest
    """
    from prompteval.ledger import content
    from prompteval.ledger.merge import checked

    emit(lines([content.digest(checked(ledger))]), None)


@ledger_commands.command("export")
@ledger_option
@click.argument("folder", type=PATH)
def export_(ledger: Path, folder: Path) -> None:
    """Write the ledger as text: one file a run, one a corpus revision, for people who would rather commit text.

    A file that is there already is left alone where it says the same, and never overwritten where it does not.

    \b
    prompteval ledger export tmp/ledger
    """
    from prompteval.ledger.export import export_ledger

    emit(lines([f"{folder} has {export_ledger(ledger, folder)}"]), None)


@ledger_commands.command("import")
@ledger_option
@click.argument("folder", type=PATH)
def import_(ledger: Path, folder: Path) -> None:
    """Add what `ledger export` wrote to the ledger. What does not verify is refused, and then nothing is written.

    \b
    prompteval ledger import tmp/ledger
    """
    from prompteval.ledger.export import import_ledger

    merged = import_ledger(ledger, folder)
    emit(lines([_grown(ledger, merged)]), None)
