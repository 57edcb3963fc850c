"""Options of the test run."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="write tests/golden anew; read the difference in git")
    parser.addoption("--write-docs", action="store_true", help="write the generated documents anew")
