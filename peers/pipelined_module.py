#!/usr/bin/env python3
"""A pipeline as GSPMD 3.3 writes it, by vmap and a shifting buffer, as a StableHLO module of loss and gradients:
pipelined_module.py pad|roll|concat [names] > pipelined.mlir     (needs JAX)

Four stages over `stage`, microbatches over `data`; each stage is computed again in the backward pass. The buffer is
shifted in one of three ways. With `names` the module says where its ops come from, by which `partition` knows what is
computed again:

    meshwright partition pipelined.mlir -o local.mlir
"""
import os
import sys

os.environ.setdefault('JAX_PLATFORMS', 'cpu')
os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=8'

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

STAGES, MICROBATCHES, ROWS, WIDTH = 4, 8, 4, 8
mesh = jax.make_mesh((STAGES, 2), ('stage', 'data'), axis_types=(jax.sharding.AxisType.Auto,) * 2)


def shifted(state, fresh, how):
    """Every stage has what the one before it made; the first has a fresh microbatch."""
    if how == 'concat':
        return jnp.concatenate([fresh[None], state[:-1]])
    moved = jnp.roll(state, 1, 0) if how == 'roll' else jnp.pad(state, ((1, 0), (0, 0), (0, 0)))[:-1]
    first = jnp.arange(STAGES)[:, None, None] == 0
    return jnp.where(first, fresh[None], moved)


@jax.checkpoint
def stage(x, w):
    return x + jnp.tanh(x @ w['in']) @ w['out']


def trunk(w, xs, how):
    padding = jnp.zeros((STAGES - 1,) + xs.shape[1:], xs.dtype)

    def trip(state, fresh):
        state = jax.vmap(stage)(shifted(state, fresh, how), w)
        return jax.lax.with_sharding_constraint(state, NamedSharding(mesh, P('stage', 'data', None))), state[-1]

    state = jnp.zeros((STAGES,) + xs.shape[1:], xs.dtype)
    return jax.lax.scan(trip, state, jnp.concatenate([xs, padding]))[1][STAGES - 1:]


def loss(w, xs, how):
    return (trunk(w, xs, how) ** 2).mean()


on = lambda *dims: NamedSharding(mesh, P(*dims))
like = lambda dims, how: jax.ShapeDtypeStruct(dims, jnp.float32, sharding=how)
w = {
    'in': like((STAGES, WIDTH, 4 * WIDTH), on('stage')),
    'out': like((STAGES, 4 * WIDTH, WIDTH), on('stage')),
}
xs = like((MICROBATCHES, ROWS, WIDTH), on(None, 'data'))
step = jax.jit(lambda w, xs: jax.value_and_grad(loss)(w, xs, sys.argv[1]))
print(step.lower(w, xs).as_text(debug_info='names' in sys.argv[2:]))
