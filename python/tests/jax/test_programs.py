"""A few random programs; `programs.py` makes as many as one likes."""

import jax
import pytest

import programs


@pytest.fixture
def wide():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize("seed", [3, 10, 56, 67, 75, 281])
def test_a_random_program_is_right(wide, seed):
    assert programs.attempt(seed) == "right"


def test_blocks_with_names_are_what_shard_map_means(wide):
    """The judge's `shard_map`, held against JAX's."""
    mesh = programs.Mesh(programs.np.array(jax.devices()).reshape(2, 4), ("a", "b"))
    spec, x = programs.P("a", None), programs.np.arange(24.0).reshape(4, 6)

    def body(x):
        return jax.lax.psum(x * (1 + jax.lax.axis_index("a")), "b") - jax.lax.ppermute(x, "a", [(0, 1), (1, 0)])

    mapped = programs.shard_map(body, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
    plain = programs.by_blocks(body, jax.numpy.asarray(x), spec, ["a", "b"], {"a": 2, "b": 4})
    programs.np.testing.assert_array_equal(mapped(x), plain)
