"""Reading a corpus: what a maintainer can get wrong is named by file, field and line."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from prompteval.inputs.fixtures import read_corpus
from prompteval.model import Corpus
from tests.helpers import ROOT, labels, ok, point, refused, session, write_corpus

GOOD = """\
fixture_id: admit-thing-01
category: admit-thing
expect_empty: false
expected_points:
  - id: rule
    type: practice
    must_match_all:
      - "alpha"
    must_match_any:
      - ["beta"]
      - ["gamma", "delta"]
    must_not_match: ["lf-1"]
max_unexpected_proposals: 0
notes: >-
  A note.
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write_corpus(tmp_path, {"admit-thing-01": labels(point())})
    (tmp_path / "expected" / "admit-thing-01.yaml").write_text(GOOD)
    return tmp_path


def record(corpus: Path) -> str:
    """Try to record the corpus and return what was said against it."""
    return refused("ingest", "--fixtures", corpus, "--ledger", corpus / "ledger.db")


def test_good_labels_are_read(corpus: Path) -> None:
    (fixture,) = read_corpus(corpus).fixtures
    (rule,) = fixture.labels.points
    assert rule.must_match_any == (("beta",), ("gamma", "delta"))
    assert fixture.labels.notes == "A note."


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("notes: >-\n  A note.", "note: x", 'admit-thing-01.yaml: line 1: unknown key "note"'),
        ("    type: practice", "    type: practise", "expected_points[0].type (line 6): "),
        ("    type: practice", "    kind: practice", 'expected_points[0] (line 5): missing key "type"'),
        (
            "category: admit-thing\n",
            "category: admit-thing\ncategory: x\n",
            'line 3: the key "category" occurs twice, on lines 2 and 3',
        ),
        ('      - "alpha"', '      - ""', "expected_points[0].must_match_all[0] (line 8): is blank"),
        ('      - "alpha"', '      - " \\t "', "expected_points[0].must_match_all[0] (line 8): is blank"),
        ('      - "alpha"', "      - Alpha", 'must_match_all[0] (line 8): the term "Alpha" is not lower case'),
        ('["beta"]', '["Beta"]', 'must_match_any[0][0] (line 10): the term "Beta" is not lower case'),
        ('["lf-1"]', '["LF-1"]', 'must_not_match[0] (line 12): the term "LF-1" is not lower case'),
        ('      - "alpha"', "      - no", "(line 8): no without quotes is a boolean; write 'no'"),
        ('      - "alpha"', "      - 1.10", "(line 8): 1.10 without quotes is a number; write '1.10'"),
        ('      - "alpha"', "      - 12:30", "(line 8): 12:30 without quotes is a number; write '12:30'"),
        ('      - "alpha"', "      - 003", "(line 8): 003 without quotes is a number; write '003'"),
        ('      - "alpha"', "      - 2026-01-15", "(line 8): 2026-01-15 without quotes is a date"),
        ('      - "alpha"', '      - "alpha"\n      - "alpha"', "must_match_all (line 7): "),
        ('    must_match_all:\n      - "alpha"', "    must_match_all: []", "must_match_all (line 7): "),
        ("expect_empty: false", "expect_empty: true", "expect_empty (line 3): is true, but there are expected_points"),
        ("expect_empty: false", "expect_empty: maybe", "expect_empty (line 3): "),
        ("max_unexpected_proposals: 0", "max_unexpected_proposals: -1", "max_unexpected_proposals (line 13): -1 is"),
        ("max_unexpected_proposals: 0", "max_unexpected_proposals: 1.5", "max_unexpected_proposals (line 13): "),
        ("max_unexpected_proposals: 0\n", "", 'line 1: missing key "max_unexpected_proposals"'),
        ("fixture_id: admit-thing-01", "fixture_id: admit-thing-02", 'fixture_id (line 1): is "admit-thing-02" in the'),
        (
            "  - id: rule",
            "  - id: rule\n    type: map\n    must_match_all: [a1]\n  - id: rule",
            "is the id of another point",
        ),
        ('["beta"]', "&anchor [beta]", "anchors and aliases are not allowed"),
        ('["beta"]', "!!python/object:os.system [beta]", "is not allowed"),
        ("category: admit-thing", "category: [", "line 4: not YAML: "),
        ("category: admit-thing", "category:\tadmit-thing", "line 2: not YAML: a tab; write spaces"),
        ("category: admit-thing", "? [a]\n: b", "a key must be a text"),
        ("  A note.\n", "  A note.\n---\nmore: 1\n", "more than one document"),
        ("category: admit-thing", "category: " + "[" * 5000, "nested deeper than"),
    ],
)
def test_a_problem_names_file_field_and_line(corpus: Path, old: str, new: str, said: str) -> None:
    assert GOOD.count(old) == 1
    (corpus / "expected" / "admit-thing-01.yaml").write_text(GOOD.replace(old, new))
    message = record(corpus)
    assert "expected/admit-thing-01.yaml: " in message
    assert said in message
    assert not (corpus / "ledger.db").exists()


# Each kind of scalar that YAML does not take for a text, in each way that somebody may write it.
SCALARS = ["1.0", "1.10", "-0.5", "1.5e+3", ".inf", ".nan", "12:30", "1:30:15.5", "0x1F", "0b11", "017", "1_000", "+7"]
SCALARS += ["7", "-7", "99999999999", "9" * 30, "2026-01-15", "2026-01-15T10:00:00Z", "yes", "Off", "true", "~", "null"]
# What stands in the labels above, by the kind of value that its field takes.
FIELDS = {
    "text": "admit-thing-01\n",
    "boolean": "false\n",
    "integer": "0\n",
    "one of two words": "practice\n",
    "term": '"alpha"\n',
    "list": '["lf-1"]\n',
}


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("scalar", SCALARS)
def test_a_message_quotes_what_was_written(corpus: Path, scalar: str, field: str) -> None:
    """A scalar of another kind than its field is named as in the file, never as the value that a parser made of it."""
    if (field, scalar) in {("boolean", "yes"), ("boolean", "Off"), ("boolean", "true"), ("integer", "7")}:
        pytest.skip("it is of the right kind")
    assert GOOD.count(FIELDS[field]) == 1
    (corpus / "expected" / "admit-thing-01.yaml").write_text(GOOD.replace(FIELDS[field], f"{scalar}\n"))
    (said,) = re.findall(r"yaml: [a-z_0-9.[\]]+ \(line [0-9]+\): (.*)", record(corpus))
    assert said.startswith(f"{scalar} ")
    limits = {"0", "1000"} if field == "integer" else set()
    assert set(re.findall("[0-9][0-9.]*", said.replace(scalar, ""))) <= limits


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "\n\n"])
def test_an_empty_sidecar(corpus: Path, text: str) -> None:
    (corpus / "expected" / "admit-thing-01.yaml").write_text(text)
    assert "expected/admit-thing-01.yaml: line 1: is empty" in record(corpus)


def test_a_field_without_a_value(corpus: Path) -> None:
    (corpus / "expected" / "admit-thing-01.yaml").write_text(GOOD.replace("expect_empty: false", "expect_empty:"))
    assert "expected/admit-thing-01.yaml: expect_empty (line 3): is empty" in record(corpus)


def test_a_list_that_holds_a_number_is_named_as_a_list(corpus: Path) -> None:
    (corpus / "expected" / "admit-thing-01.yaml").write_text(
        GOOD.replace("expect_empty: false", "expect_empty: [1.10]")
    )
    assert 'expect_empty (line 3): a list is not of type "boolean"' in record(corpus)


def test_points_that_must_be_there(corpus: Path) -> None:
    path = corpus / "expected" / "admit-thing-01.yaml"
    head, tail = GOOD.split("expected_points:", maxsplit=1)[0], GOOD[GOOD.index("max_") :]
    path.write_text(f"{head}expected_points: []\n{tail}")
    assert "expect_empty (line 3): is false, but there are no expected_points" in record(corpus)


def test_all_problems_of_all_files_are_listed_and_counted(corpus: Path) -> None:
    (corpus / "expected" / "admit-thing-01.yaml").write_text(GOOD.replace('"alpha"', "no").replace('"lf-1"', "X"))
    (corpus / "sessions" / "admit-thing-01.md").write_text("no front matter")
    (corpus / "sessions" / "alone.md").write_text(session("alone"))
    (corpus / "expected" / "widow.yaml").write_text(GOOD.replace("admit-thing-01", "widow"))
    message = record(corpus)
    assert message.splitlines()[-1].startswith("Error: 5 problems: the fixtures in ")
    assert "sessions/alone.md: has no labels" in message
    assert "expected/widow.yaml: has no session" in message


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("schema_version: 1", "schema_version: 2", "schema_version (line 2): "),
        ("schema_version: 1\n", "", 'line 2: missing key "schema_version"'),
        ("harness: claude", "harness: ''", "harness (line 4): is blank"),
        ("'2026-01-15T10:00:00.000Z'", "2026-01-15T10:00:00.000Z", "without quotes is a date; write '2026-01-15T"),
        ("'2026-01-15T10:00:00.000Z'", "'15 January'", 'captured_at (line 5): "15 January" is not a time such as'),
        ("session_id: ", "session_id: 1", "is not a UUID v4 in lower case"),
        ("harness: claude", "harness: [", "not YAML: "),
        ("[USER]: Say it.", "Say it.", "does not start with a [USER]: or [AGENT]: segment"),
        ("---\nschema", "schema", "does not start with front matter"),
    ],
)
def test_a_problem_of_a_session(corpus: Path, old: str, new: str, said: str) -> None:
    path = corpus / "sessions" / "admit-thing-01.md"
    path.write_text(path.read_text().replace(old, new, 1))
    assert said in record(corpus)


@pytest.mark.parametrize("root", ["nowhere", "sessions"])
def test_a_folder_that_is_no_corpus(corpus: Path, root: str) -> None:
    assert "it has no folder 'sessions'" in record(corpus / root)


def test_an_empty_corpus(tmp_path: Path) -> None:
    write_corpus(tmp_path, {})
    assert "no .md file in its sessions folder" in record(tmp_path)


def test_plain_twins_do_not_change_the_revision(corpus: Path) -> None:
    before = read_corpus(corpus).revision
    for path in (corpus / "sessions" / "admit-thing-01.md", corpus / "expected" / "admit-thing-01.yaml"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_corpus(corpus).revision == before


def test_comments_and_order_of_keys_do_not_change_the_revision(corpus: Path) -> None:
    before = read_corpus(corpus).revision
    path = corpus / "expected" / "admit-thing-01.yaml"
    path.write_text("# a comment\n" + yaml.safe_dump(yaml.safe_load(GOOD), sort_keys=True))
    assert read_corpus(corpus).revision == before


def test_a_label_changes_the_revision_and_not_the_session(corpus: Path) -> None:
    before = read_corpus(corpus)
    (corpus / "expected" / "admit-thing-01.yaml").write_text(GOOD.replace("alpha", "omega"))
    after = read_corpus(corpus)
    assert before.revision != after.revision
    assert before.fixtures[0].session == after.fixtures[0].session


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf16_is_refused_by_name(corpus: Path, encoding: str) -> None:
    (corpus / "expected" / "admit-thing-01.yaml").write_text(GOOD, encoding=encoding)
    assert "expected/admit-thing-01.yaml: is UTF-16; save it as UTF-8" in record(corpus)


def test_a_broken_corpus_file(corpus: Path) -> None:
    (corpus / "corpus.yaml").write_text("version: 1.0\nprompt: p\ncategories: []\n")
    message = record(corpus)
    assert "corpus.yaml: version (line 1): 1.0 without quotes is a number; write '1.0'" in message


class Committed(NamedTuple):
    """A suite of this repository: its folder, what is read of it, how many fixtures and categories it has."""

    root: Path
    corpus: Corpus
    fixtures: int
    categories: int


SUITES = {"core": (ROOT / "fixtures", 24, 15), "stress": (ROOT / "fixtures" / "stress", 16, 8)}


@pytest.fixture(params=SUITES)
def committed(request: pytest.FixtureRequest) -> Committed:
    root, fixtures, categories = SUITES[request.param]
    corpus = read_corpus(root)
    assert corpus.suite.name == request.param
    return Committed(root, corpus, fixtures, categories)


class TestCommittedSuites:
    """The suites in fixtures/: pairing, front matter, ids, labels and the category table."""

    def test_table_counts(self, committed: Committed) -> None:
        counted = Counter(fixture.labels.category for fixture in committed.corpus.fixtures)
        assert counted == {row.category: row.fixtures for row in committed.corpus.suite.categories}
        assert (counted.total(), len(counted)) == (committed.fixtures, committed.categories)

    def test_what_each_category_expects(self, committed: Committed) -> None:
        expected = {row.category: row.expected for row in committed.corpus.suite.categories}
        for fixture in committed.corpus.fixtures:
            kind = expected[fixture.labels.category]
            assert fixture.labels.expect_empty == (kind == "empty"), fixture.id
            if kind in ("practice", "map"):
                assert kind in {point.type for point in fixture.labels.points}, fixture.id

    def test_ids(self, committed: Committed) -> None:
        fixtures = committed.corpus.fixtures
        assert [f.id.rpartition("-")[0] for f in fixtures] == [f.labels.category for f in fixtures]
        ids = [uuid.UUID(f.session.split("session_id: ")[1].split("\n")[0]) for f in fixtures]
        assert {identity.version for identity in ids} == {4}
        assert len(set(ids)) == committed.fixtures

    def test_each_term_and_guard_occurs_in_its_session(self, committed: Committed) -> None:
        from prompteval.text.fold import fold

        for fixture in committed.corpus.fixtures:
            text = fold(fixture.session)
            for rule in fixture.labels.points:
                for term in (*rule.must_match_all, *rule.must_match_none, *rule.must_not_match):
                    assert fold(term) in text, (fixture.id, term)

    def test_the_table_in_the_readme_is_the_table(self, committed: Committed) -> None:
        text = (committed.root / "README.md").read_text("utf-8")
        for row in committed.corpus.suite.categories:
            assert f"| {row.category} | {row.fixtures} | {row.expected} | {row.tests} |" in text
        assert f"Corpus version: {committed.corpus.suite.version}" in text

    def test_it_validates(self, committed: Committed) -> None:
        valid = f"{committed.fixtures} files: valid\n"
        assert ok("validate", "--contract", "expected-labels", committed.root / "expected") == valid
        assert ok("validate", "--contract", "session-front-matter", committed.root / "sessions") == valid
        assert ok("validate", committed.root / "corpus.yaml") == "1 file: valid\n"


def test_sessions_are_frozen() -> None:
    """Recorded answers belong to these bytes: a session is replaced under a new id, never edited."""
    root = ROOT / "fixtures"
    lines = (ROOT / "tests" / "corpora" / "sessions.sha256").read_text().splitlines()
    digests = {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.glob("**/sessions/*.md")
    }
    assert digests == {line.split("  ")[1]: line.split("  ")[0] for line in lines}
