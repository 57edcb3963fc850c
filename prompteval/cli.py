"""The commands. Each opens, asks, renders and says; what it does stands elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from prompteval import __version__
from prompteval.contract import CONTRACTS
from prompteval.options import (
    DEFAULT_LEDGER,
    PATH,
    Commands,
    Progress,
    emit,
    fixtures_option,
    format_option,
    ledger_option,
    option,
    output_option,
    tell,
)
from prompteval.plain import lines

FORMATS = ("text", "markdown", "json", "csv")


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
@option("--version", metavar="V", help="The prompt version, such as 6 or v6. Needed with RESULTS.")
@option("--model", metavar="NAME", help="The model that answered. Needed with RESULTS.")
@option("--temperature", metavar="NUMBER", help="The sampling temperature, where it is known.")
@option("--harness", metavar="NAME", help="The program that held the conversations.")
@option("--note", metavar="TEXT", help="A remark to keep with the run.")
@option("--prompt", type=PATH, metavar="FILE", help="The prompt file: its SHA-256 is kept, its Version: compared.")
@option("--partial", is_flag=True, help="Record the run although results are missing.")
@option("--repeat", is_flag=True, help="Record the same answers once more, as a further sample.")
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
@option("--run", "selector", default="latest", show_default=True, metavar="RUN", help="latest, a version or a run id.")
@option(
    "--labels",
    type=click.Choice(["recorded", "latest"]),
    default="recorded",
    show_default=True,
    help="The labels the run was recorded with, or those recorded last.",
)
@format_option(*FORMATS)
@output_option
@ledger_option
def score(selector: str, labels: str, form: str, output: Path | None, ledger: Path) -> None:
    """Report one run: every fixture with its reasons, categories, recall, phantoms and gate accuracy.

    \b
    prompteval score --run latest
    prompteval score --run v6 --format markdown
    """
    from prompteval.evaluate import score_run

    scored, found = score_run(ledger, selector, labels)
    if found > 1:
        tell(f"{selector} has {found} runs; this is the newest, {scored.run.short_id}.")
    emit(_render("score", form, scored), output, ledger)


@main.command()
@click.argument("baseline")
@click.argument("candidate")
@option("--model", metavar="NAME", help="Compare the runs of this model alone.")
@format_option(*FORMATS)
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
    from prompteval.evaluate import diff_runs

    compared = diff_runs(where["ledger"], baseline, candidate, where["model"])
    emit(_render("diff", form, compared.comparisons, compared.not_compared), output, where["ledger"])


@main.command()
@format_option(*FORMATS)
@output_option
@ledger_option
def runs(form: str, output: Path | None, ledger: Path) -> None:
    """List the recorded runs, oldest first.

    \b
    prompteval runs
    """
    from prompteval.evaluate import list_runs

    emit(_render("runs", form, list_runs(ledger)), output, ledger)


def _render(kind: str, form: str, *values: Any) -> str:
    """Render a report, and import no renderer but the one asked for."""
    from importlib import import_module

    if form in ("json", "csv"):
        return str(getattr(import_module(f"prompteval.report.as_{form}"), f"render_{kind}")(*values))
    reports = getattr(import_module(f"prompteval.report.{kind}"), f"{kind}_reports")(*values)
    render = import_module(f"prompteval.report.{form}").render
    return "\n".join(render(report) for report in reports)


@main.command()
@click.argument("name", type=click.Choice(CONTRACTS))
def schema(name: str) -> None:
    """Print a contract as JSON Schema.

    \b
    prompteval schema proposal-output
    """
    from prompteval.contract import contract_text

    emit(contract_text(name), None)


@main.command()
@option(
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
    from prompteval.validate import validate_files

    outcome = validate_files(files, name)
    tell(*(f"Warning: {warning}" for warning in outcome.warnings))
    emit(lines([*map(str, outcome.problems), outcome.summary]), None)
    if outcome.problems:
        raise click.exceptions.Exit(1)
