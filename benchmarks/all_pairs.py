"""Compare the bake of a map with other all-pairs shortest paths, per (source, target) pair."""

from __future__ import annotations

import filecmp
from collections.abc import Callable

from bake.core.processors import processors
from benchmarks.baking import bake_map
from benchmarks.bench import Bench
from benchmarks.clock import in_turns, seconds
from benchmarks.ground import Ground, ground_of
from benchmarks.peers import PEERS, Contender, check_contender, with_scipy
from benchmarks.proof import prove
from benchmarks.section import Section

FULL = ("lak303d", "den520d", "brc202d", "orz900d", "maze512-4-0", "AR0011SR")
QUICK = ("den312d", "lak303d")
BESIDE_MANY = "lak303d"
SOURCES = 200
ROUNDS = 3
#: Maps with more nodes are baked only once, as a run of minutes needs no median.
REPEATED = 50_000
AIM = 30


def run(bench: Bench, section: Section) -> None:
    """Compare with scipy on every map, with other libraries on one map, and with two threads."""
    names = bench.choose(section, FULL, QUICK)
    section.text(
        "The whole bake (reading, graph, distances, moves, compression, writing the file) of every "
        "pair, one thread, beside `scipy.sparse.csgraph.dijkstra(return_predecessors=True)` from "
        f"{SOURCES} random sources of the same graph in the same process; nanoseconds per (source, "
        f"target) pair, medians of {bench.either(ROUNDS, 1)}, maps over {REPEATED:,} nodes once. "
        "Hops toward sampled targets were checked first. Compiling kernels, or loading them from "
        f"the cache, took {bench.jit_seconds:.1f} s and is not in these times."
    )
    rows = []
    for name in names:
        ground = ground_of(name)
        bench.tell(f"{name} beside scipy")
        _check(bench, ground)
        scipy, ours = _beside(bench, ground, {"scipy": with_scipy(ground)}, {"scipy": SOURCES})
        ratio = scipy / ours
        rows.append(
            (
                name,
                f"{ground.nodes:,}",
                f"{ours * ground.nodes**2 / 1e9:,.1f}",
                f"{ours:.2f}",
                f"{scipy:.0f}",
                f"{ratio:.0f}",
            )
        )
        if name in FULL:
            section.at_least(f"{name}: times faster than scipy", ratio, AIM, "x", digits=0)
    section.table(("map", "nodes", "bake, s", "bake, ns", "scipy, ns", "ratio"), rows)
    if not bench.maps or BESIDE_MANY in bench.maps:
        _measure_peers(bench, section)


def _check(bench: Bench, ground: Ground) -> None:
    prove(bench.baked(ground.name).asset, ground, bench.either(32, 8))


def _beside(
    bench: Bench, ground: Ground, contenders: dict[str, Contender], sources: dict[str, int]
) -> list[float]:
    """Return nanoseconds per pair of the contenders in order, then of the bake."""

    def sampled(name: str) -> Callable[[], float]:
        nodes = ground.sample(sources[name], seed=3)
        pairs = len(nodes) * ground.nodes
        return lambda: seconds(lambda: contenders[name].solve(nodes)) * 1e9 / pairs

    for contender in contenders.values():
        check_contender(contender, ground)
    turns = {name: sampled(name) for name in contenders}
    turns["bake"] = lambda: _bake(bench, ground)
    return list(in_turns(turns, _rounds(bench, ground)).values())


def _rounds(bench: Bench, ground: Ground) -> int:
    return 1 if ground.nodes > REPEATED else bench.either(ROUNDS, 1)


def _bake(bench: Bench, ground: Ground) -> float:
    """Return nanoseconds per pair of a bake from scratch, whose file must equal the checked one."""
    again = bake_map(ground.name, bench.scratch / "again")
    checked = bench.baked(ground.name).asset
    assert filecmp.cmp(again.asset, checked, shallow=False), f"{ground.name}: two bakes differ"
    return again.ns_per_pair


def _measure_peers(bench: Bench, section: Section) -> None:
    names = bench.choose(section, (BESIDE_MANY,), (BESIDE_MANY,))
    ground = ground_of(names[0])
    here = {f"{place}": peer for place, peer in enumerate(PEERS) if peer.installed}
    here = {key: peer for key, peer in here.items() if peer.threads <= processors()}
    missing = sorted({peer.package for peer in PEERS if not peer.installed})
    bench.tell(f"{ground.name} beside {', '.join(peer.package for peer in here.values())}")
    _check(bench, ground)
    *theirs, ours = _beside(
        bench,
        ground,
        {key: peer.prepare(ground) for key, peer in here.items()},
        {key: peer.sources for key, peer in here.items()},
    )
    section.text(
        f"{ground.name} beside others, each from a sample of sources; most give less than a bake, "
        "whose rows hold the first move of every pair:"
    )
    rows = [("bake", "next hops, written to a file", "1", f"{ours:.2f}", "1")]
    rows += [
        (peer.label, peer.gives, f"{peer.threads}", f"{ns:,.0f}", f"{ns / ours:,.0f}")
        for peer, ns in zip(here.values(), theirs, strict=True)
    ]
    section.table(("who", "gives", "threads", "ns per pair", "times the bake"), rows)
    if missing:
        section.text(
            f"Not installed, so not measured: {', '.join(missing)} "
            "(`pip install -r benchmarks/requirements.txt`)."
        )
