"""The recorded levels, and the digests of their files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import h5py

from bake.baking import find_tasks
from bake.baking.level import bake_level
from bake.export.export import export_asset
from bake.project.recipe import load_recipe
from bake.store import Asset
from bake.store.header import read_header
from bake.store.write import DESCRIPTIONS
from tests.support.levels import shared_level
from tests.support.stored import ROOT, Pair
from tests.support.vectors.levels import every_vector


@dataclass(frozen=True)
class RecordedLevel:
    """A level whose answers are recorded."""

    name: str  #: of its recording
    bake: Callable[[Path], Path]  #: bakes the level into a folder and returns the asset
    parts: tuple[str, ...] = ()  #: what its flat file holds beside next hops
    has_hops: bool = True  #: whether its asset holds next hops; without them answers are searched

    def write(self, folder: Path) -> Pair:
        """Bake the level into a folder, and export it as a flat file beside the asset."""
        asset = self.bake(folder)
        flat = asset.with_suffix(".bake")
        with Asset(asset) as opened:
            export_asset(opened, flat, None, self.parts)
        return Pair(asset, flat)


def _bake_source(source: str, recipe: Path, folder: Path) -> Path:
    """Bake a file of ``levels_src``, or a shared level, which skips where it is absent."""
    path = ROOT / source if source.startswith("levels_src/") else shared_level(source)
    (task,) = find_tasks(load_recipe(recipe), [path], folder)
    bake_level(task, 1, lambda stage, done: None)
    return task.asset


def _bake_vector(name: str, folder: Path) -> Path:
    """Bake a level of the readers' vectors."""
    (vector,) = (vector for vector in every_vector() if vector.name == name)
    return vector.write(folder)


#: The project's recipe, and the rules that other recorded levels need.
_PROJECT, _OTHER = ROOT / "bake.toml", Path(__file__).with_name("bake.toml")

#: Files of ``levels_src``: images, JSON, Tiled, LDtk and SVG; squares, hexagons, graphs and meshes;
#: floors, links, doors, ledges, sizes, headings, slopes, one-way terrain, weights and heuristics.
_OURS = (
    *("abbey.ldtk", "bastion.json", "caves.png", "colony.json", "depot.json", "grove.json"),
    *("harbour.svg", "island.json", "keep.png", "manor.tmx", "marsh.png", "oneway.json"),
    *("plaza.json", "ridge.json", "roads.json", "station.json", "town.json", "undercroft.map"),
    *("valley.tmj",),
)
_SHARED = (
    *("movingai/den312d.map", "ldtk/Typical_TopDown_example.ldtk"),
    *("tiled/orthogonal-outside.tmx",),
)

LEVELS = {
    level.name: level
    for level in (
        *(
            RecordedLevel(Path(file).stem, partial(_bake_source, f"levels_src/{file}", _PROJECT))
            for file in _OURS
        ),
        *(RecordedLevel(Path(file).stem, partial(_bake_source, file, _OTHER)) for file in _SHARED),
        # Layers of HPA* and no table.
        RecordedLevel(
            "caves-layers",
            partial(_bake_source, "levels_src/caves.png", _OTHER),
            has_hops=False,
        ),
        # Distances as labels.
        RecordedLevel("rooms", partial(_bake_vector, "rooms"), parts=("distances",)),
    )
}


def file_digests(pair: Pair) -> dict[str, str]:
    """Return a digest of the header of an asset, of each of its columns, and of its flat file."""
    return {
        "header": read_header(pair.asset).fingerprint()[:16],
        **column_digests(pair.asset),
        "flat file": _digest(pair.flat.read_bytes()),
    }


def column_digests(asset: Path) -> dict[str, str]:
    """Return a digest of each attribute and column of an asset.

    The bytes of an asset depend on the versions of HDF5 and its zlib, so digests are of contents:
    type, shape and values. Descriptions, which no reader reads, do not count.
    """
    digests: dict[str, str] = {}

    # HDF5's own visit meets a column once that several profiles share.
    def add(path: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Group):
            for key, value in item.attrs.items():
                digests[f"{path}:{key}"] = _digest(str(value).encode())
            for name in item:
                add(f"{path}/{name}", item[name])
        elif path != f"/{DESCRIPTIONS}":
            form = f"{item.dtype.str} {item.shape} ".encode()
            digests[path] = _digest(form + item[()].tobytes())

    with h5py.File(asset) as file:
        add("", file)
    return dict(sorted(digests.items()))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
