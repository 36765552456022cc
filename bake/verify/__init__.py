"""Verification of assets, with none of the code that bakes them."""

from bake.verify.profile import Progress
from bake.verify.proof import Proof, verify_asset

__all__ = ["Progress", "Proof", "verify_asset"]
