"""Read the custom classes and enums of a Tiled project, and resolve property values.

Maps store only the members that differ from the defaults of their class, and may store enum values
as numbers. Only the project file has the defaults and the names of the values (Tiled documentation,
"Custom Types" and "Projects").
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, NoReturn

from bake.core.level import Remark
from bake.levels.reading.files import find_project_root, read_document
from bake.levels.reading.mistakes import json_place, refuse, shown

PROJECT_SUFFIX = ".tiled-project"
#: The kinds of owners to which a class may add default properties.
Use = Literal["object", "tile", "layer"]
#: The deepest nesting of classes in classes; Tiled writes no cycles.
MAX_CLASSES_DEEP = 16
_MOST_NAMED = 3

Values = Mapping[str, object]


@dataclass(frozen=True)
class EnumType:
    """An enum: its values in the order of their numbers."""

    values: tuple[str, ...]
    is_flags: bool  #: whether a number is a set of bits, one per value

    def resolve(self, value: object) -> object:
        """Return the name of a number, or the list of names of its bits; other values unchanged."""
        if type(value) is not int or value < 0:
            return value
        if self.is_flags:
            return [name for bit, name in enumerate(self.values) if value >> bit & 1]
        return self.values[value] if value < len(self.values) else value


@dataclass(frozen=True)
class ClassType:
    """A class: the typed defaults of its members, and the kinds of owners it applies to."""

    members: Mapping[str, Values]
    uses: frozenset[str]


@dataclass
class CustomTypes:
    """The custom types that a map may use."""

    #: the searched folders, from the folder of the level upward
    searched: Sequence[Path] = ()
    files: Sequence[Path] = ()  #: the project files of the first folder that has any
    _undefined: dict[str, str] = field(default_factory=dict)
    _nameless: list[str] = field(default_factory=list)
    _unknown_classes: dict[str, None] = field(default_factory=dict)
    _defaults: dict[str, Values] = field(default_factory=dict)

    @cached_property
    def _types(self) -> Mapping[tuple[str, str], EnumType | ClassType]:
        """The types by use and name."""
        types: dict[tuple[str, str], EnumType | ClassType] = {}
        origin: dict[tuple[str, str], Path] = {}
        for file in self.files:
            for name, place, custom_type in _read_types(file):
                uses = {"property"} if isinstance(custom_type, EnumType) else custom_type.uses
                for use in uses:
                    known = types.setdefault((use, name), custom_type)
                    first = origin.setdefault((use, name), file)
                    if known != custom_type:
                        refuse(
                            file,
                            place,
                            f"the type {shown(name)} is defined otherwise in {first.name}",
                            "one definition of each type",
                            "remove one of them",
                        )
        return types

    def class_defaults(self, name: str, use: Use) -> Values:
        """Return the default properties of a class, empty if the class is not defined."""
        return self._class_members(name, self._types.get((use, name)), 0) if name else {}

    def add_class(self, name: str) -> None:
        """Record a class for the remark on classes that no project file defines."""
        if name and not self.files:
            self._unknown_classes[name] = None

    def _class_members(
        self, name: str, custom_type: EnumType | ClassType | None, depth: int
    ) -> Values:
        if not isinstance(custom_type, ClassType) or depth > MAX_CLASSES_DEEP:
            return {}
        key = f"{depth} {id(custom_type)}"
        if key not in self._defaults:
            # A class may occur in several classes; resolve it once for each depth.
            self._defaults[key] = {
                member: self._resolve_member(typed, typed.get("value"), name, depth + 1)
                for member, typed in custom_type.members.items()
            }
        return self._defaults[key]

    def _resolve_member(self, typed: Values, value: object, place: str, depth: int) -> object:
        kind, name = typed.get("type"), typed.get("propertyType", "")
        return self.resolve(value, str(kind), str(name or ""), place, depth)

    def resolve(
        self, value: object, kind: str, type_name: str, place: str, depth: int = 0
    ) -> object:
        """Return the value of a property, resolved by its custom type.

        Args:
            value: the value, converted from text; a mapping for a class, a list for a list.
            kind: the type named in the file: "int", "class", "list" and so on.
            type_name: the name of the custom type; "" = none.
            place: the place of the property, for remarks.
            depth: the number of classes and lists around the value.

        Returns:
            The names for an enum, all members of a class, or the plain values of a list.
        """
        if depth > MAX_CLASSES_DEEP:
            return None
        if isinstance(value, list) and kind == "list":
            return [self._resolve_item(item, place, depth + 1) for item in value]
        custom_type = self._types.get(("property", type_name)) if type_name else None
        if type_name and custom_type is None and (kind == "class" or type(value) is int):
            self._undefined.setdefault(type_name, place)
        if isinstance(custom_type, EnumType):
            return custom_type.resolve(value)
        if kind != "class":
            return value
        if not type_name and depth == 0:
            self._nameless.append(place)
        stored = value if isinstance(value, Mapping) else {}
        members = {} if custom_type is None else custom_type.members
        return {
            **self._class_members(type_name, custom_type, depth),
            **{
                member: self._resolve_member(
                    members.get(member) or _guess_type(item), item, place, depth + 1
                )
                for member, item in stored.items()
            },
        }

    def _resolve_item(self, item: object, place: str, depth: int) -> object:
        """Return the value of a list's item, which Tiled before 1.2 writes without a type."""
        if not isinstance(item, Mapping) or not {"type", "value"} <= item.keys():
            return item
        name = item.get("propertytype") or item.get("propertyType") or ""
        kind = item.get("type", "string")
        return self.resolve(item.get("value"), str(kind), str(name), place, depth)

    def remarks(self) -> list[Remark]:
        """Return at most one remark on undefined types, and one on unnamed types."""
        remarks = self._remarks_on_undefined()
        if self._nameless:
            message = (
                "the file does not name the class of a property, as JSON before Tiled 1.2, so "
                "default values of members are unknown; save the map as .tmx or .tmj"
            )
            remarks.append(Remark(self._nameless[0], message))
        return remarks

    def _remarks_on_undefined(self) -> list[Remark]:
        if self.files:
            subject = f"{' and '.join(file.name for file in self.files)} does not define"
        else:
            subject = f"no project file (*{PROJECT_SUFFIX}) {self._searched_words()} defines"
        if self._undefined:
            names = _join_names([*self._undefined, *self._unknown_classes])
            message = (
                f"{subject} {names}, so default values and the numbers of enums are unknown; add "
                "the project file of Tiled, or export the map with "
                '"Resolve object types and properties"'
            )
            return [Remark(next(iter(self._undefined.values())), message)]
        if self._unknown_classes:
            message = (
                f"{subject} {_join_names([*self._unknown_classes])}; if they have defaults, add "
                'the project file of Tiled, or else set classes = "off" in [lint]'
            )
            return [Remark(None, message, "classes")]
        return []

    def _searched_words(self) -> str:
        if len(self.searched) < 2:
            return "beside the map"
        return f"beside the map or above it, up to {self.searched[-1].resolve().name or '/'}"


def _guess_type(value: object) -> Values:
    """Return the type of a member of an undefined class, as far as its value shows it."""
    if isinstance(value, list):
        return {"type": "list"}
    return {"type": "class"} if isinstance(value, Mapping) else {}


def _join_names(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    more = len(names) - _MOST_NAMED
    listed = ", ".join(map(shown, names[:_MOST_NAMED]))
    return f"{listed} and {more:,} more" if more > 0 else listed


def _read_types(file: Path) -> list[tuple[str, str, EnumType | ClassType]]:
    """Return the name, place and definition of each custom type in a project file.

    Raises:
        LevelError: the file is not a project as Tiled saves it.
    """
    document = read_document(file)
    listed = document.get("propertyTypes", []) if isinstance(document, dict) else None
    if not isinstance(listed, list):
        _reject(file, (), "the file has no list of types", "a project as Tiled saves it")
    types: list[tuple[str, str, EnumType | ClassType]] = []
    for number, item in enumerate(listed):
        steps = ("propertyTypes", number)
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            _reject(file, steps, f"the type is {shown(item)}", "an object with a name")
        kind = item.get("type", "enum")
        custom_type: EnumType | ClassType
        if kind == "class":
            custom_type = ClassType(_read_members(file, steps, item), _read_uses(file, steps, item))
        elif kind == "enum":
            values = item.get("values", [])
            if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
                _reject(file, (*steps, "values"), f"found {shown(values)}", "a list of names")
            custom_type = EnumType(tuple(values), item.get("valuesAsFlags") is True)
        else:
            continue
        types.append((item["name"], json_place(steps), custom_type))
    return types


def _read_members(file: Path, steps: tuple[str | int, ...], item: Values) -> Mapping[str, Values]:
    listed = item.get("members", [])
    if not isinstance(listed, list):
        _reject(file, (*steps, "members"), f"found {shown(listed)}", "a list")
    members: dict[str, Values] = {}
    for number, member in enumerate(listed):
        if not isinstance(member, dict) or not isinstance(member.get("name"), str):
            place = (*steps, "members", number)
            _reject(file, place, f"the member is {shown(member)}", "an object with a name")
        members[member["name"]] = member
    return members


def _read_uses(file: Path, steps: tuple[str | int, ...], item: Values) -> frozenset[str]:
    # Before Tiled 1.9, classes were only the types of properties.
    uses = item.get("useAs", ["property"])
    if not isinstance(uses, list) or not all(isinstance(value, str) for value in uses):
        _reject(file, (*steps, "useAs"), f"found {shown(uses)}", "a list of names")
    return frozenset(uses)


def _reject(file: Path, steps: Sequence[str | int], problem: str, expected: str) -> NoReturn:
    refuse(file, json_place(steps) or None, problem, expected, "save the project again in Tiled")


def find_custom_types(source: Path, project: Path | None, *, allow_outside: bool) -> CustomTypes:
    """Find the project files that define the custom types of a map.

    They are in the nearest folder that has any, from the folder of the map up to the folder that
    its references must stay in.

    Args:
        source: the map or world.
        project: the folder of the recipe; None = there is no recipe.
        allow_outside: whether to search the folders above as well.

    Raises:
        LevelError: a project file is a link to a file outside that folder.
    """
    root = find_project_root(source, project)
    searched: list[Path] = []
    for folder in _list_parents(source.parent):
        if not allow_outside and not folder.resolve().is_relative_to(root):
            break
        searched.append(folder)
        files = _list_project_files(folder)
        for file in files:
            if not allow_outside and not file.resolve().is_relative_to(root):
                problem = f"this is a link to {file.resolve()}, outside the project folder"
                refuse(file, None, problem, f"a file inside {root}", "copy it there")
        if files:
            return CustomTypes(searched, files)
    return CustomTypes(searched)


def _list_parents(folder: Path) -> Iterator[Path]:
    """Yield a folder and all its parents."""
    real = folder.resolve()
    yield folder
    while real != real.parent:
        real, up = real.parent, folder / ".."
        short = Path(os.path.normpath(up))
        folder = short if short.resolve() == real else up  # A link may lead to another parent.
        yield folder


def _list_project_files(folder: Path) -> list[Path]:
    try:
        return sorted(
            file
            for file in folder.iterdir()
            if file.name.endswith(PROJECT_SUFFIX) and file.is_file()
        )
    except OSError:  # The folder of the level is missing, or a folder above it is unreadable.
        return []
