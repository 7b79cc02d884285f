"""Runs what Meshwright partitioned on XLA itself, and compares it with the module it was made from.

    python jax_run_partitioned.py ORIGINAL.mlir EMBEDDED.mlir [--inputs IN.npz] [--tolerance 2e-5]

Both are StableHLO with global signatures. The original runs on one device with its annotations ignored; the embedded
program (`meshwright partition --style embedded`) is compiled by XLA for as many virtual CPU devices as it says, unchanged.
Prints one line per result with the largest difference, and exits with 1 if any is above the tolerance, which is relative
to the largest element of the result. Needs jax[cpu]==0.10.2.
"""
import argparse
import os
import re
import sys

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('original')
parser.add_argument('embedded')
parser.add_argument('--inputs', help='arrays 0, 1, ... in an .npz; random ones otherwise')
parser.add_argument('--tolerance', type=float, default=2e-5)
args = parser.parse_args()
texts = {name: open(name).read() for name in (args.original, args.embedded)}
DEVICES = max(int(n) for text in texts.values() for n in re.findall(r'mhlo\.num_partitions = (\d+)', text) or ['1'])
os.environ['XLA_FLAGS'] = f'--xla_force_host_platform_device_count={DEVICES} --xla_allow_excess_precision=false'
os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import numpy as np
from jax._src.interpreters import mlir
from jax._src.sharding_impls import GSPMDSharding
from jax._src.lib import xla_client as xc
from jax._src.lib.mlir import ir

jax.config.update('jax_enable_x64', True)


def compiled(text, devices):
    """An executable of XLA for a StableHLO text, partitioned by XLA over the devices."""
    options = xc.CompileOptions()
    options.num_replicas = 1
    options.num_partitions = len(devices)
    build = options.executable_build_options
    build.num_partitions = len(devices)
    build.use_spmd_partitioning = len(devices) > 1
    build.use_shardy_partitioner = 'sdy.' in text
    options.device_assignment = xc.DeviceAssignment.create(np.array([[d.id for d in devices]]))
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        return jax.devices()[0].client.compile_and_load(module, xc.DeviceList(tuple(devices)), options)


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


def inputs(text):
    if args.inputs:
        archive = np.load(args.inputs)
        return [archive[str(i)] for i in range(len(archive.files))]
    rng = np.random.default_rng(0)

    def draw(kind, shape):
        if np.issubdtype(kind, np.floating):
            return rng.uniform(0.1, 1, shape).astype(kind)
        return rng.integers(0, 2, shape).astype(kind)
    return [draw(*one) for one in signature(text)]


def run(executable, arrays, devices):
    shardings = [GSPMDSharding(tuple(devices), s) for s in executable.get_parameter_shardings() or []]
    if not shardings:
        shardings = [jax.sharding.SingleDeviceSharding(devices[0])] * len(arrays)
    placed = [jax.device_put(a, s) for a, s in zip(arrays, shardings)]
    outs = executable.execute_sharded(placed).disassemble_into_single_device_arrays()
    out_shardings = executable.get_output_shardings() if len(devices) > 1 else None
    return [whole(pieces, out_shardings[i] if out_shardings else None, devices) for i, pieces in enumerate(outs)]


def whole(pieces, sharding, devices):
    """Put the devices' pieces of one result together."""
    if sharding is None:
        return np.asarray(pieces[0])
    sharding = GSPMDSharding(tuple(devices), sharding)
    tiles = sharding._hlo_sharding.tile_assignment_dimensions() if sharding._hlo_sharding.is_tiled() else []
    shape = tuple(n * (tiles[d] if d < len(tiles) else 1) for d, n in enumerate(pieces[0].shape))
    array = jax.make_array_from_single_device_arrays(shape, sharding, pieces)
    return np.asarray(array)


devices = jax.devices()[:DEVICES]
arrays = inputs(texts[args.original])
want = run(compiled(single(texts[args.original]), devices[:1]), arrays, devices[:1])
got = run(compiled(texts[args.embedded], devices), arrays, devices)
worst = 0.0
for i, (a, b) in enumerate(zip(want, got)):
    scale = float(np.max(np.abs(a.astype(np.float64)))) if a.size else 1.0
    difference = float(np.max(np.abs(a.astype(np.float64) - b.astype(np.float64)))) / (scale or 1.0) if a.size else 0.0
    worst = max(worst, difference if a.shape == b.shape else float('inf'))
    print(f'result {i}: {a.dtype}{list(a.shape)} differs by {difference:.3g} of its largest element')
print(f'{len(want)} results on {DEVICES} devices, worst {worst:.3g}')
sys.exit(0 if worst <= args.tolerance and len(want) == len(got) else 1)
