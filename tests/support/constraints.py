"""Arrays that meet what the table says of a column, and arrays that break one constraint each."""

from collections.abc import Callable, Iterator
from math import isnan

import numpy as np

from bake.core.arrays import AnyArray
from levelbake.columns import Column, bounds

Length = Callable[[str], int]


def conforming(
    column: Column, shape: tuple[int, ...], length: Length, rng: np.random.Generator
) -> AnyArray:
    """An array that a column may be."""
    dtype = column.dtypes[0]
    if dtype == "text":
        return np.array([f"Ä{number}".encode() for number in range(shape[0])], dtype="S4")
    if column.offsets:
        # Parts of even size, the last one larger.
        parts = shape[0] - 1
        even = np.arange(shape[0]) * (length(column.offsets) // parts)
        return np.append(even[:-1], length(column.offsets)).astype(dtype)
    if column.sums:
        found = np.ones(shape, dtype=dtype)
        found[-1] += length(column.sums) - len(found)
        return found
    if column.order:
        found = np.arange(shape[0], dtype=dtype)
        return found if column.none is None else np.where(found < 5, found, column.none)
    if column.bits:
        found = rng.integers(0, 256, size=shape).astype(dtype)
        found[..., -1] &= 0xFF & ~(0xFF >> ((length(column.bits) - 1) % 8 + 1))
        return found
    if column.one_of:
        return rng.choice(np.array(column.one_of, dtype=dtype), size=shape)
    if dtype == "float64":
        return np.abs(rng.normal(size=shape)) + 0.5
    least, most = bounds(column, length)
    return rng.integers(max(least, 0), min(most, 200) + 1, size=shape).astype(dtype)


def broken(column: Column, array: AnyArray, length: Length) -> Iterator[tuple[str, AnyArray]]:
    """Arrays like one that meets all constraints of a column, but for one each."""
    if not len(array):
        return
    is_text = array.dtype.kind == "S"
    if is_text:
        changed = array.copy()
        changed[0] = b"\xff"
        yield "no UTF-8", changed
    if column.order == "numbered" and array.any():
        yield "a gap", np.where(array == 0, array.max(), array)
    elif column.order not in ("", "numbered") and len(array) > 1:
        changed = array.copy()
        changed[0] = changed[1] if is_text or column.order == "unique" else changed[-1] + 1
        yield column.order, changed
    if is_text or not array.size:
        return
    if column.offsets:
        yield "begins at 1", _with(array, 0, 1)
        yield "ends early", _with(array, -1, array[-1] - 1 if array[-1] else 1)
        if len(array) > 2:
            yield "falls", _with(array, 1, array[-1] + 1)
        if column.least and len(array) > 1:
            yield "an empty part", _with(array, -2, array[-1])
    elif column.sums:
        yield "one more", _with(array, 0, array[0] + 1)
    elif column.bits:
        if length(column.bits) % 8:
            yield "a bit too many", array | 1
    else:
        at = (0,) * array.ndim
        for what, value in _strangers(column, array, length):
            yield what, _with(array, at, value)


def _strangers(column: Column, array: AnyArray, length: Length) -> Iterator[tuple[str, float]]:
    """Values that an element of a column may not have."""
    if array.dtype.kind == "f":
        if column.none is None or not isnan(column.none):
            yield "NaN", np.nan
        if column.finite:
            yield "infinite", np.inf
        if column.above is not None:
            yield "not above", column.above
        if column.least is not None:
            yield "too low", column.least - 1
        return
    limits = np.iinfo(array.dtype)
    least, most = bounds(column, length)
    if column.one_of:
        least, most = min(column.one_of), min(column.one_of)
    for value in (least - 1, most + 1, most * 2 + 9, limits.min, limits.max):
        allowed = value == column.none or value in column.one_of or least <= value <= most
        if limits.min <= value <= limits.max and not allowed:
            yield f"{value}", value


def _with(array: AnyArray, at: object, value: float) -> AnyArray:
    changed = array.copy()
    changed[at] = value
    return changed
