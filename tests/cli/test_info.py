"""`bake info`: what an asset says of itself."""

import shutil
from pathlib import Path

import pytest

from bake.store import Asset, schema
from bake.store.schema import TABLES
from levelbake import file as reading
from levelbake.columns import profile_path
from tests.support.baked import bake as baked
from tests.support.command import bake, mistake
from tests.support.projects import LEVELS
from tests.support.tower import TOWER, baked_tower, tower_recipe, write_tower


def test_for_people(project: Path) -> None:
    done = bake("info", "baked/fen.h5")
    assert (done.code, done.err) == (0, "")
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[0] == ["fen:", "6", "x", "4", "square"]
    said = {" ".join(line[:2]): " ".join(line[2:]) for line in lines}
    assert said["nodes, arcs"].startswith("22, ")
    assert "grass" in done.out
    assert "mere" in done.out
    assert "walker" in done.out
    assert "8 neighbours, corner cutting never, cost rule mean, 27,720 ticks a unit" in done.out
    assert "1 component of 8 nodes" not in done.out
    assert "1 component of 6 nodes" in done.out
    assert "1 component of 22 nodes" in done.out
    assert "22 x 22" in done.out


def test_for_programs(project: Path) -> None:
    done = bake("info", "baked/fen.h5", "--json")
    assert (done.code, done.err) == (0, "")
    found = done.data
    assert (found["level"], found["kind"], found["width"], found["height"]) == (
        *("fen", "square"),
        *(6, 4),
    )
    assert found["bytes"] == Path("baked/fen.h5").stat().st_size
    assert (found["format_version"], found["bake_revision"]) == (
        reading.FORMAT_VERSION,
        schema.BAKE_REVISION,
    )
    assert [source["file"] for source in found["sources"]] == ["fen.png"]
    assert list(found["profiles"]) == ["boat", "walker"]
    walker = found["profiles"]["walker"]
    assert (walker["nodes"], walker["components"], walker["one_way"]) == (22, 1, False)
    tables = {table["table"]: table for table in walker["tables"]}
    assert list(tables) == [
        *("next_hops", "cut_heights", "clusters", "hierarchy", "cluster_distances"),
    ]
    assert tables["next_hops"] == {
        "table": "next_hops",
        "kind": "all-pairs next hops, compressed",
        "shape": [22, 22],
        "dtype": "uint8",
        "bytes": tables["next_hops"]["bytes"],
        "runs": tables["next_hops"]["runs"],
        "algorithm": "floyd_warshall",
        "chosen_by": "auto",
    }
    assert (tables["clusters"]["count"], tables["hierarchy"]["layers"]) == (1, 1)


def test_reachability_is_a_table_where_arcs_lead_one_way(project: Path) -> None:
    found = bake("info", "baked/ways.h5", "--json").data["profiles"]["default"]
    assert found["one_way"] is True
    assert found["components"] == 4
    tables = {table["table"]: table for table in found["tables"]}
    assert tables["reach"]["kind"] == "reachability between components"
    assert tables["reach"]["shape"] == [4, 1]


@pytest.mark.parametrize("name", LEVELS)
def test_every_table_and_its_stored_bytes(project: Path, name: str) -> None:
    path = project / "baked" / f"{name}.h5"
    found = bake("info", path, "--json").data
    with Asset(path) as asset:
        stored = {
            (profile, table["table"]): table["bytes"]
            for profile, told in found["profiles"].items()
            for table in told["tables"]
        }
        expected = {
            (profile, table): sum(
                asset.stored_bytes(profile_path(profile, column)) for column in columns
            )
            for profile in asset.profiles
            for table, _, columns in reversed(TABLES)  # of two forms the first one counts
            if asset.has(profile_path(profile, columns[0]))
        }
        told_of = sum(stored.values())
        others = [
            column
            for column in asset.columns()
            if column.startswith("/profiles/")
            and column.split("/")[3] not in ("weight", "cost", "may_enter", "link_open")
        ]
        assert told_of == sum(asset.stored_bytes(column) for column in others)
    assert stored == expected


def test_compressed_next_hops(project: Path) -> None:
    (project / "bake.toml").write_text("")
    assert bake("build", "levels_src/yard.map", "--jobs", "1").code == 0
    found = bake("info", "baked/yard.h5", "--json").data["profiles"]["default"]
    tables = {table["table"]: table for table in found["tables"]}
    with Asset(project / "baked" / "yard.h5") as asset:
        columns = [profile_path("default", name) for name in ("run_length", "run_move")]
        runs = asset.shape(columns[1])[0]
        size = sum(asset.stored_bytes(column) for column in columns)
    assert found["nodes"] <= runs < found["nodes"] ** 2
    assert tables["next_hops"] == {
        "table": "next_hops",
        "kind": "all-pairs next hops, compressed",
        "shape": [found["nodes"], found["nodes"]],
        "dtype": "uint8",
        "bytes": size,
        "runs": runs,
        "algorithm": "floyd_warshall",
        "chosen_by": "auto",
    }
    said = bake("info", "baked/yard.h5").out
    assert 'all-pairs next hops, compressed, by Floyd-Warshall ("auto")' in said
    assert "HPA*, 1 layer over clusters" in said


def next_hops_of(asset: str) -> dict[str, object]:
    """Return what `bake info --json` prints of the next hops of an asset's only profile."""
    tables = bake("info", asset, "--json").data["profiles"]["default"]["tables"]
    (table,) = (each for each in tables if each["table"] == "next_hops")
    return dict(table)


def test_the_algorithm_is_that_of_the_recipe_in_use(project: Path) -> None:
    recipe = Path("bake.toml").read_text()
    chosen = '[next_hops]\nalgorithm = "dijkstra"\n'
    Path("bake.toml").write_text(f"{chosen}{recipe}")
    table = next_hops_of("yard")
    assert (table["algorithm"], table["chosen_by"]) == ("dijkstra", "dijkstra")
    assert "by Dijkstra " in bake("info", "yard").out
    done = bake("build", "--force", "levels_src/yard.map", "--jobs", "1", "--json")
    assert done.data["levels"][0]["algorithms"] == {"default": "dijkstra"}
    (plan,) = bake("plan", "levels_src/yard.map", "--json").data["levels"]
    assert {each["table"]: each["algorithm"] for each in plan["tables"]}["next_hops"] == "dijkstra"


def test_no_recipe_names_the_algorithm_of_an_asset_elsewhere(project: Path) -> None:
    Path("elsewhere").mkdir()
    shutil.copy("baked/yard.h5", "elsewhere")
    assert "algorithm" not in next_hops_of("elsewhere/yard.h5")
    Path("bake.toml").write_text("nonsense = 1\n")
    assert "algorithm" not in next_hops_of("baked/yard.h5")


def test_one_profile(project: Path) -> None:
    done = bake("info", "baked/fen.h5", "--json", "--profile", "boat")
    assert list(done.data["profiles"]) == ["boat"]
    mistake(bake("info", "baked/fen.h5", "--profile", "cart"), "'cart'", "'boat' or 'walker'")


def test_no_asset(project: Path) -> None:
    mistake(bake("info", "baked/none.h5"), "baked/none.h5", "no such asset", "bake build")
    mistake(bake("info", "baked"), "baked", "folder")


def test_things_of_a_level(tmp_path: Path) -> None:
    asset = baked_tower(tmp_path)
    found = bake("info", asset, "--json").data
    assert found["floors"] == 2
    assert found["doors"][1] == {
        "name": "hatch",
        "id": None,
        "state": "shut",
        "states": ["shut", "open"],
        "cells": [[5, 0, 1], [6, 0, 1]],
    }
    assert found["links"][1]["profiles"] == ["cat"]
    assert found["regions"][1] == {
        "name": "loft",
        "id": None,
        "cells": [[7, 2, 1], [8, 2, 1]],
        "nodes": [],
    }
    assert found["spots"][0] == {
        "name": "start",
        "kind": "spawn",
        "place": [0, 0, 0],
        "profiles": None,
        "id": TOWER["spots"][0].get("id"),
    }
    out = bake("info", asset).out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "tower: 9 x 5 on 2 floors, square"
    for line in (
        "thing name what it is where for id",
        "doors gate open, may be shut (6, 3, 0) gate-1",
        "hatch shut, may be open 2 cells, first (5, 0, 1)",
        "links stairs stairs, both ways, cost 1 (7, 0, 0) to (7, 0, 1)",
        "regions yard 30 cells, first (0, 0, 0) 6e9f",
        "loft 2 cells, first (7, 2, 1)",
        "spots start spawn (0, 0, 0) 18",
        "lair spawn (0, 1, 0) ogre",
    ):
        assert line in lines, lines


def test_many_things_are_listed_in_part(tmp_path: Path) -> None:
    spots = [{"name": f"s{n}", "kind": "spawn", "at": [0, 0, 0]} for n in range(30)]
    for count, rows in ((21, 21), (30, 21)):
        asset = baked(write_tower(tmp_path, spots=spots[:count]), tower_recipe())
        out = bake("info", asset).out
        assert out.count("spawn") + out.count("more") == rows, out
        assert ("... and 10 more, see --json" in " ".join(out.split())) == (count == 30)
        assert len(bake("info", asset, "--json").data["spots"]) == count


def test_a_level_without_things_has_no_list(project: Path) -> None:
    assert "thing" not in bake("info", "baked/yard.h5").out
    found = bake("info", "baked/five.h5", "--json").data
    assert (found["floors"], found["doors"], found["spots"]) == (1, [], [])
