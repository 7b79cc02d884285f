"""Rows as files: the step as JAX lowers it, and XLA's text before propagation, after it, and after partitioning.

A row's folder holds `step.mlir` (for Shardy; what Meshwright gets), `gspmd/*.hlo` and `shardy/*.hlo`, each a folder as
`meshwright compare-xla` reads it. Shardy's has GSPMD's texts from before and after propagation, for Shardy propagates in
another dialect. Nothing is run.
"""
import os
import pathlib
import shutil
import signal
import tempfile
import time
import traceback
import warnings

os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=64'
os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')  # XLA warns of GSPMD's propagation on every step

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from few.layouts import AXES, LAYOUTS
from few.models import MODELS, is_dims, shapes

jax.config.update('jax_traceback_in_locations_limit', 1)  # the line of the op, not who called it
DUMP = {'xla_dump_hlo_as_text': True, 'xla_dump_large_constants': True, 'xla_dump_hlo_pass_re': 'spmd.*|sharding.*',
        'xla_backend_optimization_level': 0, 'xla_llvm_disable_expensive_passes': True}
PARTS = dict(before_propagation='before_sharding-propagation', after_propagation='after_sharding-propagation',
             after_partitioning='after_spmd-partitioning')
warnings.filterwarnings('ignore', 'os.fork')  # before the first backend is made, there is no thread to lose


class Built:
    """A row as a function and its arguments, which say how they are split."""

    def __init__(self, row, devices=None):
        self.row = row
        self.model = MODELS[row.model](**row.options)
        self.layout = LAYOUTS[row.layout](**row.split)
        devices = np.array(jax.devices() if devices is None else devices)
        self.mesh = Mesh(devices[:np.prod(row.mesh)].reshape(row.mesh), AXES[len(row.mesh)])

    def sharding(self, rule, dims, number=0):
        mesh = dict(zip(self.mesh.axis_names, self.mesh.devices.shape))
        spec = [group[0] if len(group) == 1 else group or None for group in rule(dims, self.model.sizes, mesh, number)]
        return NamedSharding(self.mesh, P(*spec))

    def shardings(self, rule):
        """Of all parameters."""
        leaves, tree = jax.tree.flatten(self.model.parameters, is_leaf=is_dims)
        return jax.tree.unflatten(tree, [self.sharding(rule, dims, number) for number, dims in enumerate(leaves)])

    def parameters(self, rule):
        array = lambda dims, split: jax.ShapeDtypeStruct(shapes(dims, self.model.sizes), jnp.float32, sharding=split)
        return jax.tree.map(array, self.model.parameters, self.shardings(rule), is_leaf=is_dims)

    def arguments(self):
        p, moments = self.parameters(self.layout.weights), self.parameters(self.layout.moments)
        state = dict(sgd=(p,), momentum=(p, moments), adam=(p, moments, moments))[self.row.update]
        inputs = [jax.ShapeDtypeStruct(shapes(dims, self.model.sizes), kind, sharding=self.sharding(self.layout.batch, dims))
                  for dims, kind in self.model.batch]
        return state, *inputs

    def step(self):
        def run(state, *batch):
            value, g = jax.value_and_grad(self.model.loss)(state[0], *batch)
            if self.layout.gradients:
                g = jax.lax.with_sharding_constraint(g, self.shardings(self.layout.gradients))
            return UPDATES[self.row.update](*state, g), value
        run.__name__ = self.row.name.replace('-', '_')
        return run

    def lowered(self):
        state, *batch = self.arguments()
        kept = dict(out_shardings=(jax.tree.map(lambda leaf: leaf.sharding, state), None)) if self.row.kept else {}
        return jax.jit(self.step(), donate_argnums=0, **kept).lower(state, *batch)


def sgd(p, g):
    return (jax.tree.map(lambda p, g: p - 1e-2 * g, p, g),)


def momentum(p, m, g):
    m = jax.tree.map(lambda m, g: 0.9 * m + g, m, g)
    return jax.tree.map(lambda p, m: p - 1e-2 * m, p, m), m


def adam(p, m, v, g):
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
    v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, g)
    return jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), p, m, v), m, v


UPDATES = dict(sgd=sgd, momentum=momentum, adam=adam)


def dump(row, out):
    """The folder of a row; one that is there already is left as it is."""
    target = pathlib.Path(out) / row.name
    if target.exists():
        return target
    part = target.with_name('.' + row.name)
    shutil.rmtree(part, ignore_errors=True)
    for propagation in 'gspmd', 'shardy':
        (part / propagation).mkdir(parents=True)
        for name, text in texts(row, propagation, part / 'step.mlir').items():
            (part / propagation / f'{name}.hlo').write_text(text)
    for name in 'before_propagation', 'after_propagation':
        shutil.copy(part / 'gspmd' / f'{name}.hlo', part / 'shardy')
    part.rename(target)
    return target


def texts(row, propagation, lowered):
    """What XLA wrote until it had partitioned. Nine tenths of compiling come after that: a child compiles, and is ended."""
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if not child:
            compile_and_leave(row, propagation, lowered, folder)
        while True:
            time.sleep(0.05)
            ended, status = os.waitpid(child, os.WNOHANG)
            found = {path.name: path.read_text() for path in sorted(pathlib.Path(folder).glob('*.txt'))}
            last = next((text for path, text in found.items() if PARTS['after_partitioning'] in path), '')
            if 'ENTRY' in last and last.rstrip().endswith('\n}'):
                break
            if ended:
                raise RuntimeError(f'JAX or XLA refused it for {propagation}: see above')
        if not ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return {name: text for name, part in PARTS.items() for path, text in found.items() if part in path}


def compile_and_leave(row, propagation, file, folder):
    try:
        jax.config.update('jax_use_shardy_partitioner', propagation == 'shardy')
        lowered = Built(row).lowered()
        if propagation == 'shardy':
            file.write_text(lowered.as_text(debug_info=True))
        lowered.compile(compiler_options=dict(DUMP, xla_dump_to=folder))
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
