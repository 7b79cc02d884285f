"""What JAX's documentation says holds with our `jit`: one case in four, as `pages.py` takes its time for all."""

import pytest

import documented
import pages


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", documented.CASES[::4], ids=lambda case: case.name)
def test_it_is_as_documented(case):
    how, remarks = pages.verdict(case)
    assert how != "WRONG", remarks


def test_a_jit_that_does_otherwise_is_found():
    """Values, types, shardings, exceptions and what they are missing from."""

    def found(ours, theirs, name="any"):
        case = documented.Case("page", name, lambda jit: None, True, 1e-5)
        return " ".join(documented.differences(case, ours, theirs))

    x = documented.put((8, 4), "x")
    assert found(x, x) == ""
    assert "is not" in found(x + 1, x)
    assert "dtype int32 is not float32" in found(x.astype(int), x)
    assert "is not NamedSharding" in found(documented.put((8, 4), None, "y"), x)
    assert "weak_type" in found(documented.jnp.asarray(1.0), documented.jnp.float32(1))
    assert "KeyError" in found(documented.Raised(KeyError, "k"), documented.Raised(TypeError, "t"))
    assert "a result, where jax.jit gives TypeError" in found(x, documented.Raised(TypeError, "t"))
    assert found(documented.Raised(TypeError, "ours"), documented.Raised(TypeError, "t")) == ""
