#!/usr/bin/env python3
"""A dense training step in PyTorch and here, in alternated pairs: torch_dense.py ANCHOR.py f32|bf16 STEP.mlir [--threads 2] [--pairs 10]

ANCHOR.py is the PyTorch script (its own text is run, up to its measurements), STEP.mlir the same model by
`dense_module.py f32|bf16`. Prints medians of wall and CPU seconds a step, the median of the pairs' ratios (PyTorch / ours)
and its 90% interval. MESHWRIGHT names the binary (built with --release); the Python needs PyTorch.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import time

parser = argparse.ArgumentParser()
parser.add_argument('anchor')
parser.add_argument('type', choices=['f32', 'bf16'])
parser.add_argument('module')
parser.add_argument('--threads', type=int, default=2)
parser.add_argument('--pairs', type=int, default=10)
parser.add_argument('--steps', type=int, default=3)
arguments = parser.parse_args()
text = open(arguments.anchor).read().split('out = {}\n')[0]
names = {'__name__': 'anchor'}
exec(compile(text.replace('set_num_threads(2)', f'set_num_threads({arguments.threads})'), arguments.anchor, 'exec'), names)


def theirs():
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(arguments.steps):
        names['step'](arguments.type == 'bf16')
    return (time.perf_counter() - wall) / arguments.steps, (time.process_time() - cpu) / arguments.steps


def ours():
    command = [os.environ.get('MESHWRIGHT', 'meshwright'), '--json', 'bench', 'step', arguments.module]
    command += ['--devices', '1', '--repeat', str(arguments.steps), '--threads', str(arguments.threads)]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report['step_s'], report['cpu_s']


def interval(ratios):
    """90% interval of the median, by drawing anew."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(4000))
    return medians[int(0.05 * len(medians))], medians[int(0.95 * len(medians))]


theirs()
rows = []
for pair in range(arguments.pairs):
    if pair % 2:
        other, own = theirs(), ours()
    else:
        own, other = ours(), theirs()
    rows.append((*own, *other))
middle = [statistics.median(column) for column in zip(*rows)]
result = {'type': arguments.type, 'threads': arguments.threads, 'pairs': arguments.pairs, 'load': os.getloadavg()[0]}
result.update(zip(('ours_wall_s', 'ours_cpu_s', 'torch_wall_s', 'torch_cpu_s'), middle))
for name, at in (('wall', 0), ('cpu', 1)):
    ratios = [row[at + 2] / row[at] for row in rows]
    result[f'torch_over_ours_{name}'] = statistics.median(ratios)
    result[f'interval_{name}'] = interval(ratios)
print(json.dumps(result))
