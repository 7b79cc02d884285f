#!/usr/bin/env python3
"""Convolutions, their gradients, windows and layers of images, here and in JAX, by turns: seconds, the floor, and the median of the pairs' ratios.

    convolutions.py [--threads 2] [--pairs 5] [--only forward|input|kernel] [--list] [--write FOLDER] [NAME ...]

A name stands for all of its rows; a name that ends in `*` for all that begin so. Both sides run the same StableHLO, of images
whose features come last (`NHWC`). The ratio is JAX's seconds by ours: above 1 we are faster. With two threads or more they
are the best wall seconds of a turn, with one CPU seconds, which other work on the machine disturbs less. The floor is the
row's flops at the rate of a product (of 2048, or 1024 with `--quick`), or the bytes of its arguments and results at the rate
of a copy, whichever takes longer; both are measured first. --write only writes the modules. Needs JAX; MESHWRIGHT names the
binary (built with --release).
"""
import argparse
import json
import math
import os
import random
import statistics
import subprocess
import tempfile
import time

#     name                  places, features in and out, window, and what else differs from window 1, stride 1
CONVOLUTIONS = {
    'audio-first': dict(at=(4, 32000), io=(1, 512), window=(10,), stride=5),
    'audio': dict(at=(4, 3200), io=(512, 512), window=(3,), stride=2),
    'conformer': dict(at=(8, 512), io=(256, 256), window=(31,), groups=256),
    'stem-7': dict(at=(4, 224, 224), io=(3, 64), window=(7, 7), stride=2),
    'patches': dict(at=(8, 224, 224), io=(3, 96), window=(4, 4), stride=4),
    'unet-first': dict(at=(2, 256, 256), io=(3, 64), window=(3, 3)),
    'narrow-5': dict(at=(4, 256, 256), io=(8, 16), window=(5, 5)),
    '3x3-64': dict(at=(4, 56, 56), io=(64, 64), window=(3, 3)),
    '3x3-256': dict(at=(4, 28, 28), io=(256, 256), window=(3, 3)),
    '3x3-512': dict(at=(4, 14, 14), io=(512, 512), window=(3, 3)),
    'stride-3x3': dict(at=(4, 56, 56), io=(128, 128), window=(3, 3), stride=2),
    '1x1': dict(at=(4, 56, 56), io=(64, 256), window=(1, 1)),
    'stride-1x1': dict(at=(4, 56, 56), io=(256, 512), window=(1, 1), stride=2),
    'dilated': dict(at=(4, 28, 28), io=(256, 256), window=(3, 3), dilation=2),
    'grouped-4': dict(at=(4, 56, 56), io=(128, 128), window=(3, 3), groups=32),
    'grouped-16': dict(at=(4, 56, 56), io=(64, 64), window=(3, 3), groups=4),
    'depthwise-3': dict(at=(4, 56, 56), io=(64, 64), window=(3, 3), groups=64),
    'depthwise-7': dict(at=(8, 56, 56), io=(96, 96), window=(7, 7), groups=96),
    'depthwise-by-2': dict(at=(4, 112, 112), io=(64, 64), window=(3, 3), stride=2, groups=64),
    'depthwise-twice': dict(at=(4, 56, 56), io=(64, 128), window=(3, 3), groups=64),
    'transposed': dict(at=(4, 28, 28), io=(256, 128), window=(2, 2), up=2),
    'transposed-4': dict(at=(4, 32, 32), io=(128, 64), window=(4, 4), up=2),
    '3d': dict(at=(1, 32, 32, 32), io=(32, 64), window=(3, 3, 3)),
    '3d-by-2': dict(at=(1, 32, 32, 32), io=(32, 64), window=(3, 3, 3), stride=2),
    '3d-first': dict(at=(1, 64, 64, 64), io=(1, 16), window=(3, 3, 3)),
    'channels-first': dict(at=(4, 56, 56), io=(64, 64), window=(3, 3), first=True),
    'bf16-3x3-64': dict(at=(4, 56, 56), io=(64, 64), window=(3, 3), dtype='bfloat16'),
    'bf16-3x3-256': dict(at=(4, 28, 28), io=(256, 256), window=(3, 3), dtype='bfloat16'),
    'bf16-1x1': dict(at=(4, 56, 56), io=(64, 256), window=(1, 1), dtype='bfloat16'),
    'bf16-depthwise-7': dict(at=(8, 56, 56), io=(96, 96), window=(7, 7), groups=96, dtype='bfloat16'),
}
#     name                  shape, window, stride, kind
WINDOWS = {
    'max-2': ((8, 112, 112, 64), 2, 2, 'max'),
    'max-3-by-2': ((8, 112, 112, 64), 3, 2, 'max'),
    'average-2': ((8, 112, 112, 64), 2, 2, 'average'),
    'average-3': ((8, 56, 56, 64), 3, 1, 'average'),
    'bf16-max-2': ((8, 112, 112, 64), 2, 2, 'max'),
    'max-1d': ((8, 16384, 64), 4, 4, 'max'),
}
#     name                  shape, dim
RUNNING = {'running-last': ((4096, 1024), 1), 'running-first': ((1024, 4096), 0), 'running-max': ((256, 512), 1)}
#     name                  shape of what it is given; what it is, in `layer`
LAYERS = {
    'batch-norm': (8, 56, 56, 64),
    'group-norm': (8, 56, 56, 64),
    'instance-norm': (8, 56, 56, 64),
    'glu': (8, 512, 512),
    'squeeze-excite': (8, 56, 56, 64),
    'nearest-twice': (4, 56, 56, 64),
    'linear-twice': (4, 56, 56, 64),
    'linear-three-halves': (4, 56, 56, 64),
    'relative-attention': (4, 256, 256),
}
RUNS = 5


def interval(ratios):
    """90% interval of the median, by drawing anew."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(4000))
    return medians[int(0.05 * len(medians))], medians[int(0.95 * len(medians))]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--pairs', type=int, default=5)
    parser.add_argument('--only', default='', choices=['', 'forward', 'input', 'kernel'])
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--write', default='')
    parser.add_argument('names', nargs='*', metavar='NAME')
    return parser.parse_intermixed_args()


def chosen(names):
    every = [*CONVOLUTIONS, *WINDOWS, *RUNNING, *LAYERS]
    fits = {name: [x for x in every if x == name or name.endswith('*') and x.startswith(name[:-1])] for name in names}
    for name, found in fits.items():
        if not found:
            raise SystemExit(f'there is no {name}; there are {", ".join(every)}')
    return [x for found in fits.values() for x in found] if names else every


def numbers(seed, shape, dtype):
    return (jax.random.normal(jax.random.key(seed), shape) * 0.5).astype(dtype)


def convolution(at, io, window, stride=1, dilation=1, groups=1, up=1, first=False, dtype='float32'):
    """Kind, function, arguments and flops of the convolution and both gradients."""
    (batch, *places), (features, made), rank = at, io, len(window)
    letters = 'DHW'[3 - rank:]
    names = (f'NC{letters}', f'OI{letters}', f'NC{letters}') if first else (f'N{letters}C', f'{letters}IO', f'N{letters}C')

    def forward(x, k):
        if up > 1:
            return jax.lax.conv_transpose(x, k, (up,) * rank, 'SAME', dimension_numbers=names)
        return jax.lax.conv_general_dilated(
            x, k, (stride,) * rank, 'SAME', rhs_dilation=(dilation,) * rank, dimension_numbers=names, feature_group_count=groups)

    x_shape = (batch, features, *places) if first else (batch, *places, features)
    k_shape = (made, features // groups, *window) if first else (*window, features // groups, made)
    x, k = numbers(0, x_shape, dtype), numbers(1, k_shape, dtype)
    made_shape = jax.eval_shape(forward, x, k)
    y = numbers(2, made_shape.shape, dtype)
    flops = 2 * y.size * math.prod(window) * (features // groups) // up ** rank
    yield 'forward', forward, (x, k), flops
    yield 'input', lambda y, k: jax.linear_transpose(lambda x: forward(x, k), x)(y)[0], (y, k), flops
    yield 'kernel', lambda x, y: jax.linear_transpose(lambda k: forward(x, k), k)(y)[0], (x, y), flops


def pooling(shape, window, stride, kind, dtype):
    rank = len(shape) - 2
    sizes, strides = (1, *[window] * rank, 1), (1, *[stride] * rank, 1)

    def forward(x):
        if kind == 'max':
            return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, sizes, strides, 'SAME')
        return jax.lax.reduce_window(x, 0.0, jax.lax.add, sizes, strides, 'SAME') / window ** rank

    x = numbers(0, shape, dtype)
    y = numbers(1, jax.eval_shape(forward, x).shape, dtype)
    yield 'forward', forward, (x,), 0
    yield 'input', lambda x, y: jax.vjp(forward, x)[1](y)[0], (x, y), 0


def running(shape, dim, name):
    size = [shape[dim] if at == dim else 1 for at in range(2)]
    pad = [(n - 1, 0) for n in size]
    init, fold = (-jnp.inf, jax.lax.max) if name == 'running-max' else (0.0, jax.lax.add)
    yield 'forward', lambda x: jax.lax.reduce_window(x, init, fold, size, (1, 1), pad), (numbers(0, shape, 'float32'),), 0


def standardized(x, axes):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(jnp.square(x - mean).mean(axes, keepdims=True) + 1e-5)


def grouped(x, groups, scale, bias):
    parts = x.reshape(*x.shape[:-1], groups, -1)
    return standardized(parts, (1, 2, 4)).reshape(x.shape) * scale + bias


def squeezed(x, wi, wo):
    gates = jax.nn.sigmoid(jax.nn.relu(x.mean((1, 2)) @ wi) @ wo)
    return x * gates[:, None, None]


def resized(x, more, method):
    batch, height, width, features = x.shape
    return jax.image.resize(x, (batch, int(height * more), int(width * more), features), method)


def related(x, q, k, v, r, out, u, w):
    """Attention by content and by distance, with 8 heads."""
    by_head = [jnp.einsum('blm,mhd->blhd', x, one) for one in (q, k, v)]
    length, model = x.shape[1:]
    rates = 10000.0 ** -jnp.linspace(0, 1, model // 2)
    angles = jnp.arange(length - 1, -length, -1)[:, None] * rates
    far = jnp.einsum('lm,mhd->lhd', jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1), r)
    at = jnp.einsum('bqhd,lhd->bhql', by_head[0] + w, far)
    line = jnp.pad(at, ((0, 0), (0, 0), (0, 0), (0, 1))).reshape(*at.shape[:2], -1)[:, :, length - 1:-1]
    at = line.reshape(*at.shape[:2], length, 2 * length - 1)[..., :length]
    logits = (jnp.einsum('bqhd,bkhd->bhqk', by_head[0] + u, by_head[1]) + at) / 32 ** 0.5
    return jnp.einsum('bqhd,hdm->bqm', jnp.einsum('bhqk,bkhd->bqhd', jax.nn.softmax(logits), by_head[2]), out)


def layer(name, shape):
    """The layer, and the gradients of what it is given and of its weights."""
    features = shape[-1]
    two = [(features,), (features,)]
    heads = [(features, 8, 32)] * 4 + [(8, 32, features), (8, 32), (8, 32)]
    function, weights = {
        'batch-norm': (lambda x, s, b: standardized(x, (0, 1, 2)) * s + b, two),
        'group-norm': (lambda x, s, b: grouped(x, 8, s, b), two),
        'instance-norm': (lambda x, s, b: standardized(x, (1, 2)) * s + b, two),
        'glu': (jax.nn.glu, []),
        'squeeze-excite': (squeezed, [(features, features // 4), (features // 4, features)]),
        'nearest-twice': (lambda x: resized(x, 2, 'nearest'), []),
        'linear-twice': (lambda x: resized(x, 2, 'linear'), []),
        'linear-three-halves': (lambda x: resized(x, 1.5, 'linear'), []),
        'relative-attention': (related, heads),
    }[name]
    inputs = [numbers(at, dims, 'float32') for at, dims in enumerate([shape, *weights])]
    y = numbers(9, jax.eval_shape(function, *inputs).shape, 'float32')
    yield 'forward', function, tuple(inputs), 0
    yield 'input', lambda y, *inputs: jax.vjp(function, *inputs)[1](y), (y, *inputs), 0


def rows(name):
    if name in LAYERS:
        return layer(name, LAYERS[name])
    dtype = 'bfloat16' if name.startswith('bf16') else 'float32'
    if name in CONVOLUTIONS:
        return convolution(**CONVOLUTIONS[name])
    return pooling(*WINDOWS[name], dtype) if name in WINDOWS else running(*RUNNING[name], name)


def seconds(run, threads):
    clock = time.process_time if threads == 1 else time.perf_counter
    times = []
    for _ in range(RUNS):
        start = clock()
        run()
        times.append(clock() - start)
    return statistics.mean(times) if threads == 1 else min(times)


def ours(path, threads):
    command = [os.environ.get('MESHWRIGHT', 'meshwright'), '--json', 'bench', 'step', path, '--repeat', str(RUNS), '--threads', str(threads)]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report['cpu_s' if threads == 1 else 'best_s']


def write(folder, name, function, inputs):
    path = f'{folder}/{name}.mlir'
    with open(path, 'w') as file:
        file.write(jax.jit(function).lower(*inputs).as_text())
    return path


def measure(path, run, args):
    found = []
    for pair in range(args.pairs):
        peer = seconds(run, args.threads) if pair % 2 else None
        own = ours(path, args.threads)
        found.append((own, peer or seconds(run, args.threads)))
    return found


def rates(folder, args):
    """Flops and bytes a second: of products by type, and of a copy."""
    size, found = 1024 if args.quick else 2048, {}
    for dtype in ('float32', 'bfloat16'):
        a = numbers(0, (size, size), dtype)
        found[dtype] = 2 * size ** 3 / min(ours(write(folder, 'product', lambda a, b: a @ b, (a, a)), args.threads) for _ in range(2))
    count = 16 << 20
    path = write(folder, 'copy', lambda x: x * 2.0, (jax.ShapeDtypeStruct((count,), 'float32'),))
    found['bytes'] = 8 * count / min(ours(path, args.threads) for _ in range(2))
    return found


def floor(inputs, function, flops, rate):
    results = jax.tree.leaves(jax.eval_shape(function, *inputs))
    moved = sum(x.size * x.dtype.itemsize for x in [*inputs, *results])
    return max(flops / rate[str(results[0].dtype)], moved / rate['bytes'])


def main(args):
    names = chosen(args.names)
    with tempfile.TemporaryDirectory() as folder:
        if not args.write:
            rate = rates(folder, args)
            print(f'{args.threads} threads, {args.pairs} pairs; load {os.getloadavg()[0]:.1f}; products {rate["float32"] / 1e9:.0f} and bf16 '
                  f'{rate["bfloat16"] / 1e9:.0f} GFLOP/s, a loop {rate["bytes"] / 1e9:.0f} GB/s', flush=True)
            print(f'{"":>16} {"":>8} {"ours ms":>8} {"JAX ms":>8} {"floor":>7}  ratio [90% interval]', flush=True)
        for name in names:
            for kind, function, inputs, flops in rows(name):
                if args.only not in ('', kind):
                    continue
                if args.write:
                    write(args.write, f'{name}.{kind}', function, inputs)
                    continue
                compiled = jax.jit(function)
                jax.block_until_ready(compiled(*inputs))
                found = measure(write(folder, kind, function, inputs), lambda: jax.block_until_ready(compiled(*inputs)), args)
                low, high = interval([peer / own for own, peer in found])
                own, peer = (1e3 * min(side) for side in zip(*found))
                ratio = statistics.median(peer / own for own, peer in found)
                least = 1e3 * floor(inputs, function, flops, rate)
                mark = '  slower' if ratio < 1 else ''
                print(f'{name:>16} {kind:>8} {own:8.2f} {peer:8.2f} {least:7.2f}  {ratio:.2f} [{low:.2f}, {high:.2f}]{mark}', flush=True)


if __name__ == '__main__':
    ARGS = arguments()
    if ARGS.list:
        print('\n'.join([*CONVOLUTIONS, *WINDOWS, *RUNNING, *LAYERS]))
        raise SystemExit
    if ARGS.threads == 1:
        os.environ['XLA_FLAGS'] = '--xla_cpu_multi_thread_eigen=false'
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    import avx2_only
    avx2_only.if_asked()
    import jax
    import jax.numpy as jnp
    main(ARGS)
