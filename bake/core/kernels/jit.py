"""Compile kernels with numba, so that they run without the interpreter lock.

A game may run without numba. Kernels are then plain functions, which are slower but return the same
results.

Compiled code has a folder of its own, and no setting of numba is changed, because this package runs
inside the process of a game, which may compile functions of its own.
"""

from __future__ import annotations

import functools
import glob
import importlib
import importlib.util
import os
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from bake.core.interrupts import interrupts_held
from bake.core.kernels.cache import disk_cache, folders_of
from bake.core.kernels.trust import find_cache_folder

if TYPE_CHECKING:
    from levelbake.errors import BakeError

P = ParamSpec("P")
R = TypeVar("R")


#: Whether kernels can be compiled. If not, an array operation is faster where one exists.
COMPILED = False
with suppress(ImportError):
    COMPILED = importlib.util.find_spec("numba") is not None


def _load_without_blas() -> None:
    """Load numba's array code without scipy's linear algebra.

    numba searches for BLAS there when it loads its first kernel. That takes 0.3 s, as long as the
    rest of the start, and no kernel here multiplies matrices. Other functions in the process that
    do still find BLAS when they are compiled.
    """
    if "scipy.linalg" in sys.modules or "numba.np.arraymath" in sys.modules:
        return
    current_thread = threading.get_ident()

    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "scipy.linalg" and threading.get_ident() == current_thread:
            raise ImportError("not needed here")

    importer: Any = types.SimpleNamespace(find_spec=find_spec)
    sys.meta_path.insert(0, importer)
    try:
        arraymath = importlib.import_module("numba.np.arraymath")
        if hasattr(arraymath, "_HAVE_BLAS"):
            cast("Any", arraymath)._HAVE_BLAS = importlib.util.find_spec("scipy") is not None
    except ImportError:
        pass  # This version of numba has a different layout, and searches for BLAS as usual.
    finally:
        sys.meta_path.remove(importer)


class Kernel:
    """A kernel, which is loaded from the cache on its first call, or runs as plain Python.

    It is compiled only inside :func:`waiting`, or if ``BAKE_COMPILE`` is "wait", and not even
    loaded inside :func:`uncompiled`. Elsewhere numba, which takes half a second, is loaded only
    after :func:`load`, so that no query waits for it.
    """

    def __init__(
        self, function: Callable[..., Any], *, separate: bool = False, **options: Any
    ) -> None:
        self.function = function
        self.separate = separate
        self.options = options
        self._compiled: Any = None
        self._lacks_code = False
        self._making = threading.RLock()
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any) -> Any:
        compiled = self._compiled
        if compiled is None and _Blocks.note is not None:
            _Blocks.note(self, args)
            compiled = self.plain
        elif compiled is None:
            compiled = self._load_compiled() if self.ready() else self.plain
        return compiled(*args)

    def ready(self) -> bool:
        """Return whether a call runs compiled code, or may wait for the compiler."""
        if not COMPILED or self._compiled is not None or may_wait():
            return COMPILED
        # While a thread imports numba, no question waits for it.
        loads = _Blocks.loading or ("numba" in sys.modules and not _Blocks.behind)
        return loads and not _Blocks.uncompiled and self.in_cache

    @property
    def is_loaded(self) -> bool:
        """Whether compiled code is in memory, for all arguments the kernel was called with."""
        return bool(getattr(self._compiled, "overloads", None)) and not self._lacks_code

    def load(self) -> None:
        """Load all code that the cache holds; calls run it once all of it is loaded."""
        with self._making:
            dispatcher = self._compiled
            if dispatcher is None:
                load_numba()
                dispatcher = _build_dispatcher(self)
            if hasattr(dispatcher, "_cache"):
                for kinds in dispatcher._cache.kept(dispatcher.targetctx):
                    dispatcher.compile(kinds)
            self._compiled = dispatcher

    @cached_property
    def in_cache(self) -> bool:
        """Whether the cache contained the kernel when the process first looked."""
        code = self.function.__code__
        name = f"*.{glob.escape(self.function.__qualname__)}-{code.co_firstlineno}.*.nbi"
        folders = folders_of(Path(code.co_filename))
        return any(file for folder in folders for file in folder.glob(name))

    def refresh_cache(self) -> None:
        """Discard the result of `in_cache`, so that the next use looks again."""
        vars(self).pop("in_cache", None)

    @cached_property
    def plain(self) -> Callable[..., Any]:
        """The function as plain Python, which calls other kernels as plain Python, too."""
        function = self.function
        names = dict(function.__globals__)
        plain = types.FunctionType(
            function.__code__, names, function.__name__, function.__defaults__
        )
        for name in function.__code__.co_names:
            called = names.get(name)
            if isinstance(called, Kernel):
                names[name] = plain if called is self else called.plain
        return plain

    def _load_compiled(self) -> Any:
        with self._making:
            if self._compiled is None:
                try:
                    load_numba()
                    self._compiled = _build_dispatcher(self)
                except ImportError:
                    # numba is installed, but does not fit the versions of other packages.
                    self._compiled = self.plain
                except UnloadableError as error:
                    if may_wait():
                        raise error.to_bake_error() from None
                    self._compiled = self.plain
            return self._compiled

    @property
    def _numba_type_(self) -> Any:
        """The type of this kernel in numba's view, when other kernels call it."""
        return importlib.import_module("numba").types.Dispatcher(self.inner)

    @cached_property
    def inner(self) -> Any:
        """numba's dispatcher of this kernel for calls from other kernels."""
        return _build_inner_dispatcher(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._load_compiled(), name)


class _Blocks:
    """How many blocks let calls wait for the compiler, need none, and load kernels in a thread."""

    waiting = 0
    uncompiled = 0
    behind = 0
    #: Whether kernels of the cache are worth loading numba for.
    loading = False
    lock = threading.Lock()
    #: Why numba could not be loaded; a second attempt would find a partial import.
    unloadable: str | None = None
    #: Called with a kernel that is not loaded, and its arguments; the kernel then runs as plain
    #: Python.
    note: Callable[[Kernel, tuple[Any, ...]], None] | None = None


def may_wait() -> bool:
    """Return whether calls may wait for the compiler."""
    asked = os.environ.get("BAKE_COMPILE") == "wait" and not _Blocks.uncompiled
    return _Blocks.waiting > 0 or asked or _Blocks.note is not None


@contextmanager
def _count_block(kind: str) -> Iterator[None]:
    with _Blocks.lock:
        setattr(_Blocks, kind, getattr(_Blocks, kind) + 1)
    try:
        yield
    finally:
        with _Blocks.lock:
            setattr(_Blocks, kind, getattr(_Blocks, kind) - 1)


@contextmanager
def waiting() -> Iterator[None]:
    """Allow calls in this block to wait for the compiler, for long tasks."""
    with _count_block("waiting"):
        yield


@contextmanager
def uncompiled() -> Iterator[None]:
    """Run kernels that are not loaded yet as plain Python in this block, for short tasks.

    A :func:`waiting` block in another thread takes precedence.
    """
    with _count_block("uncompiled"):
        yield


@contextmanager
def noted(note: Callable[[Kernel, tuple[Any, ...]], None]) -> Iterator[None]:
    """Pass calls of kernels that are not loaded to a function, and run them as plain Python."""
    _Blocks.note = note
    try:
        yield
    finally:
        _Blocks.note = None


class UnloadableError(Exception):
    """The libraries of numba cannot be loaded, for example for lack of memory."""

    def to_bake_error(self) -> BakeError:
        """Return the error for a user who waits for the compiler."""
        from levelbake.errors import BakeError

        return BakeError(
            f"numba, which compiles kernels, cannot be loaded: {self}",
            remedy="let the process have more memory (`ulimit -v` limits it), install numba and "
            "llvmlite again, or set NUMBA_DISABLE_JIT=1 to bake without it, slowly",
        )


@contextmanager
def _without_local_settings() -> Iterator[None]:
    """Load numba without the settings in the current folder.

    numba reads them from ``.numba_config.yaml`` there, which another person may have written. In a
    game's process, that is the game's decision.
    """
    if os.environ.get("BAKE_COMPILE") != "wait" or not Path(".numba_config.yaml").exists():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numba warns if it lacks a package to read them with.
        yield
    config: Any = importlib.import_module("numba.core.config")
    config._config_fname = ""
    config._env_reloader.update(force=True)


def load_numba() -> None:
    """Load numba.

    Raises:
        ImportError: numba does not fit the versions of other packages.
        UnloadableError: its libraries cannot be loaded.
    """
    if _Blocks.unloadable is None:
        try:
            with _without_local_settings():
                importlib.import_module("numba")
        except (OSError, MemoryError) as error:
            reason = next(iter(str(error).splitlines()), "") or type(error).__name__
            _Blocks.unloadable = reason.partition(". ")[0]
    if _Blocks.unloadable is not None:
        raise UnloadableError(_Blocks.unloadable)


def _dispatcher(kernel: Kernel, *, inner: bool) -> Any:
    """Return numba's dispatcher of a kernel, with our cache.

    Only other kernels call ``inner`` ones. Code for calls from Python unpacks the arguments, a
    fifth of all code of a build.
    """
    _load_without_blas()
    function = kernel.function
    compiler = importlib.import_module("numba").njit
    options = {"no_cpython_wrapper": inner, "no_cfunc_wrapper": True, **kernel.options}
    dispatcher = compiler(nogil=True, **options)(function)
    dispatcher._compiler._customize_flags = _hash_fast
    if (cache := disk_cache(function, inner=inner)) is not None:
        dispatcher._cache = cache
    return dispatcher


@functools.cache
def _flags_class() -> Any:
    """Return a subclass of numba's compilation flags with a constant hash.

    numba looks the flags up for each operation that it types, and sorts the values of all of them
    each time: a fifth of the compile time of a build.
    """

    def same(options: Any, other: Any) -> bool:
        return bool(options._values == getattr(other, "_values", None))

    own = {"__slots__": (), "__hash__": lambda options: 0, "__eq__": same}
    return type("Flags", (importlib.import_module("numba.core.compiler").Flags,), own)


def _hash_fast(flags: Any) -> Any:
    return _flags_class()(flags)


def _build_dispatcher(kernel: Kernel) -> Any:
    """Return the dispatcher for calls from Python."""
    dispatcher = _dispatcher(kernel, inner=False)
    cache, compile_for = dispatcher._cache, dispatcher._compile_for_args

    def compiled_for(*args: Any) -> Any:
        # numba asks for code for arguments of types that the function has not met yet.
        if not may_wait():
            kinds = tuple(dispatcher.typeof_pyval(each) for each in args)
            if not (hasattr(cache, "holds") and cache.holds(kinds, dispatcher.targetctx)):
                kernel._lacks_code = True
                return kernel.plain
        # The compiler calls back from its library, where an interrupt would be lost.
        with interrupts_held():
            found = compile_for(*args)
        kernel._lacks_code = False
        return found

    dispatcher._compile_for_args = compiled_for
    return dispatcher


def _build_inner_dispatcher(kernel: Kernel) -> Any:
    """Return the dispatcher for calls from other kernels."""
    dispatcher = _dispatcher(kernel, inner=True)
    template_for = dispatcher.get_call_template

    def widened_template_for(args: Any, kws: Any) -> Any:
        # Otherwise it would be compiled again for each constant that callers pass, and for each
        # width of its integer arguments.
        named = {name: _widen(kind) for name, kind in kws.items()}
        template = template_for(tuple(map(_widen, args)), named)
        if kernel.separate:
            for compiled in dispatcher.overloads.values():
                _link_separately(kernel, compiled)
        return template

    dispatcher.get_call_template = widened_template_for
    return dispatcher


def _link_separately(kernel: Kernel, compiled: Any) -> None:
    """Arrange for kernels compiled from now on to call existing code, not inline it."""
    function, kinds = kernel.function, tuple(compiled.signature.args)
    symbol = compiled.fndesc.mangled_name
    library = _EmptyLibrary(
        _SeparateKernel(function.__module__, function.__qualname__, kinds, symbol)
    )
    context = compiled.target_context
    context.remove_user_function(compiled.entry_point)
    context.insert_user_function(compiled.entry_point, compiled.fndesc, [library])


class _EmptyLibrary:
    """An empty library for numba to link in place of a separate kernel, which it requires."""

    def __init__(self, needed: _SeparateKernel) -> None:
        self._reload_init = {needed}

    def _ensure_finalized(self) -> None:
        pass

    def _get_module_for_linking(self) -> Any:
        return importlib.import_module("llvmlite.binding").parse_assembly("")


@dataclass(frozen=True)
class _SeparateKernel:
    """A separate kernel that must be loaded before cached code that calls it."""

    module: str
    name: str
    kinds: tuple[Any, ...]
    symbol: str

    def __call__(self) -> None:
        """Load the kernel; numba calls this before it loads the code that needs it.

        Raises:
            LookupError: the kernel was compiled again since, under another name.
        """
        kernel = getattr(importlib.import_module(self.module), self.name)
        kernel.inner.compile(self.kinds)
        if kernel.inner.overloads[self.kinds].fndesc.mangled_name != self.symbol:
            raise LookupError(f"{self.name} has been compiled again")


def _widen(kind: Any) -> Any:
    """Return the type that an argument from another kernel is compiled for."""
    numba_types = importlib.import_module("numba").types
    kind = numba_types.unliteral(kind)
    narrow = numba_types.int8, numba_types.int16, numba_types.int32
    return numba_types.int64 if kind in narrow else kind


def _is_disabled() -> bool:
    return os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0")


def slowness_notes() -> list[str]:
    """Return a line for each reason why kernels are slow, or why they are compiled again."""
    plain = "so kernels run as plain Python, up to a hundred times slower"
    if not COMPILED:
        return [f"numba is not installed, {plain}"]
    if _is_disabled():
        return [f"NUMBA_DISABLE_JIT is set, {plain}"]
    note = find_cache_folder()[1]
    return [note] if note else []


def _kernel(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    if not COMPILED or _is_disabled():
        return function
    return cast("Callable[P, R]", Kernel(function, **options))


def straight(function: Callable[P, R], *args: Any) -> Callable[P, R] | None:
    """Return the compiled code of a kernel for the types of given arguments, or None.

    A call of a kernel inspects the type of every array of every bundle to select code, which takes
    20 µs for those of a hierarchy. A caller that always passes the same types can select it once;
    the result raises TypeError on other types.
    """
    compiled = function._compiled if isinstance(function, Kernel) else None
    if compiled is None or not hasattr(compiled, "overloads"):
        return None
    overload = compiled.overloads.get(tuple(map(compiled.typeof_pyval, args)))
    return None if overload is None else cast("Callable[P, R]", overload.entry_point)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that is inlined into each kernel that uses it.

    A call would cost too much for code of a few nanoseconds.
    """
    return _kernel(function, inline="always")


def accessor(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that reads arrays of a bundle, and neither creates nor returns any.

    numba counts the references to every array that such a function reads, which takes fifty times
    as long as reading. The caller holds the bundle, so no counting is needed.
    """
    return _kernel(function, _nrt=False, forceinline=True)


def separate(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that other kernels call as a separate function.

    numba optimizes everything that a kernel calls again with the kernel, which takes long for large
    callees. A call of a separate kernel is never inlined, which costs some nanoseconds.
    """
    return _kernel(function, separate=True, _nrt=False)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a plain function over arrays and scalars; several threads may call it at once."""
    return _kernel(function, _nrt=False)


def allocating(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that allocates scratch arrays, and returns none of them."""
    return _kernel(function, _nrt=True)


def ready(function: Callable[..., Any]) -> bool:
    """Return whether a kernel runs compiled, or may wait for the compiler.

    If not, an alternative without kernels is faster than a kernel in plain Python.
    """
    return COMPILED and (not isinstance(function, Kernel) or function.ready())


def load(functions: Iterable[Callable[..., Any]]) -> None:
    """Load the cached code of some kernels now, and of all others when they are called."""
    _Blocks.loading = True
    for each in functions:
        if COMPILED and isinstance(each, Kernel) and each.in_cache:
            with suppress(ImportError, UnloadableError):
                each.load()


def loaded(functions: Iterable[Callable[..., Any]]) -> bool:
    """Return whether kernels run compiled without loading any code, or may wait for the compiler.

    Unlike :func:`ready`, this is False where a call would first load code from the cache.
    """
    if not COMPILED or may_wait():
        return COMPILED
    return all(not isinstance(each, Kernel) or each.is_loaded for each in functions)


def load_behind(functions: Sequence[Callable[..., Any]], then: Callable[[], object]) -> None:
    """Load kernels in a thread, and then call a function there.

    Without numba, or where the cache lacks one of the kernels, nothing is loaded or called. The
    process does not end before the kernel that is being loaded is complete.
    """
    kernels = [each for each in functions if isinstance(each, Kernel)]
    if not COMPILED or may_wait() or _Blocks.uncompiled or not all(map(_is_cached, kernels)):
        return
    threading.Thread(target=_load_all, args=(kernels, then), name="levelbake-kernels").start()


def _is_cached(kernel: Kernel) -> bool:
    return kernel.is_loaded or kernel.in_cache


def _load_all(kernels: Sequence[Kernel], then: Callable[[], object]) -> None:
    main = threading.main_thread()
    with _count_block("behind"):
        for each in kernels:
            if not main.is_alive():
                return
            try:
                each.load()
            except (ImportError, UnloadableError):
                return
    if main.is_alive() and loaded(kernels):
        then()


def in_cache(function: Callable[..., Any]) -> bool:
    """Return whether a kernel was cached at the first look, or cannot be compiled."""
    return not isinstance(function, Kernel) or function.in_cache
