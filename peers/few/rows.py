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
]
