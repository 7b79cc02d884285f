"""Programs: read, completed, partitioned. The work is the native module's; here it gets its face."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

from meshwright import _arrays
from meshwright import _native as native
from meshwright._described import Described, shown
from meshwright._errors import Diagnostic, _diagnostics
from meshwright._reports import Explanation, Plan, Verdict
from meshwright._run import Executable

if TYPE_CHECKING:
    import numpy

Format = Literal["stablehlo", "hlo"]
Groups = Literal["axes", "lists"]
Style = Literal["local", "embedded"]
Which = Literal["all", "none"] | Sequence[int]


class Program(Described):
    """A module that was read and verified. It never changes: each method gives something new."""

    _native: native.Program

    def __init__(self, of: native.Program, completion: dict[str, Any] | None = None) -> None:
        self._native = of
        self._completion = completion

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<meshwright.Program {self.name or self._native.name!r}: {shown(self)}>"

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

    def compile(
        self,
        *,
        devices: int | None = None,
        threads: int | None = None,
        memory_limit: int | str | None = None,
        check_nans: bool = False,
    ) -> Executable:
        """Complete and partition it for devices of this process, and load it on them.

        ``threads`` are workers, as many as there are cores if nothing is said. ``memory_limit`` is the most bytes of a
        device. ``check_nans`` refuses the first step that makes a NaN or an infinity.
        """
        settings = _settings(devices=devices, threads=threads, memory_limit=memory_limit, check_nans=check_nans)
        return Executable(self._native.executable(settings))

    @cached_property
    def _executable(self) -> Executable:
        return self.compile()

    def run(
        self, inputs: Sequence[Any] | Mapping[str, Any], *, backend: Literal["cpu", "interp"] = "cpu"
    ) -> list[numpy.ndarray[Any, Any]]:
        """Run it on the cores of this machine: global arrays in, in the order of the parameters or by name, global
        arrays out. It is partitioned and compiled at the first call. See :class:`Executable`, which :meth:`compile`
        gives.

        ``backend="interp"`` runs the module as it is, unpartitioned, on the interpreter: slow, and the meaning of
        every op.
        """
        if backend == "cpu":
            return self._executable(inputs)
        if backend != "interp":
            raise native.bad_argument(f"`backend={backend!r}` is not known", 'write "cpu" or "interp"')
        given = _arrays.in_order(inputs, self.inputs)
        flat = [_arrays.flat(value, at, info) for at, (value, info) in enumerate(zip(given, self.inputs, strict=True))]
        results = self._native.interpret(flat)
        return [_arrays.shaped(result, info) for result, info in zip(results, self.outputs, strict=True)]

    def explain(
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
    ) -> Explanation:
        """What its partition sends and holds, and why: text in a terminal, a page in a notebook.

        The arguments are those of :meth:`partition`.
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
        return Explanation(self._native.explain(settings))

    def verify(
        self,
        *,
        seeds: int = 1,
        seed: int = 0,
        scaled: bool = False,
        dtype: Literal["auto", "f64", "asis"] = "auto",
        backend: Literal["interp", "cpu"] = "interp",
        devices: int | None = None,
        propagate_to_parameters: Which | None = None,
        propagate_to_outputs: Which | None = None,
    ) -> Verdict:
        """Partition it, run both on random inputs, and compare: an :class:`Error` where they differ.

        ``backend="cpu"`` runs both on the engine, at full size; ``scaled`` verifies a smaller module in place of one
        that is too large for the interpreter.
        """
        settings = _settings(
            seeds=seeds,
            seed=seed,
            scaled=scaled,
            dtype=dtype,
            backend=backend,
            devices=devices,
            propagate_to_parameters=propagate_to_parameters,
            propagate_to_outputs=propagate_to_outputs,
        )
        return Verdict(*self._native.verify(settings))

    def plan(
        self,
        *,
        target: str,
        mesh: Mapping[str, int] | None = None,
        memory_limit: int | str | None = None,
        least: Literal["bytes", "seconds"] = "bytes",
        sweep: bool = False,
        top: int = 8,
    ) -> Plan:
        """What a step takes on a machine that is not there: time, memory, and what to change.

        ``target`` is the machine, as ``"tpu-v4:4x4x4"``; ``mesh`` gives sizes of axes in place of those that the module
        has; ``sweep`` compares meshes of as many devices; ``least`` is that of :meth:`partition`.
        """
        mesh = dict(mesh) if isinstance(mesh, Mapping) else mesh
        settings = _settings(
            target=target, mesh=mesh, memory_limit=memory_limit, least=least, sweep=sweep, top=top
        )
        return Plan(*self._native.plan(settings))


class Partitioned(Described):
    """One program that every device runs."""

    _native: native.Partitioned

    def __init__(self, of: native.Partitioned) -> None:
        self._native = of

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<meshwright.Partitioned {self.name!r}: {shown(self)}>"

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

    def compile(
        self, *, threads: int | None = None, memory_limit: int | str | None = None, check_nans: bool = False
    ) -> Executable:
        """Load it on devices of this process. The arguments are those of :meth:`Program.compile`."""
        settings = _settings(threads=threads, memory_limit=memory_limit, check_nans=check_nans)
        return Executable(self._native.executable(settings))

    @cached_property
    def _executable(self) -> Executable:
        return self.compile()

    def run(self, inputs: Sequence[Any] | Mapping[str, Any]) -> list[numpy.ndarray[Any, Any]]:
        """Run it on the cores of this machine, as :meth:`Program.run` does: arrays are global."""
        return self._executable(inputs)

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


class Lowered(Protocol):
    """What has a text, as ``jax.jit(f).lower(x)`` has."""

    def as_text(self) -> str: ...


def parse(text: str | bytes | Lowered, *, name: str = "<text>") -> Program:
    """Read and verify the text of a module: StableHLO or HLO, told apart by content.

    ``name`` is what diagnostics call it. What has a method ``as_text``, as what JAX lowers, is asked for its text,
    with the names and lines of the user's program.
    """
    if not isinstance(text, (str, bytes)) and hasattr(text, "as_text"):
        of: Any = text
        try:
            text = of.as_text(debug_info=True)
        except TypeError:
            text = of.as_text()
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"a module is text (str or bytes), not {type(text).__name__}")
    read = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return Program(native.Program(name, read))


def load(path: str | os.PathLike[str]) -> Program:
    """Read and verify the module in a file."""
    with open(path, "rb") as file:
        return parse(file.read(), name=os.fspath(path))
