"""Read text files that somebody else wrote: never a link out of its folder, a pipe, a giant or another encoding.

And list a folder that people and their tools have been in, and write a file, whole or not at all.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
import shutil
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from prompteval.errors import Problem, PromptevalError

LARGEST = 4_000_000  # bytes; the longest recorded session has 4 kB, and everything is held in memory at once
# Dot-files (AppleDouble `._x` among them), editor backups and swap files: never somebody's work.
_LITTER = re.compile(
    r"\..*|.*~|#.*#|.*\.(bak|orig|rej|swp|swo|tmp)|(Thumbs\.db|desktop\.ini)", re.IGNORECASE | re.DOTALL
)


class FileRefusedError(PromptevalError):
    """A file that is not read; the message is the reason, without the path."""


@contextmanager
def open_regular(path: Path) -> Iterator[BinaryIO]:
    """Yield a regular file, opened for reading. Raises FileRefusedError for anything else and if it cannot be read."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        if path.is_symlink():
            _check_link(path)
        if kind := _other_kind(os.stat(path).st_mode):
            raise FileRefusedError(f"is {kind}, not a file")
        with open(os.open(path, flags), "rb") as file:
            yield file
    except OSError as error:
        raise FileRefusedError(f"cannot be read: {error.strerror}") from error


def _check_link(path: Path) -> None:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: a circle of links, before Python 3.13
        if getattr(error, "errno", errno.ELOOP) not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise
        raise FileRefusedError("is a link to nothing") from error
    if not target.is_relative_to(path.parent.resolve()):
        raise FileRefusedError("is a link that leads out of its folder")


def _other_kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return ""
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device or socket"


def read_bytes(path: Path, largest: int | None = LARGEST) -> bytes:
    """Return the bytes of a regular file of at most `largest` bytes. Raises FileRefusedError for anything else."""
    with open_regular(path) as file:
        data = file.read() if largest is None else file.read(largest + 1)
    if largest is not None and len(data) > largest:
        raise FileRefusedError(f"is larger than {largest:,} bytes")
    return data


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file without byte order mark, with LF line ends. Raises FileRefusedError."""
    return decode(read_bytes(path))


def decode(data: bytes) -> str:
    """Return UTF-8 text without its byte order mark and with LF line ends. Raises FileRefusedError."""
    # UTF-16 without a mark: in a text of mostly ASCII characters every second byte is zero.
    head = data[:200]
    zeros = max(head[0::2].count(0), head[1::2].count(0))
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or (len(head) >= 4 and zeros * 2 > len(head) * 0.8):
        raise FileRefusedError("is UTF-16; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileRefusedError(f"is not UTF-8 (byte {error.start})") from error
    return text.replace("\r\n", "\n")


def replace_bytes(path: Path, data: bytes) -> None:
    """Write `data` to `path`, and create its folder if needed. Raises OSError.

    It is written beside the file and moved over it, so that nobody reads a part; an error leaves the file unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        fresh.write_bytes(data)
        if path.exists():
            shutil.copymode(path, fresh)
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


class Listing(NamedTuple):
    """The files with the wanted suffix by stem, the problems with such names, and the other names."""

    files: dict[str, Path]
    problems: list[Problem]
    others: list[str]


def scan(root: Path, suffix: str) -> Listing:
    """List `root`. Names that only differ by case or Unicode normalisation are a problem; litter is passed over.

    Raises PromptevalError when `root` is not a folder that can be read.
    """
    try:
        names = sorted(name for name in os.listdir(root) if not _LITTER.fullmatch(name))
    except OSError as error:
        raise PromptevalError(f"{root} cannot be listed: {error.strerror}") from error
    found = Listing({}, [], [])
    first: dict[str, str] = {}
    for name in names:
        twin = first.setdefault(unicodedata.normalize("NFC", name).casefold(), name)
        if not name.casefold().endswith(suffix):
            found.others.append(name)
        elif twin != name:
            found.problems.append(Problem(name, "", f'has the same name as "{twin}" on other systems'))
        elif not name.endswith(suffix):
            found.problems.append(Problem(name, "", f"ends in {name[-len(suffix) :]}; rename it to end in {suffix}"))
        else:
            found.files[name[: -len(suffix)]] = root / name
    return found
