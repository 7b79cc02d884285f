"""Meshwright as the partitioner of JAX.

``jit`` stands in the place of ``jax.jit``; ``explain`` tells what a function's program sends and holds, and why;
``compare`` measures it beside XLA's; ``plan`` tells what it would take on a machine that is not there; within
``partitioner()``, every function that JAX compiles is partitioned here.
"""

try:
    import jax as _jax
except ImportError as error:
    raise ImportError("meshwright.jax needs JAX: pip install 'meshwright[jax]'") from error

from meshwright.jax import _private

_private.check_version(_jax.__version__)

from meshwright.jax._compare import Comparison, Side, compare  # noqa: E402
from meshwright.jax._explain import explain, plan  # noqa: E402
from meshwright.jax._jit import jit, partitioner  # noqa: E402

__all__ = ["Comparison", "Side", "compare", "explain", "jit", "partitioner", "plan"]
