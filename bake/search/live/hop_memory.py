"""Remember next hops that were found once: a table with open addresses, by place and goal."""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.kernels.jit import kernel

#: Slots of a memory. It is emptied when more than half of them are taken.
SLOTS = 2**16

#: What the memory says of a pair it does not know.
_UNKNOWN = -2

#: A slot that is free.
_FREE = -1


class HopMemory:
    """Next hops by (row, goal), which may be forgotten at any time; one thread at a time uses it.

    Attributes:
        count: how many are remembered.
    """

    def __init__(self) -> None:
        self._key = np.empty(0, dtype=np.int64)
        self._ahead = np.empty(0, dtype=np.int32)
        self._taken = np.empty(0, dtype=np.int32)
        self.count = 0

    def clear(self) -> None:
        """Forget everything."""
        self._key[self._taken[: self.count]] = _FREE
        self.count = 0

    def recall(self, rows: Int32Array, goals: Int32Array) -> tuple[Int32Array, Int64Array]:
        """Return (k) int32 next rows, -1 where there is no way, and the pairs it does not know."""
        ahead = np.full(len(rows), _UNKNOWN, dtype=np.int32)
        if self.count:
            _recall(self._key, self._ahead, rows, goals, ahead)
        return ahead, np.flatnonzero(ahead == _UNKNOWN)

    def recall_one(self, row: int, goal: int) -> int | None:
        """Return the next row, -1 where there is no way, None if it does not know."""
        if not self.count:
            return None
        ahead = _recall_one(self._key, self._ahead, row, goal)
        return None if ahead == _UNKNOWN else ahead

    def remember(
        self, rows: Int32Array, goals: Int32Array, first: Int64Array, path: Int32Array
    ) -> None:
        """Remember the steps of paths.

        Args:
            rows, goals: (k) int32, where each path begins, and where it leads in the end.
            first: (k + 1) int64, where each path begins in ``path``; an empty one says that there
                is no way.
            path: int32 rows.
        """
        if not len(self._key):
            self._key = np.full(SLOTS, _FREE, dtype=np.int64)
            self._ahead = np.empty(SLOTS, dtype=np.int32)
            self._taken = np.empty(SLOTS // 2, dtype=np.int32)
        if self.count + len(path) + len(rows) > SLOTS // 2:
            self.clear()
        memory = self._key, self._ahead, self._taken
        self.count = _remember(*memory, self.count, rows, goals, first, path)


@kernel
def _slot_of(key: Int64Array, wanted: int) -> int:
    """Return the slot of a key, or the free one where it belongs."""
    mask = len(key) - 1
    slot = ((wanted ^ (wanted >> 32)) * 2654435761 >> 12) & mask
    while key[slot] != _FREE and key[slot] != wanted:
        slot = (slot + 1) & mask
    return int(slot)


@kernel
def _recall_one(key: Int64Array, known: Int32Array, row: int, goal: int) -> int:
    slot = _slot_of(key, goal << 32 | row)
    return int(known[slot]) if key[slot] != _FREE else _UNKNOWN


@kernel
def _recall(
    key: Int64Array, known: Int32Array, rows: Int32Array, goals: Int32Array, ahead: Int32Array
) -> None:
    for i in range(len(rows)):
        slot = _slot_of(key, (int(goals[i]) << 32) | int(rows[i]))
        if key[slot] != _FREE:
            ahead[i] = known[slot]


@kernel
def _remember(
    key: Int64Array,
    known: Int32Array,
    taken: Int32Array,
    count: int,
    rows: Int32Array,
    goals: Int32Array,
    first: Int64Array,
    path: Int32Array,
) -> int:
    """Write the steps of paths into free slots, as long as half are free, and note the slots.

    Returns:
        How many slots are taken.
    """
    most = len(taken)
    for i in range(len(rows)):
        high = int(goals[i]) << 32
        steps = max(1, first[i + 1] - first[i] - 1)
        for k in range(steps):
            if count >= most:
                return count
            tail, ahead = rows[i], -1
            if first[i + 1] - first[i] > 1:
                tail, ahead = path[first[i] + k], path[first[i] + k + 1]
            elif first[i + 1] > first[i]:
                break
            slot = _slot_of(key, high | int(tail))
            if key[slot] == _FREE:
                key[slot] = high | int(tail)
                taken[count] = slot
                count += 1
            known[slot] = ahead
    return count
