"""Whatever a file holds, only errors that say something come out."""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from levelbake.errors import BakeError
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
