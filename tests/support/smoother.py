"""Paths of cells of a lattice, smoothed and checked."""

import random
from itertools import pairwise

import numpy as np

from bake.search.hierarchy import smooth
from bake.search.hierarchy.smooth import SQUARE_4
from bake.search.hierarchy.straight_runs import RunsVersion
from tests.support.clustered import divided, memory
from tests.support.inner import as_kernels_call
from tests.support.oracles import Cell, Lattice, hex_arcs, offset_to_cube, square_arcs

Steps = dict[tuple[Cell, Cell], int]

smooth_path = as_kernels_call(smooth.smooth_path)


class Smoother:
    """Paths of cells of one lattice."""

    def __init__(self, lattice: Lattice, form: int, layout: str | None = None) -> None:
        connectivity = 4 if form == SQUARE_4 else 8
        self.steps = hex_arcs(lattice, layout) if layout else square_arcs(lattice, connectivity)
        self.cells = lattice.cells()
        self.number = {cell: node for node, cell in enumerate(self.cells)}
        arcs = [(self.number[a], self.number[b], w) for (a, b), w in self.steps.items()]
        at = [offset_to_cube(layout, cell)[:2] for cell in self.cells] if layout else self.cells
        self.graph = divided([0] * len(self.cells), arcs)[0]
        chart = np.array(at, dtype=np.int32).reshape(-1, 2)
        self.runs = RunsVersion.of(self.graph, chart, chart, form).runs

    def ticks(self, path: list[Cell]) -> int:
        return sum(self.steps[step] for step in pairwise(path))

    def smooth(self, path: list[Cell]) -> list[Cell]:
        """Smooth a path, and check that it is one still, no dearer, and costs what it says."""
        used = memory(2 * len(self.cells) + len(path))
        used.route[0, : len(path)] = [self.number[cell] for cell in path]
        count, ticks = smooth_path(len(path), self.graph, self.runs, used)
        smoothed = [self.cells[row] for row in used.route[0, :count].tolist()]
        assert (smoothed[0], smoothed[-1]) == (path[0], path[-1])
        assert all(step in self.steps for step in pairwise(smoothed))
        assert self.ticks(smoothed) == ticks <= self.ticks(path)
        return smoothed

    def wander(self, rng: random.Random) -> list[Cell]:
        """A path that takes every step by chance."""
        path = [rng.choice(self.cells)]
        for _ in range(rng.randrange(30)):
            ahead = [b for a, b in self.steps if a == path[-1]]
            if ahead:
                path.append(rng.choice(ahead))
        return path
