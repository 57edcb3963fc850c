"""The documents say what the code does: what is generated is current, and every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cogapp import Cog

from tests import documents
from tests.helpers import ROOT

pytestmark = pytest.mark.wrapped
PAGES = [
    path for part in ("*.md", "docs/*.md", "*/README.md", "fixtures/*/README.md") for path in sorted(ROOT.glob(part))
]


@pytest.mark.parametrize("name", documents.sources())
def test_what_is_generated_is_current(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    verdict = Cog().main(["cog", "--check", "--diff", name])
    assert verdict == 0, f"python -m cogapp -r {name}\n{capsys.readouterr().out}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if not target.startswith(("http:", "https:")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_nothing_names_a_machine_or_a_registry() -> None:
    words = re.compile(r"/work/|/root/|/home/\w|pypi\.org|npmjs\.org|pythonhosted\.org", re.IGNORECASE)
    kinds = {".md", ".toml", ".py", ".sql", ".yaml", ".json", ".lock"}
    paths = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.suffix in kinds)
    committed = [path for path in paths if not any(part.startswith(".") and part != ".ci" for part in path.parts)]
    assert len(committed) > 100
    for path in committed:
        if path.name != Path(__file__).name:
            assert not words.search((ROOT / path).read_text("utf-8", "replace")), path
