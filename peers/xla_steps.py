"""XLA's own text of thirteen training steps: before and after sharding propagation, and after SPMD partitioning.

    python xla_steps.py [--only NAME ...]            (needs jax[cpu]==0.10.2, see requirements.txt)

Writes `tests/xla/NAME/{before_propagation,after_propagation,after_partitioning}.hlo`, the input of
`meshwright compare-xla`. Every configuration is fixed here: model, sizes, mesh, annotations. Nothing is run, so sizes
are those of real models and cost nothing; a module's text does not grow with them. XLA propagates by GSPMD
(`jax_use_shardy_partitioner` off). The same versions give the same bytes on any machine.
"""
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / 'tests' / 'golden'))
from fixture import DUMP, write_text  # sets the number of devices, so before anything else of JAX

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

OUT = HERE.parent / 'tests' / 'xla'
PASSES = 'spmd.*|sharding.*'
jax.config.update('jax_use_shardy_partitioner', False)
jax.config.update('jax_traceback_in_locations_limit', 1)  # the line of the op, not who called it


class Setting:
    """A mesh with axes `x` (and `y`), and short words to annotate over it."""

    def __init__(self, *sizes):
        self.mesh = Mesh(np.array(jax.devices()).reshape(sizes), ('x', 'y')[:len(sizes)])

    def over(self, *spec):
        return NamedSharding(self.mesh, P(*spec))

    def array(self, shape, *spec, dtype=jnp.float32):
        """An argument of this shape, split like this."""
        return jax.ShapeDtypeStruct(shape, dtype, sharding=self.over(*spec))

    def tokens(self, shape, *spec):
        return self.array(shape, *spec, dtype=jnp.int32)

    def split(self, value, *spec):
        """Annotate a value within a model."""
        return lax.with_sharding_constraint(value, self.over(*spec))


STEPS = {}


def step_of(*sizes):
    """Register a function of a setting that gives a step and its arguments: the state first, which is donated."""
    def register(build):
        STEPS[build.__name__] = (sizes, build)
        return build
    return register


# What the models share.

def sgd(loss, rate=1e-2):
    """A step on `(parameters, *batch)`."""
    def step(p, *batch):
        value, g = jax.value_and_grad(loss)(p, *batch)
        return jax.tree.map(lambda p, g: p - rate * g, p, g), value
    return step


def adam_update(p, m, v, g):
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
    v = jax.tree.map(lambda v, g: 0.95 * v + 0.05 * g * g, v, g)
    p = jax.tree.map(lambda p, m, v: p - 1e-4 * m * lax.rsqrt(v + 1e-12), p, m, v)
    return p, m, v


def adam(loss):
    """A step on `((parameters, first moments, second moments), *batch)`."""
    def step(state, *batch):
        value, g = jax.value_and_grad(loss)(state[0], *batch)
        return adam_update(*state, g), value
    return step


def three(p):
    """Parameters as the state of `adam`: they and both moments are split alike."""
    return p, p, p


def rms(x, scale):
    return x * lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-6) * scale


def attend(q, k, v):
    """Causal attention on `[batch, length, heads, width]`."""
    length, width = q.shape[1], q.shape[3]
    scores = jnp.einsum('bsnd,btnd->bnst', q, k) * width ** -0.5
    allowed = jnp.arange(length)[:, None] >= jnp.arange(length)[None, :]
    return jnp.einsum('bnst,btnd->bsnd', jax.nn.softmax(jnp.where(allowed, scores, -1e30)), v)


def cross_entropy(logits, target):
    chosen = jnp.take_along_axis(logits, target[..., None], -1)[..., 0]
    return (jax.nn.logsumexp(logits, -1) - chosen).mean()


# Dense Transformers.

def dense_step(s, batch, model, inner, act_bsm, act_bsnd, act_bsh, tables):
    """Two layers, every weight annotated where it enters, three activations a layer. `model` and `inner` name the
    axes that split weights along M and along H and N."""
    B, S, M, H, N, D, V = 64, 512, 2048, 8192, 16, 128, 32000
    layer = dict(q=s.array((M, N, D), model, inner), k=s.array((M, N, D), model, inner),
                 v=s.array((M, N, D), model, inner), o=s.array((N, D, M), inner, None, model),
                 up=s.array((M, H), model, inner), down=s.array((H, M), inner, model),
                 norm1=s.array((M,)), norm2=s.array((M,)))
    p = dict(embedding=s.array((V, M), *tables), layers=[layer, layer])

    def loss(p, tokens):
        x = s.split(p['embedding'][tokens], *act_bsm)
        for w in p['layers']:
            h = rms(x, w['norm1'])
            q, k, v = (s.split(jnp.einsum('bsm,mnd->bsnd', h, w[name]), *act_bsnd) for name in 'qkv')
            o = s.split(attend(q, k, v), *act_bsnd)
            x = s.split(x + jnp.einsum('bsnd,ndm->bsm', o, w['o']), *act_bsm)
            h = jax.nn.gelu(s.split(rms(x, w['norm2']) @ w['up'], *act_bsh))
            x = s.split(x + h @ w['down'], *act_bsm)
        return cross_entropy(jnp.einsum('bsm,vm->bsv', x, p['embedding']), jnp.roll(tokens, -1, 1))
    return adam(loss), three(p), s.tokens((B, S), batch)


@step_of(8)
def dense_1d(s):
    """Heads, hidden layer and vocabulary over one axis; activations between layers replicated."""
    return dense_step(s, None, None, 'x', (), (None, None, 'x'), (None, None, 'x'), ('x',))


@step_of(4, 2)
def dense_2d_attempt1(s):
    """GSPMD Table 1, first row."""
    return dense_step(s, None, 'x', 'y', (None, None, 'x'), (None, None, 'y'), (None, None, 'y'), ('y', 'x'))


@step_of(4, 2)
def dense_2d_attempt2(s):
    """GSPMD Table 1, second row."""
    return dense_step(s, 'x', 'x', 'y', ('x',), ('x', None, 'y'), ('x', None, 'y'), ('y', 'x'))


@step_of(4, 2)
def dense_2d_finalized(s):
    """GSPMD Table 1, third row."""
    return dense_step(s, 'x', 'x', 'y', ('x', None, 'y'), ('x', None, 'y'), ('x', None, 'y'), ('y', 'x'))


# Mixtures of experts.

def route(gates, capacity):
    """Each token to its two best experts while there is room: combine weights `[group, token, expert, slot]`, and the
    balance of the load."""
    E = gates.shape[-1]
    first = jax.nn.one_hot(gates.argmax(-1), E)
    second = jax.nn.one_hot((gates * (1 - first)).argmax(-1), E)
    balance = (first.mean(1) * gates.mean(1)).mean() * E * E
    taken, combine = 0., 0.
    total = (gates * (first + second)).sum(-1, keepdims=True)
    for chosen in first, second:
        place = (jnp.cumsum(chosen, 1) - 1 + taken) * chosen
        taken = taken + chosen.sum(1, keepdims=True)
        chosen = chosen * (place < capacity)
        slot = jax.nn.one_hot(place.sum(-1).astype(int), capacity)
        combine = combine + jnp.einsum('gse,gsc->gsec', gates / total * chosen, slot)
    return combine, balance


def moe_step(s, inner):
    """One attention layer and one layer of experts. Groups and experts over `x`; `inner` splits H and N."""
    G, S, M, H, E, N, D, V = 32, 1024, 1024, 4096, 16, 16, 64, 16384
    p = dict(embedding=s.array((V, M)), qkv=s.array((3, M, N, D), None, None, inner),
             o=s.array((N, D, M), inner), gate=s.array((M, E)), up=s.array((E, M, H), 'x', None, inner),
             down=s.array((E, H, M), 'x', inner), norm1=s.array((M,)), norm2=s.array((M,)))

    def loss(p, tokens):
        x = s.split(p['embedding'][tokens], 'x')
        q, k, v = jnp.einsum('gsm,cmnd->cgsnd', rms(x, p['norm1']), p['qkv'])
        x = s.split(x + jnp.einsum('gsnd,ndm->gsm', s.split(attend(q, k, v), 'x', None, inner), p['o']), 'x')
        h = rms(x, p['norm2'])
        combine, balance = route(jax.nn.softmax(h @ p['gate']), 2 * S // E)
        e = s.split(jnp.einsum('gsec,gsm->egcm', (combine > 0).astype(h.dtype), h), 'x')
        e = s.split(jax.nn.relu(jnp.einsum('egcm,emh->egch', e, p['up'])), 'x', None, None, inner)
        e = s.split(jnp.einsum('egch,ehm->gecm', e, p['down']), 'x')
        x = s.split(x + jnp.einsum('gsec,gecm->gsm', combine, e), 'x')
        logits = jnp.einsum('gsm,vm->gsv', x, p['embedding'])
        return cross_entropy(logits, jnp.roll(tokens, -1, 1)) + 0.01 * balance
    return adam(loss), three(p), s.tokens((G, S), 'x')


@step_of(8)
def moe(s):
    """Groups and experts over one axis."""
    return moe_step(s, None)


@step_of(4, 2)
def hybrid_moe(s):
    """Groups and experts over `x`, H and N over `y` (GSPMD 5.5)."""
    return moe_step(s, 'y')


# Convolutions.

def conv(x, w, stride=1):
    return lax.conv_general_dilated(x, w, (stride, stride), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))


@step_of(2, 4)
def conv_spatial(s):
    """A small residual network on images; batch over `x`, height over `y`."""
    B, size, classes, widths = 32, 256, 1000, (64, 128, 256)
    p = dict(stem=s.array((7, 7, 3, widths[0])), head=s.array((widths[-1], classes)), stages=[
        dict(a=s.array((3, 3, before, after)), b=s.array((3, 3, after, after)), skip=s.array((1, 1, before, after)),
             scale=s.array((after,)), bias=s.array((after,)))
        for before, after in zip(widths, widths[1:])])

    def loss(p, images, labels):
        x = jax.nn.relu(conv(images, p['stem'], 2))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), 'SAME')
        for w in p['stages']:
            h = conv(jax.nn.relu(conv(x, w['a'], 2)), w['b'])
            mean = h.mean((0, 1, 2), keepdims=True)
            h = (h - mean) * lax.rsqrt(jnp.square(h - mean).mean((0, 1, 2), keepdims=True) + 1e-5)
            x = s.split(jax.nn.relu(h * w['scale'] + w['bias'] + conv(x, w['skip'], 2)), 'x', 'y')
        return cross_entropy(x.mean((1, 2)) @ p['head'], labels)
    return sgd(loss), p, s.array((B, size, size, 3), 'x', 'y'), s.tokens((B,), 'x')


@step_of(4, 2)
def unet(s):
    """A small 2D U-Net, height over `x` and width over `y`."""
    B, size, base, depth, classes = 4, 1024, 32, 3, 4
    widths = [base << level for level in range(depth)]
    block = lambda before, after: dict(a=s.array((3, 3, before, after)), b=s.array((3, 3, after, after)))
    p = dict(down=[block(before, after) for before, after in zip([1] + widths, widths)],
             up=[dict(block(2 * after, after), grow=s.array((2, 2, 2 * after, after))) for after in widths[:-1]],
             head=s.array((1, 1, base, classes)))

    def convs(x, w):
        x = jax.nn.relu(conv(jax.nn.relu(conv(x, w['a'])), w['b']))
        return s.split(x, None, 'x', 'y')

    def loss(p, images, labels):
        x, kept = images, []
        for level, w in enumerate(p['down']):
            if level:
                x = lax.reduce_window(x, 0., lax.add, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID') / 4
            x = convs(x, w)
            kept.append(x)
        for before, w in reversed(list(zip(kept[:-1], p['up']))):
            x = lax.conv_transpose(x, w['grow'], (2, 2), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
            x = convs(jnp.concatenate([before, x], -1), w)
        logits = conv(x, p['head'])
        return (jax.nn.logsumexp(logits, -1) - (logits * jax.nn.one_hot(labels, classes)).sum(-1)).mean()
    return sgd(loss), p, s.array((B, size, size, 1), None, 'x', 'y'), s.tokens((B, size, size), None, 'x', 'y')


# Loops.

@step_of(2, 4)
def attention_scan(s):
    """A stack of layers as one scan over stacked weights; batch over `x`, heads and hidden layer over `y`."""
    B, S, M, H, N, D, V, L = 32, 1024, 1024, 4096, 16, 64, 32000, 12
    p = dict(embedding=s.array((V, M), 'y'), layers=dict(
        qkv=s.array((L, 3, M, N, D), None, None, None, 'y'), o=s.array((L, N, D, M), None, 'y'),
        up=s.array((L, M, H), None, None, 'y'), down=s.array((L, H, M), None, 'y'),
        norm1=s.array((L, M)), norm2=s.array((L, M))))

    def layer(x, w):
        q, k, v = jnp.einsum('bsm,cmnd->cbsnd', rms(x, w['norm1']), w['qkv'])
        x = x + jnp.einsum('bsnd,ndm->bsm', attend(q, k, v), w['o'])
        x = x + jax.nn.relu(rms(x, w['norm2']) @ w['up']) @ w['down']
        return s.split(x, 'x'), None

    def loss(p, tokens):
        x, _ = lax.scan(layer, s.split(p['embedding'][tokens], 'x'), p['layers'])
        return cross_entropy(jnp.einsum('bsm,vm->bsv', x, p['embedding']), jnp.roll(tokens, -1, 1))
    return adam(loss), three(p), s.tokens((B, S), 'x')


@step_of(4, 2)
def lstm_scan(s):
    """An LSTM over time; batch over `x`, gates over `y`."""
    B, T, M, H, V = 128, 64, 1024, 2048, 10000
    p = dict(embedding=s.array((V, M), None, 'y'), inputs=s.array((M, 4, H), None, None, 'y'),
             state=s.array((H, 4, H), None, None, 'y'), bias=s.array((4, H), None, 'y'),
             head=s.array((H, V), 'y'))

    def loss(p, tokens):
        inputs = jnp.einsum('btm,mgh->tbgh', p['embedding'][tokens], p['inputs']) + p['bias']

        def cell(carry, inputs):
            h, c = carry
            i, f, g, o = jnp.moveaxis(inputs + jnp.einsum('bk,kgh->bgh', h, p['state']), 1, 0)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = s.split(jax.nn.sigmoid(o) * jnp.tanh(c), 'x', 'y')
            return (h, c), h
        zeros = jnp.zeros((tokens.shape[0], H))
        _, h = lax.scan(cell, (zeros, zeros), inputs)
        return cross_entropy(jnp.einsum('tbh,hv->tbv', h, p['head']), jnp.roll(tokens, -1, 1).T)
    return sgd(loss), p, s.tokens((B, T), 'x')


# Parts of a step.

@step_of(2, 4)
def optimizer_update(s):
    """Adam for vectors, factored second moments for matrices, and one clip of the global norm."""
    matrices = {'embedding': ((32000, 4096), ('y', 'x')), 'up': ((4096, 16384), ('x', 'y')),
                'down': ((16384, 4096), ('y', 'x')), 'experts': ((8, 4096, 2048), ('y', None, 'x'))}
    vectors = {'norm': ((4096,), ('x',)), 'bias': ((16384,), ('y',))}
    array = lambda kinds: {name: s.array(shape, *spec) for name, (shape, spec) in kinds.items()}
    rows = {name: s.array(shape[:-1], *spec[:-1]) for name, (shape, spec) in matrices.items()}
    cols = {name: s.array(shape[:-2] + shape[-1:], *spec[:-2], *spec[-1:]) for name, (shape, spec) in matrices.items()}
    p = {**array(matrices), **array(vectors)}

    def factored(p, g, row, col):
        square = g * g + 1e-30
        row = 0.99 * row + 0.01 * square.mean(-1)
        col = 0.99 * col + 0.01 * square.mean(-2)
        scale = row / row.mean(-1, keepdims=True)
        update = g * lax.rsqrt(scale)[..., None] * lax.rsqrt(col)[..., None, :]
        update = update / jnp.maximum(1., jnp.sqrt(jnp.square(update).mean()))
        return p - 1e-3 * jnp.maximum(1e-3, jnp.sqrt(jnp.square(p).mean())) * update, row, col

    def step(state, g):
        p, rows, cols, m, v = state
        norm = jnp.sqrt(sum(jnp.square(g).sum() for g in jax.tree.leaves(g)))
        g = jax.tree.map(lambda g: g * jnp.minimum(1., 1. / norm), g)
        p, rows, cols = dict(p), dict(rows), dict(cols)
        for name in matrices:
            p[name], rows[name], cols[name] = factored(p[name], g[name], rows[name], cols[name])
        some = lambda tree: {name: tree[name] for name in vectors}
        updated, m, v = adam_update(some(p), m, v, some(g))
        return ({**p, **updated}, rows, cols, m, v), norm
    return step, (p, rows, cols, array(vectors), array(vectors)), p


@step_of(2, 4)
def embedding_softmax(s):
    """A bag of words: lookups in a table split by rows, a softmax over a split vocabulary. Batch over `x`."""
    B, T, M, V = 512, 64, 512, 65536
    p = dict(embedding=s.array((V, M), 'y'), mix=s.array((M, M)), head=s.array((M, V), None, 'y'), bias=s.array((V,), 'y'))

    def loss(p, words, target):
        x = p['embedding'][words]
        weight = jax.nn.softmax((x * jnp.tanh(x @ p['mix'])).sum(-1))
        x = jnp.einsum('bt,btm->bm', weight, x)
        return cross_entropy(x @ p['head'] + p['bias'], target)
    return adam(loss), three(p), s.tokens((B, T), 'x'), s.tokens((B,), 'x')


@step_of(8)
def weight_update_sharding(s):
    """A data-parallel multilayer perceptron: weights replicated, Adam's moments and the update split over the batch's axis."""
    B, sizes = 1024, (3072, 4096, 4096, 1024)
    shapes = {f'w{i}': pair for i, pair in enumerate(zip(sizes, sizes[1:]))}
    shapes |= {f'b{i}': (size,) for i, size in enumerate(sizes[1:])}
    p = {name: s.array(shape) for name, shape in shapes.items()}
    moments = {name: s.array(shape, 'x') for name, shape in shapes.items()}

    def loss(p, x, target):
        for i in range(len(sizes) - 1):
            x = x @ p[f'w{i}'] + p[f'b{i}']
            x = jax.nn.gelu(x) if i + 2 < len(sizes) else x
        return cross_entropy(x, target)

    def step(state, x, target):
        p, m, v = state
        value, g = jax.value_and_grad(loss)(p, x, target)
        tiled = lambda tree: jax.tree.map(lambda leaf: s.split(leaf, 'x'), tree)
        p, m, v = adam_update(tiled(p), m, v, tiled(g))
        return (jax.tree.map(lambda leaf: s.split(leaf), p), m, v), value
    return step, (p, moments, moments), s.array((B, sizes[0]), 'x'), s.tokens((B,), 'x')


def dump(name):
    """Compile one step, and keep what XLA had at the three places."""
    sizes, build = STEPS[name]
    step, *args = build(Setting(*sizes))
    step.__name__ = name
    lowered = jax.jit(step, donate_argnums=0).lower(*args)
    with tempfile.TemporaryDirectory() as folder:
        lowered.compile(compiler_options=dict(DUMP, xla_dump_to=folder, xla_dump_hlo_pass_re=PASSES))
        texts = {path.name: path.read_text() for path in pathlib.Path(folder).glob('*.txt')}
    target = OUT / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for file, part in (('before_propagation', 'before_sharding-propagation'), ('after_propagation', 'after_sharding-propagation'),
                       ('after_partitioning', 'after_spmd-partitioning')):
        [text] = [text for path, text in texts.items() if part in path]
        write_text(target / f'{file}.hlo', text)


if __name__ == '__main__':
    only = sys.argv[sys.argv.index('--only') + 1:] if '--only' in sys.argv else list(STEPS)
    for name in only:
        dump(name)
        print(name, flush=True)
