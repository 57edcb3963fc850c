"""Each report in the requested format; only the module of that format is imported."""

from __future__ import annotations

from importlib import import_module
from typing import Any

FORMATS = ("text", "markdown", "json", "csv")


def render(report: str, form: str, *values: Any) -> str:
    """Return a report in one of FORMATS. `values` are what the function that makes the report takes.

    Reports are made by `REPORT_reports` in the module of their name, or for JSON and CSV by `render_REPORT` in as_json
    or as_csv; text and Markdown are set by as_text and as_markdown.
    """
    if form in ("json", "csv"):
        machine = import_module(f"prompteval.report.as_{form}")
        return str(getattr(machine, f"render_{report}")(*values))
    reports = getattr(import_module(f"prompteval.report.{report}"), f"{report}_reports")(*values)
    setter = import_module(f"prompteval.report.as_{form}")
    return "\n".join(setter.render(each) for each in reports)
