"""Name the types of arrays, the same in every module."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levelbake.steps import (
    AnyArray,
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
    "BoolArray",
    "Float64Array",
    "Int16Array",
    "Int32Array",
    "Int64Array",
    "UInt8Array",
    "UInt16Array",
    "UInt32Array",
    "UInt64Array",
]
