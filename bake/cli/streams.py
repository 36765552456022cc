"""Prepare the three standard streams for printing.

A stream may be closed, full, a pipe without a reader, or unable to encode some characters.
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
    """Prepare the streams for a command, and flush standard output when it ends.

    Raises:
        OutputError: standard output cannot be written.
        BrokenPipeError: the reader of standard output has closed the pipe.
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
    """Open a standard stream that is closed, as the next opened file would get its number.

    The stream contains nothing to read. Writing to standard output fails; what is written to
    standard error is discarded.
    """
    try:
        os.fstat(number)
    except OSError:
        mode = os.O_RDONLY if number == _STDOUT else os.O_WRONLY
        os.set_inheritable(os.open(os.devnull, mode), True)


def _is_plain(stream: TextIO | None, number: int) -> bool:
    """Return whether a stream is the one that Python created for a file, pipe or terminal."""
    if stream is None:
        return True
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # PYTHONUNBUFFERED omits the buffer.
    return type(raw) is io.FileIO and raw.fileno() == number


def _text_of(raw: io.FileIO, before: TextIO | None) -> TextIO:
    """Return a text stream over a file; characters that its encoding lacks are escaped."""
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
    """Standard output; the first failed write raises an error, later ones are discarded."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            # Python flushes the remaining data again at exit.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, _STDOUT)
            os.close(nowhere)
            if isinstance(error, BrokenPipeError):
                raise
            reason = "it is closed" if error.errno == errno.EBADF else error.strerror or error
            raise mistakes.OutputError(f"standard output cannot be written: {reason}") from None


class _Errors(io.FileIO):
    """Standard error; failed writes are ignored, as there is no other place to report them."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes
