"""Programs on the cores of this machine: loaded once, run often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from meshwright import _arrays, _native as native
from meshwright._described import ArrayInfo, Described, typed

if TYPE_CHECKING:
    import numpy as np

    Inputs = Sequence[Any] | Mapping[str, Any]


class Array:
    """An array that stays on the devices between runs.

    ``numpy.asarray`` reads it. A program that takes an input for good, as a training step takes its weights, uses it
    up: then it cannot be read or given again.
    """

    def __init__(self, of: native.Array, info: ArrayInfo) -> None:
        self._native = of
        self._info = info

    @property
    def shape(self) -> tuple[int, ...]:
        """The global shape."""
        return self._info.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type, as numpy or ``ml_dtypes`` has it."""
        return _arrays.numpy_dtype(self._info.dtype)

    @property
    def sharding(self) -> tuple[tuple[str, ...], ...] | None:
        """The axes that split each dim."""
        return self._info.sharding

    @property
    def is_deleted(self) -> bool:
        """Whether a program has used it up."""
        return not self._native.is_held

    def numpy(self) -> np.ndarray[Any, Any]:
        """The whole array. One that a device has as a whole is not copied, and cannot be written to."""
        return _arrays.shaped(self._native.bytes(), self._info)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError(f"an array of {array.dtype} is not one of {dtype} without a copy")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without dims")
        return self.shape[0]

    def __repr__(self) -> str:
        gone = ", used up" if self.is_deleted else ""
        return f"<meshwright.Array {typed(self._info)}{gone}>"


class Executable(Described):
    """A program that is loaded on the cores of this machine, as many devices of this process.

    Call it with the inputs. Several threads may; they take turns, as each run has all cores.
    """

    _native: native.Executable

    def __init__(self, of: native.Executable) -> None:
        self._native = of

    @property
    def memory(self) -> int:
        """Bytes that each device takes while it runs."""
        return self._native.memory

    @overload
    def __call__(self, inputs: Inputs, *, resident: Literal[False] = False) -> list[np.ndarray[Any, Any]]: ...
    @overload
    def __call__(self, inputs: Inputs, *, resident: Literal[True]) -> list[Array]: ...

    def __call__(self, inputs: Inputs, *, resident: bool = False) -> list[Any]:
        """Run once: outputs in their order.

        ``inputs`` are global arrays in the order of the parameters, or by name: numpy's, or what numpy reads. They are
        not copied where a device takes the whole of one, and cannot be written to until the run is over. With ``resident``, outputs stay on the devices, to be given
        to the next run.
        """
        infos = self.inputs
        given = _arrays.in_order(inputs, infos)
        flat = [self._argument(value, at, info) for at, (value, info) in enumerate(zip(given, infos, strict=True))]
        made: Any = Array if resident else _arrays.shaped
        with _arrays.lent(given):
            results = self._native.run(flat, resident)
        return [made(result, info) for result, info in zip(results, self.outputs, strict=True)]

    def put(self, value: Any, parameter: int | str) -> Array:
        """Put an array on the devices, cut as this program takes that parameter, by number or name."""
        names = [info.name for info in self.inputs]
        at = names.index(parameter) if parameter in names else parameter
        if not isinstance(at, int) or not 0 <= at < len(names):
            have = ", ".join(f"`{name}`" for name in names[:8]) or "none"
            raise native.bad_arrays(f"the program has no input `{parameter}`", f"it has {have}")
        info = self.inputs[at]
        return Array(self._native.put(at, self._argument(value, at, info)), info)

    def _argument(self, value: Any, at: int, info: ArrayInfo) -> Any:
        return value._native if isinstance(value, Array) else _arrays.flat(value, at, info)
