"""Scenario files."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.errors import LevelError
from bake.levels import load
from bake.levels.movingai import read_scenario
from tests.support.levels import shared_level


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("lak110d", 70),
        ("arena", 160),
        ("den312d", 320),
        ("lak303d", 1_060),
        ("den520d", 888),
        ("AR0011SR", 1_280),
        ("dr_dungeon", 950),
        ("AcrosstheCape", 2_940),
        ("orz900d", 7_015),
    ],
)
def test_real_scenarios(name: str, problems: int) -> None:
    scenario = read_scenario(shared_level(f"movingai/{name}.map.scen"))
    level = load(shared_level(f"movingai/{name}.map"), {})
    assert len(scenario) == problems
    assert {each.rsplit("/", 1)[-1] for each in scenario.map} == {f"{name}.map"}
    assert (scenario.size == [level.width, level.height]).all()
    blocked = [
        code for code, each in enumerate(level.terrains) if each in ("trees", "out_of_bounds")
    ]
    for cell in (scenario.start, scenario.goal):
        assert cell.shape == (problems, 2)
        assert cell.dtype == np.int32
        assert not np.isin(level.terrain[cell[:, 1], cell[:, 0]], blocked).any()
    # No path is shorter than the octile distance.
    step = np.abs(scenario.start.astype(np.int64) - scenario.goal)
    octile = step.max(1) + (np.sqrt(2) - 1) * step.min(1)
    assert (scenario.optimal >= octile - 0.01).all()


def written(folder: Path, text: str) -> Path:
    path = folder / "cave.map.scen"
    path.write_bytes(text.encode())
    return path


def test_values(tmp_path: Path) -> None:
    scenario = read_scenario(
        written(
            tmp_path,
            "version 1\n"
            "0\tmaps/dao/my cave.map\t30\t21\t1\t2\t3\t4\t2.82843\n"
            "\n"
            "7 cave.map 31 22 5 6 7 8 3e0\r\n",
        )
    )
    assert scenario.map == ("maps/dao/my cave.map", "cave.map")
    assert scenario.bucket.tolist() == [0, 7]
    assert scenario.size.tolist() == [[30, 21], [31, 22]]
    assert scenario.start.tolist() == [[1, 2], [5, 6]]
    assert scenario.goal.tolist() == [[3, 4], [7, 8]]
    assert scenario.optimal.tolist() == [2.82843, 3.0]
    assert scenario.line.tolist() == [2, 4]


@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 900),
            st.text("abcXYZ019_-./ ", min_size=1, max_size=12).filter(str.strip).map(str.strip),
            st.tuples(st.integers(0, 39), st.integers(0, 19)),
            st.tuples(st.integers(0, 39), st.integers(0, 19)),
            st.floats(0, 1e6),
        ),
        min_size=1,
        max_size=8,
    ),
    header=st.sampled_from(["version 1", "version 1.0", "\ufeffversion 1"]),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int, str, tuple[int, int], tuple[int, int], float]],
    header: str,
    newline: str,
) -> None:
    lines = [header]
    for bucket, name, start, goal, optimal in rows:
        lines.append("\t".join(map(str, (bucket, name, 40, 20, *start, *goal, optimal))))
    scenario = read_scenario(written(tmp_path_factory.mktemp("scen"), newline.join(lines)))
    read = zip(
        scenario.bucket.tolist(),
        scenario.map,
        map(tuple, scenario.start.tolist()),
        map(tuple, scenario.goal.tolist()),
        scenario.optimal.tolist(),
        strict=True,
    )
    assert list(read) == rows


GOOD = "0 a.map 9 9 1 1 2 2 1.4\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("0 a.map 9 9 1 1 2 2 1.4\n", "line 1: found '0 a.map 9 9 1 1 2 2 1.4'; expected"),
        ("\n" + GOOD, "line 1: found ''"),
        ("version\n", "line 1: found 'version'"),
        (
            "version 2\n",
            "line 1: the file has version '2' of the format; expected version 1 or 1.0",
        ),
        ("version 1\n", "the scenario has no problems"),
        (
            f"version 1\n{GOOD}0 a.map 9 9 1 1 2 2\n",
            "line 3: the line has 8 columns; expected 9 columns",
        ),
        (f"version 1\n{GOOD}x\n", "line 3: the line has 1 column"),
        ("version 1\n0 a.map 9 9 1 1 9 2 1.4\n", "line 2: the goal (9, 2) lies outside the map"),
        ("version 1\n0 a.map 9 9 1 9 2 2 1.4\n", "line 2: the start (1, 9) lies outside the map"),
        ("version 1\n0 a.map 9 9 -1 1 2 2 1.4\n", "line 2: the start x is '-1'"),
        ("version 1\nx a.map 9 9 1 1 2 2 1.4\n", "line 2: the bucket is 'x'"),
        ("version 1\n0 a.map 9 9 1 1 2 2.5 1\n", "line 2: the goal y is '2.5'"),
        ("version 1\n0 a.map 9 9 1 1 2 2 nan\n", "line 2: the optimal length is 'nan'"),
        ("version 1\n0 a.map 9 9 1 1 2 2 -1\n", "line 2: the optimal length is '-1'"),
        ("version 1\n0 a.map 9 9 1 1 2 2 inf\n", "line 2: the optimal length is 'inf'"),
        ("version 1\n0 a.map 9 9 1 1 2 2 far\n", "line 2: the optimal length is 'far'"),
    ],
)
def test_refused(tmp_path: Path, text: str, line: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(LevelError) as caught:
        read_scenario(path)
    assert str(caught.value).startswith(f"{path}: {line}")


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(LevelError, match="no such file"):
        read_scenario(tmp_path / "none.scen")
    with pytest.raises(LevelError, match="a folder"):
        read_scenario(tmp_path)
    path = tmp_path / "empty.scen"
    path.write_bytes(b"")
    with pytest.raises(LevelError, match="empty"):
        read_scenario(path)
    path.write_bytes(b"version 1\n0 \xff.map 9 9 1 1 2 2 1.4\n")
    with pytest.raises(LevelError, match="line 2: byte 0xff"):
        read_scenario(path)


@pytest.mark.parametrize(
    ("lengths", "rounding"),
    [
        (["446.00", "2.83"], [0.005, 0.005]),
        (["103.284", "3.41421", "1"], [0.0005, 0.000005, 0.000005]),
        (["1234.5", "10"], [0.005, 0.00005]),
        (["0"], [0.5e-14]),
    ],
)
def test_what_printing_rounds_away(
    tmp_path: Path, lengths: list[str], rounding: list[float]
) -> None:
    """Two decimals throughout, or six significant digits without trailing zeros."""
    rows = "".join(f"0 a.map 9 9 1 1 2 2 {length}\n" for length in lengths)
    scenario = read_scenario(written(tmp_path, "version 1\n" + rows))
    assert scenario.rounding.tolist() == pytest.approx(rounding)
