"""`jit(f, backend="cpu")` runs on Meshwright's engine; `explain` and `plan` tell of a function."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import meshwright
import meshwright.jax as mw


def split(shape, *spec):
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    return jax.device_put(np.random.default_rng(0).random(shape, np.float32), NamedSharding(mesh, P(*spec)))


def function(x, w, n=2):
    return {"y": jnp.tanh(x @ w) * n, "sum": (x.sum(), x.mean(0))}


def test_arrays_come_back_as_they_were_given():
    x, w = np.random.default_rng(0).random((64, 32), np.float32), np.ones((32, 16), np.float32)
    on_engine = mw.jit(function, backend="cpu", static_argnames="n")
    for given, kind in ((x, np.ndarray), (jnp.asarray(x), jax.Array), (split((64, 32), "data", "model"), jax.Array)):
        result = on_engine(given, w, n=3)
        assert all(isinstance(leaf, kind) for leaf in jax.tree.leaves(result))
        jax.tree.map(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), result, function(np.asarray(given), w, 3)
        )


def test_each_signature_is_compiled_once(monkeypatch):
    compiled = []
    original = meshwright.Partitioned.compile
    monkeypatch.setattr(meshwright.Partitioned, "compile", lambda self: compiled.append(self) or original(self))
    on_engine = mw.jit(lambda x, s: x * s, backend="cpu")
    for scale in (1.0, 2.0, 3.0):
        np.testing.assert_array_equal(on_engine(np.ones(4, np.float32), scale), np.full(4, scale))
    assert len(compiled) == 1
    on_engine(np.ones(5, np.float32), 1.0)
    assert len(compiled) == 2


def test_types_and_donation():
    add = mw.jit(lambda s, x: s + x, backend="cpu", donate_argnums=0)
    for dtype in ("bfloat16", "int32", "complex64", "float16"):
        total = add(jnp.ones(8, dtype), jnp.ones(8, dtype))
        assert total.dtype == dtype and (np.asarray(total) == 2).all()


def test_it_cannot_be_part_of_what_jax_transforms():
    on_engine = mw.jit(lambda x: (x * x).sum(), backend="cpu")
    with pytest.raises(TypeError, match="outside of JAX"):
        jax.grad(on_engine)(jnp.ones(3))
    with pytest.raises(ValueError, match="backend is"):
        mw.jit(lambda x: x, backend="gpu")


def test_explain_tells_what_the_jitted_function_does():
    x, w = split((64, 32), "data", "model"), split((32, 128))
    told = mw.explain(mw.jit(lambda x, w: jnp.tanh(x @ w)), x, w)
    assert "all-reduce over model" in str(told) and "test_engine.py" in str(told)
    assert told._repr_html_().startswith("<iframe")
    with mw.partitioner(memory_limit=100), pytest.raises(meshwright.Error, match="the limit is 100"):
        mw.explain(lambda x, w: jnp.tanh(x @ w), x, w)


def test_plan_reads_specs_on_a_mesh_that_is_not_there():
    def step(x, w):
        return jax.lax.with_sharding_constraint(jnp.tanh(x @ w), P("data", "model")) @ w.T

    def shape(of, *spec):
        return jax.ShapeDtypeStruct(of, jnp.bfloat16, sharding=split((8, 8), *spec).sharding)

    given = shape((65536, 8192), "data"), shape((8192, 32768), None, "model")
    planned = mw.plan(step, *given, mesh=AbstractMesh((64, 16), ("data", "model")), target="tpu-v4:8x8x16")
    assert "mesh data=64,model=16" in str(planned) and "all-reduce" in str(planned)
