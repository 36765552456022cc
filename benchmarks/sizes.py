"""Compare the size of baked maps with published compressed path databases."""

from __future__ import annotations

import time
import zlib

import numpy as np

from bake.export.export import export_asset
from bake.show.report import inspect_asset
from bake.store import Asset
from bake.store.write import CHUNK_BYTES, DEFLATE_LEVEL
from benchmarks.baking import BakedMap
from benchmarks.bench import Bench
from benchmarks.ground import ground_of
from benchmarks.proof import prove
from benchmarks.section import Section
from levelbake.columns import profile_path
from levelbake.file import FlatFile, run_starts

#: Published bytes of a C++ builder's tables with a heuristic symbol.
PUBLISHED = {
    "arena": 75_682,
    "den312d": 77_690,
    "lak303d": 829_734,
    "den520d": 1_529_894,
    "brc202d": 2_231_658,
    "orz900d": 3_872_010,
}
NAMES = ("run_length", "run_move")
#: Deflated bytes of next hops per node before nodes were ordered by cuts.
BEFORE = {"lak303d": 11.62, "den520d": 8.86, "brc202d": 9.00}
QUICK = ("arena", "den312d", "lak303d")


def run(bench: Bench, section: Section) -> None:
    """Bake every map and measure the size of its file."""
    names = bench.choose(section, tuple(PUBLISHED), QUICK)
    section.text(
        "The whole file (map, graph, components and next hops, everything a game needs) and its "
        "next hops alone, beside the published bytes of a C++ builder's tables with a heuristic "
        "symbol. Hops toward sampled targets were checked first."
    )
    rows, flat_rows, coded_rows = [], [], []
    for name in names:
        baked = bench.baked(name)
        prove(baked.asset, ground_of(name), bench.either(32, 8))
        table = _next_hop_bytes(baked)
        flat_rows.append((name, *_flat(baked)))
        coded = _columns(baked)
        plain = coded["run_move"] + _plain(baked)
        if name in BEFORE:
            each = table / baked.nodes
            section.at_most(f"{name}: next hops", each, 0.7 * BEFORE[name], "bytes a node")
        coded_rows.append(
            (
                name,
                *(f"{size:,}" for size in coded.values()),
                f"{plain:,}",
                f"{table / plain:.2f}",
                f"{table / baked.nodes:.2f}",
            )
        )
        published = PUBLISHED.get(name)
        beside = ("", "", "")
        if published is not None:
            beside = (
                f"{published:,}",
                f"{baked.size / published:.2f}",
                f"{table / published:.2f}",
            )
            section.at_most(f"{name}: file", baked.size, published, "bytes", digits=0)
        rows.append(
            (
                name,
                f"{baked.nodes:,}",
                f"{baked.size:,}",
                f"{table:,}",
                f"{baked.size / baked.nodes:.1f}",
                *beside,
            )
        )
    section.table(
        (
            "map",
            "nodes",
            "file",
            "next hops",
            "bytes per node",
            "published",
            "file / published",
            "next hops / published",
        ),
        rows,
    )

    section.text(
        "The columns of next hops, and their bytes if the same starts of runs were stored as they "
        "are, in 16 or 32 bits and deflated, as format version 2 had them. The aim is 0.7 times "
        "the bytes of before nodes were ordered by cuts."
    )
    section.table(
        ("map", *NAMES, "with plain starts", "now / then", "bytes per node"),
        coded_rows,
    )

    section.text(
        "The same maps as flat files, and both packed once more by zlib at level 9, as engines "
        "pack what they ship. Hierarchies are in the asset alone. Opening a flat file "
        "from Python compares its checksum and checks its table."
    )
    section.table(
        ("map", "asset", "packed", "flat file", "packed", "flat / asset, packed", "opened in"),
        flat_rows,
    )


def _flat(baked: BakedMap) -> tuple[str, ...]:
    """Return the sizes of an asset and its flat file, stored and compressed as in an engine."""
    flat = baked.asset.with_suffix(".bake")
    with Asset(baked.asset) as asset:
        export_asset(asset, flat)
    begun = time.process_time()
    FlatFile(flat)
    seconds = time.process_time() - begun
    packed = [len(zlib.compress(path.read_bytes(), 9)) for path in (baked.asset, flat)]
    size = flat.stat().st_size
    return (
        f"{baked.size:,}",
        f"{packed[0]:,}",
        f"{size:,}",
        f"{packed[1]:,}",
        f"{packed[1] / packed[0]:.2f}",
        f"{seconds * 1e3 / (size / 2**20):.2f} ms a MiB",
    )


def _columns(baked: BakedMap) -> dict[str, int]:
    """Return the sizes of the columns of next hops."""
    with Asset(baked.asset) as asset:
        (profile,) = asset.profiles
        return {name: asset.stored_bytes(profile_path(profile, name)) for name in NAMES}


def _plain(baked: BakedMap) -> int:
    """Return the bytes of the same starts as they are, with how many runs each row has."""
    with Asset(baked.asset) as asset:
        (profile,) = asset.profiles
        rows = int(np.count_nonzero(asset.graph.rows(profile) >= 0))
        (runs,) = asset.shape(profile_path(profile, "run_move"))
        count, start = run_starts(asset, profile, rows, runs)
    # Counts were shuffled: all low bytes, then all high ones.
    shuffled = count.astype("<u2").view(np.uint8).reshape(-1, 2).T
    return sum(
        len(zlib.compress(data[at : at + CHUNK_BYTES], DEFLATE_LEVEL))
        for data in (start.tobytes(), shuffled.tobytes())
        for at in range(0, len(data), CHUNK_BYTES)
    )


def _next_hop_bytes(baked: BakedMap) -> int:
    (profile,) = inspect_asset(baked.asset, None)["profiles"].values()
    return sum(table["bytes"] for table in profile["tables"] if table["table"] == "next_hops")
