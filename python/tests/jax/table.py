"""Every case through `meshwright.jax.jit` on 8 virtual devices, held against `jax.jit` on one: a table of how far they are apart.

With --beside-xla, a row says so where XLA's own partition of the same call is wrong.
"""

import argparse
import sys
import time

import devices  # Before JAX.
import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

import meshwright.jax
from cases import CASES, mesh

# As far as results may be apart, relative to the largest of an output: reductions are in another order.
TOLERANCE = {"float64": 1e-10, "complex128": 1e-10, "float32": 2e-5, "complex64": 2e-5, "bfloat16": 3e-2, "int32": 0}


def placed(args, specs):
    """Arguments on the mesh as their specs say; None leaves them uncommitted."""

    def put(spec, tree):
        if spec is None:
            return tree
        return jax.tree.map(lambda x: jax.device_put(x, NamedSharding(mesh(), spec)), tree)

    return tuple(
        jax.tree.map(put, spec, arg, is_leaf=lambda s: s is None or isinstance(s, P))
        for spec, arg in zip(specs, args, strict=True)
    )


def apart(ours, theirs):
    """The largest difference of two trees, relative to the largest number of each array."""
    ours, tree = jax.tree.flatten(ours)
    theirs, other = jax.tree.flatten(theirs)
    assert tree == other, f"{tree} is not {other}"
    worst = 0.0
    for a, b in zip(ours, theirs):
        assert a.dtype == b.dtype and a.shape == b.shape, f"{a.dtype}{a.shape} is not {b.dtype}{b.shape}"
        if jax.dtypes.issubdtype(a.dtype, jax.dtypes.prng_key):
            a, b = jax.random.key_data(a), jax.random.key_data(b)
        wide = np.complex128 if np.issubdtype(a.dtype, np.complexfloating) else np.float64
        a, b = np.asarray(a).astype(wide), np.asarray(b).astype(wide)
        if a.size == 0:
            continue
        assert np.array_equal(np.isfinite(a), np.isfinite(b)), "one is finite where the other is not"
        finite = np.isfinite(a)
        if finite.any():
            worst = max(worst, np.abs(a - b)[finite].max() / max(1.0, np.abs(b[finite]).max()))
    return float(worst)


def allowed(case, dtype):
    return max(case.tolerance, TOLERANCE[dtype])


def outputs(jit, case, function, args):
    """What a call gives. Each call gets arguments of its own: they may be donated."""
    return jit(function, **case.options)(*jax.tree.map(lambda x: x.copy() if isinstance(x, jax.Array) else x, args))


def row(case, dtype, beside_xla):
    """How far our partition, and XLA's if asked for, are from one device."""
    function, args = case.make(jax.numpy.dtype(dtype))
    one, split = outputs(jax.jit, case, function, args), placed(args, case.specs)
    ours = apart(outputs(meshwright.jax.jit, case, function, split), one)
    return ours, apart(outputs(jax.jit, case, function, split), one) if beside_xla else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose names contain this")
    parser.add_argument("--beside-xla", action="store_true", help="XLA's own partition of the same call, too")
    args = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    rows = wrong = 0
    print(f"JAX {jax.__version__}, {len(jax.devices())} devices")
    print(f"{'function':44} {'type':10} {'apart':>8}  {'seconds':>7}")
    for case in CASES:
        if args.only not in case.name:
            continue
        for dtype in case.dtypes:
            begin, rows = time.time(), rows + 1
            try:
                ours, theirs = row(case, dtype, args.beside_xla)
                fits, remark = (
                    ours <= allowed(case, dtype),
                    "" if theirs <= allowed(case, dtype) else f"  XLA's partition is {theirs:.1e} apart",
                )
                verdict = f"{ours:8.1e}  {time.time() - begin:7.2f}{remark}{'' if fits else '  TOO FAR'}"
            except Exception as error:
                fits, verdict = False, f"{type(error).__name__}: {error}"
            wrong += not fits
            print(f"{case.name:44} {dtype:10} {verdict}", flush=True)
    print(f"{rows} rows of {len(CASES)} functions, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
