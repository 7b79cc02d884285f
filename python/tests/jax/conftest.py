import importlib.util

import devices  # Before JAX.

if any(importlib.util.find_spec(name) is None for name in ("jax", "flax", "optax", "equinox")):
    collect_ignore_glob = ["*.py"]
