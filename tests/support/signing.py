"""Assets that were tampered with, and whose digests were then put right again."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np

from bake.asset import read_header, sha256_of
from bake.asset.header import Header

#: Bytes of a column that is given its digest; one that only claims to be larger is not.
LARGEST = 2**26


def sign(path: Path, header: Header | None = None) -> None:
    """Make every digest fit the bytes there are, so that deeper checks are reached.

    Args:
        path: an asset.
        header: as it was before, where the file's length has changed since.
    """
    with h5py.File(path, "r+") as file:

        def look(name: str, item: object) -> None:
            if isinstance(item, h5py.Dataset) and item.shape and item.nbytes < LARGEST:
                digest = hashlib.sha256(np.asarray(item[()]).tobytes()).hexdigest()
                item.attrs["sha256"] = np.bytes_(digest)

        file.visititems(look)
    sign_body(path, header or read_header(path))


def sign_body(path: Path, header: Header) -> None:
    """Make the header fit the file's bytes, and leave those alone."""
    body = sha256_of(path, skip=header.block)
    with path.open("r+b") as raw:
        raw.write(replace(header, body=body, size=path.stat().st_size).to_bytes())


@contextlib.contextmanager
def edited(path: Path) -> Iterator[h5py.File]:
    """An asset to change as another program would; all digests fit again afterwards."""
    header = read_header(path)
    with h5py.File(path, "r+") as file:
        yield file
    sign(path, header)
