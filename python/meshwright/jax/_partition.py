"""A lowered module in, the module of the program that every device runs out."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import meshwright

from meshwright.jax import _effects, _private


def options(**given: Any) -> str:
    """What a user asked for, as the text that JAX carries in its caches' keys."""
    return json.dumps({name: value for name, value in given.items() if value is not None}, sort_keys=True)


Which = list[int] | str


@dataclass(frozen=True)
class Settings:
    """What the partitioner is told: the user's options, and which parameters and results JAX leaves open."""

    asked: dict[str, Any]
    devices: int
    parameters: list[bool]
    outputs: list[bool]

    @classmethod
    def of(
        cls, asked: str, left_open: tuple[list[bool], list[bool]], program: meshwright.Program, devices: int
    ) -> Settings:
        def each(flags: list[bool], arrays: tuple[meshwright.ArrayInfo, ...]) -> list[bool]:
            # One flag stands for all.
            return flags * len(arrays) if len(flags) == 1 else flags

        parameters, outputs = left_open
        return cls(json.loads(asked), devices, each(parameters, program.inputs), each(outputs, program.outputs))

    def words(self) -> dict[str, Any]:
        """As arguments of :meth:`meshwright.Program.partition`."""

        def which(flags: list[bool]) -> Which:
            return "all" if all(flags) else [at for at, flag in enumerate(flags) if flag] or "none"

        given = {"propagate_to_parameters": which(self.parameters), "propagate_to_outputs": which(self.outputs)}
        return {**self.asked, "devices": self.devices, **given}

    def without_parts_of_axes(self, partitioned: meshwright.Partitioned) -> Settings:
        """The same with nothing open that was split over a part of an axis: a ``PartitionSpec`` cannot say that."""

        def still(flags: list[bool], arrays: tuple[meshwright.ArrayInfo, ...]) -> list[bool]:
            return [flag and not _has_part_of_axis(array) for flag, array in zip(flags, arrays, strict=True)]

        return replace(
            self,
            parameters=still(self.parameters, partitioned.inputs),
            outputs=still(self.outputs, partitioned.outputs),
        )


def _has_part_of_axis(array: meshwright.ArrayInfo) -> bool:
    return any(":(" in axis for dim in array.sharding or () for axis in dim)


def partition_module(module: Any, asked: str, compile_options: Any) -> Any:
    """Called where JAX would compile ``module``. Its places in Python go along, into diagnostics and the program."""
    _effects.refuse(module)
    program = program_of(module)
    left_open = _private.propagation(compile_options)
    partitioned = partition(program, Settings.of(asked, left_open, program, compile_options.num_partitions))
    # Lists of devices are what every plugin's version of StableHLO reads.
    result = _private.module_of(partitioned.to_text(style="embedded", groups="lists", locations=True), module)
    _effects.once(result)
    return result


def program_of(module: Any) -> meshwright.Program:
    """A module of JAX as a program of ours."""
    return meshwright.parse(_private.text_of(module), name=f"<{_private.name_of(module)}>")


def partition(program: meshwright.Program, settings: Settings) -> meshwright.Partitioned:
    """Every round closes a parameter or a result, or is the last."""
    while True:
        partitioned = program.partition(**settings.words())
        closed = settings.without_parts_of_axes(partitioned)
        if closed == settings:
            return partitioned
        settings = closed
