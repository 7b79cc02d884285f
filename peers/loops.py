"""Loops of the engine beside a copy of as many bytes, by turns.

    python loops.py [--threads 2] [--pairs 5] [NAME ...]

Each program reads 128 MiB and writes as many, of f32, or of bf16 that is computed in f32. A copy is `memmove` by as many threads as the engine has, the fastest of
five; the engine's time is what `meshwright bench step` gives as its best. Prints milliseconds of both (medians of the pairs) and the median
share of the copy's rate with its 90% interval. Needs `meshwright` (built with --release; MESHWRIGHT=... to choose) and numpy.
"""
import argparse
import concurrent.futures
import ctypes
import json
import os
import random
import statistics
import subprocess
import tempfile
import time

import numpy as np

BYTES = 128 << 20


def reduce(name, operand, op, shape, init):
    row = shape[0]
    full = 'x'.join(map(str, shape))
    return f"""    %{name}0 = stablehlo.constant dense<{init}> : tensor<f32>
    %{name}1 = stablehlo.reduce(%{operand} init: %{name}0) applies stablehlo.{op} across dimensions = [1] : (tensor<{full}xf32>, tensor<f32>) -> tensor<{row}xf32>
    %{name} = stablehlo.broadcast_in_dim %{name}1, dims = [0] : (tensor<{row}xf32>) -> tensor<{full}xf32>
"""


def flat(body):
    count = BYTES // 4
    return (count,), lambda ty: ''.join(
        f'    %c{at} = stablehlo.constant dense<{value}> : {ty}\n' for at, value in enumerate(['1.5', '0.25', '-0.5', '0.75'])
    ) + ''.join(f'    %{to} = stablehlo.{op} {operands} : {ty}\n' for to, op, operands in body)


def rows(length, body):
    shape = (BYTES // 4 // length, length)
    return shape, lambda ty: body(shape, ty)


def narrow(length, body):
    """The same of bf16: `x` is widened first, `r` narrowed at the end."""
    shape = (BYTES // 2 // length, length)

    def wide(ty):
        own = ty.replace('bf16', 'f32')
        inner = body(shape, own).replace('%x', '%xw').replace('%r ', '%rw ')
        return f'    %xw = stablehlo.convert %x : ({ty}) -> {own}\n{inner}    %r = stablehlo.convert %rw : ({own}) -> {ty}\n'
    return shape, wide


def softmax(shape, ty):
    return (reduce('m', 'x', 'maximum', shape, '0xFF800000') + f'    %d = stablehlo.subtract %x, %m : {ty}\n    %e = stablehlo.exponential %d : {ty}\n'
            + reduce('s', 'e', 'add', shape, '0.0') + f'    %r = stablehlo.divide %e, %s : {ty}\n')


def normalization(shape, ty):
    length = shape[1]
    return (f'    %n = stablehlo.constant dense<{1 / length}> : {ty}\n    %eps = stablehlo.constant dense<1.0e-6> : {ty}\n    %g = stablehlo.constant dense<1.25> : {ty}\n'
            + reduce('s', 'x', 'add', shape, '0.0') + f'    %mean = stablehlo.multiply %s, %n : {ty}\n    %d = stablehlo.subtract %x, %mean : {ty}\n    %q = stablehlo.multiply %d, %d : {ty}\n'
            + reduce('v', 'q', 'add', shape, '0.0') + f'    %var = stablehlo.multiply %v, %n : {ty}\n    %w = stablehlo.add %var, %eps : {ty}\n'
            f'    %i = stablehlo.rsqrt %w : {ty}\n    %k = stablehlo.multiply %d, %i : {ty}\n    %l = stablehlo.multiply %k, %g : {ty}\n    %r = stablehlo.add %l, %eps : {ty}\n')


PROGRAMS = {
    'multiply': flat([('r', 'multiply', '%x, %c0')]),
    'four': flat([('a', 'multiply', '%x, %c0'), ('b', 'maximum', '%a, %c2'), ('d', 'add', '%b, %c1'), ('r', 'multiply', '%d, %c3')]),
    'tanh': flat([('a', 'multiply', '%x, %c0'), ('b', 'tanh', '%a'), ('d', 'add', '%b, %c1'), ('r', 'multiply', '%d, %c3')]),
    'logistic': flat([('r', 'logistic', '%x')]),
    'normalization-8192': rows(8192, normalization),
    'normalization-1024': rows(1024, normalization),
    'normalization-128': rows(128, normalization),
    'softmax-8192': rows(8192, softmax),
    'softmax-1024': rows(1024, softmax),
    'softmax-128': rows(128, softmax),
    'normalization-1024-bf16': narrow(1024, normalization),
    'softmax-8192-bf16': narrow(8192, softmax),
    'softmax-1024-bf16': narrow(1024, softmax),
    'softmax-128-bf16': narrow(128, softmax),
}


def write(folder, name):
    shape, body = PROGRAMS[name]
    ty = f'tensor<{"x".join(map(str, shape))}x{"bf16" if name.endswith("bf16") else "f32"}>'
    path = f'{folder}/{name}.mlir'
    with open(path, 'w') as file:
        file.write(f'module {{\n  func.func public @main(%x: {ty}) -> {ty} {{\n{body(ty)}    return %r : {ty}\n  }}\n}}\n')
    return path


def ours(path, threads):
    command = [os.environ.get('MESHWRIGHT', 'meshwright'), '--json', 'bench', 'step', path, '--repeat', '9', '--devices', '1', '--threads', str(threads)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)['best_s']


def copy(source, target, pool, threads):
    share = BYTES // threads

    def one(at):
        ctypes.memmove(target.ctypes.data + at * share, source.ctypes.data + at * share, share)

    def once(_):
        begin = time.perf_counter()
        list(pool.map(one, range(threads)))
        return time.perf_counter() - begin
    return min(map(once, range(9)))


def interval(ratios):
    """90% interval of the median, by drawing anew."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(4000))
    return medians[int(0.05 * len(medians))], medians[int(0.95 * len(medians))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', metavar='NAME', help=f'of {", ".join(PROGRAMS)}; all of them if none is given')
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--pairs', type=int, default=5)
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in PROGRAMS]
    if unknown:
        parser.error(f'there is no {unknown[0]}; there are {", ".join(PROGRAMS)}')
    source, target = np.ones(BYTES // 4, np.float32), np.zeros(BYTES // 4, np.float32)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(args.threads) as pool:
        for name in args.names or PROGRAMS:
            path = write(folder, name)
            pairs = [(ours(path, args.threads), copy(source, target, pool, args.threads)) for _ in range(args.pairs)]
            shares = [theirs / mine for mine, theirs in pairs]
            low, high = interval(shares)
            mine, theirs = (statistics.median(side) * 1e3 for side in zip(*pairs))
            print(f'{name:24} {mine:7.2f} ms   copy {theirs:6.2f} ms   {statistics.median(shares):.2f} [{low:.2f}, {high:.2f}] of its rate', flush=True)


if __name__ == '__main__':
    main()
