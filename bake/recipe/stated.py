"""The recipe an asset states, read again: what of it decides which tables are made."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from bake.recipe import (
    MAX_CLUSTER_SIZE,
    MAX_HEURISTIC_BYTES,
    MAX_LEVELS,
    MAX_SPACING,
    MAX_TICKS_PER_UNIT,
    MIN_CLUSTER_SIZE,
    MIN_HEURISTIC_BYTES,
    TABLE_NAMES,
    HeuristicKind,
    HierarchyMode,
    LevelRecipe,
    ProfileRecipe,
    Storage,
)


def _known(tables: list[str]) -> list[str]:
    strange = set(tables) - set(TABLE_NAMES)
    if strange:
        raise ValueError(f"{min(strange)!r} is no table")
    return sorted(set(tables), key=TABLE_NAMES.index)


class _Stated(BaseModel):
    model_config = ConfigDict(strict=True)


class _Clusters(_Stated):
    size: Annotated[int, Field(ge=MIN_CLUSTER_SIZE, le=MAX_CLUSTER_SIZE)]
    regions: bool


class _Hierarchy(_Stated):
    mode: HierarchyMode
    spacing: Annotated[int, Field(ge=1, le=MAX_SPACING)]
    levels: Annotated[int, Field(ge=1, le=MAX_LEVELS)] | None
    keep_paths: bool


class _Heuristic(_Stated):
    kind: HeuristicKind
    bytes_per_node: Annotated[int, Field(ge=MIN_HEURISTIC_BYTES, le=MAX_HEURISTIC_BYTES)]


class _Recipe(_Stated):
    """Keys as `LevelRecipe.canonical` writes them; others are of no interest."""

    ticks_per_unit: Annotated[int, Field(ge=1, le=MAX_TICKS_PER_UNIT)]
    tables: Annotated[list[str], AfterValidator(_known)] | None
    storage: Storage
    clusters: _Clusters
    hierarchy: _Hierarchy
    heuristic: _Heuristic
    profiles: Annotated[dict[str, object], Field(min_length=1)]


def read_stated(text: str) -> LevelRecipe:
    """What of `LevelRecipe.canonical` decides which tables are made.

    Raises:
        ValueError: the text is none of these; it says where.
    """
    try:
        stated = _Recipe.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{place}: {first['msg']}" if place else first["msg"]) from None
    return LevelRecipe(
        ticks_per_unit=stated.ticks_per_unit,
        tables=None if stated.tables is None else tuple(stated.tables),
        storage=stated.storage,
        cluster_size=stated.clusters.size,
        cluster_regions=stated.clusters.regions,
        hierarchy=stated.hierarchy.mode,
        spacing=stated.hierarchy.spacing,
        levels=stated.hierarchy.levels,
        keep_paths=stated.hierarchy.keep_paths,
        heuristic_kind=stated.heuristic.kind,
        heuristic_bytes=stated.heuristic.bytes_per_node,
        profiles=tuple(ProfileRecipe(name) for name in sorted(stated.profiles)),
    )
