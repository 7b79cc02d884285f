"""A training step of two feed-forward layers on 4 x 2 devices, with one sharding that is not as it should be."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def feed_forward(p, x):
    h = jax.nn.relu(x @ p["up"])
    return h @ p["down"]


def loss(params, x, y):
    for p in params:
        x = x + feed_forward(p, x)
    return jnp.mean((x - y) ** 2)


def step(params, x, y):
    grads = jax.grad(loss)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)


def placed(*spec):
    return NamedSharding(mesh, P(*spec))


def like(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


params = [{"up": like(512, 2048), "down": like(2048, 512)}] * 2
specs = [{"up": placed(None, "model"), "down": placed(None, "model")}] * 2
batch = placed("data", None, None)
sharded = jax.jit(step, in_shardings=(specs, batch, batch), out_shardings=specs)
lowered = sharded.lower(params, like(64, 128, 512), like(64, 128, 512))
open("before.mlir", "w").write(lowered.as_text(debug_info=True))
