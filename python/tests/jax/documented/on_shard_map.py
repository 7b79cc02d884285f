"""Manual parallelism with `shard_map`: specs, collectives, types that vary, nesting, transformations."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, shard_map
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

from documented import at, grid, numbers, on, put

case = on("Manual parallelism with shard_map")


def mapped(f, ins, outs, mesh=None, **more):
    return shard_map(f, mesh=mesh or grid(), in_specs=ins, out_specs=outs, **more)


def varying(x, axes):
    if hasattr(lax, "pcast"):
        return lax.pcast(x, axes, to="varying")
    return lax.pvary(x, axes)


@case("blocks of a product, and a sum over an axis")
def _(jit):
    f = mapped(lambda a, b: lax.psum(a @ b, "y"), (P("x", "y"), P("y", None)), P("x", None))
    return jit(f)(put((8, 16), "x", "y"), put((16, 4), "y", None))


@case("blocks have the shapes of pieces")
def _(jit):
    seen = []
    y = jit(mapped(lambda x: seen.append(x.shape) or x, P("x", "y"), P("x", "y")))(put((8, 4), "x", "y"))
    return y, tuple(seen)


@case("arguments are moved to their specs")
def _(jit):
    return jit(mapped(lambda x: x * 2, P("x", None), P("x", None)))(put((8, 4), None, "y"))


@case("what is not split is seen whole")
def _(jit):
    return jit(mapped(lambda x: x.sum(1, keepdims=True), P("x", None), P("x", None)))(put((8, 4), "x", "y"))


@case("results are put together as out_specs say")
def _(jit):
    f = lambda spec: mapped(lambda: jnp.array([[3.0]]), (), spec)
    return jit(f(P("x", "y")))(), jit(f(P("x", None)))(), jit(f(P(None, None)))()


@case("sums over one axis, the other, both")
def _(jit):
    f = lambda axes, spec: mapped(lambda x: lax.psum(x, axes), P("x", "y"), spec)
    x = put((12, 12), "x", "y")
    return jit(f("y", P("x", None)))(x), jit(f("x", P(None, "y")))(x), jit(f(("x", "y"), P(None, None)))(x)


@case("pmean, pmax, pmin")
def _(jit):
    f = mapped(
        lambda x: (lax.pmean(x, "x"), lax.pmax(x, "x"), lax.pmin(x, ("x", "y"))),
        P("x", "y"),
        (P(None, "y"), P(None, "y"), P()),
    )
    return jit(f)(put((8, 4), "x", "y"))


@case("all_gather, stacked and tiled")
def _(jit):
    f = mapped(
        lambda x: (lax.all_gather(x, "x"), lax.all_gather(x, "x", axis=1, tiled=True)),
        P("x", "y"),
        (P(None, "x", "y"), P("x", "y")),
        check_vma=False,
    )
    return jit(f)(put((8, 4), "x", "y"))


@case("psum_scatter, stacked and tiled")
def _(jit):
    f = mapped(
        lambda x: (lax.psum_scatter(x, "x"), lax.psum_scatter(x, "x", scatter_dimension=1, tiled=True)),
        P("x", None),
        (P("x"), P(None, "x")),
    )
    return jit(f)(put((16, 4), "x"))


@case("ppermute around a ring")
def _(jit):
    ring = [(i, (i + 1) % 4) for i in range(4)]
    return jit(mapped(lambda x: lax.ppermute(x, "x", ring), P("x"), P("x")))(put((8, 4), "x"))


@case("ppermute that leaves zeros")
def _(jit):
    return jit(mapped(lambda x: lax.ppermute(x, "x", [(0, 1), (1, 2)]), P("x"), P("x")))(put((8, 4), "x"))


@case("ppermute and pshuffle over two axes")
def _(jit):
    f = mapped(lambda x: lax.ppermute(x, ("x", "y"), [(i, 7 - i) for i in range(8)]), P(("x", "y")), P(("x", "y")))
    return jit(f)(put((16,), ("x", "y")))


@case("all_to_all, tiled and not")
def _(jit):
    f = mapped(
        lambda x: (lax.all_to_all(x, "x", 1, 0, tiled=True), lax.all_to_all(x, "x", 1, 1)),
        P("x", None),
        (P(None, "x"), P("x", None)),
    )
    return jit(f)(put((8, 4), "x"))


@case("axis_index and axis_size")
def _(jit):
    f = mapped(
        lambda x: x + 10 * lax.axis_index("x") + 100 * lax.axis_index(("y", "x")) + lax.axis_size("y"),
        P("x", "y"),
        P("x", "y"),
    )
    return jit(f)(put((8, 4), "x", "y"))


@case("sums in groups of an axis")
def _(jit):
    f = mapped(lambda x: lax.psum(x, "x", axis_index_groups=[[0, 1], [2, 3]]), P("x"), P("x"), check_vma=False)
    return jit(f)(put((8,), "x"))


@case("an out_spec that promises too much is refused")
def _(jit):
    return jit(mapped(lambda x: x, P("x"), P()))(put((8,), "x"))


@case("the same without the check takes what is there")
def _(jit):
    return jit(mapped(lambda x: x * 0 + 1, P("x"), P(), check_vma=False))(put((8,), "x"))


@case("sizes that do not divide are refused")
def _(jit):
    return jit(mapped(lambda x: x, P("x"), P("x")))(numbers(7))


@case("a spec that names no axis of the mesh is refused")
def _(jit):
    return jit(mapped(lambda x: x, P("z"), P("z")))(numbers(8))


@case("a result of too low a rank is refused")
def _(jit):
    return jit(mapped(lambda x: x.sum(), P("x"), P("x")))(put((8,), "x"))


@case("a collective over an axis that there is not is refused")
def _(jit):
    return jit(mapped(lambda x: lax.psum(x, "z"), P("x"), P("x")))(put((8,), "x"))


@case("types say over which axes a value varies")
def _(jit):
    seen = []

    def f(x):
        y = lax.psum(x, "x")
        seen.extend([str(jax.typeof(x)), str(jax.typeof(y))])
        return y

    return jit(mapped(f, P("x"), P()))(put((8,), "x")), tuple(seen)


@case("a loop whose carry begins to vary is refused")
def _(jit):
    f = lambda x: lax.fori_loop(0, 3, lambda _, c: c + x, jnp.zeros(x.shape))
    return jit(mapped(f, P("x"), P("x")))(put((8,), "x"))


@case("pcast makes it vary")
def _(jit):
    f = lambda x: lax.fori_loop(0, 3, lambda _, c: c + x, varying(jnp.zeros(x.shape), "x"))
    return jit(mapped(f, P("x"), P("x")))(put((8,), "x"))


@case("conds and scans within, with collectives")
def _(jit):
    def f(x):
        total, parts = lax.scan(lambda c, row: (c + lax.psum(row.sum(), "x"), row * c), lax.psum(x.sum(), "x"), x)
        return lax.cond(total > 0, lambda p: p * 2, lambda p: -p, parts)

    return jit(mapped(f, P("x"), P("x")))(put((8, 4), "x"))


@case("decorator and partial")
def _(jit):
    @jit
    @functools.partial(shard_map, mesh=grid(), in_specs=P("x"), out_specs=P("x"))
    def f(x):
        return x - lax.pmean(x, "x")

    return f(put((8, 4), "x"))


@case("the mesh from the context, explicit axes")
def _(jit):
    with jax.set_mesh(grid("Explicit")):
        x = jax.device_put(numbers(8, 4), NamedSharding(grid("Explicit"), P("x", "y")))
        return jit(shard_map(lambda x: lax.psum(x, "y"), out_specs=P("x", None)))(x)


@case("specs by tree")
def _(jit):
    f = mapped(lambda d: {"s": d["a"] + d["b"][0]}, ({"a": P("x"), "b": (P(),)},), {"s": P("x")})
    return jit(f)({"a": put((8,), "x"), "b": (put((2,)),)})


@case("specs that are no prefix are refused")
def _(jit):
    return jit(mapped(lambda a, b: a, (P("x"),), P("x")))(put((8,), "x"), put((8,), "x"))


@case("gradients through a map", tolerance=1e-4)
def _(jit):
    f = mapped(lambda x, w: lax.psum(jnp.tanh(x @ w), "y"), (P("x", "y"), P("y", None)), P("x", None))
    loss = lambda x, w: (f(x, w) ** 2).sum()
    return jit(jax.grad(loss, argnums=(0, 1)))(put((8, 4), "x", "y"), put((4, 4), "y"))


@case("a gradient within a map", tolerance=1e-4)
def _(jit):
    def f(w, x):
        return jax.grad(lambda w: lax.psum((jnp.sin(x @ w) ** 2).sum(), "x"))(w)

    return jit(mapped(f, (P(), P("x")), P()))(put((4, 2)), put((8, 4), "x"))


@case("value_and_grad with an average over the batch", tolerance=1e-4)
def _(jit):
    @functools.partial(shard_map, mesh=grid(), in_specs=(P(), P("x"), P("x")), out_specs=P())
    def loss(w, x, y):
        return lax.pmean(jnp.mean((x @ w - y) ** 2), "x")

    return jit(jax.value_and_grad(loss))(put((4, 2)), put((8, 4), "x"), put((8, 2), "x"))


@case("jvp, vmap and remat of a map", tolerance=1e-4)
def _(jit):
    f = mapped(lambda x: jnp.sin(x) * lax.psum(x, "x"), P("x"), P("x"))
    x = put((8,), "x")
    return (
        jit(lambda x: jax.jvp(f, (x,), (x,)))(x),
        jit(jax.vmap(f, in_axes=1, out_axes=1))(put((8, 3), "x")),
        jit(jax.grad(lambda x: jax.checkpoint(f)(x).sum()))(x),
    )


@case("vmap with spmd_axis_name over a map", split=False)
def _(jit):
    f = mapped(lambda x: lax.psum(x, "x"), P("x"), P())
    return jit(jax.vmap(f, spmd_axis_name="y"))(put((4, 8), "y", "x"))


@case("one axis manual, the other left to the partitioner")
def _(jit):
    f = shard_map(
        lambda x, w: lax.psum(x @ w, "x"), mesh=grid(), in_specs=(P(None, "x"), P("x")), out_specs=P(), axis_names={"x"}
    )
    return jit(f, out_shardings=at(None, "y"))(put((8, 8), None, "x"), put((8, 4), "x", "y"))


@case("a constraint on the other axis within")
def _(jit):
    def body(x):
        return lax.with_sharding_constraint(x * 2, P(None, "y"))

    with jax.set_mesh(grid()):
        f = shard_map(body, in_specs=P("x", None), out_specs=P("x", None), axis_names={"x"})
        return jit(f, out_shardings=at("x", "y"))(put((8, 4), "x"))


@case("a constraint on a manual axis within is refused")
def _(jit):
    def body(x):
        return lax.with_sharding_constraint(x * 2, P("x", None))

    with jax.set_mesh(grid()):
        return jit(shard_map(body, in_specs=P("x", None), out_specs=P("x", None)))(put((8, 4), "x"))


@case("a map within a map, one axis each")
def _(jit):
    def inner(x):
        return lax.psum(x, "y") + lax.axis_index("x")

    def outer(x):
        return shard_map(inner, in_specs=P(None, "y"), out_specs=P(), axis_names={"y"})(x)

    with jax.set_mesh(grid()):
        return jit(shard_map(outer, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}))(put((8, 4), "x", "y"))


@case("a map over an axis that is manual already is refused")
def _(jit):
    with jax.set_mesh(grid()):
        inner = shard_map(lambda x: x, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})
        return jit(shard_map(inner, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}))(put((8, 4), "x"))


@case("computation around a map is partitioned")
def _(jit):
    f = mapped(lambda x: x - lax.pmax(x, "x"), P("x", "y"), P("x", "y"))
    return jit(lambda x: f(jnp.sin(x) @ jnp.ones((4, 4))).sum(0), out_shardings=at("y"))(put((8, 4), "x", "y"))


@case("maps of one function by two meshes")
def _(jit):
    line = grid("Auto", (8,), ("d",))

    def f(x):
        a = mapped(lambda x: x * lax.axis_index("x"), P("x"), P("x"))(x)
        return mapped(lambda x: x + lax.axis_index("d"), P("d"), P("d"), mesh=line)(a)

    return jit(f)(put((8, 4), "x"))


@case("smap: one axis at a time")
def _(jit):
    with jax.set_mesh(grid()):
        f = jax.smap(lambda x: lax.psum(x, "x"), in_axes=0, out_axes=None, axis_name="x")
        return jit(f)(put((8, 4), "x"))


@case("random keys of each device")
def _(jit):
    def f(key):
        return jax.random.normal(jax.random.fold_in(key, lax.axis_index("x")), (2, 4))

    return jit(mapped(f, P(), P("x")))(jax.random.key(0))


@case("keys that are split")
def _(jit):
    f = mapped(lambda keys: jax.vmap(lambda k: jax.random.uniform(k, (4,)))(keys), P("x"), P("x"))
    return jit(f)(jax.device_put(jax.random.split(jax.random.key(0), 8), at("x")))


@case("a jit within a map")
def _(jit):
    return jit(mapped(lambda x: jit(lambda y: y * 2)(x) + lax.psum(x, "x"), P("x"), P("x")))(put((8,), "x"))


@case("donation through a map")
def _(jit):
    x = put((8, 4), "x", "y")
    y = jit(mapped(lambda x: x + 1, P("x", "y"), P("x", "y")), donate_argnums=0)(x)
    return y, x.is_deleted()


@case("values that were closed over are whole")
def _(jit):
    table = jnp.arange(4.0)
    return jit(mapped(lambda x: x * table, P("x"), P("x")))(put((8, 4), "x"))


@case("a custom_vjp with a collective", tolerance=1e-4)
def _(jit):
    @jax.custom_vjp
    def g(x):
        return x

    g.defvjp(lambda x: (x, None), lambda _, ct: (lax.psum(ct, "x") * jnp.ones_like(ct) if False else ct * 2,))
    f = mapped(lambda x: jnp.sin(g(x)), P("x"), P("x"))
    return jit(jax.grad(lambda x: f(x).sum()))(put((8,), "x"))


@case("a pipeline by ppermute in a loop")
def _(jit):
    def f(w, x):
        def stage(i, carry):
            state, out = carry
            state = jnp.where(lax.axis_index("x") == 0, x[jnp.minimum(i, 3)], state)
            state = jnp.tanh(state * w[0])
            out = jnp.where((lax.axis_index("x") == 3) & (i >= 3), out.at[jnp.maximum(i - 3, 0)].set(state), out)
            return lax.ppermute(state, "x", [(k, (k + 1) % 4) for k in range(4)]), out

        start = varying(jnp.zeros(x.shape[1:]), "x"), varying(jnp.zeros(x.shape), "x")
        return lax.psum(jnp.where(lax.axis_index("x") == 3, lax.fori_loop(0, 7, stage, start)[1], 0), "x")

    return jit(mapped(f, (P("x"), P()), P()))(put((4, 4), "x"), numbers(4, 4))


@case("ring attention's exchange: all-to-all there and back")
def _(jit):
    def f(x):
        y = lax.all_to_all(x, "x", 1, 0, tiled=True)
        return lax.all_to_all(jnp.cumsum(y, 0), "x", 0, 1, tiled=True)

    return jit(mapped(f, P("x", None), P("x", None)))(put((8, 8), "x"))


@case("integers, bools and complex numbers in collectives")
def _(jit):
    def f(x):
        any_ = lax.psum((x > 0).astype(jnp.int32), "x")
        return any_, lax.psum(x * 1j, "x"), lax.all_gather(x > 0, "x", tiled=True)

    return jit(mapped(f, P("x"), (P(), P(), P("x")), check_vma=False))(put((8,), "x"))


@case("axes of type Manual in the abstract mesh within")
def _(jit):
    seen = []

    def f(x):
        mesh = jax.sharding.get_abstract_mesh()
        seen.append(tuple(str(t) for t in mesh.axis_types))
        return x

    with jax.set_mesh(grid()):
        y = jit(shard_map(f, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}))(put((8,), "x"))
    return y, tuple(seen)
