"""The line of a recipe that each key stands in."""

import random
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.project.recipe.toml_places import TooDeepError, key_lines
from tests.support.toml_text import write_toml

EVERYTHING = '''\
# [comment]
plain = 1
dotted . "quoted key".'literal' = 2
text = """
[no.header]
no = "key" ""\\"
""""" # five quotes: two are text
raw = \'\'\'
x = 1
\'\'\'
many = [ # ]
  1, [2,
  3],
  { a = 1, "b c" = [
    4 ] },
]
when = 1979-05-27 07:32:00
[ a . "b.c" ]
x = "]#"
[[list]]
name = 1
[list.sub]
k = 1
[[list]]
name = 2
[[list.sub2]]
[a]
"\\u00e9" = {}
'''


def test_every_way_to_write_a_key_is_found():
    tomllib.loads(EVERYTHING)
    assert key_lines(EVERYTHING) == {
        ("plain",): 2,
        ("dotted",): 3,
        ("dotted", "quoted key"): 3,
        ("dotted", "quoted key", "literal"): 3,
        ("text",): 4,
        ("raw",): 8,
        ("many",): 11,
        ("many", 0): 12,
        ("many", 1): 12,
        ("many", 1, 0): 12,
        ("many", 1, 1): 13,
        ("many", 2): 14,
        ("many", 2, "a"): 14,
        ("many", 2, "b c"): 14,
        ("many", 2, "b c", 0): 15,
        ("when",): 17,
        ("a",): 27,
        ("a", "b.c"): 18,
        ("a", "b.c", "x"): 19,
        ("list",): 20,
        ("list", 0): 20,
        ("list", 0, "name"): 21,
        ("list", 0, "sub"): 22,
        ("list", 0, "sub", "k"): 23,
        ("list", 1): 24,
        ("list", 1, "name"): 25,
        ("list", 1, "sub2"): 26,
        ("list", 1, "sub2", 0): 26,
        ("a", "é"): 28,
    }


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# only a comment", "a = [1, 2", "a", "[a", "= 3", '"\\q" = 1', "a = \nb"]
)
def test_what_is_no_toml_ends_the_scan_quietly(text):
    assert all(line == 1 for line in key_lines(text).values())


def test_the_deepest_nesting_that_is_followed():
    path = ("a",) + (0,) * 31
    assert key_lines("\na = " + "[" * 31 + "1" + "]" * 31)[path] == 2
    with pytest.raises(TooDeepError) as caught:
        key_lines("\na = " + "[" * 32 + "1" + "]" * 32)
    assert caught.value.line == 2


def test_tables_after_headers_that_are_nearly_too_deep():
    header = ".".join(["a"] * 31)
    assert key_lines(f"[{header}]\nb = 1")[*["a"] * 31, "b"] == 2
    with pytest.raises(TooDeepError):
        key_lines(f"[{header}]\nb.c = 1")


keys = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
trees = st.recursive(
    st.just(0),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


def _numbered(tree, numbers, path, paths):
    """The tree with every leaf a number of its own; fills ``paths`` with where each one is."""
    if isinstance(tree, dict):
        return {k: _numbered(v, numbers, (*path, k), paths) for k, v in tree.items()}
    if isinstance(tree, list):
        return [_numbered(v, numbers, (*path, i), paths) for i, v in enumerate(tree)]
    leaf = next(numbers)
    paths[path] = leaf
    return leaf


@given(st.dictionaries(keys, trees, max_size=5), st.randoms(use_true_random=False))
def test_every_leaf_is_found_on_the_line_it_stands_on(tree, rng: random.Random):
    paths: dict = {}
    data = _numbered(tree, iter(range(9_000_000, 10_000_000)), (), paths)
    text = write_toml(data, rng)
    assert tomllib.loads(text) == data
    lines = key_lines(text)
    rows = text.split("\n")
    for path, leaf in paths.items():
        assert str(leaf) in rows[lines[path] - 1]
