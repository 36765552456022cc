"""What tests of damaged assets share: two assets, questions to them, and ways to change them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import h5py
import numpy as np
import pytest

from bake.play import open_asset
from bake.store import Asset
from bake.store.header import read_header
from bake.store.schema import COLUMNS
from levelbake.columns import PROFILE
from levelbake.errors import AssetError, CorruptAssetError
from tests.support.baked import rows
from tests.support.constraints import broken
from tests.support.tampering import sign_body, sign_columns

#: A ledge is stepped onto from floor alone, so there is no way back from the road behind it.
DRAWN = rows(
    "..v==~",
    ".#v==~",
    "..v===",
)
PLACES = [(x, y) for y, row in enumerate(DRAWN) for x, name in enumerate(row) if name != "wall"]
NAMES = ["inn", "mill", "ford", "keep"]


#: Columns of links, regions, spots and doors.
THING_COLUMNS = [
    column.path
    for column in COLUMNS
    if column.path.startswith(("/link_", "/region_", "/spot_", "/door_"))
] + ["/profiles/cat/link_open"]
#: Columns of ground that rises and falls, and of turns.
SLOPE_COLUMNS = [
    "/elevation",
    "/profiles/default/slope",
    "/profiles/default/turn",
]
#: Columns that only updates and what is asked after them read.
UPDATE_COLUMNS = ["/barred", "/profiles/default/may_enter", "/profiles/default/cut_height"]
#: Columns of assets into which a patch was folded.
PATCH_COLUMNS = ["/price_from", "/price_to", "/price_units"]
#: Columns of large lattices.
LATTICE_COLUMNS = [
    "/is_node",
    "/ground",
    *(f"/profiles/default/{name}" for name in ("steps", "step_ticks", "dearest")),
    *(f"/profiles/default/{name}" for name in ("square_clusters", "cluster_rows")),
    *(f"/profiles/default/{name}" for name in ("cluster_transitions", "step_range")),
]
#: Columns of navigation meshes.
MESH_COLUMNS = [column.path for column in COLUMNS if column.path.startswith("/mesh_")]
#: Columns of walls, and of the domains between them.
WALL_COLUMNS = [column.path for column in COLUMNS if column.path.startswith(("/wall_", "/domain_"))]
#: Columns of levels that are built of prototypes.
INSTANCE_COLUMNS = [
    column.path.replace(PROFILE, "default")
    for column in COLUMNS
    if column.path.startswith(("/prototype_", "/instance_"))
]
#: Columns of graphs whose nodes have numbers for names.
NUMBERED_COLUMNS = ["/node_number"]
#: All the others.
ALL_COLUMNS = [
    path
    for path in (column.path.replace(PROFILE, "default") for column in COLUMNS)
    if path
    not in (
        *THING_COLUMNS,
        *SLOPE_COLUMNS,
        *UPDATE_COLUMNS,
        *PATCH_COLUMNS,
        *LATTICE_COLUMNS,
        *MESH_COLUMNS,
        *WALL_COLUMNS,
        *INSTANCE_COLUMNS,
        *NUMBERED_COLUMNS,
        "/profiles/default/link_open",
    )
]
#: What no question needs: kept for drawing and for editors.
UNASKED = {"/terrain_name", "/terrain_colour"}


def ask_everything(path: Path, *, check: bool = True) -> list[object]:
    """Every kind of question about every pair; ends with what the reader answered."""
    answers: list[object] = []
    with open_asset(path, check=check) as level:
        nav = level.profile("default")
        places: list = NAMES if not level.width else PLACES
        for start in places:
            for goal in places:
                way = nav.path(start, goal)
                answers += [
                    nav.next_hop(start, goal),
                    nav.distance(start, goal),
                    nav.reachable(start, goal),
                    way,
                    round(nav.search(start, goal, "hpa").cost, 6),
                    nav.search.estimate(start, goal),
                    nav.search.cluster_distance(
                        nav.search.cluster(start), nav.search.cluster(goal)
                    ),
                    None if way is None else nav.length(way),
                ]
        answers.append(nav.next_hops(places, places[::-1]).tolist())
        answers.append(nav.nearest((1, 1)))
        answers.append(level.to_point(places).tolist())
        if level.is_grid:
            answers.append(level.to_cell((20.0, 12.5)))
    return answers


def refusal(path: Path, kind: type[AssetError]) -> str:
    """The line a user sees; the file must be refused by header, asset and reader alike."""
    lines = set()
    for read in (open_asset, Asset):
        with pytest.raises(AssetError) as caught:
            read(path)
        assert type(caught.value) is kind
        lines.add(str(caught.value))
    assert len(lines) == 1
    line = lines.pop()
    assert line.startswith(f"{path}: ")
    assert "\n" not in line
    return line


def edit(path: Path, change: Callable[[h5py.File], object]) -> None:
    """Change an asset as another program would, with digests that fit what it then says.

    Args:
        path: the asset.
        change: changes it; returns the path of a column if it changed nothing else.
    """
    header = read_header(path)
    with h5py.File(path, "r+") as file:
        only = change(file)
        sign_columns(file, [only] if isinstance(only, str) else None)
    sign_body(path, header)


def holder(name: str, asset: Path, graph: Path) -> Path:
    """The one of two assets that has a column."""
    with h5py.File(asset) as file:
        return asset if name in file else graph


def each_held(
    names: Sequence[str], asset: Path, graph: Path
) -> Iterator[tuple[str, Path, AbstractContextManager[None]]]:
    """Columns, each with the one of two assets that has it, whole again each time.

    What fails within the context that comes with a column is told in the end, of all columns.
    """
    whole = {path: path.read_bytes() for path in (asset, graph)}
    wrong = []

    @contextmanager
    def looking_at(name: str) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            wrong.append(f"{name}: {type(error).__name__}: {error}")

    for name in names:
        path = holder(name, asset, graph)
        yield name, path, looking_at(name)
        path.write_bytes(whole[path])
    assert not wrong, "\n".join(wrong)


def replaced(name: str, make: Callable[[np.ndarray], object]) -> Callable[[h5py.File], str]:
    def change(file: h5py.File) -> str:
        old = file[name][()]
        del file[name]
        new = make(old)
        if new is not None:
            file[name] = new
        return name

    return change


def lengthened(name: str, by: int = 1) -> Callable[[h5py.File], str]:
    return replaced(name, lambda old: np.concatenate([old, old[-1:].repeat(by, axis=0)]))


def check_values(path: Path, name: str, ask: Callable[[Path], object]) -> None:
    """Break each constraint of a column in turn: whoever asks is told of the column."""
    whole = path.read_bytes()
    profile = name.split("/")[2] if name.startswith("/profiles/") else None
    with Asset(path) as asset:
        declared, array = asset.schema.column(name), asset.read(name)
        wrong = list(broken(declared, array, lambda dim: asset._length(dim, profile)))
    for what, changed in wrong:
        path.write_bytes(whole)
        edit(path, replaced(name, lambda _, changed=changed: changed))
        with pytest.raises(CorruptAssetError, match=f"column {name} ") as caught:
            pytest.fail(f"{what}: {ask(path)}")
        assert "\n" not in str(caught.value)
