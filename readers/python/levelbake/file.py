"""Reading and verification of baked files: HDF5 assets and flat files.

Opening a file verifies its header, digests and table of columns. A column is decoded, and verified
against its declaration, when it is read. docs/format.md describes both layouts.
"""

import contextlib
import errno
import hashlib
import json
import math
import os
import re
import stat
import struct
from collections.abc import Iterator
from functools import cache, partial
from io import BufferedReader
from operator import index
from typing import Any, NamedTuple, Self

import numpy as np

from levelbake import columns, errors
from levelbake.columns import PROFILE, Column, Schema, profile_path
from levelbake.errors import AssetError, CorruptAssetError, FilePath
from levelbake.steps import AnyArray, Int64Array, UInt8Array

try:
    import h5py
except ModuleNotFoundError:  # Flat files do not need h5py.
    h5py = None

FORMAT_NAME = "levelbake asset"
#: Version of the layout of assets. Older and newer versions raise different errors.
FORMAT_VERSION = 7
OLDEST_READABLE = 7
#: Version of the layout of flat files; the only one that can be read.
FLAT_VERSION = 3

#: Bytes of the smallest user block: HDF5 searches its signature at 0, 512, 1024, 2048, ...
SMALLEST_BLOCK = 512
# limit: a one-line error; tests/store/test_damage_header.py
LARGEST_BLOCK = 2**20

NOT_A_FILE = "this is a device or a pipe"

_FIRST_LINE = b'{"format": "' + FORMAT_NAME.encode() + b'"'
_REBAKE, _REBAKE_ANYWAY = "rebake it: `bake build`", "rebake it: `bake build --force`"
_EXPORT = "export it again: `bake export`"


class Header(NamedTuple):
    """The header of an asset: plain JSON at the start of the file, in the HDF5 user block."""

    format_version: int  #: version of the layout
    bake_revision: int  #: revision of the code that baked the level
    level: str  #: name of the level
    #: (path relative to the level file, sha256) of each source file, the level file first; then
    #: the name of each applied patch, with a marker
    sources: tuple[tuple[str, str], ...]
    recipe: str  #: sha256 of the effective recipe
    body: str  #: sha256 of all bytes after the user block
    block: int  #: bytes in the user block
    size: int  #: bytes in the file, including the user block
    stated: str = ""  #: fingerprint stored in a flat file, in hexadecimal

    def text(self) -> bytes:
        """Return the header as JSON with one field per line.

        The last line is the seal: sha256 of all lines before it.
        """
        fields = {name: getattr(self, name) for name in _FIELDS}
        lines = json.dumps({"format": FORMAT_NAME, **fields}, indent=0)
        sealed = lines.removesuffix("\n}").encode() + b",\n"
        seal = hashlib.sha256(sealed).hexdigest()
        return sealed + f'"seal": "{seal}"\n}}\n'.encode()

    def to_bytes(self) -> bytes:
        """Return the user block, padded with spaces to its size."""
        return self.text().ljust(self.block)

    def fingerprint(self) -> str:
        """Return the sha256 of all inputs of the bake, which identifies the asset's content."""
        if self.stated:
            return self.stated
        parts = (self.format_version, self.bake_revision, self.level, self.sources, self.recipe)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


#: The fields written to the file.
_FIELDS = Header._fields[:-1]


@contextlib.contextmanager
def open_to_read(path: FilePath) -> Iterator[BufferedReader]:
    """Open a regular file to read bytes; an OSError becomes an AssetError."""
    try:
        # Otherwise opening a pipe would block until there is a writer.
        nonblocking = getattr(os, "O_NONBLOCK", 0)
        with open(
            path, "rb", opener=lambda name, flags: os.open(name, flags | nonblocking)
        ) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, NOT_A_FILE)
            if errors.is_lfs_pointer(file.peek(SMALLEST_BLOCK)):
                raise errors.NotAnAssetError(errors.LFS_POINTER, file=path)
            yield file
    except FileNotFoundError:
        raise AssetError("no such asset", file=path, remedy="bake it first: `bake build`") from None
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: FilePath, error: OSError) -> AssetError:
    """Return the error for a file that the operating system cannot read."""
    return AssetError(f"cannot be read: {error.strerror or error}", file=path)


def parse_header(file: BufferedReader, path: FilePath) -> Header:
    """Read and verify the header of an open asset.

    Raises:
        NotAnAssetError: the file is not an asset, or its header is damaged.
        AssetTooOldError, AssetTooNewError: the layout has an unsupported version.
        CorruptAssetError: the file size differs from the header.
    """
    data = file.read(SMALLEST_BLOCK)
    if not data:
        raise errors.NotAnAssetError("the file is empty", file=path, remedy=_REBAKE)
    if not begins_like_ours(data):
        what, expected = "not an HDF5 file", "an asset written by `bake build`"
        if _is_hdf5(file):
            what = "an HDF5 file of another program"
        elif os.fspath(path).lower().endswith(".bake"):
            what, expected = "not a flat file", "one written by `bake export`"
        raise errors.NotAnAssetError(f"this is {what}", file=path, expected=expected)
    unreadable = errors.NotAnAssetError("the header is damaged", file=path, remedy=_REBAKE)
    size = SMALLEST_BLOCK
    while (fields := _first_object(data)) is None and size < LARGEST_BLOCK:
        data += file.read(size)
        size *= 2
    if fields is None or type(version := fields.get("format_version")) is not int:
        raise unreadable
    _check_version(path, "format", version, (OLDEST_READABLE, FORMAT_VERSION), _REBAKE)
    header = _header_of(fields)
    file.seek(0)
    # Comparing all bytes verifies text, seal and padding, because the encoding is unique.
    if header is None or file.read(header.block) != header.to_bytes():
        raise unreadable
    size = os.fstat(file.fileno()).st_size
    if size != header.size:
        raise damaged(path, f"the file has {size:,} bytes, its header says {header.size:,}")
    return header


def _is_hdf5(file: BufferedReader) -> bool:
    """Return whether HDF5's signature is at one of the offsets that HDF5 allows."""
    offset, size = 0, os.fstat(file.fileno()).st_size
    while offset < size:
        file.seek(offset)
        if file.read(len(_SIGNATURE)) == _SIGNATURE:
            return True
        offset = max(SMALLEST_BLOCK, 2 * offset)
    return False


def _first_object(data: bytes) -> dict[str, Any] | None:
    """Parse the JSON object at the start of the data; None if the object is incomplete."""
    try:
        fields, _ = json.JSONDecoder().raw_decode(data.decode("ascii"))
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _header_of(fields: dict[str, Any]) -> Header | None:
    """Build a header from JSON fields; None if a field is missing or invalid."""
    values: list[Any] = [fields.get(name) for name in _FIELDS]
    # isinstance would accept a bool as an int.
    if [*map(type, values)] != [int, int, str, list, str, str, int, int]:
        return None
    sources = values[3]
    if not all(type(pair) is list and [*map(type, pair)] == [str, str] for pair in sources):
        return None
    header = Header(*values)._replace(sources=tuple(map(tuple, sources)))
    block = header.block
    return header if SMALLEST_BLOCK <= block <= LARGEST_BLOCK and not block & (block - 1) else None


def begins_like_ours(data: bytes) -> bool:
    """Return whether the first bytes of a file are those of an asset of any version."""
    return data.replace(b"\n", b"").startswith(_FIRST_LINE)


def _check_version(
    path: FilePath, what: str, version: int, known: tuple[int, int], remedy: str
) -> None:
    """Raise on a version that is older or newer than those that can be read."""
    oldest, newest = known
    expected = f"version {newest}" if oldest == newest else f"version {oldest} to {newest}"
    if version < oldest:
        found = f"too old: {what} version {version}"
        raise errors.AssetTooOldError(found, file=path, expected=expected, remedy=remedy)
    if version > newest:
        found = f"too new: {what} version {version}"
        remedy = "update levelbake"
        raise errors.AssetTooNewError(found, file=path, expected=expected, remedy=remedy)


def damaged(
    path: FilePath, found: str, *, verdict: str = "damaged", remedy: str = _REBAKE_ANYWAY
) -> CorruptAssetError:
    """Return the error for a damaged asset; the only source of CorruptAssetError.

    Args:
        path: the asset.
        found: what is wrong with the asset.
        verdict: "damaged", or "wrong" for an intact file with wrong content.
        remedy: what the user can do.
    """
    return CorruptAssetError(f"{verdict}: {found}", file=path, remedy=remedy)


def closed(path: FilePath) -> AssetError:
    """Return the error for a read from a closed file."""
    remedy = "query the level inside its `with` block"
    return AssetError("the asset is closed", file=path, remedy=remedy)


def digest_of(array: AnyArray) -> str:
    """Return the sha256 of a column's elements in C order, little-endian."""
    little = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    return hashlib.sha256(np.ascontiguousarray(little).data).hexdigest()


#: The element type of an array, by its name in the table of columns, and the shape, if any.
Form = tuple[str, tuple[int, ...] | None]


# -- HDF5 ------------------------------------------------------------------------------------------

#: The first bytes after the user block of an HDF5 file.
_SIGNATURE = b"\x89HDF\r\n\x1a\n"

#: The errors that h5py raises on an unreadable or invalid file.
_H5PY_ERRORS = (KeyError, OSError, OverflowError, RuntimeError, TypeError, ValueError)

#: HDF5's messages for a file that the process has open with different settings.
_IN_USE = re.compile("flag values don't match|doesn't match|already open")

#: The number of an operating system's error in a message of HDF5.
_ERRNO = re.compile(r"\berrno = ([0-9]{1,5})\b")

#: The most attempts to open an asset that is replaced meanwhile.
_ATTEMPTS = 10

#: The largest compression ratio of deflate (RFC 1951: 258 bytes in two bits).
# no limit: a fact of the algorithm
_LARGEST_RATIO = 1032


def _system_error(error: Exception) -> OSError | None:
    """Return the operating system's error behind an h5py error; None if there is none."""
    number = getattr(error, "errno", None)
    if number is None:
        quoted = _ERRNO.search(str(error))
        number = None if quoted is None else int(quoted[1])
    return None if number is None else OSError(number, os.strerror(number))


def _open_hdf5(path: FilePath) -> Any:
    """Open a file without a lock through h5py's low-level API, twice as fast as h5py.File.

    Bake replaces assets and never modifies one, so a lock protects nothing; network drives may not
    support locks, and another program may hold one.

    Raises:
        AssetError: this process has the file open in a way that HDF5 cannot share.
        OSError: HDF5 cannot open the file.
    """
    name, error = os.fsencode(path), None
    # If this process has the file open with locks already, HDF5 requires the same settings again.
    for locks, optional in ((False, True), (True, True), (True, False)):
        access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        if hasattr(access, "set_file_locking"):  # HDF5 before 1.10.7 has no such setting.
            access.set_file_locking(locks, optional)
        try:
            return h5py.h5f.open(name, h5py.h5f.ACC_RDONLY, access)
        except OSError as failure:
            error = error or failure
            if not _IN_USE.search(str(failure)):
                raise
    found = f"is open in this process in a way that HDF5 cannot share ({error})"
    raise AssetError(found, file=path, remedy="close it there, or open it there with locking=False")


class Hdf5File:
    """An open HDF5 file: attributes, and columns verified against their digests."""

    def __init__(self, path: FilePath, schema: Schema, *, check: bool = True) -> None:
        """Open a file; see :class:`File`."""
        if h5py is None:
            found = "h5py is not installed, which assets need"
            raise AssetError(found, file=path, remedy="`pip install h5py`")
        self.path, self.schema, self.is_open = path, schema, True
        with contextlib.ExitStack() as opened:
            for _ in range(_ATTEMPTS):
                self._bytes = opened.enter_context(open_to_read(path))
                self.header = parse_header(self._bytes, path)
                if check:
                    self._bytes.seek(self.header.block)
                    if hashlib.file_digest(self._bytes, "sha256").hexdigest() != self.header.body:
                        raise self.damaged("its bytes do not match the digest in its header")
                # HDF5 opens files by name, and the file may have been replaced since the header.
                with self.reading("HDF5 cannot open it"), contextlib.suppress(FileNotFoundError):
                    root = _open_hdf5(path)
                    opened.callback(root.close)
                    if os.path.samestat(os.fstat(self._bytes.fileno()), os.stat(path)):
                        break
                opened.close()
            else:
                raise AssetError("is replaced again and again while it is opened", file=path)
            # Each lookup of a column or group takes HDF5 and h5py many microseconds.
            self.at = cache(lambda path: h5py.h5o.open(root, path.encode()))
            # HDF5 does not close a file while an object in it is open.
            opened.callback(self.at.cache_clear)
            self._names = cache(lambda folder: frozenset(self.at(folder)))
            self._kinds = cache(lambda path: (self.at(path).dtype, self.at(path).shape))
            self._opened = opened.pop_all()

    def close(self) -> None:
        """Close the file; arrays already returned stay valid."""
        self.is_open = False
        self._opened.close()

    def damaged(self, found: str, *, verdict: str = "damaged") -> CorruptAssetError:
        return damaged(self.path, found, verdict=verdict)

    @contextlib.contextmanager
    def reading(self, what: str | None) -> Iterator[None]:
        """Convert errors of h5py inside a ``with`` block.

        Args:
            what: name of the part of the file in errors; None = ignore damage.

        Raises:
            CorruptAssetError: the part is damaged.
            AssetError: the operating system cannot read the file, or the file was closed meanwhile.
        """
        try:
            yield
        except _H5PY_ERRORS as error:
            if not self.is_open:
                raise closed(self.path) from None
            if (cause := _system_error(error)) is not None:
                raise self._unreadable(error, cause) from None
            if what is not None:
                message = (str(error).splitlines() or [type(error).__name__])[0]
                raise self.damaged(f"{what} ({message})") from None

    def _unreadable(self, error: Exception, cause: OSError) -> AssetError:
        """Return the error for a failed system call of HDF5."""
        found = unreadable(self.path, cause)
        if "lock file" in str(error):
            found.found = f"cannot be locked by HDF5: {cause.strerror}"
            found.remedy = "set HDF5_USE_FILE_LOCKING=FALSE, as assets need no lock"
        return found

    def profiles(self) -> list[str]:
        """Return the names of the profiles, sorted; an empty list if one is not a group."""
        with self.reading(None):
            names = sorted(name.decode() for name in self.at("/profiles"))
            if all(isinstance(self.at(f"/profiles/{name}"), h5py.h5g.GroupID) for name in names):
                return names
        return []

    def attribute(self, group: str, name: str) -> str | int | None:
        """Return a stored attribute; None if absent."""
        with self.reading(f"attribute {name} of {group}"):
            if not h5py.h5a.exists(self.at(group), name.encode()):
                return None
            # A traceback references local variables, and an open attribute keeps the file open.
            with contextlib.closing(h5py.h5a.open(self.at(group), name.encode())) as stored:
                value = np.empty(stored.shape, stored.dtype)
                stored.read(value)
            if isinstance(value[()], np.bytes_):
                return bytes(value[()]).decode()
            return index(value[()])

    def has(self, path: str) -> bool:
        """Return whether a column exists."""
        folder, _, name = path.rpartition("/")
        with self.reading(f"column {path}"):
            try:
                return name.encode() in self._names(folder or "/")
            except (KeyError, TypeError) as error:  # The group does not exist.
                if _system_error(error) is not None or not self.is_open:
                    raise
        return False

    def form(self, path: str) -> Form:
        """Return the element type and the shape of an existing column."""
        with self.reading(f"column {path}"):
            if isinstance(self.at(path), h5py.h5d.DatasetID):
                dtype, shape = self._kinds(path)
                return columns.type_name(dtype), shape
        raise self.damaged(f"column {path} is no array")

    def load(self, path: str) -> AnyArray:
        """Read a column after :meth:`form`, and verify its digest; texts are (k) bytes."""
        array = self.part(path)
        # The file may have been opened without verification, or long ago.
        digest = np.zeros((), dtype="S64")
        with (
            self.reading(None),
            contextlib.closing(h5py.h5a.open(self.at(path), b"sha256")) as stored,
        ):
            # For text of variable length, HDF5 would write pointers into the buffer.
            if (stored.shape, stored.get_storage_size()) == ((), 64):
                stored.read(digest)
        if digest != digest_of(array).encode():
            raise self.damaged(f"column {path} does not match its digest")
        return array

    def part(self, path: str, *spans: slice) -> AnyArray:
        """Read a slice of a column, unverified; the whole column without slices."""
        with self.reading(f"column {path}"):
            dtype, shape = self._kinds(path)
            size = math.prod(shape) * dtype.itemsize
            if size > _LARGEST_RATIO * self.at(path).get_storage_size():
                raise self.damaged(f"column {path} is stored only in part")
            if spans:
                return np.asarray(h5py.Dataset(self.at(path))[spans])
            array: AnyArray = np.empty(shape, dtype)
            self.at(path).read(h5py.h5s.ALL, h5py.h5s.ALL, array)
            return array


# -- flat files ------------------------------------------------------------------------------------

#: The first bytes of every flat file, designed like those of PNG: the first is not ASCII, so that
#: no text file starts like this, and the line ends reveal a conversion as text.
MAGIC = b"\x8bBKE\r\n\x1a\n"

#: Alignment of columns in bytes; also the size of the header and of each table entry.
BORDER = 64

#: The position of the checksum in the file, in words of 32 bits.
CHECKSUM_WORDS = slice(14, 16)

#: The profile number of the level's columns.
LEVEL = -1

#: Bytes of a column's name in the table; the last is always zero.
NAME_BYTES = 24
#: The most dimensions of a column.
DIMENSIONS = 4

#: Bytes of one element, by element type, in the order of the type numbers from 1. An element of
#: text is one byte.
SIZES = {"uint8": 1, "uint16": 2, "uint32": 4, "int32": 4, "int64": 8, "float64": 8, "text": 1}
_DTYPE_NAMES = dict(enumerate(SIZES, 1))

#: The layouts of the header and of a table entry; docs/format.md lists the fields.
HEADER_LAYOUT = struct.Struct("<8sHHIQ32sII")
ENTRY_LAYOUT = struct.Struct(f"<{NAME_BYTES}siHH{DIMENSIONS}IQQ")


class Entry(NamedTuple):
    """An entry of the table of columns."""

    name: str
    profile: int  #: number of the profile; LEVEL for columns of the level
    dtype: str
    shape: tuple[int, ...]
    offset: int  #: first byte in the file
    size: int  #: bytes


class FlatFile:
    """An open flat file, mapped into memory, with the same methods as :class:`Hdf5File`.

    Columns are views of the mapped file and are not copied.
    """

    def __init__(
        self, path: FilePath, schema: Schema = columns.IN_FLAT_FILES, *, check: bool = True
    ) -> None:
        """Map a file into memory, and verify its table of columns; see :class:`File`."""
        self.path, self.is_open, self.schema = path, True, schema
        with open_to_read(path) as file:
            count, revision, size, fingerprint, sums = _parse_flat_header(file, path)
            #: (size) uint8, the whole file
            self.bytes: UInt8Array = np.memmap(file, dtype=np.uint8, mode="c")
        if check and checksum(self.bytes.view("<u4")) != sums:
            raise self.damaged("its bytes do not fit its checksum")
        try:
            #: the columns by (number of the profile or LEVEL, name), in the order of the file
            self.entries = _table(self.bytes, count)
        except ValueError as error:
            raise self.damaged(str(error)) from None
        level = self._numbers(LEVEL)
        profiles, floors = level["profiles"], level["floors"]
        if profiles != len({profile for profile, _ in self.entries if profile != LEVEL}):
            raise self.damaged(f"it has columns of other profiles than {profiles}")
        rows, remainder = divmod(level["height"] or 0, floors)
        if remainder:
            raise self.damaged(f"{floors} floors have {level['height']} rows")
        (name,), (recipe,) = self._texts("name", 1), self._texts("recipe", 1)
        level |= {"recipe": recipe, "floor_height": rows if floors > 1 else None}
        self._names = self._texts("profile_name", profiles)
        #: attributes by name, for each profile number and LEVEL
        self.numbers = {LEVEL: level, **{i: self._numbers(i) for i in range(profiles)}}
        # A column that does not belong to the level's kind is ignored.
        worlds = ("both", "graph" if level["kind"] == "graph" else "grid")
        self.key = {
            at: key
            for key in self.entries
            if schema.has_column(at := self._path_of(*key)) and schema.column(at).world in worlds
        }
        fields = name, (), hashlib.sha256(recipe.encode()).hexdigest(), "", 0, size
        self.header = Header(FLAT_VERSION, revision, *fields, fingerprint.hex())

    def damaged(self, found: str, *, verdict: str = "damaged") -> CorruptAssetError:
        return damaged(self.path, found, verdict=verdict, remedy=_EXPORT)

    def close(self) -> None:
        self.is_open = False

    def profiles(self) -> list[str]:
        return self._names

    def attribute(self, group: str, name: str) -> str | int | None:
        profile = LEVEL if group == "/" else self._names.index(group.split("/")[2])
        return self.numbers[profile].get(name)

    def has(self, path: str) -> bool:
        return path in self.key

    def form(self, path: str) -> Form:
        entry = self.entries[self.key[path]]
        return entry.dtype, entry.shape[: -1 if entry.dtype == "text" else None]

    def load(self, path: str) -> AnyArray:
        return self.read(*self.key[path])

    def read(self, profile: int, name: str) -> AnyArray:
        """Return a read-only view of a column, unverified; texts are (k) bytes.

        The view stays valid after :meth:`close`.

        Raises:
            CorruptAssetError: the column does not exist, or one of its texts is unterminated.
        """
        entry = self.entries.get((profile, name))
        if entry is None:
            raise self.damaged(f"column {self._path_of(profile, name)} is missing")
        kind = np.dtype("uint8" if entry.dtype == "text" else entry.dtype)
        dtype = np.dtype(kind.str.replace(">", "<"))  # memoryviews need native types
        raw = self.bytes[entry.offset : entry.offset + entry.size]
        column: AnyArray = raw.view(np.ndarray).view(dtype).reshape(entry.shape)
        if entry.dtype != "text":
            return column
        width = entry.shape[-1]
        if not width or column[..., -1].any():
            raise self.damaged(f"column {self._path_of(profile, name)} has a text without an end")
        return column.reshape(-1).view(f"S{width}").reshape(entry.shape[:-1])

    def _path_of(self, profile: int, name: str) -> str:
        return f"/{name}" if profile == LEVEL else profile_path(self._names[profile], name)

    def _texts(self, name: str, count: int) -> list[str]:
        """Return the texts of a level's column after checking their count."""
        entry, declared = self.entries.get((LEVEL, name)), self.schema.column(f"/{name}")
        if entry is None or entry.dtype != "text" or entry.shape[:-1] != (count,):
            raise self.damaged(f"column /{name} is not {count} texts")
        array = self.read(LEVEL, name)
        for fault in columns.faults(declared, array, lambda dim: count):
            raise self.damaged(f"column /{name} {fault}")
        return [text.decode() for text in array.tolist()]

    def _numbers(self, profile: int) -> dict[str, Any]:
        """Return the attributes of the level or of a profile, decoded from column ``numbers``."""
        names, group = self.schema.numbers[profile != LEVEL], "/" if profile == LEVEL else "own"
        stored, values = self.read(profile, "numbers"), {}
        if stored.shape != (len(names),) or stored.dtype != np.int32:
            raise self.damaged(f"column {self._path_of(profile, 'numbers')} is not as declared")
        for name, number in zip(names, stored.tolist(), strict=True):
            declared = self.schema.attribute(group, name)
            with contextlib.suppress(IndexError):
                values[name] = declared.of_number(number)
            if number < 0 or name not in values or not declared.allows(values[name]):
                raise self.damaged(f"number {name} is {number}")
        return values


def _parse_flat_header(file: BufferedReader, path: FilePath) -> tuple[int, int, int, bytes, Any]:
    """Return the number of columns, the revision, the size, the fingerprint and the checksum."""
    data = file.read(HEADER_LAYOUT.size)
    if not data.startswith(MAGIC):
        expected = "one of `bake export`"
        raise errors.NotAnAssetError("this is not a flat file", file=path, expected=expected)
    size = file.seek(0, 2)
    if len(data) < HEADER_LAYOUT.size:
        raise damaged(path, "its header is cut", remedy=_EXPORT)
    _, version, columns, revision, stated, fingerprint, a, b = HEADER_LAYOUT.unpack(data)
    if version:
        _check_version(path, "flat format", version, (FLAT_VERSION, FLAT_VERSION), _EXPORT)
    if version < 1 or stated % BORDER:
        raise damaged(path, "its header is wrong", remedy=_EXPORT)
    if size != stated:
        found = f"the file has {size:,} bytes, its header says {stated:,}"
        raise damaged(path, found, remedy=_EXPORT)
    return columns, revision, stated, fingerprint, (a, b)


def _table(data: UInt8Array, count: int) -> dict[tuple[int, str], Entry]:
    """Parse the table of columns, and verify that the columns fill the file without gaps.

    Raises:
        ValueError: an entry is invalid, or bytes belong to no column.
    """
    if count > (len(data) - BORDER) // BORDER:
        raise ValueError(f"a table of {count} columns does not fit into it")
    entries: dict[tuple[int, str], Entry] = {}
    offset, last = BORDER + BORDER * count, (LEVEL - 1, b"")
    earlier: set[tuple[int, str, tuple[int, ...]]] = set()
    for number in range(count):
        entry = _entry(data[BORDER * (1 + number) : BORDER * (2 + number)].tobytes())
        if entry is None:
            raise ValueError(f"column {number} is nothing this format knows")
        # Columns are contiguous; a column equal to an earlier one can share its bytes.
        key, end = (entry.profile, entry.name.encode()), entry.offset + entry.size
        form = entry.offset, entry.dtype, entry.shape
        if key <= last or not (form in earlier or entry.offset == offset) or end > len(data):
            raise ValueError(f"column {number} is out of order")
        after = -(-end // BORDER) * BORDER
        if data[end:after].any():
            raise ValueError(f"what follows column {number} is not zero")
        offset, last = max(offset, after), key
        earlier.add(form)
        entries[entry.profile, entry.name] = entry
    if offset != len(data):
        raise ValueError(f"its columns end at byte {offset:,} of {len(data):,}")
    return entries


def _entry(raw: bytes) -> Entry | None:
    """Parse an entry of the table of columns; None if the entry is invalid."""
    name, profile, dtype, dimensions, *rest = ENTRY_LAYOUT.unpack(raw)
    shape, (offset, size) = tuple(rest[:DIMENSIONS]), rest[DIMENSIONS:]
    bare, kind = name.rstrip(b"\0"), _DTYPE_NAMES.get(dtype, "")
    sound = (
        0 < len(bare) < len(name)
        and all(32 < byte < 127 for byte in bare)
        and profile >= LEVEL
        and kind
        and 1 <= dimensions <= DIMENSIONS
        and not any(shape[dimensions:])
        and size == math.prod(shape[:dimensions]) * SIZES[kind]
    )
    if not sound:
        return None
    return Entry(bare.decode("ascii"), profile, kind, shape[:dimensions], offset, size)


def checksum(words: AnyArray) -> tuple[int, int]:
    """Compute the Fletcher checksum of a flat file, on words of 32 bits modulo 2**32.

    J. Fletcher, "An Arithmetic Checksum for Serial Transmissions" (1982).

    Args:
        words: (k) uint32, the whole file; the stored checksum counts as zeros.

    Returns:
        a and b after ``a = 1; b = 0; for word in words: a += word; b += a`` modulo 2**32.
    """
    a, b = 1, 0
    for first in range(0, len(words), 2**20):
        chunk = words[first : first + 2**20].astype(np.uint64)
        count = len(chunk)
        if not first:
            chunk[CHECKSUM_WORDS] = 0
        weighted = int((chunk * np.arange(count, 0, -1, dtype=np.uint64)).sum(dtype=np.uint64))
        b = (b + a * count + weighted) & 0xFFFFFFFF
        a = (a + int(chunk.sum())) & 0xFFFFFFFF
    return a, b


# -- both formats ----------------------------------------------------------------------------------


def is_flat(path: FilePath) -> bool:
    """Return whether the first bytes of a file are those of a flat file of any version.

    Raises:
        AssetError: the file cannot be read.
    """
    with open_to_read(path) as file:
        return file.read(len(MAGIC)) == MAGIC


class Closing:
    """Base class of objects with a :meth:`close` method that are also context managers."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class File(Closing):
    """An open asset or flat file: attributes, and columns by path."""

    #: the schemas of assets and of flat files
    in_assets, in_flat_files = columns.IN_ASSETS, columns.IN_FLAT_FILES

    def __init__(self, path: FilePath, *, check: bool = True) -> None:
        """Open a file.

        Args:
            path: an HDF5 asset or a flat file.
            check: whether to verify the digest or checksum of all bytes, before HDF5 parses any.

        Raises:
            NotAnAssetError, AssetTooOldError, AssetTooNewError: this version cannot read the file.
            CorruptAssetError: the file is damaged.
        """
        self._file: Hdf5File | FlatFile = (
            FlatFile(path, self.in_flat_files, check=check)
            if is_flat(path)
            else Hdf5File(path, self.in_assets, check=check)
        )
        self.path, self.header, self.schema = path, self._file.header, self._file.schema
        #: absolute path of the file
        self.absolute = os.path.abspath(path)
        #: whether the digest of all bytes was verified on opening
        self.checked = check
        #: name of the level
        self.name = self.header.level
        self._lengths: dict[tuple[str, str | None], int] = {}
        self._attributes: dict[tuple[str, str], str | int | None] = {}
        self._existing: dict[str, bool] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._verified: set[str] = set()
        try:
            #: names of the profiles, sorted
            self.profiles = self._find_profiles()
        except BaseException:
            self.close()
            raise

    def _find_profiles(self) -> tuple[str, ...]:
        """Return the sorted names of the profiles; raise if there are none."""
        if not (names := self._file.profiles()):
            raise self.damaged("it holds no profiles")
        return tuple(names)

    def damaged(self, found: str, *, verdict: str = "damaged") -> CorruptAssetError:
        """Return the error for damage in this file; see :func:`damaged`."""
        return self._file.damaged(found, verdict=verdict)

    def close(self) -> None:
        """Close the file; arrays already returned stay valid."""
        self._file.close()

    def check_open(self) -> None:
        """Raise an AssetError if the file is closed."""
        if not self._file.is_open:
            raise closed(self.path)

    # -- attributes -------------------------------------------------------------------------------

    def text(self, name: str, group: str = "/") -> str | None:
        """Return a text attribute; None if it is optional and absent."""
        value = self.attribute(name, group)
        return None if value is None else str(value)

    def number(self, name: str, group: str = "/") -> int | None:
        """Return an integer attribute; None if it is optional and absent."""
        value = self.attribute(name, group)
        return None if value is None else int(value)

    def attribute(self, name: str, group: str = "/") -> str | int | None:
        """Return a verified attribute; None if it is optional and absent."""
        self.check_open()
        if (group, name) not in self._attributes:
            declared, value = self.schema.attribute(group, name), self._file.attribute(group, name)
            if not declared.allows(value):
                problem = "is missing" if value is None else f"is {value!r}"
                raise self.damaged(f"attribute {name} of {group} {problem}")
            self._attributes[group, name] = value
        return self._attributes[group, name]

    # -- columns ----------------------------------------------------------------------------------

    def has(self, path: str) -> bool:
        """Return whether a column exists."""
        # Cached, because every search calls this.
        exists = self._existing.get(path)
        if exists is None:
            self.check_open()
            exists = self._existing[path] = self.schema.has_column(path) and self._file.has(path)
        return exists

    def read(self, path: str) -> AnyArray:
        """Read and verify a column: a new array, or for flat files a read-only view.

        Raises:
            CorruptAssetError: the column is missing, unreadable, or not as the schema declares.
        """
        self.shape(path)
        array = self._file.load(path)
        if path not in self._verified:
            self._check(path, array, columns.faults)
            self._verified.add(path)
        return array

    def get(self, path: str) -> AnyArray | None:
        """Read and verify a column like :meth:`read`; None if the column does not exist."""
        return self.read(path) if self.has(path) else None

    def texts(self, path: str) -> list[str]:
        """Read and verify a column of text."""
        return [name.decode() for name in self.read(path).tolist()]

    def _check(self, path: str, array: AnyArray, faults: columns.Faults) -> None:
        """Raise on elements of a column that its declaration does not allow."""
        declared, profile = self._declared(path)
        for fault in faults(declared, array, partial(self._length, profile=profile)):
            raise self.damaged(f"column {path} {fault}")

    def shape(self, path: str) -> tuple[int, ...]:
        """Return the shape of a column without reading it.

        Raises:
            CorruptAssetError: the column is missing, or lengths of columns contradict each other.
        """
        self.check_open()
        if not self.has(path):
            raise self.damaged(f"column {path} is missing")
        declared, profile = self._declared(path)
        needed = f"{path.rpartition('/')[0]}/{declared.needs}"
        if declared.needs and not self.has(needed):
            raise self.damaged(f"column {path} is there without column {needed}")
        for dim in declared.dims:
            self._length(dim.removesuffix(" + 1"), profile)
        return self._shape(declared, path)

    def _declared(self, path: str) -> tuple[Column, str | None]:
        """Return the declaration of a column, and its profile; None for columns of the level."""
        declared = self.schema.column(path)
        return declared, path.split("/")[2] if declared.own else None

    # -- lengths ----------------------------------------------------------------------------------

    def rows(self, profile: str) -> int | None:
        """Return the number of rows of a profile's tables; None if the file has no tables."""
        length = self._length("row", profile)
        return length if ("row", profile) in self._lengths else None

    def _length(self, dim: str, profile: str | None) -> int:
        """Return the length of a dimension after checking that all its sources agree.

        Args:
            dim: the name of the dimension in the schema.
            profile: the profile whose columns to check too; None = only columns of the level.
        """
        if (dim, profile) in self._lengths:
            return self._lengths[dim, profile]
        sources = [*self._iterate_lengths(dim, profile)]
        if not sources:
            return 0
        lengths = [length for length, _ in sources]
        length = max(lengths, key=lengths.count)
        witness = sources[lengths.index(length)][1]
        for other, where in sources:
            if other != length:
                raise self.damaged(f"{where} has {other} of {dim}, {witness} {length}")
        if length < 0:
            raise self.damaged(f"{witness} is empty")
        self._lengths[dim, profile] = length
        return length

    def _iterate_lengths(self, dim: str, profile: str | None) -> Iterator[tuple[int, str]]:
        """Yield each length of a dimension in the file, with the name of its source."""
        if dim in columns.FIXED:
            yield columns.FIXED[dim], "the format"
        if dim == "location":
            width, height = self.number("width"), self.number("height")
            if width is None or height is None:
                yield self._length("node", None), "the number of nodes"
            else:
                yield width * height, "width and height"
        if attribute := self.schema.stated.get(dim):
            group = attribute.group.replace(PROFILE, profile or "")
            if (length := self.number(attribute.name, group)) is not None:
                yield length, f"attribute {attribute.name} of {group}"
        for declared in self.schema.along.get(dim, ()):
            path = declared.path.replace(PROFILE, profile or "")
            if (declared.own and profile is None) or not self.has(path):
                continue
            for length, name in zip(self._shape(declared, path), declared.dims, strict=True):
                if name.removesuffix(" + 1") == dim:
                    yield length - name.endswith(" + 1"), f"column {path}"

    def _shape(self, declared: Column, path: str) -> tuple[int, ...]:
        """Return the shape of an existing column; raise if the column is not as declared."""
        if path not in self._shapes:
            dtype, shape = self._file.form(path)
            if shape is None or not declared.fits(dtype, shape):
                actual = f"{dtype}{'of no shape' if shape is None else list(shape)}"
                expected = f"{' or '.join(declared.dtypes)}[{', '.join(declared.dims)}]"
                raise self.damaged(f"column {path} is {actual}, not {expected}")
            self._shapes[path] = shape
        return self._shapes[path]


# -- runs ------------------------------------------------------------------------------------------

#: The most bytes of an encoded length below 2^31.
# no limit: a fact of the encoding
_MOST_BYTES = 5


def starts_of_runs(written: UInt8Array, rows: int, runs: int) -> tuple[Int64Array, AnyArray]:
    """Decode the starts of runs from their lengths, which are encoded as LEB128.

    Args:
        written: (b) uint8, the encoded lengths; a length of 0 ends a row.
        rows, runs: the numbers of rows r and of runs k.

    Returns:
        (r) int64, the number of runs of each row; and (k) uint16 or int32, the first target of each
        run: in each row 0 first, then ascending and below r.

    Raises:
        ValueError: the lengths do not match these numbers. Memory is only allocated for runs that
            have a length.
    """
    ends = written < 128
    if (count := np.count_nonzero(ends)) != runs:
        raise ValueError(f"has {count:,} lengths for {runs:,} runs")
    if (count := len(written) - np.count_nonzero(written)) != rows:
        raise ValueError(f"ends {count:,} of {rows:,} rows")
    if not rows:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint16)
    if written[-1] or (written[np.flatnonzero(written == 0) - 1] >= 128).any():
        raise ValueError("ends a row inside a length")
    length = _lengths(written, np.flatnonzero(ends))
    if (longest := int(length.max())) >= rows:
        raise ValueError(f"has a run of {longest:,} targets in a table of {rows:,}")
    last = np.flatnonzero(length == 0)
    row_end = np.diff(np.cumsum(length)[last], prepend=0)
    if (furthest := int(row_end.max())) >= rows:
        raise ValueError(f"begins a run at target {furthest:,} of {rows:,}")
    # A cumulative sum over all rows, reset after each row by subtracting the row's sum.
    kind = np.uint16 if rows <= 2**16 else np.int32
    step = np.zeros(runs, dtype=kind)
    step[1:] = length[:-1]
    step[last[:-1] + 1] = (-row_end[:-1]).astype(kind)
    return np.diff(last, prepend=-1), np.cumsum(step, dtype=kind)


def run_starts(file: File, profile: str, rows: int, runs: int) -> tuple[Int64Array, AnyArray]:
    """Read the starts of the runs of a profile's next hops.

    Args:
        file: the file; it stores either lengths or starts of runs.
        profile: the name of a profile with run-length encoded next hops.
        rows, runs: the numbers of rows r and of runs k.

    Returns:
        (r) int64, the number of runs of each row, at least one; and (k) integers, the first target
        of each run: in each row 0 first, then ascending and below r.

    Raises:
        CorruptAssetError: the runs do not match these numbers, or cannot be read.
    """
    path = profile_path(profile, "run_length")
    if file.has(path):
        try:
            return starts_of_runs(file.read(path), rows, runs)
        except ValueError as error:
            raise file.damaged(f"column {path} {error}") from None
    first, start = (file.read(profile_path(profile, name)) for name in ("first_run", "run_start"))
    begins = np.zeros(runs, dtype=np.bool_)
    begins[first[:-1]] = True
    rises = begins.copy()
    rises[1:] |= start[1:] > start[:-1]
    if start[begins].any() or not rises.all():
        raise file.damaged(f"column {profile_path(profile, 'run_start')} does not ascend")
    return first[1:] - first[:-1].astype(np.int64), start


def _lengths(written: UInt8Array, last: Int64Array) -> Int64Array:
    """Decode LEB128 lengths; ``last`` contains the position of the last byte of each."""
    length = written[last].astype(np.int64)
    width = np.diff(last, prepend=-1)
    if width.max() > _MOST_BYTES:
        raise ValueError(f"has a length of {width.max():,} bytes")
    for back in range(1, int(width.max())):
        longer = np.flatnonzero(width > back)
        length[longer] = (length[longer] << 7) | (written[last[longer] - back] & 127)
    return length
