"""Compiling one training step lowered for 8, 2,048 and 1,048,576 devices: neither time nor program may grow with them.

    nice -n -10 python compile_devices.py --meshwright PATH/TO/meshwright [--rounds 10]

Three modules with the same shapes per device and the same two axes, lowered by JAX with an abstract mesh (no device is
needed). Rounds alternate the sizes; medians and their ratios to 8 devices are printed, with the load of the machine.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P

MESHES = {8: (4, 2), 2048: (64, 32), 1048576: (1024, 1024)}
LAYERS = 8


def lowered(x, y):
    """Attention and experts in turn. Batch and experts over `x`, heads and hidden layers over `y`; every dim that is
    split is so many times its size on one device. The vocabulary is small enough for its gradient to be summed at every
    size: to gather tokens instead would pay on 8 devices only, and is another program."""
    mesh = AbstractMesh((x, y), ('x', 'y'))
    sharding = lambda *axes: NamedSharding(mesh, P(*axes))
    split = lambda value, *axes: lax.with_sharding_constraint(value, sharding(*axes))
    array = lambda shape, *axes, dtype=jnp.float32: jax.ShapeDtypeStruct(shape, dtype, sharding=sharding(*axes))
    B, S, M, H, E, N, D, V, C = 2 * x, 64, 128, 256 * y, x, y, 32, 128, 16
    attention = dict(q=array((M, N, D), None, 'y'), k=array((M, N, D), None, 'y'), v=array((M, N, D), None, 'y'),
                     o=array((N, D, M), 'y'), scale=array((M,)))
    dense = dict(up=array((M, H), None, 'y'), down=array((H, M), 'y'))
    experts = dict(gate=array((M, E)), up=array((E, M, H), 'x', None, 'y'), down=array((E, H, M), 'x', 'y'))
    layers = [dict(attention, **(experts if at % 2 else dense)) for at in range(LAYERS)]
    params = dict(embedding=array((V, M)), layers=layers)

    def layer(w, h):
        n = h * lax.rsqrt(jnp.square(h).mean(-1, keepdims=True) + 1e-6) * w['scale']
        q, k, v = (split(jnp.einsum('bsm,mnd->bsnd', n, w[name]), 'x', None, 'y') for name in 'qkv')
        scores = jax.nn.softmax(jnp.einsum('bsnd,btnd->bnst', q, k))
        h = split(h + jnp.einsum('bnst,btnd,ndm->bsm', scores, v, w['o']), 'x')
        if 'gate' not in w:
            return split(h + jax.nn.relu(split(h @ w['up'], 'x', None, 'y')) @ w['down'], 'x')
        gates = jax.nn.softmax(h @ w['gate'])
        chosen = jax.nn.one_hot(gates.argmax(-1), E)
        place = jax.nn.one_hot(((jnp.cumsum(chosen, 1) - 1) * chosen).sum(-1).astype(int), C)
        combine = jnp.einsum('gse,gsc->gsec', gates * chosen, place)
        e = split(jnp.einsum('gsec,gsm->egcm', (combine > 0).astype(h.dtype), h), 'x')
        e = jax.nn.relu(split(jnp.einsum('egcm,emh->egch', e, w['up']), 'x', None, None, 'y'))
        e = split(jnp.einsum('egch,ehm->gecm', e, w['down']), 'x')
        return split(h + jnp.einsum('gsec,gecm->gsm', combine, e), 'x')

    def loss(p, tokens):
        h = split(p['embedding'][tokens], 'x')
        for w in p['layers']:
            h = layer(w, h)
        logits = h @ p['embedding'].T
        return (jax.nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, tokens[..., None], -1)[..., 0]).mean()

    def step(p, m, tokens):
        value, g = jax.value_and_grad(loss)(p, tokens)
        m = jax.tree.map(lambda m, g: 0.9 * m + g, m, g)
        return jax.tree.map(lambda p, m: p - 1e-3 * m, p, m), m, value

    tokens = array((B, S), 'x', dtype=jnp.int32)
    return jax.jit(step).trace(params, params, tokens).lower(lowering_platforms=('cpu',)).as_text()


def measured(binary, path):
    """Milliseconds of completion, of everything up to the cleaned program, and the instructions of that."""
    done = subprocess.run([binary, 'bench', 'compile', path, '--repeat', '5', '--json'], capture_output=True, text=True,
                          check=True)
    found = json.loads(done.stdout)
    return found['complete_ms'], found['complete_ms'] + found['partition_ms'], found['instructions']


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    arguments.add_argument('--meshwright', default='meshwright')
    arguments.add_argument('--rounds', type=int, default=10)
    arguments.add_argument('--keep', help='a folder to leave the modules in')
    a = arguments.parse_args()
    times = {devices: [] for devices in MESHES}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(a.keep or folder)
        folder.mkdir(parents=True, exist_ok=True)
        for devices, axes in MESHES.items():
            (folder / f'{devices}.mlir').write_text(lowered(*axes))
        for _ in range(a.rounds):
            for devices in MESHES:
                times[devices].append(measured(a.meshwright, str(folder / f'{devices}.mlir')))
    print(f'load {os.getloadavg()[0]:.1f}, {a.rounds} rounds')
    for devices, all_times in times.items():
        column = lambda at: ([time[at] for time in all_times], [time[at] for time in times[8]])
        ratio = lambda at: statistics.median(ms / base for ms, base in zip(*column(at)))
        print(f'{devices:8} devices: completion {statistics.median(column(0)[0]):6.2f} ms, {ratio(0):.3f} of 8 devices; '
              f'with partitioning {statistics.median(column(1)[0]):6.2f} ms, {ratio(1):.3f}; {all_times[0][2]} instructions')


main()
