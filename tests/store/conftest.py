"""Two small assets, baked once, for tests to damage."""

from pathlib import Path

import pytest

from tests.support.baked import bake, recipe_for, write_graph, write_grid
from tests.support.damage import DRAWN, NAMES


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("originals")
    every = (
        *("components", "next_hops", "distances", "clusters", "hierarchy"),
        *("cluster_distances", "heuristic"),
    )
    source = write_grid(folder / "grid.json", DRAWN, cell_size=[16, 8], origin=[-4, 2.5])
    grid = bake(source, recipe_for(tables=every, cluster_size=2, levels=2))
    edges = [("inn", "mill", 1.0), ("mill", "ford", 2.0), ("ford", "inn", 1.0), ("ford", "keep", 1)]
    positions = {name: (float(place), 1.0) for place, name in enumerate(NAMES)}
    source = write_graph(folder / "graph.json", NAMES, edges, positions=positions)
    graph = bake(
        source,
        recipe_for(tables=every, distance_storage="labels", cluster_size=1),
    )
    return {"grid": grid.read_bytes(), "graph": graph.read_bytes()}


@pytest.fixture
def asset(tmp_path: Path, originals: dict[str, bytes]) -> Path:
    path = tmp_path / "grid.h5"
    path.write_bytes(originals["grid"])
    return path


@pytest.fixture
def graph(tmp_path: Path, originals: dict[str, bytes]) -> Path:
    path = tmp_path / "graph.h5"
    path.write_bytes(originals["graph"])
    return path
