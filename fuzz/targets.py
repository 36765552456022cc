"""The readers to fuzz: for each, the hostile file, other files beside it, and how to read it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bake.baking.sources import find_tasks
from bake.core.level import Level, TerrainRule
from bake.levels import LdtkReading, TextReading, TiledReading, load, parts
from bake.levels.movingai import read_scenario
from bake.project.recipe import LevelRecipe, Recipe, load_recipe
from fuzz import baked, seeds
from fuzz.mutations import mutate_bytes, mutate_json, mutate_lines, mutate_png, mutate_xml

Mutator = Callable[[bytes, random.Random], bytes | None]

LEGEND = {"#123456": "grass", "#00000080": "fog"}
#: The memory budget of a level, so that large levels are rejected early.
BUDGET = 16 * 2**20
TILED = TiledReading(
    legend={
        "wang:Water": "water",
        "property:solid=1": "wall",
        "tile:set:4-5": "below",
        "object:fence": "wall",
        "layer:Walls": "wall",
        "collision": "wall",
        "collision:pond": "water",
    }
)
TEXT = TextReading({"~": "water", " ": "void", "é": "mud", "12": "wall"}, {"~": "spawn"})
LDTK = LdtkReading(legend={"area:Region": "mud", "entity:Exit": "exit", "enum:Rock": "wall"})


@dataclass(frozen=True)
class Target:
    """One reader."""

    name: str  #: name on the command line
    file: str  #: name of the hostile file, in a folder of its own
    seeds: Callable[[], list[bytes]]  #: returns the files to start from
    #: mutations that preserve the format; plain changes of bytes are always used as well
    mutators: tuple[Mutator, ...]
    read: Callable[[Path], object]  #: reads the folder
    beside: Mapping[str, str | bytes] = field(default_factory=dict)  #: other files of the folder

    def prepare(self, folder: Path) -> None:
        for name, content in self.beside.items():
            data = content.encode() if isinstance(content, str) else content
            (folder / name).write_bytes(data)

    def mutated(self, data: bytes, seed: int) -> bytes:
        """Return a mutation of the data, determined by a seed."""
        random_ = random.Random(seed)
        if self.mutators and random_.random() < 0.8:
            result = random_.choice(self.mutators)(data, random_)
            if result is not None:
                return result
        changed = bytearray(data)
        for _ in range(random_.choice((1, 1, 2, 4))):
            mutate_bytes(changed, random_)
        return bytes(changed)


def _level(name: str, *, each: bool = False) -> Callable[[Path], object]:
    def read(folder: Path) -> list[Level]:
        path = folder / name
        world = "each" if each else "one"
        tiled = TiledReading(legend=TILED.legend, world=world)  # type: ignore[arg-type]
        ldtk = LdtkReading(legend=LDTK.legend, world=world)  # type: ignore[arg-type]
        return [
            load(
                path,
                LEGEND,
                part=part,
                tiled=tiled,
                ldtk=ldtk,
                text=TEXT,
                project=folder,
                memory_budget=BUDGET,
            )
            for part in parts(path, tiled=tiled, ldtk=ldtk)[:4]
        ]

    return read


def _any_image(folder: Path) -> list[Level]:
    """Read an image; bytes without a known signature are read as TGA, which has none."""
    path = folder / "level.png"
    if not path.read_bytes()[:4].startswith((b"\x89PNG", b"BM", b"GIF8", b"RIFF", b"II*", b"MM\0")):
        path = path.rename(folder / "level.tga")
    return [load(path, LEGEND, memory_budget=BUDGET)]


def _bake(folder: Path) -> None:
    """Bake the levels of a folder with a small memory budget."""
    from bake.baking.level import bake_level

    recipe = replace(
        LevelRecipe(),
        legend=LEGEND,
        terrain={
            "floor": TerrainRule(1.0),
            "wall": TerrainRule(None),
            "mud": TerrainRule(2.5),
            "road": TerrainRule(1.0),
        },
        memory_budget=BUDGET,
    )
    recipe = Recipe(file=folder / "bake.toml", sources=("*.json",), defaults=recipe)
    for task in find_tasks(recipe, [], folder / "baked"):
        task.asset.parent.mkdir(exist_ok=True)
        bake_level(task, 1, lambda stage, done: None)


_SPLIT = seeds.split_project()
_MAPS = {"m_0_0.tmx": seeds.PLAIN, "m_1_0.tmx": seeds.PLAIN, "m_0_3.tmx": seeds.PLAIN}

TARGETS = {
    each.name: each
    for each in (
        Target("image", "level.png", lambda: list(seeds.images()), (mutate_png,), _any_image),
        Target(
            "tiles", "level.json", lambda: seeds.dumped(*seeds.TILES), (mutate_json,),
            _level("level.json"),
        ),
        Target(
            "graph", "level.json", lambda: seeds.dumped(*seeds.GRAPHS), (mutate_json,),
            _level("level.json"),
        ),
        Target("map", "level.map", lambda: [seeds.MAP], (mutate_lines,), _level("level.map")),
        Target("rows", "level.txt", lambda: [seeds.ROWS], (mutate_lines,), _level("level.txt")),
        Target("values", "level.csv", lambda: [seeds.VALUES], (mutate_lines,), _level("level.csv")),
        Target(
            "scenario", "level.scen", lambda: [seeds.SCENARIO], (mutate_lines,),
            lambda folder: read_scenario(folder / "level.scen"),
        ),
        Target(
            "tmx", "level.tmx", lambda: seeds.tiled_maps("tmx"), (mutate_xml,), _level("level.tmx"),
            {"set.tsx": seeds.TILESET, "thing.tx": seeds.TEMPLATE},
        ),
        Target(
            "tmj", "level.tmj", lambda: seeds.tiled_maps("tmj") + seeds.project_files("valley.tmj"),
            (mutate_json,), _level("level.tmj"),
        ),
        Target(
            "tileset", "set.tsx", lambda: [
            seeds.TILESET.encode(), *seeds.dumped(seeds.TILESET_JSON)],
            (mutate_xml, mutate_json), _level("level.tmx"),
            {"level.tmx": seeds.OUTER, "thing.tx": seeds.TEMPLATE},
        ),
        Target(
            "template", "thing.tx",
            lambda: [seeds.TEMPLATE.encode(), *seeds.dumped(seeds.TEMPLATE_JSON)],
            (mutate_xml, mutate_json), _level("level.tmx"),
            {"level.tmx": seeds.OUTER, "set.tsx": seeds.TILESET},
        ),
        Target(
            "world", "all.world", lambda: seeds.dumped(seeds.WORLD, seeds.WORLD_PATTERN),
            (mutate_json,), _level("all.world"), _MAPS,
        ),
        Target(
            "world-each", "all.world", lambda: seeds.dumped(seeds.WORLD, seeds.WORLD_PATTERN),
            (mutate_json,), _level("all.world", each=True), _MAPS,
        ),
        Target("ldtk", "all.ldtk", seeds.projects, (mutate_json,), _level("all.ldtk")),
        Target(
            "ldtk-each", "all.ldtk", seeds.projects, (mutate_json,), _level("all.ldtk", each=True)
        ),
        Target(
            "ldtkl", "one.ldtkl", lambda: [_SPLIT[1]], (mutate_json,), _level("all.ldtk"),
            {"all.ldtk": _SPLIT[0]},
        ),
        Target(
            "recipe", "bake.toml", lambda: [seeds.RECIPE], (mutate_lines,),
            lambda folder: load_recipe(folder / "bake.toml"),
        ),
        Target(
            "bake", "level.json", lambda: seeds.dumped(*seeds.TILES, *seeds.GRAPHS),
            (mutate_json,), _bake,
        ),
        Target(
            "patch", "saved.patch", baked.patches, (baked.mutate_records,), baked.read_patch,
        ),
        Target(
            "apply", "saved.patch", baked.patches, (baked.mutate_records,), baked.bake_patch,
        ),
        Target(
            "journal", "kept.journal", baked.journals, (baked.mutate_records,),
            baked.read_journal,
        ),
        Target("header", "header.json", baked.headers, (mutate_json, mutate_lines),
            baked.read_asset,
        ),
    )
}  # fmt: skip
