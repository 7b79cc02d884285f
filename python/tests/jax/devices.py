"""Imported before JAX: eight devices on this machine's cores.

XLA compiles their programs at its lowest level. It takes two thirds of the time, and only the partition is on trial.
"""

import os

FLAGS = "--xla_force_host_platform_device_count=8 --xla_backend_optimization_level=0"

os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {FLAGS}"
os.environ["JAX_PLATFORMS"] = "cpu"
