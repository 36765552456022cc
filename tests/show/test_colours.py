"""Colours that must mean something to the eye, and the words beside them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.baking.colours import terrain_colours
from bake.show.canvas import fitted, plain, width_of
from bake.show.colours import ramp, shades, vivid
from bake.show.page import Swatch, number, shortened
from bake.show.paint import contour_step


def test_the_ramp_darkens_evenly() -> None:
    linear = (ramp() / 255.0) ** 2.2
    light = np.cbrt(linear @ np.array([0.2126, 0.7152, 0.0722]))
    steps = np.diff(light[::16])
    assert (steps < 0).all()
    assert steps.min() > 2.5 * steps.max()


WHITE = (255, 255, 255)


@pytest.mark.parametrize(
    ("terrains", "given"),
    [
        (("floor", "wall"), {"floor": WHITE, "wall": WHITE}),
        (("floor", "wall"), {"floor": WHITE, "wall": (250, 253, 255)}),
        (("sand", "beach"), {}),
        (("lair", "liar"), {"lair": (0, 0, 0), "liar": (3, 2, 1)}),
        (tuple(f"wall_{number}" for number in range(6)), {}),
    ],
)
def test_terrains_that_would_look_alike_are_told_apart(
    terrains: tuple[str, ...], given: dict[str, tuple[int, int, int]]
) -> None:
    colours = terrain_colours(terrains, given).astype(int)
    for one, other in combinations(colours, 2):
        assert np.linalg.norm(one - other) >= 16
    if given:
        assert tuple(colours[0]) == given[terrains[0]]


def test_a_given_colour_goes_before_a_fitting_one() -> None:
    fitting = tuple(terrain_colours(("wall",), {})[0].tolist())
    colours = terrain_colours(("wall", "hedge"), {"hedge": fitting}).tolist()
    assert tuple(colours[1]) == fitting
    assert colours[0] != colours[1]


def test_terrains_of_one_area_share_its_colour() -> None:
    areas = {"mud (cart)": ("mud", ("cart",)), "mud (sailor)": ("mud", ("sailor",))}
    same = terrain_colours(tuple(areas), {}, areas).tolist()
    assert same[0] == same[1]


def test_shades_go_from_near_to_far() -> None:
    near, far = shades(np.array([0.0, 1.0]))
    assert (near == ramp()[0]).all()
    assert (far == ramp()[-1]).all()


def test_neighbouring_vivid_colours_differ() -> None:
    colours = vivid(24).astype(int)
    for one in range(24):
        for other in range(one + 1, min(24, one + 5)):
            assert np.abs(colours[one] - colours[other]).sum() > 60
    assert (colours.max(axis=1) - colours.min(axis=1) > 80).all()


@given(st.floats(1e-6, 1e9))
def test_contours_are_few_and_round(farthest: float) -> None:
    step = contour_step(farthest)
    assert 24 / 2.5 - 1 <= farthest / step <= 24 * (1 + 1e-9)
    assert f"{step:e}"[0] in "125"


def test_numbers_are_short() -> None:
    assert [number(value) for value in (0.0, 1.5, 2.0, 1234.567, 100.0)] == [
        "0",
        "1.5",
        "2",
        "1,234.57",
        "100",
    ]


def test_long_legends_say_how_much_is_left_out() -> None:
    swatches = [Swatch((0, 0, 0), str(place)) for place in range(9)]
    assert shortened(swatches, 9, "terrains") == swatches
    assert [swatch.text for swatch in shortened(swatches, 4, "terrains")] == [
        "0",
        "1",
        "2",
        "and 6 more terrains",
    ]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("keep_2", "keep_2"),
        ("Größe", "Grosse"),
        ("Łódź", "Lodz"),
        ("東 京", "? ?"),
        ("a\nb", "a?b"),
    ],
)
def test_letters_the_font_lacks_are_replaced(text: str, written: str) -> None:
    assert plain(text) == written


@given(st.text(alphabet="abcdefgh ", max_size=60), st.integers(20, 300))
def test_fitted_text_fits(text: str, room: int) -> None:
    assert width_of(fitted(text, 15, room), 15) <= room
