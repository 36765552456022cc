"""Protocols for the levels and profiles of both `levelbake` and `bake.play`.

Annotate a parameter with :class:`LevelLike` or :class:`ProfileLike` to accept objects of either
package. :class:`levelbake.Level` and :class:`levelbake.Profile` document the members.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, Self, overload

from levelbake.changes import Changes, UpdateReport
from levelbake.errors import FilePath
from levelbake.places import AnyPlace, Cell, Coordinates, MaybeNone, Name, Place, PlaceT
from levelbake.steps import AnyArray, ArrayLike, BoolArray, Float64Array, Int32Array
from levelbake.things import Door, Instance, Link, Region, Spot


class ProfileLike(Protocol):
    """The queries for one agent profile, of either package.

    Example:
        >>> def walk(nav: ProfileLike, start: tuple[int, int], goal: tuple[int, int]) -> float:
        ...     x, y = nav.next_hop(start, goal)
        ...     return nav.distance((x, y), goal)
    """

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int: ...

    def frozen(self) -> ProfileLike: ...

    def next_hop(self, start: PlaceT, goal: PlaceT) -> PlaceT | MaybeNone: ...

    def path(self, start: PlaceT, goal: PlaceT) -> list[PlaceT] | MaybeNone: ...

    def distance(self, start: Place, goal: Place) -> float: ...

    def reachable(self, start: Place, goal: Place) -> bool: ...

    def next_hops(
        self, starts: ArrayLike, goals: ArrayLike, *, strict: bool = True
    ) -> AnyArray: ...

    def paths(
        self, starts: ArrayLike, goals: ArrayLike, *, strict: bool = True
    ) -> tuple[AnyArray, AnyArray]: ...

    def distances(
        self, starts: ArrayLike, goals: ArrayLike, *, strict: bool = True
    ) -> Float64Array: ...

    def hops_to(self, goal: Place) -> AnyArray: ...

    def distances_to(self, goal: Place) -> Float64Array: ...

    @overload
    def can_stand(self, places: Place) -> bool: ...

    @overload
    def can_stand(self, places: ArrayLike) -> BoolArray: ...

    def places(self) -> list[AnyPlace]: ...

    def nearest(self, point: Sequence[float]) -> AnyPlace: ...

    def nearest_of(self, start: PlaceT, goals: ArrayLike) -> PlaceT | MaybeNone: ...

    def length(self, path: Sequence[Place]) -> float: ...

    def still_valid(self, path: ArrayLike) -> bool: ...


class LevelLike(Protocol):
    """An open level, of either package; a context manager.

    Example:
        >>> def spawns(level: LevelLike, kind: str) -> dict[str, float]:
        ...     nav, (exit,) = level.profile(kind), level.spots("exit")
        ...     starts = level.spots("spawn", profile=kind)
        ...     return {spot.name: nav.distance(spot.place, exit.place) for spot in starts}
    """

    @property
    def name(self) -> str: ...

    @property
    def profiles(self) -> tuple[str, ...]: ...

    @property
    def width(self) -> int: ...

    @property
    def height(self) -> int: ...

    @property
    def floors(self) -> int: ...

    @property
    def headings(self) -> int | None: ...

    @property
    def is_grid(self) -> bool: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def close(self) -> None: ...

    def profile(self, name: str | None = None) -> ProfileLike: ...

    @property
    def coordinates(self) -> Coordinates: ...

    @overload
    def to_cell(self, point: tuple[float, float]) -> tuple[int, int]: ...

    @overload
    def to_cell(self, point: tuple[float, float, float]) -> tuple[int, int, int]: ...

    @overload
    def to_cell(self, point: Sequence[float]) -> Cell: ...

    @overload
    def to_cell(self, point: Sequence[Sequence[float]] | AnyArray) -> Int32Array: ...

    @overload
    def to_point(self, place: tuple[int, int]) -> tuple[float, float]: ...

    @overload
    def to_point(self, place: tuple[int, int, int]) -> tuple[float, float, float]: ...

    @overload
    def to_point(self, place: Cell) -> tuple[float, ...]: ...

    @overload
    def to_point(self, place: Name) -> tuple[float, float]: ...

    @overload
    def to_point(self, place: ArrayLike) -> Float64Array: ...

    @overload
    def inside(self, cell: Cell) -> bool: ...

    @overload
    def inside(self, cell: ArrayLike) -> BoolArray: ...

    def node_name(self, text: str) -> Name: ...

    @overload
    def terrain_at(self, places: Place) -> str | None: ...

    @overload
    def terrain_at(self, places: ArrayLike) -> list[str | None]: ...

    @overload
    def elevation_at(self, places: Place) -> float | None: ...

    @overload
    def elevation_at(self, places: ArrayLike) -> Float64Array | None: ...

    @property
    def links(self) -> Mapping[str, Link]: ...

    @property
    def doors(self) -> Mapping[str, Door]: ...

    @property
    def regions(self) -> Mapping[str, Region]: ...

    @property
    def instances(self) -> tuple[Instance, ...]: ...

    def spots(self, kind: str | None = None, *, profile: str | None = None) -> tuple[Spot, ...]: ...

    @property
    def changed(self) -> bool: ...

    def update(
        self,
        blocked: Iterable[Place] = (),
        opened: Iterable[Place] = (),
        terrain: Mapping[PlaceT, str] | None = None,
        arcs: Mapping[tuple[PlaceT, PlaceT], float | None] | None = None,
    ) -> Mapping[str, UpdateReport]: ...

    def set_state(self, door: str, state: str) -> Mapping[str, UpdateReport]: ...

    def reset(self) -> Mapping[str, UpdateReport]: ...

    def changes_since(self, token: int = 0) -> Changes: ...

    def save_patch(self, path: FilePath) -> None: ...

    def apply_patch(self, path: FilePath) -> Mapping[str, UpdateReport]: ...
