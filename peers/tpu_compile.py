"""Programs compiled for TPU pods without one: what the TPU compiler says of ours, of what JAX partitions itself, and what `plan` predicts.

    python tpu_compile.py --meshwright BIN --out DIR [--plugin libtpu.so] [--anchors ANCHORS] [--only NAME ...]

`ANCHORS` is the folder of `jax_moe_step.py`: only with it are programs lowered and compiled by JAX. No TPU is needed, but libtpu is
(`pip install libtpu`); without it this says so and ends. Every row is kept in DIR as JSON and not compiled again; `--table` prints
what is there and compiles nothing. What does not compile has the compiler's words in its row.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STEPS = sorted(path.parent.name for path in ROOT.glob('tests/xla/*/before_propagation.hlo'))
# Eight cores: a chip of v4 is two devices here.
EIGHT = 'tpu-v4-core:2x2x1'

WIDE = '--inner 1 --dense 1 --layers 2 --m 8192 --h 65536 --heads 128 --d 256 --seq 1024 --vocab 32000'
# Name: words of `jax_moe_step.py`, and the machine. GSPMD's Table 1, finalized, at the paper's sizes and two layers.
LOWERED = {
    'table1-128': (f'{WIDE} --batch 64 --mesh 8x16', 'v3:8x8'),
    'table1-2048': (f'{WIDE} --batch 1024 --mesh 32x64', 'v3:32x32'),
}
# Models of the papers: GSPMD's tables 2, 6, 7 and 4, and Switch-C.
MODELS = {
    'gspmd-64b-128': 'tpu-v3:8x8',
    'gspmd-64b-512': 'tpu-v3:16x16',
    'gspmd-64b-2048': 'tpu-v3:32x32',
    'gspmd-128b': 'tpu-v3:32x32',
    'gspmd-256b': 'tpu-v3:32x32',
    'gspmd-512b': 'tpu-v3:32x32',
    'gspmd-1t': 'tpu-v3:32x32',
    'gspmd-moe-577b': 'tpu-v3:32x32',
    'gspmd-hybrid-33b': 'tpu-v3:4x4',
    'gspmd-hybrid-57b': 'tpu-v3:8x8',
    'gspmd-hybrid-420b': 'tpu-v3:16x16',
    'gspmd-hybrid-804b': 'tpu-v3:32x32',
    'gspmd-16b-pipe-4x16x4-32': 'tpu-v3:8x16',
    'switch-c': 'tpu-v4:16x16x8',
}
COLUMNS = ('program', 'machine', 'GB', 'plan GB', 'JAX GB', 'paper GB', 's', 'plan s', 'JAX s', 'collectives written', 'compiled')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--meshwright', required=True)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--plugin')
    parser.add_argument('--anchors', type=pathlib.Path)
    parser.add_argument('--only', nargs='+', default=[*STEPS, *LOWERED, *MODELS], choices=[*STEPS, *LOWERED, *MODELS])
    parser.add_argument('--table', action='store_true')
    parser.add_argument('--timeout', type=float, default=3600, help='seconds for one program')
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    args.plugin = args.plugin or os.environ.get('MESHWRIGHT_PJRT_PLUGIN') or packaged()
    if not args.plugin and not args.table:
        print('skipped: libtpu is not installed (pip install libtpu)')
        return
    rows = {}
    for name in args.only:
        path = args.out / f'{name}.json'
        if not path.exists() and not args.table:
            print(f'{name} ...', file=sys.stderr, flush=True)
            row = lowered(args, name) if name in LOWERED else ours(args, *subject(name))
            if row:
                written(path, row)
        if path.exists():
            rows[name] = json.loads(path.read_text())
    print(table(rows))


def packaged():
    found = importlib.util.find_spec('libtpu')
    return found and os.path.join(os.path.dirname(found.origin), 'libtpu.so')


def written(path, row):
    part = path.with_suffix('.part')
    part.write_text(json.dumps(row, indent=1) + '\n')
    part.rename(path)


def subject(name):
    """What is compiled, and for which machine."""
    if name in MODELS:
        return f'preset:{name}', MODELS[name]
    return ROOT / 'tests' / 'xla' / name / 'before_propagation.hlo', EIGHT


def ours(args, what, target, *more):
    command = [args.meshwright, 'compile', str(what), '--target', target, '--plugin', args.plugin, '--json', *more]
    begun = time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=args.timeout)
    except subprocess.TimeoutExpired:
        return dict(target=target, error=f'not compiled within {args.timeout:.0f} s')
    row = dict(target=target, seconds=time.time() - begun)
    if not done.stdout:
        return dict(row, error=f'ended with {done.returncode}: {done.stderr.strip()[-300:]}')
    answer = json.loads(done.stdout)
    if not answer['ok']:
        told = answer['diagnostics'][0]
        return dict(row, error=told['message'], notes=told.get('notes', [])[:2])
    keys = ('memory', 'estimated_s', 'cycles', 'capacity', 'planned', 'collectives_written', 'collectives_compiled', 'compile_s', 'devices')
    return dict(row, **{key: answer[key] for key in keys})


def lowered(args, name):
    """The program that JAX lowers, compiled as JAX partitions it and as we do."""
    if not args.anchors:
        return None
    words, machine = LOWERED[name]
    folder = args.out / name
    command = [sys.executable, str(args.anchors / 'jax_moe_step.py'), *words.split(), '--tpu', machine, '--dump', str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, TPU_SKIP_MDS_QUERY='1', ALLOW_MULTIPLE_LIBTPU_LOAD='1'))
    if done.returncode:
        return dict(target=f'tpu-{machine}', error='JAX: ' + done.stderr.strip().splitlines()[-1][:300])
    jax = json.loads(done.stdout.strip().splitlines()[-1])
    row = ours(args, folder / 'stablehlo.mlir', f'tpu-{machine}')
    # The fastest plan too: without a limit memory is spared that costs little time.
    row['fastest'] = ours(args, folder / 'stablehlo.mlir', f'tpu-{machine}', '--memory-limit', '16G')
    # JAX unrolls the layers, so that the compiler's seconds have all of its work.
    return dict(row, jax={key: jax[key] for key in ('argument_bytes', 'temp_bytes', 'optimal_s', 'compile_s', 'collectives')})


# Peak GB as the papers print them.
PAPER = {
    'gspmd-64b-128': 15.3, 'gspmd-64b-512': 13.3, 'gspmd-64b-2048': 15.56, 'gspmd-128b': 14.0, 'gspmd-256b': 12.9, 'gspmd-512b': 13.6, 'gspmd-1t': 15.8, 'gspmd-moe-577b': 11.6,
    'gspmd-hybrid-33b': 12.3, 'gspmd-hybrid-57b': 12.9, 'gspmd-hybrid-420b': 11.9, 'gspmd-hybrid-804b': 8.5,
}


def table(rows):
    rows = {name + suffix: at for name, row in rows.items() for suffix, at in (('', row), (', the fastest', row.get('fastest'))) if at}
    lines = ['| ' + ' | '.join(COLUMNS) + ' |', '|---' * len(COLUMNS) + '|']
    for name, row in rows.items():
        machine = row['target'].removeprefix('tpu-')
        if 'error' in row:
            lines.append(f"| {name} | {machine} | {row['error']} |" + ' |' * (len(COLUMNS) - 3))
            continue
        jax = row.get('jax', {})
        cells = [
            gigabytes(row['memory']['total']), gigabytes(row['planned']['peak']),
            gigabytes(jax and jax['argument_bytes'] + jax['temp_bytes']), str(PAPER.get(name, '')),
            seconds(row['estimated_s']), seconds(row['planned']['step_s']), seconds(jax and jax['optimal_s']),
            counts(row['collectives_written']), counts(row['collectives_compiled']),
        ]
        lines.append(f'| {name} | {machine} | ' + ' | '.join(cells) + ' |')
    return '\n'.join(lines)


def gigabytes(count):
    return f'{count / 1e9:.2f}' if count else ''


def seconds(time):
    return f'{time:.4f}' if time and time > 0 else ''


SHORT = {'all-gather': 'ag', 'all-reduce': 'ar', 'all-to-all': 'aa', 'collective-permute': 'cp', 'reduce-scatter': 'rs'}


def counts(of):
    return ', '.join(f'{SHORT.get(kind, kind)} {count}' for kind, count in (of or {}).items()) or 'none'


main()
