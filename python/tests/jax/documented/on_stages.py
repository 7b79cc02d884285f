"""Ahead of time, control flow, differentiation, pytrees, effects, export, the cache on disk."""

import collections
import functools
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

from documented import at, grid, needs, needs_module, numbers, on, put, traced

stages = on("Ahead-of-time lowering and compilation")
flow = on("Control flow")
effects = on("Callbacks and debugging")
trees = on("Pytrees, transformations and differentiation")
exported = on("Export and the cache on disk")


@stages("trace, lower, compile, call")
def _(jit):
    x = put((8, 4), "x", "y")
    lowered = jit(lambda x: jnp.sin(x) + 1).trace(x).lower()
    return lowered.compile()(x)


@stages("jaxpr and text are those of JAX")
def _(jit):
    def f(x):
        return jnp.sin(x) + 1

    x = put((8, 4), "x", "y")
    return str(jit(f).trace(x).jaxpr), jit(f).lower(x).as_text()


@stages("shapes in the place of arrays")
def _(jit):
    shape = jax.ShapeDtypeStruct((8, 4), jnp.float32, sharding=at("x"))
    return jit(lambda x: x * 2).lower(shape).compile()(put((8, 4), "x"))


@stages("shapes without shardings, with in_shardings")
def _(jit):
    shape = jax.ShapeDtypeStruct((8, 4), jnp.float32)
    return jit(lambda x: x * 2, in_shardings=at("x"), out_shardings=at("x")).lower(shape).compile()(put((8, 4), "x"))


@stages("static arguments are left out of the call")
def _(jit):
    x = put((8,), "x")
    return jit(lambda n, x: x * n, static_argnums=0).lower(3, x).compile()(x)


@stages("another type is refused by what was compiled")
def _(jit):
    compiled = jit(lambda x: x * 2).lower(put((8, 4), "x")).compile()
    return compiled(put((4, 4), "x"))


@stages("another sharding is refused by what was compiled")
def _(jit):
    compiled = jit(lambda x: x * 2).lower(put((8, 4), "x")).compile()
    return compiled(put((8, 4), None, "y"))


@stages("another tree is refused by what was compiled")
def _(jit):
    compiled = jit(lambda x: x * 2).lower(put((8, 4), "x")).compile()
    return compiled((put((8, 4), "x"),))


@stages("a transformation of a compiled function is refused")
def _(jit):
    compiled = jit(lambda x: x * 2).lower(put((8, 4), "x")).compile()
    return jax.vmap(compiled)(put((8, 4), "x"))


@stages("input and output shardings, trees and avals")
def _(jit):
    compiled = (
        jit(lambda a, b: {"y": a @ b}, out_shardings=at("x", "y"))
        .lower(put((8, 4), "x"), put((4, 8), None, "y"))
        .compile()
    )
    return (
        [str(s.spec) for s in jax.tree.leaves(compiled.input_shardings)],
        str(compiled.output_shardings["y"].spec),
        str(compiled.in_tree),
        str(compiled.out_tree),
    )


@stages("cost and memory analyses are there")
def _(jit):
    compiled = jit(lambda x: x @ x.T).lower(put((8, 4), "x")).compile()
    return compiled.cost_analysis() is not None, compiled.memory_analysis().argument_size_in_bytes


@stages("eval_shape, of a jit and of a function that calls one")
def _(jit):
    f = jit(lambda x: {"y": x.sum(0), "z": x > 0})
    shapes = f.eval_shape(put((8, 4), "x")), jax.eval_shape(lambda x: f(x)["y"] * 2, numbers(8, 4))
    return [(one.shape, str(one.dtype)) for one in jax.tree.leaves(shapes)]


@stages("out_info and args_info")
def _(jit):
    lowered = jit(lambda x, y: x + y, donate_argnums=0).lower(put((8,), "x"), 2.0)
    infos = jax.tree.leaves(lowered.args_info, is_leaf=lambda i: hasattr(i, "donated"))
    return lowered.out_info.shape, [(i.shape, i.donated) for i in infos]


@stages("donation holds for what was compiled")
def _(jit):
    x = put((8, 4), "x")
    y = jit(lambda x: x + 1, donate_argnums=0).lower(x).compile()(x)
    return y, x.is_deleted()


@stages("compiler options of compile")
def _(jit):
    x = put((8, 4), "x")
    return jit(lambda x: x + 1).lower(x).compile(compiler_options={"xla_embed_ir_in_executable": True})(x)


@stages("lowering for another platform")
def _(jit):
    text = jit(lambda x: jnp.sin(x)).trace(put((8, 4), "x")).lower(lowering_platforms=("tpu",)).as_text()
    return "sine" in text


@flow("scan over a split dim")
def _(jit):
    return jit(lambda xs: lax.scan(lambda c, x: (c + x, c * x), jnp.zeros(4), xs), out_shardings=(at(), at("x")))(
        put((8, 4), "x")
    )


@flow("scan over a dim that is not split", split=False)
def _(jit):
    return jit(lambda c, xs: lax.scan(lambda c, x: (c + x, c.sum()), c, xs))(put((8,), "x"), put((4, 8), None, "x"))


@flow("scan backwards, unrolled, and without input", split=False)
def _(jit):
    def f(x):
        a = lax.scan(lambda c, x: (c * 0.5 + x, c), x[0], x, reverse=True)
        b = lax.scan(lambda c, x: (c + x, None), x[0], x, unroll=3)
        return a, b, lax.scan(lambda c, _: (c + 1, c), x, None, length=3)

    return jit(f)(put((8, 4), "x", "y"))


@flow("while_loop and fori_loop", split=False)
def _(jit):
    def f(x):
        n, y = lax.while_loop(lambda s: (s[0] < 5) & (s[1].sum() < 100), lambda s: (s[0] + 1, s[1] + 2), (0, x))
        return n, lax.fori_loop(0, n, lambda i, y: y + i, y)

    return jit(f)(put((8, 4), "x", "y"))


@flow("cond and switch", split=False)
def _(jit):
    def f(x, i):
        a = lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x)
        return a + lax.switch(i, [lambda x: x, lambda x: -x, lambda x: x * x], x)

    g = jit(f)
    return g(put((8, 4), "x", "y"), 1), g(put((8, 4), "x", "y"), 7)


@flow("map and associative_scan", split=False)
def _(jit):
    return jit(lambda x: (lax.map(lambda r: r * r.sum(), x), lax.associative_scan(jnp.add, x)))(put((8, 4), "x"))


@flow("a carry that changes its type is refused")
def _(jit):
    return jit(lambda x: lax.fori_loop(0, 3, lambda i, x: x.astype(jnp.int32), x))(put((8,), "x"))


@flow("constraints within loops", split=False)
def _(jit):
    def body(i, x):
        return lax.with_sharding_constraint(x @ x * 0.1, at("y", "x"))

    return jit(lambda x: lax.fori_loop(0, 3, body, x))(put((8, 8), "x", "y"))


@flow("gradients of scans", tolerance=1e-4, split=False)
def _(jit):
    def loss(w, xs):
        h, _ = lax.scan(lambda h, x: (jnp.tanh(h @ w + x), None), xs[0], xs)
        return (h**2).sum()

    return jit(jax.grad(loss))(put((4, 4), None, "y"), put((6, 8, 4), None, "x"))


@effects("debug.print prints once")
def _(jit):
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        jax.block_until_ready(jit(lambda x: (jax.debug.print("{s}", s=x.sum()), x)[1])(put((8,), "x")))
        jax.effects_barrier()
    return out.getvalue()


@effects("debug.callback is called once")
def _(jit):
    seen = []
    jax.block_until_ready(
        jit(lambda x: (jax.debug.callback(lambda s: seen.append(float(s)), x.sum()), x)[1])(put((8,), "x"))
    )
    jax.effects_barrier()
    return tuple(seen)


@effects("pure_callback")
def _(jit):
    f = lambda x: jax.pure_callback(lambda x: np.sin(x), jax.ShapeDtypeStruct(x.shape, x.dtype), x)
    return jit(f, out_shardings=at("x"))(put((8,), "x"))


@effects("pure_callback of several results, by tree")
def _(jit):
    shape = {"a": jax.ShapeDtypeStruct((4,), jnp.float32), "b": jax.ShapeDtypeStruct((), jnp.int32)}
    f = lambda x: jax.pure_callback(lambda x: {"a": np.asarray(x).sum(0), "b": np.int32(3)}, shape, x)
    return jit(f, out_shardings=at())(put((8, 4), "x"))


@effects("io_callback gives what the host says")
def _(jit):
    from jax.experimental import io_callback

    numbers_ = iter(range(100))
    f = lambda x: x + io_callback(lambda: np.float32(next(numbers_)), jax.ShapeDtypeStruct((), jnp.float32))
    g = jit(f, out_shardings=at("x"))
    return g(put((8,), "x")), g(put((8,), "x"))


@effects("ordered io_callback on several devices")
def _(jit):
    from jax.experimental import io_callback

    f = lambda x: io_callback(lambda x: x, jax.ShapeDtypeStruct(x.shape, x.dtype), x, ordered=True)
    return jit(f)(put((8,), "x"))


@effects("ordered debug.print on several devices is refused")
def _(jit):
    return jit(lambda x: (jax.debug.print("{x}", x=x, ordered=True), x)[1])(put((8,), "x"))


@effects("checkify", split=False)
def _(jit):
    from jax.experimental import checkify

    def f(x):
        checkify.check(x.sum() < 0, "sum is {s}", s=x.sum())
        return jnp.log(x)

    error, y = jit(checkify.checkify(f))(put((8, 4), "x"))
    return str(error.get())[:9], y


@effects("visualize_array_sharding of results")
def _(jit):
    import contextlib
    import io

    y = jit(lambda x: x * 2)(put((8, 4), "x", "y"))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        jax.debug.visualize_array_sharding(y, use_color=False)
    return out.getvalue()


@effects("named scopes")
def _(jit):
    def f(x):
        with jax.named_scope("mine"):
            return jnp.sin(x)

    return jit(f)(put((8,), "x"))


@trees("dicts, named tuples, dataclasses, lists")
def _(jit):
    Pair = collections.namedtuple("Pair", "a b")

    def f(d):
        return Pair(d["x"] + 1, [d["y"], (d["x"],)])

    result = jit(f)({"y": put((8,), "x"), "x": put((4,), "y")})
    return result.a, result.b[0], result.b[1][0]


@trees("a class registered as data")
def _(jit):
    import dataclasses

    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class State:
        w: jax.Array
        name: str = dataclasses.field(metadata=dict(static=True))

    result = jit(lambda s: State(s.w * 2, s.name + "!"))(State(put((8,), "x"), "mine"))
    return result.w, result.name


@trees("grad, hessian, jacobians", tolerance=1e-4, split=False)
def _(jit):
    loss = lambda x: (jnp.sin(x) ** 3).sum()
    x = put((8,), "x")
    return jit(jax.grad(loss))(x), jit(jax.hessian(loss))(x), jit(jax.jacfwd(jnp.sin))(x), jit(jax.jacrev(jnp.cos))(x)


@trees("transformations of a jit")
def _(jit):
    f = jit(lambda x: (jnp.sin(x) * 2).sum())
    x = put((8, 4), "x")
    return jax.grad(f)(x), np.asarray(jax.vmap(f)(x)), np.asarray(jax.jvp(f, (x,), (x,))[1])


@trees("vmap with in_axes and out_axes", split=False)
def _(jit):
    return jit(jax.vmap(lambda a, b: a * b.sum(), in_axes=(1, None), out_axes=1))(put((8, 4), "x", "y"), put((8,), "x"))


@trees("custom_jvp and custom_vjp", tolerance=1e-4)
def _(jit):
    @jax.custom_jvp
    def f(x):
        return jnp.log1p(jnp.exp(x))

    f.defjvp(lambda p, t: (f(*p), t[0] * jax.nn.sigmoid(p[0])))

    @jax.custom_vjp
    def clipped(x):
        return x

    clipped.defvjp(lambda x: (x, None), lambda _, ct: (jnp.clip(ct, -0.5, 0.5),))
    return jit(jax.grad(lambda x: f(clipped(x)).sum()))(put((8,), "x"))


@trees("remat with names saved", tolerance=1e-4)
def _(jit):
    from jax.ad_checkpoint import checkpoint_name

    def f(w, x):
        return (jnp.tanh(checkpoint_name(x @ w, "h")) ** 2).sum()

    policy = jax.checkpoint_policies.save_only_these_names("h")
    return jit(jax.grad(jax.checkpoint(f, policy=policy)), out_shardings=at())(put((4, 4), None, "y"), put((8, 4), "x"))


@trees("stop_gradient, has_aux, linearize")
def _(jit):
    x = put((8,), "x")
    f = lambda x: ((x * lax.stop_gradient(x)).sum(), x + 1)
    return jit(jax.grad(f, has_aux=True))(x), jit(lambda x: jax.linearize(jnp.sin, x)[1](x))(x)


@trees("float0 for integers")
def _(jit):
    f = jax.value_and_grad(lambda x: x.astype(jnp.float32).sum(), allow_int=True)
    value, g = jit(f)(put((8,), "x", dtype=np.int32))
    return value, str(g.dtype), g.shape


@trees("bfloat16, float16, int8, uint32, bool")
def _(jit):
    f = jit(lambda *xs: [x + x.dtype.type(1) if x.dtype != bool else ~x for x in xs])
    return f(*(put((8,), "x", dtype=jnp.dtype(d)) for d in ("bfloat16", "float16", "int8", "uint32", "bool")))


@trees("small floats and int4", split=False)
def _(jit):
    f = jit(lambda a, b: (a.astype(jnp.float32) * 2, b.astype(jnp.int32) + 1))
    x = jax.device_put(jnp.asarray(numbers(8)).astype(jnp.float8_e4m3fn), at("x"))
    return f(x, jax.device_put(jnp.arange(8).astype(jnp.int4), at("x")))


@trees("empty arrays and scalars")
def _(jit):
    return jit(lambda a, b, c: (a * 2, b.sum(), c + 1), out_shardings=at())(put((0, 4)), put((8, 0), "x"), put(()))


@exported("a function is exported, written, read and called")
def _(jit):
    from jax import export

    needs_module("flatbuffers")
    f = jit(lambda x: jnp.sin(x) @ x.T, in_shardings=at("x"), out_shardings=at(None, "x"))
    one = export.export(f)(jax.ShapeDtypeStruct((8, 4), jnp.float32))
    again = export.deserialize(bytearray(one.serialize()))
    return jit(again.call, in_shardings=at("x"), out_shardings=at(None, "x"))(put((8, 4), "x")), again.nr_devices


@exported("with sizes that are not known yet")
def _(jit):
    from jax import export

    (n,) = export.symbolic_shape("n")
    one = export.export(jit(lambda x: x * 2 + n))(jax.ShapeDtypeStruct((n, 4), jnp.float32))
    return np.asarray(jit(one.call)(numbers(8, 4)))


@exported("with its gradient")
def _(jit):
    from jax import export

    needs_module("flatbuffers")
    one = export.export(jit(lambda x: jnp.sin(x).sum()))(jax.ShapeDtypeStruct((8,), jnp.float32))
    again = export.deserialize(bytearray(one.serialize(vjp_order=1)))
    return np.asarray(jax.grad(again.call)(numbers(8)))


@exported("explain_cache_misses and log_compiles are harmless")
def _(jit):
    with jax.log_compiles(True):
        return jit(lambda x: x + 5)(put((8,), "x"))


@exported("executables are written out and read")
def _(jit):
    from jax.experimental import serialize_executable

    x = put((8, 4), "x")
    compiled = jit(lambda x: x @ x.T, out_shardings=at("x")).lower(x).compile()
    payload, in_tree, out_tree = serialize_executable.serialize(compiled)
    return serialize_executable.deserialize_and_load(payload, in_tree, out_tree)(x)


@exported("an FFI call of JAX's own: LAPACK", split=False, tolerance=1e-3)
def _(jit):
    x = put((8, 8), "x") + 9 * jnp.eye(8)
    return jit(lambda x: (jnp.linalg.inv(x), jnp.linalg.cholesky(x @ x.T), jnp.linalg.solve(x, x[0])))(x)


@exported("custom_partitioning")
def _(jit):
    from jax.experimental.custom_partitioning import custom_partitioning

    f = custom_partitioning(lambda x: x * 2)
    f.def_partition(
        infer_sharding_from_operands=lambda mesh, args, result: args[0].sharding,
        partition=lambda mesh, args, result: (mesh, lambda x: x * 2, result.sharding, (args[0].sharding,)),
        sharding_rule="i -> i",
    )
    return jit(f)(put((8,), "x"))
