"""Whatever a file holds, only errors that say something come out."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from levelbake.errors import BakeError
from tests.support.tiled_corners import Draftsman
from tests.support.tiled_maps import MAPS, read


@given(
    st.sampled_from(sorted(MAPS)),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4),
    st.sampled_from(["set", "insert", "cut", "repeat"]),
)
def test_changed_bytes(name: str, changes: list[tuple[int, int]], how: str) -> None:
    data = bytearray(MAPS[name].encode())
    for place, byte in changes:
        at = place % len(data)
        if how == "set":
            data[at] = byte
        elif how == "insert":
            data.insert(at, byte)
        elif how == "cut":
            del data[at : at + byte]
        else:
            data[at:at] = data[at : at + byte]
        data = data or bytearray(b" ")
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        with suppress(BakeError):
            read(path)


PARTS = 'null true 3 -1 1e99 "x" "class" "list" [] {} [3] {"type":3} {"type":"list","value":[0]}'


def places_in(document: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each value's owner and its key or number there."""
    for key in document if isinstance(document, dict) else range(len(document)):
        yield document, key
        if isinstance(document[key], dict | list):
            yield from places_in(document[key])


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(PARTS.split()))
def test_changed_values_of_corners(seed: int, spot: int, value: str) -> None:
    """One value of a JSON file is another one: of a map, a tileset or a project."""
    draftsman = Draftsman(Random(seed))
    drawing = draftsman.drawing("map")
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = draftsman.write(folder, drawing)
        (folder / "game.tiled-project").write_text(draftsman.project_file(), "utf-8")
        files = sorted(file for file in folder.rglob("*.*j*") if file.is_file())
        file = files[spot % len(files)]
        with suppress(ValueError):  # Some are XML.
            document = json.loads(file.read_text("utf-8-sig"))
            places = list(places_in(document))
            owner, key = places[spot % len(places)]
            owner[key] = json.loads(value)
            file.write_text(json.dumps(document), "utf-8")
        with suppress(BakeError):
            read(path)


@given(
    st.sampled_from(sorted(name for name in MAPS if name.endswith("tmx"))),
    st.integers(0, 10**6),
    st.sampled_from(["", "-1", "1e999", "nan", "99999999999", "4294967295", "&#0;", "é", "true"]),
)
def test_changed_attributes(name: str, place: int, value: str) -> None:
    parts = MAPS[name].split('"')
    values = range(3, len(parts), 2)
    parts[values[place % len(values)]] = value
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text('"'.join(parts), "utf-8")
        with suppress(BakeError):
            read(path)
