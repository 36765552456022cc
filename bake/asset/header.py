"""The header of an asset: its first bytes, plain JSON in the HDF5 user block.

It says what the asset is, what it was made from and what its bytes must hash to, so that staleness
and damage can be judged without HDF5. It ends with a seal, a digest of its own text.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from io import BufferedReader
from pathlib import Path
from typing import Any

from bake.asset.schema import BAKE_REVISION
from levelbake.errors import (
    AssetError,
    AssetTooNewError,
    AssetTooOldError,
    CorruptAssetError,
    NotAnAssetError,
)

FORMAT_NAME = "levelbake asset"
#: Version of the layout of assets. Readers refuse other versions, each with its own error.
FORMAT_VERSION = 6
OLDEST_READABLE = 6

#: Bytes of the smallest user block: HDF5 looks for its own signature at 0, 512, 1024, 2048, ...
SMALLEST_BLOCK = 512
LARGEST_BLOCK = 2**20
HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"

#: Begins the name of a patch among the sources; no path is written with two slashes.
PATCH_PREFIX = "patch//"

NOT_A_FILE = "this is a device or a pipe"

_FIRST_LINE = b'{"format": "' + FORMAT_NAME.encode() + b'"'
_REBAKE = "rebake it: `bake build`"


@dataclass(frozen=True)
class Header:
    """What an asset says of itself in its first bytes, plain JSON in the HDF5 user block."""

    format_version: int  #: layout of the file
    bake_revision: int  #: revision of the code that baked it
    level: str  #: the level's name
    #: (path relative to the level file, sha256) of every file read, the level file first; then
    #: PATCH_PREFIX and the name of each patch that was folded in
    sources: tuple[tuple[str, str], ...]
    recipe: str  #: sha256 of the recipe that took effect
    body: str  #: sha256 of all bytes after the user block
    block: int  #: bytes in the user block
    size: int  #: bytes in the file, the user block included

    @property
    def is_patched(self) -> bool:
        """Return whether a patch was folded in."""
        return any(name.startswith(PATCH_PREFIX) for name, _ in self.sources)

    def text(self) -> bytes:
        """Return the header as JSON, one field a line.

        The last line is the seal: sha256 of all lines before it.
        """
        lines = json.dumps({"format": FORMAT_NAME, **asdict(self)}, indent=0)
        sealed = lines.removesuffix("\n}").encode() + b",\n"
        seal = hashlib.sha256(sealed).hexdigest()
        return sealed + f'"seal": "{seal}"\n}}\n'.encode()

    def to_bytes(self) -> bytes:
        """Return the user block, padded with spaces to its size."""
        text = self.text()
        if len(text) > self.block:
            raise AssetError(f"the header needs {len(text)} bytes, its block has {self.block}")
        return text.ljust(self.block)

    def fingerprint(self) -> str:
        """Return sha256 of everything that decides the asset's content."""
        parts = (self.format_version, self.bake_revision, self.level, self.sources, self.recipe)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@contextlib.contextmanager
def open_to_read(path: Path) -> Iterator[BufferedReader]:
    """Open a file to read bytes from; an error of the system becomes an AssetError."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, NOT_A_FILE)
            yield file
    except FileNotFoundError:
        raise AssetError("no such asset", file=path, remedy="bake it first: `bake build`") from None
    except OSError as error:
        raise AssetError(f"cannot be read: {error.strerror or error}", file=path) from None


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe would wait for a writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_header(path: Path) -> Header:
    """Read the user block of an asset.

    Raises:
        NotAnAssetError: the file is something else, or its header is damaged.
        AssetTooOldError, AssetTooNewError: its layout is not one this version reads.
        CorruptAssetError: the file is longer or shorter than it was written.
    """
    with open_to_read(path) as file:
        return parse_header(file, path)


def parse_header(file: BufferedReader, path: Path) -> Header:
    """Read the user block of an open file, as :func:`read_header` does."""
    data = file.read(SMALLEST_BLOCK)
    if not data:
        raise NotAnAssetError("the file is empty", file=path, remedy=_REBAKE)
    if not begins_like_ours(data):
        what, expected = "no HDF5 file", "an asset written by `bake build`"
        if _is_hdf5(file):
            what = "an HDF5 file of another program"
        elif path.suffix.lower() == ".bake":
            what, expected = "no flat file", "one written by `bake export`"
        raise NotAnAssetError(f"this is {what}", file=path, expected=expected)
    unreadable = NotAnAssetError("the header is damaged", file=path, remedy=_REBAKE)
    size = SMALLEST_BLOCK
    while (fields := _first_object(data)) is None and size < LARGEST_BLOCK:
        data += file.read(size)
        size *= 2
    if fields is None or type(version := fields.get("format_version")) is not int:
        raise unreadable
    check_version(path, "format", version, (OLDEST_READABLE, FORMAT_VERSION), _REBAKE)
    header = _header_of(fields)
    file.seek(0)
    # This checks text, seal and padding at once, as there is only one way to write a header.
    if header is None or file.read(header.block) != header.to_bytes():
        raise unreadable
    size = os.fstat(file.fileno()).st_size
    if size != header.size:
        raise damaged(path, f"the file has {size:,} bytes, its header says {header.size:,}")
    return header


def _first_object(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object that the data begins with; None while a part of it is missing."""
    try:
        fields, _ = json.JSONDecoder().raw_decode(data.decode("ascii"))
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _header_of(fields: dict[str, Any]) -> Header | None:
    """Return the header with these fields; None where one is missing or has a wrong value."""
    own: dict[str, Any] = {name: fields.get(name) for name in Header.__dataclass_fields__}
    sources = own["sources"]
    if not isinstance(sources, list):
        return None
    if not all(isinstance(each, list) and len(each) == 2 for each in sources):
        return None
    own["sources"] = tuple(map(tuple, sources))
    texts = [own[name] for name in ("level", "recipe", "body")] + [
        text for each in sources for text in each
    ]
    # isinstance would take a bool for an int, but a bool is not a number here.
    whole = all(type(own[name]) is int for name in ("bake_revision", "block", "size"))
    if not (whole and all(isinstance(text, str) for text in texts)):
        return None
    header = Header(**own)
    block = header.block
    fits = SMALLEST_BLOCK <= block <= LARGEST_BLOCK and not block & (block - 1)
    return header if fits and len(header.text()) <= block else None


def begins_like_ours(data: bytes) -> bool:
    """Return whether bytes begin like an asset of any version."""
    return data.replace(b"\n", b"").startswith(_FIRST_LINE)


def _is_hdf5(file: BufferedReader) -> bool:
    """Return whether HDF5's signature is at the beginning, or behind a user block of any size."""
    size, place = file.seek(0, 2), 0
    while place < size:
        file.seek(place)
        if file.read(len(HDF5_SIGNATURE)) == HDF5_SIGNATURE:
            return True
        place = max(SMALLEST_BLOCK, 2 * place)
    return False


def check_version(path: Path, what: str, version: int, known: tuple[int, int], remedy: str) -> None:
    """Refuse a version that is older or newer than those that can be read."""
    oldest, newest = known
    expected = f"version {newest}" if oldest == newest else f"version {oldest} to {newest}"
    if version < oldest:
        found = f"too old: {what} version {version}"
        raise AssetTooOldError(found, file=path, expected=expected, remedy=remedy)
    if version > newest:
        found = f"too new: {what} version {version}"
        raise AssetTooNewError(found, file=path, expected=expected, remedy="update levelbake")


def damaged(
    path: Path,
    found: str,
    *,
    verdict: str = "damaged",
    remedy: str = "rebake it: `bake build --force`",
) -> CorruptAssetError:
    """Return the error for an asset that cannot be used; only this makes a CorruptAssetError.

    Args:
        path: the asset.
        found: what is wrong with it.
        verdict: "damaged", or "wrong" where it is as it was written but not what it should be.
        remedy: what to do about it.
    """
    return CorruptAssetError(f"{verdict}: {found}", file=path, remedy=remedy)


#: Bytes of a file that are hashed at once.
_READ_PIECE = 2**20


def block_size(header: Header) -> int:
    """Return the bytes of the smallest user block that holds a header."""
    size = SMALLEST_BLOCK
    while len(header.text()) > size:
        size *= 2
    return size


def is_foreign(path: Path) -> bool:
    """Tell whether there is something that is not empty and is not an asset of any version."""
    try:
        with open_to_read(path) as file:
            data = file.read(SMALLEST_BLOCK)
    except AssetError:
        return path.exists() and not path.is_file()
    return bool(data) and not begins_like_ours(data)


def header_for(level: str, sources: tuple[tuple[str, str], ...], recipe: str) -> Header:
    """Return the header of an asset to be written, without its body's digest and its size."""
    largest = 2**62
    draft = Header(
        FORMAT_VERSION, BAKE_REVISION, level, sources, recipe, "0" * 64, LARGEST_BLOCK, largest
    )
    return replace(draft, block=block_size(draft), size=0)


def sha256_of(path: Path, skip: int = 0) -> str:
    """Return sha256 of a file, without its first ``skip`` bytes.

    Raises:
        OSError: the file cannot be read, or it is a device or a pipe, which may never end.
    """
    if not (path.is_file() or path.is_dir() or not path.exists()):
        raise OSError(errno.EINVAL, NOT_A_FILE)
    digest = hashlib.sha256()
    with path.open("rb") as file:
        file.seek(skip)
        while piece := file.read(_READ_PIECE):
            digest.update(piece)
    return digest.hexdigest()
