#!/usr/bin/env python3
"""Convolutions here and in XLA, in alternated pairs: GFLOP/s and the median of the pairs' ratios of CPU seconds.

    convolutions.py [--pairs 10] [--only forward|input|kernel] [--write FOLDER] [BxHxWxIxO:SIZE[:STRIDE[:GROUPS]] ...]

For each shape the convolution and its gradients by images and by kernel, in f32, NHWC, padded to `SAME`; both sides run
the same StableHLO on one core. The ratio is XLA's seconds by ours: above 1 we are faster. Needs JAX; MESHWRIGHT names the
binary (built with --release). --write only writes the modules.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

SHAPES = ['4x224x224x3x64:7:2', '4x56x56x64x64:3', '4x256x256x8x16:5', '4x56x56x64x64:3:1:64', '4x56x56x64x64:3:1:4']
RUNS = 5

parser = argparse.ArgumentParser()
parser.add_argument('--pairs', type=int, default=10)
parser.add_argument('--only', default='', choices=['', 'forward', 'input', 'kernel'])
parser.add_argument('--write', default='')
parser.add_argument('shapes', nargs='*', default=SHAPES)
arguments = parser.parse_intermixed_args()
binary = os.environ.get('MESHWRIGHT', 'meshwright')
os.environ['XLA_FLAGS'] = '--xla_cpu_multi_thread_eigen=false'
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402


def interval(ratios):
    """90% interval of the median, by drawing anew."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(4000))
    return medians[int(0.05 * len(medians))], medians[int(0.95 * len(medians))]


def programs(shape):
    """Name, function, arguments and flops of the three."""
    sizes, size, stride, groups = (shape.split(':') + ['1', '1'])[:4]
    (b, h, w, i, o), size, stride, groups = map(int, sizes.split('x')), int(size), int(stride), int(groups)

    def forward(x, k):
        dims = ('NHWC', 'HWIO', 'NHWC')
        return jax.lax.conv_general_dilated(
            x, k, (stride, stride), 'SAME', dimension_numbers=dims, feature_group_count=groups)

    x = jax.random.normal(jax.random.key(0), (b, h, w, i))
    k = jax.random.normal(jax.random.key(1), (size, size, i // groups, o)) * 0.1
    y = jax.random.normal(jax.random.key(2), forward(x, k).shape)
    flops = 2 * y.size * size * size * (i // groups)
    yield 'forward', forward, (x, k), flops
    yield 'input', lambda k, y: jax.linear_transpose(lambda x: forward(x, k), x)(y)[0], (k, y), flops
    yield 'kernel', lambda x, y: jax.linear_transpose(lambda k: forward(x, k), k)(y)[0], (x, y), flops


def theirs(run):
    start = time.process_time()
    for _ in range(RUNS):
        run()
    return (time.process_time() - start) / RUNS


def ours(path):
    command = [binary, '--json', 'bench', 'step', path, '--repeat', str(RUNS), '--threads', '1']
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)['cpu_s']


def measure(run, path):
    rows = []
    for pair in range(arguments.pairs):
        if pair % 2:
            peer = theirs(run)
            rows.append((ours(path), peer))
        else:
            rows.append((ours(path), theirs(run)))
    return rows


print(f'{arguments.pairs} pairs; load {os.getloadavg()[0]:.1f}', file=sys.stderr)
for shape in arguments.shapes:
    for name, function, inputs, flops in programs(shape):
        if arguments.only not in ('', name):
            continue
        text = jax.jit(function).lower(*inputs).as_text()
        if arguments.write:
            with open(f'{arguments.write}/{shape.replace(":", "_")}.{name}.mlir', 'w') as file:
                file.write(text)
            continue
        compiled = jax.jit(function)
        compiled(*inputs).block_until_ready()
        with tempfile.TemporaryDirectory() as folder:
            path = f'{folder}/{name}.mlir'
            with open(path, 'w') as file:
                file.write(text)
            rows = measure(lambda: compiled(*inputs).block_until_ready(), path)
        low, high = interval([peer / own for own, peer in rows])
        rate = [flops / min(column) / 1e9 for column in zip(*rows)]
        ratio = statistics.median(peer / own for own, peer in rows)
        print(f'{shape:>24} {name:>8} {rate[0]:7.0f} {rate[1]:7.0f}  {ratio:.2f} [{low:.2f}, {high:.2f}]', flush=True)
