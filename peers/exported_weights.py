#!/usr/bin/env python3
"""Weights that `meshwright export` wrote, read by the safetensors package and held against the checkpoint's own pieces.

    exported_weights.py [CONFIG]        MESHWRIGHT names the binary; CONFIG is a preset or a file

Trains two steps with experts split over devices, exports, and reads the file in Python. Every tensor must have the name,
shape and bits that the pieces of the checkpoint put together have, and nothing may be missing. Needs numpy and
safetensors; without them it says so and checks nothing.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from safetensors.numpy import load_file
except ImportError as missing:
    print(f'skipped: {missing}; `pip install -r requirements.txt` has it')
    sys.exit(0)

binary = os.environ.get('MESHWRIGHT', 'meshwright')
small = pathlib.Path(__file__).parent.parent / 'crates/train/tests/small.toml'
config = sys.argv[1] if len(sys.argv) > 1 else str(small)


def put_together(folder):
    """The tensors of a checkpoint, by name, and what each is."""
    index = json.loads((folder / 'index.json').read_text())['index']
    files = {name: load_file(folder / name) for name in index['files']}
    tensors = {}
    for name, tensor in index['tensors'].items():
        pieces = [(piece, files[piece['file']][piece['entry']]) for piece in tensor['pieces']]
        whole = np.empty(tensor['shape'], pieces[0][1].dtype)
        for piece, numbers in pieces:
            place = tuple(slice(at, at + size) for at, size in zip(piece['start'], piece['shape']))
            whole[place] = numbers.reshape(piece['shape'])
        tensors[name] = (whole, len(pieces), tensor['role'])
    return tensors


def run(*arguments, cwd):
    subprocess.run([binary, *arguments], cwd=cwd, check=True, stdout=subprocess.DEVNULL)


with tempfile.TemporaryDirectory() as place:
    run('train', config, '--steps', '2', '--out', 'run', cwd=place)
    run('export', 'run', '-o', 'model.safetensors', cwd=place)
    run('export', 'run', '--all', '-o', 'all.safetensors', cwd=place)
    checkpoint = max(pathlib.Path(place, 'run', 'checkpoints').iterdir())
    expected = put_together(checkpoint)
    weights, everything = (load_file(pathlib.Path(place, name)) for name in ['model.safetensors', 'all.safetensors'])
    assert everything.keys() == expected.keys(), sorted(everything.keys() ^ expected.keys())
    roles = {role for name, (_, _, role) in expected.items() if name in weights}
    assert weights.keys() == {name for name, (_, _, role) in expected.items() if role in roles}, roles
    for read in [weights, everything]:
        for name, numbers in read.items():
            whole = expected[name][0]
            same = (numbers.shape, numbers.dtype, numbers.tobytes()) == (whole.shape, whole.dtype, whole.tobytes())
            assert same, f'{name}: {numbers.shape} {numbers.dtype} is not {whole.shape} {whole.dtype}'
    count = sum(numbers.size for numbers in weights.values())
    split = sum(expected[name][1] > 1 for name in weights)
    print(f'{len(weights)} weights ({split} were split), {count} numbers: equal bit by bit;', end=' ')
    print(f'with the optimizer\'s {len(everything)}; roles of weights: {", ".join(sorted(roles))}')
