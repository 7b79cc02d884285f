"""Rows at sizes the interpreter runs: is what we make of them right?"""
import dataclasses
import subprocess

from few.dump import Built

SMALL = dict(B=8, S=16, M=32, H=64, N=8, K=8, D=8, V=64, L=2, E=8, size=16, C0=8, C1=16, C2=32, C=16, T=16, F=16, nodes=64, edges=128)


def small(row):
    sizes = {**SMALL, **({'K': row.options['K']} if row.options.get('K') in (2, 4) else {})}
    words = {key: value for key, value in row.options.items() if key not in SMALL}
    return dataclasses.replace(row, name=f'small-{row.name}', options={**words, **sizes})


def verified(binary, chosen, out):
    """The names of rows that are not equal, each told what the command wrote."""
    wrong = []
    for row in map(small, chosen):
        path = out / f'.{row.name}.mlir'
        path.write_text(Built(row).lowered().as_text())
        done = subprocess.run([str(binary), 'verify', str(path)], capture_output=True, text=True)
        print(f'{row.name}: {(done.stdout + done.stderr).strip().splitlines()[-1]}', flush=True)
        if done.returncode:
            wrong.append(row.name)
        else:
            path.unlink()
    return wrong
