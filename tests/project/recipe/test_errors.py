"""Every mistake in a recipe, and the one line that tells it."""

import pickle

import pytest

from bake.core.errors import BakeErrors, RecipeError
from bake.project.recipe import load_recipe
from tests.support.recipes import told

COST = 'expected a number above 0 and at most 1,000,000, or "blocked"'
BLOCKED = 'use "blocked" for terrain that can\'t be entered'
LEVEL_KEYS = (
    "connectivity, headings, corner_cutting, cost_rule, ticks_per_unit, division, cell_size, "
    "origin, memory_budget, tables, next_hops, distances, clusters, hierarchy, lint, heuristic, "
    "mesh, export, legend, elevation, slopes, tiled, ldtk, text, terrain"
)
TOP = f"expected {LEVEL_KEYS}, profiles, sources, output or levels"
LEVEL = f"expected {LEVEL_KEYS} or profiles"
CELL = (
    "expected a size above 0 and at most 2,097,152, or two: [width, height]; as in cell_size = 16"
)
ORIGIN = (
    "expected [x, y], two numbers from -4,398,046,511,104 to 4,398,046,511,104; "
    "as in origin = [0, 0]"
)
BYTES = 'expected bytes as a whole number, or text such as "512 MiB" or "2 GiB"'
SIZE = "expected at least 1 MiB and less than 8 EiB"
UP_TO = "a whole number from 1 to"
TICKS = "expected a whole number from 1 to 16,777,216"
GLOB = 'expected a glob relative to the recipe\'s folder, such as "levels_src/*.png"'
NAMES = '"components", "next_hops", "distances", "clusters", "hierarchy", "cluster_distances"'
TABLES = f'expected "auto" or a list of {NAMES}, "heuristic"'
ENTER = 'expected a list of terrain names such as ["water"]'
COLOUR = (
    'expected a color as "#rgb", "#rrggbb" or "#rrggbbaa" in hexadecimal digits; '
    'write the color on the left, as in "#3a7d44" = "grass"'
)
PROFILE = 'expected letters a to z, digits, "_", "." and "-", starting with a letter or digit'
INSIDE = "sources must lie inside the recipe's folder"


NO_STORAGE = (
    "leave it out: next hops are kept in runs, and houses are baked like any other part of the "
    "level; `bake export --table` writes a plain matrix"
)
NAME = "expected the name of a terrain"
EMPTY = "it may not be empty"
ONCE = "name each once"

ONE_MISTAKE = [
    # unknown keys
    (
        "conectivity = 4",
        f'conectivity: unknown key "conectivity"; {TOP}; did you mean connectivity?',
    ),
    ("zzz = 4", f'zzz: unknown key "zzz"; {TOP}'),
    ("[Legend]", f'[Legend]: unknown key "Legend"; {TOP}; did you mean legend?'),
    (
        "algorithm = 'auto'",
        f'algorithm: unknown key "algorithm"; {TOP}; algorithm belongs in [next_hops]',
    ),
    (
        "next_hops.kernel = 1",
        '[next_hops] kernel: unknown key "kernel"; expected algorithm',
    ),
    (
        "next_hops.output = 'x'",
        '[next_hops] output: unknown key "output"; expected algorithm; '
        "output belongs at the top of the file, above the first [table]",
    ),
    (
        "[levels.keep]\nsources = ['a']",
        f'[levels.keep] sources: unknown key "sources"; {LEVEL}; '
        "sources belongs at the top of the file, above the first [table]",
    ),
    (
        "[levels.keep]\nlegends = {}",
        f'[levels.keep.legends]: unknown key "legends"; {LEVEL}; did you mean legend?',
    ),
    (
        "[profiles.walker]\nconnectivity = 4",
        '[profiles.walker] connectivity: unknown key "connectivity"; expected terrain, size, '
        "slopes, radius or turn; connectivity belongs to the whole recipe or to one level",
    ),
    (
        "[terrain]\na = { cost = 1, enter = ['b'] }",
        '[terrain.a] enter: unknown key "enter"; expected cost or enter_from; '
        "did you mean enter_from?",
    ),
    (
        "[levels.keep.profiles.walker.terrain.a]\ncost = 1\n'b c' = 2",
        '[levels.keep.profiles.walker.terrain.a] "b c": unknown key "b c"; '
        "expected cost or enter_from",
    ),
    # choices
    (
        "connectivity = 5",
        "connectivity: found 5; expected 4 or 8; "
        "leave it out for hexagonal grids, which always have 6",
    ),
    ("connectivity = '8'", 'connectivity: found "8"; expected 4 or 8; did you mean 8?'),
    (
        "connectivity = 8.0",
        "connectivity: found 8.0; expected 4 or 8; "
        "leave it out for hexagonal grids, which always have 6",
    ),
    (
        "corner_cutting = 'nevr'",
        'corner_cutting: found "nevr"; '
        'expected "never", "one_free" or "always"; did you mean "never"?',
    ),
    (
        "corner_cutting = true",
        'corner_cutting: found true; expected "never", "one_free" or "always"',
    ),
    ("cost_rule = 'sum'", 'cost_rule: found "sum"; expected "mean" or "entered"'),
    ("cost_rule = ['mean']", 'cost_rule: found a list; expected "mean" or "entered"'),
    (
        "next_hops.algorithm = 'Dijkstra'",
        '[next_hops] algorithm: found "Dijkstra"; '
        'expected "auto", "dijkstra" or "floyd_warshall"; did you mean "dijkstra"?',
    ),
    (
        "next_hops.storage = 'dense'",
        f'[next_hops] storage: unknown key "storage"; expected algorithm; {NO_STORAGE}',
    ),
    (
        "[levels.keep.next_hops]\nstorage = 'instances'",
        f'[levels.keep.next_hops] storage: unknown key "storage"; expected algorithm; {NO_STORAGE}',
    ),
    (
        "distances.storage = 'dense'",
        '[distances] storage: found "dense"; expected "auto" or "labels"; '
        'distances are always kept as labels: write "labels"',
    ),
    (
        "hierarchy.mode = 'HPA'",
        '[hierarchy] mode: found "HPA"; expected "hpa" or "none"; did you mean "hpa"?',
    ),
    (
        "hierarchy.mode = 'exact'",
        '[hierarchy] mode: found "exact"; expected "hpa" or "none"; '
        "shortest paths need no hierarchy: nav.path is exact without any",
    ),
    ("hierarchy.spacing = 0", f"[hierarchy] spacing: found 0; expected {UP_TO} 1,024"),
    ("hierarchy.spacing = '8'", f'[hierarchy] spacing: found "8"; expected {UP_TO} 1,024'),
    ("hierarchy.levels = 17", f"[hierarchy] levels: found 17; expected {UP_TO} 16"),
    ("hierarchy.levels = true", f"[hierarchy] levels: found true; expected {UP_TO} 16"),
    (
        "hierarchy.levels = 'auto'",
        f'[hierarchy] levels: found "auto"; expected {UP_TO} 16; '
        "leave levels out: a plan is a search, for which one layer is enough",
    ),
    ("hierarchy.keep_paths = 1", "[hierarchy] keep_paths: found 1; expected true or false"),
    (
        "heuristic.kind = 'field'",
        '[heuristic] kind: found "field"; expected "auto" or "landmark"; leave it out: searches '
        'take heuristic="exact"',
    ),
    (
        "heuristic.bytes_per_node = 4",
        "[heuristic] bytes_per_node: found 4; expected a whole number from 8 to 256",
    ),
    (
        "heuristic = 20",
        "heuristic: found 20; expected a table, as in [heuristic] with bytes_per_node = 20",
    ),
    ("clusters.size = 3", "[clusters] size: found 3; expected a whole number from 4 to 1,024"),
    ("clusters.regions = 'no'", '[clusters] regions: found "no"; expected true or false'),
    (
        "clusters = 32",
        "clusters: found 32; expected a table, as in [clusters] with size = 32",
    ),
    (
        "hierarchy = 'hpa'",
        'hierarchy: found "hpa"; expected a table, as in [hierarchy] with mode = "hpa"',
    ),
    ("spacing = 4", f'spacing: unknown key "spacing"; {TOP}; spacing belongs in [hierarchy]'),
    # numbers
    ("cell_size = 0", f"cell_size: found 0; {CELL}"),
    ("cell_size = [16]", f"cell_size: found a list; {CELL}"),
    ("cell_size = [16, -16]", f"cell_size: found a list; {CELL}"),
    ("cell_size = nan", f"cell_size: found nan; {CELL}"),
    ("cell_size = true", f"cell_size: found true; {CELL}"),
    ("cell_size = '16 px'", f'cell_size: found "16 px"; {CELL}'),
    ("cell_size = 2097153", f"cell_size: found 2097153; {CELL}"),
    ("origin = 0", f"origin: found 0; {ORIGIN}"),
    ("origin = [0, inf]", f"origin: found a list; {ORIGIN}"),
    ("origin = [0, 0, 0]", f"origin: found a list; {ORIGIN}"),
    ("[levels.a]\norigin = [0, 1e13]", f"[levels.a] origin: found a list; {ORIGIN}"),
    ("ticks_per_unit = 0", f"ticks_per_unit: found 0; {TICKS}"),
    ("ticks_per_unit = 16777217", f"ticks_per_unit: found 16777217; {TICKS}"),
    ("ticks_per_unit = true", f"ticks_per_unit: found true; {TICKS}"),
    ("ticks_per_unit = 1.0", f"ticks_per_unit: found 1.0; {TICKS}"),
    (
        "ticks_per_unit = 0x1" + "0" * 5000,
        f"ticks_per_unit: found a whole number of 20,001 bits; {TICKS}",
    ),
    ("memory_budget = 1048575", f"memory_budget: found 1048575; {SIZE}"),
    ("memory_budget = -1", f"memory_budget: found -1; {SIZE}"),
    ("memory_budget = 9223372036854775808", f"memory_budget: found 9223372036854775808; {SIZE}"),
    ("memory_budget = '1023.9 KiB'", f'memory_budget: found "1023.9 KiB"; {SIZE}'),
    (
        "memory_budget = '999999999999999999 GB'",
        f'memory_budget: found "999999999999999999 GB"; {SIZE}',
    ),
    ("memory_budget = 2e9", f"memory_budget: found 2000000000.0; {BYTES}"),
    ("memory_budget = false", f"memory_budget: found false; {BYTES}"),
    ("memory_budget = '2 gib'", f'memory_budget: found "2 gib"; {BYTES}; did you mean GiB?'),
    (
        "memory_budget = '2 TB'",
        f'memory_budget: found "2 TB"; {BYTES}; known units are KiB, MiB, GiB, kB, MB, GB',
    ),
    (
        "memory_budget = '-2 GB'",
        f'memory_budget: found "-2 GB"; {BYTES}; known units are KiB, MiB, GiB, kB, MB, GB',
    ),
    # lists
    (
        "sources = 'a/*'",
        'sources: found "a/*"; expected a list of globs such as ["levels_src/*"]; write ["a/*"]',
    ),
    (
        "sources = []",
        "sources: found an empty list; expected a list of globs such as "
        '["levels_src/*"]; leave sources out for the default',
    ),
    (
        "sources = ['a', 'b', 'a']",
        'sources: found "a" more than once; '
        'expected a list of globs such as ["levels_src/*"]; name each once',
    ),
    ("sources = ['/a/*']", f'sources, item 1: found "/a/*"; {GLOB}; {INSIDE}'),
    ("sources = ['C:/a']", f'sources, item 1: found "C:/a"; {GLOB}; {INSIDE}'),
    (
        "sources = ['a/../../b']",
        f'sources, item 1: found "a/../../b"; {GLOB}; {INSIDE}: leave out ..',
    ),
    (
        "sources = ['a\\*']",
        f'sources, item 1: found "a\\\\*"; {GLOB}; write / between folders, on every system',
    ),
    ("sources = ['./']", f'sources, item 1: found "./"; {GLOB}; name the files, as in *.png'),
    (
        "sources = ['a**/b']",
        f'sources, item 1: found "a**/b"; {GLOB}; ** must stand alone between slashes',
    ),
    ("sources = ['']", f'sources, item 1: found ""; {GLOB}; it may not be empty'),
    ("output = ''", 'output: found ""; expected a folder such as "baked"; it may not be empty'),
    ("output = 3", 'output: found 3; expected a folder such as "baked"'),
    (
        'output = "a\\nb"',
        'output: found "a\\u000ab"; expected a folder such as "baked"; '
        "it may hold no control characters",
    ),
    ("tables = 'all'", f'tables: found "all"; {TABLES}; write ["all"]'),
    ("tables = []", f'tables: found an empty list; {TABLES}; use "auto" for every table'),
    (
        "tables = ['distances', 'distances']",
        f'tables: found "distances" more than once; {TABLES}; {ONCE}',
    ),
    (
        "tables = ['auto']",
        f'tables, item 1: found "auto"; expected {NAMES} or "heuristic"',
    ),
    (
        "tables = ['distance']",
        'tables, item 1: found "distance"; '
        f'expected {NAMES} or "heuristic"; did you mean "distances"?',
    ),
    # tables that are none
    ("legend = 3", 'legend: found 3; expected a table, as in [legend] with "#3a7d44" = "grass"'),
    ("terrain = ['a']", "terrain: found a list; expected a table, as in [terrain] with grass = 1"),
    (
        "next_hops = 'dijkstra'",
        'next_hops: found "dijkstra"; expected a table, as in [next_hops] with algorithm = "auto"',
    ),
    ("[[profiles]]", "profiles: found a list; expected a table, as in [profiles.walker]"),
    (
        "profiles.walker = 'x'",
        '[profiles] walker: found "x"; expected a table, as in '
        '[profiles.walker] with terrain = { water = "blocked" }',
    ),
    (
        "profiles.a.terrain = 1",
        '[profiles.a] terrain: found 1; expected a table, as in terrain = { water = "blocked" }',
    ),
    ("levels = 1979-05-27", "levels: found 1979-05-27; expected a table, as in [levels.keep]"),
    (
        "levels.keep = 4",
        "[levels] keep: found 4; expected a table, as in [levels.keep] with connectivity = 4",
    ),
    (
        "[levels.keep]\nlegend = ''",
        '[levels.keep] legend: found ""; expected a table, as in [legend] with "#3a7d44" = "grass"',
    ),
    # costs
    *[
        (f"terrain.a = {text}", f"[terrain] a: found {found}; {COST}; {BLOCKED}")
        for text, found in [
            *[(text, text) for text in ("0", "-1", "-0.5", "nan", "inf", "-inf", "true", "false")],
            ("1e400", "inf"),
            ("0.0", "0.0"),
            ("1_000_001", "1000001"),
            ("0x1" + "0" * 5000, "a whole number of 20,001 bits"),
            ("[1]", "a list"),
        ]
    ],
    ("terrain.a = 'block'", f'[terrain] a: found "block"; {COST}; did you mean "blocked"?'),
    ("terrain.a = '3'", f'[terrain] a: found "3"; {COST}; write numbers unquoted'),
    ("terrain.a = { cost = 0 }", f"[terrain.a] cost: found 0; {COST}; {BLOCKED}"),
    ("profiles.p.terrain.a = 0", f"[profiles.p.terrain] a: found 0; {COST}; {BLOCKED}"),
    ("levels.k.terrain.a = 0", f"[levels.k.terrain] a: found 0; {COST}; {BLOCKED}"),
    (
        "levels.k.profiles.p.terrain.a = 0",
        f"[levels.k.profiles.p.terrain] a: found 0; {COST}; {BLOCKED}",
    ),
    ("terrain.a = {}", f"[terrain.a]: found no cost; {COST}; add cost = 1, say"),
    (
        "terrain.a = { cost = 'blocked', enter_from = ['b'] }",
        '[terrain.a]: found enter_from beside cost = "blocked"; expected one of the two; '
        "blocked terrain can't be entered from anywhere",
    ),
    (
        "terrain.a = { cost = 1, enter_from = 'b' }",
        f'[terrain.a] enter_from: found "b"; {ENTER}; write ["b"]',
    ),
    (
        "terrain.a = { cost = 1, enter_from = {} }",
        f"[terrain.a.enter_from]: found an empty table; {ENTER}",
    ),
    (
        "terrain.a = { cost = 1, enter_from = ['b', 'b'] }",
        f'[terrain.a] enter_from: found "b" more than once; {ENTER}; {ONCE}',
    ),
    (
        "terrain.a = { cost = 1, enter_from = ['b', 2] }",
        f"[terrain.a] enter_from, item 2: found 2; {NAME}",
    ),
    # names
    ("terrain.' ' = 1", f'[terrain] " ": found " "; {NAME}; {EMPTY}'),
    (
        'terrain."a\\u2028b" = 1',
        '[terrain] "a\\u2028b": found "a\\u2028b"; '
        "expected the name of a terrain; it may hold no control characters",
    ),
    ("legend.'#fff' = 3", '[legend] "#fff": found 3; expected the name of a terrain'),
    ("legend.'#fff' = ''", f'[legend] "#fff": found ""; {NAME}; {EMPTY}'),
    ("legend.grass = '#fff'", f'[legend] grass: found "grass"; {COLOUR}'),
    ("legend.'#ffff' = 'a'", f'[legend] "#ffff": found "#ffff"; {COLOUR}'),
    ("legend.'#ffg' = 'a'", f'[legend] "#ffg": found "#ffg"; {COLOUR}'),
    (
        "legend.'#\uff11\uff12\uff13' = 'a'",
        f'[legend] "#\uff11\uff12\uff13": found "#\uff11\uff12\uff13"; {COLOUR}',
    ),
    ("profiles.-a = {}", f'[profiles.-a]: found profile name "-a"; {PROFILE}'),
    ("profiles.'a/b' = {}", f'[profiles."a/b"]: found profile name "a/b"; {PROFILE}'),
    ("profiles.'é' = {}", f'[profiles."é"]: found profile name "é"; {PROFILE}'),
    ("profiles.'' = {}", f'[profiles.""]: found profile name ""; {PROFILE}'),
    ('profiles."a\\n" = {}', f'[profiles."a\\u000a"]: found profile name "a\\u000a"; {PROFILE}'),
    (
        "[profiles]",
        "[profiles]: found no profile; expected at least one, such as "
        '[profiles.walker]; leave the table out for one profile called "default"',
    ),
    (
        "[levels.keep.profiles]",
        "[levels.keep.profiles]: found no profile; expected at least one, "
        'such as [profiles.walker]; leave the table out for one profile called "default"',
    ),
    (
        "levels.'a/b.png' = {}",
        '[levels."a/b.png"]: found "a/b.png"; '
        'expected a level\'s file name without folder and extension; write [levels."b"]',
    ),
    (
        "levels.'a\\b' = {}",
        '[levels."a\\\\b"]: found "a\\\\b"; '
        'expected a level\'s file name without folder and extension; write [levels."b"]',
    ),
    (
        "levels.'' = {}",
        '[levels.""]: found ""; '
        "expected a level's file name without folder and extension; it may not be empty",
    ),
]


@pytest.mark.parametrize(("text", "line"), ONE_MISTAKE, ids=[line for _, line in ONE_MISTAKE])
def test_one_mistake(tmp_path, text, line):
    number = 3 + text.count("\n")  # each stands on its text's last line
    assert told(tmp_path, f"# a comment\n\n{text}\n") == [f"line {number}: {line}"]


def test_parts_of_an_error(tmp_path):
    file = tmp_path / "bake.toml"
    file.write_text("[terrain]\nwall = 0\n")
    with pytest.raises(RecipeError) as caught:
        load_recipe(file)
    error = caught.value
    assert (error.file, error.place, error.found) == (file, "line 2: [terrain] wall", "found 0")
    assert "1,000,000" in error.expected
    assert error.remedy == BLOCKED


def test_all_mistakes_are_told_in_the_order_of_their_lines(tmp_path):
    text = """\
[levels.keep]
connectivity = 6
corner_cutting = "always"
[levels.keep.terrain]
x = { cost = nan, enter_from = [
  "a",
  "",
  "b",
  7,
] }
[legend]
"#fff" = "a"
"#FfFfFf" = "b"
"#ffffffff" = "a"
[levels.den.legend]
"#ABC" = "c"
"#aabbcc" = "c"
[profiles."no good"]
terrain = 3
[terrain]
ok = 2
bad = false
worse.price = 3
"""
    assert told(tmp_path, text) == [
        "line 2: [levels.keep] connectivity: found 6; expected 4 or 8; "
        "leave it out for hexagonal grids, which always have 6",
        f"line 5: [levels.keep.terrain.x] cost: found nan; {COST}; {BLOCKED}",
        'line 7: [levels.keep.terrain.x] enter_from, item 2: found ""; '
        "expected the name of a terrain; it may not be empty",
        "line 9: [levels.keep.terrain.x] enter_from, item 4: found 7; "
        "expected the name of a terrain",
        'line 13: [legend] "#FfFfFf": found "#FfFfFf", the same color as "#fff"; '
        "expected each color once; leave one out",
        'line 14: [legend] "#ffffffff": found "#ffffffff", the same color as "#fff"; '
        "expected each color once; leave one out",
        'line 17: [levels.den.legend] "#aabbcc": found "#aabbcc", the same color as "#ABC"; '
        "expected each color once; leave one out",
        f'line 18: [profiles."no good"]: found profile name "no good"; {PROFILE}',
        'line 19: [profiles."no good"] terrain: found 3; '
        'expected a table, as in terrain = { water = "blocked" }',
        f"line 22: [terrain] bad: found false; {COST}; {BLOCKED}",
        f"line 23: [terrain.worse]: found no cost; {COST}; add cost = 1, say",
        'line 23: [terrain.worse] price: unknown key "price"; expected cost or enter_from',
    ]


def test_a_colour_may_be_spelled_differently_by_a_level(tmp_path):
    file = tmp_path / "bake.toml"
    file.write_text('legend."#fff" = "a"\nlevels.keep.legend."#FFFFFF" = "b"\n')
    assert load_recipe(file).for_level("keep").legend == {"#ffffff": "b"}


def test_several_mistakes_survive_the_way_to_another_process(tmp_path):
    file = tmp_path / "bake.toml"
    file.write_text("connectivity = 1\nticks_per_unit = 0\n")
    with pytest.raises(BakeErrors) as caught:
        load_recipe(file)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert [type(problem) for problem in again.problems] == [RecipeError, RecipeError]


def test_long_values_are_cut(tmp_path):
    (line,) = told(tmp_path, f"cost_rule = '{'x' * 10_000}'\n")
    assert line == f'line 1: cost_rule: found "{"x" * 57}..."; expected "mean" or "entered"'
