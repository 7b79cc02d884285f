"""Compiling an 8-layer mixture-of-experts training step beside XLA's two passes, pairs alternated.

    nice -n -10 python compile_pairs.py PATH/TO/jax_moe_step.py --meshwright PATH/TO/meshwright [--pairs 10]

The step is the yardstick's. Its text before propagation is dumped once; then each pair times XLA's passes, in a compilation
without any dump, and ours on that text (release, verifiers off, median of a few runs, as XLA's passes too run in
a warm process): completion against propagation, and completion to cleanup against propagation and partitioning. Ours also
merges collectives and orders the program for memory, which XLA does in later passes; `same scope` leaves these two out.
Prints the medians of the pairs' ratios with 90% intervals, and the load of the machine.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

SCOPES = ('completion', 'same scope', 'all')


def xla_ms(script, arguments):
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.strip().splitlines()[-1])
    whole = found['sharding-propagation_ms'] + found['spmd-partitioning_ms']
    return found['sharding-propagation_ms'], whole, whole


def ours_ms(binary, text, runs):
    done = subprocess.run([binary, 'bench', 'compile', text, '--repeat', str(runs), '--json'],
                          capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    later = found['combine_collectives_ms'] + found['schedule_ms']
    whole = found['complete_ms'] + found['partition_ms']
    return found['complete_ms'], whole - later, whole


def dumped(script, arguments, folder):
    """The text XLA has before its propagation."""
    subprocess.run([sys.executable, script, *arguments, '--dump', folder], capture_output=True, check=True)
    found = sorted(pathlib.Path(folder).glob('*before_sharding-propagation.txt'))
    if not found:
        sys.exit(f'{script} dumped no text before propagation')
    return str(max(found, key=lambda path: path.stat().st_size))


def interval(ratios, draws=2000):
    """The 90% interval of the median, by drawing again."""
    rng = random.Random(0)
    medians = sorted(statistics.median(rng.choices(ratios, k=len(ratios))) for _ in range(draws))
    return medians[draws // 20], medians[-draws // 20]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    arguments.add_argument('step', help='the yardstick script')
    arguments.add_argument('--meshwright', default='meshwright')
    arguments.add_argument('--pairs', type=int, default=10)
    arguments.add_argument('--layers', type=int, default=8)
    arguments.add_argument('--runs', type=int, default=5, help='of ours in each pair; their median counts')
    a = arguments.parse_args()
    step = ['--devices', '8', '--layers', str(a.layers)]
    ratios = ([], [], [])
    with tempfile.TemporaryDirectory() as folder:
        text = dumped(a.step, step, folder)
        print(f'load {os.getloadavg()[0]:.1f}, {sum(1 for _ in open(text))} lines of HLO')
        for pair in range(a.pairs):
            theirs, ours = xla_ms(a.step, step), ours_ms(a.meshwright, text, a.runs)
            for kind, (x, y) in zip(ratios, zip(ours, theirs)):
                kind.append(x / y)
            each = (f'{name} {own:6.2f} of {peer:7.2f} ms, {own / peer:.3f}' for name, own, peer in zip(SCOPES, ours, theirs))
            print(f'pair {pair}: {"; ".join(each)}; load {os.getloadavg()[0]:.1f}', flush=True)
    for name, kind in zip(SCOPES, ratios):
        low, high = interval(kind)
        print(f'{name}: median of {len(kind)} ratios {statistics.median(kind):.3f}, 90% interval {low:.3f} to {high:.3f}')


main()
