"""Models of the few-annotations rows: parameters as trees of named dims, and a loss. No activation is annotated.

A model is made by a function of its options; `MODELS` names them. A dim's name says what it is: `L` layers that are
stacked for a scan, `M` the width between layers, `V` the vocabulary, `N` and `K` heads, `D` a head's width, `H` hidden,
`E` experts, digits for sizes that are never split by name. Layouts go by these names.
"""
import dataclasses
import typing

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@dataclasses.dataclass
class Model:
    """`parameters` and `batch` are trees of dim names; a batch entry also has its type."""
    parameters: typing.Any
    batch: list
    sizes: dict
    loss: typing.Callable


MODELS = {}


def model(build):
    MODELS[build.__name__] = build
    return build


# What they share.

def unmarked(x, *dims):
    """No activation is annotated; a model that is given another `mark` has its own annotated, by the names of their dims."""
    return x


def rms(x, gain):
    return x * lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-6) * gain


def centred(x, gain, bias):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(jnp.square(x - mean).mean(-1, keepdims=True) + 1e-5) * gain + bias


def rotated(x):
    """Rotary positions on `[batch, length, heads, width]`."""
    length, half = x.shape[1], x.shape[3] // 2
    angle = jnp.arange(length)[:, None] * 1e-2 ** (jnp.arange(half) / half)
    cos, sin = jnp.cos(angle)[:, None, :], jnp.sin(angle)[:, None, :]
    left, right = x[..., :half], x[..., half:]
    return jnp.concatenate([left * cos - right * sin, right * cos + left * sin], -1)


def attend(q, k, v, causal=True):
    """Attention on `[batch, length, heads, width]`; fewer heads of keys than of queries serve groups of them."""
    b, s, n, d = q.shape
    q = q.reshape(b, s, k.shape[2], n // k.shape[2], d) if k.shape[2] < n else q[:, :, :, None]
    scores = jnp.einsum('bsngd,btnd->bngst', q, k) * d ** -0.5
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones((s, s), bool)), scores, -1e9)
    return jnp.einsum('bngst,btnd->bsngd', jax.nn.softmax(scores), v).reshape(b, s, n, d)


def next_token_loss(logits, tokens):
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits[:, :-1]), tokens[:, 1:, None], -1)
    return -chosen.mean()


def class_loss(logits, labels):
    return -(jax.nn.log_softmax(logits) * jax.nn.one_hot(labels, logits.shape[-1])).sum(-1).mean()


def through(layer, x, layers, loop):
    """A stack of layers: `unrolled`, `remat` (unrolled, forward again when going back), `scan` or `scan-remat`."""
    layer = jax.checkpoint(layer) if 'remat' in loop else layer
    if 'scan' in loop:
        return lax.scan(lambda x, w: (layer(x, w), None), x, layers)[0]
    for w in layers:
        x = layer(x, w)
    return x


def stack(layer, depth, loop):
    """Parameters of `depth` equal layers."""
    if 'scan' in loop:
        return jax.tree.map(lambda dims: ('L', *dims), layer, is_leaf=is_dims)
    return [layer] * depth


def is_dims(tree):
    return isinstance(tree, tuple) and all(isinstance(dim, (str, int)) for dim in tree)


def sized(sizes, **more):
    return {**dict(B=32, S=128, M=256, H=1024, N=8, K=8, D=32, V=2048, L=2, E=8), **more, **sizes}


# Language models.

@model
def transformer(norm='pre', heads='split', rotary=False, tied=False, gated=False, loop='unrolled', onehot=False,
                mark=unmarked, **sizes):
    """`heads`: weights as `[M, N, D]`, or `flat` as `[M, M]` with a reshape; `K` below `N` is grouped-query attention."""
    n = sized(sizes)
    flat = heads == 'flat'
    layer = dict(q=('M', 'Q') if flat else ('M', 'N', 'D'), k=('M', 'KD') if flat else ('M', 'K', 'D'),
                 v=('M', 'KD') if flat else ('M', 'K', 'D'), o=('Q', 'M') if flat else ('N', 'D', 'M'),
                 up=('M', 'H'), down=('H', 'M'), gain1=('M',), gain2=('M',), **(dict(gate=('M', 'H')) if gated else {}))
    n.update(Q=n['N'] * n['D'], KD=n['K'] * n['D'])
    p = dict(table=('V', 'M'), layers=stack(layer, n['L'], loop), gain=('M',), **({} if tied else dict(head=('M', 'V'))))

    def projected(x, w, count):
        if flat:
            return (x @ w).reshape(*x.shape[:2], count, n['D'])
        return jnp.einsum('bsm,mnd->bsnd', x, w)

    def attention(x, w):
        q, k, v = projected(x, w['q'], n['N']), projected(x, w['k'], n['K']), projected(x, w['v'], n['K'])
        o = mark(attend(rotated(q), rotated(k), v) if rotary else attend(q, k, v), 'B', 'S', 'N', 'D')
        return o.reshape(*x.shape[:2], -1) @ w['o'] if flat else jnp.einsum('bsnd,ndm->bsm', o, w['o'])

    def feed(x, w):
        h = jax.nn.silu(x @ w['gate']) * (x @ w['up']) if gated else jax.nn.gelu(x @ w['up'])
        return mark(h, 'B', 'S', 'H') @ w['down']

    def layer_of(x, w):
        if norm == 'pre':
            x = mark(x + attention(rms(x, w['gain1']), w), 'B', 'S', 'M')
            return mark(x + feed(rms(x, w['gain2']), w), 'B', 'S', 'M')
        x = rms(x + attention(x, w), w['gain1'])
        return rms(x + feed(x, w), w['gain2'])

    def loss(p, tokens):
        x = jax.nn.one_hot(tokens, n['V']) @ p['table'] if onehot else p['table'][tokens]
        x = rms(through(layer_of, x, p['layers'], loop), p['gain'])
        return next_token_loss(x @ p['table'].T if tied else x @ p['head'], tokens)
    return Model(p, [(('B', 'S'), jnp.int32)], n, loss)


def route(gates, capacity):
    """Each token to its two best experts while there is room, as weights `[group, token, expert, slot]`."""
    E = gates.shape[-1]
    first = jax.nn.one_hot(gates.argmax(-1), E)
    second = jax.nn.one_hot((gates * (1 - first)).argmax(-1), E)
    taken, combine = 0., 0.
    for chosen in first, second:
        place = (jnp.cumsum(chosen, 1) - 1 + taken) * chosen
        taken = taken + chosen.sum(1, keepdims=True)
        chosen = chosen * (place < capacity)
        slot = jax.nn.one_hot(place.sum(-1).astype(int), capacity)
        combine = combine + jnp.einsum('gse,gsc->gsec', gates * chosen, slot)
    return combine


@model
def moe_einsum(loop='unrolled', mark=unmarked, **sizes):
    n = sized(sizes, H=512)
    layer = dict(q=('M', 'N', 'D'), k=('M', 'N', 'D'), v=('M', 'N', 'D'), o=('N', 'D', 'M'), route=('M', 'E'),
                 up=('E', 'M', 'H'), down=('E', 'H', 'M'), gain1=('M',), gain2=('M',))
    p = dict(table=('V', 'M'), layers=stack(layer, n['L'], loop), head=('M', 'V'))

    def layer_of(x, w):
        h = rms(x, w['gain1'])
        q, k, v = (jnp.einsum('gsm,mnd->gsnd', h, w[name]) for name in 'qkv')
        o = mark(attend(q, k, v), 'B', 'S', 'N', 'D')
        x = mark(x + jnp.einsum('gsnd,ndm->gsm', o, w['o']), 'B', 'S', 'M')
        h = rms(x, w['gain2'])
        combine = route(jax.nn.softmax(h @ w['route']), 2 * n['S'] // n['E'])
        e = jnp.einsum('gsec,gsm->egcm', (combine > 0).astype(h.dtype), h)
        e = mark(jax.nn.relu(jnp.einsum('egcm,emh->egch', mark(e, 'E', 'G', 'slots', 'M'), w['up'])), 'E', 'G', 'slots', 'H')
        e = mark(jnp.einsum('egch,ehm->egcm', e, w['down']), 'G', 'B', 'slots', 'M')
        return mark(x + jnp.einsum('gsec,egcm->gsm', combine, e), 'B', 'S', 'M')

    def loss(p, tokens):
        x = through(layer_of, mark(p['table'][tokens], 'B', 'S', 'M'), p['layers'], loop)
        return next_token_loss(x @ p['head'], tokens)
    return Model(p, [(('B', 'S'), jnp.int32)], n, loss)


@model
def moe_sorted(**sizes):
    """Tokens sorted by expert, gathered into `[expert, slot, M]`, and gathered back."""
    n = sized(sizes, H=512)
    layer = dict(mix=('M', 'H'), back=('H', 'M'), route=('M', 'E'), up=('E', 'M', 'H'), down=('E', 'H', 'M'), gain1=('M',), gain2=('M',))
    p = dict(table=('V', 'M'), layers=[layer] * n['L'], head=('M', 'V'))

    def experts(x, w):
        tokens, E = x.reshape(-1, x.shape[-1]), n['E']
        gates = jax.nn.softmax(tokens @ w['route'])
        chosen = gates.argmax(-1)
        order = jnp.argsort(chosen)
        capacity = 2 * len(chosen) // E
        start = jnp.searchsorted(chosen[order], jnp.arange(E))
        slots = start[:, None] + jnp.arange(capacity)
        fits = slots < jnp.append(start[1:], len(chosen))[:, None]
        which = order[jnp.clip(slots, 0, len(chosen) - 1)]
        e = tokens[which] * fits[..., None]
        e = jnp.einsum('ech,ehm->ecm', jax.nn.relu(jnp.einsum('ecm,emh->ech', e, w['up'])), w['down'])
        e = e * (fits * gates.max(-1)[which])[..., None]
        return jnp.zeros_like(tokens).at[which.reshape(-1)].add(e.reshape(-1, e.shape[-1])).reshape(x.shape)

    def layer_of(x, w):
        x = x + jax.nn.gelu(rms(x, w['gain1']) @ w['mix']) @ w['back']
        return x + experts(rms(x, w['gain2']), w)

    def loss(p, tokens):
        x = through(layer_of, p['table'][tokens], p['layers'], 'unrolled')
        return next_token_loss(x @ p['head'], tokens)
    return Model(p, [(('B', 'S'), jnp.int32)], n, loss)


@model
def lstm(**sizes):
    n = sized(sizes, M=512, S=64, B=64)
    p = dict(table=('V', 'M'), inputs=('M', 4, 'M'), state=('M', 4, 'M'), bias=(4, 'M'), head=('M', 'V'))

    def loss(p, tokens):
        inputs = jnp.einsum('btm,mgh->tbgh', p['table'][tokens], p['inputs']) + p['bias']

        def cell(carry, inputs):
            h, c = carry
            i, f, g, o = jnp.moveaxis(inputs + jnp.einsum('bk,kgh->bgh', h, p['state']), 1, 0)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h
        zeros = jnp.zeros((tokens.shape[0], n['M']))
        _, h = lax.scan(cell, (zeros, zeros), inputs)
        return next_token_loss(jnp.einsum('tbh,hv->btv', h, p['head']), tokens)
    return Model(p, [(('B', 'S'), jnp.int32)], n, loss)


@model
def mamba(scan='step', **sizes):
    """A selective state space: `scan` by `step` over time, or `associative`."""
    n = sized(sizes, H=512, T=8)
    layer = dict(inside=('M', 'H'), gate=('M', 'H'), taps=(4, 'H'), rate=('H', 'H'), into=('H', 'T'), out=('H', 'T'),
                 decay=('H', 'T'), skip=('H',), back=('H', 'M'), gain=('M',))
    p = dict(table=('V', 'M'), layers=[layer] * n['L'], head=('M', 'V'))

    def recurrence(a, b):
        if scan == 'associative':
            return lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (a, b), axis=1)[1]
        turned = jnp.moveaxis(a, 1, 0), jnp.moveaxis(b, 1, 0)
        zeros = jnp.zeros_like(a[:, 0])
        return jnp.moveaxis(lax.scan(lambda h, ab: (ab[0] * h + ab[1],) * 2, zeros, turned)[1], 0, 1)

    def layer_of(x, w):
        h = rms(x, w['gain'])
        u, gate = h @ w['inside'], h @ w['gate']
        padded = jnp.pad(u, ((0, 0), (3, 0), (0, 0)))
        u = jax.nn.silu(sum(padded[:, i:i + u.shape[1]] * w['taps'][i] for i in range(4)))
        rate = jax.nn.softplus(u @ w['rate'])
        a = jnp.exp(-rate[..., None] * jnp.exp(w['decay']))
        b = (rate * u)[..., None] * (u @ w['into'])[:, :, None, :]
        y = jnp.einsum('bsht,bst->bsh', recurrence(a, b), u @ w['out']) + u * w['skip']
        return x + (y * jax.nn.silu(gate)) @ w['back']

    def loss(p, tokens):
        x = through(layer_of, p['table'][tokens], p['layers'], 'unrolled')
        return next_token_loss(x @ p['head'], tokens)
    return Model(p, [(('B', 'S'), jnp.int32)], n, loss)


# Images.

def conv(x, w, stride=1):
    return lax.conv_general_dilated(x, w, (stride, stride), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))


@model
def vit(pool='mean', loop='unrolled', **sizes):
    """Patches by a reshape and a dot; `pool` by `mean`, or by a `token` put in front."""
    n = sized(sizes, B=64, size=32, C=1024)
    side = n['size'] // 4
    n.update(P=4 * 4 * 3, S=side * side + (pool == 'token'))
    layer = dict(qkv=('M', 3, 'N', 'D'), o=('N', 'D', 'M'), up=('M', 'H'), bias1=('H',), down=('H', 'M'), bias2=('M',),
                 gain1=('M',), shift1=('M',), gain2=('M',), shift2=('M',))
    p = dict(patch=('P', 'M'), place=('S', 'M'), layers=stack(layer, n['L'], loop), head=('M', 'C'), bias=('C',),
             **(dict(token=('M',)) if pool == 'token' else {}))

    def layer_of(x, w):
        q, k, v = jnp.einsum('bsm,mcnd->cbsnd', centred(x, w['gain1'], w['shift1']), w['qkv'])
        x = x + jnp.einsum('bsnd,ndm->bsm', attend(q, k, v, causal=False), w['o'])
        h = jax.nn.gelu(centred(x, w['gain2'], w['shift2']) @ w['up'] + w['bias1'])
        return x + h @ w['down'] + w['bias2']

    def loss(p, images, labels):
        b = images.shape[0]
        x = images.reshape(b, side, 4, side, 4, 3).transpose(0, 1, 3, 2, 4, 5).reshape(b, side * side, -1) @ p['patch']
        if pool == 'token':
            x = jnp.concatenate([jnp.broadcast_to(p['token'], (b, 1, n['M'])), x], 1)
        x = through(layer_of, x + p['place'], p['layers'], loop)
        x = x[:, 0] if pool == 'token' else x.mean(1)
        return class_loss(x @ p['head'] + p['bias'], labels)
    return Model(p, [(('B', 'size', 'size', 3), jnp.float32), (('B',), jnp.int32)], n, loss)


@model
def convnet(normal='batch', pool=False, **sizes):
    """A residual net; `normal`ization over the `batch` or over `group`s of channels."""
    n = sized(sizes, B=64, size=32, C0=64, C1=128, C2=256, C=1024)
    names = 'C0', 'C1', 'C2'
    p = dict(stem=(3, 3, 3, 'C0'), head=('C2', 'C'), stages=[
        dict(a=(3, 3, i, o), b=(3, 3, o, o), skip=(1, 1, i, o), gain=(o,), bias=(o,)) for i, o in zip(names, names[1:])])

    def normalized(x, w):
        if normal == 'group':
            shape = x.shape
            x = x.reshape(*shape[:3], 8, -1)
            mean = x.mean((1, 2, 4), keepdims=True)
            x = ((x - mean) * lax.rsqrt(jnp.square(x - mean).mean((1, 2, 4), keepdims=True) + 1e-5)).reshape(shape)
        else:
            mean = x.mean((0, 1, 2), keepdims=True)
            x = (x - mean) * lax.rsqrt(jnp.square(x - mean).mean((0, 1, 2), keepdims=True) + 1e-5)
        return x * w['gain'] + w['bias']

    def loss(p, images, labels):
        x = jax.nn.relu(conv(images, p['stem'], 1 if pool else 2))
        if pool:
            x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), 'SAME')
        for w in p['stages']:
            h = conv(jax.nn.relu(conv(x, w['a'], 2)), w['b'])
            x = jax.nn.relu(normalized(h, w) + conv(x, w['skip'], 2))
        return class_loss(x.mean((1, 2)) @ p['head'], labels)
    return Model(p, [(('B', 'size', 'size', 3), jnp.float32), (('B',), jnp.int32)], n, loss)


@model
def unet(grow='repeat', **sizes):
    """A diffusion net: noise on images is guessed; the time enters every block; attention in the middle."""
    n = sized(sizes, B=32, size=32, C0=64, C1=128, C2=256, T=256)
    n.update({f'{c}c': 2 * n[c] for c in ('C0', 'C1')})
    block = lambda i, o: dict(a=(3, 3, i, o), time=('T', o), b=(3, 3, o, o), skip=(1, 1, i, o), gain=(o,))
    p = dict(stem=(3, 3, 3, 'C0'), time1=('T', 'T'), time2=('T', 'T'), down=[block('C0', 'C0'), block('C0', 'C1')],
             middle=block('C1', 'C2'), qkv=('C2', 3, 'C2'), o=('C2', 'C2'), shrink=[('C2', 'C1'), ('C1', 'C0')],
             up=[block('C1c', 'C1'), block('C0c', 'C0')], last=(3, 3, 'C0', 3))

    def normalized(x, gain):
        return x * lax.rsqrt(jnp.square(x).mean((1, 2, 3), keepdims=True) + 1e-6) * gain

    def through_block(x, time, w):
        h = conv(jax.nn.silu(x), w['a']) + (time @ w['time'])[:, None, None, :]
        return conv(jax.nn.silu(normalized(h, w['gain'])), w['b']) + conv(x, w['skip'])

    def larger(x):
        if grow == 'repeat':
            return jnp.repeat(jnp.repeat(x, 2, 1), 2, 2)
        return jax.image.resize(x, (x.shape[0], 2 * x.shape[1], 2 * x.shape[2], x.shape[3]), 'bilinear')

    def middle(x, p):
        b, h, w, c = x.shape
        q, k, v = jnp.einsum('bsc,ckd->kbsd', x.reshape(b, h * w, c), p['qkv'])
        return x + (attend(q[:, :, None], k[:, :, None], v[:, :, None], causal=False)[:, :, 0] @ p['o']).reshape(x.shape)

    def loss(p, images, noise, when):
        angle = when[:, None] * 1e-4 ** (jnp.arange(n['T'] // 2) / (n['T'] // 2))
        time = jax.nn.silu(jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], -1) @ p['time1']) @ p['time2']
        share = when[:, None, None, None]
        x, kept = conv(images * (1 - share) + noise * share, p['stem']), []
        for w in p['down']:
            x = through_block(x, time, w)
            kept.append(x)
            x = lax.reduce_window(x, 0., lax.add, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID') / 4
        x = middle(through_block(x, time, p['middle']), p)
        for before, shrink, w in zip(reversed(kept), p['shrink'], p['up']):
            x = through_block(jnp.concatenate([before, larger(x) @ shrink], -1), time, w)
        return jnp.square(conv(jax.nn.silu(x), p['last']) - noise).mean()
    image = ('B', 'size', 'size', 3)
    return Model(p, [(image, jnp.float32), (image, jnp.float32), (('B',), jnp.float32)], n, loss)


# Neither.

@model
def gnn(mean=False, **sizes):
    """Messages along edges, added where they end; `mean` divides by how many came."""
    n = sized(sizes, nodes=4096, edges=32768, F=128, M=256, C=64)
    layer = dict(own=('M', 'H'), message=('M', 'H'), back=('H', 'M'), gain=('M',))
    p = dict(enter=('F', 'M'), layers=[layer] * n['L'], head=('M', 'C'))

    def loss(p, features, sources, targets, labels):
        x = features @ p['enter']
        count = jax.ops.segment_sum(jnp.ones(sources.shape), targets, n['nodes'])
        for w in p['layers']:
            h = rms(x, w['gain'])
            sums = jax.ops.segment_sum(h[sources], targets, n['nodes'])
            sums = sums / jnp.maximum(count, 1)[:, None] if mean else sums
            x = x + jax.nn.relu(h @ w['own'] + sums @ w['message']) @ w['back']
        return class_loss(x @ p['head'], labels)
    ends = (('edges',), jnp.int32)
    return Model(p, [(('nodes', 'F'), jnp.float32), ends, ends, (('nodes',), jnp.int32)], n, loss)


@model
def mlp(**sizes):
    n = sized(sizes, B=1024, F=1024, M=2048, H=1024, C=512)
    shapes = ('F', 'M'), ('M', 'H'), ('H', 'M'), ('M', 'C')
    p = [dict(w=pair, b=pair[1:]) for pair in shapes]

    def loss(p, x, labels):
        for i, layer in enumerate(p):
            x = x @ layer['w'] + layer['b']
            x = jax.nn.gelu(x) if i + 1 < len(p) else x
        return class_loss(x, labels)
    return Model(p, [(('B', 'F'), jnp.float32), (('B',), jnp.int32)], n, loss)


# Parts of a step: the smallest programs that show a conflict.

@model
def lookup(**sizes):
    """A table, one hidden layer, and a mean."""
    n = sized(sizes, B=64, M=512, H=2048, V=4096)

    def loss(p, tokens):
        return (jnp.tanh(p['table'][tokens] @ p['up']) @ p['down']).mean()
    return Model(dict(table=('V', 'M'), up=('M', 'H'), down=('H', 'M')), [(('B', 'S'), jnp.int32)], n, loss)


@model
def pooled(**sizes):
    """One convolution, a mean over its image, a dot."""
    n = sized(sizes, B=64, size=32, C0=16, C1=64, C=512)

    def loss(p, images):
        return (jax.nn.relu(conv(images, p['kernel'], 2)).mean((1, 2)) @ p['head']).mean()
    return Model(dict(kernel=(3, 3, 'C0', 'C1'), head=('C1', 'C')), [(('B', 'size', 'size', 'C0'), jnp.float32)], n, loss)


def shapes(names, sizes):
    return tuple(dim if isinstance(dim, int) else int(sizes[dim]) for dim in names)


def count(model):
    """Parameters of a model."""
    leaves = jax.tree.leaves(model.parameters, is_leaf=is_dims)
    return sum(int(np.prod(shapes(dims, model.sizes))) for dims in leaves)
