"""Whether what `meshwright complete` prints is a sound module to MLIR with the dialects of StableHLO and Shardy.

    python completion_parses.py --meshwright PATH/TO/meshwright ../tests/xla/*/before_propagation.hlo ../tests/golden/*/module.mlir
"""
import argparse
import subprocess
import sys

from jax._src.interpreters import mlir
from jaxlib.mlir import ir


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    arguments.add_argument('--meshwright', default='meshwright')
    arguments.add_argument('files', nargs='+')
    a = arguments.parse_args()
    refused, read = [], 0
    with mlir.make_ir_context():
        for file in a.files:
            done = subprocess.run([a.meshwright, 'complete', file, '--format', 'stablehlo'], capture_output=True, text=True)
            if done.returncode:
                print(f'{file}: not completed: {done.stderr.splitlines()[0]}')
                continue
            read += 1
            try:
                ir.Module.parse(done.stdout)
            except ir.MLIRError as error:
                refused.append(file)
                print(f'{file}: {str(error)[:400]}')
    print(f'{read} completed modules, {len(refused)} refused by MLIR')
    sys.exit(bool(refused))


main()
