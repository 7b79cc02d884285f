"""Does advice bring back an annotation that was left out? Twenty JAX training steps, each with one annotation missing.

    python leave_one_out.py --out DIR --meshwright BIN [--seed N]

A step is drawn from the seed: a model, a mesh, and some of the annotations of a layout. It is lowered twice: with all of
them, and with one left out. Completion finds most of them by itself, so the first one counts without which the step sends
a twentieth more; steps without such a one are passed over. `meshwright explain --json` of the
second is asked for its first suggestion. It counts if the program with it, partitioned, sends no more than the full set
and a twentieth. Prints a table and writes `DIR/leave_one_out.json`; fails if fewer than 16 of 20 count. Nothing is run on
devices. Needs jax[cpu]==0.10.2, see requirements.txt.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys

os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=8'
os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

WITHIN = 1.05  # of what the full set sends
LEAST = 1.05  # times as much without the annotation, to be worth asking
WANTED, ENOUGH = 20, 16


class Annotations:
    """The annotations of one step by name, all but one."""

    def __init__(self, mesh, specs, without=None):
        self.mesh, self.specs, self.without = mesh, specs, without

    def of(self, name):
        return NamedSharding(self.mesh, self.specs[name]) if name in self.specs and name != self.without else None

    def on(self, name, value):
        sharding = self.of(name)
        return value if sharding is None else jax.lax.with_sharding_constraint(value, sharding)


def mlp(say, size):
    B, D, H, layers = size
    shapes = {'blocks': [{'up': (D, H), 'down': (H, D)} for _ in range(layers)]}

    def loss(p, batch):
        h = say.on('input', batch['x'])
        for block in p['blocks']:
            a = say.on('hidden', jax.nn.gelu(h @ block['up']))
            h = h + say.on('out', a @ block['down'])
        return jnp.mean((h - batch['y']) ** 2)

    return shapes, {'x': (B, D), 'y': (B, D)}, loss


def transformer(say, size):
    B, S, D, N, layers, V = size
    K = D // N
    block = {'wq': (D, N, K), 'wk': (D, N, K), 'wv': (D, N, K), 'wo': (N, K, D), 'up': (D, 4 * D), 'down': (4 * D, D)}
    shapes = {'embed': (V, D), 'blocks': [dict(block) for _ in range(layers)], 'head': (D, V)}

    def loss(p, batch):
        h = say.on('embedded', p['embed'][batch['tokens']])
        for w in p['blocks']:
            q, k, v = (say.on('heads', jnp.einsum('bsd,dnk->bsnk', h, w[name])) for name in ('wq', 'wk', 'wv'))
            scores = jax.nn.softmax(jnp.einsum('bqnk,bsnk->bnqs', q, k))
            o = say.on('heads', jnp.einsum('bnqs,bsnk->bqnk', scores, v))
            h = h + say.on('out', jnp.einsum('bqnk,nkd->bqd', o, w['wo']))
            a = say.on('hidden', jax.nn.gelu(h @ w['up']))
            h = h + say.on('out', a @ w['down'])
        logits = say.on('logits', h @ p['head'])
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), batch['targets'][..., None], -1)
        return -jnp.mean(picked)

    return shapes, {'tokens': (B, S), 'targets': (B, S)}, loss


def experts(say, size):
    G, S, D, E, H, layers = size
    C = 2 * S // E
    shapes = {'blocks': [{'gate': (D, E), 'wi': (E, D, H), 'wo': (E, H, D)} for _ in range(layers)]}

    def loss(p, batch):
        h = say.on('input', batch['x'])
        for w in p['blocks']:
            gates = jax.nn.softmax(jnp.einsum('gsd,de->gse', h, w['gate']))
            chosen = jax.nn.one_hot(jnp.argmax(gates, -1), E)
            place = (jnp.cumsum(chosen, 1) - 1) * chosen
            mask = chosen[..., None] * jax.nn.one_hot(jnp.sum(place, -1).astype(int), C)[:, :, None, :]
            sent = say.on('dispatched', jnp.einsum('gsec,gsd->egcd', mask, h))
            a = say.on('hidden', jax.nn.relu(jnp.einsum('egcd,edh->egch', sent, w['wi'])))
            back = say.on('expert_out', jnp.einsum('egch,ehd->egcd', a, w['wo']))
            combined = mask * jnp.max(gates, -1)[..., None, None]
            h = h + say.on('out', jnp.einsum('gsec,egcd->gsd', combined, back))
        return jnp.mean((h - batch['y']) ** 2)

    return shapes, {'x': (G, S, D), 'y': (G, S, D)}, loss


MODELS = {'mlp': mlp, 'transformer': transformer, 'experts': experts}
SIZES = {'mlp': (256, 512, 2048, 3), 'transformer': (32, 128, 256, 8, 2, 2048), 'experts': (8, 256, 256, 8, 1024, 2)}
X, Y = 'x', 'y'

# By model: layouts, each a full set of annotations, parameters and inputs by their last name, values by `say.on`.
LAYOUTS = {
    'mlp': {
        'tensor': dict(x=P(X), y=P(X), up=P(None, Y), down=P(Y, None), hidden=P(X, Y), input=P(X, None), out=P(X, None)),
        'fsdp': dict(x=P((X, Y)), y=P((X, Y)), up=P((X, Y), None), down=P((X, Y), None), hidden=P((X, Y), None), out=P((X, Y), None)),
        'both': dict(x=P(X), y=P(X), up=P(X, Y), down=P(Y, X), hidden=P(X, Y), out=P(X, None)),
    },
    'transformer': {
        'tensor': dict(tokens=P(X), targets=P(X), embed=P(Y, None), head=P(None, Y), wq=P(None, Y, None), wk=P(None, Y, None),
                       wv=P(None, Y, None), wo=P(Y, None, None), up=P(None, Y), down=P(Y, None), heads=P(X, None, Y, None),
                       hidden=P(X, None, Y), out=P(X, None, None), logits=P(X, None, Y), embedded=P(X, None, None)),
        'data': dict(tokens=P((X, Y)), targets=P((X, Y)), embedded=P((X, Y), None, None), out=P((X, Y), None, None)),
        'both': dict(tokens=P(X), targets=P(X), embed=P(Y, X), head=P(X, Y), wq=P(X, Y, None), wk=P(X, Y, None), wv=P(X, Y, None),
                     wo=P(Y, None, X), up=P(X, Y), down=P(Y, X), heads=P(X, None, Y, None), hidden=P(X, None, Y),
                     out=P(X, None, None), logits=P(X, None, Y)),
    },
    'experts': {
        'experts': dict(x=P((X, Y)), y=P((X, Y)), wi=P((X, Y), None, None), wo=P((X, Y), None, None),
                        dispatched=P((X, Y), None, None, None), expert_out=P((X, Y), None, None, None), out=P((X, Y), None, None)),
        'both': dict(x=P(X), y=P(X), wi=P(X, None, Y), wo=P(X, Y, None), dispatched=P(X, None, None, None),
                     hidden=P(X, None, None, Y), expert_out=P(X, None, None, None), out=P(X, None, None)),
    },
}
MESHES = (4, 2), (2, 4)


def drawn(seed):
    """Steps whose full set is a part of a layout, and the order in which its annotations are left out."""
    draw = random.Random(seed)
    while True:
        model = draw.choice(list(MODELS))
        layout = draw.choice(list(LAYOUTS[model]))
        known = LAYOUTS[model][layout]
        kept = [name for name in known if draw.random() < 0.5]
        if len(kept) > 1:
            yield f'{model}_{layout}', model, draw.choice(MESHES), {name: known[name] for name in kept}, draw.sample(kept, len(kept))


def lowered(model, axes, specs, without):
    """The text of one step of gradient descent."""
    mesh = jax.make_mesh(axes, (X, Y), axis_types=(AxisType.Auto,) * 2)
    say = Annotations(mesh, specs, without)
    shapes, inputs, loss = MODELS[model](say, SIZES[model])
    whole = lambda leaf: isinstance(leaf, tuple)
    array = lambda shape, dtype=jnp.float32: jax.ShapeDtypeStruct(shape, dtype)
    params = jax.tree.map(array, shapes, is_leaf=whole)
    batch = {key: array(shape, jnp.int32 if key in ('tokens', 'targets') else jnp.float32) for key, shape in inputs.items()}
    split = lambda path, _: say.of(path[-1].key)
    of_params = jax.tree_util.tree_map_with_path(split, params)
    of_batch = {key: say.of(key) for key in batch}

    def step(p, batch):
        value, gradients = jax.value_and_grad(loss)(p, batch)
        return value, jax.tree.map(lambda w, g: w - 0.1 * g, p, gradients)

    jitted = jax.jit(step, in_shardings=(of_params, of_batch), out_shardings=(None, of_params), donate_argnums=0)
    return jitted.lower(params, batch).as_text(debug_info=True)


def told(meshwright, *arguments):
    done = subprocess.run([meshwright, *arguments, '--json'], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{" ".join(arguments)}: {done.stderr}')
    return json.loads(done.stdout)


def sent(meshwright, path):
    return told(meshwright, 'partition', str(path), '--stats', '-')['bytes_sent']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--meshwright', required=True)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    found, asked, seen = [], 0, set()
    for name, model, axes, specs, order in drawn(args.seed):
        path = args.out / 'full.mlir'
        path.write_text(lowered(model, axes, specs, None))
        full = sent(args.meshwright, path)
        for left in order:
            asked += 1
            path = args.out / f'{len(found):02}_{name}.mlir'
            path.write_text(lowered(model, axes, specs, left))
            without = sent(args.meshwright, path)
            row = name, axes, tuple(specs), left
            if without >= full * LEAST and full > 0 and row not in seen:
                seen.add(row)
                break
        else:
            continue
        advice = told(args.meshwright, 'explain', str(path))['explanation']['suggestions']
        first = advice[0] if advice else None
        after = first['after']['sent'] if first else without
        row = dict(step=name, mesh=axes, annotations=list(specs), left_out=left, full=full, without=without, after=after,
                   counts=after <= full * WITHIN,
                   advice=first and [first['values'][0]['called'] or first['values'][0]['name'], first['sharding'], len(first['values'])])
        found.append(row)
        print(f'{len(found):2} {name} {axes} without {left}: full {full:.0f}, without {without:.0f}, with the first suggestion {after:.0f}'
              f' {"restored" if row["counts"] else "NOT restored"}: {row["advice"]}', flush=True)
        if len(found) == WANTED:
            break
    print(f'{asked} annotations were left out, each where it is one of a few; where that costs a twentieth, advice was asked')
    (args.out / 'leave_one_out.json').write_text(json.dumps(found, indent=1))
    count = sum(row['counts'] for row in found)
    print(f'{count} of {len(found)} restored')
    sys.exit(0 if count >= ENOUGH else 1)


main()
