"""How many bytes columns will take in a file."""

from __future__ import annotations

import zlib

import numpy as np

from bake.asset.schema import COLUMNS, column
from bake.asset.write import DEFLATE_LEVEL, Contents


def stored_bytes(contents: Contents) -> int:
    """Bytes the columns will take, by deflating them, with what the file needs to describe them."""
    return deflated_bytes(contents) + 200 * len(COLUMNS)


def deflated_bytes(contents: Contents) -> int:
    total = 0
    for path, array in contents.columns.items():
        declared = column(path)
        if not array.size:
            continue
        data = np.ascontiguousarray(array)
        if declared.shuffle and data.dtype.kind != "S":
            data = data.view(np.uint8).reshape(data.size, -1).T
        total += len(zlib.compress(data.tobytes(), DEFLATE_LEVEL))
    return total
