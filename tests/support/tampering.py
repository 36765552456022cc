"""Assets that are wrong on purpose, with digests that fit, and what is right in them."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from unittest import mock

import h5py
import numpy as np

from bake.core.arrays import AnyArray
from bake.core.graph import BLOCKED
from bake.play import open_asset
from bake.store import Asset, sha256_of
from bake.store.header import read_header
from bake.store.pairs import distances_of_pairs, pair_differences
from bake.store.runs import run_lengths
from bake.verify import Proof, proof, verify_asset
from bake.verify.profile import FileProfile
from levelbake.errors import CorruptAssetError
from levelbake.file import Form, Header
from tests.support.oracles import arcs_of, lengths_of, optimal_slots

#: So many times as many changes are tried as by default.
MORE = int(os.environ.get("BAKE_CHANGES", "1"))

#: Changes an array in place.
Edit = Callable[[AnyArray], None]

#: Bytes of a column that is given its digest; one that only claims to be larger is not.
LARGEST = 2**26


def sign_columns(file: h5py.File, columns: Iterable[str] | None = None) -> None:
    """Make the digests of some columns fit, or of all."""
    if columns is None:
        file.visititems(lambda name, item: sign_column(item))
    else:
        for name in columns:
            sign_column(file.get(name))


def sign_column(item: object) -> None:
    """Make a column's own digest fit; what is no column is left alone."""
    if isinstance(item, h5py.Dataset) and item.shape and item.nbytes < LARGEST:
        digest = hashlib.sha256(np.asarray(item[()]).tobytes()).hexdigest()
        item.attrs["sha256"] = np.bytes_(digest)


def sign_body(path: Path, header: Header) -> None:
    """Make the header fit the file's bytes, and leave those alone."""
    body = sha256_of(path, skip=header.block)
    with path.open("r+b") as raw:
        raw.write(header._replace(body=body, size=path.stat().st_size).to_bytes())


@contextlib.contextmanager
def edited(path: Path, columns: Iterable[str] | None = None) -> Iterator[h5py.File]:
    """An asset to change as another program would; all digests fit again afterwards.

    Args:
        path: the asset.
        columns: those that are going to change; None = any. To read all of them takes long.
    """
    header = read_header(path)
    with h5py.File(path, "r+") as file:
        yield file
        sign_columns(file, columns)
    sign_body(path, header)


def change_column(asset: Path, column: str, edit: Edit) -> None:
    """Change a column in place and make all digests fit again."""
    with edited(asset, [column]) as file:
        array = file[column][()]
        before = array.copy()
        edit(array)
        assert not np.array_equal(array, before)
        file[column][...] = array


def change_attribute(asset: Path, group: str, name: str, value: object) -> None:
    """Change an attribute and make the header's digest fit again."""
    with edited(asset, ()) as file:
        assert file[group].attrs[name] != value
        file[group].attrs[name] = value


def change_header(asset: Path, **fields: object) -> None:
    """Change fields of the header, seal it again, and change nothing else."""
    header = read_header(asset)._replace(**fields)
    with asset.open("r+b") as file:
        file.write(header.to_bytes())


def table(path: Path, name: str) -> np.ndarray:
    """A column of the only profile, as readers see it: weights by arc, components by node."""
    if name in ("weight", "component"):
        with Asset(path) as asset:
            return getattr(asset.graph, name)("default")
    with h5py.File(path) as file:
        stored = file[f"/profiles/default/{name}"][()]
        if name == "cluster_distance":
            clusters = len(np.unique(file["/profiles/default/cluster"][()]))
            return distances_of_pairs(stored, clusters)
        return stored


def hop_table(path: Path, profile: str = "default") -> np.ndarray:
    """(r, r) slots that the runs of a profile say, from row to row; 255: none."""
    with open_asset(path) as level:
        hops = level._columns(profile).hops
        pairs = np.divmod(np.arange(hops.rows**2, dtype=np.int32), np.int32(max(1, hops.rows)))
        slots = hops.slots(*pairs).reshape(hops.rows, hops.rows)
    assert slots.max(initial=0) < 254
    return np.where(slots < 0, 255, slots)


def store_hops(path: Path, slots: np.ndarray, profile: str = "default") -> None:
    """Give a profile other next hops, (r, r) slots from row to row, without greedy moves."""
    for name, array in written_hops(slots).items():
        store(path, name, array, profile)


def written_hops(slots: np.ndarray) -> dict[str, AnyArray]:
    """The columns of such next hops."""
    begins = np.ones(slots.shape, dtype=np.bool_)
    begins[:, 1:] = slots[:, 1:] != slots[:, :-1]
    lengths = run_lengths(np.nonzero(begins)[1].astype(np.int32))
    return {"run_length": lengths, "run_move": slots[begins].astype(np.uint8)}


def first_moves(path: Path, profile: str = "default") -> np.ndarray:
    """(r, r) the first move that a profile may make from each row, toward every row."""
    with Asset(path) as asset:
        rows = np.flatnonzero(asset.graph.rows(profile) >= 0)
        first_out, weight = asset.graph.first_out, asset.graph.weight(profile)
    moves = [np.flatnonzero(weight[first_out[n] : first_out[n + 1]] != BLOCKED) for n in rows]
    first = np.array([each[0] if len(each) else 0 for each in moves])
    return np.repeat(first[:, None], len(rows), axis=1)


def change_hop(path: Path, row: int, goal: int, slot: int, profile: str = "default") -> None:
    """Let a profile's next hops say another slot for one pair of rows; 255: none."""
    slots = hop_table(path, profile)
    assert slots[row, goal] != slot
    slots[row, goal] = slot
    store_hops(path, slots, profile)


def store(path: Path, name: str, array: np.ndarray, profile: str = "default") -> None:
    """Give a column other values, as many as it likes."""
    column, array = f"/profiles/{profile}/{name}", _written(name, array)
    with edited(path, [column]) as file:
        old = file[column]
        if old.shape != array.shape:
            about = dict(old.attrs)
            del file[column]
            file.create_dataset(column, data=array.astype(old.dtype)).attrs.update(about)
        else:
            old[...] = array


def _written(name: str, array: np.ndarray) -> np.ndarray:
    """A column as files have it."""
    return pair_differences(array) if name == "cluster_distance" else array


def proved(path: Path, profile: str | None = None) -> Proof:
    return verify_asset(path, profile, lambda done: None)


def proved_with(asset: Asset, columns: Mapping[str, AnyArray], sample: int | None = None) -> Proof:
    """Prove the only profile of an asset as if some of its columns had other values.

    No file is written, and what does not hang on the profile's tables is not proved again: the test
    proves the whole file once, as it is. What is declared of a column is held to it as ever.
    """
    file = asset._file
    form, load = file.form, file.load
    held = {f"/profiles/default/{name}": _written(name, array) for name, array in columns.items()}

    def form_of(path: str) -> Form:
        return (held[path].dtype.name, held[path].shape) if path in held else form(path)

    for kept in (asset._lengths, asset._shapes, asset._verified):
        kept.clear()
    with (
        mock.patch.object(file, "form", form_of),
        mock.patch.object(file, "load", lambda path: held[path] if path in held else load(path)),
    ):
        return proof._verify_profile(FileProfile(asset, "default"), sample, lambda done: None)


def accepted(path: Path) -> bool:
    """Whether the proof finds nothing; what it finds is told in one line."""
    return _finds_nothing(lambda: proved(path))


def accepted_with(asset: Asset, columns: Mapping[str, AnyArray]) -> bool:
    """Whether the proof finds nothing in other values of some columns; see `proved_with`."""
    return _finds_nothing(lambda: proved_with(asset, columns))


def _finds_nothing(prove: Callable[[], Proof]) -> bool:
    try:
        prove()
    except CorruptAssetError as error:
        told = str(error)
        assert "profile 'default'" in told or "column /profiles/default/" in told
        assert "\n" not in told
        return False
    return True


def optimal(path: Path) -> dict[tuple[int, int], list[int]]:
    """Slots that begin a shortest path, by (row, row), as plain Python finds them."""
    with Asset(path) as asset:
        first, head = asset.graph.first_out.tolist(), asset.graph.head.tolist()
    weight = table(path, "weight").tolist()
    nodes = np.flatnonzero(table(path, "component") >= 0).tolist()
    usable = {
        node: [arc for arc in range(first[node], first[node + 1]) if weight[arc] != BLOCKED]
        for node in nodes
    }
    arcs = arcs_of(
        nodes, [(node, head[arc], weight[arc]) for node in nodes for arc in usable[node]]
    )
    lengths = lengths_of(arcs)
    return {
        (row, goal_row): [
            usable[node][place] - first[node] for place in optimal_slots(arcs, node, goal, lengths)
        ]
        for row, node in enumerate(nodes)
        for goal_row, goal in enumerate(nodes)
    }
