"""Explicit sharding: shardings in types, their rules, and the ways between modes; sharding and differentiation."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

from documented import Missing, at, grid, needs, numbers, on

case = on("Explicit sharding")
ad = on("Differentiation and sharding")


def mesh():
    return grid("Explicit")


def put(shape, *spec, dtype=np.float32, **more):
    return jax.device_put(numbers(*shape, dtype=dtype), NamedSharding(mesh(), P(*spec, **more)))


def typed(x):
    return str(jax.typeof(x))


def within(body):
    """Call the body with the mesh set."""

    def called(jit):
        with jax.set_mesh(mesh()):
            return body(jit)

    return called


@case("types are seen while tracing")
@within
def _(jit):
    seen = []
    y = jit(lambda x: seen.append(typed(x)) or jnp.sin(x).T)(put((8, 4), "x", "y"))
    return y, typed(y), tuple(seen)


@case("another sharding of an argument is traced again")
@within
def _(jit):
    count = []
    f = jit(lambda x: count.append(typed(x)) or x + 1)
    return f(put((8, 4), "x", "y")), f(put((8, 4), None, "y")), f(put((8, 4), "x", "y")), tuple(count)


@case("sums drop the axis of their dim")
@within
def _(jit):
    return jit(lambda x: (x.sum(0), x.sum(1), x.sum()))(put((8, 4), "x", "y"))


@case("dims that only one operand has keep their axis")
@within
def _(jit):
    return jit(lambda x, y: x + y)(put((8, 1), "x", None), put((1, 4), None, "y"))


@case("operands whose shardings would use an axis twice are refused")
@within
def _(jit):
    return jit(lambda x, y: x + y)(put((8, 8), "x", None), put((8, 8), None, "x"))


@case("a product of rows and columns")
@within
def _(jit):
    return jit(jnp.dot)(put((8, 4), "x"), put((4, 8), None, "y"))


@case("a product with a split contraction and no out_sharding is refused")
@within
def _(jit):
    return jit(jnp.dot)(put((8, 4), None, "x"), put((4, 8), "x"))


@case("out_sharding of a product: all-reduced, or scattered either way")
@within
def _(jit):
    x, y = put((8, 4), None, "x"), put((4, 8), "x")
    return [jit(lambda x, y: jnp.dot(x, y, out_sharding=spec))(x, y) for spec in (P(), P("x", None), P(None, "x"))]


@case("out_sharding of einsum")
@within
def _(jit):
    f = jit(lambda x, y: jnp.einsum("bij,jk->bik", x, y, out_sharding=P("x", None, "y")))
    return f(put((8, 4, 4), "x", None, "y"), put((4, 8), "y", None))


@case("reshape of an unsplit dim, and of a split one with out_sharding")
@within
def _(jit):
    f = jit(lambda x: (x.reshape(8, 2, 2), lax.reshape(x, (32,), out_sharding=P("x"))))
    return f(put((8, 4), "x"))


@case("reshape of a split dim without out_sharding is refused")
@within
def _(jit):
    return jit(lambda x: x.reshape(32))(put((8, 4), "x", "y"))


@case("new arrays with out_sharding")
@within
def _(jit):
    needs_it = jit(lambda: (jnp.zeros((8, 4), out_sharding=P("x")), jnp.arange(8, out_sharding=P("y"))))
    return needs_it()


@case("random numbers with out_sharding")
@within
def _(jit):
    return jit(lambda key: jax.random.uniform(key, (8, 4), out_sharding=P("x", "y")))(jax.random.key(1))


@case("an index by an array, with out_sharding")
@within
def _(jit):
    return jit(lambda x, i: x.at[i].get(out_sharding=P("x", None)))(put((8, 4), None, "y"), np.array([1, 0, 7, 3]))


@case("reshard")
@within
def _(jit):
    from jax.sharding import reshard

    return jit(lambda x: reshard(x * 2, P("y", "x")))(put((8, 4), "x", "y"))


@case("reshard in the middle, and results by type")
@within
def _(jit):
    from jax.sharding import reshard

    def f(x, w):
        h = jax.nn.relu(x @ w)
        return reshard(h, P(("x", "y"), None)).sum(1)

    return jit(f)(put((8, 4), "x"), put((4, 8), None, "y"))


@case("with_sharding_constraint asserts under explicit axes")
@within
def _(jit):
    return jit(lambda x: lax.with_sharding_constraint(x, P("x", "y")))(put((8, 4), "x", "y"))


@case("with_sharding_constraint of something else is refused")
@within
def _(jit):
    return jit(lambda x: lax.with_sharding_constraint(x, P("y", "x")))(put((8, 4), "x", "y"))


@case("auto_axes: the compiler chooses within")
@within
def _(jit):
    from jax.sharding import auto_axes

    inner = auto_axes(lambda x, y: jnp.sin(x) + y)
    return jit(lambda x, y: inner(x, y, out_sharding=P("x", None)))(put((8, 8), "x", None), put((8, 8), None, "x"))


@case("auto_axes where it is defined, over some axes")
@within
def _(jit):
    from jax.sharding import auto_axes

    inner = auto_axes(lambda x: x @ x.T, axes="x", out_sharding=P("x", None))
    return jit(inner)(put((8, 8), "x", None))


@case("explicit_axes within auto axes")
def _(jit):
    from jax.sharding import explicit_axes

    seen = []
    inner = explicit_axes(lambda x: seen.append(typed(x)) or jnp.cos(x))
    with jax.set_mesh(grid()):
        x = jax.device_put(numbers(8, 4), at("x", "y"))
        return jit(lambda x: inner(x * 2, in_sharding=P("y", "x")))(x), tuple(seen)


@case("one axis explicit, one auto")
def _(jit):
    half = jax.sharding.Mesh(grid().devices, ("x", "y"), axis_types=(AxisType.Explicit, AxisType.Auto))
    with jax.set_mesh(half):
        x = jax.device_put(numbers(8, 4), NamedSharding(half, P("x", None)))
        seen = []
        y = jit(lambda x: seen.append(typed(x)) or lax.with_sharding_constraint(x + 1, P(None, "y")))(x)
        return np.asarray(y), tuple(seen)


@case("another abstract mesh within")
@within
def _(jit):
    needs(jax, "reshard")
    line = jax.sharding.AbstractMesh((8,), ("a",), (AxisType.Explicit,))

    def f(x):
        with jax.sharding.use_abstract_mesh(line):
            return jax.reshard(x, P("a", None)) * 2

    y = jit(f)(put((8, 4), "x", "y"))
    return y, typed(y)


@case("scan over a dim that is not split")
@within
def _(jit):
    def f(carry, xs):
        return lax.scan(lambda c, x: (c + x, c * x), carry, xs)

    return jit(f)(put((8,), "x"), put((4, 8), None, "x"))


@case("scan whose carry changes its sharding is refused")
@within
def _(jit):
    from jax.sharding import reshard

    return jit(lambda x: lax.scan(lambda c, _: (reshard(c, P("y")), None), x, None, length=2))(put((8,), "x"))


@case("while and cond keep types")
@within
def _(jit):
    def f(x):
        x = lax.fori_loop(0, 3, lambda i, x: x * 0.5 + i, x)
        return lax.cond(x.sum() > 0, lambda x: x + 1, lambda x: -x, x)

    return jit(f)(put((8, 4), "x", "y"))


@case("branches of different types are refused")
@within
def _(jit):
    from jax.sharding import reshard

    return jit(lambda x: lax.cond(x.sum() > 0, lambda x: x, lambda x: reshard(x, P("y")), x))(put((8,), "x"))


@case("vmap over a split dim")
@within
def _(jit):
    return jit(jax.vmap(lambda x: jnp.sin(x) * 2))(put((8, 4), "x", "y"))


@case("slices, concatenations, pads")
@within
def _(jit):
    def f(x):
        return x[:, 1:3], jnp.concatenate([x, x], 1), jnp.pad(x, ((0, 0), (1, 1)))

    return jit(f)(put((8, 4), "x"))


@case("squeeze, expand, broadcast, transpose")
@within
def _(jit):
    def f(x):
        return x[None], x[:, None].squeeze(1), jnp.broadcast_to(x, (2, 8, 4)), x.transpose(1, 0)

    return jit(f)(put((8, 4), "x", "y"))


@case("sort and cumsum along a dim that is not split")
@within
def _(jit):
    return jit(lambda x: (jnp.sort(x, 1), jnp.cumsum(x, 1)))(put((8, 4), "x"))


@case("split, stack and where")
@within
def _(jit):
    def f(x):
        a, b = jnp.split(x, 2, axis=1)
        return jnp.where(a > 0, a, b), jnp.stack([a, b])

    return jit(f)(put((8, 4), "x"))


@case("a convolution with a split batch")
@within
def _(jit):
    f = jit(lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME"))
    return f(put((8, 2, 6, 6), "x"), put((3, 2, 3, 3)))


@case("out_shardings by spec")
@within
def _(jit):
    return jit(lambda x: x * 2, out_shardings=P("y", "x"))(put((8, 4), "x", "y"))


@case("in_shardings that differ from the argument's are refused")
@within
def _(jit):
    return jit(lambda x: x * 2, in_shardings=P("y", "x"))(put((8, 4), "x", "y"))


@case("an arithmetic of bool, int and complex")
@within
def _(jit):
    x = put((8, 4), "x", "y", dtype=np.complex64)
    return jit(lambda x: (x.real > 0, (x.imag + 1).astype(jnp.int32), x * 1j))(x)


@case("eval_shape has shardings")
@within
def _(jit):
    shape = jit(lambda x: jnp.sin(x).T).eval_shape(put((8, 4), "x", "y"))
    return shape.shape, str(shape.dtype), str(shape.sharding.spec)


@ad("gradients lie as what they are of")
@within
def _(jit):
    loss = lambda w, x: ((x @ w) ** 2).sum()
    return jit(jax.grad(loss, argnums=(0, 1)))(put((4, 8), None, "y"), put((8, 4), "x"))


@ad("value_and_grad through reshard")
@within
def _(jit):
    from jax.sharding import reshard

    def loss(x):
        return (reshard(jnp.sin(x), P("y", "x")) ** 2).sum()

    return jit(jax.value_and_grad(loss))(put((8, 4), "x", "y"))


@ad("jvp and linear transposes")
@within
def _(jit):
    x = put((8, 4), "x", "y")
    f = lambda x: jnp.sin(x) * 3
    return jit(lambda x: jax.jvp(f, (x,), (x,)))(x), jit(lambda x: jax.vjp(f, x)[1](x))(x)


@ad("an unreduced product, added up and reduced once")
@within
def _(jit):
    try:
        P(unreduced={"x"})
    except TypeError:
        raise Missing("P(unreduced=..)") from None
    needs(jax, "reshard")

    def f(a, b):
        c = jnp.einsum("ij,jk->ik", a, b, out_sharding=P(None, None, unreduced={"x"}))
        d = jnp.einsum("ij,jk->ik", a * 2, b, out_sharding=P(None, None, unreduced={"x"}))
        return jax.reshard(c + d, P(None, None))

    return jit(f)(put((8, 4), None, "x"), put((4, 8), "x", None))


@ad("an unreduced result")
@within
def _(jit):
    try:
        spec = P(None, None, unreduced={"x"})
    except TypeError:
        raise Missing("P(unreduced=..)") from None
    f = jit(lambda a, b: jnp.einsum("ij,jk->ik", a, b, out_sharding=spec))
    y = f(put((8, 4), None, "x"), put((4, 8), "x", None))
    return str(y.sharding.spec), [np.asarray(shard.data) for shard in y.addressable_shards]


@ad("an unreduced argument")
@within
def _(jit):
    try:
        spec = P("y", None, unreduced={"x"})
    except TypeError:
        raise Missing("P(unreduced=..)") from None
    needs(jax, "reshard")
    x = jax.device_put(numbers(8, 4), NamedSharding(mesh(), spec))
    return jit(lambda x: jax.reshard(x, P("y", None)))(x)


@ad("weights that are reduced have gradients that are not yet")
@within
def _(jit):
    try:
        P(reduced={"x"})
    except TypeError:
        raise Missing("P(reduced=..)") from None
    needs(jax, "reshard")

    def loss(w, x):
        w = jax.reshard(w, P(None, None, reduced={"x"}))
        return ((x @ w) ** 2).sum()

    return jit(jax.grad(loss))(put((4, 2)), put((8, 4), "x"))


@ad("a nonlinear op of something unreduced is refused")
@within
def _(jit):
    try:
        spec = P(None, None, unreduced={"x"})
    except TypeError:
        raise Missing("P(unreduced=..)") from None
    f = lambda a, b: jnp.cos(jnp.einsum("ij,jk->ik", a, b, out_sharding=spec))
    return jit(f)(put((8, 4), None, "x"), put((4, 8), "x", None))


@ad("remat, and its policies", tolerance=1e-4)
@within
def _(jit):
    def layer(x, w):
        return jnp.tanh(jnp.dot(x, w, out_sharding=P("x", "y")))

    def loss(w, x, policy):
        f = jax.checkpoint(layer, policy=policy)
        return (f(f(x, w), w) ** 2).sum()

    w, x = put((8, 8), None, "y"), put((8, 8), "x", None)
    policies = jax.checkpoint_policies
    return [
        jit(jax.grad(loss), static_argnums=2)(w, x, policy)
        for policy in (None, policies.dots_saveable, policies.nothing_saveable, policies.everything_saveable)
    ]
