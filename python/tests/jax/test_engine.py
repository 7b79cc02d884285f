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
    assert "all-reduce over `model`" in str(told) and "test_engine.py" in str(told)
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


def test_arrays_of_64_bits_are_taken_as_jax_takes_them():
    scaled = mw.jit(lambda x, s: x * s, backend="cpu")
    assert not jax.config.jax_enable_x64
    for x in (np.ones(3), np.ones(3, np.int64), np.float64(2), jnp.ones(3)):
        for s in (2, 2.0, np.float64(2), np.int64(2)):
            ours, theirs = scaled(x, s), jax.jit(lambda x, s: x * s)(x, s)
            assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
            np.testing.assert_array_equal(ours, theirs)


def test_an_argument_is_named_by_its_path():
    held = meshwright.parse(mw.jit(lambda p, x: p["up"] @ x, backend="cpu").lower({"up": jnp.ones((2, 2))}, jnp.ones(2)))
    assert [info.name for info in held.inputs] == ["p['up']", "x"]
    for given in ([np.ones((2, 2), np.float32), np.ones(3, np.float32)], [np.ones((2, 2)), np.ones(2, np.float32)]):
        with pytest.raises(meshwright.Error, match=r"input \d \(`(p\['up'\]|x)`\)"):
            held.run(given)
    executable = held.compile()
    up, x = executable.put(np.ones((2, 2), np.float32), 0), executable.put(np.ones(2, np.float32), "x")
    with pytest.raises(meshwright.Error, match=r"input 0 \(`p\['up'\]`\) is f32\[2\]"):
        executable([x, up])


def test_what_asks_the_host_is_refused_at_its_line():
    def fed(x):
        token = jax.lax.create_token(x)
        (y,), token = jax.lax.infeed(token, (jax.core.ShapedArray((3,), jnp.float32),))
        return x + y

    def printed(x):
        jax.debug.print("{x}", x=x)
        return x

    def called(x):
        return jax.pure_callback(np.sin, x, x)

    def in_order(x):
        return jax.experimental.io_callback(np.sin, x, x, ordered=True)

    cases = [printed, called, in_order] + ([fed] if hasattr(jax.lax, "infeed") else [])
    for function in cases:
        with pytest.raises(NotImplementedError, match=r"test_engine\.py:\d+: .*engine"):
            mw.jit(function, backend="cpu")(jnp.ones(3))


def test_compare_measures_the_engine_where_the_function_runs_on_it():
    x, w = split((64, 32), "data", "model"), split((32, 16), "model")
    found = mw.compare(mw.jit(lambda x, w: x @ w, backend="cpu"), x, w, calls=2)
    assert found.ours.name == "Meshwright's engine" and found.ours.name in str(found) and found.apart < 1e-6
    assert sum(found.ours.collectives.values()) >= 1 and found.ours.bytes > 0 and found.ours.memory > 0
    assert mw.compare(lambda x, w: x @ w, x, w, calls=1).ours.name == "Meshwright"


def test_a_plan_tells_what_is_given_and_what_is_idle():
    def step(params, x):
        return jax.tree.map(lambda p: p - 0.1 * (x @ p).sum(), params)

    params, x = {"w": split((64, 32), None, "model")}, split((16, 64), "data")
    planned = mw.plan(mw.jit(step, donate_argnums=0), params, x, target="tpu-v4:2x2x2")
    assert "parameters" in str(planned) and planned.data["memory"]["parameters"] == 64 * 32 * 4 // 2
    assert "idle" not in str(planned)
    other = mw.plan(mw.jit(lambda p, x: step(p, x), donate_argnums=0), params, x, target="tpu-v4:4x4x4")
    assert "leaves 56 devices of the target idle" in str(other)
    assert other.data["memory"]["parameters"] is None and other.data["memory"]["state"] == 64 * 32 * 4 // 2
    assert "donated state" in str(other) and "parameters" not in str(other)
    read = mw.plan(step, {"w": params["w"]}, x, target="tpu-v4:2x2x2", mesh={"data": 2, "model": 4})
    assert "mesh data=2,model=4" in str(read)


def test_a_plan_takes_what_the_function_asks_for(monkeypatch):
    asked = []
    original = meshwright.Program.plan
    monkeypatch.setattr(meshwright.Program, "plan", lambda self, **given: asked.append(given) or original(self, **given))
    x = split((64, 64), "data", "model")
    mw.plan(mw.jit(lambda x: x @ x, least="seconds", memory_limit="1GB"), x, target="tpu-v4:2x2x2")
    mw.plan(mw.jit(lambda x: x @ x, least="seconds"), x, target="tpu-v4:2x2x2", least="bytes")
    assert [(one["least"], one["memory_limit"]) for one in asked] == [("seconds", "1GB"), ("bytes", None)]


def test_explain_says_so_where_nothing_is_split():
    told = str(mw.explain(mw.jit(lambda x: x @ x), split((8, 8))))
    assert "no annotation shards a tensor" in told and "NamedSharding" in told
    assert "no annotation" not in str(mw.explain(mw.jit(lambda x: x @ x), split((8, 8), "data")))


def test_results_lie_as_with_jax_so_that_a_step_can_go_on_with_them():
    x, w = split((64, 32), "data"), split((32, 16), None, "model")
    shardings = x.sharding, w.sharding

    def step(x, w):
        return jnp.tanh(x @ w @ w.T), w * 2, x.sum()

    ours = mw.jit(step, backend="cpu", in_shardings=shardings, out_shardings=(*shardings, None), donate_argnums=1)
    theirs = jax.jit(step, in_shardings=shardings, out_shardings=(*shardings, None))
    a, b = (x, w), (x, w)
    for _ in range(3):
        (*a, s), (*b, t) = ours(*a), theirs(*b)
        for one, other in zip((*a, s), (*b, t), strict=True):
            assert one.sharding.is_equivalent_to(other.sharding, one.ndim) and one.committed == other.committed
            np.testing.assert_allclose(one, other, rtol=1e-4)
    jax.jit(lambda x, y: x + y)(a[0], x)


def test_results_of_one_device_are_where_the_arguments_are():
    double = mw.jit(lambda x: x * 2, backend="cpu")
    assert not double(jnp.ones(3)).committed
    there = double(jax.device_put(jnp.ones(3), jax.devices()[5]))
    assert there.devices() == {jax.devices()[5]} and there.committed


def test_keys_of_random_numbers_come_back_as_such():
    for impl in ("threefry2x32", "rbg", "unsafe_rbg"):
        key = jax.random.key(3, impl=impl)
        ours, theirs = mw.jit(jax.random.split, backend="cpu")(key), jax.jit(jax.random.split)(key)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(jax.random.key_data(ours), jax.random.key_data(theirs))


def test_what_is_resident_stays_on_the_engine():
    def step(p, x):
        return {"w": p["w"] + x.sum(0)}, (x @ p["w"]).sum()

    whole = {"w": np.ones(16, np.float32)}, np.ones((8, 16), np.float32)
    resident = mw.jit(step, backend="cpu", donate_argnums=0, resident=True)
    p, x = whole
    for at in range(3):
        given = p
        p, loss = resident(p, x)
        assert isinstance(p["w"], meshwright.Array) and float(np.asarray(loss)) == 8 * 16 * (1 + 8 * at)
    assert given["w"].is_deleted and not p["w"].is_deleted
    np.testing.assert_array_equal(np.asarray(p["w"]), 25)
    with pytest.raises(ValueError, match="resident"):
        mw.jit(step, resident=True)
