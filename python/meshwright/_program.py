"""Programs: read, completed, partitioned. The work is the native module's; here it gets its face."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from meshwright import _native as native
from meshwright._errors import Diagnostic, _diagnostics

Format = Literal["stablehlo", "hlo"]
Groups = Literal["axes", "lists"]
Style = Literal["local", "embedded"]
Which = Literal["all", "none"] | Sequence[int]


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


class _Described:
    """What a program says of itself."""

    _native: native.Program | native.Partitioned

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


class Program(_Described):
    """A module that was read and verified. It never changes: each method gives something new."""

    _native: native.Program

    def __init__(self, of: native.Program, completion: dict[str, Any] | None = None) -> None:
        self._native = of
        self._completion = completion

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<meshwright.Program {self.name or self._native.name!r}: {_shown(self)}>"

    def to_text(
        self,
        *,
        format: Format | None = None,
        groups: Groups = "axes",
        locations: bool = False,
        generic: bool = False,
    ) -> str:
        """The module as text, in the format it was read in if none is named.

        ``groups`` says how the groups of collectives are written: as axes of a mesh, or as lists of devices.
        ``locations`` adds where each op came from, ``generic`` is MLIR's form without any op's own syntax.
        """
        return self._native.to_text(
            {"format": format, "groups": groups, "locations": locations, "generic": generic}
        )

    @property
    def completion(self) -> dict[str, Any] | None:
        """Of a completed program: how many values were given a sharding, got one, and are replicated."""
        return self._completion

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """Of a completed program: where annotations pull different ways."""
        return _diagnostics((self._completion or {}).get("notes", []))

    def complete(
        self,
        *,
        devices: int | None = None,
        propagate_to_parameters: Which | None = None,
        propagate_to_outputs: Which | None = None,
        priorities_alone: bool = False,
        target: str | None = None,
    ) -> Program:
        """A sharding on every value, from those that are annotated.

        ``devices`` is their number where the module does not say. ``propagate_to_parameters`` and
        ``propagate_to_outputs`` say which unannotated values of the signature may be split: ``"all"``, ``"none"``, or
        numbers; without, as the module says. ``priorities_alone`` spreads annotations as the papers say, whatever the
        program costs.
        """
        settings = _settings(
            devices=devices,
            propagate_to_parameters=propagate_to_parameters,
            propagate_to_outputs=propagate_to_outputs,
            priorities_alone=priorities_alone,
            target=target,
        )
        completed, told = self._native.complete(settings)
        return Program(completed, json.loads(told))

    def partition(
        self,
        *,
        memory_limit: int | str | None = None,
        devices: int | None = None,
        target: str | None = None,
        least: Literal["bytes", "seconds"] = "bytes",
        loops_from: int | str | None = None,
        propagate_to_parameters: Which | None = None,
        propagate_to_outputs: Which | None = None,
        priorities_alone: bool = False,
    ) -> Partitioned:
        """One program for all devices, completed first.

        ``memory_limit`` is the most bytes of a device, as a number or ``"16GB"``: what does not fit is made smaller or
        refused. ``target`` is the machine it is for, as ``"tpu-v4:4x4x4"`` or ``"h100:8x4"``, whose memory is then the
        limit; ``"cpu"`` stands for the cores of this machine. ``least`` says what there should be least of.
        ``loops_from`` is from how many bytes on what an einsum gathers may travel in pieces while it computes, or
        ``"never"``. The rest is as for :meth:`complete`.
        """
        settings = _settings(
            memory_limit=memory_limit,
            devices=devices,
            target=target,
            least=least,
            loops_from=loops_from,
            propagate_to_parameters=propagate_to_parameters,
            propagate_to_outputs=propagate_to_outputs,
            priorities_alone=priorities_alone,
        )
        return Partitioned(self._native.partition(settings))


class Partitioned(_Described):
    """One program that every device runs."""

    _native: native.Partitioned

    def __init__(self, of: native.Partitioned) -> None:
        self._native = of

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<meshwright.Partitioned {self.name!r}: {_shown(self)}>"

    def to_text(
        self,
        *,
        style: Style = "local",
        groups: Groups = "axes",
        format: Format | None = None,
        locations: bool = False,
        generic: bool = False,
    ) -> str:
        """The program as text.

        In style ``"local"`` its shapes are those of each device. In style ``"embedded"`` the signature is global and
        everything stands inside a manual region, which XLA and JAX compile unchanged; give ``groups="lists"`` for
        those that read no groups by axes.
        """
        return self._native.to_text(
            {"style": style, "format": format, "groups": groups, "locations": locations, "generic": generic}
        )

    @cached_property
    def stats(self) -> dict[str, Any]:
        """What a device sends, computes and holds: bytes, collectives, flops, the peak, estimated seconds."""
        read: dict[str, Any] = json.loads(self._native.stats())
        return read

    @cached_property
    def notes(self) -> tuple[Diagnostic, ...]:
        """What is worth knowing of it: annotations that pull different ways, operands that are put together whole."""
        return _diagnostics(json.loads(self._native.notes()))


def _settings(**given: Any) -> dict[str, Any]:
    return given


def _shown(of: _Described) -> str:
    def arrays(all: tuple[ArrayInfo, ...]) -> str:
        return ", ".join(f"{one.dtype}[{','.join(map(str, one.shape))}]" for one in all[:4]) + (
            f", and {len(all) - 4} more" if len(all) > 4 else ""
        )

    plural = "" if of.devices == 1 else "s"
    return f"({arrays(of.inputs)}) -> ({arrays(of.outputs)}) on {of.devices} device{plural}"


def parse(text: str | bytes, *, name: str = "<text>") -> Program:
    """Read and verify the text of a module: StableHLO or HLO, told apart by content.

    ``name`` is what diagnostics call it. What has a method ``as_text``, as what JAX lowers, is asked for its text.
    """
    if not isinstance(text, (str, bytes)) and hasattr(text, "as_text"):
        text = text.as_text()
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"a module is text (str or bytes), not {type(text).__name__}")
    read = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return Program(native.Program(name, read))


def load(path: str | os.PathLike[str]) -> Program:
    """Read and verify the module in a file."""
    with open(path, "rb") as file:
        return parse(file.read(), name=os.fspath(path))
