"""All that Meshwright uses of JAX's private names, and nothing else.

- ``compiler.compile_or_get_cached`` is what JAX calls to compile a lowered module. Its module is replaced by a
  partitioned one, and the rest goes its way: caches, donation, layouts, dispatch, the cache on disk (whose key is made
  of the partitioned module).
- ``partial_eval.custom_staging_rules``: a jit inside of another refuses compiler options. Ours are kept there: the
  outermost jit decides who partitions, and what a transformation takes apart, as the way back of a gradient, stays ours.
- The rest is read: the text of a module, what JAX leaves open, the options of a jitted function.

:func:`missing` says which of them an installed JAX lacks, so that a wrong version is told by name.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import Any

SUPPORTED = ("0.8", "0.9", "0.10")

#: The compiler option that carries ours, as JSON, through JAX: it is part of every cache's key on the way.
OPTION = "meshwright"

NAMES = {
    "jax._src.compiler": ["compile_or_get_cached"],
    "jax._src.interpreters.partial_eval": ["custom_staging_rules"],
    "jax._src.interpreters.pxla": ["get_prop_to_input_output"],
    "jax._src.lib.mlir": ["ir"],
    "jax._src.lib.mlir.dialects": ["hlo"],
    "jax._src.pjit": ["jit_p"],
}


def missing() -> list[str]:
    """The private names that this JAX lacks, as ``module.name``."""

    def has(module: str, name: str) -> bool:
        try:
            return hasattr(importlib.import_module(module), name)
        except ImportError:
            return False

    return [f"{module}.{name}" for module, names in NAMES.items() for name in names if not has(module, name)]


def check_version(version: str) -> None:
    """Refuse a JAX that lacks what is used here."""
    gone = missing()
    if gone:
        raise ImportError(
            f"meshwright.jax works with JAX {', '.join(SUPPORTED)}; JAX {version} is installed, and has no "
            f"{', no '.join(gone)}: pip install 'jax>={SUPPORTED[0]},<={SUPPORTED[-1]}.99'"
        )


def _of(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


_lock = threading.Lock()
_installed = False


def install(partition: Callable[[Any, str, Any], Any], context: Callable[[], str | None]) -> None:
    """Have ``partition(module, options, compile_options)`` replace each module of several partitions whose options ask
    for it. Options are those of the jit, or else ``context()``; the empty text asks for XLA's partition.
    """
    global _installed
    with _lock:
        if not _installed:
            _hook_compiler(partition, context)
            _hook_staging()
            _installed = True


def _hook_compiler(partition: Callable[[Any, str, Any], Any], context: Callable[[], str | None]) -> None:
    original = _of("jax._src.compiler", "compile_or_get_cached")

    def compile_or_get_cached(
        backend: Any, computation: Any, devices: Any, compile_options: Any, *rest: Any, **more: Any
    ) -> Any:
        options = _take_option(compile_options)
        if options is None:
            options = context()
        if options and compile_options.num_partitions > 1:
            computation = partition(computation, options, compile_options)
            compile_options.executable_build_options.use_shardy_partitioner = True
        return original(backend, computation, devices, compile_options, *rest, **more)

    setattr(importlib.import_module("jax._src.compiler"), "compile_or_get_cached", compile_or_get_cached)


def _take_option(compile_options: Any) -> str | None:
    """Our option, taken out of those that XLA gets: XLA refuses what it does not know."""
    overrides = compile_options.env_option_overrides
    ours: list[str] = [value for name, value in overrides if name == OPTION]
    if not ours:
        return None
    compile_options.env_option_overrides = [(name, value) for name, value in overrides if name != OPTION]
    return ours[-1]


class _Carried(tuple[tuple[str, Any], ...]):
    """Options that a jit inside of another keeps: JAX refuses them where there are any, and asks by their truth."""

    def __bool__(self) -> bool:
        return False


def _hook_staging() -> None:
    rules = _of("jax._src.interpreters.partial_eval", "custom_staging_rules")
    jit = _of("jax._src.pjit", "jit_p")
    original = rules[jit]

    def stage(trace: Any, source_info: Any, *args: Any, **params: Any) -> Any:
        options = params["compiler_options_kvs"]
        if all(name == OPTION for name, _ in options):
            params = {**params, "compiler_options_kvs": _Carried(options)}
        return original(trace, source_info, *args, **params)

    rules[jit] = stage


def name_of(module: Any) -> str:
    """What JAX calls a module: ``jit_step``."""
    return str(module.operation.attributes["sym_name"]).strip('"')


def text_of(module: Any) -> str:
    """The text of a lowered module, with where in Python each op comes from."""
    text: str = module.operation.get_asm(enable_debug_info=True)
    return text


def module_of(text: str, like: Any) -> Any:
    """Text as a module, in the context of another."""
    with like.context:
        return _of("jax._src.lib.mlir", "ir").Module.parse(text)


def dialects() -> tuple[Any, Any]:
    """MLIR's bindings, and those of StableHLO."""
    return _of("jax._src.lib.mlir", "ir"), _of("jax._src.lib.mlir.dialects", "hlo")


def propagation(compile_options: Any) -> tuple[list[bool], list[bool]]:
    """Which unannotated parameters and results may be split, as two lists of flags."""
    build = compile_options.executable_build_options
    return (
        list(build.allow_spmd_sharding_propagation_to_parameters),
        list(build.allow_spmd_sharding_propagation_to_output),
    )


def propagation_of(lowered: Any) -> tuple[list[bool], list[bool]]:
    """The same of a function that was lowered, and not compiled."""
    given = lowered._lowering.compile_args
    flags = _of("jax._src.interpreters.pxla", "get_prop_to_input_output")
    parameters, outputs = flags(given["in_shardings"], given["out_shardings"], len(given["ordered_effects"]))
    return list(parameters), list(outputs)


def meshes_of(lowered: Any) -> list[Any]:
    """The meshes that the shardings of a lowered function are over, those of its arguments first."""
    given = lowered._lowering.compile_args
    named = [*given["in_shardings"], *given["out_shardings"]]
    return [sharding.mesh for sharding in named if hasattr(sharding, "mesh") and hasattr(sharding.mesh, "devices")]


def option_of(function: Any) -> str | None:
    """Our option of a jitted function, if it has one."""
    info = getattr(function, "_jit_info", None)
    return None if info is None else dict(info.compiler_options_kvs).get(OPTION)
