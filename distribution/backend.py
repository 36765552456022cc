"""Build wheels that also contain the command's entry point and the JavaScript reader.

This is the build backend named in ``pyproject.toml`` (PEP 517, PEP 660). flit_core builds each
wheel. This module adds the entry point of the commands, and the JavaScript reader as
``bake/readers/js``, where ``bake.core.reader_sources`` searches for it. An editable install needs
neither addition, as a clone contains both.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import stat
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from flit_core.buildapi import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
from flit_core.buildapi import build_wheel as build_plain_wheel

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

#: The entry point, which is outside the package, because another package could overwrite that.
COMMAND = "levelbake_command.py"

#: The files added to a wheel, by folder. ``[tool.flit.sdist]`` lists the same for source archives.
BUNDLED: Mapping[str, tuple[str, ...]] = {
    "readers/js": ("*.js", "*.d.ts", "package.json", "README.md"),
}

#: Benchmarks of the readers, which need a clone.
LEFT_OUT = frozenset({"readers/js/bench.js", "readers/js/size.js"})

#: The default modification time of added files: fixed, so that builds are reproducible.
_EPOCH = (2016, 1, 1, 0, 0, 0)


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build a wheel into a folder, and return its name."""
    name: str = build_plain_wheel(wheel_directory, config_settings, metadata_directory)
    add_files(Path(wheel_directory, name), dict(bundled(Path())))
    return name


def bundled(project: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path within the wheel and the content of each added file.

    Raises:
        FileNotFoundError: a folder contains none of its files, so the wheel would be broken.
    """
    yield COMMAND, (project / COMMAND).read_bytes()
    for folder, patterns in BUNDLED.items():
        files = sorted({file for pattern in patterns for file in (project / folder).glob(pattern)})
        selected = [file for file in files if f"{folder}/{file.name}" not in LEFT_OUT]
        if not selected:
            raise FileNotFoundError(f"{folder} holds none of {', '.join(patterns)}")
        for file in selected:
            yield f"bake/{folder}/{file.name}", file.read_bytes()


def add_files(wheel: Path, files: Mapping[str, bytes]) -> None:
    """Add files to a wheel and to its RECORD, replacing files of the same names.

    The wheel is replaced when the new one is complete.
    """
    made = wheel.with_suffix(".tmp")
    with zipfile.ZipFile(wheel) as before, zipfile.ZipFile(made, "w") as after:
        record = next(member for member in before.infolist() if member.filename.endswith("/RECORD"))
        for member in before.infolist():
            if member is not record and member.filename not in files:
                after.writestr(member, before.read(member), zipfile.ZIP_DEFLATED)
        rows = csv.reader(io.StringIO(before.read(record).decode()))
        lines = [row for row in rows if row[0] not in files]
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _changed_when())
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            after.writestr(entry, content, zipfile.ZIP_DEFLATED)
            digest = urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            lines.insert(-1, [name, f"sha256={digest}", str(len(content))])
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(lines)
        after.writestr(record, text.getvalue(), zipfile.ZIP_DEFLATED)
    made.replace(wheel)


def _changed_when() -> tuple[int, int, int, int, int, int]:
    """Return the time of SOURCE_DATE_EPOCH, as flit_core does, or else the default time."""
    from datetime import UTC, datetime

    try:
        when = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    except (KeyError, ValueError):
        return _EPOCH
    return (max(when.year, 1980), when.month, when.day, when.hour, when.minute, when.second)
