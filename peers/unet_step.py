"""The training step of `unet-tiny` in plain JAX.

    unet_step.py FOLDER --devices N          writes FOLDER/stablehlo.mlir; each line read makes so many steps
    step.sh unet_step.py                     by turns with the same program here

The same sizes, layers, losses and optimizer; the same annotation: the image over batch and first spatial dim. With 8
devices the mesh is 2x4, of 2 by 4 as the preset's is of 2 by 2.
"""

import os
import sys

FOLDER, DEVICES = sys.argv[1], int(sys.argv[3])
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES} " + os.environ.get("XLA_FLAGS", "")
import avx2_only
import stepped

avx2_only.if_asked()

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

SIZE, BATCH, CLASSES, LEVELS = 24, 4, 3, [8, 16, 32]
NUMBERS = ("NDHWC", "DHWIO", "NDHWC")


def conv(x, kernel, stride=1, grow=1):
    if grow > 1:
        pads = [(1, 1)] * 3
        return jax.lax.conv_general_dilated(x, kernel, (1, 1, 1), pads, (grow,) * 3, dimension_numbers=NUMBERS)
    return jax.lax.conv_general_dilated(x, kernel, (stride,) * 3, "SAME", dimension_numbers=NUMBERS)


def normal(x, scale, bias):
    mean = x.mean((1, 2, 3), keepdims=True)
    variance = jnp.square(x - mean).mean((1, 2, 3), keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def parameters():
    found, key = {}, jax.random.PRNGKey(1)

    def kernel(name, window, inputs, outputs, norm=True):
        nonlocal key
        key, own = jax.random.split(key)
        fan_in = window**3 * inputs
        found[name] = jax.random.normal(own, (window,) * 3 + (inputs, outputs)) * (2 / fan_in) ** 0.5
        found[name + ".bias"] = jnp.zeros(outputs)
        if norm:
            found[name + ".scale"] = jnp.ones(outputs)

    features = 1
    for level, width in enumerate(LEVELS):
        kernel(f"down{level}.0", 3, features, width)
        kernel(f"down{level}.1", 3, width, width)
        features = width
    for level in reversed(range(len(LEVELS) - 1)):
        width = LEVELS[level]
        kernel(f"grow{level}", 2, features, width, norm=False)
        kernel(f"up{level}.0", 3, 2 * width, width)
        kernel(f"up{level}.1", 3, width, width)
        features = width
    kernel("logits", 1, features, CLASSES, norm=False)
    return found


def logits(p, x):
    def block(x, name, stride=1):
        for at in range(2):
            one = f"{name}.{at}"
            x = conv(x, p[one], stride if at == 0 else 1)
            x = jax.nn.relu(normal(x, p[one + ".scale"], p[one + ".bias"]))
        return x

    skips = []
    for level in range(len(LEVELS)):
        x = block(x, f"down{level}", 1 if level == 0 else 2)
        skips.append(x)
    for level in reversed(range(len(LEVELS) - 1)):
        x = conv(x, p[f"grow{level}"], grow=2) + p[f"grow{level}.bias"]
        x = block(jnp.concatenate([x, skips[level]], -1), f"up{level}")
    return conv(x, p["logits"]) + p["logits.bias"]


def loss(p, image, labels):
    said = logits(p, image)
    asked = jax.nn.one_hot(labels, CLASSES)
    nats = -(jax.nn.log_softmax(said) * asked).sum(-1).mean()
    likely = jax.nn.softmax(said)
    both, all_ = (likely * asked).sum((1, 2, 3)), (likely + asked).sum((1, 2, 3))
    overlap = (2 * both + 1) / (all_ + 1)
    return nats + (1 - overlap[:, 1:]).mean()


def step(state, image, labels):
    p, mean, square, count = state
    value, gradient = jax.value_and_grad(loss)(p, image, labels)
    count += 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, gradient)
    def moved(w, m, s):
        return w - 3e-3 * (m / (1 - 0.9**count)) / (jnp.sqrt(s / (1 - 0.999**count)) + 1e-8)
    return (jax.tree.map(moved, p, mean, square), mean, square, count), value


def main():
    shape = {1: (1, 1), 4: (2, 2), 8: (2, 4)}[DEVICES]
    mesh = Mesh(np.array(jax.devices()).reshape(shape), ("data", "spatial"))
    split = NamedSharding(mesh, PartitionSpec("data", "spatial"))
    whole = NamedSharding(mesh, PartitionSpec())
    p = parameters()
    zeros = jax.tree.map(jnp.zeros_like, p)
    state = jax.device_put((p, zeros, jax.tree.map(jnp.zeros_like, p), jnp.zeros(())), whole)
    image = jax.device_put(jax.random.normal(jax.random.PRNGKey(2), (BATCH, SIZE, SIZE, SIZE, 1)), split)
    labels = jax.device_put(jax.random.randint(jax.random.PRNGKey(3), (BATCH, SIZE, SIZE, SIZE), 0, CLASSES), split)
    lowered = jax.jit(step, donate_argnums=0).lower(state, image, labels)

    def one(compiled):
        nonlocal state
        state, value = compiled(state, image, labels)
        return value

    stepped.write_and_serve(lowered, FOLDER, one)


main()
