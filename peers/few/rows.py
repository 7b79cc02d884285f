"""The rows: each a model, a layout, a mesh and an update. Some are listed, others are drawn from a seed."""
import dataclasses
import random


@dataclasses.dataclass
class Row:
    name: str
    model: str
    layout: str
    mesh: tuple
    options: dict
    split: dict
    update: str = 'adam'
    kept: bool = False  # results of the state are annotated like the state


def row(name, model, layout, mesh, options=None, split=None, **more):
    return Row(name, model, layout, mesh, options or {}, split or {}, **more)


BIG = dict(B=128, M=512, H=2048, N=16, K=16, V=4096)  # for 64 devices


LISTED = [
    row('lookup-first', 'lookup', 'fsdp', (8,), split=dict(order='first')),
    row('lookup-last', 'lookup', 'fsdp', (8,), split=dict(order='last', tables='rows'), update='sgd'),
    row('pooled-last', 'pooled', 'fsdp', (8,), split=dict(order='last'), update='sgd'),
    row('lm-fsdp-first', 'transformer', 'fsdp', (8,), dict(heads='flat'), dict(order='first')),
    row('lm-fsdp-last', 'transformer', 'fsdp', (8,), dict(heads='flat'), dict(order='last')),
    row('lm-fsdp-mixed', 'transformer', 'fsdp', (8,), dict(heads='flat'), dict(order='mixed')),
    row('lm-plane', 'transformer', 'plane', (2, 4), dict(heads='flat')),
    row('lm-fsdp-tp', 'transformer', 'fsdp_tp', (2, 4), dict(rotary=True, gated=True, K=4)),
    row('lm-zero1', 'transformer', 'zero', (8,), dict(tied=True), dict(stage=1)),
    row('conv-largest', 'convnet', 'fsdp', (8,), split=dict(order='largest'), update='sgd'),
    row('moe-experts', 'moe_einsum', 'experts', (8,)),
    row('lstm-first', 'lstm', 'fsdp', (8,), split=dict(order='first'), update='sgd'),
    row('mlp-last', 'mlp', 'fsdp', (8,), split=dict(order='last')),

    # Language models.
    row('lookup-both', 'lookup', 'plane', (2, 4), split=dict(tables='both')),
    row('lookup-tensors', 'lookup', 'fsdp_tp', (4, 2), split=dict(tables='width'), update='momentum'),
    row('lm-fsdp-largest', 'transformer', 'fsdp', (8,), dict(norm='post'), dict(order='largest', gains='whole')),
    row('lm-fsdp-kept', 'transformer', 'fsdp', (8,), dict(rotary=True), dict(order='mixed'), kept=True),
    row('lm-rows', 'transformer', 'fsdp', (8,), dict(tied=True, gated=True), dict(order='last', tables='rows')),
    row('lm-width', 'transformer', 'fsdp', (8,), dict(tied=True, norm='post'), dict(order='first', tables='width')),
    row('lm-both', 'transformer', 'fsdp_tp', (4, 2), dict(tied=True), dict(tables='both', gains='split')),
    row('lm-onehot', 'transformer', 'fsdp_tp', (2, 4), dict(tied=True, onehot=True), update='sgd'),
    row('lm-scan-first', 'transformer', 'fsdp', (8,), dict(loop='scan', L=4), dict(order='first')),
    row('lm-scan-mixed', 'transformer', 'fsdp', (8,), dict(loop='scan', L=4, rotary=True), dict(order='mixed')),
    row('lm-scan-remat-tensors', 'transformer', 'fsdp_tp', (2, 4), dict(loop='scan-remat', L=4, gated=True), dict(gains='split')),
    row('lm-remat', 'transformer', 'fsdp', (8,), dict(loop='remat', heads='flat', K=2), dict(order='largest')),
    row('lm-remat-plane', 'transformer', 'plane', (4, 2), dict(loop='remat'), dict(gains='whole')),
    row('lm-zero2', 'transformer', 'zero', (8,), dict(heads='flat'), dict(stage=2)),
    row('lm-zero3', 'transformer', 'zero', (8,), dict(rotary=True, K=2), dict(stage=3, order='largest'), kept=True),
    row('lm-tensors', 'transformer', 'tp', (2, 4), dict(), dict(tables='rows')),
    row('lm-hsdp', 'transformer', 'hsdp', (2, 2, 2), dict(heads='flat'), dict(order='largest')),
    row('lm-hsdp-tensors', 'transformer', 'fsdp_tp', (2, 2, 2), dict(gated=True, rotary=True), dict(gains='split')),
    row('lm-sequence', 'transformer', 'sequence', (2, 4), dict(), dict(order='first')),
    row('lm-sequence-flat', 'transformer', 'sequence', (4, 2), dict(heads='flat', norm='post'), dict(order='largest', weights=('x',))),
    row('lm64-first', 'transformer', 'fsdp', (64,), dict(BIG, heads='flat'), dict(order='first')),
    row('lm64-mixed', 'transformer', 'fsdp', (64,), dict(BIG, rotary=True, K=4), dict(order='mixed')),
    row('lm64-tensors', 'transformer', 'fsdp_tp', (8, 8), dict(BIG, gated=True), dict(gains='split')),
    row('lm64-hsdp', 'transformer', 'fsdp_tp', (4, 4, 4), dict(BIG, loop='scan'), dict(tables='both')),
    row('lm64-sequence', 'transformer', 'sequence', (16, 4), dict(BIG, tied=True), dict(order='largest')),
    row('moe-mixed', 'moe_einsum', 'fsdp', (8,), split=dict(order='mixed')),
    row('moe-scan-plane', 'moe_einsum', 'plane', (2, 4), dict(loop='scan')),
    row('moe64-tensors', 'moe_einsum', 'experts', (8, 8), dict(BIG, E=16, H=1024)),
    row('moe-sorted-largest', 'moe_sorted', 'fsdp', (8,), split=dict(order='largest')),
    row('moe-sorted-experts', 'moe_sorted', 'experts', (4, 2)),
    row('lstm-tensors', 'lstm', 'fsdp_tp', (2, 4)),
    row('lstm-largest', 'lstm', 'zero', (8,), split=dict(stage=3, order='largest')),
    row('mamba-first', 'mamba', 'fsdp', (8,), split=dict(order='first')),
    row('mamba-associative', 'mamba', 'fsdp', (8,), dict(scan='associative'), dict(order='last')),
    row('mamba-tensors', 'mamba', 'fsdp_tp', (2, 4)),

    # Images.
    row('vit-mixed', 'vit', 'fsdp', (8,), split=dict(order='mixed')),
    row('vit-token-tensors', 'vit', 'fsdp_tp', (4, 2), dict(pool='token'), dict(gains='split')),
    row('vit64-scan', 'vit', 'fsdp', (64,), dict(BIG, loop='scan'), dict(order='largest', gains='whole')),
    row('conv-first', 'convnet', 'fsdp', (8,), dict(normal='group'), dict(order='first')),
    row('conv-plane', 'convnet', 'plane', (4, 2), dict(pool=True), update='momentum'),
    row('conv64-last', 'convnet', 'fsdp', (64,), dict(B=256, C0=128, C1=256, C2=512), dict(order='last')),
    row('conv-zero1', 'convnet', 'zero', (8,), split=dict(stage=1), update='momentum'),
    row('unet-largest', 'unet', 'fsdp', (8,), split=dict(order='largest')),
    row('unet-mixed', 'unet', 'fsdp', (8,), dict(grow='resize'), dict(order='mixed'), update='sgd'),
    row('unet-rows', 'unet', 'sequence', (4, 2), split=dict(order='largest', weights=('x',)), update='sgd'),

    # Neither.
    row('gnn-first', 'gnn', 'fsdp', (8,), split=dict(order='first')),
    row('gnn-tensors', 'gnn', 'fsdp_tp', (2, 4), dict(mean=True)),
    row('mlp-first', 'mlp', 'fsdp', (8,), split=dict(order='first'), update='sgd'),
    row('mlp-plane', 'mlp', 'plane', (2, 4)),
    row('mlp64-mixed', 'mlp', 'fsdp', (64,), dict(B=4096), dict(order='mixed'), update='momentum'),
]

LARGE = dict(B=256, S=1024, M=2048, H=8192, N=16, K=16, D=128, V=32000, L=2)
TPU = [  # for `tpu_frontier.py`: 128 cores
    row('tpu-fsdp-mixed', 'transformer', 'fsdp', (128,), dict(LARGE, rotary=True), dict(order='mixed')),
    row('tpu-fsdp-tp', 'transformer', 'fsdp_tp', (8, 16), dict(LARGE, gated=True)),
    row('tpu-experts', 'moe_einsum', 'experts', (128,), dict(LARGE, H=4096, E=128)),
]


# What rows are drawn from.

LANGUAGE = dict(norm=('pre', 'post'), heads=('split', 'flat'), rotary=(False, True), tied=(False, True), gated=(False, True),
                loop=('unrolled', 'unrolled', 'scan', 'remat', 'scan-remat'), onehot=(False, False, False, True), K=(2, 4, 8))
KINDS = [  # how often, the model, and its options
    (8, 'transformer', LANGUAGE),
    (2, 'moe_einsum', dict(loop=('unrolled', 'scan'), E=(8, 16))),
    (1, 'moe_sorted', dict(E=(8, 16))),
    (1, 'lstm', {}),
    (2, 'mamba', dict(scan=('step', 'associative'))),
    (2, 'vit', dict(pool=('mean', 'token'), loop=('unrolled', 'scan'))),
    (2, 'convnet', dict(normal=('batch', 'group'), pool=(False, True))),
    (2, 'unet', dict(grow=('repeat', 'resize'))),
    (1, 'gnn', dict(mean=(False, True))),
    (1, 'mlp', dict(M=(1024, 2048), H=(1024, 4096))),
]
ORDER = 'first', 'last', 'largest', 'mixed'
GAINS = 'split', 'whole'
TABLES = None, None, 'rows', 'width'
SPREADS = [  # how often, the layout, the axes it is for, and its options
    (4, 'fsdp', (1,), dict(order=ORDER, gains=GAINS, tables=TABLES)),
    (2, 'zero', (1,), dict(stage=(1, 2, 3), order=ORDER)),
    (3, 'fsdp_tp', (2, 3), dict(gains=GAINS, tables=(*TABLES, 'both'))),
    (2, 'plane', (2,), dict(gains=GAINS, tables=(*TABLES, 'both'))),
    (1, 'tp', (2,), dict(tables=TABLES)),
    (2, 'hsdp', (2, 3), dict(order=ORDER, gains=GAINS)),
    (2, 'sequence', (2,), dict(order=ORDER, gains=GAINS, weights=(('x',), ('x', 'y')))),
]
MESHES = {8: {1: [(8,)], 2: [(2, 4), (4, 2)], 3: [(2, 2, 2)]}, 64: {1: [(64,)], 2: [(8, 8), (16, 4), (4, 16)], 3: [(4, 4, 4), (2, 8, 4)]}}
SCALES = {8: [dict(), dict(B=16, M=512, H=2048), dict(B=64, S=256)], 64: [dict(BIG), dict(BIG, B=64, M=1024, H=4096)]}
OTHER_SCALES = {  # where a model's dims are others
    'mlp': {8: [{}], 64: [dict(B=4096)]}, 'gnn': {8: [{}], 64: [dict(nodes=32768, edges=262144)]},
    'convnet': {8: [{}, dict(C0=32, C1=64, C2=128)], 64: [dict(B=256, C0=128, C1=256, C2=512)]},
    'unet': {8: [{}], 64: [dict(B=128)]}, 'vit': {8: [{}, dict(M=512, H=2048)], 64: [BIG]},
}


def drawn(seed, count):
    """The same seed gives the same rows, and its first ones whatever the count."""
    return [one(random.Random(f'{seed} {number}'), f'seed{seed}-{number:03}') for number in range(count)]


def one(rng, name):
    some = lambda options: {key: rng.choice(values) for key, values in options.items()}
    weighted = lambda table: rng.choices(table, [line[0] for line in table])[0]
    _, model, options = weighted(KINDS)
    spreads = [*SPREADS, (4, 'experts', (1, 2), dict(order=ORDER))] if model.startswith('moe') else SPREADS
    _, layout, ranks, split = weighted(spreads)
    devices = rng.choice((8, 8, 64))
    mesh = rng.choice(MESHES[devices][rng.choice(ranks)])
    scale = rng.choice(OTHER_SCALES.get(model, SCALES)[devices])
    options = {**scale, **some(options)}
    update = rng.choice(('adam', 'adam', 'adam', 'momentum', 'sgd')) if layout != 'zero' else 'adam'
    return Row(f'{name}-{model}-{layout}', model, layout, mesh, options, some(split), update, rng.random() < 0.3)
