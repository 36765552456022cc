"""This module writes files whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from bake.errors import OutputError


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file whole or not at all: into another one first, which is then renamed.

    Args:
        write: called with the other file.

    Raises:
        OutputError: it cannot be written. A file that was there before stays as it was.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        try:
            with partial.open("wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        finally:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"cannot be written: {error.strerror or error}",
            file=path,
            remedy="check the folder's permissions and free space",
        ) from None
