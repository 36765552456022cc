"""Array type aliases, and the offsets of compressed sparse rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levelbake.steps import (
    AnyArray,
    ArrayLike,
    BoolArray,
    Float64Array,
    Int32Array,
    Int64Array,
    UInt8Array,
)

Int16Array = npt.NDArray[np.int16]
UInt16Array = npt.NDArray[np.uint16]
UInt32Array = npt.NDArray[np.uint32]
UInt64Array = npt.NDArray[np.uint64]

__all__ = [
    "AnyArray",
    "ArrayLike",
    "BoolArray",
    "Float64Array",
    "Int16Array",
    "Int32Array",
    "Int64Array",
    "UInt8Array",
    "UInt16Array",
    "UInt32Array",
    "UInt64Array",
    "offsets",
]


def offsets(sizes: AnyArray, dtype: type[np.signedinteger] = np.int32) -> AnyArray:
    """Return (k + 1) offsets of k consecutive parts, and of the end.

    Args:
        sizes: (k) the sizes of the parts.
        dtype: of the result.

    >>> offsets(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    first = np.zeros(len(sizes) + 1, dtype=dtype)
    np.cumsum(sizes, out=first[1:])
    return first
