"""What is found out of a program: explanations, verdicts, plans."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

import meshwright


def test_an_explanation_is_text_data_and_a_page(layer: str, tmp_path: pathlib.Path) -> None:
    told = meshwright.parse(layer, name="layer.mlir").explain()
    assert "2 annotated" in str(told) and str(told) == repr(told)
    assert "meshwright explain" not in str(told), "no command to type in a notebook"
    assert told.data["given"] == 2 and "explanation" in told.data
    page = told.html()
    assert page.lstrip().lower().startswith("<!doctype html")
    shown = told._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and shown.count("<") == 2, "the page is escaped"
    told.save(tmp_path / "layer.html")
    assert (tmp_path / "layer.html").read_text(encoding="utf-8") == page


def test_an_explanation_answers_why_and_why_not(layer: str) -> None:
    told = meshwright.parse(layer).explain()
    why = told.why("%r")
    assert "data" in str(why) and why.data["answers"]
    assert len(str(told.why("%r", full=True))) >= len(str(why))
    instead = told.why_not("%h=[_, model]")
    assert "why_not" in instead.data
    for wrong in ("%nothing", "", "%h.9"):
        with pytest.raises(meshwright.Error):
            told.why(wrong)
    for wrong in ("%h", "%h=[nowhere, _]", "%h=[data]"):
        with pytest.raises(meshwright.Error) as caught:
            told.why_not(wrong)
        assert caught.value.code


def test_a_partition_is_verified_against_the_program(layer: str) -> None:
    verdict = meshwright.parse(layer).verify(seeds=2)
    assert verdict.data["devices"] == 8 and verdict.data["dtype"] == "f64"
    on_engine = meshwright.parse(layer).verify(backend="cpu")
    assert on_engine.data["judged_by_interpreter"] is False
    with pytest.raises(meshwright.Error):
        meshwright.parse(str(meshwright.parse(layer).partition())).verify()


@pytest.mark.parametrize("given", [{"seeds": 0}, {"seed": -1}, {"dtype": "f16"}, {"backend": "gpu"}, {"scaled": "yes"}])
def test_a_verification_says_what_it_does_not_understand(layer: str, given: dict[str, Any]) -> None:
    with pytest.raises(meshwright.Error) as caught:
        meshwright.parse(layer).verify(**given)
    assert caught.value.code == "E0740" and caught.value.help


def test_a_plan_is_for_a_machine_that_is_not_there(layer: str) -> None:
    program = meshwright.parse(layer)
    plan = program.plan(target="tpu-v4:2x2x2")
    assert "tpu-v4" in str(plan).lower() and plan.data
    assert "sweep" in program.plan(target="tpu-v4:2x2x2", sweep=True).data
    other = program.plan(target="tpu-v4:2x2x4", mesh={"data": 8, "model": 2})
    assert other.data != plan.data
    quickest = program.plan(target="tpu-v4:2x2x2", least="seconds")
    assert quickest.data["step_s"]["value"] <= plan.data["step_s"]["value"]


@pytest.mark.parametrize(
    "given",
    [
        {"target": "abacus"},
        {"target": None},
        {"target": "tpu-v4:2x2x2", "mesh": {"rows": 4}},
        {"target": "tpu-v4:2x2x2", "mesh": {"data": -4}},
        {"target": "tpu-v4:2x2x2", "mesh": {}},
        {"target": "tpu-v4:2x2x2", "top": 0},
        {"target": "tpu-v4:2x2x2", "memory_limit": 8},
        {"target": "tpu-v4:0x2x2"},
    ],
)
def test_a_plan_says_what_it_does_not_understand(layer: str, given: dict[str, Any]) -> None:
    with pytest.raises(meshwright.Error) as caught:
        meshwright.parse(layer).plan(**given)
    assert caught.value.code
