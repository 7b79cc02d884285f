"""Distributed arrays and automatic parallelization: computation follows data, constraints, meshes, placement."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P, SingleDeviceSharding

from documented import at, grid, needs, numbers, on, put

case = on("Distributed arrays, automatic parallelization, placement")
constrain = lax.with_sharding_constraint


@case("element-wise: a result lies as its operand")
def _(jit):
    return jit(jnp.sin)(put((8, 4), "x", "y"))


@case("a product of rows and columns", split=False)
def _(jit):
    return jit(jnp.dot)(put((8, 4), "x"), put((4, 8), None, "y"))


@case("a product with its contraction split", split=False)
def _(jit):
    return jit(jnp.dot)(put((8, 4), None, "x"), put((4, 8), "x"))


@case("a transpose", split=False)
def _(jit):
    return jit(lambda x: x.T)(put((8, 4), "x", "y"))


@case("reductions over split dims are whole")
def _(jit):
    return jit(lambda x: (x.sum(), x.max(), x.mean()))(put((8, 4), "x", "y"))


@case("a dim over two axes, in both orders")
def _(jit):
    return jit(lambda a, b: (a + 1, b + 1))(put((8, 4), ("x", "y")), put((8, 4), ("y", "x")))


@case("a constraint inside")
def _(jit):
    return jit(lambda x: constrain(jnp.cos(x), at("y", "x")))(put((8, 4), "x", "y"))


@case("a constraint on a tree")
def _(jit):
    def f(x):
        return constrain({"a": x, "b": (x + 1, x * 2)}, {"a": at("x"), "b": at(None, "y")})

    return jit(f)(put((8, 4), None))


@case("a constraint by spec under a mesh")
def _(jit):
    with jax.set_mesh(grid()):
        return jit(lambda x: constrain(x * 2, P("x", "y")))(put((8, 4), None))


@case("a constraint by spec under `with mesh`")
def _(jit):
    with grid():
        return jit(lambda x: constrain(x * 2, P("x", "y")))(put((8, 4), None))


@case("a constraint by spec without a mesh is refused")
def _(jit):
    return jit(lambda x: constrain(x * 2, P("x")))(put((8, 4), None))


@case("an unconstrained dim keeps what it had")
def _(jit):
    return jit(lambda x: constrain(x + 1, at(P.UNCONSTRAINED, "y")))(put((8, 4), "x"))


@case("all dims unconstrained say nothing")
def _(jit):
    return jit(lambda x: constrain(x + 1, at(P.UNCONSTRAINED, P.UNCONSTRAINED)))(put((8, 4), "x", "y"))


@case("a constraint on a size that does not divide")
def _(jit):
    return jit(lambda x: constrain(x[:7] * 2, at("x")).sum(0))(put((8, 4), "x"))


@case("a result that does not divide is whole")
def _(jit):
    return jit(lambda x: constrain(x[:7] * 2, at("x")))(put((8, 4), "x"))


@case("a constraint of too high a rank is refused")
def _(jit):
    return jit(lambda x: constrain(x, at("x", "y")))(put((8,), "x"))


@case("a constraint that names an axis twice is refused")
def _(jit):
    return jit(lambda x: constrain(x, at("x", "x")))(put((8, 8), "x"))


@case("a constraint on other devices is refused")
def _(jit):
    few = grid("Auto", (2,), ("d",))
    return jit(lambda x: constrain(x, NamedSharding(few, P("d"))))(put((8,), "x"))


@case("a constraint on another mesh of the same devices")
def _(jit):
    line = grid("Auto", (8,), ("d",))
    return jit(lambda x: constrain(x * 2, NamedSharding(line, P("d"))))(put((8, 4), "x", "y"))


@case("device_put inside is a constraint")
def _(jit):
    return jit(lambda x: jax.device_put(x + 1, at("y", "x")))(put((8, 4), "x"))


@case("device_put inside to other devices is refused")
def _(jit):
    few = grid("Auto", (2,), ("d",))
    return jit(lambda x: jax.device_put(x, NamedSharding(few, P("d"))))(put((8,), "x"))


@case("out_shardings move the result")
def _(jit):
    return jit(lambda x: x, out_shardings=at(None, "y"))(put((8, 4), "x"))


@case("out_shardings on a scalar")
def _(jit):
    return jit(lambda x: x.sum(), out_shardings=at())(put((8, 4), "x"))


@case("arrays of numpy and scalars go along")
def _(jit):
    return jit(lambda x, y, s: x + y * s)(put((8, 4), "x"), numbers(8, 4), 2.5)


@case("an uncommitted array goes along", split=False)
def _(jit):
    return jit(lambda x, y: x @ y)(put((8, 4), "x"), jnp.asarray(numbers(4, 2)))


@case("uncommitted arrays alone stay on one device")
def _(jit):
    return jit(lambda x: x + 1)(jnp.asarray(numbers(8)))


@case("an array committed to one device stays there")
def _(jit):
    x = jax.device_put(numbers(8), jax.devices()[3])
    return jit(lambda x: x + 1)(x), (x + 1).devices() == {jax.devices()[3]}


@case("arrays committed to different devices are refused")
def _(jit):
    a, b = (jax.device_put(numbers(8), jax.devices()[at]) for at in (0, 1))
    return jit(lambda a, b: a + b)(a, b)


@case("an array of one device beside one of many is refused")
def _(jit):
    return jit(lambda a, b: a + b)(put((8,), "x"), jax.device_put(numbers(8), jax.devices()[1]))


@case("a mesh in another order of devices")
def _(jit):
    mesh = jax.sharding.Mesh(np.array(jax.devices())[::-1].reshape(4, 2), ("x", "y"))
    return jit(lambda x: x * 2)(jax.device_put(numbers(8, 4), NamedSharding(mesh, P("x", "y"))))


@case("arrays on the same devices in different orders are refused")
def _(jit):
    mesh = jax.sharding.Mesh(np.array(jax.devices())[::-1].reshape(4, 2), ("x", "y"))
    other = jax.device_put(numbers(8, 4), NamedSharding(mesh, P("x", "y")))
    return jit(lambda a, b: a + b)(put((8, 4), "x", "y"), other)


@case("half of the devices")
def _(jit):
    mesh = jax.sharding.Mesh(np.array(jax.devices())[4:].reshape(2, 2), ("x", "y"))
    return jit(lambda x: x.sum(0))(jax.device_put(numbers(8, 4), NamedSharding(mesh, P("x", None))))


@case("axes of size one")
def _(jit):
    mesh = grid("Auto", (1, 8, 1), ("a", "b", "c"))
    return jit(lambda x: constrain(x + 1, at("b", ("a", "c"), mesh=mesh)))(put((8, 4), "a", None, mesh=mesh))


@case("a mesh of one device")
def _(jit):
    mesh = grid("Auto", (1,), ("a",))
    return jit(lambda x: constrain(x + 1, at("a", mesh=mesh)))(put((8, 4), "a", mesh=mesh))


@case("three axes")
def _(jit):
    mesh = grid("Auto", (2, 2, 2), ("a", "b", "c"))
    return jit(lambda x: constrain(x @ x.T, at(("c", "a"), "b", mesh=mesh)))(put((8, 8), "a", ("b", "c"), mesh=mesh))


@case("addressable shards hold their part")
def _(jit):
    y = jit(lambda x: x * 2)(put((8, 4), "x", "y"))
    return [(shard.device.id, shard.index, shard.replica_id) for shard in y.addressable_shards], [
        np.asarray(shard.data) for shard in y.addressable_shards
    ]


@case("make_array_from_callback is an argument")
def _(jit):
    whole = numbers(8, 4)
    x = jax.make_array_from_callback((8, 4), at("x", "y"), lambda index: whole[index])
    return jit(lambda x: x - 1)(x)


@case("arrays assembled from shards are an argument")
def _(jit):
    whole, sharding = numbers(8, 4), at("x")
    pieces = [jax.device_put(whole[i], d) for d, i in sharding.addressable_devices_indices_map((8, 4)).items()]
    return jit(lambda x: x - 1)(jax.make_array_from_single_device_arrays((8, 4), sharding, pieces))


@case("random numbers do not depend on how they are split")
def _(jit):
    f = jit(lambda key: jax.random.normal(key, (8, 4)), out_shardings=at("x", "y"))
    return f(jax.random.key(0))


@case("keys as arguments and results, split over devices")
def _(jit):
    keys = jax.device_put(jax.random.split(jax.random.key(0), 8), at("x"))
    f = jit(lambda keys: (jax.vmap(lambda k: jax.random.uniform(k, (4,)))(keys), jax.vmap(jax.random.split)(keys)))
    return f(keys)


@case("keys of the old kind")
def _(jit):
    f = jit(lambda key: (jax.random.split(key, 4), jax.random.bits(key, (8, 2))), out_shardings=(at(), at("x")))
    return f(jax.random.PRNGKey(3))


@case("keys through a constraint")
def _(jit):
    return jit(lambda k: constrain(jax.random.split(k, 8), at("x")))(jax.random.key(7))


@case("a donated array of keys")
def _(jit):
    keys = jax.device_put(jax.random.split(jax.random.key(0), 8), at("x"))
    out = jit(lambda k: jax.vmap(lambda k: jax.random.fold_in(k, 1))(k), donate_argnums=0)(keys)
    return out, keys.is_deleted()


@case("rbg keys")
def _(jit):
    key = jax.device_put(jax.random.key(0, impl="rbg"), at())
    return jit(lambda key: jax.random.key_data(jax.random.split(key, 4)), out_shardings=at("x"))(key)


@case("a training step of two layers", tolerance=1e-4)
def _(jit):
    params = {"up": put((8, 16), None, "y"), "down": put((16, 4), "y")}

    def loss(params, x, y):
        return jnp.mean((jnp.tanh(x @ params["up"]) @ params["down"] - y) ** 2)

    @functools.partial(jit, donate_argnums=0, out_shardings=({"up": at(None, "y"), "down": at("y")}, None))
    def step(params, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value

    for _ in range(3):
        params, value = step(params, put((8, 8), "x"), put((8, 4), "x"))
    return params, np.asarray(value)


@case("shardings of one device as out_shardings")
def _(jit):
    return jit(lambda x: x + 1, out_shardings=SingleDeviceSharding(jax.devices()[2]))(numbers(8))


@case("a global default mesh and specs for in and out")
def _(jit):
    with jax.set_mesh(grid()):
        return jit(lambda x: x @ x.T, in_shardings=P("x", "y"), out_shardings=P("y"))(numbers(8, 4))


@case("get_abstract_mesh inside")
def _(jit):
    seen = []
    with jax.set_mesh(grid()):
        result = jit(lambda x: seen.append(str(jax.sharding.get_abstract_mesh())) or x)(put((8,), "x"))
    return result, tuple(seen)


@case("a spec with trailing dims left out, or written")
def _(jit):
    f = jit(lambda x: constrain(x, at("x", None)))
    return f(put((8, 4), "x")), f(put((8, 4), "x", None))


@case("an axis in parentheses is that axis")
def _(jit):
    return jit(lambda x: constrain(x, at(("x",), ("y",))))(put((8, 4), "x", "y"))


@case("sharding of results is kept from call to call")
def _(jit):
    f = jit(lambda x: x * 0.5 + 1)
    x = put((8, 4), "x", "y")
    for _ in range(3):
        x = f(x)
    return x


@case("pmap-like: one device axis, a vmap over it")
def _(jit):
    mesh = grid("Auto", (8,), ("d",))
    return jit(jax.vmap(lambda x: x @ x.T))(put((8, 4, 4), "d", mesh=mesh))


@case("vmap with spmd_axis_name", split=False)
def _(jit):
    f = jax.vmap(lambda x: constrain(x * 2, at("y")), spmd_axis_name="x")
    return jit(f)(put((8, 4), "x"))


@case("a local mesh by make_mesh")
def _(jit):
    mesh = jax.make_mesh((2, 4), ("a", "b"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    return jit(lambda x: constrain(x, at("b", "a", mesh=mesh)))(put((8, 4), "a", "b", mesh=mesh))


@case("layouts and formats as in_shardings and out_shardings")
def _(jit):
    from jax.experimental import layout

    needs(layout, "Format", "Layout")
    wanted = layout.Format(layout.Layout(major_to_minor=(1, 0)), at("x"))
    y = jit(lambda x: x * 2, out_shardings=wanted)(put((8, 4), "x"))
    return y, str(y.format.layout.major_to_minor)


@case("layouts that XLA chooses")
def _(jit):
    from jax.experimental import layout

    needs(layout, "Format", "Layout")
    auto = layout.Format(layout.Layout.AUTO)
    f = jit(lambda x: x.T @ x, in_shardings=auto, out_shardings=auto)
    compiled = f.lower(jax.ShapeDtypeStruct((8, 4), jnp.float32, sharding=at("x"))).compile()
    (given,), _ = compiled.input_formats
    return str(given.layout.major_to_minor), jax.tree.leaves(compiled.output_formats)[0].layout is not None


@case("host memory as out_shardings")
def _(jit):
    return jit(lambda x: x * 2, out_shardings=at("x").with_memory_kind("pinned_host"))(put((8, 4), "x"))


@case("host memory as argument, device memory as result")
def _(jit):
    host = jax.device_put(numbers(8, 4), at("x").with_memory_kind("pinned_host"))
    return jit(lambda x: jax.device_put(x, at("x").with_memory_kind("device")) + 1, out_shardings=at("x"))(host)


@case("device memory within a function, and back")
def _(jit):
    def f(x):
        held = jax.device_put(x * 2, at("x").with_memory_kind("pinned_host"))
        return jax.device_put(held, at("x").with_memory_kind("device")) + x

    return jit(f)(put((8, 4), "x"))


@case("a memory kind that there is not is refused")
def _(jit):
    return jit(lambda x: x, out_shardings=NamedSharding(grid(), P("x"), memory_kind="attic"))(put((8, 4), "x"))
