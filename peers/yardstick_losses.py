#!/usr/bin/env python3
"""Five Adam steps of the yardstick in JAX and, written with our front end, here: the same weights, tokens and losses.

    yardstick_losses.py ANCHOR.py --meshwright BIN --example BIN      compare: f64 losses, and the first in f32
    yardstick_losses.py ANCHOR.py --write                             write the fixture that a test holds without JAX

ANCHOR.py is the anchor script (its own text is run, up to where it lowers the step); `--example` is the built example
`yardstick`, which writes our step as StableHLO. Weights are drawn in f32, as the anchor draws them, and widened for f64.
The fixture is `tests/golden_steps/yardstick`: `inputs.npz` holds the weights in order of their names, then the tokens;
`outputs.npz` the five losses in f64 and the five in f32.
"""
import argparse
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

SIZES = dict(layers=2, m=16, h=32, heads=4, experts=8, batch=8, seq=16, vocab=64)
STEPS = 5
FIXTURE = pathlib.Path(__file__).resolve().parent.parent / 'tests' / 'golden_steps' / 'yardstick'

# Run behind the anchor's model, in a process of its own: with and without 64-bit numbers JAX computes differently.
TAIL = '''
rng = np.random.default_rng(0)
dtype = np.float64 if jax.config.jax_enable_x64 else np.float32
p = {k: (np.ones(s) if 'ln' in k else rng.standard_normal(s) * 0.02).astype(np.float32) for k, (s, _) in parameters().items()}
tok = rng.integers(0, V, (B, S)).astype(np.int32)
np.savez(OUT, *[p[k] for k in sorted(p)], tok)
p = {k: x.astype(dtype) for k, x in p.items()}
m = {k: np.zeros_like(x) for k, x in p.items()}
v = {k: np.zeros_like(x) for k, x in p.items()}
losses = []
for _ in range(STEPS):
    p, m, v, loss = jax.jit(step)(p, m, v, tok)
    assert loss.dtype == dtype
    losses.append(float(loss))
print(json.dumps({'losses': losses, 'names': sorted(p)}))
'''


def in_jax(anchor, wide):
    """(losses, names of the weights, arrays) of a run in JAX."""
    source = pathlib.Path(anchor).read_text().split('\nspecs = parameters()')[0]
    sizes = [word for name, size in SIZES.items() for word in (f'--{name}', str(size))]
    with tempfile.TemporaryDirectory() as folder:
        out = f'{folder}/inputs.npz'
        program = f'{source}\nOUT, STEPS = {out!r}, {STEPS}\n{TAIL}'
        env = dict(os.environ, JAX_PLATFORMS='cpu', JAX_ENABLE_X64=str(int(wide)))
        command = [sys.executable, '-c', program, '--inner', '1', '--devices', '1', *sizes]
        done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
        found = json.loads(done.stdout.splitlines()[-1])
        archive = np.load(out)
        return found['losses'], found['names'], [archive[key] for key in archive.files]


def here(arguments, names, arrays, wide):
    """Losses of our step, run again and again on its own results."""
    dtype = np.float64 if wide else np.float32
    sizes = [word for name, size in SIZES.items() for word in (f'--{name}', str(size))]
    with tempfile.TemporaryDirectory() as folder:
        text = f'{folder}/step.mlir'
        subprocess.run([arguments.example, '--stablehlo', text, '--x', '4', '--y', '2', '--f64', str(int(wide)), *sizes], check=True)
        module = pathlib.Path(text).read_text()
        main = module[module.index('@main('):]
        main = main[:main.index('{\n')]
        inputs, results = main.split('->')
        inputs = re.findall(r'%([\w.]+): tensor', inputs)
        results = re.findall(r'jax\.result_info = "([^"]+)"', results)
        state = {'tokens': arrays[-1]}
        for name, array in zip(names, arrays):
            state[f'p.{name}'] = array.astype(dtype)
            state[f'm.{name}'] = state[f'v.{name}'] = np.zeros_like(array, dtype)
        losses = []
        for _ in range(STEPS):
            np.savez(f'{folder}/in.npz', *[state[name] for name in inputs])
            subprocess.run([arguments.meshwright, 'run', text, '--backend', 'cpu', '--inputs', f'{folder}/in.npz', '--outputs',
                            f'{folder}/out.npz'], check=True, capture_output=True)
            archive = np.load(f'{folder}/out.npz')
            found = dict(zip(results, [archive[key] for key in archive.files], strict=True))
            losses.append(float(found.pop('loss')))
            state.update(found)
        return losses


def write_npz(path, arrays):
    """Like `np.savez`, but the same arrays always give the same bytes."""
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_STORED) as archive:
        for i, array in enumerate(arrays):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array, order='C'), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f'{i}.npy', date_time=(1980, 1, 1, 0, 0, 0)), buffer.getvalue())


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('anchor')
    options.add_argument('--meshwright', default='meshwright')
    options.add_argument('--example')
    options.add_argument('--write', action='store_true')
    arguments = options.parse_args()
    wide, names, arrays = in_jax(arguments.anchor, True)
    narrow, _, again = in_jax(arguments.anchor, False)
    assert all((a == b).all() for a, b in zip(arrays, again, strict=True))
    if arguments.write:
        FIXTURE.mkdir(parents=True, exist_ok=True)
        write_npz(FIXTURE / 'inputs.npz', arrays)
        write_npz(FIXTURE / 'outputs.npz', [np.array(wide), np.array(narrow)])
    if not arguments.example:
        return print(json.dumps({'f64': wide, 'f32': narrow}))
    ours = here(arguments, names, arrays, True)
    first = here(arguments, names, arrays, False)[0]
    apart = max(abs(a - b) / abs(b) for a, b in zip(ours, wide, strict=True))
    apart_first = abs(first - narrow[0]) / abs(narrow[0])
    print(json.dumps({'jax_f64': wide, 'ours_f64': ours, 'apart_f64': apart, 'apart_first_f32': apart_first}))
    sys.exit(not (apart <= 1e-10 and apart_first <= 1e-6))


if __name__ == '__main__':
    main()
