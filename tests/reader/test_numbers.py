"""Numbers of every type at every entry point of the reader: answers are those for Python's own."""

from collections.abc import Iterator

import pytest

from levelbake import Level, Profile, open_level
from tests.support.baked import bake_grid, rows
from tests.support.numbers import (
    BROKEN,
    LOOKUPS,
    NONE,
    POINT_LOOKUPS,
    WHOLE,
    WIDE,
    A,
    Ask,
    Form,
    array,
    check_refused,
    forms,
    plain,
    updated,
)

pytestmark = pytest.mark.filterwarnings("error")

PRICES: dict[str, Ask] = {
    "prices": lambda level, profile, form: updated(level, arcs={(A, (101, 4)): form(100)}),
}


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Level, Profile]]:
    asset = bake_grid(tmp_path_factory.mktemp("wide"), rows(*WIDE))
    with open_level(asset) as level:
        yield level, level.profile()


@pytest.fixture(scope="module")
def expected(wide: tuple[Level, Profile]) -> dict[str, object]:
    every = {**LOOKUPS, **POINT_LOOKUPS, **PRICES}
    return {name: plain(ask(*wide, lambda given: given)) for name, ask in every.items()}


@pytest.mark.parametrize("form", forms(WHOLE).values(), ids=forms(WHOLE).keys())
def test_whole_numbers(
    wide: tuple[Level, Profile], expected: dict[str, object], form: Form
) -> None:
    for name, ask in {**LOOKUPS, **POINT_LOOKUPS, **PRICES}.items():
        assert plain(ask(*wide, form)) == expected[name], name


@pytest.mark.parametrize("form", forms(BROKEN).values(), ids=forms(BROKEN).keys())
def test_broken_numbers(
    wide: tuple[Level, Profile], expected: dict[str, object], form: Form
) -> None:
    for name, ask in {**POINT_LOOKUPS, **PRICES}.items():
        assert plain(ask(*wide, form)) == expected[name], name


@pytest.mark.parametrize("dtype", [*NONE, *BROKEN])
def test_what_is_no_number(wide: tuple[Level, Profile], dtype: str) -> None:
    cells = {name: ask for name, ask in LOOKUPS.items() if name != "update, prices"}
    check_refused(*wide, cells if dtype in BROKEN else {**LOOKUPS, **POINT_LOOKUPS}, array(dtype))
