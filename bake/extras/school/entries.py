"""Objects that the school registers with the core."""

from bake.core.extras import Entries

_ON_LEVELS = "bake.extras.school.on_levels:search_level"

ENTRIES: Entries = {
    ("kind", "puzzle"): "bake.extras.school.puzzle_kind:PUZZLES",
    ("method", "beam"): _ON_LEVELS,
    ("method", "bfs"): _ON_LEVELS,
    ("method", "clusters"): "bake.extras.school.corridors:search_clusters",
    ("method", "dfs"): _ON_LEVELS,
    ("method", "ida"): _ON_LEVELS,
    ("method", "iddfs"): _ON_LEVELS,
    ("method", "sma"): _ON_LEVELS,
    ("tracer", "search"): "bake.extras.school.trace_file:TRACER",
}
