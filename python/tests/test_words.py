"""What Python's users are told names what they can type: arguments and methods, no flags and commands of a terminal.

Slips are made at random: in texts, in arguments, in arrays, in questions. A number gives the same one everywhere.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import meshwright

#: More by `MESHWRIGHT_SLIPS=20000`.
SLIPS = int(os.environ.get("MESHWRIGHT_SLIPS", "240"))
BATCH = 60

#: A flag; what points at a place, as `--> file:3:4`, is none.
FLAG = re.compile(r"(?<![\w-])--[a-z]")
#: A command of the terminal, unless it is said to be one.
COMMAND = re.compile(r"`meshwright [a-z]+[^`]*`(?! in a terminal)")

MESH = 'sdy.mesh @m = <["data"=4, "model"=2]>'
LOOP = """module @loop {
  sdy.mesh @m = <["data"=4, "model"=2]>
  func.func public @main(
      %x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"data"}, {}]>},
      %w: tensor<3x32x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}, {"model"}]>}) -> tensor<64x32xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<64x32xf32>
      cond {
        %goes = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %goes : tensor<i1>
      } do {
        %slice = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 32, 32]
            : (tensor<3x32x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x32xf32>
        %layer = stablehlo.reshape %slice : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
        %p = stablehlo.dot_general %h, %layer, contracting_dims = [1] x [0]
            : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
        %t = stablehlo.tanh %p : tensor<64x32xf32>
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next, %t : tensor<i32>, tensor<64x32xf32>
      }
    return %r#1 : tensor<64x32xf32>
  }
}
"""
FEED = """module {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %token = stablehlo.create_token : !stablehlo.token
    %in:2 = "stablehlo.infeed"(%token) <{infeed_config = ""}>
        : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %y = stablehlo.add %x, %in#0 : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
"""
HLO = """HloModule wide

ENTRY main {
  x = f32[16,8] parameter(0), sharding={devices=[4,1]<=[4]}
  y = f32[16,8] add(x, x)
  ROOT z = f32[8,16] transpose(y), dimensions={1,0}
}
"""

Draw = random.Random


def check(told: str) -> None:
    assert not FLAG.search(told), told
    assert not COMMAND.search(told), told


def broken(draw: Draw, text: str) -> str:
    """A text with a slip in it, or none."""
    lines = text.splitlines(keepends=True)
    at = draw.randrange(len(lines))
    match draw.randrange(9):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, draw.choice(lines))
        case 2:
            numbers = list(re.finditer(r"\d+", lines[at]))
            if numbers:
                found = draw.choice(numbers)
                new = str(draw.choice([0, 1, 3, 7, 64, 2**31]))
                lines[at] = lines[at][: found.start()] + new + lines[at][found.end() :]
        case 3:
            lines[at] = lines[at].replace("f32", draw.choice(["f64", "i32", "c64", "f99"]))
        case 4:
            words = re.findall(r"[\w.]+", lines[at])
            if words:
                word = draw.choice(words)
                lines[at] = lines[at].replace(word, word[:-1] or "z")
        case 5:
            lines[at] = lines[at].replace("model", "data")
        case 6:
            cut = draw.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:cut]
        case 7:
            lines[at] = lines[at].replace("@main", "@other").replace("@m,", "@n,")
        case _:
            pass
    return "".join(lines)


def settings(draw: Draw) -> dict[str, Any]:
    """Arguments as somebody in a hurry gives them."""
    choices: dict[str, list[Any]] = {
        "memory_limit": [1, 5000, 20_000, "1k", "16GB", "lots", 0, -3, 1.5],
        "devices": [1, 2, 8, 0, -1, "many"],
        "target": ["tpu-v4:2x2x2", "tpu-v4:2x2x1", "tpu-v4", "cpu", "abacus", "h100:1x1", "this", "none.json", 5],
        "least": ["bytes", "seconds", "time"],
        "loops_from": [0, 1, "never", "1k", "often"],
        "propagate_to_parameters": ["all", "none", "some", [0], [99], -1],
        "propagate_to_outputs": ["all", "none", [0, 0], {}],
        "priorities_alone": [True, False, "yes"],
        "threads": [1, 0, "all"],
        "check_nans": [True, "no"],
        "seeds": [1, 0],
        "seed": [3, -1],
        "scaled": [True, "little"],
        "dtype": ["auto", "f64", "asis", "f16"],
        "backend": ["interp", "cpu", "gpu"],
        "mesh": [{"data": 2}, {"rows": 2}, {}, {"data": 3, "model": 5}, {"data": -1}, [4, 2]],
        "sweep": [True, False],
        "top": [1, 0, "all"],
        "format": ["hlo", "stablehlo", "mlir"],
        "style": ["local", "embedded", "global"],
        "groups": ["axes", "lists", "none"],
    }
    names = draw.sample(sorted(choices), draw.choice([0, 1, 1, 2, 3]))
    return {name: draw.choice(choices[name]) for name in names}


def taken(method: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """Those that a method has."""
    return {name: value for name, value in given.items() if name in method.__code__.co_varnames}


def arrays(draw: Draw, program: meshwright.Program) -> Any:
    """Inputs, one of them wrong."""
    given: list[Any] = [np.zeros(one.shape, np.float32) for one in program.inputs]
    match draw.randrange(8):
        case 0 if given:
            given[draw.randrange(len(given))] = np.zeros((3, 3), np.float32)
        case 1 if given:
            given[draw.randrange(len(given))] = np.zeros(given[0].shape, np.float64)
        case 2:
            given.append(1.0)
        case 3 if given:
            given[draw.randrange(len(given))] = draw.choice([object(), "text", None, [[1], [1, 2]]])
        case 4:
            return {one.name: value for one, value in zip(program.inputs[1:], given[1:], strict=True)}
        case 5:
            return {**{one.name: value for one, value in zip(program.inputs, given, strict=True)}, "%y": 1}
        case 6:
            return draw.choice([3, "x", np.zeros(3)])
        case _:
            pass
    return given


QUESTIONS = ["%h", "%y.1", "%nothing", "p['w']", "%x=[data, _]", "%h=[_, model]", "%h=[model]", "%r=[rows, _]", "", "step.py:3"]


def told(draw: Draw, text: str) -> list[str]:
    """All that is said about a slip."""
    program = meshwright.parse(text, name=draw.choice(["step.mlir", "<text>", "<jit_step>"]))
    name = draw.choice(["complete", "partition", "compile", "explain", "verify", "plan", "run", "to_text", "resident"])
    given = settings(draw)
    if name == "plan":
        given.setdefault("target", "tpu-v4:2x2x2")
    if name == "run":
        found = program.run(arrays(draw, program), **taken(meshwright.Program.run, given))
        return [str(found)]
    if name == "resident":
        executable = program.compile()
        held = [executable.put(np.zeros(one.shape, np.float32), at) for at, one in enumerate(executable.inputs)]
        draw.shuffle(held)
        executable(held, resident=True)
        return [str(one) for one in executable(held)]
    method = getattr(meshwright.Program, name)
    made = method(program, **taken(method, given))
    match made:
        case meshwright.Explanation():
            said = [str(made), made.html()]
            for question in draw.sample(QUESTIONS, 3):
                asked = made.why_not if "=" in question else made.why
                try:
                    said.append(str(asked(question)))
                except meshwright.Error as error:
                    said.append(str(error))
            return said
        case meshwright.Verdict():
            return [str(made), made.notes]
        case meshwright.Partitioned():
            return [made.to_text(**taken(meshwright.Partitioned.to_text, given)), *map(str, made.notes)]
        case meshwright.Program():
            return [*map(str, made.notes)]
        case meshwright.Executable():
            return [str(made(arrays(draw, program)))]
        case _:
            return [str(made)]


def slip(number: int, texts: list[str]) -> bool:
    """Make one; whether it was told of as an error."""
    draw = random.Random(number)
    text = draw.choice(texts)
    if draw.random() < 0.4:
        text = broken(draw, text)
    try:
        for said in told(draw, text):
            # A page has rules for its looks, which begin so.
            check(re.sub(r"<style>.*?</style>|style='[^']*'|style=\"[^\"]*\"|<script>.*?</script>", "", said, flags=re.DOTALL))
    except meshwright.Error as error:
        assert error.kind != "bug", f"slip {number}: {error}"
        check(str(error))
        for found in error.diagnostics:
            check(str(found))
        return True
    return False


@pytest.mark.parametrize("first", range(0, SLIPS, BATCH))
def test_slips_are_told_in_words_of_python(first: int, layer: str) -> None:
    texts = [layer, LOOP, FEED, HLO, layer.replace(MESH, 'sdy.mesh @m = <["data"=2, "model"=1]>')]
    found = sum(slip(number, texts) for number in range(first, first + BATCH))
    assert found >= BATCH // 4, f"only {found} of {BATCH} slips were errors"


def test_a_refusal_for_memory_says_what_was_tried_and_names_what_explain_names() -> None:
    text = """module {
  sdy.mesh @m = <["x"=8]>
  func.func public @main(
      %arg0: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>} loc("p['up']"),
      %arg1: tensor<64x512xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>} loc("p['down']"))
      -> (tensor<64x512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %h = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
        : (tensor<64x64xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
    return %h : tensor<64x512xf32>
  }
}"""
    with pytest.raises(meshwright.Error, match="with all loops and recomputation that make it smaller") as caught:
        meshwright.parse(text).partition(memory_limit=1000)
    assert "`p['down']` (a parameter)" in str(caught.value) and "%arg" not in str(caught.value)
    assert "split `p['down']`" in str(caught.value.help)
