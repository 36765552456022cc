"""`bake info`: what an asset says of itself."""

from pathlib import Path

import pytest

from bake.asset import Asset
from tests.cli.command import bake, mistake
from tests.cli.conftest import LEVELS


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
    assert (found["format_version"], found["bake_revision"]) == (1, 1)
    assert [source["file"] for source in found["sources"]] == ["fen.png"]
    assert list(found["profiles"]) == ["boat", "walker"]
    walker = found["profiles"]["walker"]
    assert (walker["nodes"], walker["components"], walker["one_way"]) == (22, 1, False)
    tables = {table["table"]: table for table in walker["tables"]}
    assert list(tables) == ["component", "hop", "distance"]
    assert tables["hop"] == {
        "table": "hop",
        "kind": "all-pairs next hops, dense",
        "shape": [22, 22],
        "dtype": "uint8",
        "bytes": 22 * 22,
    }
    assert tables["distance"]["bytes"] == 4 * 22 * 22
    assert tables["component"]["shape"] == [22]
    assert tables["component"]["bytes"] > 0


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
        columns = [column for column in asset.columns() if column.startswith("/profiles/")]
        plain = {"weight", "cost"}
        expected = {
            (profile, table): asset.stored_bytes(f"/profiles/{profile}/{table}")
            for profile, table in (column.split("/")[2:] for column in columns)
            if table not in plain
        }
    assert stored == expected


def test_one_profile(project: Path) -> None:
    done = bake("info", "baked/fen.h5", "--json", "--profile", "boat")
    assert list(done.data["profiles"]) == ["boat"]
    mistake(bake("info", "baked/fen.h5", "--profile", "cart"), "'cart'", "'boat' or 'walker'")


def test_no_asset(project: Path) -> None:
    mistake(bake("info", "baked/none.h5"), "baked/none.h5", "no such asset", "bake build")
    mistake(bake("info", "baked"), "baked", "cannot be read")
