"""Read doors together with their states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from bake.core.arrays import AnyArray
from bake.store.columns.things import DOOR_STATES, DOORS, DoorState
from bake.store.records import Frame, unpack
from levelbake.file import File

T = TypeVar("T")


def unpack_doors(source: File, frame: Frame, make: Callable[..., T]) -> tuple[T, ...]:
    """Return the doors in columns, in the order of the level.

    Args:
        source: the file with the columns.
        frame: the meaning of its numbers.
        make: builds a door from its attributes; ``states`` are its :class:`DoorState`, and
            ``state`` is the one of the bake, None if that is none of them.

    Raises:
        CorruptAssetError: a door has a state twice, or one of another door, or the number of
            terrains differs from that of its cells.
    """
    every = unpack(DOOR_STATES, source, frame, DoorState)

    def door(cells: AnyArray, states: slice, state: int, **rest: Any) -> T:
        own_states, numbers = every[states], range(states.start, states.stop)
        fits = state in (-1, *numbers) and len(
            {door_state.name for door_state in own_states}
        ) == len(numbers)
        if not fits or any(len(door_state.terrain) != len(cells) for door_state in own_states):
            raise source.damaged(f"door {rest['name']!r} does not fit its states")
        current = None if state < 0 else every[state]
        return make(cells=cells, states=own_states, state=current, **rest)

    return unpack(DOORS, source, frame, door)
