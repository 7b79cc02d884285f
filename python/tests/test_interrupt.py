"""Ctrl-C in long work: `KeyboardInterrupt` comes out of it, all is as it was, and other threads go on meanwhile."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import meshwright

#: Counts up to its input: as long as one likes.
COUNT = """func.func public @main(%until: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.while(%i = %zero) : tensor<i64>
    cond {
      %goes = stablehlo.compare LT, %i, %until : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %goes : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i64>
      stablehlo.return %next : tensor<i64>
    }
  return %n : tensor<i64>
}"""
FOR_EVER, SHORTLY = np.int64(2**62), np.int64(1000)


def deep(layers: int) -> str:
    """So many products, one behind the other, each added to all that came before it."""
    lines, last = [], "%x"
    for at in range(layers):
        lines += [
            f"  %p{at} = stablehlo.dot_general {last}, %w, contracting_dims = [1] x [0]"
            " : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>",
            f"  %s{at} = stablehlo.add %p{at}, {last} : tensor<64x64xf32>",
            f"  %t{at} = stablehlo.tanh %s{at} : tensor<64x64xf32>",
        ]
        last = f"%t{at}"
    x = '%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"data"}, {}]>}'
    w = '%w: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"model"}]>}'
    body = "\n".join(lines)
    return f"""module {{
  sdy.mesh @m = <["data"=4, "model"=2]>
  func.func public @main({x}, {w}) -> tensor<64x64xf32> {{
{body}
  return {last} : tensor<64x64xf32>
  }}
}}"""


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """What Python does at Ctrl-C, also where whoever started it has SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(work: Callable[[], Any], after: float = 0.3) -> int:
    """Do work, with Ctrl-C meanwhile; what another thread counted until then."""
    over, counted = threading.Event(), 0

    def other() -> None:
        nonlocal counted
        # A signal that comes a little early does not end the test: who waits gets another one.
        while not over.wait(after):
            os.kill(os.getpid(), signal.SIGINT)

    def count() -> None:
        nonlocal counted
        while not over.wait(0.001):
            counted += 1

    threads = [threading.Thread(target=other), threading.Thread(target=count)]
    for thread in threads:
        thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        over.set()
        for thread in threads:
            thread.join()
    return counted


def test_a_run_ends_and_the_program_runs_again() -> None:
    program = meshwright.parse(COUNT)
    executable = program.compile()
    assert executable([SHORTLY]) == [SHORTLY]
    assert interrupted(lambda: executable([FOR_EVER])) > 10, "another thread goes on"
    assert executable([SHORTLY]) == [SHORTLY]
    interrupted(lambda: program.run([FOR_EVER]))
    assert program.run([SHORTLY]) == [SHORTLY]


def test_the_interpreter_ends_too() -> None:
    program = meshwright.parse(COUNT)
    assert interrupted(lambda: program.run([FOR_EVER], backend="interp")) > 10
    assert program.run([np.int64(10)], backend="interp") == [10]


def test_a_thread_that_waits_for_its_turn_ends_while_the_other_runs() -> None:
    executable = meshwright.parse(COUNT).compile()
    results: list[Any] = []
    some_time = np.int64(200_000)
    other = threading.Thread(target=lambda: results.extend(executable([some_time])))
    other.start()
    interrupted(lambda: executable([FOR_EVER]))
    other.join()
    assert results == [some_time]


@pytest.mark.parametrize("work", ["parse", "complete", "partition", "explain", "verify", "plan", "compile"])
def test_what_is_made_of_a_program_ends_and_can_be_made_again(work: str) -> None:
    text = deep(3000)

    def again() -> None:
        while True:
            if work == "parse":
                meshwright.parse(text)
            else:
                arguments = {"target": "tpu-v4:2x2x2"} if work == "plan" else {}
                getattr(program, work)(**arguments)

    program = meshwright.parse(text)
    assert interrupted(again) > 10
    assert meshwright.parse(deep(3)).partition().stats["bytes_sent"] > 0
    assert program.inputs == meshwright.parse(text).inputs
