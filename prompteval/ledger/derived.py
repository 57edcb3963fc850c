"""What is made of facts by rules, and kept in the file for speed and for people with sqlite3 or Datasette.

Nothing of it is under a digest of a fact. It carries the digest of the code that made it, so that a reader under other
rules makes it again, and the next write refreshes it.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from prompteval.digests import canonical, digest
from prompteval.ledger import schema
from prompteval.ledger.facts import Facts
from prompteval.text.fold import fold, fold_by_character

if TYPE_CHECKING:
    from prompteval.model import Answer, Proposal

_PACKAGE = Path(__file__).parent.parent
_SOURCES = (
    *("text/fold.py", "text/markdown.py", "inputs/strict_json.py", "inputs/contract.py", "inputs/results.py"),
    "ledger/derived.py",
)
Row = tuple[Any, ...]


class Derived(NamedTuple):
    """The derived rows of one answer under one contract."""

    validity: Row
    proposals: tuple[Row, ...]


@lru_cache(maxsize=1)
def rules() -> str:
    """Return the digest of the code that decides whether an answer is valid and what is searched of it."""
    return digest("".join((_PACKAGE / name).read_text("utf-8") for name in _SOURCES))


def of_answers(found: Facts, pairs: Iterable[tuple[str, str]]) -> Iterator[Derived]:
    """Yield what is derived of each (answer digest, contract digest) of some facts."""
    for name, contract in pairs:
        text = found["answer"][name,].text
        yield of_answer(name, contract, _read(text, found["contract"][contract,].text))


def _read(text: str | bytes, contract: str) -> Answer:
    from prompteval.inputs.contract import contract_of
    from prompteval.inputs.files import FileRefusedError
    from prompteval.inputs.results import read_answer
    from prompteval.model import Answer

    try:
        return read_answer(text.encode("utf-8") if isinstance(text, str) else text, contract_of(contract))
    except FileRefusedError as error:  # an earlier version took it in
        return Answer(text, (str(error),))


def of_answer(name: str, contract: str, answer: Answer) -> Derived:
    """Return what is derived of one answer; `name` is its digest and `contract` that of the contract it was read by."""
    proposals = tuple((name, contract, *_searched(proposal)) for proposal in answer.proposals)
    problems = canonical(answer.problems)
    return Derived((name, contract, problems, checksum(problems, proposals)), proposals)


def checksum(problems: str, proposals: Iterable[Row]) -> str:
    """Return the checksum of the derived rows of one answer: of all their values and the rules that made them."""
    return digest(canonical([rules(), problems, list(proposals)]))


def _searched(proposal: Proposal) -> Row:
    titles = [proposal.title] if proposal.searched[:1] == (proposal.title,) else []
    searched = _three_ways(proposal.searched, len(titles))
    others = _three_ways(proposal.others, 0)
    return (proposal.number, proposal.type, proposal.title, int(proposal.kept), *searched, *others)


def _three_ways(texts: tuple[str, ...], lines: int) -> tuple[str, str | None, str | None]:
    """Return texts folded as written, as their Markdown reads and (the first `lines` are one line) by character."""
    from prompteval.text.markdown import read_blocks, read_line

    written = list(map(fold, texts))
    read = [fold((read_line if place < lines else read_blocks)(text)) for place, text in enumerate(texts)]
    spelled = list(map(fold_by_character, texts))
    return (
        "\n".join(written),
        # What most Markdown reads as: the views take the marks of code out by themselves.
        None if _stripped(read) == _stripped(text.replace("`", "") for text in written) else "\n".join(read),
        None if spelled == written else "\n".join(spelled),
    )


def _stripped(texts: Iterable[str]) -> list[str]:
    return [text.strip() for text in texts]


def of_labels(texts: Mapping[str, str]) -> Iterator[Row]:
    """Yield the rows of the table term for labels, given as texts by digest."""
    for name, text in texts.items():
        for point in json.loads(text)["expected_points"]:
            for role, alternative, terms in _lists(point):
                for position, term in enumerate(terms):
                    folded, spelled = fold(term), fold_by_character(term)
                    place = (name, point["id"], role, alternative, position)
                    yield (*place, term, folded, None if spelled == folded else spelled)


def _lists(point: Mapping[str, Any]) -> Iterator[tuple[str, int, list[str]]]:
    yield "all", 0, point.get("must_match_all", [])
    yield from (("any", number, terms) for number, terms in enumerate(point.get("must_match_any", [])))
    yield "none", 0, point.get("must_match_none", [])
    yield "guard", 0, point.get("must_not_match", [])


def insert_answers(connection: sqlite3.Connection, derived: Iterable[Derived]) -> None:
    """Insert the derived rows of answers."""
    listed = list(derived)
    connection.executemany("insert into validity values (?, ?, ?, ?)", (each.validity for each in listed))
    proposals = (row for each in listed for row in each.proposals)
    connection.executemany(f"insert into proposal values ({', '.join('?' * 12)})", proposals)


def insert_terms(connection: sqlite3.Connection, texts: Mapping[str, str]) -> None:
    """Insert the terms of labels, given as texts by digest."""
    connection.executemany("insert into term values (?, ?, ?, ?, ?, ?, ?, ?)", of_labels(texts))


def pairs_of(found: Facts) -> list[tuple[str, str]]:
    """Return each (answer digest, contract digest) under which the runs among some facts are read, sorted."""
    contracts = {run.id: found["corpus"][run.corpus,].contract for run in found["run"].values()}
    return sorted({(result.answer, contracts[result.run_id]) for result in found["result"].values()})


def stored(connection: sqlite3.Connection, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Derived]:
    """Return what the file has of some pairs, where the installed rules made it and it is as they made it."""
    if connection.execute("select rules from derived_by").fetchall() != [(rules(),)]:
        return {}
    wanted = json.dumps(sorted({answer for answer, _ in pairs}))
    proposals: dict[tuple[str, str], list[Row]] = defaultdict(list)
    only = "where answer in (select value from json_each(?)) order by answer"
    for row in connection.execute(f"select * from proposal {only}, contract, number", [wanted]):
        proposals[row[0], row[1]].append(row)
    found = {}
    for row in connection.execute(f"select * from validity {only}", [wanted]):
        answer, contract, problems, said = row
        own = tuple(proposals[answer, contract])
        if checksum(problems, own) == said:
            found[answer, contract] = Derived(row, own)
    return {pair: found[pair] for pair in pairs if pair in found}


def is_current(connection: sqlite3.Connection) -> bool:
    """Return whether all that is derived in the file was made by the installed rules."""
    made = connection.execute("select rules from derived_by").fetchall()
    return made == [(rules(),)] and schema.views_of(connection) == schema.views()


def problems(connection: sqlite3.Connection, found: Facts) -> Iterator[tuple[str, str]]:
    """Yield what the installed rules would make otherwise of a ledger's facts than it stands in the file."""
    wanted = {(row.validity[0], row.validity[1]): row for row in of_answers(found, pairs_of(found))}
    have = stored(connection, wanted)
    for pair, rows in wanted.items():
        if have.get(pair) != rows:
            yield f"answer {pair[0][:8]}", "what is derived of it is not what the rules make"
    terms = set(of_labels(_label_texts(found)))
    if terms != set(connection.execute("select * from term").fetchall()):
        yield "term", "the terms are not those that the rules make of the labels"
    (number,) = connection.execute("select count(*) from validity").fetchone()
    if number > len(wanted):
        yield "validity", "it has rows for no answer of a run"


def _label_texts(found: Facts) -> dict[str, str]:
    return {row.digest: row.text for _, row in sorted(found["labels"].items())}


def fill(connection: sqlite3.Connection, found: Facts) -> None:
    """Make all that is derived of the facts of a ledger, in place of what is there."""
    for table in schema.DERIVED:
        connection.execute(f"delete from {table}")
    for view in schema.views_of(connection):
        connection.execute(f'drop view "{view}"')
    insert_answers(connection, of_answers(found, pairs_of(found)))
    insert_terms(connection, _label_texts(found))
    for statement in schema.view_statements().values():
        connection.execute(statement)
    connection.execute("insert into derived_by values (?)", [rules()])
