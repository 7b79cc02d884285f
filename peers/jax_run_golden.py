"""Has XLA run what Meshwright makes of every golden module, on eight virtual devices, and compares with JAX's own results.

    python jax_run_golden.py [--meshwright PATH] [--golden DIR] [--only NAME ...] [--keep DIR]

A module that says nothing of devices gets annotations here: each parameter is split over a 4x2 mesh along its first two
dims that have more than one element (over all eight devices if there is only one), also where that does not divide. Then
`meshwright partition --style embedded` makes one program, XLA compiles that unchanged, and its results are held against
the fixture's, which JAX computed on one device. Prints one line per module and ends with `N of N`; exits with 1 if any
is missing. Needs jax[cpu]==0.10.2.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEVICES = 8
os.environ['XLA_FLAGS'] = f'--xla_force_host_platform_device_count={DEVICES} --xla_allow_excess_precision=false'
os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import ml_dtypes
import numpy as np
from jax._src.interpreters import mlir
from jax._src.lib import xla_client as xc
from jax._src.lib.mlir import ir
from jax._src.sharding_impls import GSPMDSharding

jax.config.update('jax_enable_x64', True)
jax.numpy.linalg.eigh(np.eye(2))  # lowering it is what makes LAPACK known to XLA


# What XLA's CPU runtime does differently, whoever partitioned the program.
KNOWN = {
    'special_reduce': 'its all-reduce of a maximum drops NaN',
    'scatter_unique': 'it merges a slice of a slice without the clamp between them, after expanding a scatter beside a shard',
}


def annotated(text):
    """The module for eight devices, its parameters split. One that speaks of more than one partition stays as it is."""
    if re.search(r'num_partitions = ([2-9]|\d\d)', text) or 'sdy.mesh' in text:
        return text
    text = re.sub(r'mhlo\.num_partitions = 1\b', f'mhlo.num_partitions = {DEVICES}', text)
    if 'num_partitions' not in text:
        text = re.sub(r'^module (@\w+)? ?\{', f'module \\1 attributes {{mhlo.num_partitions = {DEVICES} : i32}} {{', text, 1)
    head = re.search(r'func\.func public @main\((.*?)\) -> ', text, re.S)
    if not head:
        return text
    split = re.sub(r'(%\w+: tensor<((?:\d+x)*)\w+>)(?! \{)(?=,|$| loc)', lambda m: m.group(1) + sharding(m.group(2)), head.group(1))
    return text[:head.start(1)] + split + text[head.end(1):]


def sharding(dims):
    sizes = [int(n) for n in dims.split('x') if n]
    wide = [d for d, n in enumerate(sizes) if n > 1][:2]
    if not wide:
        return ''
    tiles = [1] * len(sizes)
    for d, n in zip(wide, [4, 2] if len(wide) == 2 else [8]):
        tiles[d] = n
    return f' {{mhlo.sharding = "{{devices=[{",".join(map(str, tiles))}]<=[{DEVICES}]}}"}}'


def compiled(text, devices):
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


def run(executable, arrays, devices):
    given = executable.get_parameter_shardings() or [None] * len(arrays)
    one = jax.sharding.SingleDeviceSharding(devices[0])
    shardings = [GSPMDSharding(tuple(devices), s) if s is not None and len(devices) > 1 else one for s in given]
    placed = [jax.device_put(a, s) for a, s in zip(arrays, shardings)]
    outs = executable.execute_sharded(placed).disassemble_into_single_device_arrays()
    out_shardings = (executable.get_output_shardings() or []) if len(devices) > 1 else []
    return [whole(pieces, out_shardings[i] if i < len(out_shardings) else None, devices) for i, pieces in enumerate(outs)]


def whole(pieces, sharding, devices):
    if sharding is None:
        return np.asarray(pieces[0])
    sharding = GSPMDSharding(tuple(devices), sharding)
    tiles = sharding._hlo_sharding.tile_assignment_dimensions() if sharding._hlo_sharding.is_tiled() else []
    shape = tuple(n * (tiles[d] if d < len(tiles) else 1) for d, n in enumerate(pieces[0].shape))
    return np.asarray(jax.make_array_from_single_device_arrays(shape, sharding, pieces))


def arrays_of(path):
    """Arrays of an archive in order; keys may name a type numpy has not."""
    archive = np.load(path)
    keys = sorted(archive.files, key=lambda key: int(key.split(':')[0].removeprefix('arr_')))
    return [read(archive[key], key.partition(':')[2]) for key in keys]


def read(array, kind):
    names = dict(bf16='bfloat16', f8e4m3fn='float8_e4m3fn', f8e5m2='float8_e5m2', f8e4m3b11fnuz='float8_e4m3b11fnuz',
                 f8e4m3fnuz='float8_e4m3fnuz', f8e5m2fnuz='float8_e5m2fnuz', f8e4m3='float8_e4m3', f8e3m4='float8_e3m4',
                 f8e8m0fnu='float8_e8m0fnu', i4='int4', ui4='uint4', i2='int2', ui2='uint2')
    return array.view(getattr(ml_dtypes, names.get(kind, kind))) if kind else array


def worst(want, got):
    """Largest difference relative to the largest element, over all results; infinite if a type or shape differs."""
    if len(want) != len(got):
        return float('inf')
    return max([difference(a, b) for a, b in zip(want, got)], default=0.0)


def difference(a, b):
    if a.shape != b.shape or a.dtype != b.dtype:
        return float('inf')
    if a.dtype.kind in 'iub':
        return 0.0 if np.array_equal(a, b) else float('inf')
    wide = np.complex128 if a.dtype.kind == 'c' else np.float64
    a, b = a.astype(wide), b.astype(wide)
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite].astype(str), b[~finite].astype(str)):
        return float('inf')
    scale = float(np.max(np.abs(a[finite]), initial=0.0)) or 1.0
    return float(np.max(np.abs(a[finite] - b[finite]), initial=0.0)) / scale


def tolerance(want):
    narrow = any(a.dtype.itemsize < 4 and a.dtype.kind not in 'iub' for a in want)
    return 2.0 ** -6 if narrow else 2e-5


def check(case, binary, scratch):
    text = annotated((case / 'module.mlir').read_text())
    source, embedded = scratch / f'{case.name}.mlir', scratch / f'{case.name}.embedded.mlir'
    source.write_text(text)
    made = subprocess.run([binary, 'partition', source, '--style', 'embedded', '-o', embedded], capture_output=True, text=True)
    if made.returncode != 0:
        return f'not partitioned: {made.stderr.strip().splitlines()[0] if made.stderr.strip() else made.returncode}'
    program = embedded.read_text()
    count = int((re.findall(r'mhlo\.num_partitions = (\d+)', program) or ['1'])[0])
    if count > DEVICES:
        return f'is for {count} devices'
    want = arrays_of(case / 'outputs.npz')
    arrays = arrays_of(case / 'inputs.npz') if (case / 'inputs.npz').exists() else []
    try:
        got = run(compiled(program, jax.devices()[:count]), arrays, jax.devices()[:count])
    except Exception as error:
        return f'XLA: {str(error).strip().splitlines()[0][:160]}'
    found = worst(want, got)
    return None if found <= tolerance(want) else f'differs by {found:.3g}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--meshwright', default='meshwright', help='the binary')
    parser.add_argument('--golden', type=Path, default=HERE.parent / 'tests' / 'golden')
    parser.add_argument('--only', nargs='*', default=[])
    parser.add_argument('--keep', type=Path, help='leave the programs here')
    parser.add_argument('--worker', type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    cases = sorted(case for case in args.golden.iterdir() if (case / 'module.mlir').exists() and (case / 'outputs.npz').exists())
    cases = [case for case in cases if not args.only or case.name in args.only]
    if args.worker is not None:
        for at, case in list(enumerate(cases))[args.worker:]:
            print(f'{at}\t{check(case, args.meshwright, args.keep) or ""}', flush=True)
        return
    with tempfile.TemporaryDirectory() as scratch:
        problems = in_workers(cases, args.keep or Path(scratch))
    for case, problem in zip(cases, problems):
        if problem:
            print(f'{case.name}: {problem}' + (f' (known of XLA: {KNOWN[case.name]})' if case.name in KNOWN else ''))
    good = problems.count('')
    known = sum(bool(problem) and case.name in KNOWN for case, problem in zip(cases, problems))
    print(f'{good} of {len(cases)}' + (f', and {known} that XLA is known to run otherwise' if known else ''))
    sys.exit(0 if good + known == len(cases) else 1)


def in_workers(cases, scratch):
    """A problem or nothing for each case. XLA may take its process with it: then another goes on behind that case."""
    scratch.mkdir(parents=True, exist_ok=True)
    problems = []
    while len(problems) < len(cases):
        command = [sys.executable, *sys.argv, '--keep', str(scratch), '--worker', str(len(problems))]
        worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        problems += [line.rstrip('\n').partition('\t')[2] for line in worker.stdout]
        if worker.wait() != 0:
            problems.append('XLA ended its process')
    return problems


main()
