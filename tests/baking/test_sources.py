"""Which levels there are, and where their assets go."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from bake.baking import find_tasks
from bake.baking.sources import LeftOut
from bake.core.errors import BakeErrors, LevelError, RecipeError
from bake.levels import TextReading
from bake.project.recipe import LevelRecipe, Recipe, load_recipe
from tests.support.projects import recipe_in, run, statuses, write_project


def names(
    recipe: Recipe, sources: list[Path] | None = None, output: Path | None = None
) -> list[str]:
    return [task.name for task in find_tasks(recipe, sources or [], output)]


def touch(folder: Path, *files: str) -> None:
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(b"")


def test_a_project(tmp_path: Path) -> None:
    recipe = load_recipe(write_project(tmp_path))
    tasks = find_tasks(recipe, [], None)
    assert [task.name for task in tasks] == ["hive", "keep", "roads"]
    assert [task.source for task in tasks] == [
        tmp_path / "levels_src" / f"{name}.json" for name in ("hive", "keep", "roads")
    ]
    assert [task.asset for task in tasks] == [
        tmp_path / "baked" / f"{name}.h5" for name in ("hive", "keep", "roads")
    ]
    assert all(task.recipe == recipe.defaults for task in tasks)


def test_every_kind_of_level_file_and_nothing_else(tmp_path: Path) -> None:
    levels = ["a.png", "b.json", "c.map", "d.BMP", "e.Tga", "f.gif", "g.tiff", "h.webp"]
    others = ["README.md", ".hidden.png", "arena.map.scen", "notes.txt", "x.h5", "noext"]
    touch(tmp_path / "levels_src", *levels, *others)
    (tmp_path / "levels_src" / "folder.png").mkdir()
    assert names(recipe_in(tmp_path)) == list("abcdefgh")


def test_lossy_images_are_not_passed_over_in_silence(tmp_path: Path) -> None:
    """They are found here, so that reading them can say what is wrong with them."""
    touch(tmp_path / "levels_src", "photo.jpg", "plan.png")
    assert names(recipe_in(tmp_path)) == ["photo", "plan"]


def test_prose_and_data_in_files_of_text_are_no_levels_unless_they_are_named(
    tmp_path: Path,
) -> None:
    levels = tmp_path / "levels_src"
    levels.mkdir()
    (levels / "cave.txt").write_text("###\n#~#\n###\n")
    (levels / "README.txt").write_text("Caves by hand.\nUse them as you like.\n")
    (levels / "loot.csv").write_text("name,price\nsword,10\naxe,10\n")
    others: list[LeftOut] = []
    recipe = recipe_in(tmp_path)
    assert [task.name for task in find_tasks(recipe, [], None, others)] == ["cave"]
    assert {each.file.name: "command line" in each.why for each in others} == {
        "README.txt": True,
        "loot.csv": True,
    }
    assert names(recipe, [levels]) == ["cave"]
    assert names(recipe, [levels / "README.txt"]) == ["README"]
    assert names(recipe_in(tmp_path, "levels_src/*", "levels_src/loot.csv")) == ["cave", "loot"]
    assert names(recipe_in(tmp_path, levels=("loot",))) == ["cave", "loot"]
    (levels / "cave.txt").unlink()
    with pytest.raises(LevelError, match="no level file") as caught:
        names(recipe)
    assert "README.txt: it has lines of words" in (caught.value.remedy or "")


def test_a_legend_of_all_its_characters_makes_a_file_a_level(tmp_path: Path) -> None:
    levels = tmp_path / "levels_src"
    levels.mkdir()
    (levels / "words.txt").write_text("sand mud\nmud sand\nsand\n")
    recipe = recipe_in(tmp_path)
    with pytest.raises(LevelError, match="no level file"):
        names(recipe)
    text = TextReading(dict.fromkeys(" sandmu", "floor"))
    legend = replace(recipe, defaults=LevelRecipe(text=text))
    assert names(legend) == ["words"]


def test_files_of_text_that_editors_export_are_no_levels(tmp_path: Path) -> None:
    levels = tmp_path / "levels_src"
    touch(levels, "den.tmx", "isle.ldtk")
    (levels / "isle" / "simplified").mkdir(parents=True)
    grid = "1,1\n1,1\n"
    exports = ("den.csv", "den_Ground.csv", "isle/simplified/walls.csv")
    for name in (*exports, "dent.csv", "other/walls.csv"):
        (levels / name).parent.mkdir(exist_ok=True)
        (levels / name).write_text(grid)
    others: list[LeftOut] = []
    found = find_tasks(recipe_in(tmp_path, "levels_src/**/*"), [], None, others)
    assert [task.name for task in found] == ["den", "dent", "isle", "walls"]
    assert {each.file.relative_to(levels).as_posix() for each in others} == set(exports)
    assert all("export" in each.why for each in others)


def test_a_reduced_picture_stands_for_its_painting(tmp_path: Path) -> None:
    levels = tmp_path / "levels_src"
    levels.mkdir()
    for name, colors in (("hall", 65), ("yard", 64)):
        image = Image.new("RGB", (colors, 1))
        image.putdata([(at, 1, 2) for at in range(colors)])
        image.save(levels / f"{name}.png")
        image.crop((0, 0, 3, 1)).save(levels / f"{name}-reduced.png")
    Image.new("RGB", (8, 8)).save(levels / "den.jpg")
    Image.new("RGB", (8, 8)).save(levels / "den-reduced.png")
    others: list[LeftOut] = []
    found = [task.name for task in find_tasks(recipe_in(tmp_path), [], None, others)]
    assert found == ["den-reduced", "hall-reduced", "yard", "yard-reduced"]
    assert {each.file.name for each in others} == {"den.jpg", "hall.png"}
    assert names(recipe_in(tmp_path), [levels / "hall.png"]) == ["hall"]


def test_the_name_of_a_level_is_no_path_but_says_which_one_is_meant(tmp_path: Path) -> None:
    touch(tmp_path, "levels_src/keep.png")
    recipe = recipe_in(tmp_path)
    meant = tmp_path / "levels_src" / "keep.png"
    with pytest.raises(LevelError, match="level has this name") as caught:
        names(recipe, [Path("keep")])
    assert str(caught.value).endswith(f"name {meant}")
    assert names(recipe, [meant]) == ["keep"]
    # Nothing is known of others: they fail one by one, beside levels that are there.
    assert names(recipe, [Path("elsewhere/moor"), Path("cave"), meant]) == ["cave", "keep", "moor"]


def test_globs(tmp_path: Path) -> None:
    touch(tmp_path, "a/one.png", "a/deep/two.png", "b/three.json", "b/four.map")
    assert names(recipe_in(tmp_path, "a/*")) == ["one"]
    assert names(recipe_in(tmp_path, "a/**/*.png")) == ["one", "two"]
    assert names(recipe_in(tmp_path, "**/*")) == ["four", "one", "three", "two"]
    # A file found twice is one level.
    assert names(recipe_in(tmp_path, "a/*", "a/*.png", "b/*.json", "*/one.png")) == ["one", "three"]


def test_the_folder_of_an_ldtk_project(tmp_path: Path) -> None:
    """Its project lies in it, and needs no folder of levels beside it."""
    touch(tmp_path, "world.ldtk", "tiles.png", "backups/world.ldtk", "world/hall.ldtkl")
    assert names(recipe_in(tmp_path)) == ["world"]
    # Whoever keeps levels in their usual place, or says where they are, means those alone.
    assert names(recipe_in(tmp_path, "*.png")) == ["tiles"]
    touch(tmp_path / "levels_src", "cave.png")
    assert names(recipe_in(tmp_path)) == ["cave"]


def test_the_order_of_a_folder_does_not_matter(tmp_path: Path) -> None:
    touch(tmp_path / "levels_src", *(f"{name}.png" for name in ("b", "c", "a", "B2", "a1")))
    assert names(recipe_in(tmp_path)) == ["B2", "a", "a1", "b", "c"]


def test_files_and_folders_on_the_command_line(tmp_path: Path) -> None:
    touch(tmp_path, "a/one.png", "a/two.map", "a/skip.txt", "b/three.json")
    touch(tmp_path / "levels_src", "not me.png")
    recipe = recipe_in(tmp_path)
    assert names(recipe, [tmp_path / "a"]) == ["one", "two"]
    assert names(recipe, [tmp_path / "a", tmp_path / "b" / "three.json"]) == ["one", "three", "two"]
    assert names(recipe, [tmp_path / "a" / "one.png", tmp_path / "a"]) == ["one", "two"]
    # What is named is tried, whatever it is called: reading it tells what is wrong.
    assert names(recipe, [tmp_path / "a" / "skip.txt"]) == ["skip"]
    assert names(recipe, [tmp_path / "absent.png"]) == ["absent"]


def test_output(tmp_path: Path) -> None:
    touch(tmp_path / "levels_src", "one.png")
    recipe = recipe_in(tmp_path)
    [task] = find_tasks(recipe, [], tmp_path / "out")
    assert task.asset == tmp_path / "out" / "one.h5"
    [task] = find_tasks(Recipe(file=recipe.file, output="data/baked"), [], None)
    assert task.asset == tmp_path / "data" / "baked" / "one.h5"
    [task] = find_tasks(Recipe(file=recipe.file, output=str(tmp_path / "else")), [], None)
    assert task.asset == tmp_path / "else" / "one.h5"


def test_names_with_dots_keep_them(tmp_path: Path) -> None:
    touch(tmp_path / "levels_src", "act.1.png", "act.2.png")
    tasks = find_tasks(recipe_in(tmp_path), [], None)
    assert [task.asset.name for task in tasks] == ["act.1.h5", "act.2.h5"]


@pytest.mark.parametrize(
    "files",
    [("keep.png", "keep.json"), ("keep.png", "deep/keep.png"), ("keep.png", "KEEP.json")],
)
def test_two_levels_of_one_name(tmp_path: Path, files: tuple[str, str]) -> None:
    touch(tmp_path / "levels_src", *files, "other.png")
    with pytest.raises(LevelError) as caught:
        find_tasks(recipe_in(tmp_path, "levels_src/**/*"), [], None)
    line = str(caught.value)
    assert "bakes to the same" in line
    assert all(str(tmp_path / "levels_src" / file) in line for file in files)
    assert "rename one of them" in line


def test_every_clash_is_told(tmp_path: Path) -> None:
    touch(tmp_path / "levels_src", "a.png", "a.json", "b.png", "b.map", "b.json")
    with pytest.raises(BakeErrors) as caught:
        find_tasks(recipe_in(tmp_path), [], None)
    assert len(caught.value.problems) == 3


def test_one_file_by_two_paths_is_one_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touch(tmp_path, "a/one.png", "a/two.png", "b/three.png")
    monkeypatch.chdir(tmp_path)
    recipe = recipe_in(tmp_path)
    several = [Path("a/one.png"), tmp_path / "a" / "one.png", Path("b/../a/one.png"), Path("a")]
    tasks = find_tasks(recipe, several, None)
    assert [task.source for task in tasks] == [Path("a/one.png"), Path("a/two.png")]
    (tmp_path / "also a").symlink_to(tmp_path / "a", target_is_directory=True)
    assert names(recipe, [Path("a"), Path("also a")]) == ["one", "two"]
    assert names(recipe_in(tmp_path, "a/*", "also a/*", "b/*")) == ["one", "three", "two"]
    # A link of another name is another level.
    (tmp_path / "b" / "four.png").symlink_to(tmp_path / "a" / "one.png")
    assert names(recipe, [Path("a"), Path("b")]) == ["four", "one", "three", "two"]


def forbid(monkeypatch: pytest.MonkeyPatch, method: str, folder: Path) -> None:
    """Refuse one method of paths in one folder, as the system does to others than root."""
    real = getattr(Path, method)

    def refuse(self: Path, *arguments: object, **settings: object) -> object:
        if self == folder or folder in self.parents:
            raise PermissionError(13, "Permission denied", str(self))
        return real(self, *arguments, **settings)

    monkeypatch.setattr(Path, method, refuse)


@pytest.mark.parametrize("method", ["iterdir", "is_dir", "is_file"])
def test_a_folder_that_may_not_be_read(
    tmp_path: Path, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "levels_src"
    touch(folder, "keep.png")
    recipe = recipe_in(tmp_path)
    forbid(monkeypatch, method, folder)
    for sources in ([], [folder]):
        with pytest.raises(LevelError) as caught:
            find_tasks(recipe, sources, None)
        assert str(caught.value).startswith(f"{folder}: ")
        assert "Permission denied" in str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text here")
@pytest.mark.parametrize("others", [(), ("keep.png",)])
def test_file_names_that_are_no_text(tmp_path: Path, others: tuple[str, ...]) -> None:
    folder = tmp_path / "levels_src"
    touch(folder, *others)
    folder.mkdir(exist_ok=True)
    for name in (b"caf\xe9.png", b"\xff.json"):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(b"")
    for sources in ([], [folder], sorted(folder.iterdir())):
        with pytest.raises(BakeErrors) as caught:
            find_tasks(recipe_in(tmp_path), sources, None)
        lines = [str(problem) for problem in caught.value.problems]
        assert all(type(problem) is LevelError for problem in caught.value.problems)
        # Told so that any terminal can show it.
        assert lines[0].startswith(f"{folder}/caf\\udce9.png: the file's name is not UTF-8")
        assert lines[1].startswith(f"{folder}/\\udcff.json: ")
        assert all("rename the file" in line for line in lines)
    if others:
        assert names(recipe_in(tmp_path, "levels_src/k*")) == ["keep"]


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text here")
def test_folders_may_be_called_anything(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    recipe = load_recipe(write_project(folder))
    tasks = find_tasks(recipe, [], None)
    assert set(statuses(run(tasks)).values()) == {"baked"}
    assert set(statuses(run(tasks)).values()) == {"fresh"}


def test_a_clash_on_the_command_line(tmp_path: Path) -> None:
    touch(tmp_path, "a/one.png", "b/one.png")
    with pytest.raises(LevelError, match="bakes to the same"):
        find_tasks(recipe_in(tmp_path), [tmp_path / "a", tmp_path / "b"], None)


@pytest.mark.parametrize("files", [(), ("readme.md",), ("readme.txt",), (".a.png",)])
def test_no_level(tmp_path: Path, files: tuple[str, ...]) -> None:
    touch(tmp_path / "levels_src", *files)
    (tmp_path / "levels_src").mkdir(exist_ok=True)
    with pytest.raises(LevelError) as caught:
        find_tasks(recipe_in(tmp_path), [], None)
    assert str(caught.value).startswith(f"{tmp_path / 'bake.toml'}: no level file in levels_src/*")
    with pytest.raises(LevelError) as caught:
        find_tasks(recipe_in(tmp_path), [tmp_path / "levels_src"], None)
    assert str(caught.value).startswith(f"{tmp_path / 'levels_src'}: no level file in this folder")


def test_no_folder_of_levels(tmp_path: Path) -> None:
    with pytest.raises(LevelError, match="no level file"):
        find_tasks(recipe_in(tmp_path), [], None)


def test_without_a_recipe_the_working_directory_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touch(tmp_path / "levels_src", "one.png")
    monkeypatch.chdir(tmp_path)
    [task] = find_tasks(load_recipe(None), [], None)
    assert (task.source, task.asset) == (Path("levels_src/one.png"), Path("baked/one.h5"))


def test_without_a_recipe_no_message_names_the_working_directory(bare: Path) -> None:
    (bare / "levels_src").mkdir()
    with pytest.raises(LevelError) as caught:
        find_tasks(load_recipe(None), [], None)
    assert str(caught.value).startswith("no level file in levels_src/*; expected files ending in ")


@pytest.mark.usefixtures("bare")
def test_without_a_recipe_and_levels_init_is_recommended() -> None:
    with pytest.raises(RecipeError) as caught:
        find_tasks(load_recipe(None), [], None)
    assert caught.value.file is None
    assert "bake init" in str(caught.value.remedy)


def test_rules_of_single_levels(tmp_path: Path) -> None:
    touch(tmp_path / "levels_src", "keep.png", "cave.png")
    tasks = find_tasks(recipe_in(tmp_path, levels=("keep",)), [], None)
    assert {task.name: task.recipe for task in tasks} == {
        "keep": LevelRecipe(connectivity=4),
        "cave": LevelRecipe(),
    }


def test_rules_for_a_level_that_is_not_there(tmp_path: Path) -> None:
    touch(tmp_path / "levels_src", "keep.png", "cave.png")
    with pytest.raises(RecipeError) as caught:
        find_tasks(recipe_in(tmp_path, levels=("keeep",)), [], None)
    line = str(caught.value)
    assert line.startswith(f"{tmp_path / 'bake.toml'}: [levels.keeep]: ")
    assert "did you mean keep?" in line
    with pytest.raises(BakeErrors) as several:
        find_tasks(recipe_in(tmp_path, levels=("keeep", "xyz", "cave")), [], None)
    assert len(several.value.problems) == 2
    # Baking one level by name must not trip over rules for the others.
    assert names(recipe_in(tmp_path, levels=("xyz",)), [tmp_path / "levels_src" / "keep.png"]) == [
        "keep"
    ]


def test_names_that_some_system_takes_for_one(tmp_path: Path) -> None:
    """Composed and decomposed letters are one name on macOS, whatever their case."""
    for one, other in (("\u00e9", "e\u0301"), ("\u00c9", "e\u0301"), ("\u1e9b\u0323", "\u1e69")):
        folder = tmp_path / f"{one}{other}"
        folder.mkdir()
        (folder / f"{one}.json").write_text("{}")
        (folder / f"{other}.map").write_text("")
        if len(list(folder.iterdir())) < 2:
            pytest.skip("this system takes them for one already")
        with pytest.raises(LevelError, match="rename one of them"):
            find_tasks(Recipe(), [folder], None)
