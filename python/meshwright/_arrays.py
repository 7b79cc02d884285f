"""Arrays between numpy and the native module.

What comes in may be a numpy array, or anything that numpy reads: the buffer protocol, ``__array__``, DLPack, numbers,
nested lists. Contiguous arrays of the right type are not copied. Element types that numpy lacks are those of
``ml_dtypes``.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from meshwright import _native as native

if TYPE_CHECKING:
    import numpy

    from meshwright._described import ArrayInfo

#: Names of element types as XLA has them, with numpy's.
_NUMPY = {
    "pred": "bool",
    "s8": "int8",
    "s16": "int16",
    "s32": "int32",
    "s64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
}
#: The same with those of ml_dtypes.
_EXTENDED = {
    "s2": "int2",
    "s4": "int4",
    "u2": "uint2",
    "u4": "uint4",
    "bf16": "bfloat16",
    "f4e2m1fn": "float4_e2m1fn",
    "f8e3m4": "float8_e3m4",
    "f8e4m3": "float8_e4m3",
    "f8e4m3fn": "float8_e4m3fn",
    "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e4m3b11fnuz": "float8_e4m3b11fnuz",
    "f8e5m2": "float8_e5m2",
    "f8e5m2fnuz": "float8_e5m2fnuz",
    "f8e8m0fnu": "float8_e8m0fnu",
}


@functools.cache
def numpy_dtype(name: str) -> numpy.dtype[Any]:
    """The numpy element type of XLA's name for it, as ``f32`` or ``bf16``."""
    import numpy as np

    if name in _NUMPY:
        return np.dtype(_NUMPY[name])
    import ml_dtypes

    extended: numpy.dtype[Any] = np.dtype(getattr(ml_dtypes, _EXTENDED[name]))
    return extended


@functools.cache
def _xla_name(dtype: numpy.dtype[Any]) -> str:
    names = {numpy: xla for xla, numpy in (_NUMPY | _EXTENDED).items()}
    order = "" if dtype.isnative else " of the other byte order"
    return names.get(dtype.newbyteorder("=").name, dtype.name) + order


def _typed(dtype: str, shape: Sequence[int]) -> str:
    return f"{dtype}[{','.join(map(str, shape))}]"


def _called(at: int, info: ArrayInfo) -> str:
    return f"input {at}" if info.name is None else f"input {at} (`{info.name}`)"


def in_order(inputs: Sequence[Any] | Mapping[str, Any], infos: tuple[ArrayInfo, ...]) -> Sequence[Any]:
    """Inputs in the order of the parameters, whichever way they are given."""
    if not isinstance(inputs, Mapping):
        if hasattr(inputs, "__array__") or isinstance(inputs, (str, bytes)) or not hasattr(inputs, "__len__"):
            raise native.bad_arrays(
                f"inputs are given as one {type(inputs).__name__}",
                "give a list of arrays, one for each parameter, or a dict of them by name",
            )
        if len(inputs) != len(infos):
            takes = ", ".join(_typed(info.dtype, info.shape) for info in infos[:8]) or "none"
            more = f", and {len(infos) - 8} more" if len(infos) > 8 else ""
            raise native.bad_arrays(
                f"{len(inputs)} inputs are given, the program takes {len(infos)}",
                f"give one array for each parameter, in their order: {takes}{more}",
            )
        return inputs
    known = [info.name for info in infos]
    for name in inputs:
        if name not in known:
            have = ", ".join(f"`{one}`" for one in known[:8])
            more = f", and {len(known) - 8} more" if len(known) > 8 else ""
            raise native.bad_arrays(f"the program has no input `{name}`", f"it has {have}{more}")
    missing = [name for name in known if name not in inputs]
    if missing:
        all = ", ".join(f"`{name}`" for name in missing[:8])
        more = f", and {len(missing) - 8} more" if len(missing) > 8 else ""
        raise native.bad_arrays(f"inputs are missing: {all}{more}", "give an array for every parameter")
    return [inputs[name] for name in known if name is not None]


def flat(value: Any, at: int, info: ArrayInfo) -> Any:
    """The bytes of an input as one flat array, held against what the program takes."""
    import numpy as np

    want = numpy_dtype(info.dtype)
    array = value if type(value) is np.ndarray else _read(value, want, at, info)
    if array.dtype != want or array.shape != info.shape:
        given = _typed(_xla_name(array.dtype), array.shape)
        wanted = _typed(info.dtype, info.shape)
        if array.shape != info.shape:
            help = f"give an array of shape {info.shape}"
        else:
            help = f"convert it, by `.astype({_spelled(info.dtype)})`"
        raise native.bad_arrays(f"{_called(at, info)} is {given}, the program takes {wanted}", help)
    if not array.flags.c_contiguous:
        array = np.ascontiguousarray(array)
    return array.reshape(-1).view(np.uint8)


def _spelled(name: str) -> str:
    return f'"{_NUMPY[name]}"' if name in _NUMPY else f"ml_dtypes.{_EXTENDED[name]}"


def _read(value: Any, want: numpy.dtype[Any], at: int, info: ArrayInfo) -> numpy.ndarray[Any, Any]:
    """What numpy makes of something else. Numbers and lists take the type that the program has."""
    import numpy as np

    try:
        if isinstance(value, (bool, int, float, complex, list, tuple)):
            return np.asarray(value, dtype=want)
        if not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
            return np.asarray(np.from_dlpack(value))
        array = np.asarray(value)
    except Exception as error:  # whatever a foreign object raises while it is asked for its numbers
        raise native.bad_arrays(
            f"{_called(at, info)} is a {type(value).__name__} that numpy cannot read: {error}",
            f"give an array of {_typed(info.dtype, info.shape)}",
        ) from error
    if array.dtype == object:
        raise native.bad_arrays(
            f"{_called(at, info)} is a {type(value).__name__}, which is no array",
            f"give an array of {_typed(info.dtype, info.shape)}",
        )
    return array


#: Arrays that runs read at the moment, by identity: each with the number of its runs.
_lent: dict[int, tuple[numpy.ndarray[Any, Any], int]] = {}
#: Arrays to make writable again once the memory that they are views of is.
_waiting: list[numpy.ndarray[Any, Any]] = []
_lending = threading.Lock()


@contextlib.contextmanager
def lent(values: Sequence[Any]) -> Iterator[None]:
    """Makes arrays read-only while a run reads them on threads that do not hold the interpreter's lock."""
    import numpy as np

    arrays = {id(value): value for value in values if isinstance(value, np.ndarray)}
    ours = []
    try:
        with _lending:
            for key, array in arrays.items():
                if key in _lent or array.flags.writeable:
                    _lent[key] = (array, _lent[key][1] + 1 if key in _lent else 1)
                    ours.append(key)
                    array.flags.writeable = False
        yield
    finally:
        with _lending:
            for key in ours:
                array, runs = _lent.pop(key)
                if runs > 1:
                    _lent[key] = (array, runs - 1)
                else:
                    _waiting.append(array)
            _restore()


def _restore() -> None:
    """Makes arrays writable again, an owner before its views."""
    is_changed = True
    while is_changed:
        is_changed = False
        for at in reversed(range(len(_waiting))):
            try:
                _waiting[at].flags.writeable = True
            except ValueError:
                continue
            del _waiting[at]
            is_changed = True


def shaped(bytes: Any, info: ArrayInfo) -> numpy.ndarray[Any, Any]:
    """Bytes of the native module as an array that owns them."""
    import numpy as np

    dtype = numpy_dtype(info.dtype)
    if 0 in info.shape:
        return np.empty(info.shape, dtype)
    array: numpy.ndarray[Any, Any] = np.frombuffer(memoryview(bytes), dtype=dtype).reshape(info.shape)
    return array
