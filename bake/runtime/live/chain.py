"""What follows a level from version to version, and is made only for those that are asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from bake.arrays import Int32Array

T = TypeVar("T")


class Chain(Generic[T]):
    """Something of each version, made when first asked for from the last one that was made."""

    def __init__(self, before: Chain[T] | None, changed: Int32Array) -> None:
        """One more version.

        Args:
            before: the version before; None = as baked.
            changed: rows that are different from then.
        """
        self._made: T | None = None
        # What to make it from, and all rows that are different from that: replaced as one.
        self._origin: tuple[T | None, Int32Array] = (None, changed)
        if before is not None:
            base, since = before._origin
            self._origin = (base, np.union1d(since, changed).astype(np.int32))

    def get(
        self, lock: threading.RLock, baked: Callable[[], T], edited: Callable[[T, Int32Array], T]
    ) -> T:
        """It, made now if nobody has asked before.

        Args:
            lock: held while it is made.
            baked: gives the baked one.
            edited: makes it from another version and the rows that are different.
        """
        if self._made is None:
            with lock:
                if self._made is None:
                    base, changed = self._origin
                    made = baked() if base is None else base
                    if len(changed):
                        made = edited(made, changed)
                    self._origin = (made, changed[:0])
                    self._made = made
        return self._made
