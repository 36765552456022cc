"""Exact walkable areas of the plane, from shapes or cells.

All corners are on a grid of 1/1024 of a unit of the plane (:data:`GRID`), so that orientation tests
are exact in whole numbers. Overlays are GEOS's with snap rounding on that grid (Hobby, "Practical
segment intersection with finite precision output", 1999), which never fails on it.
"""

from bake.geometry.area import GRID, Area, Floor, Geometry, plane_of, walkable
from bake.geometry.build import geometry_of
from bake.geometry.grow import grown

__all__ = ["GRID", "Area", "Floor", "Geometry", "geometry_of", "grown", "plane_of", "walkable"]
