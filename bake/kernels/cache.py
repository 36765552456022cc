"""Keep compiled kernels on disk, in folders that are named after what they were compiled of.

numba notices when a kernel's file has changed, but misses changes in another kernel that it calls
or a constant that it uses. The folder of a file's kernels is therefore named after a digest of that
file and of all that it imports and that may end up in compiled code. It does not depend on where
the package lies, so a cache can be carried from one installation to another.

A wheel may carry such folders, with code for every processor of a kind (``PORTABLE``). What they
lack is compiled, for the processor at hand and into a folder of the user's.
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

from bake.kernels.trust import check_own, find_cache_folder, make_folder, protect

#: Folders and files of the package that kernels lie in or take constants from.
SOURCES = ("graph.py", "kernels", "school", "search", "verify")

#: An import from this package, wherever it stands in a file.
_IMPORT = re.compile(r"^\s*from bake\.([\w.]+) import", re.MULTILINE)

#: Bytes of the digest at the end of a file in the cache.
_DIGEST = 32

_PACKAGE = Path(__file__).parents[1]

#: Features of x86-64-v3 that the processors before it lack; others come with them.
_V3 = frozenset(["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt"])

#: Where a wheel carries compiled kernels.
CARRIED = _PACKAGE / "kernels" / "compiled"

#: What compiled kernels of a wheel are made for, by the machine that a triple of LLVM begins with:
#: the processor's name, and the features that it has to have.
PORTABLE = {
    "x86_64": (
        "x86-64-v3",
        frozenset(["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt"]),
    ),
    "aarch64": ("generic", frozenset()),
    "arm64": ("generic", frozenset()),
}


def cache_folder() -> Path:
    """Return the folder for compiled kernels, which holds a folder for each digest of sources."""
    return find_cache_folder()[0]


@cache
def digest_of(package: Path, file: Path) -> str:
    """Return a digest of a file of the package and of all that its compiled code may contain."""
    digest = hashlib.sha256()
    for source in sorted(_sources_of(package, file)):
        name = source.relative_to(package).as_posix()
        digest.update(name.encode() + b"\0" + _content(source) + b"\0")
    # Under this setting numba compiles different code, but looks for it in the same files.
    checked = os.environ.get("NUMBA_BOUNDSCHECK", "") not in ("", "0")
    digest.update(b"bounds checked" if checked else b"")
    return digest.hexdigest()


def _sources_of(package: Path, file: Path) -> set[Path]:
    found: set[Path] = set()
    ahead = [file]
    while ahead:
        source = ahead.pop()
        if source not in found:
            found.add(source)
            ahead += _imported(package, source)
    return found


@cache
def _content(file: Path) -> bytes:
    return file.read_bytes()


@cache
def _imported(package: Path, file: Path) -> list[Path]:
    """Return what a file imports from the folders that kernels lie in."""
    found: list[Path] = []
    for module in _IMPORT.findall(_content(file).decode()):
        parts = module.split(".")
        if parts[0] in SOURCES or f"{parts[0]}.py" in SOURCES:
            place = package.joinpath(*parts)
            found += place.glob("*.py") if place.is_dir() else [place.with_suffix(".py")]
    return found


def folders_of(file: Path) -> tuple[Path, Path]:
    """Return the folder for the compiled kernels of a file, and that of those a wheel carries."""
    name = digest_of(_PACKAGE, file)[:16]
    return cache_folder() / name, CARRIED / name


def portable(target: tuple[str, str, str]) -> tuple[str, str, str] | None:
    """Return numba's target of code in a wheel; None if a processor cannot run such code.

    Args:
        target: that of the processor: LLVM's triple, its name, and its features.
    """
    name, needed = PORTABLE.get(target[0].partition("-")[0], ("", frozenset()))
    has = {each[1:] for each in target[2].split(",") if each.startswith("+")}
    return (target[0], name, "") if name and needed <= has else None


def disk_cache(function: Callable[..., Any], *, inner: bool) -> Any:
    """Return the cache in which numba keeps a compiled function; None where there is no cache.

    Code that only other kernels call (``inner``) lies in files of its own.
    """
    try:
        return _cache_class(inner)(function)
    except (AttributeError, ImportError, OSError, RuntimeError, TypeError):
        return None  # This version of numba has a different layout: compile in every process.


@cache
def _cache_class(inner: bool) -> Any:
    """Return the class of the cache that numba uses; it can be made only where numba is there."""
    # The type checker cannot look into a module that is imported by its name, so it is told to
    # pass over the classes that the four below are made from.
    caching = importlib.import_module("numba.core.caching")

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
        """numba's files, each with a digest at its end, as damaged machine code must not run."""

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
            """Raise unless a file is whole, and another user cannot have written it."""
            # Files of a wheel are as safe as the code beside them.
            if CARRIED not in Path(path).parents:
                check_own(Path(path))
            _check_digest(path)

    class DiskCache(caching.FunctionCache):  # type: ignore[name-defined, misc]
        """numba's cache of one function, which is dropped where it cannot be read or written."""

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
            """Tell whether there is code for a signature, without loading it."""
            for files, key in self._places(signature, target):
                with suppress(Exception):  # A damaged file may raise anything.
                    if key in files._load_index():
                        return True
            return False

        def kept(self, target: Any) -> set[Any]:
            """Return the signatures that there is code for, where the files can be read."""
            found = set()
            for files, (_, *same) in self._places((), target):
                with suppress(Exception):  # A damaged file may raise anything.
                    found |= {key[0] for key in files._load_index() if [*key[1:]] == same}
            return found

        def _places(self, signature: Any, target: Any) -> Iterator[tuple[Any, Any]]:
            """Yield the files that may hold code for a signature, and its key in them."""
            target.refresh()
            signature, machine, code = self._index_key(signature, target.codegen())
            yield self._cache_file, (signature, machine, code)
            if (alike := portable(machine)) is not None:
                yield self._carried, (signature, alike, code)

        def load_overload(self, signature: Any, target: Any) -> Any:
            found = self._loaded(signature, target)
            if found is None:
                # Whoever compiles it now in another process spares this one the work.
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
                        # numba passes on only what a kernel that it compiled itself stands upon.
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
    """One process at a time compiles a kernel; where files cannot be locked, all may at once."""

    #: the turns that this process has
    held: ClassVar[set[Turn]] = set()

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: Any = None

    def take(self) -> None:
        """Wait until no other process has its turn; one that ends leaves it."""
        if self._file is None:
            with suppress(ImportError, OSError):
                lock = importlib.import_module("fcntl")
                make_folder(self._path.parent)
                self._file = self._path.open("ab")
                self.held.add(self)
                lock.flock(self._file, lock.LOCK_EX)

    def leave(self) -> None:
        """Let the next one in."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self.held.discard(self)


def _check_digest(path: str) -> None:
    data = Path(path).read_bytes()
    if hashlib.sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
        raise ValueError(f"{path} does not fit its digest")
