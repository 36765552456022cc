"""What a picture is asked to show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bake.lint.ways import Problem
from bake.runtime.reader.places import Place
from bake.view.layer_scene import LayerScene
from bake.view.scene import Scene
from bake.view.searched import Searched
from bake.view.toward import Toward

Show = Literal["terrain", "components", "distances", "hops", "clusters", "search"]

#: Most pixels of one picture: 64 * 2**20, a page of 8192 x 8192.
MAX_PIXELS = 64 * 2**20

#: Pixels the longer side of a map may take when no scale is given.
LONGER_SIDE = 1600


@dataclass(frozen=True)
class Way:
    """A path to draw.

    Attributes:
        start, goal: its ends.
        places: both ends included; None where the goal cannot be reached.
        cost: units; None where the goal cannot be reached.
    """

    start: Place
    goal: Place
    places: tuple[Place, ...] | None
    cost: float | None


@dataclass(frozen=True)
class Request:
    """Everything one picture is made from.

    Attributes:
        scene: level and profile.
        show: the view.
        way: a path over it.
        toward: the goal of distances and hops.
        scale: pixels a cell or a unit of a graph's positions; None = what fits.
        layer: of clusters and the graph between them, for that view.
        searched: the search to show, for that view; its path is ``way``.
        findings: of lint, to mark; None = none were asked for.
    """

    scene: Scene
    show: Show
    way: Way | None
    toward: Toward | None
    scale: int | None
    layer: LayerScene | None = None
    searched: Searched | None = None
    findings: list[Problem] | None = None
