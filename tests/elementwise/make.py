"""Writes reference.txt: element-wise ops evaluated in f64 or wider by numpy and scipy, at points that fit narrower types.

    python tests/elementwise/make.py        (numpy and scipy as in tests/golden/requirements.txt)

A line is `op type x [y] result`: the arguments as they are in that type, the result in f64, all as the bits of an f64.
Points near a zero of the function are left out (the distance in ulps means nothing there), as are results that are not
normal numbers of the type.
"""

import os
import struct

import ml_dtypes
import numpy as np
from scipy import special

L = np.longdouble
TYPES = {'f32': np.float32, 'bf16': ml_dtypes.bfloat16, 'f16': np.float16, 'f64': np.float64}
POINTS = 24
ALL, POSITIVE, UNIT, SMALL = (-30, 30), (0.01, 60), (-0.98, 0.98), (-4, 4)

# Name: function on long doubles (or f64 where scipy has no more), and where its points lie.
UNARY = {
    'abs': (np.abs, ALL), 'acos': (np.arccos, UNIT), 'acosh': (np.arccosh, (1.1, 60)), 'asin': (np.arcsin, UNIT),
    'asinh': (np.arcsinh, ALL), 'atan': (np.arctan, ALL), 'atanh': (np.arctanh, UNIT), 'bessel_i1e': (special.i1e, ALL),
    'cbrt': (np.cbrt, ALL), 'ceil': (np.ceil, ALL), 'cosh': (np.cosh, (-8, 8)), 'cosine': (np.cos, ALL),
    'digamma': (special.digamma, (2, 60)), 'erf': (special.erf, SMALL), 'erfc': (special.erfc, (-4, 3)),
    'erf_inv': (special.erfinv, UNIT), 'exponential': (np.exp, (-8, 8)), 'exponential_minus_one': (np.expm1, (-8, 8)),
    'floor': (np.floor, ALL), 'lgamma': (special.gammaln, (3, 60)), 'log': (np.log, POSITIVE), 'log_plus_one': (np.log1p, (-0.9, 60)),
    'logistic': (lambda x: 1 / (1 + np.exp(-x)), (-8, 8)), 'negate': (np.negative, ALL), 'round_nearest_even': (np.rint, ALL),
    'round_nearest_afz': (lambda x: np.trunc(x + np.copysign(L(0.5), x)), ALL), 'rsqrt': (lambda x: 1 / np.sqrt(x), POSITIVE),
    'sign': (np.sign, ALL), 'sine': (np.sin, ALL), 'sinh': (np.sinh, (-8, 8)), 'sqrt': (np.sqrt, POSITIVE), 'square': (np.square, ALL),
    'tan': (np.tan, ALL), 'tanh': (np.tanh, SMALL),
}
BINARY = {
    'add': (np.add, ALL, ALL), 'atan2': (np.arctan2, ALL, ALL), 'divide': (np.divide, ALL, POSITIVE), 'maximum': (np.maximum, ALL, ALL),
    'minimum': (np.minimum, ALL, ALL), 'multiply': (np.multiply, ALL, ALL), 'polygamma': (special.polygamma, (1, 4), (0.5, 20)),
    'power': (np.power, (0.1, 6), (-4, 4)), 'remainder': (np.fmod, ALL, (1, 9)), 'subtract': (np.subtract, ALL, ALL),
    'zeta': (special.zeta, (1.5, 8), (0.5, 9)),
}
WHOLE = {'polygamma'}


def points(rng, dtype, bounds, whole):
    x = rng.uniform(*bounds, POINTS)
    x = np.round(x) if whole else x
    return x.astype(dtype).astype(np.float64)


def evaluate(f, args):
    try:
        return f(*[a.astype(L) for a in args]).astype(np.float64)
    except TypeError:
        return f(*args)


def rows():
    for name, (f, *bounds) in {**UNARY, **BINARY}.items():
        for kind, dtype in TYPES.items():
            rng = np.random.default_rng(len(name) * 1000 + sum(map(ord, name + kind)))
            args = [points(rng, dtype, b, name in WHOLE and i == 0) for i, b in enumerate(bounds)]
            results = np.broadcast_to(evaluate(f, args), (POINTS,))
            tiny = float(ml_dtypes.finfo(dtype).smallest_normal)
            for *x, y in zip(*args, results):
                exact = name in ('ceil', 'floor', 'sign', 'round_nearest_even', 'round_nearest_afz', 'add', 'subtract', 'maximum', 'minimum', 'remainder')
                if np.isfinite(y) and (exact or abs(y) >= max(0.01, tiny)):
                    yield ' '.join([name, kind, *[struct.pack('>d', v).hex() for v in [*x, y]]])


if __name__ == '__main__':
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'reference.txt'), 'w') as out:
        out.writelines(line + '\n' for line in rows())
