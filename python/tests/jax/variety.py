"""The functions of the table under random annotations: arguments split at random, results constrained at random.

`python variety.py --seeds 0:20` tries each function under 20 annotations; a seed gives the same ones everywhere.
"""

import argparse
import random
import sys

import devices  # Before JAX.
import jax
from jax.sharding import NamedSharding, PartitionSpec as P

import meshwright.jax
from cases import CASES, mesh
from table import allowed, apart, outputs

AXES = [("data",), ("model",), ("data", "model"), ("model", "data")]


def random_spec(draw, shape, even):
    """A spec with each axis at most once; `even`: only where sizes divide, as the arguments and results of a jit must."""
    left, dims = {"data": 4, "model": 2}, []
    for size in shape:
        fitting = [axes for axes in AXES if all(axis in left for axis in axes)]
        axes = draw.choice(fitting) if fitting and draw.random() < 0.5 else ()
        parts = 1
        for axis in axes:
            parts *= left[axis]
        if size == 0 or (even and size % parts):
            axes = ()
        for axis in axes:
            del left[axis]
        dims.append(axes or None)
    return P(*dims)


def annotated(case, draw, dtype):
    """The function with constraints on some of its results, and its arguments where a draw puts them."""
    function, args = case.make(jax.numpy.dtype(dtype))

    def constrained(*args):
        def at(x):
            if not hasattr(x, "shape") or draws.random() < 0.5 or jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
                return x
            return jax.lax.with_sharding_constraint(x, NamedSharding(mesh(), random_spec(draws, x.shape, even=False)))

        draws = random.Random(inside)
        return jax.tree.map(at, function(*args))

    inside = draw.random()

    def place(x):
        if not isinstance(x, jax.Array) or draw.random() < 0.2:
            return x
        return jax.device_put(x, NamedSharding(mesh(), random_spec(draw, x.shape, even=True)))

    return function, constrained, args, jax.tree.map(place, args)


def attempt(case, seed):
    """How far apart, and whether that is near enough."""
    draw = random.Random(f"{case.name}/{seed}")
    dtype = draw.choice(case.dtypes)
    function, constrained, whole, split = annotated(case, draw, dtype)
    worst = apart(outputs(meshwright.jax.jit, case, constrained, split), outputs(jax.jit, case, function, whole))
    return worst, worst <= allowed(case, dtype)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="functions whose names contain this")
    parser.add_argument("--seeds", default="0:2", help="from:to")
    parser.add_argument("--share", type=int, default=1, help="of so many functions one: which, a seed decides")
    args = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    begin, end = map(int, args.seeds.split(":"))
    tried = wrong = 0
    for seed in range(begin, end):
        for at, case in enumerate(CASES):
            if args.only not in case.name or (at + seed) % args.share:
                continue
            tried += 1
            try:
                worst, fits = attempt(case, seed)
                verdict = f"{worst:.1e} apart"
            except Exception as error:
                fits, verdict = False, f"{type(error).__name__}: {error}"
            if not fits:
                wrong += 1
                print(f"seed {seed}, {case.name}: {verdict}", flush=True)
        print(f"{tried} tried, {wrong} wrong", flush=True)
        jax.clear_caches()
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
