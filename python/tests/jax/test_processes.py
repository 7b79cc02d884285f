"""Two processes with two devices each: what they compute together is what one would, by both jits."""

import os
import pathlib
import socket
import subprocess
import sys

PROGRAM = """
import os, sys
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
import meshwright.jax as mw

rank, port = int(sys.argv[1]), sys.argv[2]
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(f"localhost:{port}", 2, rank)
mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
whole = np.arange(32, dtype=np.float32).reshape(8, 4) / 32


def split(x, *spec):
    return jax.make_array_from_callback(x.shape, NamedSharding(mesh, P(*spec)), lambda index: x[index])


x, w = split(whole, "x", "y"), split(whole[:4], "y")


def step(w, x):
    value, gradient = jax.value_and_grad(lambda w: (jnp.tanh(x @ w) ** 2).sum())(w)
    return w - 0.1 * gradient, value, jnp.roll(x, 1, 0)


for ours, theirs in zip(mw.jit(step)(w, x), jax.jit(step)(w, x)):
    assert ours.sharding.is_equivalent_to(theirs.sharding, ours.ndim)
    for mine, other in zip(ours.addressable_shards, theirs.addressable_shards):
        np.testing.assert_allclose(mine.data, other.data, rtol=1e-5)


def told(x):
    jax.debug.callback(lambda total: print("called once:", float(total), flush=True), x.sum())
    return x


jax.block_until_ready(mw.jit(told)(x))
jax.effects_barrier()
assert mw.compare(step, w, x, calls=1).apart < 1e-5
try:
    mw.jit(step, backend="cpu")(w, x)
except ValueError as error:
    print(error, flush=True)
print("done", flush=True)
"""


def test_two_processes_share_a_program():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = str(free.getsockname()[1])
    path = os.pathsep.join([str(pathlib.Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")])
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(rank), port],
            env={**os.environ, "PYTHONPATH": path, "JAX_PLATFORMS": "cpu"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        said = [process.communicate(timeout=300) for process in started]
    finally:
        for process in started:
            process.kill()
    for out, err in said:
        assert out.endswith("done\n"), err
        assert "runs a function within one process, and an argument float32[4, 4] lies on devices of several" in out
    assert sum(out.count("called once:") for out, _ in said) == 1
