"""Build the header of an asset, and inspect files that may not be assets."""

from __future__ import annotations

import errno
import hashlib
from pathlib import Path

from bake.store.schema import BAKE_REVISION
from levelbake.errors import AssetError
from levelbake.file import (
    FORMAT_VERSION,
    LARGEST_BLOCK,
    NOT_A_FILE,
    SMALLEST_BLOCK,
    Header,
    begins_like_ours,
    open_to_read,
    parse_header,
)

#: The prefix of a patch's name among the sources; no path is written with two slashes.
PATCH_PREFIX = "patch//"

_BOM = b"\xef\xbb\xbf"
#: Bytes that are read at a time.
_BLOCK = 2**20


def read_header(path: Path) -> Header:
    """Read the user block of an asset.

    Raises:
        NotAnAssetError: the file is something else, or its header is damaged.
        AssetTooOldError, AssetTooNewError: this version does not read the file's format version.
        CorruptAssetError: the file is longer or shorter than it was written.
    """
    with open_to_read(path) as file:
        return parse_header(file, path)


def is_patched(header: Header) -> bool:
    """Return whether a patch was folded into the asset with this header."""
    return any(name.startswith(PATCH_PREFIX) for name, _ in header.sources)


def is_foreign(path: Path) -> bool:
    """Return whether a path has nonempty content that is not an asset of any version."""
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
    block = SMALLEST_BLOCK
    while len(draft.text()) > block:
        block *= 2
    return draft._replace(block=block, size=0)


def source_digest(path: Path) -> str:
    """Return the sha256 of a source, for text independent of line ends and a byte order mark.

    Git may change the line ends of a text file on each machine. A file without a NUL byte in its
    first MiB is text; all image formats have one there. The digest of text with only line feeds and
    no byte order mark is that of its bytes.

    Raises:
        OSError: as for :func:`sha256_of`.
    """
    _check_regular(path)
    with path.open("rb") as file:
        block = file.read(_BLOCK)
        if b"\0" in block:
            return sha256_of(path)
        digest, text = hashlib.sha256(), block.removeprefix(_BOM)
        while block:
            # The line feed of a CRLF may be the first byte of the next block.
            rest = b"\r" if text.endswith(b"\r") else b""
            lines = text.removesuffix(rest)
            digest.update(lines.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
            block = file.read(_BLOCK)
            text = rest + block
        digest.update(text.replace(b"\r", b"\n"))
        return digest.hexdigest()


def sha256_of(path: Path, skip: int = 0) -> str:
    """Return the sha256 of a file, without its first ``skip`` bytes.

    Raises:
        OSError: the file cannot be read, or it is a device or a pipe, which may never end.
    """
    _check_regular(path)
    with path.open("rb") as file:
        file.seek(skip)
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_regular(path: Path) -> None:
    if not (path.is_file() or path.is_dir() or not path.exists()):
        raise OSError(errno.EINVAL, NOT_A_FILE)
