"""Putting a picture into its file: the old one or the whole new one, never half of either."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from PIL import Image

from bake.errors import OutputError


def check_output(path: Path) -> None:
    """Refuse early what could not be written later.

    Raises:
        OutputError: not a .png, no such folder, or a folder of that name.
    """
    if path.suffix.lower() != ".png":
        raise OutputError(
            f"pictures are not written as {path.suffix!r}" if path.suffix else "it has no suffix",
            file=path,
            expected="a name that ends in .png",
        )
    if not path.parent.is_dir():
        raise OutputError("its folder does not exist", file=path, remedy="make the folder first")
    if path.is_dir():
        raise OutputError("a folder has this name", file=path, expected="the name of a picture")


def write_png(picture: Image.Image, path: Path) -> None:
    """Write a picture beside its place, then rename it into it.

    Raises:
        OutputError: it cannot be written. What was there before is untouched.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        try:
            with partial.open("wb") as file:
                picture.save(file, format="PNG")
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
