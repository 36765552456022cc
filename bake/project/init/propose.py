"""Guess the recipe of one level file, and correct guesses with which no agent could move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from bake.core.level import Drawn, GeometryLevel, GridLevel, TerrainRule
from bake.core.toml import Value
from bake.levels import format_of
from bake.levels.formats import TILED_WORLD_SUFFIX
from bake.levels.reading.editors import BELOW
from bake.levels.reading.limits import allowance
from bake.levels.reading.marks import SPOT_KINDS
from bake.levels.reading.mistakes import shown
from bake.levels.reading.terrains import VOID
from bake.levels.tiled.meanings import KINDS
from bake.project.init.entries import (
    TERRAIN,
    TILED,
    TILED_LEGEND,
    Entry,
    is_writable,
    reset_entries,
)
from bake.project.init.images import guess_image
from bake.project.init.ldtk import ldtk_candidates
from bake.project.init.text import guess_text
from bake.project.init.tiled import guess_tiled
from bake.project.init.tried import find_readable
from bake.project.init.words import guess_terrain

#: Classes of objects whose names must be unique.
_NAMED_ONCE = (*SPOT_KINDS, "region")
#: A map with at most this share of walkable cells is assumed to be drawn without its floor.
_FEW_WALKABLE = 0.05
_MOSTLY_EMPTY = 0.4


def propose(file: Path, project: Path) -> list[Entry]:
    """Return guesses for the recipe of a level file, with distinct keys per table.

    Args:
        file: the level file.
        project: the folder of the recipe.

    Raises:
        LevelError, BakeErrors: the file cannot be read.
    """
    kind = format_of(file)
    candidates: Iterator[list[Entry]] = iter([[]])
    with allowance(None):
        if kind == "image":
            candidates = iter([guess_image(file)])
        elif kind == "tiled":
            candidates = _with_fewer_objects(file, guess_tiled(file, project))
        elif kind == "ldtk":
            candidates = ldtk_candidates(file, project)
        elif kind in ("rows", "values"):
            candidates = iter([guess_text(file)])
    # A name that a recipe cannot hold must be changed in the editor.
    return [
        entry
        for entry in _correct_guesses(file, project, candidates)
        if is_writable(entry.key, entry.table)
    ]


def _correct_guesses(file: Path, project: Path, candidates: Iterator[list[Entry]]) -> list[Entry]:
    """Return the first readable guesses, with missing costs added and some terrain opened."""
    entries, levels = find_readable(file, project, candidates)
    corrected = _free_spots(levels, entries)
    if corrected != entries:
        entries, levels = find_readable(file, project, _with_fewer_objects(file, corrected))
    cells = _count_cells(levels)
    rules = {name: rule for level in levels for name, rule in level.terrain_rules.items()}
    known = {entry.key for entry in entries if entry.table == TERRAIN}
    entries = [*entries, *(_guess_cost(name) for name in cells if name not in {*known, *rules})]
    is_map = format_of(file) == "tiled"
    whole, empty = max(1, sum(cells.values())), cells.get(VOID, 0)
    walkable = sum(count for name, count in cells.items() if _is_open(name, entries, rules))
    lacks_floor = walkable == 0 or (
        walkable < _FEW_WALKABLE * whole and empty > _MOSTLY_EMPTY * whole
    )
    if is_map and lacks_floor and empty:
        why = f"almost no cell would be walkable, and {empty / whole:.0%} of the cells are empty"
        entries.append(Entry(TILED, "empty", "floor", why, sure=False))
        entries.append(Entry(TERRAIN, "floor", 1.0, "the terrain of empty cells"))
    elif is_map:
        entries.append(Entry(TILED, "empty", None))
    if file.suffix.lower() == TILED_WORLD_SUFFIX:
        entries.append(Entry(TILED, "world", None))
    if walkable == 0 and not (is_map and empty):
        entries = _open_most_frequent(cells, entries)
    entries = _free_links(levels, entries, rules)
    if is_map:
        # Objects that one map must ignore may be valid in other maps.
        entries += [Entry(TILED_LEGEND, f"object:{kind}", None) for kind in KINDS]
    named = {(entry.table, entry.key) for entry in entries}
    entries += [
        Entry(TERRAIN, name, _value(rule), stated=True)
        for name, rule in rules.items()
        if (TERRAIN, name) not in named
    ]
    # The first guess for a key wins.
    return list({(entry.table, entry.key): entry for entry in reversed(entries)}.values())


def _with_fewer_objects(file: Path, entries: list[Entry]) -> Iterator[list[Entry]]:
    """Yield guesses; for maps of Tiled, further ones with fewer entries about objects.

    Doors and stairs of a game need not be drawn in the form that bake reads.
    """
    if format_of(file) != "tiled":
        yield entries
        return
    without_objects = reset_entries(entries, "object:")
    why = "these objects lack properties that bake needs"
    silent = [Entry(TILED_LEGEND, f"object:{kind}", BELOW, why, sure=False) for kind in KINDS]
    links = [entry for entry in silent if entry.key.partition(":")[2] not in _NAMED_ONCE]
    separate = Entry(TILED, "world", "each", "the maps do not fit together as one level")
    is_world = file.suffix.lower() == TILED_WORLD_SUFFIX
    worlds: list[list[Entry]] = [[], [separate]] if is_world else [[]]
    for world, legend, things in product(worlds, (entries, without_objects), ([], links, silent)):
        yield [*things, *legend, *world]


def _count_cells(levels: list[Drawn]) -> Counter[str]:
    """Count the cells or nodes of each terrain, 0 for terrains of other door states.

    A terrain of shapes counts 1.
    """
    totals: Counter[str] = Counter()
    for level in levels:
        if isinstance(level, GeometryLevel):
            totals.update(dict.fromkeys(level.terrains, 1))
            continue
        codes = level.terrain if isinstance(level, GridLevel) else level.node_terrain
        counts = np.bincount(codes.ravel(), minlength=len(level.terrains))
        totals.update(dict(zip(level.terrains, counts.tolist(), strict=True)))
    return totals


def _guess_cost(name: str) -> Entry:
    means = guess_terrain(name)
    if means is not None:
        return Entry(TERRAIN, name, means.price, f"its name says {shown(means.word)}")
    return Entry(TERRAIN, name, 1.0, "its name does not suggest a cost", sure=False)


def _is_open(name: str, entries: list[Entry], rules: dict[str, TerrainRule]) -> bool:
    for entry in entries:
        if entry.table == TERRAIN and entry.key == name:
            return entry.value != "blocked"
    return rules[name].cost is not None


def _open_most_frequent(cells: Counter[str], entries: list[Entry]) -> list[Entry]:
    """Open the most frequent terrain, since a level without walkable cells cannot be baked."""
    # Cells without a tile remain void if there is another terrain.
    most = max(cells, key=lambda name: (name != VOID, cells[name], name))
    why = "no other terrain is walkable; it is the terrain of most cells"
    others = [entry for entry in entries if (entry.table, entry.key) != (TERRAIN, most)]
    return [*others, Entry(TERRAIN, most, 1.0, why, sure=False)]


def _free_spots(levels: list[Drawn], entries: list[Entry]) -> list[Entry]:
    """Change walls guessed from the order of layers to BELOW where spawns stand on them."""
    kinds_on = {
        level.terrains[level.terrain[spot.cell[1], spot.cell[0]]]: spot.kind
        for level in levels
        if isinstance(level, GridLevel)
        for spot in level.things.spots
        if spot.kind in SPOT_KINDS
    }
    blocked = {
        entry.key for entry in entries if entry.table == TERRAIN and entry.value == "blocked"
    }

    def free(entry: Entry) -> Entry:
        terrain, is_guess = str(entry.value), entry.key.startswith("layer:") and not entry.sure
        if not is_guess or terrain not in blocked & set(kinds_on):
            return entry
        return replace(entry, value=BELOW, why=f"{entry.why}; {kinds_on[terrain]}s stand on it")

    return [free(entry) for entry in entries]


def _free_links(
    levels: list[Drawn], entries: list[Entry], rules: dict[str, TerrainRule]
) -> list[Entry]:
    """Open the terrain at ends of links, or ignore links that end inside walls."""
    ends = {
        level.terrains[level.terrain[y, x]]
        for level in levels
        if isinstance(level, GridLevel)
        for link in level.things.links
        for x, y in (link.start, link.goal)
    }
    closed = sorted(name for name in ends if not _is_open(name, entries, rules))
    if {"wall", VOID} & {means.word if (means := guess_terrain(name)) else name for name in closed}:
        why = "a link that ends inside a wall"
        return [
            Entry(entry.table, entry.key, "ignore", why, sure=False)
            if entry.key.startswith("entity:") and entry.value == "link"
            else entry
            for entry in entries
        ]
    why = "links end on it, so it is walkable"
    opened = [Entry(TERRAIN, name, 3.0, why, sure=False) for name in closed]
    others = [entry for entry in entries if entry.table != TERRAIN or entry.key not in closed]
    return [*others, *opened]


def _value(rule: TerrainRule) -> Value:
    if rule.enter_from is not None:
        return ("entered from", *rule.enter_from)
    return "blocked" if rule.cost is None else rule.cost
