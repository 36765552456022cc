"""Pictures of grid levels, looked at pixel by pixel."""

from pathlib import Path

import numpy as np
import pytest

from bake.core.level import TerrainRule
from bake.core.movement import HEX_LAYOUTS
from bake.project.recipe import LevelRecipe, ProfileRecipe
from bake.show.colours import BLOCKED, GOAL, PAPER, PATH, START
from tests.support.drawings import ANY, CLEAN, COLOURS, apart, grid, picture


@pytest.mark.parametrize("hex_layout", [None, *HEX_LAYOUTS])
def test_terrain_has_the_designers_colours(tmp_path: Path, hex_layout: str | None) -> None:
    rows = (".#m", "m.#", "#m.", "..m")
    drawn = picture(grid(tmp_path, *rows, hex_layout=hex_layout))
    names = {".": "floor", "#": "wall", "m": "mud"}
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            assert drawn.at(x, y) == COLOURS[names[letter]], (x, y)


def test_walls_throw_a_shade_that_leaves_the_middle_of_cells_alone(tmp_path: Path) -> None:
    drawn = picture(grid(tmp_path, ".#", ".."), scale=40)
    assert drawn.at(0, 0) == COLOURS["floor"]
    beside_wall, beside_floor = drawn.at(0, 0, dx=17), drawn.at(0, 0, dy=17)
    assert sum(beside_wall) < sum(beside_floor) - 30


def test_cells_are_ruled_apart_when_large_and_not_when_small(tmp_path: Path) -> None:
    asset = grid(tmp_path, "....", "....")
    large = picture(asset, scale=20)
    assert large.at(1, 0, dx=-10) != COLOURS["floor"]
    small = picture(asset, scale=4)
    assert small.at(1, 0, dx=-2) == COLOURS["floor"]


def test_islands_are_vivid_and_the_largest_component_is_not(tmp_path: Path) -> None:
    drawn = picture(grid(tmp_path, "....#.", "....#.", "....##", "....#."), show="components")
    largest, first, second = drawn.at(1, 1), drawn.at(5, 0), drawn.at(5, 3)
    assert drawn.at(3, 3) == largest
    assert drawn.at(5, 1) == first
    assert min(apart(largest, first), apart(largest, second), apart(first, second)) > 150
    assert max(largest) - min(largest) < 60
    assert max(first) - min(first) > 100
    assert apart(drawn.at(4, 0), BLOCKED) < 20


def test_an_island_of_one_pixel_is_ringed(tmp_path: Path) -> None:
    rows = ["." * 40] * 20 + ["#" * 40] * 19 + ["#" * 20 + "." + "#" * 19] + ["#" * 40] * 20
    asset = grid(tmp_path, *rows)
    drawn = picture(asset, show="components", scale=2)
    island = drawn.at(20, 39)
    around = [drawn.at(20, 39, dx=dx) for dx in range(4, 12)]
    assert min(apart(colour, island) for colour in around) < 60


def test_what_only_others_can_stand_on_is_striped(tmp_path: Path) -> None:
    asset = grid(tmp_path, ".mmm#", ".mmm#", recipe=LevelRecipe(profiles=(ANY, CLEAN)))
    drawn = picture(asset, show="components", profile="clean", scale=40)
    mud = {drawn.at(2, 0, dx=dx) for dx in range(-12, 12)}
    assert len(mud) > 1
    assert len({drawn.at(4, 0, dx=dx) for dx in range(-12, 12)}) == 1
    assert all(sum(colour) < sum(drawn.at(0, 0)) / 2 for colour in mud)
    other = picture(asset, show="components", profile="any", scale=40)
    assert len({other.at(2, 0, dx=dx) for dx in range(-12, 12)}) == 1


def test_one_way_gates_are_told_from_walls(tmp_path: Path) -> None:
    drawn = picture(grid(tmp_path, "...g", "...."), show="components")
    assert apart(drawn.at(3, 0), drawn.at(0, 0)) > 150


def test_distances_darken_away_from_the_goal(tmp_path: Path) -> None:
    drawn = picture(grid(tmp_path, "." * 60), show="distances", toward=(0, 0))
    light = [
        0.2126 * red + 0.7152 * green + 0.0722 * blue
        for red, green, blue in (drawn.at(x, 0, dx=5) for x in range(1, 60, 6))
    ]
    assert light == sorted(light, reverse=True)
    assert light[0] - light[-1] > 100
    assert drawn.said["farthest"] == [59, 0]
    assert drawn.said["farthest_distance"] == 59
    assert drawn.said["unreachable"] == 0


def test_contours_lie_where_the_distance_is_a_multiple(tmp_path: Path) -> None:
    # 60 cells: lines every 5 units, so before cells 5, 10, ...
    drawn = picture(grid(tmp_path, *["." * 60] * 3), show="distances", toward=(0, 1), scale=20)
    for x in range(1, 60):
        side = apart(drawn.at(x, 1, dx=-10), drawn.at(x, 1))
        assert (side > 120) == (x % 5 == 0), x
        assert drawn.at(x, 1) == drawn.at(x, 1, dx=4)


def test_contours_lie_between_hexagons(tmp_path: Path) -> None:
    asset = grid(tmp_path, *["." * 60] * 3, hex_layout="odd-r")
    drawn = picture(asset, show="distances", toward=(0, 1), scale=20)
    for x in range(1, 60):
        side = apart(drawn.at(x, 1, dx=-10), drawn.at(x, 1))
        assert (side > 120) == (x % 5 == 0), x


def test_no_contour_runs_along_a_wall_between_far_and_near(tmp_path: Path) -> None:
    rows = ["." * 50, "#" * 49 + ".", "." * 50]
    drawn = picture(grid(tmp_path, *rows), show="distances", toward=(0, 0), scale=20)
    # Cell (7, 2) is 93 or so away, its neighbour across the wall 7: many multiples between them.
    top = [drawn.at(7, 2, dx=2, dy=dy) for dy in range(-8, 9)]
    assert len(set(top)) == 1


def test_cells_with_no_way_to_the_goal_are_striped_red(tmp_path: Path) -> None:
    drawn = picture(grid(tmp_path, "...#.", "...#."), show="distances", toward=(0, 0), scale=40)
    lost = {drawn.at(4, 0, dx=dx) for dx in range(-12, 12)}
    assert len(lost) > 1
    assert all(red > 1.15 * max(green, blue) for red, green, blue in lost)
    assert drawn.said["unreachable"] == 2
    assert drawn.said["farthest"] == [2, 1]


def test_distances_are_written_into_large_cells(tmp_path: Path) -> None:
    asset = grid(tmp_path, "." * 12)
    large = picture(asset, show="distances", toward=(0, 0), scale=60)
    written = {large.at(5, 0, dx, dy) for dx in range(-15, 15) for dy in range(-10, 10)}
    assert len(written) > 3
    plain = {large.at(5, 0, dx, dy) for dx in range(-15, 15) for dy in range(14, 24)}
    assert len(plain) == 1


@pytest.mark.parametrize("hex_layout", [None, *HEX_LAYOUTS])
def test_arrows_point_along_the_next_hop(tmp_path: Path, hex_layout: str | None) -> None:
    asset = grid(tmp_path, "...", "...", hex_layout=hex_layout)
    drawn = picture(asset, show="hops", toward=(2, 0), scale=60)
    ground = drawn.at(0, 0, dx=-25)
    assert apart(drawn.at(0, 0), ground) > 200
    if hex_layout in (None, "odd-r", "even-r"):
        # The next hop of (0, 0) is its eastern neighbour: a head in the east, a shaft in the west.
        head = sum(apart(drawn.at(0, 0, dx=8, dy=dy), ground) > 200 for dy in range(-14, 15))
        shaft = sum(apart(drawn.at(0, 0, dx=-8, dy=dy), ground) > 200 for dy in range(-14, 15))
        assert head > shaft > 0
    assert drawn.at(2, 0) == GOAL


def test_small_cells_share_an_arrow(tmp_path: Path) -> None:
    asset = grid(tmp_path, *["." * 40] * 40)
    drawn = picture(asset, show="hops", toward=(39, 39), scale=4)
    dark = [
        apart(drawn.at(x, y), drawn.at(39, 0, dx=1, dy=-1)) > 200 for x in range(40) for y in (7,)
    ]
    assert 0 < sum(dark) < 40


def test_a_path_is_drawn_over_every_view(tmp_path: Path) -> None:
    asset = grid(tmp_path, "......", ".####.", "......")
    for show in ("terrain", "components", "distances", "hops"):
        drawn = picture(
            asset, show=show, path=((0, 0), (0, 2)), toward=None if show[0] in "tc" else (5, 1)
        )
        assert drawn.at(0, 1) == PATH, show
        assert drawn.at(5, 0) != PATH
        assert drawn.at(0, 0) == START
        assert drawn.at(0, 2) == GOAL
        assert drawn.said["reachable"] is True
        assert drawn.said["path_steps"] == 2
        assert drawn.said["path_cost"] == 2.0


def test_a_path_that_is_none_shows_its_ends(tmp_path: Path) -> None:
    drawn = picture(grid(tmp_path, ".#."), path=((0, 0), (2, 0)))
    assert drawn.at(0, 0) == START
    assert drawn.at(2, 0) == GOAL
    assert drawn.at(1, 0) == COLOURS["wall"]
    assert drawn.said["reachable"] is False
    assert drawn.said["path_steps"] is None
    assert drawn.said["path_cost"] is None


def test_a_goal_is_marked_and_judged_on_terrain_too(tmp_path: Path) -> None:
    drawn = picture(grid(tmp_path, "...m"), toward=(0, 0))
    assert drawn.at(0, 0) == GOAL
    assert drawn.said["farthest"] == [3, 0]
    assert drawn.said["farthest_distance"] == 4.0


@pytest.mark.parametrize("hex_layout", [None, *HEX_LAYOUTS])
def test_a_single_cell_can_be_drawn(tmp_path: Path, hex_layout: str | None) -> None:
    asset = grid(tmp_path, ".", hex_layout=hex_layout)
    assert picture(asset).at(0, 0) == COLOURS["floor"]
    for show in ("components", "distances", "hops"):
        drawn = picture(asset, show=show, toward=(0, 0), path=((0, 0), (0, 0)))
        assert drawn.said["farthest_distance"] == 0.0
        assert drawn.said["path_steps"] == 0


def test_the_longer_side_fits_by_itself(tmp_path: Path) -> None:
    for columns in (15, 17, 320, 799, 801, 1601):
        drawn = picture(grid(tmp_path, "." * columns))
        map_width = int(drawn.centres[-1][0] + drawn.centres[0][0])
        assert 800 < map_width <= max(1600, columns)


def test_hexagons_leave_the_corners_of_the_map_to_the_page(tmp_path: Path) -> None:
    drawn = picture(grid(tmp_path, "..", "..", hex_layout="odd-r"), scale=40)
    assert tuple(drawn.pixels[drawn.top, drawn.left].tolist()) == PAPER


def test_blocked_profiles_do_not_change_terrain_colours(tmp_path: Path) -> None:
    blind = ProfileRecipe("blind", {"mud": TerrainRule(None), "floor": TerrainRule(1.0)})
    asset = grid(tmp_path, ".m", recipe=LevelRecipe(profiles=(ANY, blind)))
    for profile in ("any", "blind"):
        assert picture(asset, profile=profile).at(1, 0) == COLOURS["mud"]


def test_a_picture_says_its_size(tmp_path: Path) -> None:
    drawn = picture(grid(tmp_path, "..", ".."), scale=30)
    height, width, _ = drawn.pixels.shape
    assert (drawn.said["width"], drawn.said["height"]) == (width, height)
    assert drawn.said["profile"] == "default"
    assert drawn.said["show"] == "terrain"
    assert np.all(drawn.pixels[0] == PAPER)
