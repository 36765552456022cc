"""Regions shrink_region outline by outline, beside the same regions shrink_region at once."""

import random

import pytest
import shapely

from bake.geometry import shrink
from bake.geometry.shrink import shrink_region

pytestmark = pytest.mark.note(110, "whole regions shrunk at once")


def yard(seed: int, count: int, width: int) -> shapely.Geometry:
    """A square with posts, some of them hollow and with another one inside, in two parts."""
    rng = random.Random(seed)
    region = shapely.box(0, 0, width, width)
    for _ in range(count):
        x, y, size = rng.randrange(width), rng.randrange(width), rng.choice([4, 9, 40])
        region -= shapely.box(x, y, x + size, y + size)
        if size == 40:
            region |= shapely.box(x + 4, y + 4, x + 36, y + 36)
            region -= shapely.box(x + 18, y + 18, x + 22, y + 22)
    return region | shapely.box(width + 1, 0, width + 60, 70) - shapely.box(
        width + 20, 20, width + 24, 24
    )


@pytest.mark.parametrize("away", [1.3, 2.75, 6.0, 30.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_same_corners(monkeypatch: pytest.MonkeyPatch, seed: int, away: float) -> None:
    region = yard(seed, (10, 25, 60, 140)[seed], 400)
    expected = shapely.buffer(region, -away, quad_segs=6)
    monkeypatch.setattr(shrink, "MANY_OUTLINES", 0)
    found = shrink_region(region, away, 6)
    assert shapely.is_valid(found)
    expected = shapely.multipolygons(shapely.get_parts(expected))
    assert shapely.equals_exact(shapely.normalize(found), shapely.normalize(expected), 1e-6)


def test_nothing_is_left_of_what_is_too_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shrink, "MANY_OUTLINES", 0)
    assert shrink_region(shapely.box(0, 0, 100, 5), 3.0, 6).is_empty
    assert shrink_region(shapely.MultiPolygon(), 3.0, 6).is_empty


def test_few_outlines_are_shrunk_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    region = yard(1, 25, 400)
    monkeypatch.setattr(shrink, "_group_rings", None)
    assert shapely.equals_exact(
        shrink_region(region, 2.0, 6), shapely.buffer(region, -2.0, quad_segs=6)
    )
