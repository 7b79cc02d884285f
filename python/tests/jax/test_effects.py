"""Callbacks, effects and bad input: as in JAX, or refused with the place."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import io_callback
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import meshwright.jax as mw


@pytest.fixture
def x():
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    return jax.device_put(jnp.arange(64.0).reshape(8, 8), NamedSharding(mesh, P("data", "model")))


def test_debug_print_prints_once(x, capfd):
    jax.block_until_ready(mw.jit(lambda x: (jax.debug.print("sum {}", x.sum()), x + 1)[1])(x))
    jax.effects_barrier()
    assert capfd.readouterr().out == "sum 2016.0\n"


def test_what_a_callback_writes_is_written_once(x):
    seen = []

    def function(x):
        result = io_callback(
            lambda y: (seen.append(y.shape), np.float32(-0.0) * y)[1], jax.ShapeDtypeStruct(x.shape, x.dtype), x
        )
        return jnp.signbit(result), result + x

    signs, result = mw.jit(function)(x)
    np.testing.assert_array_equal(result, x)
    assert seen == [(8, 8)]
    assert signs.all()


@pytest.mark.parametrize("dtype", ["int32", "bool", "complex64", "bfloat16"])
def test_results_of_callbacks_of_every_kind(x, dtype):
    function = lambda x: io_callback(lambda y: y, jax.ShapeDtypeStruct((8, 8), dtype), x.astype(dtype))
    np.testing.assert_array_equal(mw.jit(function)(x), np.asarray(x.astype(dtype)))


def test_pure_callback_and_its_vmap(x):
    double = lambda y: jax.pure_callback(
        lambda y: 2 * np.asarray(y), jax.ShapeDtypeStruct(y.shape, y.dtype), y, vmap_method="expand_dims"
    )
    np.testing.assert_array_equal(mw.jit(double)(x), 2 * np.asarray(x))
    np.testing.assert_array_equal(mw.jit(jax.vmap(double))(x), 2 * np.asarray(x))


def test_effects_in_a_loop_and_in_a_branch(x, capfd):
    def function(x):
        x = jax.lax.fori_loop(0, 3, lambda i, x: (jax.debug.print("round {}", i), x + 1)[1], x)
        return jax.lax.cond(x.sum() > 0, lambda x: (jax.debug.print("positive"), x)[1], lambda x: x, x)

    np.testing.assert_array_equal(mw.jit(function)(x), np.asarray(x) + 3)
    jax.effects_barrier()
    assert sorted(capfd.readouterr().out.split("\n")) == ["", "positive", "round 0", "round 1", "round 2"]


def test_effects_in_an_order_are_refused_with_their_place(x):
    def function(x):
        return io_callback(lambda y: y, jax.ShapeDtypeStruct(x.shape, x.dtype), x, ordered=True)

    line = function.__code__.co_firstlineno + 1
    with pytest.raises(NotImplementedError, match=rf"test_effects\.py:{line}: .*ordered=True"):
        mw.jit(function)(x)


def test_inspecting_shardings_is_refused_with_its_place(x):
    def function(x):
        jax.debug.inspect_array_sharding(x, callback=print)
        return x + 1

    with pytest.raises(NotImplementedError, match=r"test_effects\.py:\d+: inspect_array_sharding .*explain"):
        mw.jit(function)(x)


def test_debug_nans_finds_them(x):
    with jax.debug_nans(True), pytest.raises(FloatingPointError):
        mw.jit(lambda x: jnp.log(x - 10))(x)


def test_sizes_that_are_not_known_are_refused_by_jax(x):
    with pytest.raises(jax.errors.NonConcreteBooleanIndexError):
        mw.jit(lambda x: x[x > 3])(x)


def test_custom_calls_of_lapack(x):
    a = x + 9 * jnp.eye(8)
    ours, theirs = mw.jit(jnp.linalg.svd)(a), jax.jit(jnp.linalg.svd)(a)
    np.testing.assert_allclose(ours.S, theirs.S, rtol=1e-5, atol=1e-4)
