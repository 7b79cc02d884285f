"""Texts read, completed, partitioned and written."""

from __future__ import annotations

import subprocess
import sys

import pytest

import meshwright


def test_a_program_says_what_it_takes_and_gives(layer: str) -> None:
    program = meshwright.parse(layer)
    x, up, down = program.inputs
    assert (x.name, x.dtype, x.shape, x.sharding) == ("x", "f32", (64, 32), (("data",), ()))
    assert (up.sharding, up.mesh, down.sharding) == (((), ("model",)), "m", None)
    assert [one.shape for one in program.outputs] == [(64, 32)]
    assert program.devices == 8
    assert program.meshes == (meshwright.Mesh("m", {"data": 4, "model": 2}, None),)
    assert repr(program) == (
        "<meshwright.Program 'layer': (f32[64,32], f32[32,128], f32[128,32]) -> (f32[64,32]) on 8 devices>"
    )


def test_a_text_that_was_written_is_read_again(layer: str) -> None:
    program = meshwright.parse(layer)
    again = meshwright.parse(str(program))
    assert str(again) == str(program)
    hlo = program.to_text(format="hlo")
    assert hlo.startswith("HloModule") and str(meshwright.parse(hlo)) == hlo


def test_completion_gives_every_value_a_sharding(layer: str) -> None:
    program = meshwright.parse(layer)
    completed = program.complete()
    assert completed.inputs[2].sharding == (("model",), ())
    assert completed.outputs[0].sharding == (("data",), ())
    assert completed.completion is not None and completed.completion["given"] == 2
    assert program.inputs[2].sharding is None, "the program itself does not change"
    alone = program.complete(propagate_to_parameters="none")
    assert alone.inputs[2].sharding in (None, ((), ()))


def test_a_partition_is_one_local_program_with_its_traffic(layer: str) -> None:
    partitioned = meshwright.parse(layer).partition()
    assert partitioned.inputs[0].shape == (64, 32), "signatures are global"
    assert "tensor<16x32xf32>" in str(partitioned)
    assert partitioned.stats["bytes_sent"] == 2048
    assert list(partitioned.stats["collectives"]) == ["all-reduce"]


def test_a_partition_is_written_in_two_styles_and_with_two_kinds_of_groups(layer: str) -> None:
    partitioned = meshwright.parse(layer).partition()
    embedded = partitioned.to_text(style="embedded", groups="lists")
    assert "sdy.manual_computation" in embedded and "dense<[[0, 1]" in embedded
    assert "sdy.manual_computation" not in partitioned.to_text(style="local")
    assert "dense<[[0, 1]" not in partitioned.to_text(style="embedded", groups="axes")
    meshwright.parse(embedded)




def test_a_memory_limit_is_kept_or_refused(layer: str) -> None:
    program = meshwright.parse(layer)
    peak = program.partition().stats["program_peak_bytes"]
    assert program.partition(memory_limit=peak).stats["program_peak_bytes"] <= peak
    assert program.partition(memory_limit="1G").stats["program_peak_bytes"] == peak
    with pytest.raises(meshwright.Error) as caught:
        program.partition(memory_limit=64)
    assert caught.value.kind == "input" and caught.value.help


def test_a_target_decides_and_is_named_where_it_is_not_known(layer: str) -> None:
    program = meshwright.parse(layer)
    assert program.partition(target="tpu-v3").stats["machine"]["name"] != program.partition().stats["machine"]["name"]
    with pytest.raises(meshwright.Error, match="tpu-v33") as caught:
        program.partition(target="tpu-v33")
    assert caught.value.code == "E0740" and caught.value.kind == "usage"


def test_an_error_names_code_place_and_way_out(layer: str) -> None:
    broken = layer.replace("%r, %down", "%x, %down")
    with pytest.raises(meshwright.Error) as caught:
        meshwright.parse(broken, name="layer.mlir")
    error = caught.value
    assert error.kind == "input" and error.code is not None and error.code.startswith("E0")
    assert error.place is not None and error.place.file == "layer.mlir"
    assert layer.splitlines()[error.place.line - 1].strip().startswith("%y") or error.place.line > 10
    assert "layer.mlir:" in str(error) and error.code in str(error)


@pytest.mark.parametrize(
    "text",
    ["", " \n", "\0", "module", b"\xff\xfe", b"ML\xefR\0", "\ud800", "no module at all", "HloModule", "{" * 100_000],
)
def test_what_is_no_module_is_refused(text: str | bytes) -> None:
    with pytest.raises(meshwright.Error) as caught:
        meshwright.parse(text)
    assert caught.value.kind == "input" and caught.value.diagnostics


@pytest.mark.parametrize(
    "given",
    [
        {"devices": 0},
        {"devices": -1},
        {"devices": "eight"},
        {"devices": 2**40},
        {"memory_limit": 0},
        {"memory_limit": -5},
        {"memory_limit": "much"},
        {"memory_limit": 2**70},
        {"target": "abacus"},
        {"target": 7},
        {"least": "money"},
        {"loops_from": "always"},
        {"propagate_to_parameters": "some"},
        {"propagate_to_outputs": [-1]},
        {"priorities_alone": "perhaps"},
        {"devices": 3},
    ],
)
def test_arguments_that_are_not_understood_are_named(layer: str, given: dict[str, object]) -> None:
    with pytest.raises(meshwright.Error) as caught:
        meshwright.parse(layer).partition(**given)  # type: ignore[arg-type]
    assert caught.value.code and (caught.value.help or caught.value.diagnostics[0].notes)


@pytest.mark.parametrize("given", [{"style": "fancy"}, {"groups": "sets"}, {"format": "onnx"}])
def test_styles_that_are_not_known_are_named_with_those_that_are(layer: str, given: dict[str, str]) -> None:
    with pytest.raises(meshwright.Error) as caught:
        meshwright.parse(layer).partition().to_text(**given)  # type: ignore[arg-type]
    assert caught.value.code == "E0740" and caught.value.help


def test_what_is_no_text_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="not int"):
        meshwright.parse(7)  # type: ignore[arg-type]


def test_importing_takes_neither_jax_nor_numpy() -> None:
    code = "import sys, meshwright; print(sorted({'jax', 'numpy', 'ml_dtypes'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "[]"
