"""Read what a person pastes into a terminal, however long its lines are."""

from __future__ import annotations

import os
from typing import IO, Any

END_OF_INPUT = "Ctrl-Z and Enter" if os.name == "nt" else "Ctrl-D"
_CTRL_D = b"\x04"


def read_pasted(stream: IO[bytes], largest: int) -> bytes:
    """Return all bytes of a stream, or the first `largest` and one more; those of a terminal end with Ctrl-D.

    A terminal that collects lines cuts them off (Linux at 4,095 bytes, macOS at 1,023), and an answer can be one line.
    So it is set to pass on each byte as it comes and not to show it: what a model wrote could steer a terminal.
    Ctrl-C goes on to interrupt.
    """
    try:
        import termios
    except ImportError:  # Windows, whose console has no such limit
        return stream.read(largest + 1)
    if not stream.isatty():
        return stream.read(largest + 1)
    descriptor = stream.fileno()
    before: list[Any] = termios.tcgetattr(descriptor)
    now = list(before)
    now[3] = before[3] & ~termios.ICANON & ~termios.ECHO
    termios.tcsetattr(descriptor, termios.TCSADRAIN, now)
    try:
        return _until_end(descriptor, largest)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _until_end(descriptor: int, largest: int) -> bytes:
    read = b""
    while len(read) <= largest and (chunk := os.read(descriptor, 65536)):
        before, end, _ = chunk.partition(_CTRL_D)
        read += before
        if end:
            break
    return read
