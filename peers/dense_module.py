#!/usr/bin/env python3
"""The dense model of `torch_dense.py` as a StableHLO training step: dense_module.py f32|bf16 > step.mlir     (needs JAX)

`bf16` casts what PyTorch's autocast does: operands of products; sums of products, norms, softmax, loss and Adam stay f32.
"""
import sys

import jax
import jax.numpy as jnp
import numpy as np

L, M, H, N, S, B, V = 4, 256, 1024, 4, 128, 32, 8192
D = M // N
narrow = {'f32': jnp.float32, 'bf16': jnp.bfloat16}[sys.argv[1]]


def product(how, *operands, to=None):
    return jnp.einsum(how, *(x.astype(narrow) for x in operands), preferred_element_type=to or narrow)


def norm(x, g):
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * g


def forward(p, tok):
    x, causal = p['emb'][tok], jnp.tril(jnp.ones((S, S), bool))
    for layer in p['layers']:
        qkv = product('bsm,mk->bsk', norm(x, layer['ln1']), layer['qkv']).reshape(B, S, 3, N, D)
        q, k, v = (qkv[:, :, i] for i in range(3))
        scores = product('bsnd,btnd->bnst', q, k, to=jnp.float32) / np.sqrt(D)
        o = product('bnst,btnd->bsnd', jax.nn.softmax(jnp.where(causal, scores, -jnp.inf), -1), v)
        x = x + product('bsm,mk->bsk', o.reshape(B, S, M), layer['o'])
        h = jax.nn.relu(product('bsm,mh->bsh', norm(x, layer['ln2']), layer['wi']))
        x = x + product('bsh,hm->bsm', h, layer['wo'])
    return product('bsm,vm->bsv', x, p['emb'])


def loss_of(p, tok):
    chosen = jnp.roll(tok, -1, 1)[..., None]
    return -jnp.take_along_axis(jax.nn.log_softmax(forward(p, tok).astype(jnp.float32)), chosen, -1).mean()


def step(p, m, v, t, tok):
    loss, g = jax.value_and_grad(loss_of)(p, tok)
    t = t + 1
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
    v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, g)
    first, second = 1 - 0.9 ** t, 1 - 0.99 ** t
    p = jax.tree.map(lambda p, m, v: p - 1e-3 * (m / first) / (jnp.sqrt(v / second) + 1e-8), p, m, v)
    return p, m, v, t, loss


like = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
layer = dict(qkv=like(M, 3 * M), o=like(M, M), wi=like(M, H), wo=like(H, M), ln1=like(M), ln2=like(M))
p = dict(emb=like(V, M), layers=[layer] * L)
tok = jax.ShapeDtypeStruct((B, S), jnp.int32)
print(jax.jit(step, donate_argnums=(0, 1, 2, 3)).lower(p, p, p, like(), tok).as_text())
