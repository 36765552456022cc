"""Run another program on the queries of the contraction benchmark, and time it.

The program reads a graph, pairs and edits from its standard input, and writes what it found and how
many seconds that took; README.md describes both, line by line. It runs once for each map.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from benchmarks.ground import Ground


@dataclass(frozen=True)
class Edit:
    """Arcs that are closed and opened again.

    Attributes:
        pair: whose distance is asked for while they are closed.
        arcs: int64, their numbers.
    """

    pair: tuple[int, int]
    arcs: Int64Array


@dataclass(frozen=True)
class Told:
    """The results of a program on one map; times are in seconds.

    Attributes:
        made: how long ordering, contracting and customizing took.
        arc_count: arcs of its hierarchy that lead up.
        ticks: of each pair; -1 where there is no way.
        distance, path: how long each pair took.
        nodes: those of each path.
        closing, opening: how long each edit took.
        closed_ticks: of each edit's pair while the arcs were closed.
    """

    made: tuple[float, float, float]
    arc_count: int
    ticks: list[int]
    distance: list[float]
    path: list[float]
    nodes: list[Int32Array]
    closing: list[float]
    opening: list[float]
    closed_ticks: list[int]


def ask(
    program: str, ground: Ground, pairs: Sequence[tuple[int, int]], edits: Sequence[Edit]
) -> Told:
    """Run the program for a map.

    Args:
        program: a command line.

    Raises:
        AssertionError: it fails, or says something else than it should.
    """
    text = "\n".join(_questions(ground, pairs, edits)) + "\n"
    done = subprocess.run(
        shlex.split(program), input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{program} ended with {done.returncode}: {done.stderr[-200:]}"
    lines = [line.split() for line in done.stdout.splitlines()]
    wanted = ["order", "contract", "customize", "arcs", *["distance", "path"] * len(pairs)]
    wanted += ["edit"] * len(edits)
    for number, (line, word) in enumerate(zip(lines, wanted, strict=False), 1):
        assert line[:1] == [word], f"{program}: line {number} is {line[:3]}, not {word}"
    assert len(lines) == len(wanted), f"{program}: {len(lines)} lines, not {len(wanted)}"
    order, contract, customize, arcs, *found = (line[1:] for line in lines)
    distances, paths = found[: 2 * len(pairs) : 2], found[1 : 2 * len(pairs) : 2]
    edited = found[2 * len(pairs) :]
    return Told(
        (float(order[0]), float(contract[0]), float(customize[0])),
        int(arcs[0]),
        [int(ticks) for ticks, _ in distances],
        [float(spent) for _, spent in distances],
        [float(spent) for spent, *_ in paths],
        [np.array(nodes, dtype=np.int32) for _, *nodes in paths],
        [float(spent) for spent, _, _ in edited],
        [float(spent) for _, _, spent in edited],
        [int(ticks) for _, ticks, _ in edited],
    )


def _questions(
    ground: Ground, pairs: Sequence[tuple[int, int]], edits: Sequence[Edit]
) -> Iterable[str]:
    graph = ground.sub.graph
    yield f"nodes {ground.nodes}"
    yield from _rows(ground.cell)
    yield f"arcs {graph.arc_count}"
    yield from _rows(np.stack([graph.tail(), graph.head, ground.sub.weight], axis=1))
    yield f"pairs {len(pairs)}"
    yield from (f"{start} {goal}" for start, goal in pairs)
    yield f"edits {len(edits)}"
    for edit in edits:
        start, goal = edit.pair
        yield f"{start} {goal} {len(edit.arcs)} {' '.join(map(str, edit.arcs.tolist()))}"


def _rows(table: Int32Array) -> Iterable[str]:
    return (" ".join(map(str, row)) for row in table.tolist())
