"""How kernels are compiled: what another kernel calls is optimised once, inside its caller.

Left alone, numba optimises every jitted function by itself and generates two wrappers and
machine code for it, then does it again for each function that calls it, level by level. Most
of our kernels are only called by other kernels, and this was about a third of the time to
compile. So a `kernel` has two compilers. Called from Python, it is compiled as numba does it,
and kept on disk. Called from a kernel, it is translated into LLVM's language and linked into
its caller; optimising it is left to whoever is called from Python.

This builds on parts of numba that its documentation describes (dispatchers, a compiler of
one's own) and on a few that it does not. If a version of numba lacks one of them, `kernel` is
numba's own `njit`: the same results after a longer wait.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any

import numba
import numpy as np
from numba.core import codegen, compiler, registry, typed_passes, types
from numba.core.caching import NullCache
from numba.core.compiler_machinery import register_pass

try:
    import fcntl
except ImportError:  # Windows: processes that start together compile the same kernels
    fcntl = None  # type: ignore[assignment]

_OPTIONS = {"nogil": True, "no_cfunc_wrapper": True}  # nobody asks for a C callback
_NEEDED = (
    (codegen, "JITCodeLibrary"),
    (getattr(codegen, "CPUCodeLibrary", None), "_get_module_for_linking"),
    (getattr(codegen, "CPUCodeLibrary", None), "_finalize_dynamic_globals"),
    (compiler, "CompilerBase"),
    (compiler, "DefaultPassBuilder"),
    (registry, "CPUDispatcher"),
    (typed_passes, "NativeLowering"),
)
CAN_LINK = all(hasattr(owner, name) for owner, name in _NEEDED)
"""Whether this version of numba has what linking builds on."""

LONGEST_WAIT = 60.0
"""Seconds after which a kernel that another process began to compile is compiled here, too."""


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function when it is first called, and keep the machine code on disk.

    Parameters
    ----------
    function : callable
    **options
        Further options of numba's `njit`, such as ``error_model``.

    Examples
    --------
    >>> @kernel
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    if function is None:
        return lambda function: kernel(function, **options)
    chosen = {**_OPTIONS, **options}
    if not CAN_LINK or getattr(numba.config, "DISABLE_JIT", False):
        return numba.njit(cache=True, **chosen)(function)
    dispatcher = _Kernel(function, {}, {"nopython": True, "boundscheck": None, **chosen})
    with contextlib.suppress(RuntimeError):  # no folder can be written to: compiled each time
        dispatcher.enable_caching()
    return dispatcher


@contextlib.contextmanager
def _alone(function: Callable[..., Any], folder: str | None) -> Iterator[None]:
    """Wait while another process compiles this kernel: then its machine code is on disk.

    Workers that start together need the same kernels, and each would compile them all.
    """
    with contextlib.ExitStack() as stack:
        if fcntl is not None and folder is not None:
            with contextlib.suppress(OSError):  # it is read-only, or knows no locks
                path = Path(folder, f"{function.__module__}.{function.__qualname__}.lock")
                path.parent.mkdir(parents=True, exist_ok=True)
                _wait_for(stack.enter_context(path.open("a")))
        yield


def _wait_for(file: IO[str]) -> None:
    """Lock a file, unless its owner needs too long; the system unlocks what a process leaves."""
    deadline = monotonic() + LONGEST_WAIT
    while monotonic() < deadline:
        try:
            return fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            sleep(0.02)
    return None


if CAN_LINK:

    class _LinkedLibrary(codegen.JITCodeLibrary):
        """Code that is linked into other code, and optimised there."""

        def add_linking_library(self, library: Any) -> None:
            self._linking_libraries.append(library)

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout

        def finalize(self) -> None:
            """Add the code of what it calls; numba's own would also generate machine code."""
            for library in dict.fromkeys(self._linking_libraries):
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            self._finalize_dynamic_globals()
            self._finalized = True

    class _NoEntry:
        """Stands where numba has the compiled function: this one exists in its callers only."""

    @register_pass(mutates_CFG=True, analysis_only=False)
    class _LinkedLowering(typed_passes.NativeLowering):
        """Translate a function for linking, without a way to call it from Python."""

        _name = "linked_lowering"

        def run_pass(self, state: Any) -> bool:
            library = _LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            library.enable_object_caching()
            state.library = library
            state.flags.no_compile = True
            changed = super().run_pass(state)
            entry = _NoEntry()
            state.targetctx.insert_user_function(entry, state["cr"].fndesc, [library])
            state["cr"] = state["cr"]._replace(cfunc=entry)
            return changed

    class _LinkedCompiler(compiler.CompilerBase):
        """Numba's compiler with another last step."""

        def define_pipelines(self) -> list[Any]:
            steps = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
            steps.passes = [
                (_LinkedLowering if step is typed_passes.NativeLowering else step, why)
                for step, why in steps.passes
            ]
            steps._finalized = False
            steps.finalize()
            return [steps]

    class _Linked(registry.CPUDispatcher):
        """A kernel as other kernels call it."""

        def add_overload(self, result: Any) -> None:
            self.overloads[tuple(result.signature.args)] = result

    class _Kernel(registry.CPUDispatcher):
        """A kernel as Python calls it, which hands its linked form to other kernels."""

        _cache: Any

        def __init__(
            self,
            py_func: Callable[..., Any],
            locals: dict[str, Any],  # noqa: A002  numba's name
            targetoptions: dict[str, Any],
            pipeline_class: type = compiler.Compiler,
        ) -> None:
            super().__init__(py_func, locals, targetoptions, pipeline_class)
            options = {**targetoptions, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
            self._linked = _Linked(py_func, locals, options, _LinkedCompiler)

        def compile(self, sig: Any) -> Any:
            # Compiling makes millions of objects that stay: looking for rubbish among them
            # took 8 % of the time.
            was_enabled = gc.isenabled()
            gc.disable()
            try:
                with _alone(self.py_func, self._cache.cache_path):
                    return super().compile(sig)
            except OSError:  # the folder is gone, full or read-only
                self._cache = NullCache()
                return super().compile(sig)
            finally:
                if was_enabled:
                    gc.enable()

        def get_call_template(self, args: Any, kws: Any) -> Any:
            # One translation serves all numbers: numba would make another for a literal 0.
            args = tuple(map(types.unliteral, args))
            kws = {name: types.unliteral(kind) for name, kind in dict(kws).items()}
            return self._linked.get_call_template(args, kws)

        def get_overload(self, sig: Any) -> Any:
            return self._linked.get_overload(sig)


@kernel
def sorting_order(keys: Any) -> Any:
    """Return the stable order that sorts `keys`: a merge sort from the bottom up.

    Numba takes a second and a half to compile `numpy.argsort`.

    Examples
    --------
    >>> sorting_order(np.array([2.0, 1.0, 2.0, 0.0])).tolist()
    [3, 1, 0, 2]
    """
    n = len(keys)
    order, merged = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        order[i] = i
    width = 1
    while width < n:
        for left in range(0, n, 2 * width):
            middle, end = min(left + width, n), min(left + 2 * width, n)
            a, b = left, middle
            for k in range(left, end):
                if a < middle and (b >= end or not keys[order[b]] < keys[order[a]]):
                    merged[k] = order[a]
                    a += 1
                else:
                    merged[k] = order[b]
                    b += 1
        order, merged = merged, order
        width *= 2
    return order
