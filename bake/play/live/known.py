"""The reader's code as a solver for changed levels, which needs no compiled kernels.

The reader checks baked paths and searches from goals: see :mod:`levelbake.toward`. Its answers
equal those of the hierarchy, because both break ties between shortest paths alike (decision 74).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from bake.core.arrays import Float64Array, Int32Array, Int64Array
from bake.core.graph import INFINITY
from bake.play.live.cells import Cells
from bake.play.live.ground import LevelState
from bake.play.live.rules import LevelRules
from bake.play.live.state import ProfileState
from levelbake.changes import Changer
from levelbake.hops import Arcs, Hops, LevelGround
from levelbake.things import ThingTables
from levelbake.toward import MOST_SEARCHED, ProfileVersion


class ReaderVersions:
    """Versions of each profile in the reader, created on demand. Thread-safe."""

    def __init__(self, rules: LevelRules, profiles: Iterable[str]) -> None:
        """Store the rules; nothing is read before the first query."""
        self._rules, self._profiles = rules, tuple(profiles)
        self._newest: dict[str, tuple[LevelGround, ProfileVersion]] = {}
        self._making = threading.Lock()

    @cached_property
    def _changer(self) -> Changer:
        arcs = Arcs(ThingTables(self._rules.places))
        baked = {name: ProfileVersion(Hops(arcs, name)) for name in self._profiles}
        self._newest = {name: (arcs.baked, version) for name, version in baked.items()}
        return Changer(arcs, baked)

    def solver(self, profile: str, state: ProfileState, level: LevelState) -> ReaderSolver | None:
        """Return the solver of one version of a profile.

        Returns:
            None where the reader cannot represent the level: links, arcs or nodes were added, a
            mesh has obstacles, or cells are stored by tile; and where it cannot search the level:
            there are too many cells without next hops, or distances near the end of the scale.
        """
        terrain, obstacle = level.terrain, level.obstacle
        if isinstance(terrain, Cells) or isinstance(obstacle, Cells):
            return None
        if not self._is_known(level) or state.row_count * state.heaviest >= INFINITY:
            return None
        with self._making:
            changer = self._changer
            before, version = self._newest[profile]
            if not version.hops.has_hops and np.count_nonzero(state.standing) > MOST_SEARCHED:
                return None
            ground = LevelGround(terrain, obstacle, dict(level.prices))
            changed = changer.differing(before, ground)
            if len(changed):
                version = changer.after(version, ground, changed)[0]
                self._newest[profile] = ground, version
        return ReaderSolver(version, state)

    def _is_known(self, level: LevelState) -> bool:
        """Return whether the reader can represent all differences from the baked level."""
        return (
            len(level.terrain) == self._rules.baked_count
            and not level.rules.places.added
            and level.links.as_baked
            and not len(level.links.arcs.tail)
        )


class ReaderSolver:
    """Queries by rows on one version of a profile, answered by the reader. Thread-safe."""

    def __init__(self, version: ProfileVersion, state: ProfileState) -> None:
        self.version = version
        self._location, self._row = state.location, state.known_row

    def hop(self, row: int, goal: int) -> int:
        """Return the next row, which is the goal at the goal; -1 without a path."""
        ahead = self.version.hop(int(self._location[row]), int(self._location[goal]))
        return ahead if ahead < 0 else int(self._row[ahead])

    def hops(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        """Return (k) int32 next rows; the row itself at its goal, -1 without a path."""
        ahead = self.version.all_hops(self._location[rows], self._location[goals])
        return np.where(ahead < 0, np.int32(-1), self._row[ahead])

    def way(self, row: int, goal: int) -> Int32Array | None:
        """Return the rows of a shortest path, including both ends; None without a path."""
        path = self.version.path(int(self._location[row]), int(self._location[goal]))
        return None if path is None else self._row[np.array(path, dtype=np.int32)]

    def ways(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return the (k + 1) offsets of paths and their rows; an unreachable goal has no rows."""
        first, path = self.version.paths(self._location[rows], self._location[goals])
        return first, self._row[path]

    def ticks(self, row: int, goal: int) -> float:
        """Return the ticks of a shortest path; inf without a path."""
        return float(self.version.between(int(self._location[row]), int(self._location[goal])))

    def all_ticks(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        """Return (k) float64 ticks of shortest paths; inf without a path."""
        return self.version.all_between(self._location[rows], self._location[goals])

    def toward(self, goal: int) -> Float64Array:
        """Return (r) float64 ticks from every row to one goal; inf without a path."""
        return self.version.ticks_to(int(self._location[goal]))[self._location]
