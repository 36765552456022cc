"""Straight lines for agents that move freely: where they may go, what they cost, paths along them.

Each kind of level has a file: grids, graphs, and planes that are divided into polygons or by walls.
"""

from __future__ import annotations

from bake.play.sight.graph import GraphSight
from bake.play.sight.grid import GridSight
from bake.play.sight.lines import Sight, Waypoints

__all__ = ["GraphSight", "GridSight", "Sight", "Waypoints"]
