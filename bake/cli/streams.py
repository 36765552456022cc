"""Make the three standard streams fit to print on, whatever state the command was started with.

A stream may be closed, full, a pipe that nobody reads, or one that cannot show every letter.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from bake.cli import mistakes

_STDOUT, _STDERR = 1, 2


@contextmanager
def standard_streams() -> Iterator[None]:
    """Prepare the streams for a command, and write out what it has printed when it ends.

    Raises:
        OutputError: standard output cannot be written.
        BrokenPipeError: nobody reads standard output any longer.
    """
    for number in range(3):
        _fill(number)
    if _is_plain(sys.stdout, _STDOUT):
        sys.stdout = _text_of(_Output(_STDOUT, "w", closefd=False), sys.stdout)
    if _is_plain(sys.stderr, _STDERR):
        sys.stderr = _text_of(_Errors(_STDERR, "w", closefd=False), sys.stderr)
    try:
        yield
    finally:
        sys.stdout.flush()


def _fill(number: int) -> None:
    """Open a standard stream that is closed; else the next file would take its number.

    Nothing can be read from it. Standard output refuses what is written, and standard error drops
    it.
    """
    try:
        os.fstat(number)
    except OSError:
        mode = os.O_RDONLY if number == _STDOUT else os.O_WRONLY
        os.set_inheritable(os.open(os.devnull, mode), True)


def _is_plain(stream: TextIO | None, number: int) -> bool:
    """Tell whether a stream is the one Python has made for a file, a pipe or a terminal."""
    if stream is None:
        return True
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # There is no buffer with PYTHONUNBUFFERED.
    return type(raw) is io.FileIO and raw.fileno() == number


def _text_of(raw: io.FileIO, before: TextIO | None) -> TextIO:
    """Return a stream of text on a file; letters that its encoding lacks are written as escapes."""
    if before is not None:
        with suppress(OSError):
            before.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=before.encoding if before is not None else "utf-8",
        errors="backslashreplace",
        line_buffering=raw.fileno() == _STDERR or raw.isatty(),
    )


class _Output(io.FileIO):
    """Standard output; what goes wrong with it is told to the user once."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            # Python writes what is left once more when it ends.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, _STDOUT)
            os.close(nowhere)
            if isinstance(error, BrokenPipeError):
                raise
            said = "it is closed" if error.errno == errno.EBADF else error.strerror or error
            raise mistakes.OutputError(f"standard output cannot be written: {said}") from None


class _Errors(io.FileIO):
    """Standard error; nobody could be told that it cannot be written."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes
