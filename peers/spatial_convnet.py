#!/usr/bin/env python3
"""A convolutional net split along the rows of its images, as a StableHLO training step: spatial_convnet.py [DEVICES] > step.mlir

Needs JAX. Layers with strides 1 and 2, 3 x 3 and 5 x 5 windows, bias and relu, channels from 16 to 64, a mean over places and
a product with the classes; forward, gradients and a step of gradient descent. Only the images are annotated.
"""
import sys

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P

devices = int(sys.argv[1]) if len(sys.argv) > 1 else 8
B, H, W = 4, 256, 256
# Window, channels in, channels out, stride.
LAYERS = [(5, 8, 16, 1), (3, 16, 32, 2), (3, 32, 32, 1), (3, 32, 64, 2), (3, 64, 64, 1), (3, 64, 64, 1)]
mesh = AbstractMesh((devices,), ('rows',))


def forward(p, x):
    for (size, _, _, stride), layer in zip(LAYERS, p['layers']):
        dims = ('NHWC', 'HWIO', 'NHWC')
        x = jax.lax.conv_general_dilated(x, layer['w'], (stride, stride), 'SAME', dimension_numbers=dims)
        x = jax.nn.relu(x + layer['b'])
    return x.mean((1, 2)) @ p['out']


def loss_of(p, x, label):
    chosen = jnp.take_along_axis(jax.nn.log_softmax(forward(p, x)), label[:, None], -1)
    return -chosen.mean()


def step(p, x, label):
    loss, g = jax.value_and_grad(loss_of)(p, x, label)
    return jax.tree.map(lambda p, g: p - 1e-2 * g, p, g), loss


like = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
p = dict(layers=[dict(w=like(n, n, i, o), b=like(o)) for n, i, o, _ in LAYERS], out=like(64, 100))
x = jax.ShapeDtypeStruct((B, H, W, 8), jnp.float32, sharding=NamedSharding(mesh, P(None, 'rows')))
label = jax.ShapeDtypeStruct((B,), jnp.int32)
print(jax.jit(step, donate_argnums=0).trace(p, x, label).lower(lowering_platforms=('cpu',)).as_text())
