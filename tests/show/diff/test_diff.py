"""What changed between two bakes, against plain Python and by hand."""

import json
import random
from contextlib import suppress
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bake.play import Navigator, open_asset
from bake.project.recipe import LevelRecipe
from bake.show.diff import Difference, broken, compare, read_limit
from bake.store import Asset
from levelbake.errors import AssetError, BlockedCellError, QueryError, UnknownProfileError
from tests.support.baked import bake_grid, rows
from tests.support.command import bake as run
from tests.support.drawings import ANY, CLEAN, graph, grid

Cell = tuple[int, int]


def two(folder: Path, old: list[str], new: list[str], **options: object) -> tuple[Path, Path]:
    """Bake both; graphs and hexes have tests of their own."""
    assets = []
    for name, drawn in (("old", old), ("new", new)):
        (folder / name).mkdir()
        assets.append(grid(folder / name, *drawn, **options))
    return assets[0], assets[1]


def compared(old: Path, new: Path, profile: str | None = None, sample: int = 10**9) -> Difference:
    with Asset(old) as before, Asset(new) as after:
        found = compare(before, after, profile, sample)
        for one in found.profiles:  # read while the assets are open
            assert one.matched.arcs
            assert one.cells_changed >= 0
        return found


def cells(nav: Navigator) -> set[Cell]:
    found = set()
    for cell in product(range(6), range(5)):
        with suppress(BlockedCellError):
            nav.distance(cell, cell)
            found.add(cell)
    return found


def test_a_wall_that_parts_a_room(tmp_path: Path) -> None:
    old, new = two(tmp_path, ["....", "...."], ["..#.", "..#."])
    profile = compared(old, new).profiles[0]
    matched, reach, distances = profile.matched, profile.reachability, profile.distances
    assert reach is not None
    assert distances is not None
    assert (len(matched), len(matched.closed), len(matched.opened)) == (6, 2, 0)
    # Two cells to the east against four to the west, both ways.
    assert (reach.lost, reach.gained) == (2 * 2 * 4, 0)
    assert int(reach.cut_off.sum()) == 6 - 4
    assert (distances.longer, distances.shorter) == (0, 0)
    back = compared(new, old).profiles[0].reachability
    assert back is not None
    assert (back.lost, back.gained) == (0, 16)


def test_a_detour(tmp_path: Path) -> None:
    old, new = two(tmp_path, ["...", "#.#", "..."], ["...", "###", "..."])
    profile = compared(old, new).profiles[0]
    assert profile.reachability is not None
    assert profile.reachability.lost == 2 * 3 * 3
    old, new = tmp_path / "old/level.h5", tmp_path / "new/level.h5"
    bare = compared(old, new).profiles[0].distances
    assert bare is not None
    assert bare.longer == 0  # what is gone is told by reachability


def test_distances_without_next_hops(tmp_path: Path) -> None:
    told = []
    for settings in ({"tables": ("next_hops",)}, {"tables": ("distances",)}):
        pair = [
            bake_grid(tmp_path, rows("....", middle, "...."), name=name, **settings)
            for name, middle in (("old", ".##."), ("new", "###."))
        ]
        told.append(compared(*pair).profiles[0].distances)
    assert told[0] is not None
    assert told[1] is not None
    assert told[0].longer > 0
    assert told[0] == told[1]
    assert told[0].grown.tolist() == told[1].grown.tolist()


def test_mud_makes_ways_longer(tmp_path: Path) -> None:
    old, new = two(tmp_path, ["....."], ["..m.."])
    profile = compared(old, new).profiles[0]
    assert profile.matched.dearer.sum() == 1
    distances = profile.distances
    assert distances is not None
    # All pairs but those within the two cells on either side, and the cell itself.
    assert distances.longer == 5 * 4 - 2 * 2
    assert distances.shorter == 0
    worst = distances.most[0]
    assert (worst.before, worst.after) in ((4, 6), (3, 5), (2, 4))
    assert profile.matched.arcs.repriced == 4


@pytest.mark.parametrize("seed", range(12))
def test_random_levels_one_way(seed: int, tmp_path: Path) -> None:
    """Gates can only be left, so reachability is no equivalence."""
    rng = random.Random(seed)

    def drawn() -> list[str]:
        return ["".join(rng.choice("....#mg") for _ in range(6)) for _ in range(5)]

    first = drawn()
    second = [
        "".join(letter if rng.random() < 0.8 else rng.choice(".#mg") for letter in row)
        for row in first
    ]
    old, new = two(tmp_path, first, second)
    profile = compared(old, new).profiles[0]
    reach, distances = profile.reachability, profile.distances
    assert reach is not None
    assert distances is not None
    with open_asset(old) as before, open_asset(new) as after:
        a, b = before.profile(), after.profile()
        ground_a, ground_b = cells(a), cells(b)
        both = sorted(ground_a & ground_b)
        pairs = [(one, other) for one in both for other in both]
        lost = [p for p in pairs if a.reachable(*p) and not b.reachable(*p)]
        gained = [p for p in pairs if b.reachable(*p) and not a.reachable(*p)]
        change = [
            b.distance(*p) - a.distance(*p)
            for p in pairs
            if p[0] != p[1] and a.reachable(*p) and b.reachable(*p)
        ]
    matched = profile.matched
    assert (len(matched.opened), len(matched.closed)) == (
        len(ground_b - ground_a),
        len(ground_a - ground_b),
    )
    assert (reach.lost, reach.gained) == (len(lost), len(gained))
    assert distances.pairs == len(change)
    assert distances.longer == sum(one > 1e-6 for one in change)
    assert distances.shorter == sum(one < -1e-6 for one in change)
    if change:
        assert max(map(abs, change)) == pytest.approx(
            abs(distances.most[0].after - distances.most[0].before) if distances.most else 0
        )


def test_a_map_that_grew(tmp_path: Path) -> None:
    old, new = two(tmp_path, ["..", ".."], ["...", "...", "..."])
    profile = compared(old, new).profiles[0]
    assert (len(profile.matched), len(profile.matched.opened)) == (4, 5)
    assert profile.matched.arcs.come == profile.matched.arcs.gone == 0


def test_graphs_are_matched_by_name(tmp_path: Path) -> None:
    nodes = {name: (float(place), 0.0) for place, name in enumerate("abcd")}
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    old = graph(tmp_path / "old", nodes, [("a", "b"), ("b", "c"), ("c", "d")])
    swapped = {name: nodes[name] for name in "dcba"}
    new = graph(tmp_path / "new", swapped, [("a", "b"), ("c", "d")])
    profile = compared(old, new).profiles[0]
    assert profile.cells_changed == 0
    assert profile.matched.arcs.gone == 2
    assert profile.reachability is not None
    assert profile.reachability.lost == 8
    with pytest.raises(QueryError, match="graphs cannot be drawn"):
        run_picture(old, new, tmp_path / "a.png")


def run_picture(old: Path, new: Path, output: Path) -> None:
    from bake.show.diff_report import draw_difference

    with Asset(old) as before, Asset(new) as after:
        draw_difference(compare(before, after, None, 8), after, output, None)


def test_levels_of_two_kinds(tmp_path: Path) -> None:
    (tmp_path / "hex").mkdir()
    square = grid(tmp_path, "..")
    hexes = grid(tmp_path / "hex", "..", hex_layout="odd-r")
    with pytest.raises(AssetError, match=r"hexagonal odd-r.*compared"):
        compared(square, hexes)


def test_profiles_that_come_and_go(tmp_path: Path) -> None:
    for name, profiles in (("old", (ANY,)), ("new", (ANY, CLEAN))):
        (tmp_path / name).mkdir()
        grid(tmp_path / name, ".m", recipe=LevelRecipe(profiles=profiles))
    old, new = tmp_path / "old/level.h5", tmp_path / "new/level.h5"
    found = compared(old, new)
    assert [one.name for one in found.profiles] == ["any"]
    assert (found.profiles_gone, found.profiles_come) == ((), ("clean",))
    assert broken(compared(new, old), [read_limit("reachability")]) == [
        "reachability: profile clean is gone"
    ]
    with pytest.raises(UnknownProfileError, match="no profile 'clean'"):
        compared(old, new, "clean")


@pytest.mark.parametrize("text", ["", "walls", "cells=3", "distances=x", "size=-1%", "size=inf"])
def test_limits_that_are_none(text: str) -> None:
    with pytest.raises(QueryError, match="not a valid limit"):
        read_limit(text)


# -- the command ----------------------------------------------------------------------------------


def test_the_command(tmp_path: Path) -> None:
    old, new = two(tmp_path, ["....", "...."], ["..#.", "..#."])
    told = run("diff", old, new)
    assert told.code == 0
    assert "closed       2: (2, 0) (2, 1)" in told.out
    assert "reachability 16 pairs lost, such as" in told.out
    failing = run("diff", old, new, "--fail-on", "reachability", "--fail-on", "size=1000%")
    assert failing.code == 1
    assert "failed on reachability: profile default: 16 pairs lost their path" in failing.out
    assert run("diff", new, old, "--fail-on", "reachability").code == 0
    assert run("diff", new, old, "--fail-on", "cells").code == 1
    assert run("diff", old, old, "--fail-on", "cells", "--fail-on", "size").code == 0


def test_the_command_in_json(tmp_path: Path) -> None:
    old, new = two(tmp_path, ["...."], [".m#."])
    told = json.loads(run("diff", old, new, "--json").out)
    profile = told["profiles"]["default"]
    assert profile["closed"] == [[2, 0]]
    assert profile["dearer"] == [[1, 0]]
    assert profile["reachability"]["pairs_lost"] == 4
    assert profile["clusters"]["of"] >= 1
    assert told["size"]["nodes"] == [4, 3]
    assert told["broken"] == []


def test_the_picture(tmp_path: Path) -> None:
    old, new = two(tmp_path, ["....", "...#"], ["..#.", ".m.."])
    output = tmp_path / "change.png"
    assert run("diff", old, new, "-o", output, "--scale", "30").code == 0
    from bake.show.colours import CLOSED, DEARER, OPENED

    with Image.open(output) as image:
        seen = {tuple(colour) for colour in np.array(image).reshape(-1, 3).tolist()}
    assert {CLOSED, DEARER, OPENED} <= seen


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    asset = grid(tmp_path, "..")
    for arguments in (
        ("diff", asset, tmp_path / "none.h5"),
        ("diff", asset, asset, "--profile", "boat"),
        ("diff", asset, asset, "-o", tmp_path / "a.jpg"),
    ):
        told = run(*arguments)
        assert told.code == 1
        assert told.err.startswith("error: ")
        assert len(told.err.splitlines()) == 1


def test_bakes_of_two_levels_are_compared_with_a_warning(tmp_path: Path) -> None:
    old, new = two(tmp_path, ["...."], ["..#."])
    other = new.with_name("other.h5")
    source = new.with_suffix(".json")
    source.rename(source.with_name("other.json"))
    run("build", source.with_name("other.json"), "-o", tmp_path / "new")
    assert run("diff", old, new).err == ""
    done = run("diff", old, other, "--json")
    one, two_ = done.data["levels"]
    assert one != two_
    assert done.err.startswith("warning: ")
    assert f"different levels, {one!r} and {two_!r}" in done.err
    assert done.code == 0
