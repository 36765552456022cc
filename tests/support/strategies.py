"""Random graphs and grids: hypothesis strategies, and seeded families for long comparisons."""

import random
from collections.abc import Callable, Sequence
from itertools import pairwise

from hypothesis import strategies as st

Arc = tuple[int, int, int]
#: Nodes 0 to n - 1, and arcs (tail, head, weight).
ArcList = tuple[int, list[Arc]]

#: Terrain to draw grids from: plain, dear, cheap, one-way, walls.
TERRAINS = ("floor", "mud", "road", "water", "ledge", "wall")


@st.composite
def arc_lists(draw: st.DrawFn, largest: int = 12, heaviest: int = 2**20) -> ArcList:
    """Directed graphs, with parallel arcs and isolated nodes, never a self-loop."""
    n = draw(st.integers(1, largest))
    if n == 1:
        return n, []
    node = st.integers(0, n - 1)
    weight = st.integers(1, 4) | st.integers(1, heaviest)
    arc = st.tuples(node, node, weight).filter(lambda each: each[0] != each[1])
    return n, draw(st.lists(arc, max_size=4 * n))


def any_grids(names: Sequence[str], largest: int = 9) -> st.SearchStrategy[list[list[str]]]:
    """Rectangular grids of terrain names, 1 x 1 and up."""
    return st.tuples(st.integers(1, largest), st.integers(1, largest)).flatmap(
        lambda size: st.lists(
            st.lists(st.sampled_from(names), min_size=size[0], max_size=size[0]),
            min_size=size[1],
            max_size=size[1],
        )
    )


def grids(names: Sequence[str] = TERRAINS, largest: int = 7) -> st.SearchStrategy[list[list[str]]]:
    """The same with at least one cell that is not a wall."""
    drawn = any_grids(names, largest)
    return drawn.filter(lambda grid: any(name != "wall" for row in grid for name in row))


# -- seeded families ------------------------------------------------------------------------------


def _both_ways(edges: list[Arc]) -> list[Arc]:
    return [
        arc for tail, head, weight in edges for arc in ((tail, head, weight), (head, tail, weight))
    ]


def _pair(rng: random.Random, n: int) -> tuple[int, int]:
    tail = rng.randrange(n)
    return tail, (tail + rng.randrange(1, n)) % n


def sparse_directed(rng: random.Random, n: int) -> list[Arc]:
    return [(*_pair(rng, n), rng.randint(1, 100)) for _ in range(2 * n)]


def dense_directed(rng: random.Random, n: int) -> list[Arc]:
    return [
        (tail, head, rng.randint(1, 50))
        for tail in range(n)
        for head in range(n)
        if tail != head and rng.random() < 0.5
    ]


def undirected_unit(rng: random.Random, n: int) -> list[Arc]:
    return _both_ways([(*_pair(rng, n), 1) for _ in range(2 * n)])


def undirected_wide(rng: random.Random, n: int) -> list[Arc]:
    return _both_ways([(*_pair(rng, n), rng.randint(1, 2**20)) for _ in range(2 * n)])


def wildly_weighted(rng: random.Random, n: int) -> list[Arc]:
    """Weights over twenty powers of two, so that buckets hold very unlike arcs."""
    return [(*_pair(rng, n), 2 ** rng.randint(0, 20)) for _ in range(3 * n)]


def parallel(rng: random.Random, n: int) -> list[Arc]:
    """Few pairs, each joined several times, some of them equally dear."""
    pairs = [_pair(rng, n) for _ in range(n)]
    return [(*rng.choice(pairs), rng.randint(1, 3)) for _ in range(4 * n)]


def one_way_layers(rng: random.Random, n: int) -> list[Arc]:
    """No way back: every node is a component of its own."""
    return [
        (tail, rng.randrange(tail + 1, n), rng.randint(1, 9))
        for tail in range(n - 1)
        for _ in range(rng.randint(0, 3))
    ]


def islands(rng: random.Random, n: int) -> list[Arc]:
    """Several parts, some nodes alone."""
    part = [rng.randrange(4) for _ in range(n)]
    return [
        arc
        for arc in sparse_directed(rng, n) + undirected_unit(rng, n)
        if part[arc[0]] == part[arc[1]] != 0
    ]


def long_chain(rng: random.Random, n: int) -> list[Arc]:
    order = rng.sample(range(n), n)
    return _both_ways([(a, b, rng.randint(1, 2**20)) for a, b in pairwise(order)])


def wheel(rng: random.Random, n: int) -> list[Arc]:
    """A hub joined to all, and a rim: many ties at the hub."""
    rim = [(node, node % (n - 1) + 1, 1) for node in range(1, n)] if n > 2 else []
    return _both_ways([(0, node, rng.choice((1, 2))) for node in range(1, n)] + rim)


FAMILIES: tuple[Callable[[random.Random, int], list[Arc]], ...] = (
    sparse_directed,
    dense_directed,
    undirected_unit,
    undirected_wide,
    wildly_weighted,
    parallel,
    one_way_layers,
    islands,
    long_chain,
    wheel,
)


def seeded(family: Callable[[random.Random, int], list[Arc]], seed: int, largest: int) -> ArcList:
    """One graph of a family, the same on every machine."""
    rng = random.Random(f"{family.__name__} {seed}")
    n = rng.randint(2, largest)
    return n, family(rng, n)


def random_grid(seed: int, width: int, height: int, walls: float = 0.25) -> list[list[str]]:
    """A grid of every terrain, the same on every machine; a fraction of it is walls."""
    rng = random.Random(f"grid {seed}")
    others = [name for name in TERRAINS if name != "wall"]
    return [
        ["wall" if rng.random() < walls else rng.choice(others) for _ in range(width)]
        for _ in range(height)
    ]
