"""Name the types of arrays, the same in every module, and say where parts of one begin."""

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
    """Return (k + 1), where each of k parts in a row begins, and where the last one ends."""
    first = np.zeros(len(sizes) + 1, dtype=dtype)
    np.cumsum(sizes, out=first[1:])
    return first
