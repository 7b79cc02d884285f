import importlib.util
import os

# Before JAX looks for devices: eight of them on this machine's cores.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

if any(importlib.util.find_spec(name) is None for name in ("jax", "flax", "optax", "equinox")):
    collect_ignore_glob = ["*.py"]
