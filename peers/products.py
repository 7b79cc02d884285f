#!/usr/bin/env python3
"""Matrix products here and in a peer, in alternated pairs: GFLOP/s and the median of the pairs' ratios for each shape.

    products.py jax   [MxKxN ...] [--type f32]  [--threads 1] [--pairs 10]      XLA's products; needs `pip install jax`
    products.py torch [MxKxN ...] [--type bf16] [--threads 1] [--pairs 10]      oneDNN's; needs `pip install torch`

Shapes follow the peer's name; options may stand anywhere.

A pair is some runs of each side, close in time; who is first alternates. The ratio is the peer's seconds by ours: above 1
we are faster. With one thread they are CPU seconds, which other work on the machine disturbs less; with more, the best
wall seconds. MESHWRIGHT names the binary (built with --release).
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time

SQUARE = ['512x512x512', '1024x1024x1024', '2048x2048x2048']
STEP = ['4096x256x8192', '4096x8192x256', '8192x4096x256', '4096x256x1024', '4096x1024x256']
RUNS = 7

parser = argparse.ArgumentParser()
parser.add_argument('peer', choices=['jax', 'torch'])
parser.add_argument('--type', default='f32', choices=['f32', 'bf16'])
parser.add_argument('--threads', type=int, default=1)
parser.add_argument('--pairs', type=int, default=10)
parser.add_argument('shapes', nargs='*', default=SQUARE + STEP)
arguments = parser.parse_intermixed_args()
binary = os.environ.get('MESHWRIGHT', 'meshwright')


def interval(ratios):
    """90% interval of the median, by drawing anew."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(4000))
    return medians[int(0.05 * len(medians))], medians[int(0.95 * len(medians))]


def seconds(run):
    clock = time.process_time if arguments.threads == 1 else time.perf_counter
    times = []
    for _ in range(RUNS):
        start = clock()
        run()
        times.append(clock() - start)
    return statistics.mean(times) if arguments.threads == 1 else min(times)


def in_jax(m, k, n):
    if arguments.threads == 1:
        os.environ['XLA_FLAGS'] = '--xla_cpu_multi_thread_eigen=false'
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import avx2_only
    avx2_only.if_asked()
    import jax
    import jax.numpy as jnp
    dtype = {'f32': jnp.float32, 'bf16': jnp.bfloat16}[arguments.type]
    a = jax.random.normal(jax.random.key(0), (m, k)).astype(dtype)
    b = jax.random.normal(jax.random.key(1), (k, n)).astype(dtype)
    product = jax.jit(lambda a, b: a @ b)
    product(a, b).block_until_ready()
    return lambda: product(a, b).block_until_ready()


def in_torch(m, k, n):
    import torch
    torch.set_num_threads(arguments.threads)
    dtype = {'f32': torch.float32, 'bf16': torch.bfloat16}[arguments.type]
    a, b = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype)
    torch.mm(a, b)
    return lambda: torch.mm(a, b)


def ours(path):
    command = [binary, '--json', 'bench', 'step', path, '--repeat', str(RUNS), '--threads', str(arguments.threads)]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report['cpu_s' if arguments.threads == 1 else 'best_s']


def module(m, k, n):
    a, b, c = (f'tensor<{x}x{y}x{arguments.type}>' for x, y in ((m, k), (k, n), (m, n)))
    dot = f'stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({a}, {b}) -> {c}'
    return f'func.func @main(%a: {a}, %b: {b}) -> {c} {{\n  %d = {dot}\n  return %d : {c}\n}}\n'


print(f'{arguments.type}, {arguments.threads} threads, {arguments.pairs} pairs; load {os.getloadavg()[0]:.1f}')
print(f'{"m x k x n":>18} {"ours GFLOP/s":>13} {arguments.peer + " GFLOP/s":>14}  ratio [90% interval]')
for shape in arguments.shapes:
    m, k, n = (int(x) for x in shape.split('x'))
    theirs = {'jax': in_jax, 'torch': in_torch}[arguments.peer](m, k, n)
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/product.mlir'
        with open(path, 'w') as file:
            file.write(module(m, k, n))
        rows = []
        for pair in range(arguments.pairs):
            if pair % 2:
                peer, own = seconds(theirs), ours(path)
            else:
                own, peer = ours(path), seconds(theirs)
            rows.append((own, peer))
    ratios = [peer / own for own, peer in rows]
    low, high = interval(ratios)
    rate = [2 * m * k * n / min(column) / 1e9 for column in zip(*rows)]
    print(f'{shape:>18} {rate[0]:13.0f} {rate[1]:14.0f}  {statistics.median(ratios):.2f} [{low:.2f}, {high:.2f}]', flush=True)
