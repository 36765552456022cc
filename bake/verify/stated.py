"""Read what an asset states of itself and of its recipe, and prove what says it twice."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from bake.asset import Asset
from levelbake.columns import PROFILE
from levelbake.errors import CorruptAssetError


class Proven:
    """What is proved of a file: its level, or one of its profiles."""

    asset: Asset
    name = ""  #: the profile's; empty where it is the level

    def require(self, holds: object, otherwise: str) -> None:
        """Refuse the file where something does not hold; ``otherwise`` says what is wrong."""
        if not holds:
            raise self.wrong(otherwise)

    def wrong(self, found: str) -> CorruptAssetError:
        """Return the error for a file that is as it was written, but not right."""
        told = f"profile {self.name!r}: {found}" if self.name else found
        return self.asset.damaged(told, verdict="wrong")


def prove_attributes(asset: Asset) -> None:
    """Prove that attributes have values the format knows, and say what the header says.

    Raises:
        CorruptAssetError: an attribute does not.
    """

    for declared in asset.schema.attributes:
        for name in asset.profiles if PROFILE in declared.group else ("",):
            asset.attribute(declared.name, declared.group.replace(PROFILE, name))
    text = asset.text("recipe") or ""
    if hashlib.sha256(text.encode()).hexdigest() != asset.header.recipe:
        raise asset.damaged("attribute recipe is not the one in the header", verdict="wrong")


def prove_columns(asset: Asset) -> None:
    """Hold every column to its declaration, and prove that its kind of level has it.

    Raises:
        CorruptAssetError: a column is missing, or one too many, or not what it is declared to be.
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
