#!/usr/bin/env python3
"""Gradients that JAX computes, as fixtures for tests of crate `grad`: `tests/golden_grad/NAME/`.

Each case is a function of some arrays to a scalar loss. Stored are the forward module alone (`module.mlir`, StableHLO
without locations), the inputs, and as outputs the loss and its gradient with respect to every float input. Arrays are
small, drawn by a fixed seed, and away from kinks and ties. Cases are in f64 but for those named `*_f32`.

    pip install -r requirements.txt          (jax 0.10.2)
    python jax_gradients.py                  all cases, or --only NAME ...
    python jax_gradients.py --yardstick PATH/TO/jax_moe_step.py     the modules whose flops are compared
"""
import argparse
import io
import os
import pathlib
import subprocess
import sys
import zipfile

os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['XLA_FLAGS'] = '--xla_cpu_enable_fast_math=false'

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

jax.config.update('jax_enable_x64', True)

OUT = pathlib.Path(__file__).resolve().parent.parent / 'tests' / 'golden_grad'
CASES = {}


def case(*shapes, f32=False):
    """Register a function with its inputs: a shape is floats, `('i', shape, below)` integers."""
    def register(function):
        CASES[function.__name__] = (function, shapes, f32)
        return function
    return register


def inputs_of(name):
    function, shapes, f32 = CASES[name]
    rng = np.random.default_rng(sum(map(ord, name)))
    arrays = []
    for shape in shapes:
        if shape and shape[0] == 'i':
            arrays.append(rng.integers(0, shape[2], shape[1]).astype(np.int32))
        elif shape and shape[0] == 'c':
            array = rng.standard_normal(shape[1]) + 1j * rng.standard_normal(shape[1])
            arrays.append(array.astype(np.complex64 if f32 else np.complex128))
        else:
            arrays.append(rng.standard_normal(shape).astype(np.float32 if f32 else np.float64))
    return arrays


def norm(x, scale):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def attention(q, k, v):
    scores = jnp.einsum('bsnd,btnd->bnst', q, k) / np.sqrt(q.shape[-1])
    causal = jnp.tril(jnp.ones((q.shape[1], k.shape[1]), bool))
    return jnp.einsum('bnst,btnd->bsnd', jax.nn.softmax(jnp.where(causal, scores, -1e9), -1), v)


@case((4, 6), (6, 8), (8,), (8, 3))
def mlp(x, w, b, u):
    return (jnp.tanh(x @ w + b) @ u).mean()


@case((4, 6), (6, 8), (8,), (8, 3), f32=True)
def mlp_f32(x, w, b, u):
    return (jnp.tanh(x @ w + b) @ u).mean()


@case((5, 7), ('i', (5,), 7))
def cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], -1).mean()


@case((5, 7), ('i', (5,), 7), f32=True)
def cross_entropy_f32(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], -1).mean()


@case((3, 8), (8,), (8,))
def layer_norm(x, scale, offset):
    y = (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * scale + offset
    return jnp.sin(y).sum()


@case((2, 5, 2, 4), (2, 5, 2, 4), (2, 5, 2, 4))
def causal_attention(q, k, v):
    return jnp.sin(attention(q, k, v)).sum()


@case((2, 5, 2, 4), (2, 5, 2, 4), (2, 5, 2, 4), f32=True)
def causal_attention_f32(q, k, v):
    return jnp.sin(attention(q, k, v)).sum()


@case((3, 6), (6, 9), (6, 9), (9, 4))
def swiglu(x, w, u, v):
    return (((jax.nn.silu(x @ w) * (x @ u)) @ v) ** 2).mean()


@case((4, 9))
def activations(x):
    return sum(f(x).sum() for f in (jax.nn.gelu, jax.nn.softplus, jax.nn.elu, jax.nn.selu, jax.nn.sigmoid, jax.nn.mish,
                                    jax.nn.hard_tanh, jax.nn.leaky_relu, jax.nn.relu, jax.nn.log_sigmoid))


@case((2, 9, 8, 3), (3, 3, 3, 4), (2, 2, 4, 5), (5,))
def conv_net(x, w, u, b):
    numbers = ('NHWC', 'HWIO', 'NHWC')
    x = jax.nn.relu(lax.conv_general_dilated(x, w, (1, 1), 'SAME', dimension_numbers=numbers))
    x = lax.reduce_window(x, -np.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')
    x = lax.conv_general_dilated(x, u, (2, 1), [(0, 1), (1, 0)], dimension_numbers=numbers)
    return jnp.sin(x.mean((1, 2)) + b).sum()


@case((2, 6, 9), (12, 1, 3), (6, 4, 2))
def depthwise_and_transposed_conv(x, w, u):
    x = lax.conv_general_dilated(x, w, (1,), [(2, 2)], rhs_dilation=(2,), feature_group_count=6)
    x = jnp.tanh(x[:, ::2])
    return (lax.conv_transpose(x, u, (2,), 'SAME', dimension_numbers=('NCH', 'IOH', 'NCH')) ** 2).mean()


@case((7, 2, 3), (2, 4), (7, 16), (16,))
def lstm(xs, h, w, b):
    def cell(state, x):
        h, c = state
        i, f, g, o = jnp.split(jnp.concatenate([x, h], -1) @ w + b, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    (h, c), hs = lax.scan(cell, (h, jnp.zeros_like(h)), xs)
    return (hs ** 2).mean() + c.sum()


@case((6, 4), (4,), (4, 4))
def reverse_scan(xs, h, w):
    def step(h, x):
        h = jnp.tanh(w @ h + x)
        return h, (h * x).sum()
    h, ys = lax.scan(step, h, xs, reverse=True)
    return (ys * jnp.arange(6.0)).sum() + h.sum()


@case((3, 4), (4, 4, 4), (4, 4), (4, 4, 8), (4, 8, 4))
def scanned_layers(x, w, scale, wi, wo):
    @jax.checkpoint
    def layer(x, p):
        w, scale, wi, wo = p
        x = x + norm(x, scale) @ w
        return x + jax.nn.relu(norm(x, scale) @ wi) @ wo, None
    return (lax.scan(layer, x, (w, scale, wi, wo))[0] ** 2).mean()


@case((4,), (4, 4))
def counted_loop(x, w):
    return lax.fori_loop(0, 5, lambda i, x: jnp.sin(w @ x) + i * 0.1, x).sum()


@case((5,), ('i', (), 3))
def conditionals(x, n):
    y = lax.cond(x.sum() > 0, lambda x: jnp.sin(x), lambda x: jnp.exp(x) * x, x)
    return lax.switch(n, [lambda x: x.sum(), lambda x: (x ** 3).sum(), lambda x: jnp.cos(x).prod()], y)


@case((6,), (5, 5))
def cond_in_scan(xs, w):
    def step(c, x):
        c = lax.cond(x > 0, lambda c: jnp.tanh(w @ c) + x, lambda c: c * x, c)
        return c, c[0]
    c, ys = lax.scan(step, jnp.ones(5), xs)
    return (c * c).sum() + ys.sum()


@case((9, 4), ('i', (3, 5), 9))
def embedding(table, tokens):
    return (jnp.sin(table[tokens]) ** 2).sum()


@case((6, 5), ('i', (8,), 6), (8, 5))
def scatters(x, i, u):
    unique = jnp.array([3, 0, 5])
    return (x.at[i].add(u) ** 3).sum() + jnp.sin(x.at[unique].set(u[:3], unique_indices=True)).sum() \
        + jnp.cos(x.at[i, 2].max(u[:, 0])).sum() + (x.at[unique].multiply(u[:3], unique_indices=True)).sum()


@case((8, 4), ('i', (8,), 3))
def segments(x, ids):
    return (jax.ops.segment_sum(x, ids, 3) ** 2).sum() + jax.ops.segment_max(x, ids, 3)[0].sum()


@case((6, 4), (4, 8), (8, 4, 3))
def top2_mixture(x, router, experts):
    gates = jax.nn.softmax(x @ router, -1)
    weights, chosen = lax.top_k(gates, 2)
    weights = weights / weights.sum(-1, keepdims=True)
    y = jnp.einsum('sm,skmn->skn', x, experts[chosen])
    return (jnp.einsum('sk,skn->sn', weights, jnp.tanh(y)) ** 2).mean()


@case((4, 7), (7,))
def sorts(x, w):
    return (jnp.sort(x, -1) * w).sum() + (x[0][jnp.argsort(x[1])] * w).sum() + jnp.median(x, -1).sum()


@case((4, 6))
def cumulative(x):
    return (jnp.cumsum(x, 0) ** 2).sum() + jnp.sin(jnp.cumprod(x, 1)).sum() + lax.cummax(x, 1).sum() \
        + lax.cumlogsumexp(x, 1).sum()


@case((3, 4, 5))
def reductions(x):
    return special.logsumexp(x, (0, 2)).sum() + x.max(1).sum() + jnp.prod(x, 2).sum() + x.std() + x.min() \
        + jnp.linalg.norm(x)


@case((2, 4, 4), (2, 4))
def gaussian_likelihood(a, y):
    cov = a @ a.swapaxes(1, 2) + 2 * jnp.eye(4)
    factor = jnp.linalg.cholesky(cov)
    z = lax.linalg.triangular_solve(factor, y[..., None], left_side=True, lower=True)
    return 0.5 * (z ** 2).sum() + jnp.log(jnp.diagonal(factor, axis1=1, axis2=2)).sum()


@case((3, 4, 4), (3, 4, 2))
def triangular_systems(a, b):
    a = a + 4 * jnp.eye(4)
    x = lax.linalg.triangular_solve(a, b, left_side=True, lower=False, transpose_a=True)
    y = lax.linalg.triangular_solve(a, b.swapaxes(1, 2), lower=True, unit_diagonal=True)
    return (x ** 2).sum() + jnp.sin(y).sum()


@case((3, 8), (3, 5))
def spectra(x, w):
    y = jnp.fft.rfft(x) * w
    return (jnp.fft.irfft(y) ** 3).sum() + (jnp.abs(jnp.fft.fft2(x)) ** 1.5).sum()


@case(('c', (4, 4)), ('c', (4,)), (4,))
def complex_numbers(a, b, x):
    y = jnp.exp(1j * x) * (a @ b) + jnp.conj(b)
    return (jnp.abs(y) ** 2).sum() + jnp.real(jnp.sin(y) / (1 + y * y)).sum() + jnp.angle(y).sum()


@case((5, 3))
def special_functions(x):
    p = jnp.exp(0.3 * x)
    return (special.gammaln(p) + special.digamma(p + 1) + special.erf(x) + special.erfc(x) + special.expit(x)
            + special.erfinv(0.5 * jnp.tanh(x)) + special.polygamma(1, p) + special.xlogy(p, p) + special.zeta(2.5, p)).sum()


@case((4, 5), (4, 5))
def binary_functions(x, y):
    p = jnp.exp(x)
    return (jnp.arctan2(x, y) + p ** y + jnp.hypot(x, y) + jnp.logaddexp(x, y) + jnp.maximum(x, y) + jnp.minimum(x, 2 * y)
            + x / (1 + y * y) + jnp.remainder(x, 1.7) + jnp.sinc(x) + jnp.clip(x, -0.5, 0.7)).sum()


@case((3, 7, 5))
def shapes(x):
    y = jnp.concatenate([jnp.flip(x, 1), jnp.roll(x, 2, 1)], 2)[:, ::2, 1:]
    y = jnp.pad(y, ((0, 1), (1, 0), (2, 1)), mode='edge')
    z = jnp.repeat(y, 2, 1).reshape(4, -1)
    return jnp.sin(z * jnp.arange(z.size).reshape(z.shape)).sum() + jnp.tril(x[0, :5]).sum() ** 2


@case((3, 4), (4, 5), (5, 3), (4, 4))
def einsums(a, b, c, d):
    return jnp.einsum('ij,jk,kl,jm->ilm', a, b, c, d).sum() + jnp.einsum('ii->', d) ** 2 \
        + jnp.einsum('ij,ij->i', a, a).prod()


@case((9, 3), (4,), ('i', (4,), 6))
def windows_at_places(x, w, at):
    zero = jnp.int32(0)
    picked = jax.vmap(lambda i: lax.dynamic_slice(x, (i, zero), (2, 3)))(at)
    put = lambda i, x: lax.dynamic_update_slice(x, jnp.full((1, 3), w[i]), (at[i], zero))
    updated = lax.fori_loop(0, 4, put, x)
    return (picked ** 2).sum() + jnp.sin(updated).sum()


@case((5, 4), (4, 4), (4,))
def vmapped_layer(x, w, b):
    def one(x):
        return lax.scan(lambda c, _: (jnp.tanh(w @ c + b), c.sum()), x, None, 3)[1].sum()
    return (jax.vmap(one)(x) ** 2).sum()


@case((3, 4), (4, 4))
def second_derivative(x, w):
    def inner(x):
        return jnp.sin(jnp.tanh(x @ w)).sum()
    return (jax.grad(inner)(x) ** 2).sum()


@case((4, 6, 3), (3,), (3,))
def batch_norm(x, scale, offset):
    mean, var = x.mean((0, 1)), x.var((0, 1))
    return (jnp.tanh((x - mean) / jnp.sqrt(var + 1e-5) * scale + offset) ** 2).sum()


@case((1, 6, 6, 2))
def pools(x):
    average = lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), 'SAME')
    largest = lax.reduce_window(x, -np.inf, lax.max, (1, 3, 2, 1), (1, 1, 2, 1), [(0, 0), (1, 1), (0, 0), (0, 0)])
    return (average ** 2).sum() + jnp.sin(largest).sum()


@case((8, 3))
def associative(x):
    return (lax.associative_scan(lambda a, b: a * b + 0.1 * a, x) ** 2).sum()


def write_npz(path, arrays):
    """Like `np.savez`, but the same arrays always give the same bytes."""
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_STORED) as archive:
        for i, array in enumerate(arrays):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array, order='C'), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f'{i}.npy', date_time=(1980, 1, 1, 0, 0, 0)), buffer.getvalue())


def write(name):
    function, _, _ = CASES[name]
    inputs = inputs_of(name)
    by = tuple(i for i, array in enumerate(inputs) if array.dtype.kind in 'fc')
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    # On CPU these ops become library calls.
    platform = ('tpu',) if name in ('gaussian_likelihood', 'triangular_systems') else ('cpu',)
    module = jax.jit(function).trace(*inputs).lower(lowering_platforms=platform)
    (folder / 'module.mlir').write_text(module.as_text())
    loss, gradients = jax.jit(jax.value_and_grad(function, by))(*inputs)
    assert np.isfinite(loss) and all(np.isfinite(g).all() for g in gradients), name
    write_npz(folder / 'inputs.npz', inputs)
    write_npz(folder / 'outputs.npz', [loss, *gradients])


def write_yardstick(script):
    """The yardstick's loss, and its loss with gradients, as JAX lowers them."""
    folder = OUT / 'yardstick'
    folder.mkdir(parents=True, exist_ok=True)
    source = pathlib.Path(script).read_text().split("\nspecs = parameters()")[0]
    sizes = ['--inner', '1', '--devices', '1', '--layers', '2', '--m', '32', '--h', '64', '--heads', '2', '--experts', '4',
             '--batch', '4', '--seq', '16', '--vocab', '64']
    tail = '''
jax.config.update('jax_use_shardy_partitioner', True)
specs = parameters()
like = {k: jax.ShapeDtypeStruct(s, jnp.float32) for k, (s, _) in specs.items()}
tokens = jax.ShapeDtypeStruct((B, S), jnp.int32)
open(OUT + '/gradient.mlir', 'w').write(jax.jit(jax.value_and_grad(loss_fn)).lower(like, tokens).as_text())
# Where a gradient stops is lost on the way to StableHLO: an op that changes nothing says it to the reader.
jax.clear_caches()
from jax._src import lax as inner
inner.stop_gradient = jax.lax.stop_gradient = lambda x: jax.lax.reduce_precision(x, 8, 23)
open(OUT + '/forward.mlir', 'w').write(jax.jit(lambda p, t: loss_fn(p, t)).lower(like, tokens).as_text())
'''
    program = source + f'\nOUT = {str(folder)!r}\n' + tail
    subprocess.run([sys.executable, '-c', program, *sizes], check=True)


if __name__ == '__main__':
    arguments = argparse.ArgumentParser()
    arguments.add_argument('--only', nargs='*', default=None)
    arguments.add_argument('--yardstick')
    arguments = arguments.parse_args()
    if arguments.yardstick:
        write_yardstick(arguments.yardstick)
    else:
        for name in arguments.only or CASES:
            print(name)
            write(name)
