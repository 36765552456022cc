"""Read what an asset states of itself and of its recipe, and prove what says it twice."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from bake.asset import Asset
from bake.asset.column import PROFILE
from bake.asset.schema import ATTRIBUTES


def prove_attributes(asset: Asset) -> None:
    """Prove that attributes have values the format knows, and say what the header says.

    Raises:
        CorruptAssetError: an attribute does not.
    """

    def require(holds: bool, otherwise: str) -> None:
        if not holds:
            raise asset.damaged(otherwise, verdict="wrong")

    for declared in ATTRIBUTES:
        groups = [declared.group]
        if PROFILE in declared.group:
            groups = [declared.group.replace(PROFILE, name) for name in asset.profiles]
        for group in groups:
            read = asset.text if declared.kind == "text" else asset.number
            read(declared.name, group)
    text = asset.text("recipe") or ""
    same = hashlib.sha256(text.encode()).hexdigest() == asset.header.recipe
    require(same, "attribute recipe is not the one in the header")
    kind, layout = asset.text("kind"), asset.text("hex_layout")
    require((kind == "hex") == (layout is not None), f"kind is {kind!r}, hex_layout {layout!r}")
    neighbours = {"graph": (None,), "hex": (6,), "square": (4, 8)}[str(kind)]
    found = asset.number("connectivity")
    require(found in neighbours, f"kind is {kind!r}, connectivity {found}")
    is_grid = kind != "graph"
    placed = any(asset.has(path) for path in ("/node_location", "/node_at", "/is_node"))
    require(placed == is_grid, f"kind is {kind!r}, but the columns are others")


class Recipe:
    """What the recipe in an asset states; None where it leaves something to the level."""

    def __init__(self, asset: Asset) -> None:
        """Read it; a recipe that is no JSON object states nothing."""
        try:
            document = json.loads(asset.text("recipe") or "{}")
        except (ValueError, RecursionError):
            document = {}
        self._document = document if isinstance(document, dict) else {}

    def at(self, *keys: str) -> Any:
        """Return what stands at a place; None where nothing does."""
        found: Any = self._document
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def rule(self, profile: str, terrain: str) -> dict[str, Any] | None:
        """Return what a terrain costs a profile and what it is entered from, where that is said."""
        rule = self.at("profiles", profile, terrain) or self.at("terrain", terrain)
        return rule if isinstance(rule, dict) else None
