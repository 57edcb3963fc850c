"""The command line: its commands and the module of each."""

from __future__ import annotations

import click

from prompteval import __version__
from prompteval.console import Commands

# Each command and its module, in the order of the work. A module is imported when its command is called.
_WORK, _REPORTS = "prompteval.cli_work", "prompteval.cli_reports"
COMMANDS = {
    **dict.fromkeys(("init", "check", "sheet", "prompt", "save", "status", "ingest"), _WORK),
    **dict.fromkeys(("score", "show", "diff", "runs", "history", "report", "labels"), _REPORTS),
    "ledger": "prompteval.cli_ledger",
    **dict.fromkeys(("schema", "validate"), _WORK),
}
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=Commands, modules=COMMANDS, context_settings=_SETTINGS)
@click.version_option(__version__, prog_name="prompteval")
def main() -> None:
    """Measure whether a new version of an extraction prompt is better than the last one.

    A human runs each version by hand over labelled sessions and saves the answers. prompteval keeps them in a ledger,
    scores them by fixed rules and compares versions. It never runs a model.

    \b
    prompteval ingest --version 6 --model X tmp/results
    prompteval score --run latest
    prompteval diff v5 v6
    """
