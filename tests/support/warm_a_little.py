"""Compile what one kind of search needs, where filling a whole cache would take too long."""

import sys

from bake.runtime import open_asset

if __name__ == "__main__":
    with open_asset(sys.argv[1]) as level:
        level.profile().path((0, 0), (11, 8), "dijkstra")
