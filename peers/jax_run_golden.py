"""Has XLA run what Meshwright makes of every golden module, on eight virtual devices, and compares with JAX's own results.

    python jax_run_golden.py [--meshwright PATH] [--golden DIR] [--only NAME ...] [--keep DIR]

A module that says nothing of devices gets annotations here: each parameter is split over a 4x2 mesh along its first two
dims that have more than one element (over all eight devices if there is only one), also where that does not divide. Then
`meshwright partition --style embedded` makes one program, XLA compiles that unchanged, and its results are held against
the fixture's, which JAX computed on one device. Prints one line per module that differs and ends with `N of N`.

A difference is XLA's own only where that is shown in the same run, three ways: the reference interpreter runs the very same
program to JAX's results; a few lines of plain JAX, which Meshwright never saw, have the same fault; and the fault is all there
is: XLA gets the program right once its pass at fault is switched off, or nothing but the NaN that it drops is amiss. Such
modules are counted apart. Exits with 1 if any other differs. Needs jax[cpu]==0.10.2.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np

import on_xla

HERE = Path(__file__).resolve().parent
DEVICES = 8


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


def tolerance(want):
    narrow = any(a.dtype.itemsize < 4 and a.dtype.kind not in 'iub' for a in want)
    return 2.0 ** -6 if narrow else 2e-5


def drops_nan():
    """XLA's all-reduce of a maximum has no NaN where one device has one; its maximum on one device has."""
    jax, P = on_xla.jax, on_xla.jax.sharding.PartitionSpec
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ('d',))
    over_all = jax.jit(jax.shard_map(lambda x: jax.lax.pmax(x, 'd'), mesh=mesh, in_specs=P('d'), out_specs=P()))
    x = np.array([np.nan] + [1.0] * (DEVICES - 1), np.float32)
    return not np.isnan(np.asarray(over_all(x))).any() and bool(np.isnan(jax.jit(jax.numpy.max)(x)))


def forgets_clamp():
    """A slice of a slice: the first begins at 5, which leaves no room for 5 of 7, so at 2; XLA begins at 5."""
    slice_of = on_xla.jax.lax.dynamic_slice
    x = np.arange(7, dtype=np.float32)
    got = on_xla.jax.jit(lambda x, i, j: slice_of(slice_of(x, (i,), (5,)), (j,), (2,)))(x, 5, 0)
    return np.asarray(got).tolist() == [5.0, 6.0] != x[2:4].tolist()


def but_for_nan(case, target, want, got):
    return on_xla.worst([np.where(np.isnan(a), b, a) if a.dtype.kind == 'f' else a for a, b in zip(want, got)], got) <= tolerance(want)


def without_pass(name):
    """Right with a pass of XLA's switched off. XLA reads its flags once, so in another process."""
    def is_right(case, target, want, got):
        again = [sys.executable, __file__, '--golden', case.parent, '--only', case.name, '--keep', target.parent, '--without', name]
        return subprocess.run(again, capture_output=True).returncode == 0
    return is_right


# What XLA's CPU runtime does differently, whoever partitioned the program: in words, in plain JAX, and that it is all.
KNOWN = {
    'special_reduce': ('its all-reduce of a maximum drops NaN', drops_nan, but_for_nan),
    'scatter_unique': ('it merges a slice of a slice without the clamp between them', forgets_clamp, without_pass('algsimp')),
}


def embedded(case, binary, scratch):
    """Where the program made of a case is, and what stood in the way."""
    source, target = scratch / f'{case.name}.mlir', scratch / f'{case.name}.embedded.mlir'
    source.write_text(annotated((case / 'module.mlir').read_text()))
    made = subprocess.run([binary, 'partition', source, '--style', 'embedded', '-o', target], capture_output=True, text=True)
    said = made.stderr.strip().splitlines() or [str(made.returncode)]
    return target, f'not partitioned: {said[0]}' if made.returncode != 0 else None


def inputs(case):
    return arrays_of(case / 'inputs.npz') if (case / 'inputs.npz').exists() else []


def results(path, case):
    """What XLA makes of a text with the case's inputs."""
    program = path.read_text()
    count = int((re.findall(r'mhlo\.num_partitions = (\d+)', program) or ['1'])[0])
    devices = on_xla.jax.devices()[:count]
    if count > len(devices):
        raise ValueError(f'it is for {count} devices')
    return on_xla.run(on_xla.compiled(program, devices), inputs(case), devices)


def check(case, binary, scratch):
    """What is wrong with a case, and whose doing it is where that can be shown."""
    target, problem = embedded(case, binary, scratch)
    if problem:
        return problem
    want = arrays_of(case / 'outputs.npz')
    try:
        got = results(target, case)
    except Exception as error:
        return f'XLA: {str(error).strip().splitlines()[0][:160]}'
    found = on_xla.worst(want, got)
    if found <= tolerance(want):
        return ''
    shown = case.name in KNOWN and is_xlas(case, binary, target, want, got)
    return f'differs by {found:.3g}' + (f'{XLAS}{KNOWN[case.name][0]}' if shown else '')


XLAS = '; shown to be XLA\'s: '


def is_xlas(case, binary, target, want, got):
    _, in_plain_jax, is_all = KNOWN[case.name]
    judge = [binary, 'run', target, '--backend', 'interp', '--expect', case / 'outputs.npz']
    judge += ['--inputs', case / 'inputs.npz'] if (case / 'inputs.npz').exists() else []
    is_right = subprocess.run(judge, capture_output=True).returncode == 0
    return is_right and in_plain_jax() and is_all(case, target, want, got)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--meshwright', default='meshwright', help='the binary')
    parser.add_argument('--golden', type=Path, default=HERE.parent / 'tests' / 'golden')
    parser.add_argument('--only', nargs='*', default=[])
    parser.add_argument('--keep', type=Path, help='leave the programs here')
    parser.add_argument('--worker', type=int, help=argparse.SUPPRESS)
    parser.add_argument('--without', help=argparse.SUPPRESS)
    args = parser.parse_args()
    cases = sorted(case for case in args.golden.iterdir() if (case / 'module.mlir').exists() and (case / 'outputs.npz').exists())
    cases = [case for case in cases if not args.only or case.name in args.only]
    if args.without:
        on_xla.start(DEVICES, f'--xla_disable_hlo_passes={args.without}')
        sys.exit(0 if all(agrees(case, args.keep) for case in cases) else 1)
    if args.worker is not None:
        on_xla.start(DEVICES)
        for at, case in list(enumerate(cases))[args.worker:]:
            print(f'{at}\t{check(case, args.meshwright, args.keep)}', flush=True)
        return
    with tempfile.TemporaryDirectory() as scratch:
        problems = in_workers(cases, args.keep or Path(scratch))
    for case, problem in zip(cases, problems):
        if problem:
            print(f'{case.name}: {problem}')
    good, theirs = problems.count(''), sum(XLAS in problem for problem in problems)
    print(f'{good} of {len(cases) - theirs}' + (f', and {theirs} that XLA was shown to run otherwise' if theirs else ''))
    sys.exit(0 if good + theirs == len(cases) else 1)


def agrees(case, programs):
    want = arrays_of(case / 'outputs.npz')
    return on_xla.worst(want, results(programs / f'{case.name}.embedded.mlir', case)) <= tolerance(want)


def in_workers(cases, scratch):
    """What is wrong with each case. XLA may take its process with it: then another goes on behind that case."""
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
