"""Names and fields fit the layout of flat files."""

from bake.store.flat.schema import ENTRY, HEADER
from bake.store.schema import FLAT
from levelbake.file import DIMENSIONS, NAME_BYTES


def test_names_fit_the_table() -> None:
    for column in FLAT.columns:
        assert len(column.name) < NAME_BYTES
        assert column.name.isascii()
        assert len(column.dims) <= DIMENSIONS
    names = [(column.own, column.name) for column in FLAT.columns]
    assert len(set(names)) == len(names)


def test_fields_follow_each_other() -> None:
    sizes = {"uint16": 2, "uint32": 4, "int32": 4, "uint64": 8}
    for fields in (HEADER, ENTRY):
        place = 0
        for field in fields:
            assert field.offset == place
            words = field.dtype.split()
            times = int(words[0]) if len(words) == 2 else 1
            place += times * sizes.get(words[-1], 1)
        assert place == 64
