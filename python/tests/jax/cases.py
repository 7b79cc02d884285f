"""Functions and steps as people write them in JAX, each with arguments and how these are split over a mesh of 4 (data) by 2 (model)."""

import functools
from dataclasses import dataclass
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

try:
    from jax import shard_map
except ImportError:  # JAX before 0.8
    from jax.experimental.shard_map import shard_map


@functools.cache
def mesh(explicit=False):
    kind = AxisType.Explicit if explicit else AxisType.Auto
    return Mesh(np.array(jax.devices()[:8]).reshape(4, 2), ("data", "model"), axis_types=(kind, kind))


@dataclass(frozen=True)
class Case:
    """`make(dtype)` gives a function and its arguments; `specs` is one tree prefix of PartitionSpecs per argument, None where JAX is to decide."""

    name: str
    make: Callable[[Any], tuple[Callable, tuple]]
    specs: tuple
    options: dict
    dtypes: tuple
    #: As far as results may be apart, where that is more than for the type.
    tolerance: float


CASES: list[Case] = []
FLOATS = ("float64", "float32")


def case(name, *specs, dtypes=FLOATS, tolerance=0.0, **options):
    def add(make):
        CASES.append(Case(name, make, specs, options, dtypes, tolerance))
        return make

    return add


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def arrays(dtype, *shapes):
    return tuple(jnp.asarray(normal(i, *shape), dtype) for i, shape in enumerate(shapes))


def constrain(x, *spec):
    return lax.with_sharding_constraint(x, NamedSharding(mesh(), P(*spec)))


def mlp(x, up, down):
    return jnp.tanh(x @ up) @ down


# Products and reductions.


@case("matmul, contraction split", P(None, "model"), P("model", None))
def _(dtype):
    return lambda a, b: a @ b, arrays(dtype, (8, 16), (16, 12))


@case("mlp forward", P("data"), P(None, "model"), P("model"))
def _(dtype):
    return mlp, arrays(dtype, (16, 8), (8, 32), (32, 8))


@case("mlp gradient", P("data"), P(None, "model"), P("model"))
def _(dtype):
    return jax.grad(lambda x, up, down: (mlp(x, up, down) ** 2).sum(), argnums=(0, 1, 2)), arrays(
        dtype, (16, 8), (8, 32), (32, 8)
    )


@case("einsum of three", P("data"), P(None, "model"), P("model"))
def _(dtype):
    return lambda a, b, c: jnp.einsum("bij,jk,kb->ik", a, b, c), arrays(dtype, (8, 4, 6), (6, 8), (8, 8))


@case("uneven dims", P("data"), P(None, "model"))
def _(dtype):
    return lambda a, b: (jax.nn.softmax(constrain(a @ b, "model", "data")[:7, :5]), a.sum()), arrays(
        dtype, (8, 3), (3, 10)
    )


@case("uneven constraint", P(None), P(None))
def _(dtype):
    return lambda a, b: constrain(jnp.sin(a) @ b, "data", "model"), arrays(dtype, (7, 5), (5, 9))


@case("reductions", P("data", "model"))
def _(dtype):
    return lambda x: (
        x.sum(0),
        x.max(1),
        x.prod(),
        x.mean(),
        x.var(1),
        jnp.argmax(x, 1),
        x.min(),
        jnp.any(x > 2),
        jnp.all(x > -9, 0),
    ), arrays(dtype, (8, 6))


@case("softmax and logsumexp", P("data", "model"))
def _(dtype):
    return lambda x: (jax.nn.softmax(x), jax.nn.log_softmax(x, 0), jax.scipy.special.logsumexp(x, 1)), arrays(
        dtype, (16, 8)
    )


@case("cumulative", P("data", "model"))
def _(dtype):
    return lambda x: (jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x, 0), lax.cumlogsumexp(x, 1)), arrays(
        dtype, (8, 6)
    )


@case("associative scan", P("data", "model"))
def _(dtype):
    return lambda x: lax.associative_scan(lambda a, b: a * b + a, x, axis=0), arrays(dtype, (8, 4))


# Moving data.


@case("reshapes and transposes", P("data", None, "model"))
def _(dtype):
    return lambda x: (
        x.reshape(32, 8),
        x.transpose(2, 0, 1).reshape(8, 32),
        x.reshape(8, 2, 2, 8),
        x.swapaxes(0, 2),
    ), arrays(dtype, (8, 4, 8))


@case("slices and padding", P("data", "model"), P())
def _(dtype):
    return lambda x, n: (
        x[1:7, ::2],
        x[::-1],
        jnp.pad(x, ((1, 2), (0, 3))),
        lax.dynamic_slice(x, (n, n - 1), (4, 4)),
        jnp.roll(x, 3, 0),
    ), (*arrays(dtype, (16, 8)), jnp.int32(2))


@case("concatenate and stack", P("data"), P(None, "model"))
def _(dtype):
    return lambda a, b: (
        jnp.concatenate([a, b]),
        jnp.stack([a, b], 1),
        jnp.split(a, 2, 1),
        jnp.tile(b, (2, 1)),
    ), arrays(dtype, (8, 6), (8, 6))


@case("gather and take", P("data", "model"), P("data"))
def _(dtype):
    return lambda x, i: (x[i], jnp.take(x, i % 4, 1), jnp.take_along_axis(x, i[:, None] % 6, 1)), (
        *arrays(dtype, (8, 6)),
        jnp.asarray([3, 1, 7, 0, 2, 2, 5, 6]),
    )


@case("scatter", P("data", "model"), P("data"))
def _(dtype):
    return lambda x, i: (
        x.at[i].add(1.5),
        x.at[2, i % 6].set(0.0),
        x.at[:, 1].mul(2.0),
        x.at[i].max(0.1),
        jnp.zeros(8, dtype).at[i].add(x[:, 0]),
    ), (
        *arrays(dtype, (8, 6)),
        jnp.asarray([3, 1, 7, 0, 2, 2, 5, 6]),
    )


@case("embedding gradient", P("model"), P("data"))
def _(dtype):
    tokens = jnp.asarray(np.random.default_rng(1).integers(0, 32, (8, 5)))
    return jax.value_and_grad(lambda e, t: (e[t] ** 2).sum()), (*arrays(dtype, (32, 6)), tokens)


@case("sort and argsort", P("data", "model"))
def _(dtype):
    return lambda x: (
        jnp.sort(x, 0),
        jnp.argsort(x, 1),
        jnp.sort(x, 1, descending=True),
        lax.sort((x, x * 2), dimension=0),
    ), arrays(dtype, (8, 6))


@case("top_k", P("data", "model"))
def _(dtype):
    return lambda x: lax.top_k(x, 3), arrays(dtype, (8, 16))


@case("searchsorted, bincount, one_hot", P("data"), P("data"))
def _(dtype):
    return lambda x, i: (
        jnp.searchsorted(jnp.sort(x), x),
        jnp.bincount(i, length=8),
        jax.nn.one_hot(i, 8, dtype=dtype),
    ), (*arrays(dtype, (16,)), jnp.arange(16) % 5)


@case("where and clip", P("data", "model"), P(None, "model"))
def _(dtype):
    return lambda x, y: (jnp.where(x > 0, x, y), jnp.clip(x, -0.5, y), jnp.nan_to_num(jnp.sqrt(x))), arrays(
        dtype, (8, 6), (8, 6)
    )


@case("triangles and diagonals", P("data", "model"))
def _(dtype):
    return lambda x: (
        jnp.tril(x),
        jnp.diag(x),
        jnp.trace(x),
        jnp.outer(x[0], x[1]),
        jnp.kron(x[:2, :2], x[:2]),
    ), arrays(dtype, (8, 8))


# Numbers of other kinds.


@case("bf16 layer", P("data"), P(None, "model"), P("model"), dtypes=("bfloat16",))
def _(dtype):
    return mlp, arrays(dtype, (16, 8), (8, 32), (32, 8))


@case("mixed precision gradient", P("data"), P(None, "model"), P("model"), dtypes=("float32",), tolerance=3e-2)
def _(dtype):
    def loss(x, up, down):
        return (
            mlp(x.astype(jnp.bfloat16), up.astype(jnp.bfloat16), down.astype(jnp.bfloat16)).astype(dtype) ** 2
        ).mean()

    return jax.grad(loss, argnums=(1, 2)), arrays(dtype, (16, 8), (8, 32), (32, 8))


@case("integers and bits", P("data"), dtypes=("int32",))
def _(dtype):
    x = jnp.asarray(np.random.default_rng(0).integers(-1000, 1000, (16, 4)), dtype)
    return lambda x: (
        x // 7,
        x % 7,
        x << 2,
        x >> 1,
        x & 31,
        x ^ 5,
        lax.population_count(x),
        lax.clz(x),
        x.astype(jnp.uint8),
        jnp.bitwise_not(x).sum(0),
    ), (x,)


@case("complex", P("data", "model"), dtypes=("complex128", "complex64"))
def _(dtype):
    x = jnp.asarray(normal(0, 8, 6) + 1j * normal(1, 8, 6), dtype)
    return lambda x: (x @ x.T.conj(), jnp.abs(x), jnp.angle(x), jnp.exp(x).sum(), x.real, x.imag), (x,)


@case("fft", P("data"))
def _(dtype):
    return lambda x: (jnp.fft.rfft(x), jnp.abs(jnp.fft.fft2(x)), jnp.fft.irfft(jnp.fft.rfft(x))), arrays(dtype, (8, 16))


@case("float8 round trip", P("data"), dtypes=("float32",))
def _(dtype):
    return lambda x: x.astype(jnp.float8_e4m3fn).astype(dtype) * 2, arrays(dtype, (16, 4))


@case("special functions", P("data", "model"))
def _(dtype):
    return lambda x: (
        jax.scipy.special.erf(x),
        jax.nn.gelu(x),
        lax.lgamma(x + 5),
        jnp.arctan2(x, x + 2),
        jnp.cbrt(x),
        jnp.log1p(x**2),
        jnp.sinh(x),
        lax.erf_inv(x / 9),
    ), arrays(dtype, (8, 6))


# Convolutions.


@case("convolution", P("data"), P(None))
def _(dtype):
    return lambda x, w: lax.conv_general_dilated(
        x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    ), arrays(dtype, (8, 8, 8, 3), (3, 3, 3, 4))


@case("convolution split in space", P(None, "data"), P(None, None, None, "model"))
def _(dtype):
    def loss(x, w):
        return (lax.conv_general_dilated(x, w, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) ** 2).sum()

    return jax.value_and_grad(loss, argnums=(0, 1)), arrays(dtype, (2, 16, 8, 3), (3, 3, 3, 4))


@case("pooling", P("data", "model"))
def _(dtype):
    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    return lambda x: (pool(x), jax.grad(lambda x: pool(x).sum())(x)), arrays(dtype, (8, 8, 8, 3))


# Control flow.


@case("scan over layers", P("data"), P(None, None, "model"))
def _(dtype):
    return lambda x, w: lax.scan(lambda x, w: (jnp.tanh(x @ w), x.sum()), x, w), arrays(dtype, (8, 16), (3, 16, 16))


@case("scan gradient with remat", P("data"), P(None, None, "model"))
def _(dtype):
    def loss(x, w):
        return (lax.scan(jax.checkpoint(lambda x, w: (jnp.tanh(x @ w), None)), x, w)[0] ** 2).sum()

    return jax.value_and_grad(loss, argnums=(0, 1)), arrays(dtype, (8, 16), (3, 16, 16))


@case("remat by policy", P("data"), P(None, "model"), P("model"))
def _(dtype):
    policy = jax.checkpoint_policies.dots_with_no_batch_dims_saveable
    return jax.grad(
        lambda x, up, down: (jax.checkpoint(mlp, policy=policy)(x, up, down) ** 2).sum(), argnums=1
    ), arrays(dtype, (16, 8), (8, 32), (32, 8))


@case("cond", P("data", "model"), P())
def _(dtype):
    return lambda x, n: lax.cond(n > 3, lambda x: x @ x.T, lambda x: x + x.T, x), (*arrays(dtype, (8, 8)), jnp.int32(5))


@case("switch gradient", P("data", "model"), P())
def _(dtype):
    branches = [jnp.sin, lambda x: x**2, lambda x: x * x.sum()]
    return jax.grad(lambda x, i: lax.switch(i, branches, x).sum()), (*arrays(dtype, (8, 6)), jnp.int32(2))


@case("while", P("data"))
def _(dtype):
    return lambda x: lax.while_loop(
        lambda s: (s[1] < 20) & (jnp.abs(s[0]).max() > 0.5), lambda s: (s[0] * 0.8, s[1] + 1), (x, 0)
    ), arrays(dtype, (8, 6))


@case("fori with an update", P("data", "model"))
def _(dtype):
    return lambda x: lax.fori_loop(0, 8, lambda i, x: x.at[i].set(x[i] * 2 + x.sum(0)), x), arrays(dtype, (8, 6))


@case("map and vmapped while", P("data"))
def _(dtype):
    newton = jax.vmap(lambda a: lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-5, lambda x: (x + a / x) / 2, a))
    return lambda x: (lax.map(lambda r: r @ r, x), newton(jnp.abs(x[:, 0]) + 1)), arrays(dtype, (8, 4))


# Rules of one's own.


@case("custom_vjp", P("data", "model"))
def _(dtype):
    @jax.custom_vjp
    def clipped(x):
        return x * 2

    clipped.defvjp(lambda x: (x * 2, x), lambda x, g: (jnp.clip(g, -1, 1) * jnp.sign(x),))
    return jax.grad(lambda x: (clipped(x) ** 2).sum()), arrays(dtype, (8, 6))


@case("custom_jvp", P("data", "model"))
def _(dtype):
    @jax.custom_jvp
    def softplus(x):
        return jnp.logaddexp(x, 0)

    softplus.defjvp(lambda p, t: (softplus(p[0]), jax.nn.sigmoid(p[0]) * t[0]))
    return lambda x: (jax.jvp(softplus, (x,), (x,)), jax.grad(lambda x: softplus(x).sum())(x)), arrays(dtype, (8, 6))


@case("hessian and jacobian", P("data"))
def _(dtype):
    return lambda x: (jax.hessian(lambda x: (jnp.sin(x) * x[::-1]).sum())(x), jax.jacfwd(jnp.cumsum)(x)), arrays(
        dtype, (8,)
    )


@case("vmap over a batch of heads", P("data", "model"), P("data", "model"))
def _(dtype):
    one = lambda q, k: jax.nn.softmax(q @ k.T) @ k
    return jax.vmap(jax.vmap(one)), arrays(dtype, (4, 2, 8, 6), (4, 2, 8, 6))


# Random numbers.


@case("random, partitionable", P())
def _(dtype):
    def draw(key):
        a, b = jax.random.split(key)
        return (
            constrain(jax.random.normal(a, (16, 6), dtype), "data"),
            jax.random.permutation(b, 16),
            jax.random.bernoulli(a, 0.3, (8, 4)),
            jax.random.randint(b, (9,), 0, 50),
        )

    return draw, (jax.random.PRNGKey(3),)


@case("random, not partitionable", P(), P("data"))
def _(dtype):
    def draw(key, x):
        with jax.threefry_partitionable(False):
            return (
                x + jax.random.uniform(key, x.shape, dtype),
                jax.random.gumbel(key, (8, 4), dtype),
                jax.random.categorical(key, x),
            )

    return draw, (jax.random.PRNGKey(3), *arrays(dtype, (16, 6)))


@case("dropout with typed keys", P(), P("data", "model"))
def _(dtype):
    def dropout(key, x):
        return jnp.where(jax.random.bernoulli(jax.random.wrap_key_data(key), 0.7, x.shape), x / 0.7, 0)

    return jax.grad(lambda key, x: (dropout(key, x) ** 2).sum(), argnums=1), (
        jax.random.key_data(jax.random.key(4)),
        *arrays(dtype, (8, 6)),
    )


# How jit is told.


@case("donated state", P("data"), P(), donate_argnums=0)
def _(dtype):
    return lambda state, x: (state * 0.9 + x, x.sum()), arrays(dtype, (8, 6), (6,))


@case("static argument", P("data", "model"), None, static_argnums=1)
def _(dtype):
    return lambda x, n: jnp.linalg.matrix_power(x @ x.T, n).sum(), (*arrays(dtype, (8, 6)), 3)


@case("pytrees with None", {"w": P("model"), "b": None}, (P("data"), None))
def _(dtype):
    w, b, x, s = arrays(dtype, (6, 4), (4,), (8, 6), ())
    return lambda p, xs: {"y": xs[0] @ p["w"] + p["b"], "s": (xs[1], None, [p["b"]])}, ({"w": w, "b": b}, (x, s))


@case("nested jit and closure", P("data", "model"))
def _(dtype):
    inner = jax.jit(lambda x, y: x @ y)
    table = jnp.asarray(normal(7, 6, 6), dtype)
    return lambda x: inner(jax.jit(jnp.sin)(x), table) + inner(x, table.T), arrays(dtype, (8, 6))


@case("inputs passed on and constants", P("data", "model"), P(None))
def _(dtype):
    return lambda x, y: (x, y, jnp.ones(3, dtype), x, jnp.arange(8)), arrays(dtype, (8, 6), (4,))


# Manual regions.


@case("shard_map with psum", P("data", "model"), P("model"))
def _(dtype):
    def local(x, w):
        return lax.psum(x @ w, "model")

    return shard_map(local, mesh=mesh(), in_specs=(P("data", "model"), P("model")), out_specs=P("data")), arrays(
        dtype, (8, 6), (6, 4)
    )


@case("shard_map, a ring and a gradient", P("data"))
def _(dtype):
    def ring(x):
        step = lambda i, s: (
            lax.ppermute(s[0], "data", [(j, (j + 1) % 4) for j in range(4)]),
            s[1] + jnp.sin(s[0]) * (i + 1),
        )
        return lax.fori_loop(0, 4, step, (x, x * 0))[1]

    mapped = shard_map(ring, mesh=mesh(), in_specs=P("data"), out_specs=P("data"))
    return lambda x: (mapped(x), jax.grad(lambda x: (mapped(x) ** 2).sum())(x)), arrays(dtype, (8, 6))


@case("shard_map, other collectives", P("data"))
def _(dtype):
    def local(x):
        whole = lax.all_gather(x, "data", tiled=True)
        turned = lax.all_to_all(x, "data", 1, 0, tiled=True)
        return (
            lax.psum_scatter(whole, "data", tiled=True) + lax.axis_index("data"),
            turned,
            lax.pmax(x, "data"),
            lax.pmean(x, "data"),
        )

    return shard_map(
        local, mesh=mesh(), in_specs=P("data"), out_specs=(P("data"), P(None, "data"), P(), P()), check_vma=False
    ), arrays(dtype, (8, 8))


@case("shard_map over one axis of two", P("data", "model"))
def _(dtype):
    mapped = shard_map(
        lambda x: lax.psum(x, "data"), mesh=mesh(), in_specs=P("data"), out_specs=P(), axis_names={"data"}
    )
    return lambda x: mapped(jnp.sin(x)) @ x.T, arrays(dtype, (8, 6))


# Linear algebra, where JAX calls LAPACK.


@case("cholesky and solve", P("data", "model"))
def _(dtype):
    def solve(x):
        a = x @ x.T + 9 * jnp.eye(8, dtype=dtype)
        return jnp.linalg.cholesky(a), jnp.linalg.solve(a, x), jax.scipy.linalg.solve_triangular(a, x, lower=True)

    return solve, arrays(dtype, (8, 6))


@case("batched cholesky", P("data"))
def _(dtype):
    return lambda x: jnp.linalg.cholesky(x @ x.swapaxes(1, 2) + 4 * jnp.eye(4, dtype=dtype)), arrays(dtype, (8, 4, 4))


# Models.


def cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1).mean()


@case(
    "attention block gradient",
    P("data"),
    {"q": P(None, "model"), "k": P(None, "model"), "v": P(None, "model"), "o": P("model")},
)
def _(dtype):
    def block(x, p):
        q, k, v = (jnp.einsum("btm,mhd->bthd", x, p[n]) for n in "qkv")
        scores = jnp.einsum("bthd,bshd->bhts", q, k) / 2
        scores = jnp.where(jnp.tril(jnp.ones((5, 5), bool)), scores, -1e9)
        return x + jnp.einsum("bhts,bshd,hdm->btm", jax.nn.softmax(scores), v, p["o"])

    x, q, k, v, o = arrays(dtype, (4, 5, 8), (8, 2, 4), (8, 2, 4), (8, 2, 4), (2, 4, 8))
    return jax.value_and_grad(lambda x, p: (block(x, p) ** 2).mean(), argnums=1), (x, {"q": q, "k": k, "v": v, "o": o})


@case("mixture of experts gradient", P("data"), P(), P("data"), P("data"))
def _(dtype):
    def layer(x, gate, up, down):
        probs = jax.nn.softmax(x @ gate)
        expert = jnp.argmax(probs, -1)
        onehot = jax.nn.one_hot(expert, 4, dtype=dtype)
        place = (jnp.cumsum(onehot, 1) - 1) * onehot
        dispatch = onehot[..., None] * jax.nn.one_hot(place.sum(-1), 6, dtype=dtype)[:, :, None]
        sent = constrain(jnp.einsum("gsec,gsm->egcm", dispatch, x), "data")
        out = jnp.einsum("egcm,emh,ehk->egck", sent, up, down)
        return jnp.einsum("gsec,egcm,gs->gsm", dispatch, out, probs.max(-1))

    return jax.grad(lambda *a: (layer(*a) ** 2).sum(), argnums=(1, 2)), arrays(
        dtype, (4, 8, 6), (6, 4), (4, 6, 8), (4, 8, 6)
    )


@case("optax adam step", {"up": P(None, "model"), "down": P("model")}, None, P("data"), donate_argnums=(0, 1))
def _(dtype):
    import optax

    up, down, x = arrays(dtype, (8, 32), (32, 8), (16, 8))
    params = {"up": up, "down": down}
    chain = optax.chain(optax.clip_by_global_norm(0.5), optax.adamw(1e-2))

    def step(params, state, x):
        loss, grads = jax.value_and_grad(lambda p: (mlp(x, p["up"], p["down"]) ** 2).mean())(params)
        updates, state = chain.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss

    return step, (params, chain.init(params), x)


@case("optax schedules, adafactor and accumulation", {"up": P(None, "model"), "down": P("model")}, None, P("data"))
def _(dtype):
    import optax

    up, down, x = arrays(dtype, (8, 32), (32, 8), (16, 8))
    params = {"up": up, "down": down}
    chain = optax.MultiSteps(optax.adafactor(optax.cosine_decay_schedule(1e-2, 100), min_dim_size_to_factor=8), 2)

    def step(params, state, x):
        grads = jax.grad(lambda p: (mlp(x, p["up"], p["down"]) ** 2).mean())(params)
        updates, state = chain.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    return step, (params, chain.init(params), x)


@case("flax linen mlp with layer norm", None, P("data"))
def _(dtype):
    from flax import linen as nn

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.relu(nn.LayerNorm(param_dtype=dtype, dtype=dtype)(nn.Dense(16, param_dtype=dtype, dtype=dtype)(x)))
            return nn.Dense(4, param_dtype=dtype, dtype=dtype)(x)

    (x,) = arrays(dtype, (8, 6))
    net = Net()
    return jax.grad(lambda p, x: (net.apply(p, x) ** 2).sum()), (net.init(jax.random.key(0), x), x)


@case("flax linen convolution and batch norm", None, P("data"))
def _(dtype):
    from flax import linen as nn

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.Conv(8, (3, 3), param_dtype=dtype, dtype=dtype)(x)
            x = nn.BatchNorm(use_running_average=False, param_dtype=dtype, dtype=dtype)(x)
            return nn.Dense(4, param_dtype=dtype, dtype=dtype)(
                nn.avg_pool(nn.relu(x), (2, 2), (2, 2)).reshape(x.shape[0], -1)
            )

    (x,) = arrays(dtype, (8, 8, 8, 3))
    net = Net()

    def loss(variables, x):
        def of(params):
            y, new = net.apply({**variables, "params": params}, x, mutable=["batch_stats"])
            return (y**2).mean(), new

        return jax.value_and_grad(of, has_aux=True)(variables["params"])

    return loss, (net.init(jax.random.key(0), x), x)


@case("flax linen attention with dropout", None, P("data"), P())
def _(dtype):
    from flax import linen as nn

    net = nn.MultiHeadDotProductAttention(
        num_heads=2, dropout_rate=0.2, param_dtype=dtype, dtype=dtype, deterministic=False
    )
    (x,) = arrays(dtype, (4, 6, 8))
    variables = net.init({"params": jax.random.key(0), "dropout": jax.random.key(1)}, x)
    return jax.grad(lambda v, x, key: (net.apply(v, x, rngs={"dropout": jax.random.wrap_key_data(key)}) ** 2).sum()), (
        variables,
        x,
        jax.random.PRNGKey(5),
    )


@case("flax linen lstm", None, P("data"))
def _(dtype):
    from flax import linen as nn

    net = nn.RNN(nn.OptimizedLSTMCell(8, param_dtype=dtype, dtype=dtype))
    (x,) = arrays(dtype, (8, 5, 6))
    return jax.value_and_grad(lambda p, x: (net.apply(p, x) ** 2).sum()), (net.init(jax.random.key(0), x), x)


@case("flax linen scanned and annotated", None, P("data"))
def _(dtype):
    from flax import linen as nn

    class Layer(nn.Module):
        @nn.compact
        def __call__(self, x, _):
            init = nn.with_partitioning(nn.initializers.lecun_normal(), (None, "model"))
            return x + jnp.tanh(nn.Dense(8, kernel_init=init, param_dtype=dtype, dtype=dtype)(x)), None

    stack = nn.scan(
        nn.remat(Layer),
        variable_axes={"params": 0},
        split_rngs={"params": True},
        length=3,
        metadata_params={nn.PARTITION_NAME: None},
    )()
    (x,) = arrays(dtype, (8, 8))
    variables = nn.unbox(stack.init(jax.random.key(0), x, None))
    return jax.grad(lambda p, x: (stack.apply(p, x, None)[0] ** 2).sum()), (variables, x)


@case("flax nnx with an optimizer", None, None, P("data"))
def _(dtype):
    import optax
    from flax import nnx

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.up = nnx.Linear(6, 16, rngs=rngs, param_dtype=dtype, dtype=dtype)
            self.norm = nnx.RMSNorm(16, rngs=rngs, param_dtype=dtype, dtype=dtype)
            self.down = nnx.Linear(16, 4, rngs=rngs, param_dtype=dtype, dtype=dtype)

        def __call__(self, x):
            return self.down(nnx.gelu(self.norm(self.up(x))))

    graph, params = nnx.split(Net(nnx.Rngs(0)))
    chain = optax.adam(1e-3)

    def step(params, state, x):
        loss, grads = jax.value_and_grad(lambda p: (nnx.merge(graph, p)(x) ** 2).mean())(params)
        updates, state = chain.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss

    return step, (params, chain.init(params), *arrays(dtype, (8, 6)))


@case("equinox mlp step", None, P("data"))
def _(dtype):
    import equinox as eqx

    net = eqx.nn.MLP(6, 4, 16, 2, key=jax.random.key(0), dtype=dtype)
    params, static = eqx.partition(net, eqx.is_array)
    return jax.value_and_grad(lambda p, x: (jax.vmap(eqx.combine(p, static))(x) ** 2).mean()), (
        params,
        *arrays(dtype, (8, 6)),
    )


@case("equinox attention and norm", None, P("data"))
def _(dtype):
    import equinox as eqx

    class Block(eqx.Module):
        norm: eqx.nn.LayerNorm
        attention: eqx.nn.MultiheadAttention

        def __call__(self, x):
            y = jax.vmap(self.norm)(x)
            return x + self.attention(y, y, y)

    block = Block(eqx.nn.LayerNorm(8, dtype=dtype), eqx.nn.MultiheadAttention(2, 8, key=jax.random.key(1), dtype=dtype))
    params, static = eqx.partition(block, eqx.is_array)
    return jax.grad(lambda p, x: (jax.vmap(eqx.combine(p, static))(x) ** 2).sum()), (params, *arrays(dtype, (4, 6, 8)))


@case("language model step", None, P("data"))
def _(dtype):
    import optax

    names = {"embed": (32, 8), "up": (2, 8, 16), "down": (2, 16, 8)}
    params = {n: jnp.asarray(normal(i, *s) * 0.2, dtype) for i, (n, s) in enumerate(names.items())}
    chain = optax.sgd(0.1, momentum=0.9)

    def loss(p, tokens):
        x = p["embed"][tokens[:, :-1]]
        x, _ = lax.scan(
            lambda x, w: (x + jax.nn.silu(x @ constrain(w[0], None, "model")) @ w[1], None), x, (p["up"], p["down"])
        )
        return cross_entropy(x @ p["embed"].T, tokens[:, 1:])

    def step(state, tokens):
        value, grads = jax.value_and_grad(loss)(state[0], tokens)
        updates, rest = chain.update(grads, state[1])
        return (optax.apply_updates(state[0], updates), rest), value

    return step, ((params, chain.init(params)), jnp.asarray(np.random.default_rng(2).integers(0, 32, (8, 7))))
