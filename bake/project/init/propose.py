"""Guess the recipe of one level file, and mend guesses under which nobody could move."""

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
    without,
)
from bake.project.init.images import image_entries
from bake.project.init.ldtk import ldtk_tries
from bake.project.init.text import text_entries
from bake.project.init.tiled import tiled_entries
from bake.project.init.tried import first_that_reads
from bake.project.init.words import meaning

#: Classes of objects of which no two may have one name.
_NAMED_ONCE = (*SPOT_KINDS, "region")
#: A map of which nobody can walk on more than this is taken to be drawn without its floor.
_HARDLY_ANY = 0.05
_MOSTLY = 0.4


def propose(file: Path, project: Path) -> list[Entry]:
    """Guess what a level file means.

    Args:
        file: the level file.
        project: folder of the recipe.

    Returns:
        Guesses, each key of a table once.

    Raises:
        LevelError, BakeErrors: the file cannot be read.
    """
    kind = format_of(file)
    tries: Iterator[list[Entry]] = iter([[]])
    with allowance(None):
        if kind == "image":
            tries = iter([image_entries(file)])
        elif kind == "tiled":
            tries = _with_less(file, tiled_entries(file, project))
        elif kind == "ldtk":
            tries = ldtk_tries(file, project)
        elif kind in ("rows", "values"):
            tries = iter([text_entries(file)])
    # A name that a recipe cannot hold has to be mended in the editor.
    return [each for each in _mended(file, project, tries) if is_writable(each.key, each.table)]


def _mended(file: Path, project: Path, tries: Iterator[list[Entry]]) -> list[Entry]:
    """Take guesses that a file can be read by, add missing costs, and let somebody walk."""
    entries, levels = first_that_reads(file, project, tries)
    freed = _with_spots(levels, entries)
    if freed != entries:
        entries, levels = first_that_reads(file, project, _with_less(file, freed))
    cells = _cells(levels)
    rules = {name: rule for level in levels for name, rule in level.terrain_rules.items()}
    known = {entry.key for entry in entries if entry.table == TERRAIN}
    entries = [*entries, *(_cost(name) for name in cells if name not in {*known, *rules})]
    is_map = format_of(file) == "tiled"
    whole, empty = max(1, sum(cells.values())), cells.get(VOID, 0)
    walkable = sum(count for name, count in cells.items() if _is_open(name, entries, rules))
    lacks_floor = walkable == 0 or (walkable < _HARDLY_ANY * whole and empty > _MOSTLY * whole)
    if is_map and lacks_floor and empty:
        why = f"hardly anybody could walk anywhere, and {empty / whole:.0%} of the cells are empty"
        entries.append(Entry(TILED, "empty", "floor", why, sure=False))
        entries.append(Entry(TERRAIN, "floor", 1.0, "the terrain of empty cells"))
    elif is_map:
        entries.append(Entry(TILED, "empty", None))
    if file.suffix.lower() == TILED_WORLD_SUFFIX:
        entries.append(Entry(TILED, "world", None))
    if walkable == 0 and not (is_map and empty):
        entries = _opened(cells, entries)
    entries = _with_links(levels, entries, rules)
    if is_map:
        # What one map has to leave out may be drawn well in the others.
        entries += [Entry(TILED_LEGEND, f"object:{kind}", None) for kind in KINDS]
    named = {(entry.table, entry.key) for entry in entries}
    entries += [
        Entry(TERRAIN, name, _value(rule), stated=True)
        for name, rule in rules.items()
        if (TERRAIN, name) not in named
    ]
    # Of several guesses about one key the first one counts.
    return list({(entry.table, entry.key): entry for entry in reversed(entries)}.values())


def _with_less(file: Path, entries: list[Entry]) -> Iterator[list[Entry]]:
    """Yield guesses, those for maps of Tiled with ever fewer of what is said about things.

    Games have doors and stairs of their own, which need not be drawn as bake would have them.
    """
    if format_of(file) != "tiled":
        yield entries
        return
    plain = without(entries, "object:")
    why = "the file does not say of these objects what bake needs to know"
    silent = [Entry(TILED_LEGEND, f"object:{kind}", BELOW, why, sure=False) for kind in KINDS]
    links = [entry for entry in silent if entry.key.partition(":")[2] not in _NAMED_ONCE]
    apart = Entry(TILED, "world", "each", "the maps do not fit together as one level")
    is_world = file.suffix.lower() == TILED_WORLD_SUFFIX
    worlds: list[list[Entry]] = [[], [apart]] if is_world else [[]]
    for world, kept, things in product(worlds, (entries, plain), ([], links, silent)):
        yield [*things, *kept, *world]


def _cells(levels: list[Drawn]) -> Counter[str]:
    """Count the cells or nodes of each terrain; a door's other terrain may have none.

    A terrain of shapes counts once.
    """
    found: Counter[str] = Counter()
    for level in levels:
        if isinstance(level, GeometryLevel):
            found.update(dict.fromkeys(level.terrains, 1))
            continue
        codes = level.terrain if isinstance(level, GridLevel) else level.node_terrain
        counts = np.bincount(codes.ravel(), minlength=len(level.terrains))
        found.update(dict(zip(level.terrains, counts.tolist(), strict=True)))
    return found


def _cost(name: str) -> Entry:
    means = meaning(name)
    if means is not None:
        return Entry(TERRAIN, name, means.price, f"its name says {shown(means.word)}")
    return Entry(TERRAIN, name, 1.0, "its name says nothing about its cost", sure=False)


def _is_open(name: str, entries: list[Entry], rules: dict[str, TerrainRule]) -> bool:
    for entry in entries:
        if entry.table == TERRAIN and entry.key == name:
            return entry.value != "blocked"
    return rules[name].cost is not None


def _opened(cells: Counter[str], entries: list[Entry]) -> list[Entry]:
    """Open the terrain of most cells, as a level in which nobody can stand cannot be baked."""
    # What has no tile stays void, if there is anything else.
    most = max(cells, key=lambda name: (name != VOID, cells[name], name))
    why = "nobody could stand anywhere else; it is the terrain of most cells"
    kept = [entry for entry in entries if (entry.table, entry.key) != (TERRAIN, most)]
    return [*kept, Entry(TERRAIN, most, 1.0, why, sure=False)]


def _with_spots(levels: list[Drawn], entries: list[Entry]) -> list[Entry]:
    """Take what spawns stand on for no wall, where only the place of a layer says it is one."""
    below = {
        level.terrains[level.terrain[spot.cell[1], spot.cell[0]]]: spot.kind
        for level in levels
        if isinstance(level, GridLevel)
        for spot in level.things.spots
        if spot.kind in SPOT_KINDS
    }
    blocked = {
        entry.key for entry in entries if entry.table == TERRAIN and entry.value == "blocked"
    }

    def freed(entry: Entry) -> Entry:
        terrain, is_guess = str(entry.value), entry.key.startswith("layer:") and not entry.sure
        if not is_guess or terrain not in blocked & set(below):
            return entry
        return replace(entry, value=BELOW, why=f"{entry.why}; {below[terrain]}s stand on it")

    return [freed(entry) for entry in entries]


def _with_links(
    levels: list[Drawn], entries: list[Entry], rules: dict[str, TerrainRule]
) -> list[Entry]:
    """Open the terrain on which links end, or leave the links out where they end inside walls."""
    ends = {
        level.terrains[level.terrain[y, x]]
        for level in levels
        if isinstance(level, GridLevel)
        for link in level.things.links
        for x, y in (link.start, link.goal)
    }
    closed = sorted(name for name in ends if not _is_open(name, entries, rules))
    if {"wall", VOID} & {means.word if (means := meaning(name)) else name for name in closed}:
        why = "a link that ends where nobody can stand"
        return [
            Entry(entry.table, entry.key, "ignore", why, sure=False)
            if entry.key.startswith("entity:") and entry.value == "link"
            else entry
            for entry in entries
        ]
    why = "links end on it, so somebody can stand there"
    opened = [Entry(TERRAIN, name, 3.0, why, sure=False) for name in closed]
    kept = [entry for entry in entries if entry.table != TERRAIN or entry.key not in closed]
    return [*kept, *opened]


def _value(rule: TerrainRule) -> Value:
    if rule.enter_from is not None:
        return ("entered from", *rule.enter_from)
    return "blocked" if rule.cost is None else rule.cost
