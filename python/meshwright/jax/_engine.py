"""Functions on Meshwright's own engine, in place of XLA: ``meshwright.jax.jit(f, backend="cpu")``.

JAX traces and lowers; the engine runs the program on all cores of this machine. Each signature is compiled once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import jax
import numpy as np

import meshwright
from meshwright.jax import _partition, _private


class OnEngine:
    """A function that is called with arrays of numpy or JAX, and gives such as it was given."""

    def __init__(self, fun: Callable[..., Any], asked: str, **kwargs: Any) -> None:
        # Every argument stays, so that the program takes what the function is called with.
        self._jitted: Any = jax.jit(fun, **{**kwargs, "keep_unused": True})
        self._static = _static(fun, kwargs.get("static_argnums"), kwargs.get("static_argnames"))
        self._asked = asked
        self._loaded: dict[Any, tuple[meshwright.Executable, Any]] = {}
        self.__wrapped__ = fun
        self.__name__ = getattr(fun, "__name__", "function")
        self.__doc__ = fun.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        static, dynamic = self._parted(args, kwargs)
        leaves, tree = jax.tree.flatten(dynamic)
        for leaf in leaves:
            if isinstance(leaf, jax.core.Tracer):
                raise TypeError(
                    f"{self.__name__} runs on Meshwright's engine, outside of JAX: it cannot be part of another jit, of "
                    'grad or of vmap; jit what is around it with backend="cpu" instead'
                )
        key = static, tree, tuple(map(_signature, leaves))
        loaded = self._loaded.get(key)
        if loaded is None:
            loaded = self._loaded[key] = self._load(args, kwargs)
        executable, out_tree = loaded
        results = executable([_plain(leaf) for leaf in leaves])
        if any(isinstance(leaf, jax.Array) for leaf in leaves):
            results = [_as_jax(result) for result in results]
        return jax.tree.unflatten(out_tree, results)

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """As JAX lowers it."""
        return self._jitted.lower(*args, **kwargs)

    def _load(self, args: Any, kwargs: Any) -> tuple[meshwright.Executable, Any]:
        lowered = self._jitted.lower(*args, **kwargs)
        program = _partition.program_of(lowered.compiler_ir("stablehlo"))
        settings = _partition.Settings.of(self._asked, _private.propagation_of(lowered), program, program.devices)
        partitioned = program.partition(**{"target": "cpu", **settings.words()})
        return partitioned.compile(), jax.tree.structure(lowered.out_info)

    def _parted(self, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """Static arguments, which are part of the key, and the others."""
        numbers, names = self._static
        numbers = {number % len(args) for number in numbers if -len(args) <= number < len(args)}
        static = [(number, args[number]) for number in sorted(numbers)]
        static += [(name, kwargs[name]) for name in sorted(kwargs) if name in names]
        dynamic = [arg for number, arg in enumerate(args) if number not in numbers]
        return tuple(static), (dynamic, {name: arg for name, arg in kwargs.items() if name not in names})


def _static(fun: Callable[..., Any], numbers: Any, names: Any) -> tuple[set[int], set[str]]:
    """Static arguments by number and by name: whoever gives one of them means both, as with ``jax.jit``."""
    given: Iterable[Any] = () if numbers is None else (numbers,) if isinstance(numbers, int) else numbers
    called: Iterable[Any] = () if names is None else (names,) if isinstance(names, str) else names
    by_number, by_name = set(given), set(called)
    if (numbers is None) != (names is None):
        parameters = list(inspect.signature(fun).parameters)
        by_name |= {parameters[number] for number in by_number if -len(parameters) <= number < len(parameters)}
        by_number |= {parameters.index(name) for name in by_name if name in parameters}
    return by_number, by_name


def _signature(leaf: Any) -> Any:
    if isinstance(leaf, (jax.Array, np.ndarray)):
        sharding = leaf.sharding if isinstance(leaf, jax.Array) and leaf.committed else None
        return leaf.shape, leaf.dtype, sharding, getattr(leaf, "weak_type", False)
    return type(leaf)


def _plain(leaf: Any) -> Any:
    """What the engine reads: an array of one device where it lies, others put together."""
    if isinstance(leaf, jax.Array) and jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    if isinstance(leaf, jax.Array) and not leaf.is_fully_addressable:
        raise ValueError(
            f'backend="cpu" runs a function within one process, and an argument {leaf.dtype}{list(leaf.shape)} lies on '
            'devices of several: leave out backend="cpu"'
        )
    return np.asarray(leaf) if isinstance(leaf, jax.Array) else leaf


def _as_jax(result: Any) -> Any:
    """The same memory as an array of JAX, where JAX takes it."""
    try:
        return jax.dlpack.from_dlpack(result)
    except (TypeError, ValueError, RuntimeError, BufferError):
        return jax.numpy.asarray(result)
