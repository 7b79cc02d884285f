"""``explain`` and ``plan``: what a function's program does and why, here and on machines that are not there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

import jax
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec

import meshwright
from meshwright.jax import _jit, _partition, _private


def explain(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> meshwright.Explanation:
    """What the partitioned program of ``function(*args)`` does and why. Nothing is compiled by XLA, and nothing runs.

    The function may be jitted or not; arguments may be arrays, or ``jax.ShapeDtypeStruct`` with shardings. The options
    of :func:`jit`, or those of :func:`partitioner` around it, hold.
    """
    lowered = _jit.lowered(function, args, kwargs)
    program = _partition.program_of(lowered.compiler_ir("stablehlo"))
    left_open = _private.propagation_of(lowered)
    settings = _partition.Settings.of(_jit.asked_for(function), left_open, program, program.devices)
    return program.explain(**settings.words())


def plan(
    function: Callable[..., Any],
    /,
    *args: Any,
    target: str,
    mesh: AbstractMesh | Mesh | Mapping[str, int] | None = None,
    memory_limit: int | str | None = None,
    least: Literal["bytes", "seconds"] | None = None,
    platform: str = "tpu",
    **kwargs: Any,
) -> meshwright.Plan:
    """What a call of ``function(*args)`` takes on a machine that may be larger than this one: seconds, memory, traffic,
    and what to change.

    ``target`` is the machine, as ``"tpu-v4:4x4x4"`` or ``"h100:8x4"``. Arguments may be ``jax.ShapeDtypeStruct``. On a
    ``mesh`` that is not that of the arguments, given as such or by the sizes of its axes, their shardings are read by
    their specs; constraints inside of the function are then given as ``PartitionSpec``, for the mesh is there only by
    its shape. ``memory_limit`` and ``least`` are those of :func:`jit` if nothing is said. ``platform`` is what JAX lowers
    for.
    """
    asked = json.loads(_jit.asked_for(function))
    if mesh is None:
        lowered = _jit.lowered(function, args, kwargs)
    else:
        abstract = _abstract(mesh)
        args, kwargs = jax.tree.map(lambda x: _on_mesh(x, abstract), (args, kwargs))
        jitted: Any = function if hasattr(function, "trace") else jax.jit(function)
        with jax.sharding.use_abstract_mesh(abstract):
            lowered = jitted.trace(*args, **kwargs).lower(lowering_platforms=(platform,))
    program = _partition.program_of(lowered.compiler_ir("stablehlo"))
    limit = asked.get("memory_limit") if memory_limit is None else memory_limit
    return program.plan(target=target, memory_limit=limit, least=least or asked.get("least", "bytes"))


def _abstract(mesh: AbstractMesh | Mesh | Mapping[str, int]) -> AbstractMesh:
    """A mesh by its shape alone."""
    if isinstance(mesh, Mesh):
        abstract: AbstractMesh = mesh.abstract_mesh
        return abstract
    if isinstance(mesh, AbstractMesh):
        return mesh
    make: Any = AbstractMesh
    abstract = make(tuple(mesh.values()), tuple(mesh))
    return abstract


def _on_mesh(x: Any, mesh: AbstractMesh) -> Any:
    if not hasattr(x, "shape") or not hasattr(x, "dtype"):
        return x
    as_spec: Any = PartitionSpec
    as_shape: Any = jax.ShapeDtypeStruct
    sharding = getattr(x, "sharding", None)
    spec = sharding.spec if isinstance(sharding, NamedSharding) else as_spec()
    return as_shape(x.shape, x.dtype, sharding=NamedSharding(mesh, spec))
