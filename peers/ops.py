#!/usr/bin/env python3
"""Ops that are no product of floats, convolution or loop over elements, here and in XLA, in alternated pairs.

    ops.py [--threads 2] [--pairs 3] [--write FOLDER] [--group NAME] [ROW ...]

Each row is a small JAX function of realistic size: jitted in JAX on this machine's cores, and its StableHLO run by
`meshwright bench step`. Prints seconds of both (medians over the pairs of each side's best launch), the median of XLA's
seconds by ours with its 90% interval (above 1 we are faster), and our seconds by the floor: bytes of arguments and results at the rate
of a copy by as many threads. ROW is a name or the beginning of one. Needs JAX and numpy; MESHWRIGHT names the binary
(built with --release). --write only writes the modules.
"""
import argparse
import concurrent.futures
import ctypes
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument('--threads', type=int, default=2)
parser.add_argument('--pairs', type=int, default=3)
parser.add_argument('--write', default='')
parser.add_argument('--seconds', type=float, default=0.5, help='about so long a side of a pair launches')
parser.add_argument('rows', nargs='*', metavar='ROW')
arguments = parser.parse_intermixed_args()
binary = os.environ.get('MESHWRIGHT', 'meshwright')
if arguments.threads == 1:
    os.environ['XLA_FLAGS'] = '--xla_cpu_multi_thread_eigen=false'
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import avx2_only  # noqa: E402

avx2_only.if_asked()
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

f32, f64, bf16, s32, s8, u8, pred, c64 = 'float32', 'float64', 'bfloat16', 'int32', 'int8', 'uint8', 'bool', 'complex64'
BLOCK = 64 << 20
ROWS = {}


def row(name, function, *args, below=1 << 30, portable=False):
    """`args`: (type, size, ..). Whole numbers are drawn from `0..below`. `portable`: JAX lowers it for CPUs to calls of LAPACK,
    so ours runs what it lowers for TPUs."""
    ROWS[name] = (function, args, below, portable)


def key():
    return jax.random.key(0)


# Gathers.
row('gather-rows', lambda t, i: t[i], (f32, 32000, 512), (s32, 8192), below=32000)
row('gather-rows-bf16', lambda t, i: t[i], (bf16, 32000, 512), (s32, 8192), below=32000)
row('gather-elements', lambda t, i: t[i], (f32, 1 << 20), (s32, 1 << 20), below=1 << 20)
row('gather-along', lambda t, i: jnp.take_along_axis(t, i, 1), (f32, 2048, 1024), (s32, 2048, 1024), below=1024)
row('gather-pick', lambda t, i: jnp.take_along_axis(t, i[:, None], 1), (f32, 4096, 4096), (s32, 4096), below=4096)
row('searchsorted', lambda t, x: jnp.searchsorted(jnp.cumsum(t), x), (f32, 1 << 16), (f32, 1 << 16))

# Scatters.
row('scatter-add-rows', lambda i, u: jnp.zeros((32000, 512), f32).at[i].add(u), (s32, 8192), (f32, 8192, 512), below=32000)
row('scatter-add-rows-bf16', lambda i, u: jnp.zeros((32000, 512), bf16).at[i].add(u), (s32, 8192), (bf16, 8192, 512), below=32000)
row('scatter-add-elements', lambda i, u: jnp.zeros(65536, f32).at[i].add(u), (s32, 1 << 20), (f32, 1 << 20), below=65536)
row('scatter-count', lambda i: jnp.bincount(i, length=1024), (s32, 1 << 20), below=1024)
row('scatter-set-elements', lambda t, i, u: t.at[i].set(u), (f32, 1 << 20), (s32, 1 << 20), (f32, 1 << 20), below=1 << 20)
row('scatter-max-elements', lambda i, u: jax.ops.segment_max(u, i, 65536), (s32, 1 << 20), (f32, 1 << 20), below=65536)
row('scatter-max-rows', lambda i, u: jax.ops.segment_max(u, i, 4096), (s32, 8192), (f32, 8192, 512), below=4096)
row('scatter-multiply', lambda t, i, u: t.at[i].multiply(u), (f32, 65536), (s32, 1 << 20), (f32, 1 << 20), below=65536)

# Sorts.
row('sort', lambda x: jnp.sort(x), (f32, 1 << 20))
row('sort-rows', lambda x: jnp.sort(x, axis=1), (f32, 1024, 1024))
row('sort-columns', lambda x: jnp.sort(x, axis=0), (f32, 1024, 1024))
row('sort-s32', lambda x: jnp.sort(x), (s32, 1 << 20))
row('sort-bf16', lambda x: jnp.sort(x), (bf16, 1 << 20))
row('sort-descending', lambda x: jnp.sort(x, descending=True), (f32, 1 << 20))
row('argsort', lambda x: jnp.argsort(x), (f32, 1 << 20))
row('argsort-s32-rows', lambda x: jnp.argsort(x, axis=1), (s32, 4096, 256))
row('sort-two-keys', lambda a, b, c: lax.sort((a, b, c), num_keys=2), (s32, 1 << 19), (f32, 1 << 19), (f32, 1 << 19), below=1000)
row('top-k', lambda x: lax.top_k(x, 40), (f32, 64, 32000))
row('top-2', lambda x: lax.top_k(x, 2), (f32, 8192, 64))
row('top-k-bf16', lambda x: lax.top_k(x, 40), (bf16, 64, 32000))
row('median', lambda x: jnp.median(x, axis=1), (f32, 1024, 1024))
row('unique', lambda x: jnp.unique(x, size=1024), (s32, 1 << 18), below=4096)

# Scans along a dim.
row('cumsum', lambda x: jnp.cumsum(x), (f32, 1 << 22))
row('cumsum-rows', lambda x: jnp.cumsum(x, axis=1), (f32, 2048, 2048))
row('cumsum-columns', lambda x: jnp.cumsum(x, axis=0), (f32, 2048, 2048))
row('cumsum-s32', lambda x: jnp.cumsum(x, axis=0), (s32, 8192, 64))
row('cumprod', lambda x: jnp.cumprod(x, axis=1), (f32, 2048, 2048))
row('cummax', lambda x: lax.cummax(x, axis=1), (f32, 2048, 2048))
row('cumlogsumexp', lambda x: lax.cumlogsumexp(x, axis=1), (f32, 1024, 1024))
row('cumsum-window', lambda x: lax.reduce_window(x, np.float32(0), lax.add, (1, 1024), (1, 1), ((0, 0), (1023, 0))), (f32, 1024, 1024))
row('cummax-window', lambda x: lax.reduce_window(x, -np.float32(np.inf), lax.max, (1, 1024), (1, 1), ((0, 0), (1023, 0))), (f32, 256, 1024))
row('linear-recurrence', lambda a, b: lax.associative_scan(lambda x, y: (x[0] * y[0], x[1] * y[0] + y[1]), (a, b)), (f32, 2048, 512), (f32, 2048, 512))

# Reductions.
for name, axes in [('leading', (0,)), ('middle', (1,)), ('trailing', (2,)), ('outer', (0, 2)), ('all', (0, 1, 2))]:
    row(f'sum-{name}', lambda x, axes=axes: jnp.sum(x, axes), (f32, 64, 256, 512))
    row(f'max-{name}', lambda x, axes=axes: jnp.max(x, axes), (f32, 64, 256, 512))
    row(f'sum-{name}-bf16', lambda x, axes=axes: jnp.sum(x, axes), (bf16, 64, 256, 512))
    row(f'max-{name}-bf16', lambda x, axes=axes: jnp.max(x, axes), (bf16, 64, 256, 512))
    row(f'sum-{name}-s32', lambda x, axes=axes: jnp.sum(x, axes, dtype=s32), (s32, 64, 256, 512))
    row(f'any-{name}', lambda x, axes=axes: jnp.any(x, axes), (pred, 64, 256, 512))
row('sum-narrow', lambda x: jnp.sum(x, 1), (f32, 1 << 20, 6))
row('sum-f64', lambda x: jnp.sum(x, 1), (f64, 4096, 1024))
row('sum-s8', lambda x: jnp.sum(x, 1, dtype=s32), (s8, 4096, 4096), below=100)
row('sum-of-pred', lambda x: jnp.sum(x, 1), (pred, 4096, 4096))
row('count-equal', lambda x, y: jnp.sum(x == y), (s32, 4096, 1024), (s32, 4096, 1024), below=3)
row('product-trailing', lambda x: jnp.prod(x, 1), (f32, 4096, 1024))
row('argmax-trailing', lambda x: jnp.argmax(x, 1), (f32, 8192, 1024))
row('argmax-trailing-bf16', lambda x: jnp.argmax(x, 1), (bf16, 8192, 1024))
row('argmax-leading', lambda x: jnp.argmax(x, 0), (f32, 1024, 8192))
row('mean-variance', lambda x: (jnp.mean(x, 1), jnp.var(x, 1)), (f32, 8192, 1024))
row('mean-variance-leading', lambda x: (jnp.mean(x, 0), jnp.var(x, 0)), (f32, 8192, 1024))
row('norm', lambda x: jnp.sqrt(jnp.sum(x * x)), (f32, 1 << 23))
row('logsumexp-leading', lambda x: jax.nn.logsumexp(x, 0), (f32, 1024, 4096))
row('max-pool', lambda x: lax.reduce_window(x, -np.float32(np.inf), lax.max, (1, 3, 3, 1), (1, 2, 2, 1), 'SAME'), (f32, 16, 112, 112, 64))
row('average-pool', lambda x: lax.reduce_window(x, np.float32(0), lax.add, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID') / 4, (f32, 16, 112, 112, 64))
row('max-pool-gradient', jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -np.float32(np.inf), lax.max, (1, 3, 3, 1), (1, 2, 2, 1), 'SAME') ** 2)), (f32, 4, 112, 112, 64))
row('batch-norm', lambda x, g, b: (x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5) * g + b, (f32, 16, 56, 56, 128), (f32, 128), (f32, 128))
row('batch-norm-gradient', jax.grad(lambda x, g, b: jnp.sum(((x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5) * g + b) ** 3), (0, 1, 2)), (f32, 16, 56, 56, 128), (f32, 128), (f32, 128))

# Copies.
row('transpose', lambda x: x.T, (f32, 2048, 4096))
row('transpose-bf16', lambda x: x.T, (bf16, 4096, 4096))
row('transpose-u8', lambda x: x.T, (u8, 4096, 4096), below=200)
row('transpose-f64', lambda x: x.T, (f64, 2048, 2048))
row('transpose-heads', lambda x: x.transpose(0, 2, 1, 3), (f32, 8, 1024, 16, 64))
row('transpose-heads-bf16', lambda x: x.transpose(0, 2, 1, 3), (bf16, 8, 1024, 16, 64))
row('transpose-to-channels-last', lambda x: x.transpose(0, 2, 3, 1), (f32, 16, 64, 112, 112))
row('transpose-to-channels-first', lambda x: x.transpose(0, 3, 1, 2), (f32, 16, 112, 112, 64))
row('transpose-rgb', lambda x: x.transpose(0, 3, 1, 2), (f32, 16, 224, 224, 3))
row('transpose-reversed-bf16', lambda x: x.transpose(3, 2, 1, 0), (bf16, 16, 64, 128, 64))
row('reverse', lambda x: x[:, ::-1], (f32, 4096, 2048))
row('roll', lambda x: jnp.roll(x, 1, 1), (f32, 4096, 2048))
row('stride', lambda x: x[:, ::2], (f32, 4096, 4096))
row('repeat', lambda x: jnp.repeat(x, 4, axis=2), (f32, 8, 256, 4, 64))
row('concatenate-rows', lambda x, y: jnp.concatenate([x, y], 0), (f32, 1024, 2048), (f32, 1024, 2048))
row('concatenate-columns', lambda x, y, z: jnp.concatenate([x, y, z], 1), (f32, 4096, 512), (f32, 4096, 512), (f32, 4096, 512))
row('concatenate-narrow', lambda x, y: jnp.concatenate([x, y], 1), (f32, 1 << 20, 2), (f32, 1 << 20, 2))
row('rotate-half-bf16', lambda x: jnp.concatenate([-x[..., 32:], x[..., :32]], -1), (bf16, 8, 16, 512, 64))
row('pad', lambda x: jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))), (f32, 16, 112, 112, 64))
row('pad-interior', lambda x: lax.pad(x, np.float32(0), ((0, 0, 0), (0, 0, 1), (0, 0, 1), (0, 0, 0))), (f32, 16, 56, 56, 64))
row('one-hot', lambda i: jax.nn.one_hot(i, 1024, dtype=f32), (s32, 8192), below=1024)
row('one-hot-bf16', lambda i: jax.nn.one_hot(i, 1024, dtype=bf16), (s32, 8192), below=1024)
row('triangle', lambda x: jnp.tril(x), (f32, 2048, 2048))

# Loops.
def cache(k, x):
    def step(carry, at):
        k = lax.dynamic_update_slice(carry[0], x[None, None] * at, (0, 0, at, 0))
        return (k, carry[1] + lax.dynamic_slice(k, (0, 0, at, 0), (8, 16, 1, 64)).sum()), None
    return lax.scan(step, (k, jnp.float32(0)), jnp.arange(256, dtype=s32))[0]


def decode(k, v, q):
    def step(carry, at):
        k, v, q = carry
        k = lax.dynamic_update_slice(k, q[:, :, None], (0, 0, at, 0))
        v = lax.dynamic_update_slice(v, q[:, :, None], (0, 0, at, 0))
        w = jax.nn.softmax(jnp.where(jnp.arange(512) <= at, jnp.einsum('bhd,bhsd->bhs', q, k), -1e9))
        return (k, v, jnp.einsum('bhs,bhsd->bhd', w, v)), None
    return lax.scan(step, (k, v, q), jnp.arange(64, dtype=s32))[0]


def recurrent(w, x):
    return lax.scan(lambda h, x: (jnp.tanh(h @ w + x),) * 2, x[0], x)


def lstm(w, u, x):
    def step(state, x):
        i, f, g, o = jnp.split(state[0] @ w + x @ u, 4, axis=-1)
        c = jax.nn.sigmoid(f) * state[1] + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    return lax.scan(step, (jnp.zeros((32, 128), f32),) * 2, x)[1]


def sums(x, n):
    for _ in range(n):
        x = x / (1 + jnp.sum(x))
    return x


def shifts(x, n):
    for _ in range(n):
        x = jnp.roll(x, 1) + 0.5 * x
    return x


def chain(x, n):
    for _ in range(n):
        x = jnp.sin(x) * 1.01 + 0.1
    return x


row('cache-updates', cache, (f32, 8, 16, 512, 64), (f32, 1, 64))
row('decode', decode, (f32, 2, 8, 512, 64), (f32, 2, 8, 512, 64), (f32, 2, 8, 64))
row('update-slice', lambda k, x, i: lax.dynamic_update_slice(k, x, (i[0], 0)), (f32, 4096, 1024), (f32, 16, 1024), (s32, 1), below=4000)
row('rnn', recurrent, (f32, 128, 128), (f32, 512, 32, 128))
row('rnn-small', recurrent, (f32, 32, 32), (f32, 512, 1, 32))
row('rnn-gradient', jax.grad(lambda w, x: jnp.sum(recurrent(w, x)[1] ** 2)), (f32, 128, 128), (f32, 512, 32, 128))
row('lstm', lstm, (f32, 128, 512), (f32, 128, 512), (f32, 256, 32, 128))
row('count-loop', lambda x: lax.fori_loop(0, 10000, lambda i, x: x * 0.999 + i, x), (f32,))
row('while-loop', lambda x: lax.while_loop(lambda x: jnp.all(x < 1e3), lambda x: x + 0.25, x), (f32, 256))
row('newton-loop', lambda x: lax.fori_loop(0, 1000, lambda i, y: 0.5 * (y + (x + 1) / y), x + 1), (f32, 1024))
row('branch-loop', lambda x: lax.fori_loop(0, 1000, lambda i, x: lax.cond(x[0] > 1, lambda x: x * 0.5, lambda x: x + 0.3, x), x), (f32, 256))
row('chain-scalar', lambda x: chain(x, 70), (f32,))
row('chain-1k', lambda x: chain(x, 70), (f32, 256))
row('chain-sums', lambda x: sums(x, 100), (f32, 256))
row('chain-shifts', lambda x: shifts(x, 100), (f32, 256))
row('nothing', lambda x: x + 1, (f32,))

# Random numbers.
row('random-bits', lambda: jax.random.bits(key(), (1 << 22,), 'uint32'))
row('random-uniform', lambda: jax.random.uniform(key(), (1 << 22,), f32))
row('random-normal', lambda: jax.random.normal(key(), (1 << 22,), f32))
row('random-normal-bf16', lambda: jax.random.normal(key(), (1 << 20,), bf16))
row('random-categorical', lambda x: jax.random.categorical(key(), x), (f32, 64, 32000))
row('random-permutation', lambda: jax.random.permutation(key(), 1 << 18))
row('random-split', lambda: jax.random.key_data(jax.random.split(key(), 1024)))
row('dropout', lambda x: jnp.where(jax.random.bernoulli(key(), 0.9, x.shape), x / 0.9, 0), (f32, 4096, 1024))
row('bits-philox', lambda: lax.rng_bit_generator(jnp.arange(4, dtype='uint32'), (1 << 22,))[1])
row('bits-threefry', lambda: lax.rng_bit_generator(jnp.arange(4, dtype='uint32'), (1 << 22,), algorithm=lax.RandomAlgorithm.RNG_THREE_FRY)[1])

# Fourier transforms and linear algebra.
row('fft', lambda x: jnp.fft.fft(x), (c64, 1024, 1024))
row('fft-real', lambda x: jnp.fft.rfft(x), (f32, 1024, 1024))
row('fft-real-inverse', lambda x: jnp.fft.irfft(x), (c64, 1024, 513))
row('fft-2d', lambda x: jnp.fft.fft2(x), (c64, 4, 512, 512))
row('fft-prime', lambda x: jnp.fft.fft(x), (c64, 64, 1009))
row('cholesky', lambda x: lax.linalg.cholesky(x @ x.T + 512 * jnp.eye(512, dtype=f32)), (f32, 512, 512), portable=True)
row('cholesky-batch', lambda x: lax.linalg.cholesky(jnp.einsum('bij,bkj->bik', x, x) + 32 * jnp.eye(32, dtype=f32)), (f32, 256, 32, 32), portable=True)
row('triangular-solve', lambda a, b: lax.linalg.triangular_solve(a + 8 * jnp.eye(512, dtype=f32), b, left_side=True, lower=True), (f32, 512, 512), (f32, 512, 512), portable=True)
row('triangular-solve-batch', lambda a, b: lax.linalg.triangular_solve(a + 8 * jnp.eye(32, dtype=f32), b, left_side=True, lower=True), (f32, 256, 32, 32), (f32, 256, 32, 32), portable=True)

# Products of other types than f32 and bf16.
def product(of, result):
    return lambda a, b: lax.dot(a, b, preferred_element_type=result)


row('product-s8', product(s8, s32), (s8, 512, 512), (s8, 512, 512), below=100)
row('product-s32', product(s32, s32), (s32, 512, 512), (s32, 512, 512), below=100)
row('product-f64', product(f64, f64), (f64, 512, 512), (f64, 512, 512))
row('product-c64', product(c64, c64), (c64, 256, 256), (c64, 256, 256))
row('product-f16', product('float16', 'float16'), ('float16', 512, 512), ('float16', 512, 512))
row('product-batch-s32', lambda a, b: jnp.einsum('bij,bjk->bik', a, b), (s32, 64, 64, 64), (s32, 64, 64, 64), below=100)
row('outer-f64', lambda a, b: jnp.outer(a, b), (f64, 2048), (f64, 2048))
row('matrix-vector-s8', lambda a, b: lax.dot(a, b, preferred_element_type=s32), (s8, 4096, 4096), (s8, 4096), below=100)


def interval(ratios):
    """90% interval of the median, by drawing anew."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(4000))
    return medians[int(0.05 * len(medians))], medians[int(0.95 * len(medians))]


def made(specs, below):
    """Small positive floats, as `bench step` makes them; whole numbers below a limit."""
    draw = np.random.default_rng(0)

    def one(dtype, *shape):
        if dtype == pred:
            return jnp.asarray(draw.integers(0, 2, shape).astype(bool))
        if dtype in (s32, s8, u8):
            return jnp.asarray(draw.integers(0, below, shape).astype(dtype))
        if dtype == c64:
            return jnp.asarray((draw.standard_normal(shape) + 1j * draw.standard_normal(shape)).astype(dtype))
        x = draw.standard_normal(shape).astype(f64)
        return jnp.asarray(np.abs(x) * 0.02 if dtype == f32 else x).astype(dtype)
    return [one(*spec) for spec in specs]


def best(run, seconds):
    """The fastest of as many launches as fit, three at least."""
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or (time.perf_counter() < end and len(times) < 200):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def ours(path, repeat):
    command = [binary, '--json', 'bench', 'step', path, '--repeat', str(repeat), '--devices', '1', '--threads', str(arguments.threads)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().split('\n')[0])
    return json.loads(done.stdout)['best_s']


def copier():
    """Seconds of copying a block by all threads."""
    source, target = np.ones(BLOCK, np.uint8), np.zeros(BLOCK, np.uint8)
    share = BLOCK // arguments.threads
    pool = concurrent.futures.ThreadPoolExecutor(arguments.threads)

    def one(at):
        ctypes.memmove(target.ctypes.data + at * share, source.ctypes.data + at * share, share)
    return lambda: list(pool.map(one, range(arguments.threads)))


def text_of(function, args, portable):
    lowered = jax.jit(function).trace(*args).lower(lowering_platforms=('tpu',) if portable else ('cpu',))
    return lowered.as_text()


def measure(name, folder, copy):
    function, specs, below, portable = ROWS[name]
    jax.config.update('jax_enable_x64', any(dtype == f64 for dtype, *_ in specs))
    args = made(specs, below)
    path = f'{folder}/{name}.mlir'
    with open(path, 'w') as file:
        file.write(text_of(function, args, portable))
    if arguments.write:
        return
    compiled = jax.jit(function)
    run = lambda: jax.block_until_ready(compiled(*args))
    run()
    moved = sum(x.nbytes for x in jax.tree.leaves((args, run())))
    first = ours(path, 1)
    repeat = max(3, min(200, int(arguments.seconds / max(first, 1e-6))))
    pairs = []
    for pair in range(arguments.pairs):
        if pair % 2:
            theirs = best(run, arguments.seconds)
            pairs.append((ours(path, repeat), theirs))
        else:
            own = ours(path, repeat)
            pairs.append((own, best(run, arguments.seconds)))
    floor = moved / (2 * BLOCK) * best(copy, 0.05)
    ratios = [theirs / own for own, theirs in pairs]
    low, high = interval(ratios)
    own, theirs = (statistics.median(side) for side in zip(*pairs))
    print(f'{name:28} {own * 1e3:10.3f} {theirs * 1e3:10.3f} {statistics.median(ratios):8.2f} [{low:.2f}, {high:.2f}] {own / floor:8.1f}', flush=True)


def main():
    chosen = [name for name in ROWS if not arguments.rows or any(name.startswith(row) for row in arguments.rows)]
    print(f'{arguments.threads} threads, {arguments.pairs} pairs; load {os.getloadavg()[0]:.1f}', file=sys.stderr)
    print(f'{"":28} {"ours ms":>10} {"XLA ms":>10} {"XLA/ours":>8} [90%]     {"of floor":>8}')
    copy = copier()
    with tempfile.TemporaryDirectory() as temporary:
        for name in chosen:
            try:
                measure(name, arguments.write or temporary, copy)
            except Exception as error:  # a row that one side refuses is a row of the table
                print(f'{name:28} {type(error).__name__}: {str(error)[:200]}', flush=True)


if __name__ == '__main__':
    main()
