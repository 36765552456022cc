"""Imports lead down through the rooms, never up or in a circle; typing imports are counted, too.

A *room* is a package, or a single module, that has a line of its own in ROOMS. What a room may
import says it all: a newcomer who reads one room need not know any that is not named there.
"""

import ast
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.support.structure import (
    LEVELBAKE,
    PACKAGE,
    circles,
    folder_sizes,
    imports,
    modules,
    names_imported,
    parsed,
    signatures,
)

#: What every module of `bake` may import.
FREE = "core.arrays core.errors levelbake.errors"
#: Rooms that may not: the reader takes nothing of `bake`.
NARROW = ("levelbake", "core.arrays")

#: What each room may import of ours, at once, inside functions, or for types alone. A name stands
#: for all rooms in it.
ROOMS: dict[str, frozenset[str]] = {
    name: frozenset([*allowed.split(), *(() if name.startswith(NARROW) else FREE.split())])
    for name, allowed in {
        "levelbake.errors": "",
        "levelbake.steps": "levelbake.errors",
        "levelbake.columns": "levelbake.steps",
        "levelbake.file": "levelbake.columns levelbake.errors levelbake.steps",
        "levelbake.places": "levelbake.errors levelbake.file levelbake.steps",
        "levelbake.things": "levelbake.places levelbake.steps",
        "levelbake.hops": "levelbake.columns levelbake.errors levelbake.file levelbake.places "
        "levelbake.steps levelbake.things",
        "levelbake.toward": "levelbake.errors levelbake.hops levelbake.steps",
        "levelbake.changes": "levelbake.errors levelbake.file levelbake.hops levelbake.places "
        "levelbake.steps levelbake.things levelbake.toward",
        "levelbake.profile": "levelbake.errors levelbake.hops levelbake.places levelbake.steps "
        "levelbake.toward",
        "levelbake.level": "levelbake.changes levelbake.errors levelbake.file levelbake.hops "
        "levelbake.places levelbake.profile levelbake.steps levelbake.things "
        "levelbake.toward",
        "levelbake.protocols": "levelbake.changes levelbake.errors levelbake.places "
        "levelbake.steps levelbake.things",
        "levelbake": "",
        "core": "",
        "project": "",
        "extras": "",
        "core.arrays": "levelbake.steps",
        "core.errors": "",
        "core.toml": "",
        "core.processors": "",
        "core.workers": "core.interrupts",
        "core.interrupts": "",
        "core.reader_sources": "",
        "core.graph": "",
        "core.extras": "",
        "core.movement": "levelbake.steps",
        "core.placement": "",
        "core.level": "levelbake.places levelbake.steps core.movement core.placement",
        "core.kernels": "core.graph core.interrupts core.processors",
        "search": "levelbake.places",
        "search.graph": "core.graph core.kernels",
        "search.all_pairs": "core.graph core.kernels search.graph",
        "search.point": "core.graph core.kernels search.graph search.all_pairs search.contraction",
        "search.hierarchy": "core.graph levelbake.steps core.kernels core.movement search.graph "
        "search.all_pairs",
        "search.contraction": "core.graph core.kernels search.graph",
        "search.plane": "core.kernels",
        "search.incremental": "core.graph core.kernels search.point",
        "search.live": "core.graph levelbake.steps core.kernels search.graph search.all_pairs "
        "search.hierarchy search.contraction",
        "levels.reading": "levelbake.places core.graph levelbake.steps core.level core.movement "
        "core.toml",
        "levels.ldtk": "levelbake.places core.graph core.level core.toml levels.reading",
        "levels.tiled": "levelbake.places core.graph levelbake.steps core.level core.movement "
        "core.toml levels.reading",
        "levels.plane": "levelbake.places core.level levels.reading",
        "levels": "levelbake.places core.graph levelbake.steps core.level core.movement "
        "core.placement core.toml",
        "worlds": "geometry core.graph levelbake.steps core.level core.movement core.toml "
        "search.graph search.plane",
        "geometry": "levelbake.places levelbake.steps core.level",
        "tables": "core.graph levelbake.steps core.kernels core.movement search",
        "store": "core.graph levelbake.steps levelbake.columns levelbake.file "
        "levelbake.hops core.interrupts core.movement core.placement "
        "core.processors levelbake.places",
        "store.flat": "store core.graph levelbake.columns levelbake.file",
        "verify": "store core.graph core.kernels core.extras core.processors "
        "levelbake.columns levelbake.file",
        "play.reader": "store levelbake.places core.graph levelbake.steps core.movement "
        "core.kernels search.all_pairs search.contraction levelbake.columns "
        "levelbake.file levelbake.hops",
        "play.hierarchy": "store core.graph levelbake.steps levelbake.columns core.kernels search "
        "play.reader",
        "play.searching": "core.graph levelbake.steps core.extras search play.reader "
        "play.hierarchy play.nearest levelbake.places",
        "play.nearest": "core.kernels search.point play.reader levelbake.hops levelbake.places "
        "levelbake.steps",
        "play.mesh": "play.reader levelbake.places",
        "play.walls": "core.kernels search.plane play.mesh play.reader levelbake.hops "
        "levelbake.places",
        "play.sight": "levelbake.steps search.point play.reader levelbake.things play.mesh "
        "play.walls levelbake.places",
        "play.snapshot": "core.graph play.mesh play.nearest play.reader play.sight play.hierarchy "
        "play.searching play.walls levelbake.places",
        "play.report": "levelbake.changes",
        "play.live": "store core.graph levelbake.steps core.kernels core.movement search "
        "play.reader play.mesh play.report levelbake.things play.hierarchy "
        "play.searching play.snapshot levelbake.places levelbake.changes "
        "levelbake.hops levelbake.file levelbake.toward",
        "play.current": "store play.reader play.hierarchy levelbake.things play.searching "
        "play.snapshot play.live levelbake.places",
        "play.requests": "search play.reader play.searching play.snapshot levelbake.places",
        "play.follow": "play.reader play.sight levelbake.places",
        "play.clusters": "search.graph play.live play.reader play.searching levelbake.places",
        "play.searches": "core.graph play.clusters play.searching play.requests play.current "
        "levelbake.places",
        "play.plane": "play.current play.follow play.sight levelbake.places",
        "play.navigator": "core.kernels play.reader play.searching play.snapshot levelbake.things "
        "play.live play.current play.nearest play.searches play.plane play.walls "
        "play.report levelbake.places",
        "play.level": "store levelbake.places core.kernels play.reader levelbake.things "
        "play.report play.live play.current play.navigator levelbake.changes "
        "levelbake.level search",
        "play": "levelbake.places levelbake.things levelbake.changes levelbake.protocols",
        "play.warm": "core.kernels play.reader play.searching play.navigator play.level "
        "levelbake.places",
        "extras.crowds": "core.graph levelbake.steps core.kernels core.level play search "
        "levelbake.places",
        "export": "store store.flat core.graph core.movement levelbake.steps "
        "levelbake.columns levelbake.file levelbake.hops play levelbake.places",
        "project.recipe": "levelbake.places core.graph core.level levels core.movement "
        "levelbake.steps",
        "baking": "store levelbake.places export store.flat core.graph levelbake.steps "
        "core.interrupts core.kernels core.extras core.level levels core.movement "
        "core.processors project.recipe search tables core.workers worlds "
        "levelbake.columns levelbake.file",
        "show.diff": "store levelbake.places core.graph play",
        "show.diff.base": "show.diff levels baking project.recipe",
        "project.lint": "geometry core.graph core.extras core.level levels core.movement "
        "levelbake.steps baking project.recipe search core.toml worlds",
        "show": "store levelbake.places show.diff core.graph levelbake.steps core.level "
        "levels project.lint core.movement baking project.recipe play tables "
        "levelbake.columns levelbake.file levelbake.things",
        "project.watch": "store core.interrupts baking core.processors levelbake.file",
        "show.viewer": "store show.diff export core.graph core.interrupts project.lint baking "
        "core.reader_sources project.recipe play show project.watch "
        "levelbake.file",
        "project.init": "store core.level levels baking project.recipe core.toml show",
        "interop": "store core.extras core.graph play",
        "apply": "store core.graph core.level core.placement baking project.recipe play "
        "worlds levelbake.file levelbake.things levelbake.places "
        "levelbake.changes levelbake.hops levelbake.steps",
        "extras.cluster": "store core.extras core.graph core.kernels baking core.processors "
        "project.recipe search tables worlds",
        "extras.school": "extras.crowds store core.graph core.kernels core.extras levels baking "
        "project.recipe play search tables verify show levelbake.file "
        "levelbake.places",
        "extras.school.tables": "core.placement levelbake.places",
        "extras.school.puzzle": "",
        "extras.school.link_costs": "core.graph core.kernels search.graph",
        "extras.school.real_time": "core.graph search.incremental search.point",
        "extras.school.spaces": "extras.school.puzzle search.best_first search.problem "
        "levelbake.places",
        "extras.school.patterns": "core.kernels extras.school.pattern_asset extras.school.puzzle "
        "extras.school.spaces search.problem",
        "extras.school.pattern_asset": "store extras.school.puzzle levelbake.columns "
        "levelbake.file",
        "extras.school.pattern_proof": "extras.school.pattern_asset extras.school.puzzle verify",
        "cli": "*",
        "__main__": "cli",
    }.items()
}

#: The only files a package may be imported in.
CONFINED: dict[str, tuple[str, ...]] = {
    "typer": ("cli*",),
    "rich": ("cli*", "show/*"),
    "PIL": ("levels/image*", "project/init/images*", "show/*"),
    "networkx": ("interop.py",),
    # Verifying must share no code with baking, so it asks scipy.
    "scipy": ("interop.py", "verify/*"),
    "h5py": ("store/write.py", "levelbake/file.py"),
    "pydantic": ("levels/*", "extras/school/puzzle_json*"),
    "pydantic_core": ("levels/*",),
    "numba": ("core/kernels/jit.py",),
    "distributed": ("extras/cluster/*",),
    "dask": ("extras/cluster/*",),
    "shapely": (
        "show/diff/plane.py",
        "geometry/*",
        "project/lint/straight.py",
        "worlds/*",
        "verify/*",
    ),
    "watchfiles": ("project/watch*",),
}

#: Rooms a game's reader consists of: what they import at once is all that it has to ship.
READER = (
    "levelbake",
    "core.arrays",
    "core.extras",
    "core.errors",
    "core.interrupts",
    "core.graph",
    "core.movement",
    "core.placement",
    "store",
    "core.kernels",
    "search",
    "play",
)

#: The most parameters of a kernel; more of them belong in bundles.
MOST_PARAMETERS = 15
#: Kernels that take more, and how many. The list only shrinks.
KNOWN = {
    "search.live.next_hops.next_rows": 20,
    "search.live.next_hops.paths": 20,
}

#: Modules in one folder.
MOST_MODULES = 20

#: Modules of the reader, so that a newcomer can find their way in it.
MOST_READER_MODULES = 14

MODULES = modules()


def room_of(module: str) -> str:
    """The room a module belongs to: the longest of ROOMS that its name begins with."""
    parts = module.split(".")
    for end in range(len(parts), 0, -1):
        if ".".join(parts[:end]) in ROOMS:
            return ".".join(parts[:end])
    raise AssertionError(f"{module} has no place among the rooms: give it one here")


def lies_in(module: str, room: str) -> bool:
    return module == room or module.startswith(room + ".")


def only_filled(wrong: dict[str, set[str]]) -> dict[str, set[str]]:
    """What is wrong where anything is, so that a failure tells every place at once."""
    return {name: found for name, found in wrong.items() if found}


def place(path: Path) -> str:
    return path.relative_to(
        PACKAGE if path.is_relative_to(PACKAGE) else LEVELBAKE.parent
    ).as_posix()


def test_rooms() -> None:
    wrong = {}
    for module, path in MODULES.items():
        own = room_of(module)
        allowed = ROOMS[own] | {own}
        if "*" not in allowed:
            found = imports(path, MODULES)
            wrong[module] = {x for x in found if not any(lies_in(x, room) for room in allowed)}
    assert only_filled(wrong) == {}


def test_the_core_imports_no_extra() -> None:
    """Not even inside functions or for types; `core.extras` imports registered modules by name."""
    core = {name for name in MODULES if not lies_in(name, "extras")}
    wrong = {
        name: {found for found in imports(MODULES[name], MODULES) if lies_in(found, "extras")}
        for name in core
    }
    assert len(core) > 100
    assert only_filled(wrong) == {}
    for room, allowed in ROOMS.items():
        if not lies_in(room, "extras"):
            assert not any(lies_in(name, "extras") for name in allowed), room
    assert {room for room, allowed in ROOMS.items() if "*" in allowed} == {"cli"}


def test_only_the_registry_names_an_extra_to_import() -> None:
    """Imports by a function are not seen by the tests above, so no core module may use them."""
    wrong = {}
    for name, path in MODULES.items():
        if lies_in(name, "extras") or name == "core.extras":
            continue
        calls = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)]
        wrong[name] = {
            ast.unparse(call)
            for call in calls
            if ast.unparse(call.func).endswith(("import_module", "__import__"))
            and "extras" in ast.unparse(call)
        }
    assert only_filled(wrong) == {}


def test_every_room_is_there() -> None:
    for room, allowed in ROOMS.items():
        for name in {room} | allowed - {"*"}:
            assert any(lies_in(module, name) for module in MODULES), name


def test_no_circle_of_modules() -> None:
    below = {name: imports(path, MODULES) - {name} for name, path in MODULES.items()}
    assert circles(below) == []


def test_no_circle_of_rooms() -> None:
    everything = set(ROOMS)
    core_rooms = {room for room in ROOMS if not lies_in(room, "extras")}
    below: dict[str, set[str]] = {}
    for room, allowed in ROOMS.items():
        wanted = core_rooms - {"cli", "__main__"} if "*" in allowed else allowed
        below[room] = {
            each for each in everything for name in wanted if lies_in(each, name) and each != room
        }
    assert circles(below) == []


def test_what_proves_shares_nothing_with_what_bakes() -> None:
    bakes = {"search", "tables", "worlds", "levelbake.steps", "core.movement", "baking", "play"}
    assert not (ROOMS["verify"] | ROOMS["extras.school.pattern_proof"]) & bakes
    for sibling in ("levels", "worlds", "tables"):
        assert not ROOMS[sibling] & {"levels", "worlds", "tables"}


def test_packages_stay_where_they_belong() -> None:
    wrong = {}
    for path in MODULES.values():
        names = names_imported(parsed(path), outermost=False)
        wrong[place(path)] = {
            name
            for name in CONFINED.keys() & {name.split(".")[0] for name in names}
            if not any(fnmatch(place(path), home) for home in CONFINED[name])
        }
    assert only_filled(wrong) == {}


def reader_room(module: str) -> str | None:
    """Return the room of READER that a module lies in."""
    return next((room for room in READER if lies_in(module, room)), None)


def test_a_game_needs_numpy_and_h5py_alone() -> None:
    """What the reader consists of imports nothing else at once; functions may."""
    packages = {*sys.stdlib_module_names, "bake", "levelbake", "numpy", "h5py"}
    wrong, seen = {}, set()
    for module, path in MODULES.items():
        if room := reader_room(module):
            seen.add(room)
            names = names_imported(parsed(path), outermost=True)
            at_once = imports(path, MODULES, outermost=True)
            wrong[module] = {name.split(".")[0] for name in names} - packages
            wrong[module] |= {name for name in at_once if not reader_room(name)}
            wrong[module] -= {"core.processors"}
    assert only_filled(wrong) == {}
    assert seen == set(READER)


def test_levelbake_stands_alone() -> None:
    """It imports numpy, h5py and itself, and nothing late; and it starts no process."""
    known = {*sys.stdlib_module_names, "numpy", "h5py", "levelbake"}
    wrong = {}
    for module, path in MODULES.items():
        if lies_in(module, "levelbake"):
            names = set(names_imported(parsed(path), outermost=False))
            late = names - set(names_imported(parsed(path), outermost=True))
            tops = {name.split(".")[0] for name in names}
            wrong[module] = (
                late | (tops - known) | tops & {"subprocess", "multiprocessing", "ctypes"}
            )
    assert wrong
    assert only_filled(wrong) == {}


@pytest.mark.parametrize("name", ["networkx", "scipy"])
def test_interop_imports_inside_functions(name: str) -> None:
    tree = parsed(PACKAGE / "interop.py")
    assert name not in {each.split(".")[0] for each in names_imported(tree, outermost=True)}
    assert name in {each.split(".")[0] for each in names_imported(tree, outermost=False)}


# -- sizes ----------------------------------------------------------------------------------------


def test_no_folder_is_a_hall() -> None:
    assert {name: size for name, size in folder_sizes(MODULES).items() if size > MOST_MODULES} == {}


def test_the_reader_has_few_modules() -> None:
    reader = [path for name, path in MODULES.items() if lies_in(name, "levelbake")]
    assert 0 < len(reader) <= MOST_READER_MODULES


def test_kernels_take_bundles() -> None:
    long = {
        f"{module}.{function}": count
        for module, path in MODULES.items()
        for function, (count, is_kernel) in signatures(path).items()
        if is_kernel and count > MOST_PARAMETERS
    }
    assert long == KNOWN


# -- the reader of imports itself: else the tests above would prove nothing ----------------------


def test_the_package_is_found() -> None:
    assert {"core.graph", "search.all_pairs.batch", "play", "play.reader"} <= set(MODULES)


def test_names_imported() -> None:
    tree = ast.parse(
        "import numpy as np\n"
        "from bake.core.graph import Graph\n"
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from bake.cli import main\n"
        "class A:\n    def f(self):\n        import numba\n"
        "        from bake.project import recipe\n"
    )
    everywhere = {"numpy", "bake.core.graph.Graph", "typing.TYPE_CHECKING"}
    assert set(names_imported(tree, outermost=True)) == everywhere
    everywhere |= {"bake.cli.main", "numba", "bake.project.recipe"}
    assert set(names_imported(tree, outermost=False)) == everywhere


def test_a_name_belongs_to_its_module(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text("from bake.search.all_pairs import batch\nfrom bake.core.graph import Graph\n")
    known = {"core.graph", "search", "search.all_pairs", "search.all_pairs.batch"}
    assert imports(file, known) == {"search.all_pairs.batch", "core.graph"}


def test_circles_are_found() -> None:
    below = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"f"}, "f": {"e"}}
    assert circles(below) == [["a", "b", "c"], ["e", "f"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_parameters_are_counted_by_qualified_name(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(
        "@kernel\ndef f(a, b, *, c): ...\n"
        "if fast:\n    @jit.accessor\n    def h(a, *rest, **more): ...\n"
        "class A:\n    @separate()\n    def g(self, a): ...\n    def f(self): ...\n"
        "def g(a):\n    def f(a, b): ...\n"
        "@overload\ndef k(a, b): ...\ndef k(a): ...\n"
    )
    assert signatures(file) == {
        "f": (3, True),
        "h": (3, True),
        "A.g": (2, True),
        "A.f": (1, False),
        "g": (1, False),
        "g.<locals>.f": (2, False),
        "k": (2, False),
    }
