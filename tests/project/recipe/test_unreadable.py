"""Files that are no recipe at all, and the one line that tells it."""

import os

import pytest

from bake.core.errors import RecipeError
from bake.project.recipe import find_recipe, load_recipe
from tests.support.recipes import told


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = 1\na = 2\n", "line 2, column 6"),
        ("# c\n\n[terrain\n", "line 3, column 9"),
        ('output = "a\\qb"\n', "line 1, column 14"),
        ('# c\n\noutput = """a\nb\n\n', "line 4, column 2"),  # the last line that has text
    ],
)
def test_syntax_errors_have_line_and_column(tmp_path, text, place):
    (line,) = told(tmp_path, text)
    assert line.startswith(f"{place}: the recipe is not TOML: ")


def test_unquoted_text_is_told_to_need_quotes(tmp_path):
    assert told(tmp_path, "# c\noutput = baked\n") == [
        "line 2, column 10: the recipe is not TOML: Invalid value; "
        'text needs quotes, as in output = "baked"'
    ]


@pytest.mark.parametrize(
    "deep",
    [
        "a = " + "[" * 400_000,
        "a = " + "{a = " * 100_000,
        "a" + ".a" * 400_000 + " = 1",
        "[a" + ".a" * 400_000 + "]",
        "[[a" + ".'a'" * 200_000 + "]]",
        "x = { a = [ { b" + ".a" * 30 + " = 1 } ] }",
    ],
    ids=lambda deep: deep[:10],
)
def test_nesting_that_would_take_all_memory_or_stack(tmp_path, deep):
    assert told(tmp_path, f"# c\n{deep}\n") == [
        "line 2: keys, lists or tables are nested more than 32 deep; "
        "expected a recipe written in TOML; check that this is the right file"
    ]


def test_a_number_of_thousands_of_digits(tmp_path):
    (line,) = told(tmp_path, "ticks_per_unit = " + "9" * 5000)
    assert line.startswith("the recipe is not TOML: ")


def test_no_such_file(tmp_path):
    file = tmp_path / "none.toml"
    with pytest.raises(RecipeError) as caught:
        load_recipe(file)
    assert str(caught.value).startswith(f"{file}: there is no such file")


def test_a_folder(tmp_path):
    with pytest.raises(RecipeError) as caught:
        load_recipe(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}: this is a folder")
    assert str(tmp_path / "bake.toml") in str(caught.value)


def test_a_folder_of_the_name_is_not_passed_over(tmp_path):
    (tmp_path / "bake.toml").mkdir()
    found = find_recipe(tmp_path)
    with pytest.raises(RecipeError) as caught:
        load_recipe(found)
    assert str(caught.value).startswith(f"{found}: this is a folder")


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_to_nothing_is_not_passed_over(tmp_path):
    (tmp_path / "bake.toml").symlink_to("nowhere")
    with pytest.raises(RecipeError, match=r"bake\.toml: .*link to nothing"):
        load_recipe(find_recipe(tmp_path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such pipes")
def test_a_pipe_is_not_passed_over(tmp_path):
    os.mkfifo(tmp_path / "bake.toml")
    with pytest.raises(RecipeError, match=r"bake\.toml: .*a device"):
        load_recipe(find_recipe(tmp_path))


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (b"a = 1\n# caf\xe9\n", "line 2: found byte 0xe9"),
        ("a = 1".encode("utf-16"), "line 1: found byte 0xff"),
    ],
)
def test_other_encodings(tmp_path, raw, line):
    file = tmp_path / "bake.toml"
    file.write_bytes(raw)
    with pytest.raises(RecipeError) as caught:
        load_recipe(file)
    assert str(caught.value).startswith(f"{file}: {line}")
    assert "UTF-8" in str(caught.value)


def test_a_file_far_too_large(tmp_path):
    file = tmp_path / "bake.toml"
    file.write_bytes(b"#" * (2**20 + 1))
    with pytest.raises(RecipeError, match="larger than 1 MiB"):
        load_recipe(file)
    file.write_bytes(b"#" * 2**20)
    assert load_recipe(file).output == "baked"


@pytest.mark.skipif(os.name == "nt", reason="folders are locked differently on Windows")
def test_a_file_that_may_not_be_read(tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir()
    file = locked / "bake.toml"
    file.write_text("")
    locked.chmod(0)
    try:
        if os.access(file, os.R_OK):
            pytest.skip("this user may read everything")
        with pytest.raises(RecipeError, match="Permission denied"):
            load_recipe(file)
        with pytest.raises(RecipeError, match="Permission denied"):
            find_recipe(locked)
    finally:
        locked.chmod(0o700)
