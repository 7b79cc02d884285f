"""`compare` counts what two executables send, and measures both."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import meshwright.jax as mw
from meshwright.jax import _hlo


def split(shape, *spec):
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    return jax.device_put(jnp.ones(shape, jnp.float32), NamedSharding(mesh, P(*spec)))


def test_both_partitions_are_compiled_run_and_counted():
    x, w = split((8, 16), "data", "model"), split((16, 4), "model")
    found = mw.compare(lambda x, w: x @ w, x, w, calls=3)
    assert found.apart == 0
    for side in (found.ours, found.xla):
        assert side.collectives == {"all-reduce": 1}
        assert side.bytes == 2 * (2 * 4 * 4) / 2
        assert side.memory > 0 and side.seconds > 0 and side.compile_seconds > 0
    assert "bytes sent" in str(found) and "<table>" in found._repr_html_()


def test_what_is_donated_is_copied_for_each_call():
    x = split((8, 16), "data")
    found = mw.compare(mw.jit(lambda x: x * 2, donate_argnums=0), x, calls=2)
    assert not x.is_deleted() and found.ours.collectives == {}


def test_options_of_the_function_hold():
    x = split((64, 64), "data", "model")
    free = mw.compare(mw.jit(lambda x: x @ jnp.sin(x)), x, calls=1)
    tight = mw.compare(mw.jit(lambda x: x @ jnp.sin(x), memory_limit="100kB"), x, calls=1)
    assert free.apart == tight.apart == 0 or max(free.apart, tight.apart) < 1e-6


def test_collectives_in_a_loop_count_as_often_as_it_runs():
    x, w = split((8, 16), "data"), split((5, 16, 16), None, "model")
    text = mw.jit(lambda x, w: lax.scan(lambda x, w: (jnp.tanh(x @ w), None), x, w)[0]).lower(x, w).compile().as_text()
    found = _hlo.traffic(text)
    assert found.collectives % 5 == 0 and found.collectives > 0 and not found.open_loops


def test_groups_are_read_in_every_form():
    line = "  %r = f32[8,4]{1,0} all-gather(%p), channel_id=1, replica_groups=GROUPS, dimensions={0}"
    for groups in ("{{0,1},{2,3}}", "[2,2]<=[4]", "mesh['a'=2,'b'=2] {'b'}", "mesh['a'=4] {'a':(1)2}"):
        text = "ENTRY %main (p: f32[4,4]) -> f32[8,4] {\n" + line.replace("GROUPS", groups) + "\n}\n"
        assert _hlo.traffic(text).bytes == {"all-gather": 64}
