"""The commands that report what a ledger says. Each opens it, asks, renders and says."""

from __future__ import annotations

from pathlib import Path

import click

from prompteval.console import (
    emit,
    emit_unchanged,
    format_option,
    labels_option,
    ledger_option,
    output_option,
    run_option,
    suite_option,
    tell,
)
from prompteval.ledger.ledger import Ledger
from prompteval.report.formats import FORMATS, render

model_option = click.option("--model", metavar="NAME", help="Only the runs of this model.")


@click.command()
@run_option
@suite_option
@labels_option
@format_option(*FORMATS)
@output_option
@ledger_option
def score(selector: str, *, suite: str | None, labels: str, form: str, output: Path | None, ledger: Path) -> None:
    """Report one run: totals, every fixture with the reasons why it failed, and categories.

    \b
    prompteval score --run latest
    prompteval score --run v6 --format markdown
    """
    with Ledger.open(ledger) as opened:
        runs = opened.select(selector, suite).runs
        (scored,) = opened.scored(runs[-1:], labels)
    _tell_newest(selector, len(runs), scored.run.short_id)
    emit(render("score", form, scored), output, ledger)


@click.command()
@run_option
@suite_option
@labels_option
@click.option("--transcript", is_flag=True, help="Show the session too.")
@click.option("--prompt", "prompt_alone", is_flag=True, help="Print the run's prompt and the files it refers to.")
@output_option
@ledger_option
@click.argument("fixture", required=False)
def show(
    fixture: str | None,
    selector: str,
    *,
    suite: str | None,
    labels: str,
    transcript: bool,
    prompt_alone: bool,
    output: Path | None,
    ledger: Path,
) -> None:
    """Show why FIXTURE scored as it did in one run: each term, found or absent, in each proposal.

    \b
    prompteval show admit-gotcha-01 --run v6
    prompteval show admit-gotcha-01 --run v6 --labels latest
    prompteval show --prompt --run v6
    """
    from prompteval.report.prompts import prompt_text
    from prompteval.versions import prompts_of, show_fixture

    if (fixture is None) != prompt_alone:
        raise click.UsageError("give either a FIXTURE or --prompt")
    with Ledger.open(ledger) as opened:
        if fixture is None:
            run, files, found = prompts_of(opened, selector, suite)
            _tell_newest(selector, found, run.short_id)
            emit_unchanged(prompt_text(files), output, ledger)
        else:
            shown = show_fixture(opened, fixture, selector, suite, labels)
            _tell_newest(selector, shown.runs, shown.detail.run.short_id)
            emit(render("show", "text", shown, transcript), output, ledger)


@click.command()
@click.argument("baseline")
@click.argument("candidate")
@suite_option
@model_option
@click.option(
    "--labels",
    type=click.Choice(["candidate", "recorded", "latest"]),
    default="candidate",
    show_default=True,
    help="The labels for both sides: the candidate's, those each run was recorded with, or the latest.",
)
@click.option("--prompt", "with_prompt", is_flag=True, help="Show how the prompts differ, where their texts were kept.")
@format_option(*FORMATS)
@output_option
@ledger_option
def diff(
    baseline: str,
    candidate: str,
    *,
    suite: str | None,
    model: str | None,
    labels: str,
    with_prompt: bool,
    form: str,
    output: Path | None,
    ledger: Path,
) -> None:
    """Compare two versions, BASELINE and CANDIDATE, or two runs.

    Each is a version (all its runs), a run id or latest. Versions are compared like with like: one table for each
    suite, model, temperature and harness they have in common.

    \b
    prompteval diff v5 v6
    prompteval diff 922a28b9 latest --format markdown
    """
    from prompteval.versions import diff as compare

    with Ledger.open(ledger) as opened:
        compared = compare(opened, baseline, candidate, suite=suite, model=model, labels=labels)
    if with_prompt and form in ("json", "csv"):
        raise click.UsageError("--prompt goes with --format text or markdown")
    emit(render("diff", form, compared, *([True] if with_prompt else [])), output, ledger)


@click.command()
@suite_option
@format_option(*FORMATS)
@output_option
@ledger_option
def runs(suite: str | None, form: str, output: Path | None, ledger: Path) -> None:
    """List the recorded runs, oldest first.

    \b
    prompteval runs
    """
    from prompteval.versions import histories

    with Ledger.open(ledger) as opened:
        found = histories(opened, suite)
    emit(render("runs", form, found), output, ledger)


@click.command()
@suite_option
@model_option
@click.option(
    "--by",
    "grain",
    type=click.Choice(["run", "version"]),
    default="run",
    show_default=True,
    help="One row per run or per version.",
)
@labels_option
@format_option(*FORMATS)
@output_option
@ledger_option
def history(
    *, suite: str | None, model: str | None, grain: str, labels: str, form: str, output: Path | None, ledger: Path
) -> None:
    """Show recall, phantoms, gate accuracy and fixtures passed of each run or version, oldest first.

    \b
    prompteval history
    prompteval history --format markdown --output fixtures/RESULTS.md
    """
    from prompteval.versions import histories

    with Ledger.open(ledger) as opened:
        found = histories(opened, suite, model, labels)
    emit(render("history", form, found, grain), output, ledger)


@click.command()
@click.argument("sides", nargs=-1, metavar="[BASELINE CANDIDATE]")
@suite_option
@output_option
@ledger_option
def report(sides: tuple[str, ...], suite: str | None, output: Path | None, ledger: Path) -> None:
    """Write one HTML page: what a comparison shows, what broke and why, the history and the answers.

    BASELINE and CANDIDATE are what diff takes; without them, each of the newest versions is compared with the one
    before, the newest first. The page is self-contained. All of it is under the latest labels, so that runs recorded
    with other ones can be compared.

    \b
    prompteval report --output report.html
    prompteval report v5 v6 --output report.html
    """
    from prompteval.report.pages import whole_page

    if len(sides) not in (0, 2):
        raise click.UsageError("give both BASELINE and CANDIDATE, or neither")
    with Ledger.open(ledger) as opened:
        page = whole_page(opened, suite, sides)
    emit(page, output, ledger)


@click.command()
@suite_option
@model_option
@format_option(*FORMATS)
@output_option
@ledger_option
def labels(*, suite: str | None, model: str | None, form: str, output: Path | None, ledger: Path) -> None:
    """Show what the recorded answers say about the labels: is a term brittle, or does the prompt miss the point?

    Points that no run matched, terms and guards that alone cause misses, points with more near misses than matches.

    \b
    prompteval labels
    prompteval labels --format json
    """
    from prompteval.versions import label_evidence

    with Ledger.open(ledger) as opened:
        evidence = label_evidence(opened, suite, model)
    emit(render("labels", form, evidence), output, ledger)


def _tell_newest(selector: str, found: int, newest: str) -> None:
    if found > 1:
        tell(f"{selector} has {found} runs; this is the newest, {newest}.")
