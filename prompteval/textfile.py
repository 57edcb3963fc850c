"""Read one text file that somebody else wrote: never a link out of its folder, a pipe, a giant or another encoding."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

from prompteval.errors import PromptevalError

LARGEST = 4_000_000  # bytes; the longest recorded session has 4 kB, and everything is held in memory at once


class FileRefusedError(PromptevalError):
    """One file that will not be read; the message is the reason alone, without the path."""


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a regular file. Raises FileRefusedError for anything else."""
    if path.is_symlink():
        _follow(path)
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        kind = os.stat(path).st_mode
        if not stat.S_ISREG(kind):
            raise FileRefusedError(f"is {_kind(kind)}, not a file")
        with open(os.open(path, flags), "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise FileRefusedError(f"cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise FileRefusedError(f"is larger than {LARGEST:,} bytes")
    return data


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
