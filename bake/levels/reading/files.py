"""Read files: their bytes, their text, their JSON, and the files they refer to.

JSON is read strictly: UTF-8, no key twice, of bounded size and depth. References stay inside the
project, unless the recipe says otherwise. Files that Git left in another state than the author
saved them, such as pointers and merge conflicts, are reported as such.
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
#: The most keys of one object. No format has that many, and each unknown one is a mistake to
#: report.
MAX_KEYS = 2**16

_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
#: The message and the remedy for text with an unresolved merge conflict.
CONFLICT = "this line marks a merge conflict that is not resolved"
RESOLVE = "resolve the conflict in an editor or with `git mergetool`"
_TOKEN = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[\[\]{},]')


def check_file(path: Path) -> int:
    """Check that a file is a regular one and not empty, and return its size in bytes.

    Raises:
        LevelError: the file is missing, a folder, not a regular file, or empty.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        raise LevelError("there is no such file", file=path) from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    if stat.S_ISDIR(status.st_mode):
        refuse(path, None, "this is a folder", "a level file")
    if not stat.S_ISREG(status.st_mode):
        refuse(path, None, "this is a device or a pipe", "a regular file")
    if status.st_size == 0:
        refuse(path, None, "the file is empty", "a level")
    return status.st_size


def read_start(path: Path, limit: int) -> bytes:
    """Read at most ``limit`` bytes from the file's start, and drop a UTF-8 byte order mark.

    Raises:
        LevelError: as for :func:`check_file`, the system refuses to read the file, or it is a Git
            LFS pointer.
    """
    check_file(path)
    try:
        with path.open("rb") as file:
            data = file.read(limit)
    except OSError as error:
        raise _unreadable(path, error) from None
    if is_lfs_pointer(data):
        raise LevelError(LFS_POINTER, file=path)
    return data.removeprefix(_BOM)


def read_whole(path: Path, limit: int, remedy: str) -> bytes:
    """Read a whole text file of at most ``limit`` bytes, in any encoding; drop a UTF-8 BOM.

    Raises:
        LevelError: as for :func:`read_start`, or the file is too large or has a merge conflict.
    """
    size = check_file(path)
    if size > limit:
        refuse(path, None, f"the file has {size:,} bytes", f"at most {limit:,}", remedy)
    spend_text(path, size)
    data = read_start(path, size)
    check_merged(path, data)
    return data


def read_text(path: Path, limit: int, remedy: str) -> str:
    """Read a whole UTF-8 file of at most ``limit`` bytes.

    Returns:
        The text without a byte order mark. Every line ends in a line feed alone.

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
            place=f"line {line_at(data, error.start)}",
            expected="text in UTF-8",
            remedy="save it again as UTF-8",
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_encoding(path: Path, data: bytes) -> None:
    """Reject UTF-16 and UTF-32, with or without a byte order mark.

    Raises:
        LevelError: the data are in one of them.
    """
    if data.startswith(_WIDE_BOMS) or b"\0" in data[:4]:
        found = "the text is in UTF-16 or UTF-32"
        refuse(path, None, found, "text in UTF-8", "save it again as UTF-8")


def check_merged(path: Path, data: bytes) -> None:
    """Reject text with an unresolved merge conflict.

    Raises:
        LevelError: there is one.
    """
    if (line := conflict_line(data)) is not None:
        refuse(path, f"line {line}", CONFLICT, "one version of these lines", RESOLVE)


def conflict_line(data: bytes) -> int | None:
    """Return the line of the first marker of a merge conflict, from 1; None without conflicts.

    Rows of characters may begin like one only by a rare chance; no other format has such lines.
    """
    place = _first_line_with(b"<<<<<<< ", data)
    if place < 0:
        # The first marker may have been removed. Rows of "=" alone may be ornaments in comments.
        place = _first_line_with(b">>>>>>> ", data)
        if not 0 <= _first_line_with(b"=======", data) < place:
            return None
    return line_at(data, place)


def _first_line_with(start: bytes, data: bytes) -> int:
    """Return the offset of the first line that begins with ``start``, or -1."""
    if data.startswith(start):
        return 0
    places = (data.find(end + start) for end in (b"\n", b"\r"))
    return min((place + 1 for place in places if place >= 0), default=-1)


def line_at(data: bytes, place: int) -> int:
    """Return the number of the line, from 1, that a byte of a text belongs to."""
    before = data[:place]
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1


def _unreadable(path: Path, error: OSError | ValueError) -> LevelError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return LevelError(f"the file cannot be read: {reason}", file=path)


def read_document(path: Path) -> object:
    """Read the value of a JSON file.

    Raises:
        LevelError: the file is unreadable, not UTF-8, too large or not JSON, or an object has a key
            twice.
    """
    text = read_text(
        path, MAX_JSON_BYTES, "save large levels as an image, or split the level into several"
    )
    try:
        return json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        found, expected = f"the file is not JSON: {error.msg}", "a JSON object"
    except _DuplicateKeyError:
        place = "{} (line {})".format(*_first_duplicate(text))
        found, expected = "this key is given twice in one object", "each key once"
    except _TooManyKeysError:
        place, found = None, "an object has too many keys"
        expected = f"at most {MAX_KEYS:,} in one object"
    except RecursionError:
        place, found = None, "the JSON is nested too deeply"
        expected = "a level, a few brackets deep"
    except ValueError as error:  # This is a number with thousands of digits.
        place, found, expected = None, f"the JSON cannot be used: {error}", None
    refuse(path, place, found, expected)


def check_version(top: Where, version: object, newest: int) -> None:
    """Refuse a file of another version than this one, before anything else is said of it.

    Raises:
        LevelError: the version is missing, not a whole number, too old or too new.
    """
    where = top.inside("version")
    if type(version) is not int:
        found = "the version is missing" if version is None else f"the version is {shown(version)}"
        where.refuse(found, str(newest))
    if version > newest:
        found = f"version {shown(version)} of the format is too new for this bake"
        where.refuse(found, f"at most {newest}", "update bake")
    if version < 1:
        found = f"there never was a version {shown(version)} of the format"
        where.refuse(found, str(newest))


class _DuplicateKeyError(Exception):
    pass


class _TooManyKeysError(Exception):
    pass


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(pairs) > MAX_KEYS:
        raise _TooManyKeysError
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _DuplicateKeyError
    return found


@dataclass
class _Open:
    """An object or list that is still open, and the key or position reached in it."""

    keys: set[str] | None
    step: str | int


def _first_duplicate(text: str) -> tuple[str, int]:
    """Find the path and line of the first repeated key in text that is otherwise JSON."""
    around: list[_Open] = []
    for token in _TOKEN.finditer(text):
        string, colon = token.groups()
        if string is not None:
            keys = around[-1].keys if around else None
            if colon is not None and keys is not None:
                key = json.loads(string)
                around[-1].step = key
                if key in keys:
                    line = text.count("\n", 0, token.start()) + 1
                    return json_place(each.step for each in around), line
                keys.add(key)
        elif token[0] == "{":
            around.append(_Open(set(), ""))
        elif token[0] == "[":
            around.append(_Open(None, 0))
        elif token[0] == ",":
            if around and isinstance(around[-1].step, int):
                around[-1].step += 1
        elif around:
            around.pop()
    return "somewhere", 1


def project_root(source: Path, project: Path | None) -> Path:
    """Return the folder that references may not leave, resolved.

    Args:
        source: the level file.
        project: the recipe's folder; None = there is no recipe.

    Returns:
        The project where the level lies inside it, else the level's own folder: a level outside the
        project, named on the command line, is a project of its own.
    """
    home = source.parent.resolve()
    root = home if project is None else project.resolve()
    return root if home.is_relative_to(root) else home


def referred_file(
    owner: Path, reference: str, *, root: Path, allow_outside: bool, place: str, table: str
) -> Path:
    """Find the file a reference means, relative to the folder of the file it stands in.

    Args:
        owner: the file the reference stands in.
        reference: as it is written there.
        root: from :func:`project_root`.
        allow_outside: whether it may lie outside of ``root``.
        place: where in ``owner`` it stands, for errors.
        table: the recipe's table that may allow it: "tiled" or "ldtk".

    Raises:
        LevelError: the reference is not a path, leaves the project folder, or leads to nothing.
    """
    if not reference or not reference.isprintable():
        found = f"the reference {shown(reference)} is not the name of a file"
        refuse(owner, place, found, "a relative path")
    path = owner.parent / reference
    try:
        there = path.is_file()
        if not there and "\\" in reference:
            # Windows separates folders by backslashes, and other systems take them for letters.
            path = owner.parent / reference.replace("\\", "/")
            there = path.is_file()
        inside = path.resolve().is_relative_to(root)
    except (OSError, RuntimeError, ValueError):
        found = f"the reference {shown(reference)} leads nowhere"
        raise LevelError(found, file=owner, place=place, expected="a relative path") from None
    # Systems without drives would take a drive for a folder, so drives are refused on all systems.
    foreign = bool(PureWindowsPath(reference).drive)
    if foreign or not (inside or allow_outside):
        refuse(
            owner,
            place,
            f"the reference {shown(reference)} leaves the project folder",
            f"a file inside {root}",
            f"move the file, or set allow_outside = true in [{table}]",
        )
    if not there:
        found, remedy = f"the file {shown(reference)} is missing", "bring it back"
        other = _find_other_spelling(path, None if allow_outside else root)
        if other is not None:
            spelled, differs = other
            name = Path(os.path.relpath(spelled, owner.parent)).as_posix()
            found += f", but {shown(name)} is there, which differs in {differs}"
            remedy = "rename one of them"
        refuse(owner, place, found, "the file it names", f"{remedy}, or save the project again")
    return path


def _find_other_spelling(path: Path, root: Path | None) -> tuple[Path, str] | None:
    """Find the file whose path differs from a missing one in case or in how accents are encoded.

    Args:
        path: of the missing file.
        root: folder outside of which nothing is listed, resolved; None = all may be listed.

    Returns:
        The file and the difference in words; None where no file or more than one fits.
    """
    place = Path(path.anchor)
    for part in path.parts[1:] if path.anchor else path.parts:
        try:
            if part == ".." or (place / part).exists():
                place /= part
                continue
            if root is not None and not place.resolve().is_relative_to(root):
                return None
            fits = [
                each
                for each in place.iterdir()
                if fold_file_name(each.name) == fold_file_name(part)
            ]
        except (OSError, RuntimeError, ValueError):
            return None
        if len(fits) != 1:
            return None
        place = fits[0]
    if not place.is_file():
        return None
    differences = []
    if normalize("NFC", str(place)) != normalize("NFC", str(path)):
        differences.append("letter case")
    if str(place).casefold() != str(path).casefold():
        differences.append("how accents are encoded")
    return place, " and ".join(differences)
