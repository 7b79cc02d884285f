"""Compile time by depth: unrolled training steps of 2 to 96 Transformer layers, dense and with experts.

    python compile_layers.py --out DIR                          writes DIR/KIND-LAYERS.mlir, the same bytes every time
    python compile_layers.py --out DIR --meshwright BIN         and times `meshwright bench compile` on each

Kinds: `dense` and `moe` have every activation between products annotated, `dense-few` and `moe-few` parameters and tokens
only. An instruction of a deep step should cost no more than one of a shallow step: the table has microseconds an instruction
for each stage. Needs jax[cpu]==0.10.2, see requirements.txt.
"""
import argparse
import json
import pathlib
import subprocess

import jax

from few.dump import Built
from few.rows import row

OVER = dict(B='x', E='x', N='y', H='y')  # what splits a dim of an activation
KINDS = dict(
    dense=('transformer', 'fsdp_tp', (2, 4), True),
    moe=('moe_einsum', 'experts', (4, 2), True),
    **{'dense-few': ('transformer', 'fsdp_tp', (2, 4), False), 'moe-few': ('moe_einsum', 'experts', (4, 2), False)})


def step(kind, layers):
    """The text of a step, as JAX lowers it for Shardy."""
    model, layout, mesh, annotated = KINDS[kind]

    def mark(x, *dims):
        return jax.lax.with_sharding_constraint(x, built.sharding(
            lambda dims, *_: [OVER.get(dim, ()) for dim in dims], dims))

    options = dict(L=layers, **(dict(mark=mark) if annotated else {}))
    built = Built(row(f'{kind}-{layers}', model, layout, mesh, options))
    return built.lowered().as_text()


def written(kind, layers, out):
    path = out / f'{kind}-{layers}.mlir'
    if not path.exists():
        path.with_suffix('.part').write_text(step(kind, layers))
        path.with_suffix('.part').rename(path)
    return path


def timed(binary, path, repeat):
    """Milliseconds by stage, and how many instructions the program has."""
    done = subprocess.run([binary, 'bench', 'compile', path, '--repeat', str(repeat), '--json'],
                          capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return {name.removesuffix('_ms'): value for name, value in found.items() if name.endswith('_ms')}, found['instructions']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--meshwright')
    parser.add_argument('--kinds', nargs='+', choices=KINDS, default=list(KINDS))
    parser.add_argument('--layers', nargs='+', type=int, default=[2, 8, 24, 48, 96])
    parser.add_argument('--repeat', type=int, default=5)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for kind in args.kinds:
        header = True
        for layers in args.layers:
            path = written(kind, layers, args.out)
            if not args.meshwright:
                continue
            stages, count = timed(args.meshwright, str(path), args.repeat)
            if header:
                print('| microseconds an instruction | instructions | ' + ' | '.join(stages) + ' |')
                print('|---' * (len(stages) + 2) + '|')
                header = False
            per = ' | '.join(f'{ms * 1e3 / count:.2f}' for ms in stages.values())
            print(f'| {kind}, {layers} layers | {count} | {per} |', flush=True)


main()
