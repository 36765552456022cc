"""`bake build`: what is baked, what is left alone, and what is said about it."""

import hashlib
import re
import time
from pathlib import Path

import pytest
from PIL import Image

from bake.baking import run
from bake.play import open_asset
from bake.show import console
from tests.support import ldtk_projects
from tests.support.command import Done, bake, mistake
from tests.support.forked import bake_apart
from tests.support.projects import LEVELS


def digests(folder: Path) -> dict[str, str]:
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.iterdir())
    }


def rows(out: str) -> dict[str, list[str]]:
    """The summary table: words of each row by its level."""
    lines = out.splitlines()
    assert lines[0].split() == [
        *("level", "state", "nodes", "arcs", "profiles", "algorithm", "asset", "time")
    ]
    return {line.split()[0]: line.split()[1:] for line in lines[1:-1]}


def test_the_first_build_bakes_all_and_says_so(project: Path) -> None:
    before = digests(project / "baked")
    done = bake("build", "-o", "fresh", "--jobs", "1")
    assert done.code == 0
    table = rows(done.out)
    assert sorted(table) == sorted(LEVELS)
    assert all(row[0] == "baked" for row in table.values())
    assert table["fen"][1] == "22"
    assert table["fen"][3:5] == ["2", "Floyd-Warshall"]
    assert re.fullmatch(r"4 baked in \d+\.\d\d s", done.out.splitlines()[-1])
    assert digests(project / "fresh") == before


def test_a_line_for_each_level_without_a_terminal(project: Path) -> None:
    (project / "levels_src" / "aaa.map").write_text("")
    done = bake("build", "--force", "--jobs", "1", "levels_src/five.json", "levels_src/aaa.map")
    failed, baked, error = done.err.splitlines()
    assert failed == "aaa: failed"
    assert re.fullmatch(r"five: baked, 5 nodes, [0-9.]+ KiB in [0-9.]+ s", baked)
    assert error.startswith("error: levels_src/aaa.map: ")
    assert "\x1b" not in done.out + done.err


def test_a_heartbeat_of_a_level_that_takes_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line says that it is alive even if it reports nothing; a finished one is silent."""
    monkeypatch.setattr(console, "HEARTBEAT", 0.01)
    told = ""
    with console.BuildProgress("lines") as progress:
        progress("keep\n", "next hops", 0.43)
        progress("moor", "graph", 0.0)
        while "moor" not in told or "keep" not in told:
            told += capsys.readouterr().err
        progress.finished("keep\n", "baked")
        progress.finished("moor")
        progress("moor", "write", 0.0)
        told = capsys.readouterr().err + told
        time.sleep(0.1)
        assert capsys.readouterr().err == ""
    lines = set(told.splitlines())
    assert "keep\\n: baked" in lines
    assert lines <= {
        *("keep\\n: baked", "keep\\n: next hops, 43% after 0 s", "moor: graph after 0 s"),
    }


def test_quiet_prints_mistakes_alone(project: Path) -> None:
    assert bake("build", "-q", "--force", "--jobs", "1") == Done(0, "", "")
    assert bake("verify", "--quiet", "baked") == Done(0, "", "")
    (project / "levels_src" / "aaa.map").write_text("")
    done = bake("build", "--quiet", "--jobs", "1")
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert bake("build", "-q", "--json", "levels_src/five.json").data["levels"]


def test_a_profile_alone_does_not_replace_more(project: Path) -> None:
    before = digests(project / "baked")
    for jobs in ("1", "2"):
        done = bake_apart("build", "--profile", "boat", "--jobs", jobs)
        mistake(done, "baked/fen.h5: ", "only 'boat' would remove", "'walker'", "--force")
    assert digests(project / "baked") == before
    assert bake("build", "--profile", "boat", "--force", "--jobs", "1").code == 0
    assert list(bake("info", "baked/fen.h5", "--json").data["profiles"]) == ["boat"]
    assert bake("build", "--profile", "boat", "--jobs", "1").code == 0
    assert bake("build", "--jobs", "1").code == 0
    assert digests(project / "baked") == before
    (project / "baked" / "fen.h5").write_bytes(b"")
    assert bake("build", "--profile", "boat", "--jobs", "1").code == 0


def test_what_is_up_to_date_is_skipped(project: Path) -> None:
    written = {file: file.stat().st_mtime_ns for file in (project / "baked").iterdir()}
    done = bake("build")
    assert (done.code, done.err) == (0, "")
    assert all(row[0] == "fresh" for row in rows(done.out).values())
    assert re.fullmatch(r"4 fresh in \d+\.\d\d s", done.out.splitlines()[-1])
    assert {file: file.stat().st_mtime_ns for file in (project / "baked").iterdir()} == written


def test_a_touched_source_is_still_up_to_date(project: Path) -> None:
    source = project / "levels_src" / "yard.map"
    source.write_bytes(source.read_bytes())
    assert rows(bake("build").out)["yard"][0] == "fresh"


def test_only_what_changed_is_baked(project: Path) -> None:
    source = project / "levels_src" / "yard.map"
    source.write_text(source.read_text().replace("....@...\n@@", ".....@..\n@@"))
    done = bake("build")
    assert done.code == 0
    states = {name: row[0] for name, row in rows(done.out).items()}
    assert states == {"fen": "fresh", "five": "fresh", "ways": "fresh", "yard": "baked"}


def test_a_changed_recipe_reaches_the_levels_it_names(project: Path) -> None:
    recipe = project / "bake.toml"
    recipe.write_text(recipe.read_text() + "\n[levels.five]\nticks_per_unit = 1000\n")
    states = {name: row[0] for name, row in rows(bake("build").out).items()}
    assert states == {"fen": "fresh", "five": "baked", "ways": "fresh", "yard": "fresh"}


def test_force_bakes_the_same_bytes_again(project: Path) -> None:
    before = digests(project / "baked")
    done = bake("build", "--force", "--jobs", "1", "--json")
    assert [level["status"] for level in done.data["levels"]] == ["baked"] * 4
    assert digests(project / "baked") == before


def test_several_at_once_give_the_same_bytes(project: Path) -> None:
    done = bake_apart("build", "--force", "--jobs", "2", "-o", "at_once")
    assert done.code == 0
    assert {line.split(":")[0] for line in done.err.splitlines()} == set(LEVELS)
    assert digests(project / "at_once") == digests(project / "baked")


def test_json_and_nothing_else(project: Path) -> None:
    done = bake_apart("build", "--force", "--json", "--jobs", "2")
    assert (done.code, done.err) == (0, "")
    assert set(done.data) == {"levels", "seconds", "findings", "left_out"}
    assert [level["level"] for level in done.data["levels"]] == list(LEVELS)
    fen = done.data["levels"][0]
    assert set(fen) == {
        *(
            "level",
            "source",
            "asset",
            "status",
            "nodes",
            "arcs",
            "profiles",
            "algorithms",
            "bytes",
            "seconds",
        ),
        "taken_up",
    }
    assert fen["profiles"] == ["boat", "walker"]
    assert Path(fen["asset"]).stat().st_size == fen["bytes"]
    assert Path(fen["source"]) == Path("levels_src/fen.png")


def test_json_of_a_level_that_was_up_to_date(project: Path) -> None:
    done = bake("build", "--json", "levels_src/five.json")
    (level,) = done.data["levels"]
    assert level["status"] == "fresh"
    assert set(level) == {"level", "source", "asset", "status"}


def test_folders_and_files_can_be_named(project: Path) -> None:
    done = bake("build", "-o", "some", "levels_src/five.json", "levels_src", "--jobs", "1")
    assert done.code == 0
    assert sorted(digests(project / "some")) == [f"{name}.h5" for name in LEVELS]


def test_the_recipe_names_sources_and_output(project: Path) -> None:
    other = project / "elsewhere" / "mine.toml"
    other.parent.mkdir()
    (project / "levels_src" / "five.json").rename(other.parent / "five.json")
    other.write_text('sources = ["*.json"]\noutput = "assets/nav"\n')
    done = bake("build", "--recipe", other, "--jobs", "1")
    assert done.code == 0
    assert list(digests(other.parent / "assets" / "nav")) == ["five.h5"]


def test_a_profile_alone(project: Path) -> None:
    done = bake("build", "--profile", "boat", "-o", "boats", "--jobs", "1", "--json")
    (level,) = done.data["levels"]
    assert (level["level"], level["profiles"]) == ("fen", ["boat"])
    assert list(digests(project / "boats")) == ["fen.h5"]


def test_an_unknown_profile(project: Path) -> None:
    mistake(bake("build", "--profile", "ghost"), "no level has a profile 'ghost'", "boat", "walker")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_one_failure_does_not_stop_the_others(project: Path, jobs: str) -> None:
    sources = project / "levels_src"
    (sources / "aaa.map").write_text("type octile\nheight 1\nwidth 2\nmap\n.\n")
    (sources / "zzz.png").write_bytes(b"no image")
    run = bake if jobs == "1" else bake_apart
    done = run("build", "--force", "-o", "out", "--jobs", jobs)
    assert done.code == 1
    assert len(done.errors) == 2
    assert done.errors[0].startswith(str(Path("levels_src/aaa.map")) + ": line 5: ")
    assert done.errors[1].startswith(str(Path("levels_src/zzz.png")) + ": ")
    states = {name: row[0] for name, row in rows(done.out).items()}
    assert states == {"aaa": "failed", "zzz": "failed", **dict.fromkeys(LEVELS, "baked")}
    assert done.out.splitlines()[-1].startswith("4 baked, 2 failed in ")
    assert sorted(digests(project / "out")) == [f"{name}.h5" for name in LEVELS]


def test_json_names_what_failed(project: Path) -> None:
    (project / "levels_src" / "aaa.map").write_text("")
    done = bake("build", "--json", "--jobs", "1")
    assert done.code == 1
    level = done.data["levels"][0]
    assert (level["level"], level["status"]) == ("aaa", "failed")
    assert [level["error"]] == done.errors
    assert done.err.splitlines() == ["error: " + level["error"]]


def test_a_failure_leaves_the_old_asset(project: Path) -> None:
    before = digests(project / "baked")
    (project / "levels_src" / "five.json").write_text("{")
    mistake(bake("build", "--jobs", "1"), "five.json")
    assert digests(project / "baked") == before


def test_two_sources_of_one_name(project: Path) -> None:
    (project / "levels_src" / "Five.map").write_text("type octile\nheight 1\nwidth 1\nmap\n.\n")
    mistake(bake("build", "-o", "out"), "five", "Five", "rename one of them")
    assert not (project / "out").exists()


def test_rules_for_no_level(project: Path) -> None:
    with (project / "bake.toml").open("a") as recipe:
        recipe.write("\n[levels.yrad]\nconnectivity = 4\n")
    mistake(bake("build"), "bake.toml", "[levels.yrad]", "did you mean yard?")


def test_every_mistake_of_a_recipe_has_a_line(project: Path) -> None:
    (project / "bake.toml").write_text('connectivty = 8\ncost_rule = "most"\n')
    done = bake("build", "--json")
    assert (done.code, done.out) == (1, "")
    assert len(done.errors) == 2
    assert "connectivty" in done.errors[0]
    assert "cost_rule" in done.errors[1]


def test_no_recipe_is_needed(bare: Path) -> None:
    (bare / "levels_src").mkdir()
    (bare / "levels_src" / "five.map").write_text("type octile\nheight 1\nwidth 2\nmap\n.G\n")
    assert bake("build", "--jobs", "1").code == 0
    found = bake("info", "baked/five.h5", "--json").data
    assert [table["table"] for table in found["profiles"]["default"]["tables"]] == [
        "next_hops",
        "cut_heights",
        "clusters",
        "hierarchy",
        "cluster_distances",
    ]


@pytest.mark.parametrize("command", ["build", "check", "lint", "plan", "join", "watch"])
def test_a_folder_without_recipe_and_levels(bare: Path, command: str) -> None:
    mistake(bake(command), "no bake.toml", "`bake init`")
    assert list(bare.iterdir()) == []


def test_a_folder_of_no_levels(bare: Path) -> None:
    (bare / "levels_src").mkdir()
    mistake(bake("build"), "no level file in levels_src/*")


@pytest.mark.parametrize("extra", [(), ("--shard", "1/1"), ("--jobs", "2")])
def test_a_failed_build_leaves_no_empty_folders(bare: Path, extra: tuple[str, ...]) -> None:
    (bare / "one.map").write_text("no map")
    (bare / "two.map").write_text("no map")
    done = bake("build", "one.map", "two.map", "-o", "new/assets", *extra)
    assert (done.code, len(done.errors)) == (1, 2)
    assert sorted(path.name for path in bare.iterdir()) == ["one.map", "two.map"]
    (bare / "new").mkdir()
    assert bake("build", "one.map", "-o", "new", *extra).code == 1
    assert list((bare / "new").iterdir()) == [], "a folder that was there before stays"


def test_a_shard_without_a_level_has_a_folder(bare: Path) -> None:
    (bare / "one.map").write_text("type octile\nheight 1\nwidth 2\nmap\n..\n")
    assert bake("build", "one.map", "--shard", "2/2").code == 0
    assert (bare / "baked" / "shard-2-of-2").is_dir()


def test_an_output_folder_that_another_build_removed(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Builds beside this one remove the folder if all of their levels have failed."""
    (bare / "one.map").write_text("type octile\nheight 1\nwidth 2\nmap\n..\n")
    monkeypatch.setattr(run, "check_writable", Path.rmdir)
    assert bake("build", "one.map", "--jobs", "1").code == 0
    assert (bare / "baked" / "one.h5").is_file()


def test_the_folder_of_an_ldtk_project(bare: Path) -> None:
    one = ldtk_projects.level("One", ldtk_projects.int_grid("#..."))
    ldtk_projects.write(bare / "world.ldtk", ldtk_projects.project(one))
    done = bake("build")
    assert (done.code, done.errors) == (0, [])
    assert (bare / "baked" / "world.h5").is_file()
    assert bake("check").code == 0


def test_names_are_printed_as_they_are(project: Path) -> None:
    source = project / "levels_src" / "yard.map"
    named = source.with_name("[red]yard[1].map")
    source.rename(named)
    done = bake("build", "--jobs", "1", named)
    assert "[red]yard[1]" in rows(done.out)
    assert bake("info", "baked/[red]yard[1].h5").out.startswith("[red]yard[1]: 8 x 5")


def test_a_budget_too_small(project: Path) -> None:
    floor = "." * 70
    rows_ = "\n".join([floor] * 70)
    (project / "levels_src" / "hall.map").write_text(
        f"type octile\nheight 70\nwidth 70\nmap\n{rows_}\n"
    )
    (project / "bake.toml").write_text('memory_budget = "4 MiB"\n')
    done = bake("build", "--jobs", "1", "levels_src/hall.map")
    mistake(done, "hall.map", "4,900 nodes", "4.0 MiB", "memory_budget")
    assert not (project / "baked" / "hall.h5").exists()


def test_coordinates_of_images_and_maps_come_from_the_recipe(tmp_path: Path) -> None:
    """Other sizes and places make assets stale, and end up in new ones."""
    folder = tmp_path / "game"
    (folder / "levels_src").mkdir(parents=True)
    yard_map = "type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n"
    (folder / "levels_src" / "yard.map").write_text(yard_map)
    Image.new("RGB", (4, 3), "white").save(folder / "levels_src" / "hall.png")
    recipe = folder / "bake.toml"
    for text, yard, hall in (
        ("", (2.5, 1.5), (2.5, 1.5)),
        ("cell_size = 16\n", (40, 24), (40, 24)),
        ("cell_size = 16\n[levels.hall]\norigin = [-8, 8]\n", (40, 24), (32, 32)),
        (
            "cell_size = [32, 16]\norigin = [1, 2]\n[levels.hall]\ncell_size = 1\n",
            (81, 26),
            (3.5, 3.5),
        ),
    ):
        recipe.write_text(text)
        done = bake("build", "--recipe", recipe, "--jobs", "1")
        assert done.code == 0, done.err
        assert bake("check", "--recipe", recipe).code == 0
        for name, point in (("yard", yard), ("hall", hall)):
            with open_asset(folder / "baked" / f"{name}.h5") as level:
                assert level.to_point((2, 1)) == point
