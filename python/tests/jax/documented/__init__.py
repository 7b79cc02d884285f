"""What JAX's documentation says of `jax.jit`, sharding and `shard_map`, tried with `meshwright.jax.jit` in its place.

Each case is a function of a `jit`. It is called with JAX's and with ours; what it gives must be the same: values, types,
shardings, counts of traces, texts, and what is raised.
"""

import functools
import importlib.util
import math
from dataclasses import dataclass
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P


@dataclass(frozen=True)
class Case:
    page: str
    name: str
    body: Callable[[Any], Any]
    #: Whether the documentation says how results are split, or the partitioner may do as it likes.
    split: bool
    #: How far numbers may be apart, relative to the largest of an array.
    tolerance: float

    @property
    def is_refused(self):
        """Whether the documentation says that this is an error."""
        return "refused" in self.name


@dataclass(frozen=True)
class Raised:
    """An exception in the place of a result."""

    kind: type
    message: str


CASES: list[Case] = []


def on(page):
    """A decorator for cases of a page of the documentation."""

    def case(name, split=True, tolerance=1e-5):
        def add(body):
            CASES.append(Case(page, name, body, split, tolerance))
            return body

        return add

    return case


class Missing(Exception):
    """What a case needs is not in this version of JAX, or not on its CPU devices."""


def compared(case, jit):
    """What of a case is otherwise with a `jit` than with JAX's, in words."""
    theirs = outcome(case, jax.jit)
    if isinstance(theirs, Raised) != case.is_refused:
        raise Missing(f"JAX {jax.__version__} itself gives {_said(theirs)}")
    return differences(case, outcome(case, jit), theirs)


def outcome(case, jit):
    """What a case gives, or raises."""
    try:
        return case.body(jit)
    except Missing:
        raise
    except Exception as error:
        return Raised(type(error), str(error))


def differences(case, ours, theirs):
    """What two outcomes have not in common."""
    if isinstance(theirs, Raised) or isinstance(ours, Raised):
        if isinstance(theirs, Raised) and isinstance(ours, Raised) and issubclass(ours.kind, theirs.kind):
            return []
        return [f"{_said(ours)}, where jax.jit gives {_said(theirs)}"]
    ours, tree = jax.tree.flatten(ours)
    theirs, other = jax.tree.flatten(theirs)
    if tree != other:
        return [f"{tree} is not {other}"]
    found = []
    for at, (a, b) in enumerate(zip(ours, theirs)):
        found += [f"result {at}: {what}" for what in _apart(case, a, b)]
    return found


def _said(one):
    if isinstance(one, Raised):
        return f"{one.kind.__name__}: {one.message[:300]}".split("\n")[0]
    return "a result"


def _apart(case, a, b):
    if not isinstance(b, (jax.Array, np.ndarray)):
        return [] if type(a) is type(b) and a == b else [f"{a!r} is not {b!r}"]
    found = []
    for what in ("shape", "dtype", "weak_type", "committed"):
        if getattr(a, what, None) != getattr(b, what, None):
            found.append(f"{what} {getattr(a, what, None)} is not {getattr(b, what, None)}")
    if found:
        return found
    if isinstance(b, jax.Array) and case.split:
        if not a.sharding.is_equivalent_to(b.sharding, b.ndim):
            found.append(f"{a.sharding} is not {b.sharding}")
        if a.sharding.memory_kind != b.sharding.memory_kind:
            found.append(f"in {a.sharding.memory_kind}, not {b.sharding.memory_kind}")
    if jnp.issubdtype(a.dtype, jax.dtypes.prng_key):
        a, b = jax.random.key_data(a), jax.random.key_data(b)
    if not np.allclose(_wide(a), _wide(b), rtol=0, atol=case.tolerance * _largest(b), equal_nan=True):
        found.append(f"{np.asarray(a)} is not {np.asarray(b)}")
    return found


def _wide(x):
    x = np.asarray(x)
    return x.astype(np.complex128 if np.issubdtype(x.dtype, np.complexfloating) else np.float64)


def _largest(x):
    x = np.abs(_wide(x))
    return max(1.0, float(x[np.isfinite(x)].max(initial=0.0)))


# What cases are made of.


@functools.cache
def grid(kind="Auto", sizes=(4, 2), names=("x", "y")):
    """A mesh of the first devices."""
    devices = np.array(jax.devices()[: math.prod(sizes)]).reshape(sizes)
    return Mesh(devices, names, axis_types=(AxisType[kind],) * len(names))


def at(*spec, mesh=None):
    return NamedSharding(mesh or grid(), P(*spec))


def numbers(*shape, dtype=np.float32):
    """Different numbers of moderate size."""
    return (np.arange(math.prod(shape)) % 17 - 8.0).reshape(shape).astype(dtype) / 4


def put(shape, *spec, mesh=None, dtype=np.float32):
    return jax.device_put(numbers(*shape, dtype=dtype), at(*spec, mesh=mesh))


def traced(f, count):
    """The function, with its traces counted in a list."""

    @functools.wraps(f)
    def counted(*args, **kwargs):
        count.append(1)
        return f(*args, **kwargs)

    return counted


def needs_module(name):
    """Leave a case out where a module is not installed."""
    if importlib.util.find_spec(name) is None:
        raise Missing(name)


def needs(owner, *names):
    """Leave a case out where JAX has not got something."""
    for name in names:
        if not hasattr(owner, name):
            raise Missing(f"{owner.__name__}.{name}")
