"""Which files of text are taken for levels."""

from pathlib import Path

import pytest

from bake.levels import TextReading
from bake.levels.text.kind import INSPECTED_BYTES, explain_exclusion

CAVE = "#####\n#...#\n#####\n"
README = "Cave levels\n===========\n\nDrawn by hand. Use them as you like,\nbut name the author.\n"


def why(folder: Path, text: str | bytes, suffix: str = ".txt", **legend: str) -> str:
    path = folder / f"file{suffix}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return explain_exclusion(path, TextReading(legend))


@pytest.mark.parametrize(
    "text",
    [
        CAVE,
        CAVE.encode("utf-16"),
        "##\n#.~\n##\n",
        "GGSW\nTTTT\nGGGG\n",
        "  ####\n ##..###\n##...\n",
        "type octile\nheight 1\nwidth 4\nmap\n....\n",
        "#.\n<<<<<<< HEAD\n#.\n=======\n..\n>>>>>>> branch\n.#\n",
        "壁壁壁\n壁·壁\n",
        ".#.\n",
        "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 1\n",
    ],
)
def test_levels_of_characters(tmp_path: Path, text: str | bytes) -> None:
    assert why(tmp_path, text) == ""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (README, "words"),
        (README.encode("latin-1"), "words"),
        (README.replace("hand", "händ").encode("latin-1"), "words"),
        (README.encode("utf-16"), "words"),
        ("numpy>=2.0\nh5py\n", "words"),
        ("1.0.3\n", "one line"),
        ("", "empty"),
        ("\n \n", "blanks"),
        ("#\t.\n.\t.\n", ".csv"),
    ],
)
def test_files_that_are_no_levels_of_characters(
    tmp_path: Path, text: str | bytes, word: str
) -> None:
    assert word in why(tmp_path, text)


def test_a_legend_of_all_characters_makes_a_level(tmp_path: Path) -> None:
    text = "abc abd\nabc\n"
    assert why(tmp_path, text) != ""
    assert why(tmp_path, text, a="floor", b="wall", c="mud") != ""
    assert why(tmp_path, text, a="floor", b="wall", c="mud", d="road") == ""


def test_a_share_of_words(tmp_path: Path) -> None:
    """A map whose designer spelled something in it is one; a fifth of such lines is too much."""
    rows = ["#.........."[: 3 + at % 3] for at in range(9)]
    assert why(tmp_path, "\n".join([*rows, "..cave...."])) == ""
    assert why(tmp_path, "\n".join([*rows[:8], "..cave....", ".exit"])) != ""


@pytest.mark.parametrize(
    "text",
    [
        "0,1,1\n0,0,1\n",
        "1;1\n1;0\n",
        "grass,grass,mud\nwall,grass,mud\n",
        "-1,-1,4\n-1,4,4\n",
        "1,1\n1,7,1\n",
        "#,.\n",
    ],
)
def test_levels_of_values(tmp_path: Path, text: str) -> None:
    assert why(tmp_path, text, ".csv") == ""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("name,price\nsword,10\naxe,10\n", "columns"),
        ("name;price\n", "columns"),
        ("1,the king speaks\n2,the king sleeps\n", "words"),
        ("1,2,3\n4,5,6\n", "different"),
        (",,\n,,\n", "empty"),
        ('1,"2\n3,4\n', "quotes"),
    ],
)
def test_files_that_are_no_levels_of_values(tmp_path: Path, text: str, word: str) -> None:
    assert word in why(tmp_path, text, ".csv")


def test_a_legend_of_all_values_makes_a_level(tmp_path: Path) -> None:
    numbers = {"1": "a", "2": "b", "3": "c", "4": "d", "5": "e"}
    assert why(tmp_path, "1,2,3\n4,5,6\n", ".csv", **numbers) != ""
    assert why(tmp_path, "1,2,3\n4,5,6\n", ".csv", **numbers, **{"6": "f"}) == ""


def test_only_the_start_of_a_large_file_is_inspected(tmp_path: Path) -> None:
    rows = "#" * 63 + "\n"
    count = INSPECTED_BYTES // len(rows)
    assert why(tmp_path, rows * count + README * 2000) == ""
    assert why(tmp_path, README * (INSPECTED_BYTES // len(README)) + rows * count) != ""
