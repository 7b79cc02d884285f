"""Functions on Meshwright's own engine, in place of XLA: ``meshwright.jax.jit(f, backend="cpu")``.

JAX traces and lowers; the engine runs the program on all cores of this machine. Each signature is compiled once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import meshwright
from meshwright.jax import _effects, _partition, _private


class OnEngine:
    """A function that is called with arrays of numpy or JAX, and gives such as it was given; with ``resident``, arrays
    that stay on the engine's devices.
    """

    def __init__(self, fun: Callable[..., Any], asked: str, resident: bool = False, **kwargs: Any) -> None:
        # Every argument stays, so that the program takes what the function is called with.
        self._jitted: Any = jax.jit(fun, **{**kwargs, "keep_unused": True})
        self._static = _static(fun, kwargs.get("static_argnums"), kwargs.get("static_argnames"))
        #: What the partitioner is asked for, as JSON.
        self.asked = asked
        self._resident = resident
        self._loaded: dict[Any, _Loaded] = {}
        self.__wrapped__ = fun
        self.__name__ = getattr(fun, "__name__", "function")
        self.__doc__ = fun.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        loaded, leaves = self._executable(args, kwargs)
        plain = [_plain(leaf) for leaf in leaves]
        if self._resident:
            return jax.tree.unflatten(loaded.tree, loaded.executable(plain, resident=True))
        results: list[Any] = loaded.executable(plain)
        given = [leaf for leaf in leaves if isinstance(leaf, jax.Array)]
        if given:
            put: Any = jax.device_put
            places = loaded.places or [_place(given)] * len(results)
            results = [
                put(result, place) if key is None else jax.random.wrap_key_data(put(result), impl=key)
                for result, place, key in zip(results, places, loaded.keys, strict=True)
            ]
        return jax.tree.unflatten(loaded.tree, results)

    def load(self, *args: Any, **kwargs: Any) -> None:
        """Compile it for these arguments, without a call."""
        self._executable(args, kwargs)

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """As JAX lowers it."""
        args, kwargs = jax.tree.map(_shape_of_held, (args, kwargs))
        return self._jitted.lower(*args, **kwargs)

    def _executable(self, args: Any, kwargs: Any) -> tuple[_Loaded, list[Any]]:
        """What runs for these arguments, with the arrays among them."""
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
        return loaded, leaves

    def _load(self, args: Any, kwargs: Any) -> _Loaded:
        lowered = self.lower(*args, **kwargs)
        partitioned = self.partitioned(lowered)
        places = _places(partitioned, _private.meshes_of(lowered)) if partitioned.devices > 1 else None
        infos, tree = jax.tree.flatten(lowered.out_info)
        keys = [_key(info.dtype) for info in infos]
        return _Loaded(partitioned.compile(), tree, places, keys)

    def partitioned(self, lowered: Any) -> meshwright.Partitioned:
        """The program of all devices."""
        module = lowered.compiler_ir("stablehlo")
        _effects.refuse_on_engine(module)
        program = _partition.program_of(module)
        settings = _partition.Settings.of(self.asked, _private.propagation_of(lowered), program, program.devices)
        return _partition.partition(program, settings)

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


@dataclass(frozen=True)
class _Loaded:
    """A function for arguments of one signature."""

    executable: meshwright.Executable
    tree: Any
    #: The sharding of each result, where there are several devices.
    places: list[Any] | None
    #: Of results that are keys of random numbers: of which kind.
    keys: list[str | None]


def _places(partitioned: meshwright.Partitioned, meshes: list[Any]) -> list[Any]:
    """Where the results are to lie in JAX: cut as they are here, over the mesh of the function's own shardings."""

    def mesh_of(name: str | None) -> Any:
        axes = next((mesh.axes for mesh in partitioned.meshes if mesh.name == name), {})
        named = [mesh for mesh in meshes if dict(mesh.shape) == axes]
        all: Any = (named or meshes)[:1] or [Mesh(np.array(jax.devices()[: partitioned.devices]), ("devices",))]
        return all[0], bool(named)

    def place(info: meshwright.ArrayInfo) -> Any:
        mesh, is_named = mesh_of(info.mesh)
        make: Any = PartitionSpec
        dims = info.sharding if is_named and info.sharding is not None else ()
        return NamedSharding(mesh, make(*(axes or None for axes in dims)))

    return [place(info) for info in partitioned.outputs]


def _place(given: list[Any]) -> Any:
    """The device of arguments that have one of their own; without, results are where JAX likes, too."""
    return next((leaf.sharding for leaf in given if leaf.committed), None)


def _key(dtype: Any) -> str | None:
    """The kind of random numbers whose keys have this type."""
    if not jax.numpy.issubdtype(dtype, jax.dtypes.prng_key):
        return None
    tag = str(dtype).removeprefix("key<").removesuffix(">")
    return {"fry": "threefry2x32", "urbg": "unsafe_rbg"}.get(tag, tag)


def _shape_of_held(leaf: Any) -> Any:
    make: Any = jax.ShapeDtypeStruct
    return make(leaf.shape, leaf.dtype) if isinstance(leaf, meshwright.Array) else leaf


def _signature(leaf: Any) -> Any:
    if isinstance(leaf, meshwright.Array):
        return leaf.shape, leaf.dtype, meshwright.Array, False
    if isinstance(leaf, jax.Array):
        # Keys of random numbers have no weak types.
        is_weak = getattr(leaf, "weak_type", False)
        return leaf.shape, leaf.dtype, leaf.sharding if leaf.committed else None, is_weak
    if isinstance(leaf, (np.ndarray, np.generic)):
        return leaf.shape, leaf.dtype, None, False
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
    if isinstance(leaf, jax.Array):
        return np.asarray(leaf)
    if isinstance(leaf, (np.ndarray, np.generic)):
        # As JAX has it: without x64, arrays of 64 bits are taken as those of 32.
        return np.asarray(leaf, jax.dtypes.canonicalize_dtype(leaf.dtype))
    return leaf
