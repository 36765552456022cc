"""Compile kernels with numba, so that they run without the interpreter lock.

A game may run without numba. Kernels are then plain functions, which are slower but give the same
answers.

Compiled code lies in a folder of its own, and no setting of numba is changed, because this package
is a guest in the process of a game, which may compile functions of its own.
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

from bake.interrupts import interrupts_held
from bake.kernels.cache import disk_cache, folders_of
from bake.kernels.trust import find_cache_folder

if TYPE_CHECKING:
    from levelbake.errors import BakeError

P = ParamSpec("P")
R = TypeVar("R")


#: Whether kernels can be compiled. If not, an array operation is faster where there is one.
COMPILED = False
with suppress(ImportError):
    COMPILED = importlib.util.find_spec("numba") is not None


def _load_without_blas() -> None:
    """Load numba's array code without scipy's linear algebra.

    numba looks for BLAS there when it loads its first kernel. That takes 0.3 s, as long as the rest
    of starting up, and no kernel here multiplies matrices. A host whose functions do still finds
    BLAS when it compiles them.
    """
    if "scipy.linalg" in sys.modules or "numba.np.arraymath" in sys.modules:
        return
    mine = threading.get_ident()

    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "scipy.linalg" and threading.get_ident() == mine:
            raise ImportError("not needed here")

    importer: Any = types.SimpleNamespace(find_spec=find_spec)
    sys.meta_path.insert(0, importer)
    try:
        arraymath = importlib.import_module("numba.np.arraymath")
        if hasattr(arraymath, "_HAVE_BLAS"):
            cast("Any", arraymath)._HAVE_BLAS = importlib.util.find_spec("scipy") is not None
    except ImportError:
        pass  # This version of numba has a different layout, and looks for BLAS as usual.
    finally:
        sys.meta_path.remove(importer)


class Kernel:
    """A kernel, which is loaded from the cache when it is first called, or runs as plain Python.

    It is compiled only inside of :func:`waiting`, or where ``BAKE_COMPILE`` is "wait", and not even
    loaded inside of :func:`uncompiled`. Elsewhere numba, which takes half a second, is loaded only
    after :func:`load`, so that no question waits for it.
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
            compiled = self._made() if self.ready() else self.plain
        return compiled(*args)

    def ready(self) -> bool:
        """Tell whether a call runs compiled code, or may wait for the compiler."""
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
            made = self._compiled
            if made is None:
                load_numba()
                made = _for_python(self)
            for kinds in made._cache.kept(made.targetctx) if hasattr(made, "_cache") else ():
                made.compile(kinds)
            self._compiled = made

    @cached_property
    def in_cache(self) -> bool:
        """Whether the cache held the kernel when the process first asked for it."""
        code = self.function.__code__
        name = f"*.{glob.escape(self.function.__qualname__)}-{code.co_firstlineno}.*.nbi"
        folders = folders_of(Path(code.co_filename))
        return any(file for folder in folders for file in folder.glob(name))

    def look_again(self) -> None:
        """Look for the kernel in the cache anew when it is next asked for."""
        vars(self).pop("in_cache", None)

    @cached_property
    def plain(self) -> Callable[..., Any]:
        """Return the function that never runs compiled code, not even in the kernels it calls."""
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

    def _made(self) -> Any:
        with self._making:
            if self._compiled is None:
                try:
                    load_numba()
                    self._compiled = _for_python(self)
                except ImportError:  # numba is there, but does not fit the rest of what is.
                    self._compiled = self.plain
                except UnloadableError as error:
                    if may_wait():
                        raise error.told() from None
                    self._compiled = self.plain
            return self._compiled

    @property
    def _numba_type_(self) -> Any:
        """Return the type that numba gives this kernel in the kernels that call it."""
        return importlib.import_module("numba").types.Dispatcher(self.inner)

    @cached_property
    def inner(self) -> Any:
        """Return numba's dispatcher of this kernel for the kernels that call it."""
        return _for_kernels(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._made(), name)


class _Blocks:
    """How many blocks let calls wait for the compiler, need none, and load kernels in a thread."""

    waiting = 0
    uncompiled = 0
    behind = 0
    #: Whether kernels of the cache are worth loading numba for.
    loading = False
    lock = threading.Lock()
    #: Why numba could not be loaded; a second attempt would find a half of it.
    unloadable: str | None = None
    #: Called with a kernel that is not loaded, and its arguments; then it runs as plain Python.
    note: Callable[[Kernel, tuple[Any, ...]], None] | None = None


def may_wait() -> bool:
    """Return whether calls may wait for the compiler."""
    asked = os.environ.get("BAKE_COMPILE") == "wait" and not _Blocks.uncompiled
    return _Blocks.waiting > 0 or asked or _Blocks.note is not None


@contextmanager
def _inside(kind: str) -> Iterator[None]:
    with _Blocks.lock:
        setattr(_Blocks, kind, getattr(_Blocks, kind) + 1)
    try:
        yield
    finally:
        with _Blocks.lock:
            setattr(_Blocks, kind, getattr(_Blocks, kind) - 1)


@contextmanager
def waiting() -> Iterator[None]:
    """Let calls wait for the compiler, as long tasks are worth it."""
    with _inside("waiting"):
        yield


@contextmanager
def uncompiled() -> Iterator[None]:
    """Run kernels that are not loaded yet as plain Python, as short tasks are not worth loading.

    Where another thread is :func:`waiting`, it decides.
    """
    with _inside("uncompiled"):
        yield


@contextmanager
def noted(note: Callable[[Kernel, tuple[Any, ...]], None]) -> Iterator[None]:
    """Hand calls of kernels that are not loaded to a function; they run as plain Python then."""
    _Blocks.note = note
    try:
        yield
    finally:
        _Blocks.note = None


class UnloadableError(Exception):
    """The libraries of numba cannot be loaded, as where a process may not have enough memory."""

    def told(self) -> BakeError:
        """Return the error for a person who waits for the compiler."""
        from levelbake.errors import BakeError

        return BakeError(
            f"numba, which compiles kernels, cannot be loaded: {self}",
            remedy="let the process have more memory (`ulimit -v` limits it), install numba and "
            "llvmlite again, or set NUMBA_DISABLE_JIT=1 to bake without it, slowly",
        )


@contextmanager
def _without_settings_from_here() -> Iterator[None]:
    """Load numba without the settings in the current folder.

    numba reads them from ``.numba_config.yaml`` there, which may be a stranger's. In a game, that
    is for the game to decide.
    """
    if os.environ.get("BAKE_COMPILE") != "wait" or not Path(".numba_config.yaml").exists():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numba warns where it lacks a package to read them with.
        yield
    config: Any = importlib.import_module("numba.core.config")
    config._config_fname = ""
    config._env_reloader.update(force=True)


def load_numba() -> None:
    """Load numba.

    Raises:
        ImportError: it does not fit the versions of other packages.
        UnloadableError: its libraries cannot be loaded.
    """
    if _Blocks.unloadable is None:
        try:
            with _without_settings_from_here():
                importlib.import_module("numba")
        except (OSError, MemoryError) as error:
            said = next(iter(str(error).splitlines()), "") or type(error).__name__
            _Blocks.unloadable = said.partition(". ")[0]
    if _Blocks.unloadable is not None:
        raise UnloadableError(_Blocks.unloadable)


def _dispatcher(kernel: Kernel, *, inner: bool) -> Any:
    """Return numba's dispatcher of a kernel, with a cache of ours; kernels alone call inner ones.

    What Python calls needs code that takes its arguments apart, a fifth of all code of a build.
    """
    _load_without_blas()
    function = kernel.function
    compiler = importlib.import_module("numba").njit
    options = {"no_cpython_wrapper": inner, "no_cfunc_wrapper": True, **kernel.options}
    dispatcher = compiler(nogil=True, **options)(function)
    dispatcher._compiler._customize_flags = _hashed_at_once
    if (cache := disk_cache(function, inner=inner)) is not None:
        dispatcher._cache = cache
    return dispatcher


@functools.cache
def _flags_class() -> Any:
    """Return numba's class of options of one compilation, which a dictionary takes at once.

    numba looks options up for each operation that it finds the types of, and puts the values of
    all of them in order each time: a fifth of what a build compiles.
    """

    def same(options: Any, other: Any) -> bool:
        return bool(options._values == getattr(other, "_values", None))

    own = {"__slots__": (), "__hash__": lambda options: 0, "__eq__": same}
    return type("Flags", (importlib.import_module("numba.core.compiler").Flags,), own)


def _hashed_at_once(flags: Any) -> Any:
    return _flags_class()(flags)


def _for_python(kernel: Kernel) -> Any:
    """Return the dispatcher that Python calls."""
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


def _for_kernels(kernel: Kernel) -> Any:
    """Return the dispatcher that other kernels call."""
    dispatcher = _dispatcher(kernel, inner=True)
    template_for = dispatcher.get_call_template

    def widened_template_for(args: Any, kws: Any) -> Any:
        # Kernels that call this one would have it compiled for each constant that they pass, and
        # once more for each width of the whole numbers among its arguments.
        named = {name: _widened(kind) for name, kind in kws.items()}
        template = template_for(tuple(map(_widened, args)), named)
        if kernel.separate:
            for each in dispatcher.overloads.values():
                _separated(kernel, each)
        return template

    dispatcher.get_call_template = widened_template_for
    return dispatcher


def _separated(kernel: Kernel, compiled: Any) -> None:
    """Let kernels that are compiled from now on call some code where it lies."""
    function, kinds = kernel.function, tuple(compiled.signature.args)
    symbol = compiled.fndesc.mangled_name
    library = _Elsewhere(_Needed(function.__module__, function.__qualname__, kinds, symbol))
    context = compiled.target_context
    context.remove_user_function(compiled.entry_point)
    context.insert_user_function(compiled.entry_point, compiled.fndesc, [library])


class _Elsewhere:
    """What numba links into a kernel that calls a separate one: nothing, but it is needed."""

    def __init__(self, needed: _Needed) -> None:
        self._reload_init = {needed}

    def _ensure_finalized(self) -> None:
        pass

    def _get_module_for_linking(self) -> Any:
        return importlib.import_module("llvmlite.binding").parse_assembly("")


@dataclass(frozen=True)
class _Needed:
    """A separate kernel that has to be there before code from the cache that calls it."""

    module: str
    name: str
    kinds: tuple[Any, ...]
    symbol: str

    def __call__(self) -> None:
        """Load it; numba asks for this before it loads the code that needs it.

        Raises:
            LookupError: it was compiled anew since, and has another name.
        """
        kernel = getattr(importlib.import_module(self.module), self.name)
        kernel.inner.compile(self.kinds)
        if kernel.inner.overloads[self.kinds].fndesc.mangled_name != self.symbol:
            raise LookupError(f"{self.name} has been compiled anew")


def _widened(kind: Any) -> Any:
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
    """Return what calls a kernel's compiled code for the types of some arguments; None without any.

    A call of a kernel looks at the type of every array of every bundle to choose code, which takes
    20 µs for those of a hierarchy. Whoever always passes the same types can have it chosen once;
    arrays of other types are then a TypeError.
    """
    compiled = function._compiled if isinstance(function, Kernel) else None
    if compiled is None or not hasattr(compiled, "overloads"):
        return None
    found = compiled.overloads.get(tuple(map(compiled.typeof_pyval, args)))
    return None if found is None else cast("Callable[P, R]", found.entry_point)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a part of kernels, which is copied into each kernel that uses it.

    A call would cost too much where a part takes a few nanoseconds.
    """
    return _kernel(function, inline="always")


def accessor(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a part of kernels that reads arrays of a bundle, and neither makes nor returns any.

    numba counts the references to every array that such a part looks at, which takes fifty times as
    long as looking. Whoever calls it holds the bundle, so there is nothing to count.
    """
    return _kernel(function, _nrt=False, forceinline=True)


def separate(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that other kernels call where it lies, rather than take in what it does.

    numba optimises all that a kernel calls once more with it, which takes long where much lies
    below. A call of a separate kernel is never inlined, which costs some nanoseconds.
    """
    return _kernel(function, separate=True, _nrt=False)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a plain function over arrays and scalars; it may run in several threads at once."""
    return _kernel(function, _nrt=False)


def allocating(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that allocates arrays of its own to work in, and returns none of them."""
    return _kernel(function, _nrt=True)


def ready(function: Callable[..., Any]) -> bool:
    """Tell whether a kernel runs compiled, or may wait for the compiler.

    Where there is another way that needs no compiler, it is faster than a kernel in plain Python.
    """
    return COMPILED and (not isinstance(function, Kernel) or function.ready())


def load(functions: Iterable[Callable[..., Any]]) -> None:
    """Load what the cache holds of some kernels, and from now on of any other when it is called."""
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
    with _inside("behind"):
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
    """Tell whether a kernel was in the cache when first looked for, or cannot be compiled."""
    return not isinstance(function, Kernel) or function.in_cache
