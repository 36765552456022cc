"""What changed between two bakes of a level, as a player would notice it."""

from bake.diff.compare import Difference, ProfileDifference, compare
from bake.diff.limits import Limit, broken, read_limit

__all__ = ["Difference", "Limit", "ProfileDifference", "broken", "compare", "read_limit"]
