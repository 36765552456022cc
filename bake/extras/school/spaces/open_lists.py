"""Six data structures for an open list, which count what they do.

All pop the same entries in the same order, so a search by any of them makes the same steps. They
differ in how many entries they compare and move:

================  =============  =============  =============
structure         push           pop            discard
================  =============  =============  =============
unsorted array    1              n              n
unsorted list     1              n              n
sorted array      log n, moves   1              log n, moves
sorted list       n              1              n
binary heap       log n          log n          log n
balanced tree     log n          log n          log n
================  =============  =============  =============

The heap is J. W. J. Williams, "Algorithm 232: Heapsort", CACM 7, 1964. The tree is an AVL tree:
G. Adelson-Velsky, E. Landis, "An Algorithm for the Organization of Information", 1962.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic

from bake.search.best_first import Entry
from bake.search.problem import S


class CountedOpenList(ABC, Generic[S]):
    """An open list that counts its work.

    Attributes:
        comparisons: how often two entries were compared, for order or equality.
        moves: how many entries were written, and links between them followed or changed.
        longest: how many entries it stored at once, at most.
    """

    def __init__(self) -> None:
        self.comparisons = self.moves = self.longest = 0
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def push(self, entry: Entry[S]) -> None:
        """Add an entry."""
        self._push(entry)
        self._size += 1
        self.longest = max(self.longest, self._size)

    def pop(self) -> Entry[S]:
        """Remove and return the least entry.

        Raises:
            IndexError: there is none.
        """
        if not self._size:
            raise IndexError("pop from an empty open list")
        self._size -= 1
        return self._pop()

    def discard(self, entry: Entry[S]) -> None:
        """Remove an entry that is stored."""
        self._discard(entry)
        self._size -= 1

    @abstractmethod
    def _push(self, entry: Entry[S]) -> None: ...

    @abstractmethod
    def _pop(self) -> Entry[S]: ...

    @abstractmethod
    def _discard(self, entry: Entry[S]) -> None: ...

    def _less(self, one: Entry[S], other: Entry[S]) -> bool:
        self.comparisons += 1
        return one < other

    def _equal(self, one: Entry[S], other: Entry[S]) -> bool:
        self.comparisons += 1
        return one == other


class UnsortedArray(CountedOpenList[S]):
    """An array to which entries are appended; the last one fills the gap of a removed one."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: list[Entry[S]] = []

    def _push(self, entry: Entry[S]) -> None:
        self._entries.append(entry)
        self.moves += 1

    def _pop(self) -> Entry[S]:
        least = 0
        for i in range(1, len(self._entries)):
            if self._less(self._entries[i], self._entries[least]):
                least = i
        return self._remove_at(least)

    def _discard(self, entry: Entry[S]) -> None:
        self._remove_at(next(i for i, e in enumerate(self._entries) if self._equal(e, entry)))

    def _remove_at(self, i: int) -> Entry[S]:
        entry, last = self._entries[i], self._entries.pop()
        if i < len(self._entries):
            self._entries[i] = last
            self.moves += 1
        return entry


@dataclass(eq=False)
class _Link(Generic[S]):
    entry: Entry[S]
    after: _Link[S] | None


class _LinkedList(CountedOpenList[S]):
    """A singly linked list."""

    def __init__(self) -> None:
        super().__init__()
        self._first: _Link[S] | None = None

    def _links(self) -> Iterator[tuple[_Link[S] | None, _Link[S]]]:
        """Yield each link and the one before it."""
        before, link = None, self._first
        while link is not None:
            yield before, link
            before, link = link, link.after
            self.moves += 1

    def _insert(self, before: _Link[S] | None, entry: Entry[S]) -> None:
        self.moves += 1
        if before is None:
            self._first = _Link(entry, self._first)
        else:
            before.after = _Link(entry, before.after)

    def _unlink(self, before: _Link[S] | None, link: _Link[S]) -> Entry[S]:
        self.moves += 1
        if before is None:
            self._first = link.after
        else:
            before.after = link.after
        return link.entry

    def _discard(self, entry: Entry[S]) -> None:
        self._unlink(*next(pair for pair in self._links() if self._equal(pair[1].entry, entry)))


class UnsortedList(_LinkedList[S]):
    """A linked list to whose front entries are added."""

    def _push(self, entry: Entry[S]) -> None:
        self._insert(None, entry)

    def _pop(self) -> Entry[S]:
        pairs = self._links()
        least = next(pairs)
        for pair in pairs:
            if self._less(pair[1].entry, least[1].entry):
                least = pair
        return self._unlink(*least)


class SortedList(_LinkedList[S]):
    """A linked list in order, the least entry first."""

    def _push(self, entry: Entry[S]) -> None:
        place = None
        for _, link in self._links():
            if self._less(entry, link.entry):
                break
            place = link
        self._insert(place, entry)

    def _pop(self) -> Entry[S]:
        assert self._first is not None
        return self._unlink(None, self._first)


class SortedArray(CountedOpenList[S]):
    """An array in order, the least entry last, searched by halves."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: list[Entry[S]] = []

    def _push(self, entry: Entry[S]) -> None:
        i = self._place_of(entry)
        self._entries.insert(i, entry)
        self.moves += len(self._entries) - i

    def _pop(self) -> Entry[S]:
        return self._entries.pop()

    def _discard(self, entry: Entry[S]) -> None:
        i = self._place_of(entry)
        del self._entries[i]
        self.moves += len(self._entries) - i

    def _place_of(self, entry: Entry[S]) -> int:
        """Return the index of the first entry that is not larger."""
        low, high = 0, len(self._entries)
        while low < high:
            middle = (low + high) // 2
            if self._less(entry, self._entries[middle]):
                low = middle + 1
            else:
                high = middle
        return low


class BinaryHeap(CountedOpenList[S]):
    """A binary heap in an array; a table has the index of each entry."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: list[Entry[S]] = []
        self._index: dict[Entry[S], int] = {}

    def _push(self, entry: Entry[S]) -> None:
        self._entries.append(entry)
        self._rise(len(self._entries) - 1)

    def _pop(self) -> Entry[S]:
        return self._remove_at(0)

    def _discard(self, entry: Entry[S]) -> None:
        self._remove_at(self._index[entry])

    def _remove_at(self, i: int) -> Entry[S]:
        entry, last = self._entries[i], self._entries.pop()
        del self._index[entry]
        if i < len(self._entries):
            self._entries[i] = last
            self._sink(self._rise(i))
        return entry

    def _rise(self, i: int) -> int:
        """Swap an entry with its parents while it is less; return its index."""
        entry = self._entries[i]
        while i and self._less(entry, self._entries[(i - 1) // 2]):
            self._set(i, self._entries[(i - 1) // 2])
            i = (i - 1) // 2
        self._set(i, entry)
        return i

    def _sink(self, i: int) -> None:
        """Swap an entry with the lesser child while that is less."""
        entry, count = self._entries[i], len(self._entries)
        while (child := 2 * i + 1) < count:
            if child + 1 < count and self._less(self._entries[child + 1], self._entries[child]):
                child += 1
            if not self._less(self._entries[child], entry):
                break
            self._set(i, self._entries[child])
            i = child
        self._set(i, entry)

    def _set(self, i: int, entry: Entry[S]) -> None:
        self._entries[i] = entry
        self._index[entry] = i
        self.moves += 1


@dataclass(eq=False)
class _Branch(Generic[S]):
    entry: Entry[S]
    less: _Branch[S] | None = None
    more: _Branch[S] | None = None
    height: int = 1


class BalancedTree(CountedOpenList[S]):
    """A binary search tree of which no two branches of a node differ in height by more than 1."""

    def __init__(self) -> None:
        super().__init__()
        self._root: _Branch[S] | None = None

    def _push(self, entry: Entry[S]) -> None:
        self._root = self._inserted(self._root, entry)

    def _pop(self) -> Entry[S]:
        assert self._root is not None
        self._root, least = self._without_least(self._root)
        return least.entry

    def _discard(self, entry: Entry[S]) -> None:
        self._root = self._without(self._root, entry)

    def _inserted(self, node: _Branch[S] | None, entry: Entry[S]) -> _Branch[S]:
        self.moves += 1
        if node is None:
            return _Branch(entry)
        if self._less(entry, node.entry):
            node.less = self._inserted(node.less, entry)
        else:
            node.more = self._inserted(node.more, entry)
        return self._balanced(node)

    def _without_least(self, node: _Branch[S]) -> tuple[_Branch[S] | None, _Branch[S]]:
        self.moves += 1
        if node.less is None:
            return node.more, node
        node.less, least = self._without_least(node.less)
        return self._balanced(node), least

    def _without(self, node: _Branch[S] | None, entry: Entry[S]) -> _Branch[S] | None:
        assert node is not None
        self.moves += 1
        if self._equal(entry, node.entry):
            if node.less is None or node.more is None:
                return node.less or node.more
            node.more, least = self._without_least(node.more)
            node.entry = least.entry
        elif self._less(entry, node.entry):
            node.less = self._without(node.less, entry)
        else:
            node.more = self._without(node.more, entry)
        return self._balanced(node)

    def _balanced(self, node: _Branch[S]) -> _Branch[S]:
        """Rotate a node whose branches differ in height by 2, and return what is above then."""
        lean = _height(node.less) - _height(node.more)
        if lean > 1 and node.less is not None:
            if _height(node.less.less) < _height(node.less.more):
                node.less = self._rotated_left(node.less)
            return self._rotated_right(node)
        if lean < -1 and node.more is not None:
            if _height(node.more.more) < _height(node.more.less):
                node.more = self._rotated_right(node.more)
            return self._rotated_left(node)
        _measure(node)
        return node

    def _rotated_left(self, node: _Branch[S]) -> _Branch[S]:
        above = node.more
        assert above is not None
        node.more, above.less = above.less, node
        self.moves += 2
        _measure(node)
        _measure(above)
        return above

    def _rotated_right(self, node: _Branch[S]) -> _Branch[S]:
        above = node.less
        assert above is not None
        node.less, above.more = above.more, node
        self.moves += 2
        _measure(node)
        _measure(above)
        return above


def _height(node: _Branch[S] | None) -> int:
    return 0 if node is None else node.height


def _measure(node: _Branch[S]) -> None:
    node.height = 1 + max(_height(node.less), _height(node.more))


#: The structures by name.
OPEN_LISTS: dict[str, Callable[[], CountedOpenList[Any]]] = {
    "unsorted array": UnsortedArray,
    "unsorted list": UnsortedList,
    "sorted array": SortedArray,
    "sorted list": SortedList,
    "binary heap": BinaryHeap,
    "balanced tree": BalancedTree,
}
