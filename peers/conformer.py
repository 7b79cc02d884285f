#!/usr/bin/env python3
"""The tiny Conformer of `conformer-tiny` in plain JAX: its training step as StableHLO, and how long it takes in JAX.

    conformer.py FOLDER --devices N          writes FOLDER/stablehlo.mlir (the batch over N devices); each line read makes so many steps
    step.sh conformer.py                     by turns with the same program here

Blocks, subsampling, CTC loss and Adam are those of `crates/nn/src/models/conformer.rs`; the CTC recursion is one loop over
times in both.
"""
import os
import sys

folder, devices = sys.argv[1], int(sys.argv[3])
os.environ['XLA_FLAGS'] = f'--xla_force_host_platform_device_count={devices} ' + os.environ.get('XLA_FLAGS', '')
import avx2_only  # noqa: E402
import stepped  # noqa: E402
avx2_only.if_asked()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

FRAMES, FEATURES, CHANNELS, MODEL, HIDDEN, HEADS, KV, WINDOW, BLOCKS, LABELS, MOST, BATCH = (
    96, 16, 8, 64, 128, 4, 16, 9, 4, 10, 6, 32)
TIMES, NEVER = FRAMES // 4, -1e30
rng = np.random.default_rng(1)


def draw(*dims, fan_in=None):
    return jnp.asarray(rng.normal(0, (fan_in or dims[0]) ** -0.5, dims), jnp.float32)


def norm(x, p):
    x = x - x.mean(-1, keepdims=True)
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * p['scale'] + p['bias']


def block_params():
    n = lambda: dict(scale=jnp.ones(MODEL), bias=jnp.zeros(MODEL))
    ffn = lambda: dict(norm=n(), wi=draw(MODEL, HIDDEN), wo=draw(HIDDEN, MODEL))
    attention = {k: draw(MODEL, HEADS, KV) for k in ('q', 'k', 'v')} | dict(o=draw(HEADS, KV, MODEL, fan_in=MODEL), norm=n())
    conv = dict(norm=n(), wi=draw(MODEL, MODEL), gate=draw(MODEL, MODEL), kernel=draw(WINDOW, 1, MODEL), inner=n(), wo=draw(MODEL, MODEL))
    return dict(first=ffn(), attention=attention, conv=conv, second=ffn(), norm=n())


def params():
    seen = CHANNELS * FEATURES // 4
    convs = [(draw(3, 3, 1, CHANNELS, fan_in=9), jnp.zeros(CHANNELS)), (draw(3, 3, CHANNELS, CHANNELS, fan_in=9 * CHANNELS), jnp.zeros(CHANNELS))]
    return dict(
        convs=convs, out=draw(seen, MODEL), position=draw(32, HEADS), blocks=[block_params() for _ in range(BLOCKS)],
        norm=dict(scale=jnp.ones(MODEL), bias=jnp.zeros(MODEL)), softmax=draw(MODEL, LABELS + 1))


def buckets():
    """T5's, 16 on each side up to a distance of 128."""
    far = np.arange(TIMES)[None] - np.arange(TIMES)[:, None]
    side, far = np.where(far > 0, 16, 0), np.abs(far)
    coarse = 8 + (np.log(np.maximum(far, 1) / 8) / np.log(16) * 8).astype(int)
    return side + np.where(far < 8, far, np.minimum(coarse, 15))


def conv(x, kernel, strides, groups=1):
    dims = ('NHWC', 'HWIO', 'NHWC') if x.ndim == 4 else ('NHC', 'HIO', 'NHC')
    return jax.lax.conv_general_dilated(x, kernel, strides, 'SAME', dimension_numbers=dims, feature_group_count=groups)


def real(x, lengths):
    return (jnp.arange(x.shape[1])[None] < lengths[:, None]).reshape(x.shape[:2] + (1,) * (x.ndim - 2))


def ffn(x, p):
    return jax.nn.silu(norm(x, p['norm']) @ p['wi']) @ p['wo']


def block(x, p, bias, there):
    x = x + 0.5 * ffn(x, p['first'])
    a, inner = p['attention'], norm(x, p['attention']['norm'])
    q, k, v = (jnp.einsum('bqm,mhd->bqhd', inner, a[name]) for name in 'qkv')
    scores = jnp.einsum('bqhd,bkhd->bhqk', q, k) / KV ** 0.5 + bias
    shares = jax.nn.softmax(jnp.where(there[:, None, None, :, 0], scores, -1e9), -1)
    x = x + jnp.einsum('bqhd,hdm->bqm', jnp.einsum('bhqk,bkhd->bqhd', shares, v), a['o'])
    c, inner = p['conv'], norm(x, p['conv']['norm'])
    gated = (inner @ c['wi']) * jax.nn.sigmoid(inner @ c['gate'])
    seen = conv(jnp.where(there, gated, 0), c['kernel'], (1,), MODEL)
    x = x + jax.nn.silu(norm(seen, c['inner'])) @ c['wo']
    x = x + 0.5 * ffn(x, p['second'])
    return norm(x, p['norm'])


def ctc(logits, labels, counts, times):
    states = 2 * MOST + 1
    spelt = jnp.pad(jnp.stack([jnp.zeros_like(labels), labels], -1).reshape(-1, 2 * MOST), ((0, 0), (0, 1)))
    said = jnp.einsum('btc,bsc->tbs', jax.nn.log_softmax(logits), jax.nn.one_hot(spelt, LABELS + 1))
    at = jnp.arange(states)[None]
    skip = (spelt != 0) & (spelt != jnp.roll(spelt, 2, 1)) & (at >= 2)

    def turn(alpha, given):
        said, time = given
        one = jnp.where(at >= 1, jnp.roll(alpha, 1, 1), NEVER)
        two = jnp.where(skip, jnp.roll(alpha, 2, 1), NEVER)
        new = jax.nn.logsumexp(jnp.stack([alpha, one, two], -1), -1) + said
        return jnp.where(times[:, None] > time, new, alpha), None

    alpha, _ = jax.lax.scan(turn, jnp.where(at < 2, said[0], NEVER), (said[1:], jnp.arange(1, TIMES)))
    end = lambda back: jnp.where(at == 2 * counts[:, None] - back, alpha, NEVER).max(1)
    return -jnp.logaddexp(end(0), end(1))


def loss_of(p, frames, lengths, labels, counts):
    x = frames[..., None]
    for kernel, bias in p['convs']:
        x, lengths = jax.nn.relu(conv(jnp.where(real(x, lengths), x, 0), kernel, (2, 2)) + bias), (lengths + 1) // 2
    x = x.reshape(BATCH, TIMES, -1) @ p['out']
    there = real(x, lengths)
    x = jnp.where(there, x, 0)
    bias = p['position'][buckets()].transpose(2, 0, 1)[None]
    for one in p['blocks']:
        x = block(x, one, bias, there)
    return ctc(norm(x, p['norm']) @ p['softmax'], labels, counts, lengths).sum() / counts.sum()


def step(p, m, v, t, *batch):
    loss, g = jax.value_and_grad(loss_of)(p, *batch)
    t = t + 1
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
    first, second = 1 - 0.9 ** t, 1 - 0.999 ** t
    p = jax.tree.map(lambda p, m, v: p - 1e-3 * (m / first) / (jnp.sqrt(v / second) + 1e-8), p, m, v)
    return p, m, v, t, loss


mesh = Mesh(np.array(jax.devices()[:devices]), ('data',))
split, whole = NamedSharding(mesh, PartitionSpec('data')), NamedSharding(mesh, PartitionSpec())
p = params()
state = (p, jax.tree.map(jnp.zeros_like, p), jax.tree.map(jnp.zeros_like, p), jnp.float32(0))
counts = rng.integers(1, MOST + 1, BATCH).astype(np.int32)
batch = (
    rng.normal(size=(BATCH, FRAMES, FEATURES)).astype(np.float32), (16 * counts).astype(np.int32),
    rng.integers(1, LABELS + 1, (BATCH, MOST)).astype(np.int32), counts)
state, batch = jax.device_put(state, whole), jax.device_put(batch, split)
shardings = jax.tree.map(lambda _: whole, state), tuple(split for _ in batch)
jitted = jax.jit(step, in_shardings=(*shardings[0], *shardings[1]), out_shardings=(*shardings[0], whole), donate_argnums=(0, 1, 2, 3))
lowered = jitted.lower(*state, *batch)


def one(compiled):
    global state
    *state, loss = compiled(*state, *batch)
    return loss


stepped.write_and_serve(lowered, folder, one)
