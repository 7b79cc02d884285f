"""How a case becomes files: lower it, run it, and write what both gave, reproducibly.

This file knows no case (they are in `lower.py`) and needs nothing but JAX. It keeps: the same
case always gives the same text and inputs, whatever ran before it; no machine path in any file.

Numpy has no bf16, f8 or int4. Such an array is stored as its raw bits in uint8 or uint16
(int4: one value per byte), and its key carries the type's StableHLO name: `3:bf16`.
"""
import io
import os
import pathlib
import re
import shutil
import sys
import tempfile
import zipfile
import zlib

os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['XLA_FLAGS'] = ('--xla_force_host_platform_device_count=8 '
                           '--xla_allow_excess_precision=false --xla_cpu_enable_fast_math=false')

import jax
import ml_dtypes
import numpy as np
from jax._src import source_info_util

# Source tables name the case in `lower.py`, not this file: editing here moves no line there.
source_info_util.register_exclusion(os.path.abspath(__file__))

HERE = pathlib.Path(__file__).resolve().parent
DUMP = {'xla_dump_hlo_as_text': True, 'xla_dump_large_constants': True}
RAW = {
    ml_dtypes.bfloat16: ('bf16', np.uint16),
    ml_dtypes.float8_e3m4: ('f8e3m4', np.uint8),
    ml_dtypes.float8_e4m3: ('f8e4m3', np.uint8),
    ml_dtypes.float8_e4m3b11fnuz: ('f8e4m3b11fnuz', np.uint8),
    ml_dtypes.float8_e4m3fn: ('f8e4m3fn', np.uint8),
    ml_dtypes.float8_e4m3fnuz: ('f8e4m3fnuz', np.uint8),
    ml_dtypes.float8_e5m2: ('f8e5m2', np.uint8),
    ml_dtypes.float8_e5m2fnuz: ('f8e5m2fnuz', np.uint8),
    ml_dtypes.float8_e8m0fnu: ('f8e8m0fnu', np.uint8),
    ml_dtypes.int4: ('i4', np.int8),
    ml_dtypes.uint4: ('ui4', np.uint8),
}
RAW = {np.dtype(kind): raw for kind, raw in RAW.items()}


def write_npz(path, arrays):
    """Like `np.savez`, but the same arrays always give the same bytes."""
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_STORED) as archive:
        for i, array in enumerate(arrays):
            array, key = np.asarray(array), str(i)
            if array.dtype in RAW:
                name, bits = RAW[array.dtype]
                key = f'{i}:{name}'
                array = array.astype(bits) if name in ('i4', 'ui4') else array.view(bits)
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array, order='C'), allow_pickle=False)
            entry = zipfile.ZipInfo(key + '.npy', date_time=(1980, 1, 1, 0, 0, 0))
            archive.writestr(entry, buffer.getvalue())


def write_text(path, text):
    """Write a module's text; a quoted source file keeps its name and loses its folder."""
    text = re.sub(r'"/(?:[^"/]*/)*([^"/]+\.py)"', r'"\1"', text)
    for trace in ('site-packages', '"/', '/tmp/', '/home/', '{...}', 'dense_resource'):
        assert trace not in text, f'{path}: a machine path or an elided constant is left in the text ({trace})'
    path.write_text(text.rstrip('\n') + '\n')


def case(*inputs, generic=False, opt=False, x64=False, shardy=True, platform='cpu', outputs=True, **jit):
    """Decorate a function to make it a fixture named like it.

    `inputs` are arrays, or functions of a random generator, seeded by the case's name (less `_gspmd`, so that pairs share inputs).
    `generic` also writes MLIR's generic form, `opt` also XLA's optimized module. `platform` lowers
    as for another platform, where JAX keeps ops that it replaces on CPU by library calls or loops;
    the outputs still come from its CPU form. `outputs=False` is for results that no other
    implementation can repeat, and for what does not run on CPU.
    Further arguments go to `jax.jit`.
    """
    def make(fn):
        if not wanted(fn.__name__):
            return
        jax.clear_caches()  # or a cached inner function would keep the source lines of another case
        with jax.enable_x64(x64), jax.numpy_rank_promotion('allow'):
            jax.config.update('jax_use_shardy_partitioner', shardy)
            rng = np.random.default_rng(zlib.crc32(fn.__name__.removesuffix('_gspmd').encode()))
            args = [draw(rng) if callable(draw) else draw for draw in inputs]
            traced = jax.jit(fn, keep_unused=True, **jit).trace(*args)
            lowered = traced.lower(lowering_platforms=(platform,))
            if platform == 'cpu':
                results, hlo, optimized = run(lowered, args)
            else:
                results = run(traced.lower(), args)[0] if outputs else ()
                hlo, optimized = lowered.compiler_ir('hlo').get_hlo_module().to_string(), None
            folder = HERE / fn.__name__
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            write_text(folder / 'module.mlir', lowered.as_text())
            write_text(folder / 'module.hlo', hlo)
            if generic:
                op = lowered.compiler_ir('stablehlo').operation
                write_text(folder / 'module_generic.mlir', op.get_asm(print_generic_op_form=True, enable_debug_info=True))
            if opt:
                write_text(folder / 'module_opt.hlo', optimized)
            if outputs:
                write_npz(folder / 'inputs.npz', jax.tree.leaves(args))
                write_npz(folder / 'outputs.npz', results)
        print(fn.__name__, flush=True)
    return make


def wanted(name):
    return '--only' not in sys.argv or name in sys.argv[sys.argv.index('--only') + 1:]


def run(lowered, args):
    """Compile and run: the flat results, and XLA's text before and after its optimizations."""
    with tempfile.TemporaryDirectory() as dump:
        compiled = lowered.compile(compiler_options=dict(DUMP, xla_dump_to=dump))
        results = jax.tree.leaves(compiled(*args))
        [before] = pathlib.Path(dump).glob('*.before_optimizations.txt')
        [after] = pathlib.Path(dump).glob('*.cpu_after_optimizations.txt')
        return results, before.read_text(), after.read_text()


# Inputs. Each returns a function of a random generator.

def f(*shape, low=-2., high=2., dtype=np.float32):
    """Uniform floats."""
    return lambda rng: rng.uniform(low, high, shape).astype(dtype)


def whole(*shape, low=-4, high=4, dtype=np.float32):
    """Small integers, stored in a float type: their sums and products are exact."""
    return lambda rng: rng.integers(low, high, shape, endpoint=True).astype(dtype)


def i(*shape, low=-9, high=9, dtype=np.int32):
    """Integers, both bounds included."""
    return lambda rng: rng.integers(low, high, shape, dtype=np.int64, endpoint=True).astype(dtype)


def bits(*shape, dtype=np.uint32):
    """Integers over the type's whole range."""
    info = np.iinfo(dtype)
    return lambda rng: rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def flags(*shape):
    """True or false."""
    return lambda rng: rng.integers(0, 2, shape).astype(bool)


def distinct(*shape, dtype=np.float32):
    """All numbers from `-n/2`, each once, shuffled: no ties."""
    n = int(np.prod(shape))
    return lambda rng: (rng.permutation(n) - n // 2).reshape(shape).astype(dtype)


def c(*shape, dtype=np.complex64):
    """Complex numbers with both parts uniform."""
    return lambda rng: (rng.uniform(-2, 2, shape) + 1j * rng.uniform(-2, 2, shape)).astype(dtype)
