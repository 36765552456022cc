"""Read attributes and the recipe of an asset, and verify what is stored twice."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from bake.store import Asset
from levelbake.columns import PROFILE
from levelbake.errors import CorruptAssetError


class Proven:
    """A part of a file under verification: its level, or one of its profiles."""

    asset: Asset
    name = ""  #: the profile's name; empty for the level

    def require(self, holds: object, otherwise: str) -> None:
        """Raise the error ``otherwise`` unless a condition holds."""
        if not holds:
            raise self.wrong(otherwise)

    def wrong(self, found: str) -> CorruptAssetError:
        """Return the error for a file that is complete but has wrong content."""
        message = f"profile {self.name!r}: {found}" if self.name else found
        return self.asset.damaged(message, verdict="wrong")


def verify_attributes(asset: Asset) -> None:
    """Verify that attributes have values the format allows, and agree with the header.

    Raises:
        CorruptAssetError: an attribute does not.
    """

    for declared in asset.schema.attributes:
        for name in asset.profiles if PROFILE in declared.group else ("",):
            asset.attribute(declared.name, declared.group.replace(PROFILE, name))
    text = asset.text("recipe") or ""
    if hashlib.sha256(text.encode()).hexdigest() != asset.header.recipe:
        raise asset.damaged("attribute recipe is not the one in the header", verdict="wrong")


def verify_columns(asset: Asset) -> None:
    """Verify every column against its declaration, and against the kind of level.

    Raises:
        CorruptAssetError: a column is missing, superfluous, or violates its declaration.
    """
    kinds = {
        "both": True,
        "grid": asset.text("kind") != "graph",
        "graph": asset.text("kind") == "graph",
        "lattice": asset.number("block") is not None,
    }
    for declared in asset.schema.columns:
        # A large lattice has its ground in the place of terrain.
        needed = not declared.optional and not (kinds["lattice"] and declared.name == "terrain")
        for name in asset.profiles if declared.own else ("",):
            path = declared.path.replace(PROFILE, name)
            if asset.has(path) and kinds[declared.world]:
                asset.read(path)
            elif asset.has(path) or (kinds[declared.world] and needed):
                what = "belongs to another kind of level" if asset.has(path) else "is missing"
                raise asset.damaged(f"column {path} {what}", verdict="wrong")


class Recipe:
    """The rules in an asset's recipe; None for rules that it leaves to the level."""

    def __init__(self, asset: Asset) -> None:
        """Parse the recipe; a recipe that is not a JSON object has no rules."""
        try:
            document = json.loads(asset.text("recipe") or "{}")
        except (ValueError, RecursionError):
            document = {}
        self._document = document if isinstance(document, dict) else {}

    def at(self, *keys: str) -> Any:
        """Return the value at a path of keys, or None."""
        value: Any = self._document
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def rule(self, profile: str, terrain: str) -> dict[str, Any] | None:
        """Return the rule of a terrain for a profile, or None."""
        rule = self.at("profiles", profile, terrain) or self.at("terrain", terrain)
        return rule if isinstance(rule, dict) else None
