"""Compare two bakes of a level: cells, reachability, distances, clusters and sizes."""

from bake.show.diff.compare import Difference, Limit, ProfileDifference, broken, compare, read_limit
from bake.show.diff.matched import IncomparableError, Matched
from bake.show.diff.measures import PERCENTILES, Distances
from bake.show.diff.pairs import LevelPair, LevelPairs, pair_folders

__all__ = [
    "PERCENTILES",
    "Difference",
    "Distances",
    "IncomparableError",
    "LevelPair",
    "LevelPairs",
    "Limit",
    "Matched",
    "ProfileDifference",
    "broken",
    "compare",
    "pair_folders",
    "read_limit",
]
