"""XLA as one more engine: compiles a StableHLO text, runs it on virtual CPU devices, and holds results together.

    import on_xla
    on_xla.start(devices=8)            # before anything imports jax
    executable = on_xla.compiled(text, on_xla.jax.devices())
    arrays = on_xla.run(executable, inputs, on_xla.jax.devices())

What `jax_run_golden.py` and `jax_run_partitioned.py` share. Texts are compiled as they stand: nothing is lowered by JAX.
"""
import os

import numpy as np

jax = mlir = xc = ir = GSPMDSharding = None


def start(devices, flags=''):
    """Make so many virtual devices. XLA reads its flags once, so this stands before every import of jax."""
    global jax, mlir, xc, ir, GSPMDSharding
    os.environ['XLA_FLAGS'] = f'--xla_force_host_platform_device_count={devices} --xla_allow_excess_precision=false {flags}'
    os.environ['JAX_PLATFORMS'] = 'cpu'
    import jax as found_jax
    from jax._src.interpreters import mlir as found_mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir as found_ir
    from jax._src.sharding_impls import GSPMDSharding as found_sharding
    jax, mlir, xc, ir, GSPMDSharding = found_jax, found_mlir, xla_client, found_ir, found_sharding
    jax.config.update('jax_enable_x64', True)
    jax.numpy.linalg.eigh(np.eye(2))  # lowering it is what makes LAPACK known to XLA


def compiled(text, devices, flags=None):
    """An executable of XLA for a StableHLO text, partitioned by XLA over the devices."""
    options = xc.CompileOptions()
    options.env_option_overrides = list((flags or {}).items())
    options.num_replicas = 1
    options.num_partitions = len(devices)
    build = options.executable_build_options
    build.num_partitions = len(devices)
    build.use_spmd_partitioning = len(devices) > 1
    build.use_shardy_partitioner = 'sdy.' in text
    options.device_assignment = xc.DeviceAssignment.create(np.array([[d.id for d in devices]]))
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        return jax.devices()[0].client.compile_and_load(module, xc.DeviceList(tuple(devices)), options)


def run(executable, arrays, devices):
    """Global results for global arrays."""
    given = executable.get_parameter_shardings() or [None] * len(arrays)
    one = jax.sharding.SingleDeviceSharding(devices[0])
    shardings = [GSPMDSharding(tuple(devices), s) if s is not None and len(devices) > 1 else one for s in given]
    placed = [jax.device_put(a, s) for a, s in zip(arrays, shardings)]
    outs = executable.execute_sharded(placed).disassemble_into_single_device_arrays()
    out_shardings = (executable.get_output_shardings() or []) if len(devices) > 1 else []
    return [whole(pieces, out_shardings[i] if i < len(out_shardings) else None, devices) for i, pieces in enumerate(outs)]


def whole(pieces, sharding, devices):
    """The devices' pieces of one result, put together."""
    if sharding is None:
        return np.asarray(pieces[0])
    sharding = GSPMDSharding(tuple(devices), sharding)
    tiles = sharding._hlo_sharding.tile_assignment_dimensions() if sharding._hlo_sharding.is_tiled() else []
    shape = tuple(n * (tiles[d] if d < len(tiles) else 1) for d, n in enumerate(pieces[0].shape))
    return np.asarray(jax.make_array_from_single_device_arrays(shape, sharding, pieces))


def worst(want, got):
    """Largest difference relative to the largest element, over all results; infinite if a number, type or shape differs."""
    if len(want) != len(got):
        return float('inf')
    return max([difference(a, b) for a, b in zip(want, got)], default=0.0)


def difference(a, b):
    if a.shape != b.shape or a.dtype != b.dtype:
        return float('inf')
    if a.dtype.kind in 'iub':
        return 0.0 if np.array_equal(a, b) else float('inf')
    wide = np.complex128 if a.dtype.kind == 'c' else np.float64
    a, b = a.astype(wide), b.astype(wide)
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite].astype(str), b[~finite].astype(str)):
        return float('inf')
    scale = float(np.max(np.abs(a[finite]), initial=0.0)) or 1.0
    return float(np.max(np.abs(a[finite] - b[finite]), initial=0.0)) / scale
