"""A ledger as text, so that `git diff` and `git log -p` show which labels and runs a commit added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prompteval.outcomes import CorpusRecording, FixtureOutcome, Run
from prompteval.report.table import of_version
from prompteval.tags import shown, shown_setting


def textconv_lines(
    corpora: Sequence[CorpusRecording], runs: Sequence[tuple[Run, Sequence[FixtureOutcome]]]
) -> Iterator[str]:
    """Yield a block of lines for each corpus that was recorded and each run, oldest first.

    A block is the same in every ledger that has it.
    """
    for recorded in corpora:
        name = f"{recorded.suite}{of_version(recorded.version)}"
        yield f"corpus {recorded.corpus} of {recorded.recorded_at}, suite {name}"
        for fixture, session, labels in recorded.fixtures:
            yield f"    {fixture} session {session[:8]} labels {labels[:8]}"
        yield ""
    for run, outcomes in runs:
        yield f"run {run.id} of {run.recorded_at}"
        yield f"  {shown(run.version)}, {shown_setting(run)}"
        yield f"  suite {run.suite}, corpus {run.corpus}{of_version(run.corpus_version)}"
        if run.note:
            yield f"  note {run.note}"
        for o in outcomes:
            points = f"{o.counts['points_matched']}/{o.counts['points_total']}"
            state = ("PASS" if o.passed else "FAIL") if o.state == "valid" else o.state
            yield f"    {o.fixture_id} {state} {points} +{o.counts['phantoms']}"
        yield ""
