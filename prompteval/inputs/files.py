"""Read one text file that somebody else wrote: never a link out of its folder, a pipe, a giant or another encoding.

And write one, whole or not at all.
"""

from __future__ import annotations

import codecs
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from prompteval.errors import PromptevalError

LARGEST = 4_000_000  # bytes; the longest recorded session has 4 kB, and everything is held in memory at once


class FileRefusedError(PromptevalError):
    """One file that will not be read; the message is the reason alone, without the path."""


@contextmanager
def open_regular(path: Path) -> Iterator[BinaryIO]:
    """Yield a regular file, open to be read. Raises FileRefusedError for anything else, and where it cannot be read."""
    if path.is_symlink():
        _follow(path)
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        kind = os.stat(path).st_mode
        if not stat.S_ISREG(kind):
            raise FileRefusedError(f"is {_kind(kind)}, not a file")
        with open(os.open(path, flags), "rb") as file:
            yield file
    except OSError as error:
        raise FileRefusedError(f"cannot be read: {error.strerror}") from error


def read_bytes(path: Path, largest: int | None = LARGEST) -> bytes:
    """Return the bytes of a regular file of at most `largest` bytes. Raises FileRefusedError for anything else."""
    with open_regular(path) as file:
        data = file.read() if largest is None else file.read(largest + 1)
    if largest is not None and len(data) > largest:
        raise FileRefusedError(f"is larger than {largest:,} bytes")
    return data


def replace_bytes(path: Path, data: bytes) -> None:
    """Make `data` what the file in `path` holds, with its folder where there is none. Raises OSError.

    Written beside it and moved over it, so that nobody ever finds a part; after an error it is as it was.
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


def _follow(path: Path) -> None:
    try:
        target, home = path.resolve(), path.parent.resolve()
        exists = target.exists()
    except RuntimeError:  # a circle of links, before Python 3.13
        exists = False
    except OSError as error:
        raise FileRefusedError(f"cannot be read: {error.strerror}") from error
    if not exists:
        raise FileRefusedError("is a link to nothing")
    if not target.is_relative_to(home):
        raise FileRefusedError("is a link out of its folder")


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device or socket"


def decode(data: bytes) -> str:
    """Return UTF-8 text without its byte order mark and with LF line ends. Raises FileRefusedError."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or _looks_like_utf16(data):
        raise FileRefusedError("is UTF-16; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileRefusedError(f"is not UTF-8 (byte {error.start})") from error
    return text.replace("\r\n", "\n")


def _looks_like_utf16(data: bytes) -> bool:
    """UTF-16 without a mark: in a text of mostly ASCII characters every second byte is zero."""
    head = data[:200]
    return len(head) >= 4 and max(head[0::2].count(0), head[1::2].count(0)) * 2 > len(head) * 0.8


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file as its plain twin reads: no byte order mark, LF. Raises FileRefusedError."""
    return decode(read_bytes(path))
