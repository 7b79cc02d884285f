"""Meshwright as the partitioner of JAX::

    import meshwright.jax as mw

    @mw.jit                          # in place of jax.jit
    def step(params, batch): ...

    mw.compare(step, params, batch)  # XLA's partition beside ours, measured

    with mw.partitioner():           # for code that calls jax.jit itself
        library.train()
"""

try:
    import jax as _jax
except ImportError as error:
    raise ImportError("meshwright.jax needs JAX: pip install 'meshwright[jax]'") from error

from meshwright.jax import _private

_private.check_version(_jax.__version__)

from meshwright.jax._compare import Comparison, Side, compare  # noqa: E402
from meshwright.jax._jit import jit, partitioner  # noqa: E402

__all__ = ["Comparison", "Side", "compare", "jit", "partitioner"]
