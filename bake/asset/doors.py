"""Read doors together with the states that each of them has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from bake.arrays import AnyArray
from bake.asset.columns.things import DOOR_STATES, DOORS, DoorState
from bake.asset.records import Frame, unpack
from levelbake.file import File

T = TypeVar("T")


def unpack_doors(source: File, frame: Frame, make: Callable[..., T]) -> tuple[T, ...]:
    """Return the doors that columns hold, in the order of the level.

    Args:
        source: what holds the columns.
        frame: what its numbers stand for.
        make: makes a door of its attributes; ``states`` are its :class:`DoorState`, and ``state``
            is the one that the level is baked in, None where that is none of them.

    Raises:
        CorruptAssetError: a door has a state twice, or one of another door, or its cells have
            other terrain than each a piece.
    """
    every = unpack(DOOR_STATES, source, frame, DoorState)

    def door(cells: AnyArray, states: slice, state: int, **rest: Any) -> T:
        mine, numbers = every[states], range(states.start, states.stop)
        fits = state in (-1, *numbers) and len({each.name for each in mine}) == len(numbers)
        if not fits or any(len(each.terrain) != len(cells) for each in mine):
            raise source.damaged(f"door {rest['name']!r} does not fit its states")
        now = None if state < 0 else every[state]
        return make(cells=cells, states=mine, state=now, **rest)

    return unpack(DOORS, source, frame, door)
