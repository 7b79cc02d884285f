"""What programs say of themselves: the arrays that they take and give, and their meshes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol


@dataclass(frozen=True)
class Mesh:
    """Devices by named axes."""

    name: str
    #: Sizes by the names of axes, the outermost first.
    axes: dict[str, int]
    #: Which device stands at each place, where that is not 0, 1, 2 and so on.
    order: tuple[int, ...] | None


@dataclass(frozen=True)
class ArrayInfo:
    """An array that a program takes or gives."""

    #: What the user's program calls it, as ``p['w1']``.
    name: str | None
    #: The element type as XLA calls it: ``f32``, ``bf16``, ``pred``.
    dtype: str
    #: The global shape.
    shape: tuple[int, ...]
    #: The axes that split each dim, the outermost first: a piece of an axis is ``x:(2)4``. ``None``: not annotated.
    sharding: tuple[tuple[str, ...], ...] | None
    #: The name of the mesh that the axes are of.
    mesh: str | None
    #: Whether the caller gives the buffer away: ``True`` for any output, a number for that output.
    donated: bool | int


@dataclass(frozen=True)
class _Signature:
    name: str
    inputs: tuple[ArrayInfo, ...]
    outputs: tuple[ArrayInfo, ...]
    meshes: tuple[Mesh, ...]


def _signature(text: str) -> _Signature:
    def array(read: dict[str, Any]) -> ArrayInfo:
        cuts = read["sharding"]
        sharding = None if cuts is None else tuple(tuple(dim) for dim in cuts)
        donated = read["donated"]
        return ArrayInfo(
            read["name"],
            read["dtype"],
            tuple(read["shape"]),
            sharding,
            read["mesh"],
            False if donated is None else donated,
        )

    def mesh(read: dict[str, Any]) -> Mesh:
        order = read["order"]
        return Mesh(read["name"], dict(read["axes"]), None if order is None else tuple(order))

    read = json.loads(text)
    return _Signature(
        read["name"],
        tuple(map(array, read["inputs"])),
        tuple(map(array, read["outputs"])),
        tuple(map(mesh, read["meshes"])),
    )


class _Native(Protocol):
    """What the native module tells of each kind of program."""

    @property
    def devices(self) -> int: ...
    def signature(self) -> str: ...


class Described:
    """What a program says of itself."""

    _native: _Native

    @cached_property
    def _signature(self) -> _Signature:
        return _signature(self._native.signature())

    @property
    def name(self) -> str:
        """The module's name."""
        return self._signature.name

    @property
    def inputs(self) -> tuple[ArrayInfo, ...]:
        """The arrays it takes, on global shapes."""
        return self._signature.inputs

    @property
    def outputs(self) -> tuple[ArrayInfo, ...]:
        """The arrays it gives, on global shapes."""
        return self._signature.outputs

    @property
    def meshes(self) -> tuple[Mesh, ...]:
        """The meshes it names."""
        return self._signature.meshes

    @property
    def devices(self) -> int:
        """How many devices it is for."""
        return self._native.devices


def typed(info: ArrayInfo) -> str:
    """An array's type as it is written: ``f32[64,32]``."""
    return f"{info.dtype}[{','.join(map(str, info.shape))}]"


def shown(of: Described) -> str:
    """The types of a program in short."""

    def arrays(all: tuple[ArrayInfo, ...]) -> str:
        more = f", and {len(all) - 4} more" if len(all) > 4 else ""
        return ", ".join(map(typed, all[:4])) + more

    plural = "" if of.devices == 1 else "s"
    return f"({arrays(of.inputs)}) -> ({arrays(of.outputs)}) on {of.devices} device{plural}"
