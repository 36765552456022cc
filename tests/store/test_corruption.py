"""Random corruption: whatever happens to an asset's bytes is told, and never answered from."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from bake.play import open_asset
from levelbake.errors import AssetError
from tests.support.baked import bake, bake_grid, recipe_for, rows, write_graph

#: Corruptions of all assets together; `BAKE_CORRUPTIONS=5000` in the environment for more.
COUNT = int(os.environ.get("BAKE_CORRUPTIONS", "600"))

PAGE = 512


def flipped(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 2, 8, 100))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def lengthened(data: bytearray, rng: random.Random) -> None:
    data += rng.randbytes(rng.choice((1, PAGE, 5000)))


def zeroed(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data)) // PAGE * PAGE
    stop = min(len(data), start + PAGE * rng.randrange(1, 9))
    data[start:stop] = bytes(stop - start)


def swapped(data: bytearray, rng: random.Random) -> None:
    a, b = (PAGE * rng.randrange(len(data) // PAGE) for _ in range(2))
    data[a : a + PAGE], data[b : b + PAGE] = data[b : b + PAGE], data[a : a + PAGE]


def dropped(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    del data[start : start + rng.choice((1, 8, PAGE))]


CORRUPTIONS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flipped,
    cut,
    lengthened,
    zeroed,
    swapped,
    dropped,
)


@pytest.fixture(scope="module")
def assets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("assets")
    every = ("components", "next_hops", "distances")
    drawn = rows("..v==~..", ".#v==~.#", "..v===..") * 4
    names = [f"n{place}" for place in range(40)]
    edges = [(names[a], names[b], 1.0 + a) for a in range(40) for b in (a * 3 % 40, (a + 1) % 40)]
    baked = {
        "labels": bake_grid(folder, drawn, name="labels", tables=every),
        "runs": bake_grid(
            folder,
            drawn,
            "odd-q",
            name="runs",
            tables=("components", "next_hops"),
        ),
        "graph": bake(write_graph(folder / "graph.json", names, edges), recipe_for(tables=every)),
    }
    return {name: path.read_bytes() for name, path in baked.items()}


@pytest.mark.parametrize("name", ["labels", "runs", "graph"])
def test_every_corruption_is_an_error_that_names_the_file(
    name: str, tmp_path: Path, assets: dict[str, bytes]
) -> None:
    path = tmp_path / "corrupt.h5"
    whole = assets[name]
    path.write_bytes(whole)
    open_asset(path).close()
    rng = random.Random(name)
    made = 0
    while made < COUNT / len(assets):
        data = bytearray(whole)
        CORRUPTIONS[made % len(CORRUPTIONS)](data, rng)
        if data == whole:  # such as two equal pages swapped
            continue
        path.write_bytes(data)
        with pytest.raises(AssetError) as caught:
            open_asset(path)
        line = str(caught.value)
        assert line.startswith(f"{path}: ")
        assert "\n" not in line
        made += 1
