"""No bytes crash a reader, and no result that an independent parser refuses is taken for valid.

`python -m tests.fuzz` is the longer job over the same functions.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.helpers import answer, labels, point
from tests.readers import READERS, read_label_file, read_reply, read_result, seeds, words
from tests.test_validate import NO_ANSWERS

LIMIT = settings(deadline=5000)
texts = st.text(max_size=20)
encodable = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
plain = st.none() | st.booleans() | st.integers() | st.floats() | texts
documents = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=20)
FIELDS = ("type", "tags", "title", "description", "body", "kk_confidence")
proposals = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["practice", "map"]),
        "tags": st.lists(encodable, max_size=3),
        **dict.fromkeys(("title", "description", "body"), encodable),
        "kk_confidence": st.sampled_from(["low", "medium", "high"]),
    }
)
lists = st.lists(proposals, max_size=3)
answers = st.fixed_dictionaries({"practice": lists, "map": lists})


@st.composite
def mutated(draw: st.DrawFn, name: str) -> bytes:
    """Return a valid document of one reader with some pieces cut, doubled or put in."""
    data = draw(st.sampled_from(seeds(name)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 20)))
        piece = draw(st.sampled_from([b"", data[start:end] * 2, *words(name)]) | st.binary(max_size=3))
        data = data[:start] + piece + data[end:]
    return data


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
@LIMIT
@given(data=st.binary(max_size=200))
def test_any_bytes(name: str, data: bytes) -> None:
    READERS[name](data)


@pytest.mark.parametrize("name", READERS)
@LIMIT
@given(data=st.data())
def test_a_valid_document_with_mistakes(name: str, data: st.DataObject) -> None:
    READERS[name](data.draw(mutated(name)))


@pytest.mark.parametrize("name", READERS)
def test_the_documents_to_start_from_are_valid(name: str) -> None:
    assert [data for data in seeds(name) if not READERS[name](data) and b"```json" not in data] == []


@LIMIT
@given(value=answers, indent=st.none() | st.integers(0, 3), escaped=st.booleans())
def test_what_is_valid_is_taken_for_valid_by_both(value: dict[str, Any], indent: int | None, escaped: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    assert read_result(text.encode()) and read_reply(text.encode())


@pytest.mark.slow
@LIMIT
@given(value=answers, field=st.sampled_from(FIELDS), other=documents)
def test_one_field_of_any_kind(value: dict[str, Any], field: str, other: Any) -> None:
    for item in [*value["practice"], *value["map"]]:
        item[field] = other
    read_result(json.dumps(value).encode())


@pytest.mark.slow
@LIMIT
@given(value=documents | st.dictionaries(st.sampled_from(["practice", "map", "other"]), st.lists(documents)))
def test_any_json(value: Any) -> None:
    read_result(json.dumps(value).encode())


@pytest.mark.slow
@LIMIT
@given(value=documents | st.builds(lambda p: labels(point()) | {"expected_points": p}, st.lists(documents)))
def test_any_yaml(value: Any) -> None:
    try:
        data = yaml.safe_dump(value).encode()
    except (UnicodeEncodeError, yaml.YAMLError):
        return
    read_label_file(data)


@LIMIT
@given(text=st.text(st.characters(codec="utf-8"), max_size=20))
@example('"\\udcff"')
@example('"\\0"')
@example('"\\UFFFFFFFF"')
@example('"\\U00110000"')
def test_any_scalar_in_labels(text: str) -> None:
    for place in (
        "fixture_id: X",
        "notes: X",
        "X: 1",
        "expected_points: [{id: X}]",
        "expected_points: [{must_not_match: [X]}]",
    ):
        read_label_file(place.replace("X", text).encode())
    read_label_file(f"%YAML 1.{'9' * 5000}\n---\nnotes: {text}".encode())


@pytest.mark.parametrize("name", NO_ANSWERS)
def test_the_oracle_refuses_what_is_no_answer(name: str) -> None:
    assert not oracle.accepts(NO_ANSWERS[name][0].encode())


@pytest.mark.parametrize("depth", [61, 62, 63, 64, 65])
def test_both_stop_at_the_same_depth(depth: int) -> None:
    nested = "[" * depth + "]" * depth
    assert not read_result(f'{{"practice": [{nested}], "map": []}}'.encode())
    from prompteval.inputs import strict_json

    try:
        strict_json.parse(nested)
        parsed = True
    except strict_json.NotJSONError:
        parsed = False
    assert parsed == (depth <= oracle.DEEPEST)


def test_the_oracle_takes_an_answer() -> None:
    assert oracle.accepts(json.dumps(answer()).encode())
