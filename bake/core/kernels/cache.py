"""A disk cache of compiled kernels, in folders named after a digest of their sources.

numba notices when a kernel's file has changed, but misses changes in another kernel that it calls
or a constant that it uses. The folder of a file's kernels is therefore named after a digest of that
file and of all its imports that may end up in compiled code. It does not depend on the location of
the package, so a cache can be copied from one installation to another.

A wheel may contain such folders, with code for every processor of an architecture (``PORTABLE``).
Kernels that are missing there are compiled for the current processor, into a folder of the user.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from bake.core.kernels.trust import check_own, find_cache_folder, make_folder, protect

#: Folders and files of the package that contain kernels or constants for them.
SOURCES = ("core.graph", "core.kernels", "extras.school", "search", "verify")

#: An import from this package, anywhere in a file.
_IMPORT = re.compile(r"^\s*from bake\.([\w.]+) import", re.MULTILINE)

#: Bytes of the digest at the end of a cached file.
_DIGEST = 32

_PACKAGE = Path(__file__).parents[2]

#: Features of x86-64-v3 that older processors lack; others come with them.
_V3 = frozenset(["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt"])

#: The folder of compiled kernels in a wheel.
CARRIED = _PACKAGE / "core" / "kernels" / "compiled"

#: The targets of compiled kernels in a wheel, by the architecture in LLVM's triple: the processor's
#: name, and the features it must have.
PORTABLE = {
    "x86_64": (
        "x86-64-v3",
        frozenset(["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt"]),
    ),
    "aarch64": ("generic", frozenset()),
    "arm64": ("generic", frozenset()),
}


def cache_folder() -> Path:
    """Return the folder for compiled kernels, with a subfolder for each digest of sources."""
    return find_cache_folder()[0]


@cache
def digest_of(package: Path, file: Path) -> str:
    """Return a digest of a package file and of all its imports that end up in compiled code."""
    digest = hashlib.sha256()
    for source in sorted(_find_sources(package, file)):
        name = source.relative_to(package).as_posix()
        digest.update(name.encode() + b"\0" + _content(source) + b"\0")
    # With this setting numba compiles different code, but uses the same file names.
    checked = os.environ.get("NUMBA_BOUNDSCHECK", "") not in ("", "0")
    digest.update(b"bounds checked" if checked else b"")
    return digest.hexdigest()


def _find_sources(package: Path, file: Path) -> set[Path]:
    sources: set[Path] = set()
    ahead = [file]
    while ahead:
        source = ahead.pop()
        if source not in sources:
            sources.add(source)
            ahead += _find_imports(package, source)
    return sources


@cache
def _content(file: Path) -> bytes:
    return file.read_bytes()


@cache
def _find_imports(package: Path, file: Path) -> list[Path]:
    """Return the files that a file imports from the folders with kernels."""
    imports: list[Path] = []
    for module in _IMPORT.findall(_content(file).decode()):
        if any(module == source or module.startswith(f"{source}.") for source in SOURCES):
            place = package.joinpath(*module.split("."))
            imports += place.glob("*.py") if place.is_dir() else [place.with_suffix(".py")]
    return imports


def folders_of(file: Path) -> tuple[Path, Path]:
    """Return the cache folder for the kernels of a file, and the folder of a wheel for them."""
    name = digest_of(_PACKAGE, file)[:16]
    return cache_folder() / name, CARRIED / name


def portable_target(target: tuple[str, str, str]) -> tuple[str, str, str] | None:
    """Return numba's target of code in a wheel; None if a processor cannot run such code.

    Args:
        target: the processor's target: LLVM's triple, its name, and its features.
    """
    name, needed = PORTABLE.get(target[0].partition("-")[0], ("", frozenset()))
    features = {feature[1:] for feature in target[2].split(",") if feature.startswith("+")}
    return (target[0], name, "") if name and needed <= features else None


def disk_cache(function: Callable[..., Any], *, inner: bool) -> Any:
    """Return the cache in which numba stores a compiled function; None if caching is unsupported.

    Code that only other kernels call (``inner``) has files of its own.
    """
    try:
        return _cache_class(inner)(function)
    except (AttributeError, ImportError, OSError, RuntimeError, TypeError):
        return None  # This version of numba has a different layout: compile in every process.


@cache
def _cache_class(inner: bool) -> Any:
    """Return the class of numba's cache, which can be defined only where numba is installed."""
    # The type checker does not follow an import by name, so it must ignore the base classes of the
    # four classes below.
    caching = importlib.import_module("numba.core.caching")
    compiler_lock = importlib.import_module("numba.core.compiler_lock").global_compiler_lock

    class Locator(caching._CacheLocator):  # type: ignore[name-defined, misc]
        """A locator that puts a function's files into :func:`cache_folder`."""

        def __init__(self, function: Callable[..., Any], file: str) -> None:
            self._py_file = file
            self._line = function.__code__.co_firstlineno

        @classmethod
        def from_function(cls, function: Callable[..., Any], file: str) -> Any:
            return cls(function, file)

        def get_cache_path(self) -> str:
            return str(folders_of(Path(self._py_file))[0])

        def ensure_cache_path(self) -> None:
            make_folder(Path(self.get_cache_path()))

        def get_source_stamp(self) -> str:
            return digest_of(_PACKAGE, Path(self._py_file))

        def get_disambiguator(self) -> str:
            return f"{self._line}inner" if inner else str(self._line)

    class Implementation(caching.CompileResultCacheImpl):  # type: ignore[name-defined, misc]
        """numba's implementation, with its files where :class:`Locator` puts them."""

        _locator_classes = (Locator,)

    class SealedFiles(caching.IndexDataCacheFile):  # type: ignore[name-defined, misc]
        """numba's files, each with a digest at its end, since damaged machine code must not run."""

        @contextmanager
        def _open_for_write(self, filepath: str) -> Iterator[Any]:
            with super()._open_for_write(filepath) as file:
                content = io.BytesIO()
                yield content
                protect(file.fileno())
                file.write(content.getvalue() + hashlib.sha256(content.getvalue()).digest())

        def _load_index(self) -> Any:
            if Path(self._index_path).exists():
                self._check(self._index_path)
            return super()._load_index()

        def _load_data(self, name: str) -> Any:
            self._check(self._data_path(name))
            return super()._load_data(name)

        def _check(self, path: str) -> None:
            """Raise unless a file is complete, and no other user can have written it."""
            # Files of a wheel are as trustworthy as the code beside them.
            if CARRIED not in Path(path).parents:
                check_own(Path(path))
            _check_digest(path)

    class DiskCache(caching.FunctionCache):  # type: ignore[name-defined, misc]
        """numba's cache of one function; files that cannot be read or written are dropped."""

        _impl_class = Implementation

        def __init__(self, function: Callable[..., Any]) -> None:
            super().__init__(function)
            own, carried = (
                SealedFiles(
                    cache_path=str(folder),
                    filename_base=self._impl.filename_base,
                    source_stamp=self._impl.locator.get_source_stamp(),
                )
                for folder in folders_of(Path(self._impl.locator._py_file))
            )
            self._cache_file, self._carried = own, carried
            self._turn = Turn(Path(self._cache_path, f"{self._impl.filename_base}.turn"))

        def holds(self, signature: Any, target: Any) -> bool:
            """Return whether there is code for a signature, without loading it."""
            for files, key in self._places(signature, target):
                with suppress(Exception):  # A damaged file may raise anything.
                    if key in files._load_index():
                        return True
            return False

        def kept(self, target: Any) -> set[Any]:
            """Return the signatures that there is code for, as far as the files can be read."""
            found = set()
            for files, (_, *same) in self._places((), target):
                with suppress(Exception):  # A damaged file may raise anything.
                    found |= {key[0] for key in files._load_index() if [*key[1:]] == same}
            return found

        def _places(self, signature: Any, target: Any) -> Iterator[tuple[Any, Any]]:
            """Yield the files that may contain code for a signature, and its key in them."""
            with compiler_lock:  # Two threads cannot refresh one target.
                target.refresh()
                signature, machine, code = self._index_key(signature, target.codegen())
            yield self._cache_file, (signature, machine, code)
            if (alike := portable_target(machine)) is not None:
                yield self._carried, (signature, alike, code)

        def load_overload(self, signature: Any, target: Any) -> Any:
            found = self._loaded(signature, target)
            if found is None:
                # If another process compiles it now, this one waits and loads the result.
                self._turn.take()
                found = self._loaded(signature, target)
                if found is not None:
                    self._turn.leave()
            return found

        def _loaded(self, signature: Any, target: Any) -> Any:
            for files, key in self._places(signature, target):
                try:
                    if (data := files.load(key)) is None:
                        continue
                    found = self._impl.rebuild(target, data)
                    if tuple(found.signature.args) == tuple(signature):
                        # numba tracks dependencies only of kernels that it compiled in this
                        # process.
                        found.library._reload_init.update(found.reload_init)
                        return found
                except Exception:  # A damaged file may raise anything.
                    pass
                if files is self._cache_file:
                    self._drop()
            return None

        def save_overload(self, signature: Any, compiled: Any) -> None:
            try:
                for _ in range(2):
                    try:
                        super().save_overload(signature, compiled)
                    except Exception:  # The file is damaged, or the disk is full.
                        self._drop()
                    else:
                        return
            finally:
                self._turn.leave()

        def _drop(self) -> None:
            try:
                self.flush()
            except OSError:
                self.disable()

    return DiskCache


class Turn:
    """A lock under which one process at a time compiles a kernel, if files can be locked."""

    #: The locks that this process holds.
    held: ClassVar[set[Turn]] = set()

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: Any = None

    def take(self) -> None:
        """Wait until no other process holds the lock; the end of a process releases it."""
        if self._file is None:
            with suppress(ImportError, OSError):
                lock = importlib.import_module("fcntl")
                make_folder(self._path.parent)
                self._file = self._path.open("ab")
                self.held.add(self)
                lock.flock(self._file, lock.LOCK_EX)

    def leave(self) -> None:
        """Release the lock."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self.held.discard(self)


def _check_digest(path: str) -> None:
    data = Path(path).read_bytes()
    if hashlib.sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
        raise ValueError(f"{path} does not fit its digest")
