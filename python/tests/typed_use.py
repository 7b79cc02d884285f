"""What a user writes, for type checkers: it is checked and not run."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np

import meshwright


class Lowered:
    """What JAX gives has such a method."""

    def as_text(self, dialect: str | None = None, *, debug_info: bool = False) -> str:
        return ""


def look(text: str) -> None:
    assert_type(meshwright.parse(Lowered()), meshwright.Program)
    program = meshwright.parse(text, name="step.mlir")
    assert_type(program, meshwright.Program)
    assert_type(program.inputs, tuple[meshwright.ArrayInfo, ...])
    assert_type(program.inputs[0].sharding, tuple[tuple[str, ...], ...] | None)
    assert_type(program.meshes[0].axes, dict[str, int])
    completed = program.complete(devices=8, propagate_to_parameters=[0, 2], propagate_to_outputs="all")
    assert_type(completed.notes, tuple[meshwright.Diagnostic, ...])
    partitioned = program.partition(memory_limit="16GB", target="tpu-v4:4x4x4", least="seconds")
    assert_type(partitioned, meshwright.Partitioned)
    assert_type(partitioned.to_text(style="embedded", groups="lists"), str)
    told = program.explain()
    assert_type(told, meshwright.Explanation)
    assert_type(told.why("%h", "%y.1", full=True), meshwright.Report)
    assert_type(told.why_not("%h=[data, _]", instead=True).data, dict[str, Any])
    assert_type(told.completed, meshwright.Program)
    assert_type(program.plan(target="h100:8x4", mesh={"data": 4}, least="bytes"), meshwright.Plan)
    assert_type(program.verify(seeds=2, backend="cpu").notes, str)


def run(path: str) -> float:
    program = meshwright.load(path)
    try:
        outputs = program.run({"x": np.ones(3)}, backend="interp")
    except meshwright.Error as error:
        assert_type(error.place, meshwright.Place | None)
        assert_type(error.help, str | None)
        raise
    step = program.compile(threads=2)
    assert_type(step([np.ones(3), [1, 2]])[0], np.ndarray[Any, Any])
    held = step([1.0], resident=True)
    assert_type(held, list[meshwright.Array])
    assert_type(step.put(3, "x"), meshwright.Array)
    return float(np.asarray(held[0]).sum() + outputs[0].sum())


def wrong(program: meshwright.Program) -> None:
    # Each is told by the checker: what is ignored in vain is an error.
    program.partition(least="time")  # type: ignore[arg-type]
    program.run([1], backend="gpu")  # type: ignore[arg-type]
    program.plan()  # type: ignore[call-arg]
    meshwright.parse(3)  # type: ignore[arg-type]
    program.name = "other"  # type: ignore[misc]
