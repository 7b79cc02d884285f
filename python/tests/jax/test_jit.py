"""`meshwright.jax.jit` and `partitioner` behave as `jax.jit` does: what is compiled when, what is kept, what is refused and where."""

import functools
import gc
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

import meshwright
import meshwright.jax as mw
from meshwright.jax import _private


@pytest.fixture(scope="module")
def mesh():
    return Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


@pytest.fixture(scope="module")
def explicit():
    return Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)


def put(mesh, x, *spec):
    return jax.device_put(jnp.asarray(x, jnp.float32), NamedSharding(mesh, P(*spec)))


@pytest.fixture
def x(mesh):
    return put(mesh, np.arange(64).reshape(8, 8) / 64, "data", "model")


@pytest.fixture
def partitions(monkeypatch):
    """The modules that Meshwright partitioned so far, by name."""
    found = []
    from meshwright.jax import _partition

    original = _partition.partition_module

    def counted(module, asked, compile_options):
        found.append(_private.name_of(module))
        return original(module, asked, compile_options)

    monkeypatch.setattr(_partition, "partition_module", counted)
    return found


def test_the_private_names_of_this_jax_are_there():
    assert _private.missing() == []


def test_a_name_that_went_is_told_with_the_versions_that_have_it(monkeypatch):
    monkeypatch.setitem(_private.NAMES, "jax._src.compiler", ("compile_or_get_cached", "went_away"))
    with pytest.raises(
        ImportError, match=r"works with JAX .*0\.10.*has no jax\._src\.compiler\.went_away.*pip install"
    ):
        _private.check_version("0.11.0")


def test_partitions_by_us_and_only_what_is_jitted_by_us(x, partitions):
    def ours(x):
        return x @ x.T

    def theirs(x):
        return x @ x.T

    np.testing.assert_allclose(mw.jit(ours)(x), jax.jit(theirs)(x), rtol=1e-6)
    assert partitions == ["jit_ours"]


def test_decorator_partial_and_call(x):
    @mw.jit
    def plain(x):
        return x + 1

    @mw.jit(static_argnames="n")
    def named(x, n):
        return x * n

    @functools.partial(mw.jit, static_argnums=1, donate_argnums=())
    def numbered(x, n):
        return x * n

    assert plain.__name__ == "plain" and plain.__wrapped__ is not None
    np.testing.assert_array_equal(named(x, n=3), numbered(x, 3))
    np.testing.assert_array_equal(plain(x), x + 1)


def test_the_second_call_compiles_nothing(x, partitions):
    function = mw.jit(lambda x: jnp.sin(x) @ x.T)
    function(x), function(x), function(x + 1)
    assert len(partitions) == 1
    function(x[:4])
    assert len(partitions) == 2


def test_calls_take_the_fast_way(x):
    function = mw.jit(lambda x: jnp.sin(x) @ x)
    function(x)
    assert type(function) is type(jax.jit(lambda x: x)) and function._cache_size() == 1


def test_donated_arguments_are_gone(mesh):
    state, step = put(mesh, np.ones((8, 8)), "data"), mw.jit(lambda s, g: s - 0.1 * g, donate_argnums=0)
    after = step(state, put(mesh, np.ones((8, 8)), "data"))
    assert state.is_deleted()
    np.testing.assert_allclose(after, np.full((8, 8), 0.9), rtol=1e-6)
    with pytest.raises(RuntimeError, match="deleted"):
        np.asarray(state)


def test_donated_memory_is_used_again(mesh):
    state, x = put(mesh, np.ones((512, 64)), "data"), put(mesh, np.ones((512, 64)), "data")
    held = [
        jit(lambda s, g: s - 0.1 * g, donate_argnames="s").lower(state, x).compile().memory_analysis()
        for jit in (mw.jit, jax.jit)
    ]
    assert held[0].alias_size_in_bytes == held[1].alias_size_in_bytes == 512 * 64 * 4 // 4


def test_in_and_out_shardings(mesh, partitions):
    rows, columns = NamedSharding(mesh, P("data")), NamedSharding(mesh, P(None, "model"))
    function = mw.jit(
        lambda a, b: a @ b, in_shardings=(rows, columns), out_shardings=NamedSharding(mesh, P("data", "model"))
    )
    result = function(np.ones((8, 4), np.float32), np.ones((4, 6), np.float32))
    assert result.sharding.spec == P("data", "model") and len(partitions) == 1
    np.testing.assert_array_equal(result, np.full((8, 6), 4))


def test_specs_within_a_mesh(mesh):
    with jax.set_mesh(mesh):
        function = mw.jit(
            lambda a: jax.lax.with_sharding_constraint(a * 2, P("data")),
            in_shardings=P("model"),
            out_shardings=P(None, "data"),
        )
        result = function(np.ones((8, 8), np.float32))
    assert result.sharding.spec == P(None, "data")


def test_explicit_axes(explicit, partitions):
    a, b = put(explicit, np.ones((8, 4)), "data"), put(explicit, np.ones((4, 6)), None, "model")
    with jax.set_mesh(explicit):
        result = mw.jit(lambda a, b: jnp.sin(a @ b))(a, b)
        assert result.sharding.spec == jax.jit(lambda a, b: jnp.sin(a @ b))(a, b).sharding.spec == P("data", "model")
    assert len(partitions) == 1


def test_uncommitted_arrays_go_where_the_others_are(x):
    weight = jnp.ones((8, 4))
    np.testing.assert_allclose(mw.jit(lambda x, w: x @ w)(x, weight), np.asarray(x) @ np.ones((8, 4)), rtol=1e-6)


def test_lower_compile_trace_and_shapes(x, partitions):
    function = mw.jit(lambda x: {"y": x.sum(0)})
    assert function.eval_shape(x)["y"].shape == (8,)
    assert function.trace(x).jaxpr is not None
    lowered = function.lower(x)
    assert partitions == []
    compiled = lowered.compile()
    assert len(partitions) == 1 and "all-reduce" in compiled.as_text()
    np.testing.assert_allclose(compiled(x)["y"], np.asarray(x).sum(0), rtol=1e-6)
    assert compiled.output_shardings["y"].is_equivalent_to(function(x)["y"].sharding, 1)


def test_inside_of_another_jit_the_outer_one_decides(x, partitions):
    inner = mw.jit(lambda x: x @ x.T)
    jax.jit(lambda x: inner(x) + 1)(x)
    assert partitions == []
    outer = mw.jit(lambda x: jax.jit(lambda x: x * 2)(x) + inner(x))
    np.testing.assert_allclose(outer(x), 2 * np.asarray(x) + np.asarray(x) @ np.asarray(x).T, rtol=1e-5)
    assert len(partitions) == 1


def test_gradients_both_ways_are_ours(x, partitions):
    loss = lambda x: (jnp.tanh(x) @ x).sum()
    np.testing.assert_allclose(jax.grad(mw.jit(loss))(x), jax.grad(loss)(x), rtol=1e-4, atol=1e-5)
    assert len(partitions) == 2


def test_vmap_over_it_and_jvp(x):
    function = lambda x: jnp.sin(x) / (1 + x.sum())
    np.testing.assert_allclose(jax.vmap(mw.jit(function))(x), jax.vmap(function)(x), rtol=1e-6)
    np.testing.assert_allclose(
        jax.jvp(mw.jit(function), (x,), (x,))[1], jax.jvp(function, (x,), (x,))[1], rtol=1e-5, atol=1e-6
    )


def test_one_device_is_left_to_jax(partitions):
    np.testing.assert_array_equal(mw.jit(lambda x: x + 1)(np.arange(4.0)), np.arange(4.0) + 1)
    assert partitions == []


def test_within_partitioner_any_jit_is_ours_and_outside_none(x, partitions):
    function = jax.jit(lambda x: x @ jnp.cos(x))
    function(x)
    with mw.partitioner():
        function(x)
        assert len(partitions) == 1
        function(x)
    function(x)
    assert len(partitions) == 1
    with mw.partitioner():
        function(x)
        assert len(partitions) == 1
        with mw.partitioner(memory_limit="1GB"):
            function(x)
    assert len(partitions) == 2


def test_options_are_part_of_the_key(x, partitions):
    def function(x):
        return x @ x

    mw.jit(function)(x), mw.jit(function, memory_limit="1GB")(x), mw.jit(function)(x)
    assert len(partitions) == 2
    mw.jit(function, target="tpu-v4:2x2x2", least="seconds")(x)
    assert len(partitions) == 3
    with pytest.raises(meshwright.Error, match='write "bytes" or "seconds"') as raised:
        mw.jit(function, least="second")(x)
    assert raised.value.code == "E0740"


def test_other_compiler_options_reach_xla(x):
    assert mw.jit(lambda x: x + 1, compiler_options={"xla_embed_ir_in_executable": True})(x).shape == (8, 8)
    with pytest.raises(Exception, match="no_such_option"):
        mw.jit(lambda x: x + 1, compiler_options={"no_such_option": True})(x)


def test_the_cache_on_disk_keeps_both_apart(x, tmp_path):
    from jax.experimental.compilation_cache import compilation_cache

    settings = {
        "jax_compilation_cache_dir": str(tmp_path),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    before = {name: getattr(jax.config, name) for name in settings}
    for name, value in settings.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()
    try:

        def function(x):
            return jnp.sin(x) @ x

        def count():
            return len(
                [file for file in tmp_path.iterdir() if "function" in file.name and not file.name.endswith("-atime")]
            )

        theirs = jax.jit(function)(x)
        assert count() == 1
        ours = mw.jit(function)(x)
        assert count() == 2
        jax.clear_caches()
        np.testing.assert_array_equal(mw.jit(function)(x), ours)
        np.testing.assert_array_equal(jax.jit(function)(x), theirs)
        assert count() == 2
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()


def test_a_function_that_is_gone_is_collected(x):
    import weakref

    def make():
        def function(x):
            return x + 1

        jitted = mw.jit(function)
        jitted(x)
        return weakref.ref(function)

    gone = make()
    gc.collect()
    assert gone() is None


def test_a_refusal_names_the_line_in_python(x):
    def too_large(x):
        y = jnp.sin(x)
        return y @ x  # here

    with pytest.raises(meshwright.Error, match="the limit is 100") as raised:
        mw.jit(too_large, memory_limit=100)(x)
    line = too_large.__code__.co_firstlineno
    assert re.search(rf"test_jit\.py:{line + 1}:\d+ `?%?\w+", str(raised.value)), str(raised.value)


def test_two_meshes_of_the_same_devices(mesh, x):
    other = Mesh(np.array(jax.devices()), ("all",), axis_types=(AxisType.Auto,))
    y = put(other, np.ones((8, 8)), "all")
    np.testing.assert_allclose(mw.jit(lambda x, y: x + y)(x, y), np.asarray(x) + 1, rtol=1e-6)


def test_devices_that_do_not_match_are_refused_as_by_jax(x):
    few = Mesh(np.array(jax.devices()[:2]), ("two",), axis_types=(AxisType.Auto,))
    y = put(few, np.ones((8, 8)), "two")
    with pytest.raises(ValueError) as theirs:
        jax.jit(lambda x, y: x + y)(x, y)
    with pytest.raises(ValueError) as ours:
        mw.jit(lambda x, y: x + y)(x, y)
    assert str(ours.value) == str(theirs.value)


def test_sizes_that_do_not_divide_are_refused_as_by_jax(mesh):
    rows = NamedSharding(mesh, P("data"))
    with pytest.raises(ValueError, match="divi"):
        mw.jit(lambda x: x + 1, in_shardings=rows)(np.ones((7, 8), np.float32))


def test_a_mesh_in_another_order_of_devices(x):
    turned = Mesh(np.array(jax.devices())[::-1].reshape(2, 4), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
    y = put(turned, np.arange(64).reshape(8, 8), "b", "a")
    function = lambda y: (y @ y.T, jax.lax.with_sharding_constraint(y * 2, NamedSharding(turned, P("a"))))
    for ours, theirs in zip(mw.jit(function)(y), jax.jit(function)(y)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_part_of_the_devices(mesh):
    few = Mesh(np.array(jax.devices()[4:8]).reshape(2, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
    y = put(few, np.arange(64).reshape(8, 8), "b", "a")
    result = mw.jit(lambda y: y @ y.T)(y)
    np.testing.assert_allclose(result, np.asarray(y) @ np.asarray(y).T, rtol=1e-6)
    assert result.sharding.device_set == set(jax.devices()[4:8])


def test_a_slice_of_a_slice_starts_where_it_says(mesh):
    """XLA makes one slice of two without clamping either start to its own slice: jax.jit gives 4, 3 and 4."""

    def function(x, first, second):
        window = jax.lax.dynamic_slice(x, (first,), (4,))
        return jax.lax.dynamic_slice(window, (second,), (1,)), window.at[second].multiply(2.0, mode="drop"), window[0]

    x = put(mesh, np.arange(5))
    one, window, _ = mw.jit(function)(x, 0, 7)
    np.testing.assert_array_equal(one, [3])
    np.testing.assert_array_equal(window, [0, 1, 2, 3])
    np.testing.assert_array_equal(mw.jit(function)(x, 3, 0)[0], [1])
