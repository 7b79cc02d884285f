"""``explain`` and ``plan``: what a function's program does and why, here and on machines that are not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    mesh: AbstractMesh | Mesh | None = None,
    memory_limit: int | str | None = None,
    platform: str = "tpu",
    **kwargs: Any,
) -> meshwright.Plan:
    """What a call of ``function(*args)`` takes on a machine that may be larger than this one: seconds, memory, traffic,
    and what to change.

    ``target`` is the machine, as ``"tpu-v4:4x4x4"`` or ``"h100:8x4"``. Arguments may be ``jax.ShapeDtypeStruct``. On a
    ``mesh`` that is not that of the arguments, their shardings are read by their specs; constraints inside of the
    function are then given as ``PartitionSpec``, for the mesh is there only by its shape. ``platform`` is what JAX
    lowers for.
    """
    if mesh is None:
        lowered = _jit.lowered(function, args, kwargs)
    else:
        abstract = mesh.abstract_mesh if isinstance(mesh, Mesh) else mesh
        args, kwargs = jax.tree.map(lambda x: _on_mesh(x, abstract), (args, kwargs))
        jitted: Any = function if hasattr(function, "trace") else jax.jit(function)
        with jax.sharding.use_abstract_mesh(abstract):
            lowered = jitted.trace(*args, **kwargs).lower(lowering_platforms=(platform,))
    program = _partition.program_of(lowered.compiler_ir("stablehlo"))
    return program.plan(target=target, memory_limit=memory_limit)


def _on_mesh(x: Any, mesh: AbstractMesh) -> Any:
    if not hasattr(x, "shape") or not hasattr(x, "dtype"):
        return x
    as_spec: Any = PartitionSpec
    as_shape: Any = jax.ShapeDtypeStruct
    sharding = getattr(x, "sharding", None)
    spec = sharding.spec if isinstance(sharding, NamedSharding) else as_spec()
    return as_shape(x.shape, x.dtype, sharding=NamedSharding(mesh, spec))
