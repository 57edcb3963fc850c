"""Options of the test run, and how many examples hypothesis tries in it."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from prompteval.text import visible

settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("long", max_examples=150, deadline=None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="write tests/golden again; read the difference in git")


def pytest_configure(config: pytest.Config) -> None:
    slow = "CI" in os.environ or config.getoption("markexpr") == "slow"
    settings.load_profile("long" if slow else "quick")


@pytest.fixture(autouse=True)
def whole_sentences(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each sentence of a text report on one line, so that only tests marked `wrapped` rest on its line breaks."""
    if not request.node.get_closest_marker("wrapped"):
        monkeypatch.setattr(visible, "WIDTH", 10_000)
