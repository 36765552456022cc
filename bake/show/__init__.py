"""Draw baked levels, and print reports about builds, assets and changes."""

from __future__ import annotations

from enum import StrEnum


class Show(StrEnum):
    """A view of a level."""

    terrain = "terrain"
    components = "components"
    distances = "distances"
    hops = "hops"
    clusters = "clusters"
    search = "search"
    contours = "contours"
