"""Separated values: which cells they make, and how mistakes are reported."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bake.levels.text.separated
from bake.core.errors import LevelError
from bake.core.level import GridLevel
from bake.levels import TextReading, load
from tests.support.levels import named
from tests.support.strategies import any_grids

LEGEND = {"0": "floor", "1": "wall", "-1": "void", "12": "water", "deep, cold": "water"}


def write(folder: Path, text: str, name: str = "cave.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def read(path: Path, legend: dict[str, str] | None = None, **spots: str) -> GridLevel:
    level = load(path, {}, text=TextReading(LEGEND if legend is None else legend, spots))
    assert isinstance(level, GridLevel)
    return level


def mistake(path: Path, legend: dict[str, str] | None = None) -> LevelError:
    with pytest.raises(LevelError) as caught:
        read(path, legend)
    assert caught.value.file == path
    assert "\n" not in str(caught.value)
    return caught.value


GRID = [["floor", "wall", "void"], ["floor", "water", "floor"]]


@pytest.mark.parametrize(
    "text",
    [
        "0,1,-1\n0,12,0\n",
        "0;1;-1\r\n0;12;0",
        "0\t1\t-1\n0\t12\t0\n\n",
        "sep=;\n0;1;-1\n0;12;0\n",
        'SEP=,\n"0","1","-1"\n"0","12","0"\n',
        '0, 1 ,  -1\n 0,"deep, cold",0\n',
        # LDtk ends each row in a comma, and spreadsheets export empty columns and rows.
        "0,1,-1,\n0,12,0,\n",
        "0,1,-1,,\n0,12,0,,\n,,,,\n",
        "\ufeff0,1,-1\n0,12,0\n",
    ],
)
def test_delimiters_quotes_and_what_lies_behind_rows(tmp_path: Path, text: str) -> None:
    level = read(write(tmp_path, text))
    assert named(level) == GRID
    assert ("12" in level.unmatched) is ("deep" in text)


def test_words(tmp_path: Path) -> None:
    level = read(
        write(tmp_path, "grass,#\nstone wall,.\n"), {"grass": "lawn", "stone wall": "wall"}
    )
    assert named(level) == [["lawn", "wall"], ["wall", "floor"]]


def test_empty_cells_are_cells_where_the_legend_names_blanks(tmp_path: Path) -> None:
    legend = {**LEGEND, " ": "void"}
    path = write(tmp_path, "0,,1\n0\n,0,\n")
    assert named(read(path, legend)) == [
        ["floor", "void", "wall"],
        ["floor", "void", "void"],
        ["void", "floor", "void"],
    ]
    assert mistake(path).place == "line 2"
    assert read(write(tmp_path, "0,1\n"), legend).unmatched == ("-1", "12", "deep, cold", " ")


def test_one_value_a_row(tmp_path: Path) -> None:
    assert named(read(write(tmp_path, "0\n1\n"))) == [["floor"], ["wall"]]


def test_spots(tmp_path: Path) -> None:
    level = read(write(tmp_path, "0,12\n"), **{"12": "spawn"})
    (spot,) = level.things.spots
    assert (spot.name, spot.kind, spot.cell, spot.place) == (
        "spawn",
        "spawn",
        (1, 0),
        "line 1, cell 2",
    )


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("0,1\n0\n", "line 2", "1 cell"),
        ("0,1\n\n0,1\n", "line 2", "0 cells"),
        ("sep=,\n0,1\n0,1,0\n", "line 3", "3 cells"),
        ("0,7\n7,1\n", "line 1, cell 2", '"7" (2 cells, first at (1, 0))'),
        ("0,,1\n", "line 1, cell 2", '" "'),
        ('0,1\n0,"1\n', "line 2", "cannot be separated"),
        ('0,1\n0,"1"1\n', "line 2", "cannot be separated"),
        ('"0\n0",1\n0,7\n', "line 1, cell 1", "0\\n0"),
        ("0,1\n<<<<<<< HEAD\n0,1\n=======\n1,1\n>>>>>>> b\n", "line 2", "merge"),
        ("\n\n", None, "empty"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, place: str | None, word: str) -> None:
    error = mistake(write(tmp_path, text))
    assert error.place == place
    assert word in error.found


def test_the_line_of_a_row_after_a_value_of_two_lines(tmp_path: Path) -> None:
    error = mistake(
        write(tmp_path, '"0\n0",1\n0,7\n'), {"0\n0": "floor", "0": "floor", "1": "wall"}
    )
    assert error.place == "line 3, cell 2"


def test_a_misspelled_value(tmp_path: Path) -> None:
    legend = {"grass": "lawn", "stone": "wall"}
    error = mistake(write(tmp_path, "grass,grsas,Stone,stone\n"), legend)
    assert 'did you mean "grass"' in (error.remedy or "")
    assert [line.partition(" =")[0] for _, line in error.lines] == ["grsas", "Stone"]
    # One tile's number is not a misspelling of another's.
    error = mistake(write(tmp_path, "grass,1001\n"), {**legend, "1000": "wall"})
    assert "did you mean" not in (error.remedy or "")


def test_a_value_that_is_too_long_for_a_cell(tmp_path: Path) -> None:
    longest = csv.field_size_limit()
    error = mistake(write(tmp_path, f"{'x' * longest},1\n"))
    assert len(str(error)) < 400
    assert error.lines == ()
    assert len(mistake(write(tmp_path, f"{'x' * 60},1\n")).lines) == 1
    assert mistake(write(tmp_path, f"{'x' * 61},1\n")).lines == ()
    error = mistake(write(tmp_path, f"1,1\n{'x' * (longest + 1)},1\n"))
    assert error.place == "line 2"


def test_more_values_than_any_legend_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # One of them stands for empty cells.
    monkeypatch.setattr(bake.levels.text.separated, "MAX_VALUES", 4)
    path = write(tmp_path, "0,1\n12,0\n")
    assert named(read(path))[1] == ["water", "floor"]
    error = mistake(write(tmp_path, "0,1\n12,7\n"))
    assert error.place == "line 2"
    assert "more than 4" in error.found


@given(
    any_grids(["a", "1", "wall of stone", 'say "no"', "x;y", "ä,ö", "-1"]),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_standard_library_writes(
    tmp_path_factory: pytest.TempPathFactory,
    grid: list[list[str]],
    delimiter: str,
    quoting: int,
    end: str,
) -> None:
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(grid)
    text = f"sep={delimiter}{end}{written.getvalue()}"
    path = write(tmp_path_factory.mktemp("levels"), text)
    legend = {value: f"terrain {value}" for row in grid for value in row}
    assert named(read(path, legend)) == [[f"terrain {value}" for value in row] for row in grid]
