"""What `meshwright plan` predicts, held against the TPU compiler: memory and time of programs compiled ahead of time for pods.

    python tpu_plan.py ANCHORS --meshwright BIN --out FILE.json [--only NAME ...]      compile what FILE.json lacks, then compare
    python tpu_plan.py --meshwright BIN --out FILE.json --modules DIR                  compare again: nothing is compiled

`ANCHORS` is the folder of `dropin.py` and `jax_moe_step.py`. No TPU is needed, but libtpu is (`pip install libtpu`); without
it this says so and ends. A program is traced by JAX, partitioned by us and compiled by the TPU compiler, which tells bytes of
arguments and of temporaries, and its own estimate of seconds (of v4 it gives negative ones, which count as none); `plan` is given
the program that was compiled, as we partitioned it. A compilation takes minutes and is done once; modules are kept in `--modules`
(default: beside FILE.json).
"""
import argparse
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys

DENSE = '--inner 1 --dense 1 --seq 1024 --vocab 32000 --layers 2'
WIDE = f'{DENSE} --m 8192 --h 65536 --heads 128 --d 256'
NARROW = f'{DENSE} --m 4096 --h 16384 --heads 64 --d 128'
SMALL = f'{DENSE} --m 2048 --h 8192 --heads 16 --d 128'
SPARSE = '--inner 1 --seq 1024 --vocab 32000 --layers 4 --m 1024 --h 8192 --heads 16'

# Name: words of `jax_moe_step.py`, mesh, topology. A device of v3 is a core, two to a chip; one of v4 a chip.
PROGRAMS = {
    'dense-small-v3-32': (f'{SMALL} --batch 32', '4x8', 'v3:4x4'),
    'sparse-v3-32': (f'{SPARSE} --experts 32 --batch 128', '32x1', 'v3:4x4'),
    'dense-narrow-v4-16': (f'{NARROW} --batch 16', '4x4', 'v4:2x2x4'),
    'sparse-v4-16': (f'{SPARSE} --experts 16 --batch 64', '16x1', 'v4:2x2x4'),
    'dense-narrow-v3-128': (f'{NARROW} --batch 96', '16x8', 'v3:8x8'),
    'dense-wide-v4-64': (f'{WIDE} --batch 64', '8x8', 'v4:4x4x4'),
    'dense-wide-v3-128': (f'{WIDE} --batch 64', '8x16', 'v3:8x8'),
    'sparse-v3-128': (f'{SPARSE} --experts 128 --batch 512', '128x1', 'v3:8x8'),
}

PARTITIONED = 'partitioned.mlir'

COLUMNS = ('program', 'compiler GB', 'plan GB', 'error %', 'compiler s', 'plan s')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('anchors', type=pathlib.Path, nargs='?')
    parser.add_argument('--meshwright', required=True)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--modules', type=pathlib.Path)
    parser.add_argument('--only', nargs='+', default=list(PROGRAMS), choices=list(PROGRAMS))
    args = parser.parse_args()
    modules = args.modules or args.out.with_suffix('')
    found = json.loads(args.out.read_text()) if args.out.exists() else {}
    if args.anchors and importlib.util.find_spec('libtpu') is None:
        print('skipped: libtpu is not installed (pip install libtpu)')
        return
    for name in args.only:
        if args.anchors and 'temp_bytes' not in found.get(name, {}):
            found[name] = compiled(args, name, modules / name)
            written(args.out, found)
    for name in args.only:
        module = modules / name / PARTITIONED
        if 'temp_bytes' in found.get(name, {}) and module.exists():
            found[name]['plan'] = planned(args.meshwright, name, module)
            written(args.out, found)
    print(table(found))


def written(path, found):
    part = path.with_suffix('.part')
    part.write_text(json.dumps(found, indent=1) + '\n')
    part.rename(path)


def compiled(args, name, folder):
    """The compiler's figures for our partition, or the last line of what went wrong."""
    words, mesh, topology = PROGRAMS[name]
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(args.anchors / 'dropin.py'), args.meshwright, str(args.anchors / 'jax_moe_step.py'),
               *words.split(), '--mesh', mesh, '--tpu', topology, '--dump', str(folder)]
    print(f'{name} ...', file=sys.stderr, flush=True)
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, TPU_SKIP_MDS_QUERY='1'))
    if done.returncode:
        return dict(error=done.stderr.strip().splitlines()[-1][:200])
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    # The same command on the same module gives the same program.
    devices = math.prod(map(int, mesh.split('x')))
    subprocess.run([args.meshwright, 'partition', str(folder / 'stablehlo.mlir'), '--devices', str(devices), '--style', 'embedded',
                    '-o', str(folder / PARTITIONED)], check=True, capture_output=True)
    return {key: answer[key] for key in ('optimal_s', 'temp_bytes', 'argument_bytes', 'flops_per_device')}


def planned(binary, name, module):
    """What we predict of the program that was compiled."""
    topology = PROGRAMS[name][2]
    done = subprocess.run([binary, 'plan', str(module), '--target', f'tpu-{topology}', '--json'], capture_output=True, text=True)
    # 1 is also what does not fit, and is planned all the same.
    if not done.stdout or not json.loads(done.stdout)["ok"]:
        return dict(error=done.stderr.strip().splitlines()[0][:200])
    answer = json.loads(done.stdout)
    return dict(peak_bytes=answer['memory']['peak'], step_s=answer['step_s']['value'])


def peak(answer):
    return answer['argument_bytes'] + answer['temp_bytes']


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    return [order.index(at) for at in range(len(values))]


def rank_correlation(pairs):
    """Spearman's: of the ranks, 1 where both sides put all programs in one order."""
    n = len(pairs)
    one, other = ranks([a for a, _ in pairs]), ranks([b for _, b in pairs])
    return 1 - 6 * sum((a - b) ** 2 for a, b in zip(one, other)) / (n * (n * n - 1))


def table(found):
    lines, times, errors = ['| ' + ' | '.join(COLUMNS) + ' |', '|---' * len(COLUMNS) + '|'], [], []
    for name, answer in found.items():
        plan = answer.get('plan', {})
        if 'error' in answer or 'error' in plan:
            lines.append(f"| {name} | {answer.get('error') or plan['error']} |")
            continue
        memory, told = peak(answer) / 1e9, answer['optimal_s']
        seconds = f'{told:.4f}' if told > 0 else 'none'
        if not plan:
            lines.append(f'| {name} | {memory:.2f} | | | {seconds} | |')
            continue
        error = plan['peak_bytes'] / peak(answer) - 1
        errors.append(abs(error))
        if told > 0:
            times.append((told, plan['step_s']))
        lines.append(f"| {name} | {memory:.2f} | {plan['peak_bytes'] / 1e9:.2f} | {100 * error:+.1f} | {seconds} | {plan['step_s']:.4f} |")
    if len(times) > 1:
        within = sum(error <= 0.1 for error in errors)
        lines.append(f'\nmemory within 10 %: {within} of {len(errors)}; rank correlation of seconds: {rank_correlation(times):.3f}')
    return '\n'.join(lines)


main()
