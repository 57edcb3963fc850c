"""A ledger as text, so that `git diff` and `git log -p` show which runs a commit added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prompteval.outcome import FixtureOutcome, Run
from prompteval.tags import shown, shown_setting


def textconv_lines(runs: Sequence[tuple[Run, Sequence[FixtureOutcome]]]) -> Iterator[str]:
    """Yield a block of lines for each run, oldest first; a run's block is the same in every ledger that has it."""
    for run, outcomes in runs:
        yield f"run {run.id} of {run.recorded_at}"
        yield f"  {shown(run.version)}, {shown_setting(run)}"
        yield f"  corpus {run.corpus}" + (f" (version {run.corpus_version})" if run.corpus_version else "")
        if run.note:
            yield f"  note {run.note}"
        for o in outcomes:
            state = ("PASS" if o.passed else "FAIL") if o.state == "valid" else o.state
            yield f"    {o.fixture_id} {state} {o.points_matched}/{o.points_total} +{o.phantoms}"
        yield ""
