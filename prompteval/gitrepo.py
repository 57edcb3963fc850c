"""The git repository around the ledger, read without starting git: a file of a commit, the sides of a conflict."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from prompteval.errors import PromptevalError

if TYPE_CHECKING:
    from dulwich.index import Index
    from dulwich.repo import Repo

_REVISION = re.compile(r"([^~^:]+)([~^0-9]*)")  # a name or id, and the steps from there to a parent
_OURS = re.compile(r'\s*\[\s*(diff|merge)(\s+"prompteval"|\.prompteval)\s*\]', re.IGNORECASE)
_HEADER, _COMMENT = re.compile(r"\s*\["), re.compile(r"\s*[#;]")


class Conflict(NamedTuple):
    """The sides of a file that git could not merge; None where a side does not have it.

    `replaying`: while a commit is replayed elsewhere, as in a rebase or cherry-pick, and not in a merge or squash.
    """

    base: bytes | None
    ours: bytes | None
    theirs: bytes | None
    replaying: bool


def file_at(revision: str, path: Path) -> bytes:
    """Return what `path` holds in a commit: a branch, a tag, an id or its start, also with ^ and ~.

    Raises PromptevalError where there is no repository, no such commit, or no such file in it.
    """
    from dulwich.object_store import tree_lookup_path
    from dulwich.objects import Commit
    from dulwich.objectspec import parse_commit, parse_object

    with _repository(path) as repo:
        parts = _REVISION.fullmatch(revision)
        try:
            if parts is None:
                raise KeyError(revision)
            start = parse_commit(repo, b"HEAD" if parts[1] == "@" else parts[1].encode())
            commit = parse_object(repo, start.id + parts[2].encode())
        except (KeyError, ValueError) as error:
            raise PromptevalError(f"'{revision}' is no file here and no branch, tag or id of a commit") from error
        assert isinstance(commit, Commit)
        name = _name(repo, path)
        try:
            _, identity = tree_lookup_path(repo.__getitem__, commit.tree, name)
        except KeyError as error:
            raise PromptevalError(f"{revision} has no {os.fsdecode(name)}") from error
        return repo[identity].as_raw_string()


def conflict(path: Path) -> Conflict:
    """Return the sides that git keeps of `path`. Raises PromptevalError where it is in no conflict."""
    from dulwich.index import ConflictedIndexEntry

    with _repository(path) as repo:
        name = _name(repo, path)
        index = _index(repo)
        entry = index[name] if name in index else None  # noqa: SIM401  (an index has no get)
        if not isinstance(entry, ConflictedIndexEntry):
            raise PromptevalError(f"{path} is in no conflict; 'git status' tells where the repository stands")
        sides = (entry.ancestor, entry.this, entry.other)
        base, ours, theirs = (None if side is None else repo[side.sha].as_raw_string() for side in sides)
        merging = any(Path(repo.controldir(), name).exists() for name in ("MERGE_HEAD", "SQUASH_MSG"))
        return Conflict(base, ours, theirs, not merging)


def _index(repo: Repo) -> Index:
    try:
        return repo.open_index()
    except Exception as error:  # whatever dulwich's parser comes upon
        told = f"the index of {repo.path} cannot be read: {type(error).__name__}: {error}"
        plainly = "'git update-index --no-split-index' and 'git sparse-checkout disable' write a plain one"
        raise PromptevalError(f"{told}; if it is split or sparse, {plainly}") from error


def configure(path: Path, command: str | None) -> Path:
    """Set the diff and merge drivers named prompteval in the repository around `path`; None: take them out.

    Returns the configuration file, of which everything else stays as it is. Raises PromptevalError.
    """
    with _repository(path) as repo:
        config = Path(repo.commondir(), "config").resolve()
    lock = config.with_name("config.lock")  # git's own way to keep two writers apart
    try:
        descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError as error:
        raise PromptevalError(f"{config} is being changed by another process; if none is, remove {lock}") from error
    try:
        with open(descriptor, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            before = config.read_bytes().decode("utf-8", "surrogateescape") if config.exists() else ""
            kept = _without_ours(before)
            ended = "" if kept.endswith("\n") or not kept else "\n"
            added = "" if command is None else ended + _sections(command)
            file.write(kept + (added.replace("\n", "\r\n") if "\r\n" in before else added))
        if config.exists():
            shutil.copymode(config, lock)  # it may hold what others must not read
        os.replace(lock, config)
    finally:
        lock.unlink(missing_ok=True)
    return config


def _without_ours(text: str) -> str:
    kept, ours = [], False
    for line in text.splitlines(keepends=True):
        ours = bool(_OURS.match(line)) if _HEADER.match(line) else ours
        if not ours or _COMMENT.match(line):
            kept.append(line)
    return "".join(kept)


def _sections(command: str) -> str:
    doubled = command.replace("%", "%%")  # git puts file names in the place of %O and the like
    return (
        f'[diff "prompteval"]\n\ttextconv = {_value(f"{command} ledger textconv --")}\n'
        '[merge "prompteval"]\n\tname = union of ledgers\n'
        f"\tdriver = {_value(f'{doubled} ledger merge-driver -- %O %A %B %P')}\n"
    )


def _value(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@contextmanager
def _repository(path: Path) -> Iterator[Repo]:
    from dulwich.errors import NotGitRepository
    from dulwich.repo import Repo

    try:
        with closing(Repo.discover(os.path.dirname(os.path.realpath(path)))) as repo:
            yield repo
    except NotGitRepository as error:
        raise PromptevalError(f"{path} is in no git repository") from error
    except PromptevalError:
        raise
    except Exception as error:  # of a damaged repository dulwich says whatever its parsers come upon
        message = f"the git repository around {path} cannot be read: {type(error).__name__}: {error}"
        raise PromptevalError(message) from error


def _name(repo: Repo, path: Path) -> bytes:
    """Return the name of a file in the repository. Raises PromptevalError where it is not below its work tree."""
    try:
        return os.fsencode(Path(os.path.realpath(path)).relative_to(os.path.realpath(repo.path)).as_posix())
    except ValueError as error:
        raise PromptevalError(f"{path} is not in the work tree of {repo.path}") from error
