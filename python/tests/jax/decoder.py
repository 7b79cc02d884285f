"""A Flax decoder of MaxText's shape: logical axes with rules, a scan over rematerialized layers, Adam, on a mesh of data, fsdp and tensor.

`python decoder.py` trains it twice, by `jax.jit` and by `meshwright.jax.jit`, and says what each sends, holds and takes.
"""

import argparse
import contextlib
import os
import time
from dataclasses import dataclass

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

RULES = (
    ("batch", ("data", "fsdp")),
    ("length", None),
    ("vocab", "tensor"),
    ("embed", "fsdp"),
    ("heads", "tensor"),
    ("kv", None),
    ("mlp", "tensor"),
    ("layers", None),
    ("activation_embed", None),
)


@dataclass(frozen=True)
class Config:
    vocab: int = 256
    width: int = 64
    heads: int = 4
    hidden: int = 256
    layers: int = 4
    length: int = 32
    batch: int = 16


def param(module, name, shape, axes):
    scale = nn.initializers.variance_scaling(1.0, "fan_in", "normal", in_axis=-2, out_axis=-1)
    return module.param(name, nn.with_logical_partitioning(scale, axes), shape)


class Norm(nn.Module):
    @nn.compact
    def __call__(self, x):
        scale = self.param(
            "scale", nn.with_logical_partitioning(nn.initializers.ones, ("activation_embed",)), (x.shape[-1],)
        )
        return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


class Attention(nn.Module):
    config: Config

    @nn.compact
    def __call__(self, x):
        c, d = self.config, self.config.width // self.config.heads
        q, k, v = (
            jnp.einsum("bte,ehd->bthd", x, param(self, name, (c.width, c.heads, d), ("embed", "heads", "kv")))
            for name in ("query", "key", "value")
        )
        q, k = rotary(q), rotary(k)
        q, k, v = (nn.with_logical_constraint(y, ("batch", "length", "heads", "kv")) for y in (q, k, v))
        scores = jnp.einsum("bthd,bshd->bhts", q, k) / np.sqrt(d)
        mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
        weights = jax.nn.softmax(jnp.where(mask, scores, -1e9))
        y = jnp.einsum("bhts,bshd->bthd", weights, v)
        return jnp.einsum("bthd,hde->bte", y, param(self, "out", (c.heads, d, c.width), ("heads", "kv", "embed")))


def rotary(x):
    half = x.shape[-1] // 2
    angle = jnp.arange(x.shape[1])[:, None] / 10000 ** (jnp.arange(half) / half)
    sin, cos = (f(angle)[None, :, None, :].astype(x.dtype) for f in (jnp.sin, jnp.cos))
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


class Layer(nn.Module):
    config: Config

    @nn.compact
    def __call__(self, x, _):
        c = self.config
        x = nn.with_logical_constraint(x, ("batch", "length", "activation_embed"))
        x = x + Attention(c, name="attention")(Norm(name="before_attention")(x))
        y = Norm(name="before_mlp")(x)
        gate = y @ param(self, "gate", (c.width, c.hidden), ("embed", "mlp"))
        up = y @ param(self, "up", (c.width, c.hidden), ("embed", "mlp"))
        hidden = nn.with_logical_constraint(nn.silu(gate) * up, ("batch", "length", "mlp"))
        x = x + hidden @ param(self, "down", (c.hidden, c.width), ("mlp", "embed"))
        return nn.with_logical_constraint(x, ("batch", "length", "activation_embed")), None


class Decoder(nn.Module):
    config: Config

    @nn.compact
    def __call__(self, tokens):
        c = self.config
        embed = param(self, "embed", (c.vocab, c.width), ("vocab", "embed"))
        x = embed[tokens]
        layer = nn.remat(Layer, prevent_cse=False, policy=jax.checkpoint_policies.nothing_saveable)
        scanned = nn.scan(
            layer,
            variable_axes={"params": 0},
            split_rngs={"params": True},
            length=c.layers,
            metadata_params={nn.PARTITION_NAME: "layers"},
        )
        x, _ = scanned(c, name="layers")(x, None)
        logits = Norm(name="final")(x) @ embed.T
        return nn.with_logical_constraint(logits, ("batch", "length", "vocab"))


def mesh():
    return Mesh(
        np.array(jax.devices()[:8]).reshape(2, 2, 2), ("data", "fsdp", "tensor"), axis_types=(AxisType.Auto,) * 3
    )


class Training:
    """A state, its shardings, and the function of one step."""

    def __init__(self, config):
        self.config, self.mesh = config, mesh()
        model, self.optimizer = Decoder(config), optax.adam(1e-3)
        tokens = jnp.zeros((config.batch, config.length), jnp.int32)

        def init(key):
            params = model.init(key, tokens)["params"]
            return {"params": params, "adam": self.optimizer.init(params)}

        boxed = jax.eval_shape(init, jax.random.key(0))
        with self.context():
            self.shardings = nn.logical_to_mesh_sharding(nn.get_partition_spec(boxed), self.mesh, RULES)
        self.batch_sharding = NamedSharding(self.mesh, P(("data", "fsdp")))

        def step(state, tokens):
            def loss(params):
                logits = model.apply({"params": params}, tokens[:, :-1])
                return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

            value, grads = jax.value_and_grad(loss)(state["params"])
            updates, adam = self.optimizer.update(grads, state["adam"], state["params"])
            return {"params": optax.apply_updates(state["params"], updates), "adam": adam}, value

        self.init, self.step = init, step

    @contextlib.contextmanager
    def context(self):
        with jax.set_mesh(self.mesh), nn.logical_axis_rules(RULES):
            yield

    def state(self):
        with self.context():
            return jax.jit(lambda key: nn.unbox(self.init(key)), out_shardings=self.shardings)(jax.random.key(0))

    def batch(self, at):
        rows = np.random.default_rng(at).integers(0, self.config.vocab, (self.config.batch, 1))
        tokens = (rows + np.arange(self.config.length + 1) * 3) % self.config.vocab
        return jax.device_put(jnp.asarray(tokens, jnp.int32), self.batch_sharding)

    def jitted(self, jit, **options):
        return jit(
            self.step,
            in_shardings=(self.shardings, self.batch_sharding),
            out_shardings=(self.shardings, None),
            donate_argnums=0,
            **options,
        )

    def losses(self, jit, steps):
        """The losses of `steps` steps, the seconds until the first, and of each after it."""
        state, losses, times = self.state(), [], []
        with self.context():
            step = self.jitted(jit)
            for at in range(steps):
                begin = time.perf_counter()
                state, loss = jax.block_until_ready(step(state, self.batch(at)))
                times.append(time.perf_counter() - begin)
                losses.append(float(loss))
        return losses, times


def main():
    import meshwright.jax

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20)
    steps = parser.parse_args().steps
    training = Training(Config())
    ours, our_times = training.losses(meshwright.jax.jit, steps)
    theirs, their_times = training.losses(jax.jit, steps)
    for at, (a, b) in enumerate(zip(ours, theirs)):
        print(f"step {at:2}: loss {a:.6f} by Meshwright, {b:.6f} by XLA, {abs(a - b):.1e} apart")
    print(
        f"first step {our_times[0]:.2f} s and {their_times[0]:.2f} s; the fastest {min(our_times[1:]):.4f} s and {min(their_times[1:]):.4f} s"
    )
    with training.context():
        print(meshwright.jax.compare(training.jitted(meshwright.jax.jit), training.state(), training.batch(0)))


if __name__ == "__main__":
    main()
