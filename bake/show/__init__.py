"""This package draws baked levels, and writes what commands say of builds, assets and changes."""

from __future__ import annotations

from enum import StrEnum


class Show(StrEnum):
    """What a picture shows."""

    terrain = "terrain"
    components = "components"
    distances = "distances"
    hops = "hops"
    clusters = "clusters"
    search = "search"
    contours = "contours"
