"""What takes long to make and always comes out the same is made once, and kept in build/tests.

That is programs that ask readers, by the digest of their sources and of how they are compiled, and
levels, by the digest of their file, of their rules, and of all code of the project. Who looks at
how a level is baked bakes it: nothing else in here calls `bake_level`, and that asks no store.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from bake.baking.level import bake_level
from bake.baking.sources import Task, find_tasks
from bake.baking.staleness import reasons_to_bake
from bake.export.export import export_asset
from bake.play import open_asset
from bake.project.recipe import load_recipe
from bake.store import Asset
from levelbake.errors import BakeError
from tests.support.levels import shared_level

ROOT = Path(__file__).resolve().parents[2]
STORE = ROOT / "build" / "tests"


def digest(parts: Iterable[str | Path]) -> str:
    """Return a digest of texts, and of the contents of files."""
    found = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) else part.encode()
        found.update(b"%d:%s" % (len(data), data))
    return found.hexdigest()[:20]


@functools.cache
def sweep() -> None:
    """Remove what nobody has asked for in a day."""
    STORE.mkdir(parents=True, exist_ok=True)
    for folder in STORE.iterdir():
        if folder.stat().st_mtime < time.time() - 86_400:
            shutil.rmtree(folder, ignore_errors=True)


def stored(
    name: str,
    parts: Iterable[str | Path],
    make: Callable[[Path], object],
    is_sound: Callable[[Path], bool] = Path.exists,
) -> Path:
    """Return a folder that was made of these parts.

    Args:
        name: what it is.
        parts: all that has a part in it.
        make: fills an empty folder, which goes to its place when it is whole.
        is_sound: whether a folder can be used; it is made anew otherwise.
    """
    sweep()
    folder = STORE / f"{name}.{digest(parts)}"
    if is_sound(folder):
        os.utime(folder)
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=STORE) as made:
        content = Path(made) / "content"
        content.mkdir()
        make(content)
        try:
            content.rename(folder)
        except OSError:  # Another process was first.
            assert is_sound(folder)
    return folder


@functools.cache
def code() -> str:
    """A digest of all code of the project, and of what it needs."""
    return digest([*sources(), ROOT / "requirements.lock"])


def sources() -> list[Path]:
    """All modules of bake, and of the reader that it stands on."""
    return sorted(
        path for home in ("bake", "readers/python") for path in (ROOT / home).rglob("*.py")
    )


def opens(file: Path) -> bool:
    """Whether a level lies here whole."""
    try:
        open_asset(file).close()
    except BakeError:
        return False
    return True


@functools.cache
def stored_asset(source: str | Path, recipe: Path = ROOT / "bake.toml") -> Path:
    """Return the asset of a level; tests share it, and leave it as it is.

    Args:
        source: a file of levels_src, a shared level with its folder, or any path.
        recipe: the recipe to bake it by.
    """
    if isinstance(source, str):
        source = shared_level(source) if "/" in source else ROOT / "levels_src" / source
    (task,) = find_tasks(load_recipe(recipe), [source], STORE)

    def placed(folder: Path) -> Task:
        return replace(task, asset=folder / task.asset.name)

    found = stored(
        f"asset-{task.name}",
        [code(), task.recipe.canonical(), source.name, source],
        lambda folder: bake_level(placed(folder), 1, lambda stage, done: None),
        lambda folder: not reasons_to_bake(placed(folder)) and opens(placed(folder).asset),
    )
    return placed(found).asset


@dataclass(frozen=True)
class Pair:
    """One level as an asset and as a flat file."""

    asset: Path
    flat: Path


@functools.cache
def stored_pair(source: str | Path) -> Pair:
    """Return the asset of a level and a flat file of it; see :func:`stored_asset`."""
    asset = stored_asset(source)
    name = f"{asset.stem}.bake"

    def make(folder: Path) -> None:
        with Asset(asset) as opened:
            export_asset(opened, folder / name)

    parts = [asset.parent.name]
    found = stored(f"flat-{asset.stem}", parts, make, lambda folder: opens(folder / name))
    return Pair(asset, found / name)
