"""`jit` and `partitioner`: which functions Meshwright partitions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Literal

import jax

from meshwright.jax import _engine, _partition, _private

# Contexts made so are part of the keys of JAX's caches: of traces, lowered modules, executables, and what calls
# dispatch to.
_make_context: Any = jax.make_user_context
_context = _make_context(None)


def jit(
    fun: Callable[..., Any] | None = None,
    /,
    *,
    memory_limit: int | str | None = None,
    target: str | None = None,
    least: Literal["bytes", "seconds"] | None = None,
    backend: str | None = None,
    resident: bool = False,
    compiler_options: dict[str, Any] | None = None,
    **kwargs: Any,
) -> Any:
    """``jax.jit``, with Meshwright as the partitioner in place of XLA's. Takes what ``jax.jit`` takes, gives what it gives.

    Tracing, caches, donation and dispatch are JAX's own. A function inside of another jitted one is part of that one's
    program, and the outermost decides who partitions it. On one device nothing is partitioned.

    ``memory_limit`` is the most bytes on a device, as a number or as ``"16GB"``: what does not fit is made smaller, or
    refused. ``target`` is the machine that the program is for, as ``"tpu-v4:4x4x4"`` or ``"h100:8x4"``, whose memory is
    then the limit. ``least`` says what there should be least of: bytes that are sent, if nothing is said, or
    ``"seconds"`` as they are estimated on the target. ``backend="cpu"`` runs the function on Meshwright's own engine, on all cores of this
    machine, in place of XLA: with arrays of numpy or JAX, and outside of JAX's transformations. With ``resident`` what it
    gives stays there, as :class:`meshwright.Array`, to be given to the next call: so is a training step as fast as it can
    be.
    """
    if fun is None:
        return functools.partial(
            jit,
            memory_limit=memory_limit,
            target=target,
            least=least,
            backend=backend,
            resident=resident,
            compiler_options=compiler_options,
            **kwargs,
        )
    if backend == "cpu":
        # A program for devices that share this machine's cores, unless it is said to be for others.
        asked = _partition.options(memory_limit=memory_limit, target=target or "cpu", least=least)
        return _engine.OnEngine(fun, asked, resident, **kwargs)
    if resident:
        raise ValueError('resident is for backend="cpu": JAX\'s own arrays stay on their devices anyhow')
    if backend is not None:
        raise ValueError(
            f'backend is "cpu", for the engine of Meshwright, or left out, for JAX\'s own; not {backend!r}'
        )
    asked = _partition.options(memory_limit=memory_limit, target=target, least=least)
    return jax.jit(fun, compiler_options={**(compiler_options or {}), _private.OPTION: asked}, **kwargs)


def partitioner(
    *,
    memory_limit: int | str | None = None,
    target: str | None = None,
    least: Literal["bytes", "seconds"] | None = None,
) -> AbstractContextManager[None]:
    """Within ``with partitioner():`` every function that JAX compiles for several devices is partitioned by Meshwright.

    For code that one cannot edit. What was compiled outside is compiled anew inside, and the other way round: neither
    gets the other's program. A jit of :func:`jit` keeps its own options, which mean what they mean there.
    """
    asked = _partition.options(memory_limit=memory_limit, target=target, least=least)
    context: AbstractContextManager[None] = _context(asked)
    return context


def lowered(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function lowered for these arguments; jitted by JAX if it is not jitted."""
    jitted: Any = function if hasattr(function, "lower") else jax.jit(function)
    return jitted.lower(*args, **kwargs)


def asked_for(function: Any) -> str:
    """The options of a function made by :func:`jit`, or else those around it, or none."""
    if isinstance(function, _engine.OnEngine):
        return function.asked
    return _private.option_of(function) or _context.value or _partition.options()


_private.install(lambda *given: _partition.partition_module(*given), lambda: _context.value)
