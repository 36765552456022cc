"""Read the bytes, text and JSON of level files, and resolve their references to other files.

JSON is read strictly: UTF-8, no repeated keys, limited size and depth. References must stay inside
the project unless the recipe allows others. Git LFS pointers and unresolved merge conflicts are
reported as such.
"""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from unicodedata import normalize

from bake.core.errors import LevelError
from bake.levels.reading.limits import spend_text
from bake.levels.reading.mistakes import Where, json_place, refuse, shown
from bake.levels.reading.names import fold_file_name
from levelbake.errors import LFS_POINTER, is_lfs_pointer

#: A JSON value takes many times its text in memory, so this is far less than an image may have.
# limit: a one-line error; tests/levels/test_companions.py
MAX_JSON_BYTES = 2**26
#: The most keys of one object. No format has that many, and each unknown key would be reported.
MAX_KEYS = 2**16

_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
#: The message and the remedy for text with an unresolved merge conflict.
CONFLICT = "this line marks a merge conflict that is not resolved"
RESOLVE = "resolve the conflict in an editor or with `git mergetool`"
_TOKEN = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[\[\]{},]')


def check_file(path: Path) -> int:
    """Return the size of a file in bytes. The file must be a regular file that is not empty.

    Raises:
        LevelError: the file is missing, a folder, not a regular file, or empty.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        raise LevelError("there is no such file", file=path) from None
    except (OSError, ValueError) as error:
        raise _unreadable_error(path, error) from None
    if stat.S_ISDIR(status.st_mode):
        refuse(path, None, "this is a folder", "a level file")
    if not stat.S_ISREG(status.st_mode):
        refuse(path, None, "this is a device or a pipe", "a regular file")
    if status.st_size == 0:
        refuse(path, None, "the file is empty", "a level")
    return status.st_size


def read_start(path: Path, limit: int) -> bytes:
    """Read at most ``limit`` bytes from the start of a file, without a UTF-8 byte order mark.

    Raises:
        LevelError: as for :func:`check_file`, or the file is unreadable or a Git LFS pointer.
    """
    check_file(path)
    try:
        with path.open("rb") as file:
            data = file.read(limit)
    except OSError as error:
        raise _unreadable_error(path, error) from None
    if is_lfs_pointer(data):
        raise LevelError(LFS_POINTER, file=path)
    return data.removeprefix(_BOM)


def read_whole(path: Path, limit: int, remedy: str) -> bytes:
    """Read the bytes of a text file in any encoding, without a UTF-8 byte order mark.

    Raises:
        LevelError: as for :func:`read_start`, or the file has more than ``limit`` bytes or a merge
            conflict.
    """
    size = check_file(path)
    if size > limit:
        refuse(path, None, f"the file has {size:,} bytes", f"at most {limit:,}", remedy)
    spend_text(path, size)
    data = read_start(path, size)
    check_merged(path, data)
    return data


def read_text(path: Path, limit: int, remedy: str) -> str:
    """Read the text of a UTF-8 file of at most ``limit`` bytes.

    Returns:
        The text without a byte order mark, with line feeds as line ends.

    Raises:
        LevelError: as for :func:`read_whole`, or the text is not UTF-8.
    """
    data = read_whole(path, limit, remedy)
    check_encoding(path, data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LevelError(
            f"byte 0x{data[error.start]:02x} is not UTF-8 text",
            file=path,
            place=f"line {find_line_number(data, error.start)}",
            expected="text in UTF-8",
            remedy="save it again as UTF-8",
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_encoding(path: Path, data: bytes) -> None:
    """Raise a LevelError if the data are UTF-16 or UTF-32, with or without a byte order mark."""
    if data.startswith(_WIDE_BOMS) or b"\0" in data[:4]:
        problem = "the text is in UTF-16 or UTF-32"
        refuse(path, None, problem, "text in UTF-8", "save it again as UTF-8")


def check_merged(path: Path, data: bytes) -> None:
    """Raise a LevelError if the text has an unresolved merge conflict."""
    if (line := find_conflict(data)) is not None:
        refuse(path, f"line {line}", CONFLICT, "one version of these lines", RESOLVE)


def find_conflict(data: bytes) -> int | None:
    """Return the line of the first merge conflict marker, counted from 1, or None.

    Only levels of text can contain such a line by chance; other formats cannot.
    """
    offset = _find_line(b"<<<<<<< ", data)
    if offset < 0:
        # The first marker may have been deleted. A row of "=" alone may be an ornament.
        offset = _find_line(b">>>>>>> ", data)
        if not 0 <= _find_line(b"=======", data) < offset:
            return None
    return find_line_number(data, offset)


def _find_line(start: bytes, data: bytes) -> int:
    """Return the offset of the first line that begins with ``start``, or -1."""
    if data.startswith(start):
        return 0
    offsets = (data.find(end + start) for end in (b"\n", b"\r"))
    return min((offset + 1 for offset in offsets if offset >= 0), default=-1)


def find_line_number(data: bytes, offset: int) -> int:
    """Return the line of the byte at an offset of a text, counted from 1."""
    before = data[:offset]
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1


def _unreadable_error(path: Path, error: OSError | ValueError) -> LevelError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return LevelError(f"the file cannot be read: {reason}", file=path)


def read_document(path: Path) -> object:
    """Parse a JSON file.

    Raises:
        LevelError: the file is unreadable, not UTF-8, too large or not JSON, or an object repeats
            a key.
    """
    text = read_text(
        path, MAX_JSON_BYTES, "save large levels as an image, or split the level into several"
    )
    try:
        return json.loads(text, object_pairs_hook=_build_object)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        problem, expected = f"the file is not JSON: {error.msg}", "a JSON object"
    except _DuplicateKeyError:
        place = "{} (line {})".format(*_find_duplicate(text))
        problem, expected = "this key is given twice in one object", "each key once"
    except _TooManyKeysError:
        place, problem = None, "an object has too many keys"
        expected = f"at most {MAX_KEYS:,} in one object"
    except RecursionError:
        place, problem = None, "the JSON is nested too deeply"
        expected = "a level, a few brackets deep"
    except ValueError as error:  # The file has a number with thousands of digits.
        place, problem, expected = None, f"the JSON cannot be used: {error}", None
    refuse(path, place, problem, expected)


def check_version(top: Where, version: object, newest: int) -> None:
    """Raise a LevelError if the format version is missing, not an integer, or unknown."""
    where = top.inside("version")
    if type(version) is not int:
        problem = (
            "the version is missing" if version is None else f"the version is {shown(version)}"
        )
        where.refuse(problem, str(newest))
    if version > newest:
        problem = f"version {shown(version)} of the format is too new for this bake"
        where.refuse(problem, f"at most {newest}", "update bake")
    if version < 1:
        problem = f"version {shown(version)} of the format does not exist"
        where.refuse(problem, str(newest))


class _DuplicateKeyError(Exception):
    pass


class _TooManyKeysError(Exception):
    pass


def _build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(pairs) > MAX_KEYS:
        raise _TooManyKeysError
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _DuplicateKeyError
    return members


@dataclass
class _OpenContainer:
    """An object or list that is not closed yet, and the current key or position in it."""

    keys: set[str] | None
    step: str | int


def _find_duplicate(text: str) -> tuple[str, int]:
    """Return the path and the line of the first repeated key in JSON text."""
    open_levels: list[_OpenContainer] = []
    for token in _TOKEN.finditer(text):
        string, colon = token.groups()
        if string is not None:
            keys = open_levels[-1].keys if open_levels else None
            if colon is not None and keys is not None:
                key = json.loads(string)
                open_levels[-1].step = key
                if key in keys:
                    line = text.count("\n", 0, token.start()) + 1
                    return json_place(level.step for level in open_levels), line
                keys.add(key)
        elif token[0] == "{":
            open_levels.append(_OpenContainer(set(), ""))
        elif token[0] == "[":
            open_levels.append(_OpenContainer(None, 0))
        elif token[0] == ",":
            if open_levels and isinstance(open_levels[-1].step, int):
                open_levels[-1].step += 1
        elif open_levels:
            open_levels.pop()
    return "somewhere", 1


def find_project_root(source: Path, project: Path | None) -> Path:
    """Return the resolved folder that references must stay in.

    This is the folder of the recipe if the level lies inside it, or else the folder of the level:
    a level outside the project, named on the command line, is a project of its own.

    Args:
        source: the level file.
        project: the folder of the recipe; None = there is no recipe.
    """
    home = source.parent.resolve()
    root = home if project is None else project.resolve()
    return root if home.is_relative_to(root) else home


def resolve_reference(
    owner: Path, reference: str, *, root: Path, allow_outside: bool, place: str, table: str
) -> Path:
    """Return the path of the file that a reference names.

    Args:
        owner: the file that contains the reference; paths are relative to its folder.
        reference: the path as written in ``owner``.
        root: the folder from :func:`find_project_root`.
        allow_outside: whether the file may lie outside ``root``.
        place: the place of the reference in ``owner``, for errors.
        table: the table of the recipe that may allow files outside: "tiled" or "ldtk".

    Raises:
        LevelError: the reference is not a path, leaves the project folder, or names no file.
    """
    if not reference or not reference.isprintable():
        problem = f"the reference {shown(reference)} is not the name of a file"
        refuse(owner, place, problem, "a relative path")
    path = owner.parent / reference
    try:
        exists = path.is_file()
        if not exists and "\\" in reference:
            # Windows separates folders by backslashes; other systems allow them in file names.
            path = owner.parent / reference.replace("\\", "/")
            exists = path.is_file()
        inside = path.resolve().is_relative_to(root)
    except (OSError, RuntimeError, ValueError):
        problem = f"the reference {shown(reference)} is not a path"
        raise LevelError(problem, file=owner, place=place, expected="a relative path") from None
    # Systems without drives would read a drive as a folder, so reject drives everywhere.
    foreign = bool(PureWindowsPath(reference).drive)
    if foreign or not (inside or allow_outside):
        refuse(
            owner,
            place,
            f"the reference {shown(reference)} leaves the project folder",
            f"a file inside {root}",
            f"move the file, or set allow_outside = true in [{table}]",
        )
    if not exists:
        problem, remedy = f"the file {shown(reference)} is missing", "restore it"
        similar = _find_other_spelling(path, None if allow_outside else root)
        if similar is not None:
            spelled, difference = similar
            name = Path(os.path.relpath(spelled, owner.parent)).as_posix()
            problem += f", but {shown(name)} is there, which differs in {difference}"
            remedy = "rename one of them"
        refuse(owner, place, problem, "the file it names", f"{remedy}, or save the project again")
    return path


def _find_other_spelling(path: Path, root: Path | None) -> tuple[Path, str] | None:
    """Find the file whose path differs from a missing one in letter case or accent encoding.

    Args:
        path: the missing file.
        root: the resolved folder that may be listed; None = any folder may be listed.

    Returns:
        The file and the difference in words, or None if no file or several files match.
    """
    place = Path(path.anchor)
    for part in path.parts[1:] if path.anchor else path.parts:
        try:
            if part == ".." or (place / part).exists():
                place /= part
                continue
            if root is not None and not place.resolve().is_relative_to(root):
                return None
            matches = [
                entry
                for entry in place.iterdir()
                if fold_file_name(entry.name) == fold_file_name(part)
            ]
        except (OSError, RuntimeError, ValueError):
            return None
        if len(matches) != 1:
            return None
        place = matches[0]
    if not place.is_file():
        return None
    differences = []
    if normalize("NFC", str(place)) != normalize("NFC", str(path)):
        differences.append("letter case")
    if str(place).casefold() != str(path).casefold():
        differences.append("how accents are encoded")
    return place, " and ".join(differences)
