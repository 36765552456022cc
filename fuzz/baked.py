"""Fuzz files that belong to an asset: patches, journals, and the asset's own header.

These files contain digests, which almost any change would invalidate. The hostile files therefore
contain ASSET, GRAPH, SEAL and DIGEST instead, which are replaced by valid digests before reading.
"""

from __future__ import annotations

import hashlib
import json
import random
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from bake.apply import apply_patch
from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.level import TerrainRule
from bake.play import LevelAsset, QueryError, open_asset
from bake.project.recipe import LevelRecipe, ProfileRecipe
from bake.store import Asset
from fuzz import seeds
from fuzz.mutations import mutate_json, mutate_lines

_RECIPE = LevelRecipe(
    terrain={
        "floor": TerrainRule(1.0),
        "mud": TerrainRule(2.5),
        "wall": TerrainRule(None),
        "water": TerrainRule(1.0, ("water",)),
        "road": TerrainRule(1.0),
    },
    profiles=(ProfileRecipe("cat"),),
    tables=("components", "next_hops"),
)
_CHANGES = {
    "terrain": [[0, 1], [2, 0]],
    "obstacles": [1, 2],
    "arcs": [[0, 1, 4.5], [1, 0, "closed"]],
}
_WITH_LINKS = {
    **_CHANGES,
    "arcs": [[0, 2, 4.5]],
    "links": {
        "up": None,
        "leap": {"from": 1, "to": 0, "cost": 2.5, "profiles": ["cat"]},
        "rope": {"from": 2, "to": 0, "cost": 0.5, "both_ways": True, "kind": "rope", "id": "7"},
    },
}
_BATCHES = (
    {"blocked": [1], "opened": [2], "terrain": [[2, 1]], "arcs": [[0, 1, 2.5], [1, 0, None]]},
    {"ground": _WITH_LINKS},
    {"blocked": [], "opened": [1], "terrain": [], "arcs": [[0, 1, "closed"]]},
    {"blocked": [], "opened": [], "terrain": [], "arcs": [], "links": {"rope": None}},
)


class _CachedAsset(Asset):
    """A valid asset that stays open and caches its columns."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._columns: dict[str, npt.NDArray[np.generic]] = {}

    def read(self, path: str) -> npt.NDArray[np.generic]:
        if path not in self._columns:
            self._columns[path] = super().read(path)
        return self._columns[path].copy()

    def close(self) -> None:
        pass


_LEVELS = {
    b"ASSET": seeds.TILES[0],  # two floors with links, a door and a ledge
    b"GRAPH": seeds.GRAPHS[0],
}


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(ignore_cleanup_errors=True)  # Assets in it remain open.


@cache
def _baked(word: bytes) -> _CachedAsset:
    """Return the asset that a word represents, baked once."""
    file = Path(_folder().name) / f"{word.decode().lower()}.json"
    file.write_text(json.dumps(_LEVELS[word]), "utf-8")
    bake_level(Task(file, file.with_suffix(".h5"), _RECIPE), 1, lambda stage, done: None)
    return _CachedAsset(file.with_suffix(".h5"))


def patches() -> list[bytes]:
    """Return patches of both levels: with changes, without any, and with added arcs and links."""
    return [
        f"levelbake-patch {version} {of} DIGEST\n{json.dumps(changes)}\n".encode()
        for of in ("ASSET", "GRAPH")
        for version, changes in (
            (1, _CHANGES),
            (1, {"terrain": [], "obstacles": [], "arcs": []}),
            (2, _WITH_LINKS if of == "ASSET" else {**_WITH_LINKS, "links": {}}),
        )
    ]


def journals() -> list[bytes]:
    """Return journals of both levels: with batches, without any, and truncated."""
    lines = "".join(f"DIGEST {json.dumps(batch)}\n" for batch in _BATCHES)
    return [
        f"levelbake-journal 2 {of}\n{batches}".encode()
        for of in ("ASSET", "GRAPH")
        for batches in (lines, "", lines[:-3])
    ]


def headers() -> list[bytes]:
    """Return the header of the first level, with a placeholder for its seal."""
    text = _baked(b"ASSET").header.text()
    return [text[: text.rfind(b'"seal"')] + b'"seal": "SEAL"\n}\n']


def mutate_records(data: bytes, random_: random.Random) -> bytes | None:
    """Change the JSON in a line of a patch or journal, or change whole lines."""
    lines = data.split(b"\n")
    places = [place for place, line in enumerate(lines) if b"{" in line]
    if not places or random_.random() < 0.25:
        return mutate_lines(data, random_)
    place = random_.choice(places)
    before, brace, inner = lines[place].partition(b"{")
    changed = mutate_json(brace + inner, random_)
    if changed is None:
        return None
    lines[place] = before + changed
    return b"\n".join(lines)


def read_patch(folder: Path) -> None:
    """Apply a hostile patch, and check that saving and applying the result changes nothing."""
    asset = _fill_patch(folder)
    with LevelAsset(asset) as level:
        level.apply_patch(folder / "saved.patch")
        _ask(level)
        once = _saved(level, folder)
        level.apply_patch(folder / "again.patch")
        assert _saved(level, folder) == once, "a patch saved from a patch is another one"


def bake_patch(folder: Path) -> None:
    """Bake a hostile patch into an asset, and query the result."""
    asset = _fill_patch(folder)
    new = folder / "new.h5"
    apply_patch(asset.path, folder / "saved.patch", new, 1, lambda stage, done: None)
    with open_asset(new) as level:
        _ask(level)


def read_journal(folder: Path) -> None:
    """Replay a hostile journal; sometimes add a batch, and replay all of it again."""
    file = folder / "kept.journal"
    first, *lines = file.read_bytes().split(b"\n")
    for at, line in enumerate(lines):
        if line.startswith(b"DIGEST "):
            text = line[len(b"DIGEST ") :]
            lines[at] = _sha256(text)[:16] + b" " + text
    asset, first = _bound(first)
    file.write_bytes(b"\n".join((first, *lines)))
    twice = zlib.crc32(file.read_bytes()) % 4 == 0  # Doubles the time.
    with LevelAsset(asset) as level:
        count = level.journal(file)
        _ask(level)
        if not twice:
            return
        level.update()
        once = _saved(level, folder)
    with LevelAsset(asset) as level:
        assert level.journal(file) == count + 1, "a batch was lost"
        assert _saved(level, folder) == once, "a journal replayed again makes another level"


def read_asset(folder: Path) -> None:
    """Open an asset with a hostile header."""
    text = (folder / "header.json").read_bytes()
    text = text.replace(b"SEAL", _sha256(text[: text.rfind(b'"seal"')]))
    asset = _baked(b"ASSET")
    block = asset.header.block
    file = folder / "level.h5"
    file.write_bytes(text.ljust(block) + asset.path.read_bytes()[block:])
    with open_asset(file) as level:
        _ask(level)


def _fill_patch(folder: Path) -> _CachedAsset:
    file = folder / "saved.patch"
    first, newline, changes = file.read_bytes().partition(b"\n")
    asset, first = _bound(first.replace(b"DIGEST", _sha256(changes)))
    file.write_bytes(first + newline + changes)
    return asset


def _bound(first: bytes) -> tuple[_CachedAsset, bytes]:
    """Return the asset that a first line names, and the line with the asset's fingerprint."""
    word = b"GRAPH" if b"GRAPH" in first else b"ASSET"
    asset = _baked(word)
    return asset, first.replace(word, asset.header.fingerprint().encode())


def _saved(level: LevelAsset, folder: Path) -> bytes:
    level.save_patch(folder / "again.patch")
    return (folder / "again.patch").read_bytes()


def _ask(level: LevelAsset) -> None:
    """Query a path of every profile."""
    for name in level.profiles:
        nav = level.profile(name)
        start, goal = ((2, 0, 0), (1, 1, 1)) if level.is_grid else ("mill", "inn")
        with suppress(QueryError):  # A wall may block an end.
            nav.path(start, goal)


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()
