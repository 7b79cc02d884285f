"""Exports the module that `examples/jax_module.rs` calls: jax_module.mlir, beside this script.

    python -m venv v && v/bin/pip install 'jax[cpu]==0.10.2' && v/bin/python examples/data/jax_module.py
"""

import math
import pathlib
import re

import jax
import jax.numpy as jnp
from jax import export


def attention(weights, x):
    """One head of causal self-attention with its residual: weights (a dict) and x[batch, length, model]."""
    q, k, v = (x @ weights[name] for name in ("query", "key", "value"))
    scores = q @ k.swapaxes(-1, -2) / jnp.sqrt(q.shape[-1])
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    shares = jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1)
    return x + shares @ v @ weights["out"]


BATCH, LENGTH, MODEL, HEAD = 16, 8, 12, 4
shapes = {"query": (MODEL, HEAD), "key": (MODEL, HEAD), "value": (MODEL, HEAD), "out": (HEAD, MODEL)}
weights = {name: jax.ShapeDtypeStruct(shape, jnp.float32) for name, shape in shapes.items()}
x = jax.ShapeDtypeStruct((BATCH, LENGTH, MODEL), jnp.float32)
text = export.export(jax.jit(attention))(weights, x).mlir_module()
lines = [line for line in text.splitlines() if not line.startswith("#loc")]
text = re.sub(r' loc\((?:"[^"]*"|#?\w+)\)', "", "\n".join(lines))  # where each line came from is of no use here
pathlib.Path(__file__).with_name("jax_module.mlir").write_text(text + "\n")


def numbers(shape, scale):
    """The numbers of the example."""
    values = [((i * 31 % 101) / 101 - 0.5) * scale for i in range(math.prod(shape))]
    return jnp.array(values, jnp.float32).reshape(shape)


weights = {name: numbers(shape, 1.0) for name, shape in shapes.items()}
x = numbers(x.shape, 4.0)
print("mean of squares:", jnp.mean(attention(weights, x) ** 2))
slope = jax.grad(lambda weights: jnp.mean(attention(weights, x) ** 2))(weights)
print("its slope along all of `value`:", jnp.sum(slope["value"]))
