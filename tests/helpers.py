"""Small corpora, results and command lines for tests."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from prompteval.cli import main

ROOT = Path(__file__).parent.parent
EMPTY: dict[str, list[Any]] = {"practice": [], "map": []}


def cli(*arguments: object, **settings: Any) -> Result:
    """Run a command in this process and return its result; an unexpected exception is raised, not swallowed.

    `settings` are those of CliRunner.invoke, such as env, and input for what stands on stdin.
    """
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], **settings)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def ok(*arguments: object, **settings: Any) -> str:
    """Run a command that must succeed and return its stdout."""
    result = cli(*arguments, **settings)
    assert result.exit_code == 0, result.stderr + result.stdout
    return result.stdout


def refused(*arguments: object, **settings: Any) -> str:
    """Run a command that must exit with 2 and return its stderr."""
    result = cli(*arguments, **settings)
    assert result.exit_code == 2, (result.exit_code, result.stdout, result.stderr)
    assert "Traceback" not in result.stderr
    return result.stderr


def proposal(title: str = "A title", body: str = "A body", type: str = "practice", **other: Any) -> dict[str, Any]:
    """Return a valid proposal."""
    return {
        "type": type,
        "tags": ["tag"],
        "title": title,
        "description": "A description",
        "body": body,
        "kk_confidence": "high",
        **other,
    }


def answer(*proposals: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return an answer with each proposal in the list of its type."""
    return {name: [p for p in proposals if p["type"] == name] for name in ("practice", "map")}


def unlike(number: int, right: bool = True) -> dict[str, list[dict[str, Any]]]:
    """Return an answer like no other, since the same one is a copy; `right` has "alpha", otherwise it is a phantom."""
    return answer(proposal(f"{'Alpha' if right else 'Other'} {number}"))


def point(id: str = "point", type: str = "practice", **terms: Any) -> dict[str, Any]:
    """Return an expected point; without terms it wants "alpha"."""
    return {"id": id, "type": type, **(terms or {"must_match_all": ["alpha"]})}


def labels(*points: dict[str, Any], budget: int = 0, category: str = "admit-thing") -> dict[str, Any]:
    """Return the labels of a fixture, less its id; no points: an empty answer is expected."""
    return {
        "category": category,
        "expect_empty": not points,
        "expected_points": list(points),
        "max_unexpected_proposals": budget,
        "notes": "A note.",
    }


def case_labels(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return the labels that a case of tests/cases writes as `points`, which are named p0, p1 and so on."""
    points = [point(f"p{index}", **{"type": "practice", **terms}) for index, terms in enumerate(case["points"])]
    return labels(*points, budget=case.get("budget", 0))


def case_answer(written: object) -> object:
    """Return the answer that a case of tests/cases writes as a list of proposals.

    Each is `title | body`, or `map: title | body`, or a mapping of the fields that matter.
    """
    if not isinstance(written, list):
        return written
    return answer(*(proposal(**each) if isinstance(each, dict) else _case_proposal(each) for each in written))


def _case_proposal(text: str) -> dict[str, Any]:
    title, body = text.removeprefix("map: ").split(" | ")
    return proposal(title, body, "map" if text.startswith("map: ") else "practice")


def session(name: str, body: str = "[USER]: Say it.\n\n[AGENT]: Said.\n") -> str:
    """Return a session whose id is made of its name, so that it is the same in every run of the tests."""
    identity = uuid.UUID(bytes=uuid.uuid5(uuid.NAMESPACE_OID, name).bytes, version=4)
    return (
        f"---\nschema_version: 1\nsession_id: {identity}\nharness: claude\n"
        f"captured_at: '2026-01-15T10:00:00.000Z'\n---\n{body}"
    )


def write_corpus(root: Path, fixtures: Mapping[str, dict[str, Any]]) -> Path:
    """Write a corpus without corpus.yaml and return its folder."""
    for folder in ("sessions", "expected"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name, value in fixtures.items():
        (root / "sessions" / f"{name}.md").write_text(session(name), encoding="utf-8")
        text = yaml.safe_dump({"fixture_id": name, **value}, sort_keys=False, allow_unicode=True)
        (root / "expected" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return root


def write_results(root: Path, answers: Mapping[str, Any]) -> Path:
    """Write one result per fixture and return the folder; a text is written as it is, None is left out."""
    root.mkdir(parents=True, exist_ok=True)
    for name, value in answers.items():
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            (root / f"{name}.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    return root


def slow_but(quick: Collection[Any], cases: Iterable[Any]) -> list[Any]:
    """Return the cases as parameters of a test, all slow but the quick ones, which have to be among them."""
    every = list(cases)
    assert all(case in every for case in quick)
    return [pytest.param(case, marks=[] if case in quick else [pytest.mark.slow]) for case in every]


class Bench:
    """A corpus, a ledger and the commands on them, in one temporary folder."""

    def __init__(self, root: Path, fixtures: Mapping[str, dict[str, Any]]) -> None:
        self.root = root
        self.fixtures = write_corpus(root / "fixtures", fixtures)
        self.ledger = root / "ledger.db"
        self._folders = 0

    def arguments(self, version: str, answers: Mapping[str, Any], *more: object) -> list[object]:
        """Write a results folder and return the arguments of its ingest."""
        self._folders += 1
        results = write_results(self.root / f"results-{self._folders}", answers)
        tags = ("--version", version, "--model", "X")
        return ["ingest", *tags, "--fixtures", self.fixtures, "--ledger", self.ledger, *more, results]

    def ingest(self, version: str, answers: Mapping[str, Any], *more: object) -> str:
        """Ingest answers and return the short id of the run."""
        return ok(*self.arguments(version, answers, *more)).split(":")[0].removeprefix("run ")

    def refuse(self, version: str, answers: Mapping[str, Any], *more: object) -> str:
        """Ingest answers that are refused, check that the ledger is as it was, and return stderr."""
        before = self.ledger.read_bytes() if self.ledger.exists() else None
        message = refused(*self.arguments(version, answers, *more))
        assert (self.ledger.read_bytes() if self.ledger.exists() else None) == before
        return message

    def score(self, run: str = "latest", *more: object) -> dict[str, Any]:
        """Return the JSON report of a run."""
        value: dict[str, Any] = json.loads(self.report("score", "--run", run, "--format", "json", *more))
        return value

    def diff(self, baseline: str, candidate: str, *more: object) -> dict[str, Any]:
        """Return the JSON report of a comparison."""
        value: dict[str, Any] = json.loads(self.report("diff", baseline, candidate, "--format", "json", *more))
        return value

    def report(self, *arguments: object) -> str:
        """Return what a reading command prints."""
        return ok(*arguments, "--ledger", self.ledger)


def by_id(report: dict[str, Any]) -> dict[str, Any]:
    """Return the fixtures of a JSON report by fixture id."""
    return {fixture["fixture_id"]: fixture for fixture in report["fixtures"]}
