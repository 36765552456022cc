"""Measure time per pair and bytes per node by number of nodes on ten maps, and draw the plot."""

from __future__ import annotations

from functools import partial

from benchmarks.baking import bake_map
from benchmarks.bench import Bench
from benchmarks.clock import seconds
from benchmarks.ground import ground_of
from benchmarks.levels import TEN_MAPS
from benchmarks.machine import ROOT
from benchmarks.peers import with_scipy
from benchmarks.plot import Panel, Point, Series, draw
from benchmarks.proof import prove
from benchmarks.section import Section

PICTURE = ROOT / "docs" / "growth.png"
QUICK = ("lak110d", "arena", "den312d", "lak303d")
SOURCES = 100

OURS = (25, 95, 170)
OTHERS = (190, 90, 30)


def run(bench: Bench, section: Section) -> None:
    """Bake every map once with one thread, and compare with scipy from sampled sources."""
    names = bench.choose(section, TEN_MAPS, QUICK)
    assert bench.jit_seconds >= 0
    measured = []
    for name in names:
        ground = ground_of(name)
        bench.tell(f"{name}: {ground.nodes:,} nodes")
        solve, sources = with_scipy(ground).solve, ground.sample(SOURCES, seed=3)
        scipy = seconds(partial(solve, sources))
        baked = bake_map(name, bench.scratch / "growth", 1)
        prove(baked.asset, ground, 4)
        measured.append((baked, scipy * 1e9 / len(sources) / ground.nodes))
        baked.asset.unlink()
    measured.sort(key=lambda both: both[0].nodes)
    section.text(
        "Maps baked once, whole, one thread, with compressed next hops; scipy's Dijkstra with "
        f"predecessors from {SOURCES} random sources of the same graph. A dense table would take "
        "as many bytes per node as there are nodes."
    )
    section.table(
        ("map", "nodes", "bake, s", "bake, ns per pair", "scipy, ns per pair", "bytes per node"),
        [
            (
                baked.name,
                f"{baked.nodes:,}",
                f"{baked.seconds:,.2f}",
                f"{baked.ns_per_pair:.2f}",
                f"{scipy:.0f}",
                f"{baked.size / baked.nodes:.1f}",
            )
            for baked, scipy in measured
        ],
    )
    ours = [Point(baked.nodes, baked.ns_per_pair, baked.name) for baked, _ in measured]
    theirs = [Point(baked.nodes, ns, "") for baked, ns in measured]
    weights = [Point(baked.nodes, baked.size / baked.nodes, baked.name) for baked, _ in measured]
    dense = [Point(baked.nodes, baked.nodes, "") for baked, _ in measured]
    picture = PICTURE if bench.write else bench.scratch / PICTURE.name
    draw(
        picture,
        [
            Panel(
                "Bake time per (source, target) pair, ns",
                (Series("bake", OURS, ours), Series("scipy dijkstra", OTHERS, theirs)),
            ),
            Panel(
                "File bytes per node",
                (Series("bake", OURS, weights), Series("dense table", OTHERS, dense, joined=True)),
            ),
        ],
        "nodes",
    )
    if bench.write:
        section.text("![Time per pair and bytes per node against nodes](../docs/growth.png)")
