"""``compare``: XLA's partition of a function beside ours, measured."""

from __future__ import annotations

import functools
import html
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from meshwright.jax import _engine, _hlo, _jit, _private


@dataclass(frozen=True)
class Side:
    """One partition of a function, as it was compiled."""

    #: Who partitioned it, and who runs it where that is not XLA.
    name: str

    #: Bytes that a device sends in a call.
    bytes: float
    #: Collectives that a device takes part in, by kind.
    collectives: dict[str, int]
    #: Bytes that a device holds: arguments, results, and what is between.
    memory: int
    #: Of one call, the median of several.
    seconds: float
    #: Until it is compiled: partitioning included.
    compile_seconds: float


@dataclass(frozen=True)
class Comparison:
    """What :func:`compare` measured."""

    ours: Side
    xla: Side
    #: The largest difference of their results, relative to the largest number of each.
    apart: float
    #: How many calls were measured, by turns.
    calls: int

    def _rows(self) -> list[tuple[str, str, str]]:
        def row(name: str, of: Callable[[Side], str]) -> tuple[str, str, str]:
            return name, of(self.ours), of(self.xla)

        def count(kind: str) -> Callable[[Side], str]:
            return lambda side: str(side.collectives.get(kind, 0))

        kinds = sorted(self.ours.collectives | self.xla.collectives)
        return [
            row("bytes sent", lambda side: f"{side.bytes:,.0f}"),
            row("collectives", lambda side: str(sum(side.collectives.values()))),
            *(row(f"  {kind}", count(kind)) for kind in kinds),
            row("bytes of memory", lambda side: f"{side.memory:,}"),
            row("seconds a call", lambda side: f"{side.seconds:.6f}"),
            row("seconds to compile", lambda side: f"{side.compile_seconds:.2f}"),
        ]

    def __str__(self) -> str:
        lines = [("of each device", self.ours.name, self.xla.name), *self._rows()]
        text = "\n".join(f"{name:22} {ours:>20} {xla:>16}" for name, ours, xla in lines)
        return (
            f"{text}\nresults are {self.apart:.1e} apart; seconds are the median of {self.calls} calls on {_device()}"
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><td>{html.escape(name)}</td><td style='text-align:right'>{ours}</td><td style='text-align:right'>{xla}</td></tr>"
            for name, ours, xla in self._rows()
        )
        head = f"<tr><th>of each device</th><th>{self.ours.name}</th><th>{self.xla.name}</th></tr>"
        foot = f"results are {self.apart:.1e} apart; seconds are the median of {self.calls} calls on {html.escape(_device())}"
        return f"<table>{head}{cells}</table><p>{foot}</p>"


def _device() -> str:
    devices = jax.devices()
    return f"{len(devices)} x {devices[0].device_kind}"


def compare(function: Callable[..., Any], /, *args: Any, calls: int = 10, **kwargs: Any) -> Comparison:
    """XLA's partition of ``function(*args)`` beside ours: both are compiled by XLA, and both run, by turns. A function
    of ``jit(f, backend="cpu")`` runs on Meshwright's engine, and what XLA makes of the same stands beside it.

    Arguments must be arrays. With several processes, each calls it, and compares what it has of the results. What a
    function donates is copied for each call, outside of the clock.
    """
    lowered = _jit.lowered(function, args, kwargs)
    on_engine = isinstance(function, _engine.OnEngine)
    ours, ours_took = _loaded(function, args, kwargs) if on_engine else _compiled(lowered, _jit.asked_for(function))
    xla, xla_took = _compiled(lowered, "")
    donated = any(info.donated for info in jax.tree.leaves(lowered.args_info))

    wait: Any = jax.block_until_ready

    def call(compiled: Any) -> tuple[Any, float]:
        given, named = (args, kwargs) if not donated else jax.tree.map(_copy, (args, kwargs))
        begin = time.perf_counter()
        result = compiled(*given, **named)
        wait(result)
        return result, time.perf_counter() - begin

    apart = _apart(call(ours)[0], call(xla)[0])
    times = [(call(ours)[1], call(xla)[1]) for _ in range(calls)]
    our_seconds, xla_seconds = (statistics.median(side) for side in zip(*times, strict=True))
    our_side = _engine_side(function, lowered) if on_engine else _side("Meshwright", ours)
    return Comparison(
        our_side(our_seconds, ours_took),
        _side("XLA", xla)(xla_seconds, xla_took),
        apart,
        calls,
    )


def _loaded(function: Any, args: Any, kwargs: Any) -> tuple[Any, float]:
    begin = time.perf_counter()
    function.load(*args, **kwargs)
    return function, time.perf_counter() - begin


def _compiled(lowered: Any, asked: str) -> tuple[Any, float]:
    begin = time.perf_counter()
    compiled = lowered.compile(compiler_options={_private.OPTION: asked})
    return compiled, time.perf_counter() - begin


def _copy(x: Any) -> Any:
    return x.copy() if isinstance(x, jax.Array) else x


def _side(name: str, compiled: Any) -> Callable[[float, float], Side]:
    sent = _hlo.traffic(compiled.as_text())
    held = compiled.memory_analysis()
    memory = (
        held.argument_size_in_bytes + held.output_size_in_bytes - held.alias_size_in_bytes + held.temp_size_in_bytes
    )
    return functools.partial(Side, name, sent.total, sent.counts, memory)


def _engine_side(function: Any, lowered: Any) -> Callable[[float, float], Side]:
    partitioned = function.partitioned(lowered)
    stats = partitioned.stats
    counts = {kind: int(found["count"]) for kind, found in stats["collectives"].items()}
    memory = partitioned.compile().memory
    return functools.partial(Side, "Meshwright's engine", stats["bytes_sent"], counts, memory)


def _apart(ours: Any, theirs: Any) -> float:
    worst = 0.0
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        for mine, other in _here(a, b):
            same = (mine == other) | (np.isnan(mine) & np.isnan(other))
            if not same.all():
                largest = np.abs(other[np.isfinite(other)]).max(initial=0.0)
                worst = max(worst, float(np.abs(mine - other)[~same].max() / max(1.0, largest)))
    return worst


def _here(a: Any, b: Any) -> list[tuple[Any, Any]]:
    """Two arrays as pairs of wide ones of numpy: whole, or the pieces that this process has."""
    if jax.numpy.issubdtype(a.dtype, jax.dtypes.prng_key):
        a, b = jax.random.key_data(a), jax.random.key_data(b)
    wide = np.complex128 if np.issubdtype(a.dtype, np.complexfloating) else np.float64
    if getattr(a, "is_fully_addressable", True):
        pairs = [(a, b)]
    else:
        moved = jax.jit(lambda x: x, out_shardings=a.sharding)(b)
        shards = zip(a.addressable_shards, moved.addressable_shards, strict=True)
        pairs = [(mine.data, other.data) for mine, other in shards]
    return [(np.asarray(mine).astype(wide), np.asarray(other).astype(wide)) for mine, other in pairs]
