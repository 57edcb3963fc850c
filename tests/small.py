"""A small corpus with two runs, in which every kind of outcome occurs. The golden reports are about it."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from prompteval.ledger import times
from tests.helpers import Bench, answer, labels, point, proposal

FIXTURES = {
    "admit-cache-01": labels(point("edge-purge", must_match_all=["edge proxy", "cache tag"]), category="admit-cache"),
    "admit-cache-02": labels(
        point("ttl", must_match_all=["one hour"], must_not_match=["lf-482"]), budget=1, category="admit-cache"
    ),
    "admit-map-01": labels(
        point("holdings", "map", must_match_any=[["holdings", "branch"], ["shelf"]]), category="admit-map"
    ),
    "mixed-plan-01": labels(
        point("rule", must_match_all=["update hook"]),
        point("place", "map", must_match_all=["lf_loans"]),
        category="mixed-plan",
    ),
    "reject-noise-01": labels(category="reject-noise"),
    "reject-noise-02": labels(category="reject-noise"),
}
V5: dict[str, Any] = {
    "admit-cache-01": answer(proposal("Purge by cache tag", "The proxy keeps pages until then.")),
    "admit-cache-02": answer(proposal("TTL", "Pages live **one hour**, see LF-482."), proposal("Aside", "Nothing.")),
    "admit-map-01": answer(proposal("Holdings", "A branch owns its holdings.", "map")),
    "mixed-plan-01": answer(proposal("Update hook", "Write an update hook in lf_loans."), proposal("Plan", "Later.")),
    "reject-noise-01": answer(proposal("Pipe | and `tick` <b>", "Noise\nin two lines.")),
    "reject-noise-02": "Nothing durable was said.",
}
V6: dict[str, Any] = {
    "admit-cache-01": answer(
        proposal("Purge at the edge", "The edge\nproxy drops pages by cache\u2011tag and cache tag.")
    ),
    "admit-cache-02": answer(proposal("TTL", "Pages live **one hour**."), proposal("Aside", "Nothing.")),
    "admit-map-01": answer(proposal("Holdings", "A branch owns its holdings.")),
    "mixed-plan-01": answer(
        proposal("Update hook", "Write an update hook."), proposal("Loans", "They live in `lf_loans`.", "map")
    ),
    "reject-noise-01": answer(),
    "reject-noise-02": None,
}


def small_bench(root: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return a ledger that holds the runs v5 and v6, recorded at fixed times."""
    moments = iter(datetime(2026, 1, 15, 10, tzinfo=timezone.utc) + timedelta(days=day) for day in range(9))
    monkeypatch.setattr(times, "utc_now", lambda: next(moments))
    bench = Bench(root, FIXTURES)
    bench.ingest("5", V5, "--temperature", "0", "--harness", "claude", "--note", "before the bump")
    bench.ingest("6", V6, "--temperature", "0", "--harness", "claude", "--partial")
    return bench
