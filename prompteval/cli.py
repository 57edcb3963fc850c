"""The commands. Each opens, asks, renders and says; what it does stands elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import click

from prompteval import __version__
from prompteval.cli_ledger import ledger_commands
from prompteval.console import (
    DEFAULT_FIXTURES,
    DEFAULT_LEDGER,
    PATH,
    Commands,
    Progress,
    emit,
    emit_unchanged,
    fixtures_option,
    format_option,
    labels_option,
    lasting_option,
    ledger_option,
    output_option,
    run_option,
    tell,
)
from prompteval.inputs.contract import CONTRACTS, REPORTS
from prompteval.text.visible import lines

FORMATS = ("text", "markdown", "json", "csv")
PAGES = (*FORMATS, "html")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="prompteval")
def main() -> None:
    """Tell whether a new version of an extraction prompt is better than the last.

    A human runs each version by hand over labelled sessions and saves the answers. prompteval keeps them in a ledger,
    scores them by fixed rules and compares versions. It never runs a model.

    \b
    prompteval ingest --version 6 --model X tmp/results
    prompteval score --run latest
    prompteval diff v5 v6
    """


@main.command()
@click.argument("fixtures", type=PATH, default=Path("fixtures"), envvar="PROMPTEVAL_FIXTURES", required=False)
def check(fixtures: Path) -> None:
    """Check a corpus as its author would: pairs, front matter, segments, categories, and what the terms are worth.

    Problems have to be fixed, and then the exit code is 1; warnings should be read.

    \b
    prompteval check fixtures
    """
    from prompteval.inputs.checks import check_corpus

    checked = check_corpus(fixtures)
    warnings = (f"warning: {warning}" for warning in checked.warnings)
    emit(lines([*map(str, checked.problems), *warnings, checked.summary]), None)
    if checked.problems:
        raise click.exceptions.Exit(1)


@main.command()
@lasting_option("--prompt", "prompt_file", type=PATH, metavar="FILE", help="The prompt to put the transcript into.")
@lasting_option("--with", "referenced", type=PATH, multiple=True, metavar="FILE", help="A file the prompt refers to.")
@click.option("--body", is_flag=True, help="Print the transcript alone.")
@fixtures_option
@click.argument("fixture")
def prompt(fixture: str, prompt_file: Path | None, referenced: tuple[Path, ...], body: bool, fixtures: Path) -> None:
    """Print what to paste into a fresh conversation: the prompt with the session of FIXTURE in its place.

    Nothing in it tells the fixture's name, category or labels.

    \b
    prompteval prompt admit-gotcha-01 --prompt extract.md --with criteria.md
    """
    from prompteval.collect.prompt import pasted_text, transcript
    from prompteval.collect.save import known_fixture
    from prompteval.inputs.fixtures import fixture_ids

    text = transcript(fixtures, known_fixture(fixture, fixture_ids(fixtures)))
    if not body:
        if prompt_file is None:
            raise click.UsageError("give the prompt with --prompt FILE, or --body for the transcript alone")
        text = pasted_text(text, prompt_file, referenced)
    emit_unchanged(text)


@main.command()
@lasting_option("--results", type=PATH, required=True, metavar="DIR", help="The folder of the run's results.")
@click.option("--as-is", is_flag=True, help="Keep a reply without a valid answer, byte for byte, as evidence.")
@click.option("--force", is_flag=True, help="Replace a result that is there already.")
@fixtures_option
@click.argument("fixture")
@click.argument("reply", type=click.File("rb"), default="-")
def save(fixture: str, reply: IO[bytes], results: Path, fixtures: Path, **allowed: bool) -> None:
    """File a pasted REPLY (a file, by default what is pasted here) as the result of FIXTURE.

    The one JSON object in it, bare, in a code fence or after prose, is checked and written to DIR/FIXTURE.json.

    \b
    prompteval save admit-gotcha-01 --results tmp/results
    prompteval save admit-gotcha-01 reply.txt --results tmp/results
    """
    from prompteval.collect.save import known_fixture, save_reply
    from prompteval.collect.terminal import END_OF_INPUT, read_pasted
    from prompteval.inputs.files import LARGEST
    from prompteval.inputs.fixtures import fixture_ids
    from prompteval.report.progress import saved_lines

    known = known_fixture(fixture, fixture_ids(fixtures))
    if reply.isatty():
        tell(f"Paste the reply for {fixture} (it is not shown), then press {END_OF_INPUT}.")
    saved = save_reply(read_pasted(reply, LARGEST), results / f"{known}.json", allowed["as_is"], allowed["force"])
    emit(lines(saved_lines(saved)), None)


@main.command()
@click.option("--next", "next_only", is_flag=True, help="Print only the next missing fixture, or nothing.")
@fixtures_option
@click.argument("results", type=PATH)
def status(results: Path, fixtures: Path, next_only: bool) -> None:
    """Show how far a run has come: what is saved, invalid and missing in RESULTS, and the next command.

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


@main.command()
@lasting_option("--version", metavar="V", help="The prompt version, such as 6 or v6. Needed with RESULTS.")
@lasting_option("--model", metavar="NAME", help="The model that answered. Needed with RESULTS.")
@lasting_option("--temperature", metavar="NUMBER", help="The sampling temperature, where it is known.")
@lasting_option("--harness", metavar="NAME", help="The program that held the conversations.")
@lasting_option("--note", metavar="TEXT", help="A remark to keep with the run.")
@lasting_option(
    "--prompt", type=PATH, metavar="FILE", help="The prompt file: its SHA-256 is kept, its Version: compared."
)
@lasting_option("--partial", is_flag=True, help="Record the run although results are missing.")
@lasting_option("--repeat", is_flag=True, help="Record the same answers once more, as a further sample.")
@fixtures_option
@ledger_option
@click.argument("results", type=PATH, required=False)
def ingest(fixtures: Path, ledger: Path, results: Path | None, **given: Any) -> None:
    """Record one run: the fixtures and the answers in RESULTS, one FIXTURE.json each.

    Without RESULTS only the state of the fixtures is recorded. The ledger only grows: incomplete results are refused
    unless --partial, and the same answers a second time unless --repeat.

    \b
    prompteval ingest --version 6 --model X --temperature 0 tmp/results
    """
    from prompteval.ingest import Sources, read_tags
    from prompteval.ingest import ingest as take_in
    from prompteval.report.ingested import ingested_lines

    sources = Sources(fixtures, ledger, results, given["partial"], given["repeat"])
    with Progress() as progress:
        ingested = take_in(sources, read_tags(given) if results else None, progress.stage)
    tell(*(f"Warning: {warning}" for warning in ingested.warnings))
    emit(lines(ingested_lines(ingested, None if ledger == DEFAULT_LEDGER else ledger)), None)


@main.command()
@run_option
@labels_option
@format_option(*PAGES)
@output_option
@ledger_option
def score(selector: str, labels: str, form: str, output: Path | None, ledger: Path) -> None:
    """Report one run: every fixture with its reasons, categories, recall, phantoms and gate accuracy.

    \b
    prompteval score --run latest
    prompteval score --run v6 --format markdown
    """
    from prompteval.evaluate import score_run
    from prompteval.report import formats

    scored, found = score_run(ledger, selector, labels)
    _tell_newest(selector, found, scored.run.short_id)
    emit(formats.score(form, scored, ledger), output, ledger)


@main.command()
@run_option
@click.option("--transcript", is_flag=True, help="Show the session too.")
@output_option
@ledger_option
@click.argument("fixture")
def show(fixture: str, selector: str, transcript: bool, output: Path | None, ledger: Path) -> None:
    """Show why FIXTURE scored as it did in one run: each term, found or absent, in each proposal.

    \b
    prompteval show admit-gotcha-01 --run v6
    """
    from prompteval.examine import show_fixture
    from prompteval.report import formats

    detail, found = show_fixture(ledger, fixture, selector)
    _tell_newest(selector, found, detail.run.short_id)
    emit(formats.show(detail, transcript), output, ledger)


@main.command()
@click.argument("baseline")
@click.argument("candidate")
@click.option("--model", metavar="NAME", help="Compare the runs of this model alone.")
@click.option(
    "--labels",
    type=click.Choice(["candidate", "recorded", "latest"]),
    default="candidate",
    show_default=True,
    help="The labels for both sides: the candidate's, those each run was recorded with, or those recorded last.",
)
@format_option(*PAGES)
@output_option
@ledger_option
def diff(baseline: str, candidate: str, form: str, output: Path | None, **where: Any) -> None:
    """Compare two versions, BASELINE and CANDIDATE, or two runs.

    Each is a version (all its runs), a run id or latest. Versions are compared like with like: one table for each
    model, temperature and harness they have in common.

    \b
    prompteval diff v5 v6
    prompteval diff 922a28b9 latest --format markdown
    """
    from prompteval.evaluate import Where, diff_runs
    from prompteval.report import formats

    compared = diff_runs(where["ledger"], baseline, candidate, Where(where["model"], where["labels"]))
    emit(formats.diff(form, compared, where["ledger"]), output, where["ledger"])


@main.command()
@format_option(*FORMATS)
@output_option
@ledger_option
def runs(form: str, output: Path | None, ledger: Path) -> None:
    """List the recorded runs, oldest first.

    \b
    prompteval runs
    """
    from prompteval.evaluate import read_history
    from prompteval.report import formats

    emit(formats.runs(form, read_history(ledger)), output, ledger)


@main.command()
@click.option("--model", metavar="NAME", help="List the runs of this model alone.")
@click.option(
    "--by", "grain", type=click.Choice(["run", "version"]), default="run", show_default=True, help="A line each."
)
@labels_option
@format_option(*PAGES)
@output_option
@ledger_option
def history(model: str | None, grain: str, labels: str, form: str, **where: Any) -> None:
    """Show version over version: recall, phantoms, gate accuracy and fixtures passed, oldest first.

    \b
    prompteval history
    prompteval history --format markdown --output fixtures/RESULTS.md
    """
    from prompteval.evaluate import read_history
    from prompteval.report import formats

    found = read_history(where["ledger"], model, labels)
    emit(formats.history(form, found, grain, where["ledger"]), where["output"], where["ledger"])


@main.command()
@output_option
@ledger_option
def report(output: Path | None, ledger: Path) -> None:
    """Write one HTML page: each version against the one before, the history, every run and every fixture.

    All of it under the latest labels, so that runs recorded with other ones can be compared.
    The page needs nothing beside itself. It shows what broke first, and each fixture leads to its answers.

    \b
    prompteval report --output report.html
    """
    from prompteval.report.pages import whole_page

    emit(whole_page(ledger), output, ledger)


@main.command()
@click.option("--model", metavar="NAME", help="Count the runs of this model alone.")
@format_option("text", "markdown")
@output_option
@ledger_option
def labels(model: str | None, form: str, output: Path | None, ledger: Path) -> None:
    """Show what the recorded answers say about the labels: is a point brittle, or the prompt bad?

    Points that no run matched, terms and guards that alone cause misses, points with more near misses than matches.

    \b
    prompteval labels
    """
    from prompteval.examine import label_evidence
    from prompteval.report import formats

    emit(formats.labels(form, label_evidence(ledger, model)), output, ledger)


def _tell_newest(selector: str, found: int, newest: str) -> None:
    if found > 1:
        tell(f"{selector} has {found} runs; this is the newest, {newest}.")


main.add_command(ledger_commands)


@main.command()
@click.argument("name", type=click.Choice(CONTRACTS + REPORTS))
def schema(name: str) -> None:
    """Print a contract, or what a JSON report keeps to, as JSON Schema.

    \b
    prompteval schema proposal-output
    """
    from prompteval.inputs.contract import contract_text

    emit(contract_text(name), None)


@main.command()
@click.option(
    "--contract",
    "name",
    type=click.Choice(CONTRACTS),
    help="The contract; by default the one that the file's ending suggests.",
)
@click.argument("files", type=PATH, nargs=-1, required=True)
def validate(name: str | None, files: tuple[Path, ...]) -> None:
    """Hold files against a contract and list every problem; of a folder, its .json files.

    Exit code 1 when there are problems.

    \b
    prompteval validate tmp/results
    prompteval validate --contract expected-labels fixtures/expected/admit-gotcha-01.yaml
    """
    from prompteval.inputs.validate import validate_files

    outcome = validate_files(files, name)
    tell(*(f"Warning: {warning}" for warning in outcome.warnings))
    emit(lines([*map(str, outcome.problems), outcome.summary]), None)
    if outcome.problems:
        raise click.exceptions.Exit(1)
