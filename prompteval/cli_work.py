"""The commands around the model: start a suite, check the fixtures, make a run, record it."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from prompteval.console import (
    DEFAULT_FIXTURES,
    DEFAULT_LEDGER,
    PATH,
    Command,
    emit,
    emit_unchanged,
    fixtures_option,
    lasting_option,
    ledger_option,
    output_option,
    tell,
    with_option,
)
from prompteval.errors import count
from prompteval.inputs import CONTRACTS
from prompteval.text.visible import lines

if TYPE_CHECKING:
    from prompteval.collect.prompt import Frame
    from prompteval.model import Contract, Suite


@click.command()
@click.option(
    "--contract", type=PATH, metavar="FILE", help="The JSON Schema of an answer; the pointers are suggested from it."
)
@click.argument("folder", type=PATH, metavar="DIR")
def init(folder: Path, contract: Path | None) -> None:
    """Create a starter suite in DIR: corpus.yaml, a contract, a labelled example session and a README.

    Existing files are never overwritten; if one is in the way, nothing is written.

    \b
    prompteval init evals/minutes
    prompteval init evals/entities --contract entities.schema.json
    """
    from prompteval.collect.init import write_suite

    emit(lines(write_suite(folder, contract)), None)


@click.command()
@click.argument("fixtures", type=PATH, default=Path("fixtures"), envvar="PROMPTEVAL_FIXTURES", required=False)
def check(fixtures: Path) -> None:
    """Check a corpus: pairs, front matter, segments, categories, and whether the terms are specific enough.

    Exits with 1 if there are problems; warnings do not change the exit code.

    \b
    prompteval check fixtures
    """
    from prompteval.inputs.checks import check_corpus

    checked = check_corpus(fixtures)
    warnings = (f"warning: {warning}" for warning in checked.warnings)
    emit(lines([*map(str, checked.problems), *warnings, checked.summary]), None)
    if checked.problems:
        raise click.exceptions.Exit(1)


def _prompt_options(command: Command) -> Command:
    """Add the options that say what is pasted with a session."""
    for option in (
        lasting_option(
            "--placeholder",
            metavar="TEXT",
            help="What the transcript replaces; default: a line with [TRANSCRIPT PLACEHOLDER, {{transcript}} or "
            "{{session}}.",
        ),
        with_option,
        lasting_option(
            "--prompt", "prompt_file", type=PATH, metavar="FILE", help="The prompt that the transcript goes into."
        ),
    ):
        command = option(command)
    return command


@click.command()
@_prompt_options
@lasting_option("--results", type=PATH, required=True, metavar="DIR", help="The folder of the run's results.")
@output_option
@fixtures_option
def sheet(
    *,
    prompt_file: Path | None,
    referenced: tuple[str, ...],
    placeholder: str | None,
    results: Path,
    output: Path | None,
    fixtures: Path,
) -> None:
    """Write a page to make a run with: a card for each session without an answer in DIR.

    The page copies the prompts, takes the replies and downloads them as one file for 'prompteval save --sheet'. It does
    not reveal which fixture a card is, and it sends nothing.

    \b
    prompteval sheet --prompt extract.md --with criteria.md --results tmp/v7-1 --output tmp/v7-1.html
    """
    from prompteval.collect.cards import open_cards
    from prompteval.collect.sheet import sheet_page
    from prompteval.inputs.suite import read_suite

    suite = read_suite(fixtures)
    frame = _frame(suite, prompt_file, referenced, placeholder)
    cards = open_cards(fixtures, suite, results)
    given = [("--results", results), ("--prompt", prompt_file), *(("--with", each) for each in referenced)]
    given += [("--placeholder", placeholder)] if placeholder is not None else []
    given += [("--fixtures", fixtures)] if fixtures != DEFAULT_FIXTURES else []
    emit(sheet_page(frame, cards, suite.contract, results, [str(each) for pair in given for each in pair]), output)
    tell(f"{count(len(cards), 'card')}; open {output or 'the page'} in a browser")


@click.command()
@_prompt_options
@click.option("--body", is_flag=True, help="Print only the transcript.")
@click.option("--all", "folder", type=PATH, metavar="DIR", help="Write a text for each fixture to DIR.")
@lasting_option("--results", type=PATH, metavar="DIR", help="With --all: only for fixtures without an answer in DIR.")
@fixtures_option
@click.argument("fixture", required=False)
def prompt(
    *,
    fixture: str | None,
    prompt_file: Path | None,
    referenced: tuple[str, ...],
    placeholder: str | None,
    body: bool,
    folder: Path | None,
    results: Path | None,
    fixtures: Path,
) -> None:
    """Print what to paste into a fresh conversation: the prompt with the session of FIXTURE.

    The output does not reveal the fixture's name, category or labels. A file given with --with appears under the name
    that the prompt uses for it. If the prompt has no placeholder, the session is appended. --all writes what to paste
    for each fixture to a file of its own, under a name that does not reveal the fixture either.

    \b
    prompteval prompt admit-gotcha-01 --prompt extract.md --with criteria.md
    prompteval prompt admit-gotcha-01 --prompt extract.md --with docs/criteria.md=criteria.v2.md
    prompteval prompt --all tmp/texts --results tmp/v7-1 --prompt extract.md --with criteria.md
    """
    from prompteval.collect.cards import open_cards, read_cards, write_texts
    from prompteval.collect.prompt import transcript
    from prompteval.collect.save import known_fixture
    from prompteval.inputs.fixtures import session_files
    from prompteval.inputs.suite import read_suite

    if (fixture is None) == (folder is None) or (folder and body):
        raise click.UsageError("give one FIXTURE, or --all DIR")
    suite = read_suite(fixtures)
    if folder:
        frame = _frame(suite, prompt_file, referenced, placeholder)
        cards = open_cards(fixtures, suite, results) if results else read_cards(fixtures, suite)
        write_texts(frame, cards, folder)
        emit(lines([f"{count(len(cards), 'text')} in {folder}"]), None)
        return
    sessions = session_files(fixtures, suite)
    text = transcript(sessions[known_fixture(fixture or "", sessions)], suite.plain)
    if not body:
        text = _frame(suite, prompt_file, referenced, placeholder).around(text)
    emit_unchanged(text)


@click.command()
@lasting_option("--results", type=PATH, required=True, metavar="DIR", help="The folder of the run's results.")
@click.option("--as-is", is_flag=True, help="Save a reply without a valid answer, byte for byte.")
@click.option("--force", is_flag=True, help="Replace an existing result.")
@click.option("--sheet", "download", type=PATH, metavar="FILE", help="Save the replies that a sheet downloaded.")
@click.option("--all", "folder", type=PATH, metavar="DIR", help="Save the replies in DIR, named as by prompt --all.")
@_prompt_options
@fixtures_option
@click.argument("fixture", required=False)
@click.argument("reply", type=click.File("rb"), default="-")
def save(
    *,
    fixture: str | None,
    reply: IO[bytes],
    results: Path,
    fixtures: Path,
    download: Path | None,
    folder: Path | None,
    prompt_file: Path | None,
    referenced: tuple[str, ...],
    placeholder: str | None,
    as_is: bool,
    force: bool,
) -> None:
    """Save REPLY (a file, or standard input) as the result of FIXTURE.

    The reply holds one JSON object: bare, in a code fence or after prose. It is checked and written to
    DIR/FIXTURE.json.

    --sheet and --all save many replies, each under the fixture whose session was pasted. Replies to another prompt than
    --prompt and --with are refused. Good replies are saved, the others listed, and then the command exits with 1.

    \b
    prompteval save admit-gotcha-01 --results tmp/results
    prompteval save admit-gotcha-01 reply.txt --results tmp/results
    prompteval save --sheet v7-1.replies.json --results tmp/v7-1 --prompt extract.md --with criteria.md
    prompteval save --all tmp/texts --results tmp/v7-1 --prompt extract.md --with criteria.md
    """
    from prompteval.collect.cards import file_replies, folder_replies, read_cards, sheet_replies
    from prompteval.collect.save import known_fixture, save_reply
    from prompteval.collect.terminal import END_OF_INPUT, read_pasted
    from prompteval.inputs.files import LARGEST
    from prompteval.inputs.fixtures import session_files
    from prompteval.inputs.suite import read_suite
    from prompteval.report.progress import filed_lines, saved_lines

    if [fixture, download, folder].count(None) != 2:
        raise click.UsageError("give one FIXTURE, --sheet FILE or --all DIR")
    suite = read_suite(fixtures)
    if fixture is not None:
        known = known_fixture(fixture, session_files(fixtures, suite))
        if reply.isatty():
            tell(f"Paste the reply for {fixture} (it is not shown), then press {END_OF_INPUT}.")
        data, target = read_pasted(reply, LARGEST), results / f"{known}.json"
        emit(lines(saved_lines(save_reply(data, target, suite.contract, as_is=as_is, force=force))), None)
        return
    cards = read_cards(fixtures, suite)
    if folder:
        frame = _frame(suite, prompt_file, referenced, placeholder) if prompt_file else None
        replies, problems = folder_replies(folder, cards, frame)
    else:
        replies, problems = sheet_replies(download or Path(), _frame(suite, prompt_file, referenced, placeholder)), []
    filed = file_replies(replies, cards, suite.contract, results, as_is=as_is, force=force)
    filed.problems.extend(problems)
    emit(lines(filed_lines(filed, results)), None)
    if filed.problems:
        raise click.exceptions.Exit(1)


def _frame(suite: Suite, prompt_file: Path | None, referenced: tuple[str, ...], placeholder: str | None) -> Frame:
    """Return the prompt as it stands around a session, and say what may be wrong with it."""
    from prompteval.collect.prompt import prompt_frame
    from prompteval.inputs.prompts import read_prompts

    if prompt_file is None:
        raise click.UsageError("give the prompt with --prompt FILE; 'prompteval prompt --body' needs none")
    prompts = read_prompts(prompt_file, referenced)
    frame = prompt_frame(prompts, suite.placeholder if placeholder is None else placeholder)
    tell(*(f"Warning: {warning}" for warning in frame.warnings))
    return frame


@click.command()
@click.option("--next", "next_only", is_flag=True, help="Print only the next missing fixture, or nothing.")
@fixtures_option
@click.argument("results", type=PATH)
def status(results: Path, fixtures: Path, next_only: bool) -> None:
    """Show the progress of a run: the saved, invalid and missing answers in RESULTS, and the next command.

    \b
    prompteval status tmp/results
    prompteval status --next tmp/results
    """
    from prompteval.collect.status import read_status
    from prompteval.report.progress import status_lines

    state = read_status(fixtures, results)
    if next_only:
        emit(lines(state.missing[:1]), None)
    else:
        emit(lines(status_lines(state, results, None if fixtures == DEFAULT_FIXTURES else fixtures)), None)


@click.command()
@lasting_option("--version", metavar="V", help="The prompt version, such as 6 or v6. Needed with RESULTS.")
@lasting_option("--model", metavar="NAME", help="The model that answered. Needed with RESULTS.")
@lasting_option("--temperature", metavar="NUMBER", help="The sampling temperature, if known.")
@lasting_option("--harness", metavar="NAME", help="The program that ran the conversations.")
@lasting_option("--note", metavar="TEXT", help="A remark to store with the run.")
@lasting_option(
    "--prompt", type=PATH, metavar="FILE", help="The prompt file: its digest is kept, its Version: compared."
)
@with_option
@click.option("--partial", is_flag=True, help="Record the run even if results are missing.")
@click.option("--repeat", is_flag=True, help="Record answers that are already recorded, as a repeat.")
@fixtures_option
@ledger_option
@click.argument("results", type=PATH, required=False)
def ingest(
    *,
    fixtures: Path,
    ledger: Path,
    results: Path | None,
    partial: bool,
    repeat: bool,
    version: str | None,
    model: str | None,
    temperature: str | None,
    harness: str | None,
    note: str | None,
    prompt: Path | None,
    referenced: tuple[str, ...],
) -> None:
    """Record one run: the fixtures, and the answers in RESULTS, one FIXTURE.json each.

    Without RESULTS, only the fixtures are recorded. The ledger only grows, so incomplete results are refused without
    --partial, and answers that are already recorded without --repeat.

    \b
    prompteval ingest --version 6 --model X --temperature 0 tmp/results
    prompteval ingest --version 6 --model X --prompt extract.md --with criteria.md tmp/results
    """
    from prompteval.ledger.ingest import ingest as take_in
    from prompteval.ledger.ingest import read_tags
    from prompteval.report.ingested import ingested_lines

    tags = None
    if results:
        if referenced and prompt is None:
            raise click.UsageError("--with names a file that the prompt refers to; give the prompt with --prompt FILE")
        tags = read_tags(
            version=version,
            model=model,
            temperature=temperature,
            harness=harness,
            note=note,
            prompt=prompt,
            referenced=referenced,
        )
    ingested = take_in(fixtures, ledger, results, tags, partial=partial, repeat=repeat)
    tell(*(f"Warning: {warning}" for warning in ingested.warnings))
    emit(lines(ingested_lines(ingested, None if ledger == DEFAULT_LEDGER else ledger)), None)


@click.command()
@fixtures_option
@click.argument("name", type=click.Choice(CONTRACTS), required=False)
def schema(name: str | None, fixtures: Path) -> None:
    """Print a contract as JSON Schema: the one of the suite's answers, or the shipped one called NAME.

    \b
    prompteval schema
    prompteval schema expected-labels
    """
    import json

    from prompteval.inputs.contract import contract_text

    text = contract_text(name) if name else json.dumps(_answers(fixtures).schema, indent=2, ensure_ascii=False) + "\n"
    emit(text, None)


@click.command()
@click.option(
    "--contract",
    "name",
    type=click.Choice(CONTRACTS),
    help="The contract; by default chosen by the file's extension.",
)
@fixtures_option
@click.argument("files", type=PATH, nargs=-1, required=True)
def validate(name: str | None, fixtures: Path, files: tuple[Path, ...]) -> None:
    """Validate files against a contract; a folder means its .json files.

    Answers are checked against the contract of the suite in --fixtures. Exits with 1 if there are problems.

    \b
    prompteval validate tmp/results
    prompteval validate --contract expected-labels fixtures/expected/admit-gotcha-01.yaml
    """
    from prompteval.inputs.contract import default_contract
    from prompteval.inputs.validate import ANSWERS, validate_files

    answers = default_contract() if name == ANSWERS else _answers(fixtures)
    outcome = validate_files(files, name, answers)
    tell(*(f"Warning: {warning}" for warning in outcome.warnings))
    emit(lines([*map(str, outcome.problems), outcome.summary]), None)
    if outcome.problems:
        raise click.exceptions.Exit(1)


def _answers(fixtures: Path) -> Contract:
    """Return the contract of the suite in a folder, which only by default need not be there."""
    from prompteval.inputs.suite import read_suite

    if fixtures != DEFAULT_FIXTURES and not fixtures.is_dir():
        raise click.UsageError(f"no suite in {fixtures}: it is not a folder")
    return read_suite(fixtures).contract
