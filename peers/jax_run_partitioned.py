"""Runs what Meshwright partitioned on XLA itself, and compares it with the module it was made from.

    python jax_run_partitioned.py ORIGINAL.mlir EMBEDDED.mlir [--inputs IN.npz] [--tolerance 2e-5]

Both are StableHLO with global signatures. The original runs on one device with its annotations ignored; the embedded
program (`meshwright partition --style embedded`) is compiled by XLA for as many virtual CPU devices as it says, unchanged.
Prints one line per result with the largest difference, and exits with 1 if any is above the tolerance, which is relative
to the largest element of the result. Needs jax[cpu]==0.10.2.
"""
import argparse
import re
import sys

import numpy as np

import on_xla


def single(text):
    """The module without a word about devices."""
    text = re.sub(r'mhlo\.num_partitions = \d+', 'mhlo.num_partitions = 1', text)
    return re.sub(r'mhlo\.sharding = "[^"]*"', 'mhlo.sharding = "{replicated}"', text)


def signature(text):
    """(dtype, shape) of the parameters of @main."""
    head = re.search(r'func\.func public @main\((.*?)\) -> ', text, re.S).group(1)
    kinds = dict(f32=np.float32, f64=np.float64, i32=np.int32, i64=np.int64, ui32=np.uint32, ui8=np.uint8, i8=np.int8, i1=np.bool_)
    found = re.findall(r'%\w+: tensor<((?:\d+x)*)(\w+)>', head)
    return [(kinds[kind], tuple(int(n) for n in dims.split('x') if n)) for dims, kind in found]


def inputs(text, path):
    if path:
        archive = np.load(path)
        return [archive[str(i)] for i in range(len(archive.files))]
    rng = np.random.default_rng(0)

    def draw(kind, shape):
        if np.issubdtype(kind, np.floating):
            return rng.uniform(0.1, 1, shape).astype(kind)
        return rng.integers(0, 2, shape).astype(kind)
    return [draw(*one) for one in signature(text)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('original')
    parser.add_argument('embedded')
    parser.add_argument('--inputs', help='arrays 0, 1, ... in an .npz; random ones otherwise')
    parser.add_argument('--tolerance', type=float, default=2e-5)
    args = parser.parse_args()
    original, embedded = (open(name).read() for name in (args.original, args.embedded))
    count = max(int(n) for n in re.findall(r'mhlo\.num_partitions = (\d+)', original + embedded) or ['1'])
    on_xla.start(count)
    devices = on_xla.jax.devices()[:count]
    arrays = inputs(original, args.inputs)
    want = on_xla.run(on_xla.compiled(single(original), devices[:1]), arrays, devices[:1])
    got = on_xla.run(on_xla.compiled(embedded, devices), arrays, devices)
    for i, (a, b) in enumerate(zip(want, got)):
        print(f'result {i}: {a.dtype}{list(a.shape)} differs by {on_xla.difference(a, b):.3g} of its largest element')
    worst = on_xla.worst(want, got)
    print(f'{len(want)} results on {count} devices, worst {worst:.3g}')
    sys.exit(0 if worst <= args.tolerance else 1)


main()
