"""Straight lines for agents that move freely: where they may go, what they cost, paths along them.

Each kind of level has a file: grids, graphs, and planes that are divided into polygons or by walls.
"""

from __future__ import annotations

from bake.runtime.sight.graph import GraphSight
from bake.runtime.sight.grid import GridSight
from bake.runtime.sight.lines import Sight, Waypoints

__all__ = ["GraphSight", "GridSight", "Sight", "Waypoints"]
