"""Time and memory together, as the TPU compiler sees them ahead of time: XLA's own partition, ours, and ours within limits.

    python tpu_frontier.py ANCHORS --meshwright BIN --out FILE.json [--only NAME ...] [--points xla ours 3G ...] [--label WORD]

`ANCHORS` is the folder of `dropin.py` and `jax_moe_step.py`. No TPU is needed, but libtpu is (`pip install libtpu`); without
it this says so and ends. Every compilation takes a minute or more and is done once: what `FILE.json` holds is not run again
(`--label` keeps the points of several binaries apart). Seconds are the compiler's own estimate, temporaries its own plan.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DENSE = '--inner 1 --dense 1 --layers 2 --m 8192 --h 65536 --heads 128 --d 256 --seq 1024 --vocab 32000'
PROGRAMS = {
    'dense-128': ('jax_moe_step.py', f'{DENSE} --batch 64 --mesh 8x16 --tpu v3:8x8', ('4G', '3G')),
    'moe-128': ('jax_moe_step.py', '--inner 1 --layers 4 --m 1024 --h 8192 --heads 16 --experts 128 --batch 512 --seq 1024 '
                                   '--vocab 32000 --mesh 128x1 --tpu v3:8x8', ('4G', '3G')),
    'few-fsdp-128': ('few', 'tpu-fsdp-mixed', ('4G', '3G')),
    'few-tensors-128': ('few', 'tpu-fsdp-tp', ('4G', '3G')),
    'few-experts-128': ('few', 'tpu-experts', ('4G', '3G')),
    'dense-2048': ('jax_moe_step.py', f'{DENSE} --batch 1024 --mesh 32x64 --tpu v3:32x32', ('3G', '2500M')),
}

# What a word of a point is to `partition`; any other is a memory limit.
OPTIONS = {'seconds': '--least seconds', 'unlooped': '--loops-from never'}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('anchors', type=pathlib.Path)
    parser.add_argument('--meshwright', required=True)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--only', nargs='+', default=list(PROGRAMS), choices=list(PROGRAMS))
    parser.add_argument('--points', nargs='+', help='`xla`, `shardy` (XLA by it; only `few-`), `ours`, `seconds` (ours by `--least seconds`), `unlooped` (ours by `--loops-from never`), memory limits for ours, or several (`seconds+3G`) [default: xla, ours, two limits]')
    parser.add_argument('--label', default='ours', help='of the binary')
    args = parser.parse_args()
    if importlib.util.find_spec('libtpu') is None:
        print('skipped: libtpu is not installed (pip install libtpu)')
        return
    found = json.loads(args.out.read_text()) if args.out.exists() else {}
    for name in args.only:
        for point in args.points or ['xla', 'ours', *PROGRAMS[name][2]]:
            key = point if point in ('xla', 'shardy') else args.label if point == 'ours' else f'{args.label} {point}'
            if key not in found.setdefault(name, {}):
                found[name][key] = compiled(args, name, point)
                part = args.out.with_suffix('.part')
                part.write_text(json.dumps(found, indent=1))
                part.rename(args.out)
    print(table(found))


def compiled(args, name, point):
    """The compiler's figures for one point, or the last line of what went wrong."""
    script, words, _ = PROGRAMS[name]
    path = HERE / 'few' / 'tpu_step.py' if script == 'few' else args.anchors / script
    command = [sys.executable, *([] if point in ('xla', 'shardy') else [str(args.anchors / 'dropin.py'), args.meshwright]), str(path), *words.split()]
    limit = '' if point in ('xla', 'shardy', 'ours') else ' '.join(OPTIONS.get(word, f'--memory-limit {word}') for word in point.split('+'))
    print(f'{name}: {point} ...', file=sys.stderr, flush=True)
    done = subprocess.run(command + (['--shardy'] if point == 'shardy' else []), capture_output=True, text=True, env=dict(os.environ, TPU_SKIP_MDS_QUERY='1', MESHWRIGHT_ARGS=limit))
    if done.returncode:
        return dict(error=said(done.stderr))
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    return {key: answer[key] for key in ('optimal_s', 'temp_bytes', 'argument_bytes')}


def said(stderr):
    """The line of an error that says most."""
    lines = stderr.strip().splitlines()
    telling = [line for line in lines if 'RESOURCE_EXHAUSTED' in line or 'Ran out of memory' in line or line.startswith('meshwright: ')]
    return (telling or lines)[-1][:200]


def table(found):
    lines = [f"{'':18} {'':16} {'seconds':>9} {'temporaries':>12}   {'seconds':>7} {'temporaries':>11}   of XLA's"]
    for name, points in found.items():
        for key, point in points.items():
            if 'error' in point:
                lines.append(f"{name:18} {key:16} {point['error']}")
                continue
            line = f"{name:18} {key:16} {point['optimal_s']:9.4f} {point['temp_bytes'] / 1e6:9.0f} MB"
            if 'temp_bytes' in points.get('xla', {}) and key != 'xla':
                xla = points['xla']
                line += f"   {point['optimal_s'] / xla['optimal_s']:7.3f} {point['temp_bytes'] / xla['temp_bytes']:11.3f}"
            lines.append(line)
    return '\n'.join(lines)


main()
