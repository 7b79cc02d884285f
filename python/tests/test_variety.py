"""Random programs: what runs partitioned equals what runs unpartitioned.

The programs are those of the campaign. Numbers from `HELD_BACK` on were not looked at while the package was written.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import meshwright
from meshwright import _arrays, _native

HELD_BACK = 100_000
#: More by `MESHWRIGHT_CASES=1000`.
CASES = int(os.environ.get("MESHWRIGHT_CASES", "150"))
BATCH = 50


def _as_read(inputs: list[np.ndarray[Any, Any]], number: int) -> list[np.ndarray[Any, Any]]:
    """The same arrays, some of them in another layout."""
    changed = []
    for at, one in enumerate(inputs):
        match (number + at) % 3:
            case 0:
                changed.append(one)
            case 1:
                changed.append(np.asfortranarray(one).reshape(one.shape))
            case _:
                changed.append(np.repeat(one, 2, axis=0)[::2] if one.ndim else one.copy())
    return changed


def _holds(number: int) -> bool:
    """Whether a case was run both ways; what neither side can run does not count."""
    text, exact, bytes = _native.random_program(number)
    program = meshwright.parse(text, name=f"case {number}")
    inputs = [_arrays.shaped(one, info) for one, info in zip(bytes, program.inputs, strict=True)]
    try:
        meant = program.run(inputs, backend="interp")
        ran = program.run(_as_read(inputs, number))
    except meshwright.Error as error:
        assert error.kind != "bug", f"case {number}: {error}"
        return False
    for at, (a, b) in enumerate(zip(meant, ran, strict=True)):
        assert a.dtype == b.dtype and a.shape == b.shape, f"case {number}, output {at}"
        if exact or a.dtype.kind in "biu":
            same = a.tobytes() == b.tobytes() or np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
            assert same, f"case {number}, output {at}: {a} and {b}"
        else:
            wide = np.complex128 if a.dtype.kind == "c" else np.float64
            scale = float(np.max(np.abs(a.astype(wide)), initial=1.0, where=np.isfinite(a.astype(wide))))
            np.testing.assert_allclose(
                b.astype(wide), a.astype(wide), rtol=0, atol=1e-2 * scale if a.dtype.itemsize < 4 else 1e-4 * scale
            )
    return True


@pytest.mark.parametrize("first", range(0, CASES, BATCH))
def test_random_programs_run_alike_partitioned_and_not(first: int) -> None:
    held = sum(_holds(number) for number in range(first, first + BATCH))
    assert held >= BATCH // 2, f"only {held} of {BATCH} programs ran both ways"


@pytest.mark.skipif("MESHWRIGHT_HELD_BACK" not in os.environ, reason="kept for the end: MESHWRIGHT_HELD_BACK=1")
def test_programs_that_were_held_back() -> None:
    held = sum(_holds(number) for number in range(HELD_BACK, HELD_BACK + 300))
    assert held >= 150
