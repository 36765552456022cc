"""Check what a column holds against what the table says of it, whichever file it is from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, isnan

import numpy as np

from bake.arrays import AnyArray
from bake.asset.column import Column

#: Gives the length of a dimension of the level or profile whose column is checked.
Length = Callable[[str], int]


def faults(column: Column, array: AnyArray, length: Length, *, whole: bool = True) -> Iterator[str]:
    """Yield what is wrong with the elements of a column, in words that follow its name.

    Args:
        column: its declaration.
        array: of the type and shape that it declares; text as bytes of one length.
        length: gives the lengths of dimensions.
        whole: whether this is all of the column, or only a part of it.
    """
    if array.dtype.kind == "S":
        yield from _text(column, array)
    elif array.size or column.offsets or column.bits:
        yield from _order(column, array, length) if whole else ()
        if array.dtype.kind == "f":
            yield from _floats(column, array)
        elif not column.offsets:
            yield from _integers(column, array, length)


def _text(column: Column, array: AnyArray) -> Iterator[str]:
    texts = array.tolist()
    try:
        b"\0".join(texts).decode()
    except UnicodeDecodeError:
        yield "is not UTF-8"
    if column.order and len(set(texts)) < len(texts):
        yield "says the same twice"
    if column.order == "ascending" and texts != sorted(texts):
        yield "does not ascend"


def _order(column: Column, array: AnyArray, length: Length) -> Iterator[str]:
    """Look at the elements of a whole column together."""
    if column.offsets:
        end = length(column.offsets)
        steps = np.diff(array.astype(np.int64))
        if not len(array) or array[0] != 0 or array[-1] != end or steps.min(initial=0) < 0:
            yield f"does not ascend from 0 to {end}, as many as there are of {column.offsets}"
        elif steps.min(initial=2**31) < (column.least or 0):
            yield f"leaves a part with fewer than {column.least:.0f} of {column.offsets}"
    if column.sums and (found := int(array.sum(dtype=np.int64))) != (end := length(column.sums)):
        yield f"adds up to {found}, not to {end}, as many as there are of {column.sums}"
    if column.order == "ascending" and (array[1:] < array[:-1]).any():
        yield "does not ascend"
    if column.order == "numbered" and not is_numbered(array):
        yield "is not numbered without gaps"
    if column.order == "unique":
        said = array if column.none is None else array[array != column.none]
        ascending = np.sort(said)  # This takes a tenth of the time of np.unique.
        if (ascending[1:] == ascending[:-1]).any():
            yield "says the same twice"
    if column.bits:
        bits = length(column.bits)
        if array.shape[-1] != -(-bits // 8):
            yield f"has no bit for each {column.bits}"
        elif bits % 8 and (array[..., -1] & (0xFF >> bits % 8)).any():
            yield f"has bits beyond the last {column.bits}"


def is_numbered(label: AnyArray) -> bool:
    """Tell whether parts are numbered from 0 without gaps, so that each has a member."""
    if not len(label):
        return True
    return 0 <= label.min() <= label.max() < len(label) and bool(np.bincount(label).all())


def _floats(column: Column, array: AnyArray) -> Iterator[str]:
    if column.none is not None and isnan(column.none):
        array = array[~np.isnan(array)]
    elif np.isnan(array).any():
        yield "has an element that is no number"
        return
    if column.finite and not np.isfinite(array).all():
        yield "has an element that is not finite"
    least = array.min(initial=inf)
    if column.above is not None and least <= column.above:
        yield f"has {least}, which is not above {column.above}"
    if column.least is not None and least < column.least:
        yield f"has {least}, which is below {column.least}"


def _integers(column: Column, array: AnyArray, length: Length) -> Iterator[str]:
    if column.refers == "cell":
        limit = [length("x"), length("y")]
        if (array < 0).any() or (array >= limit).any():
            yield "has a cell outside the level"
        return
    least, most = bounds(column, length)
    if array.dtype.kind == "u":
        least = max(least, 0)
    # Unsigned elements need one pass, where only the largest matters.
    smallest = 0 if array.dtype.kind == "u" and least <= 0 else int(array.min())
    largest = int(array.max()) if most < np.iinfo(array.dtype).max else most
    if least <= smallest and largest <= most and not column.one_of:
        return
    wrong = (array < least) | (array > most)
    if column.one_of:
        wrong |= ~np.isin(array, column.one_of)
    if column.none is not None:
        wrong &= array != column.none
    if wrong.any():
        yield f"has {int(array[wrong][0])}, not {allowed(column, least, most)}"


def bounds(column: Column, length: Length) -> tuple[float, float]:
    """Return the least and the most that an element of whole numbers may be, but for ``none``."""
    least = -inf if column.least is None else column.least
    most = inf if column.most is None else column.most
    if column.refers:
        least, most = 0, length(column.refers) - 1
    if column.sums:
        least = max(least, 0)
    return least, most


def allowed(column: Column, least: float, most: float) -> str:
    """Return in words which elements a column may have."""
    if column.one_of:
        words = " or ".join(map(str, column.one_of))
    elif most == inf:
        words = f"{least:.0f} or more"
    else:
        words = f"{least:.0f} to {most:.0f}"
    return words if column.none is None else f"{words}, or {column.none:.0f}"


def words(column: Column) -> str:
    """Say in words what the table says of the elements of a column; empty where it says nothing."""
    found = []
    if column.refers:
        found.append(f"number of a {column.refers}")
    if column.offsets:
        found.append(f"ascends from 0 to the number of {column.offsets}")
        if column.least:
            found.append(f"by {column.least:.0f} or more")
    if column.sums:
        found.append(f"adds up to the number of {column.sums}")
    if column.bits:
        found.append(f"a bit for each {column.bits}")
    if column.one_of:
        found.append(" or ".join(map(str, column.one_of)))
    if not column.offsets:
        for word, bound in (("above", column.above), ("from", column.least), ("to", column.most)):
            if bound is not None:
                found.append(f"{word} {bound:.0f}")
    if column.finite:
        found.append("finite")
    if column.order:
        found.append(
            {"unique": "none twice", "numbered": "each from 0 on"}.get(column.order, column.order)
        )
    if column.none is not None:
        found.append(f"or {'NaN' if isnan(column.none) else f'{column.none:.0f}'}")
    return ", ".join(found)
