"""The commands that look after the ledger file itself."""

from __future__ import annotations

from pathlib import Path

import click

from prompteval.errors import count
from prompteval.options import PATH, emit, ledger_option
from prompteval.plain import lines


@click.group("ledger")
def ledger_commands() -> None:
    """Look after the ledger file: verify it, merge others into it.

    \b
    prompteval ledger verify
    """


@ledger_commands.command()
@ledger_option
def verify(ledger: Path) -> None:
    """Recompute every digest, run id and searched text, and compare tables, triggers and views to the letter.

    Exit code 1 when something is wrong.

    \b
    prompteval ledger verify
    """
    from prompteval.ledger.verify import verify as verify_ledger

    problems, counted = verify_ledger(ledger)
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
    emit(lines([f"{ledger} has {count(merged.runs, 'run')} now, {merged.new} of them new"]), None)


@ledger_commands.command()
@click.argument("ledger", type=PATH)
def textconv(ledger: Path) -> None:
    """Print a ledger as text, for git: which runs it holds and how each fixture came out.

    With the configuration below, `git diff` and `git log -p` show it in place of "Binary files differ".

    \b
    prompteval ledger textconv ledger/prompteval.db
    git config diff.prompteval.textconv "prompteval ledger textconv"
    """
    from prompteval.evaluate import all_outcomes
    from prompteval.report.textconv import textconv_lines

    emit(lines(textconv_lines(all_outcomes(ledger))), None)
