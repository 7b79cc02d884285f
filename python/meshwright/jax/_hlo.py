"""What a compiled program sends, read off its HLO text: the same counting for whoever partitioned it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

_KINDS = (
    "all-gather",
    "all-reduce",
    "reduce-scatter",
    "all-to-all",
    "collective-permute",
    "collective-broadcast",
    "ragged-all-to-all",
)
_BITS = {"pred": 8, "bf16": 16, "f16": 16, "f32": 32, "f64": 64, "c64": 64, "c128": 128}
_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.-]+) \(.*\) -> .*\{$")
_OP = re.compile(r"^\s*(?:ROOT )?%?[\w.-]+ = (.*?) ([\w-]+)\((.*)$")
_SHAPE = re.compile(r"\b([a-z]+\d*\w*)\[([\d,]*)\]")
_CALLED = re.compile(r"\b(?:to_apply|calls|condition|body|true_computation|false_computation)=%?([\w.-]+)")
_BRANCHES = re.compile(r"\b(?:branch_computations|called_computations)=\{([^}]*)\}")
_TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"\}')


@dataclass
class Traffic:
    """What one device sends in a call."""

    #: Bytes by kind of collective.
    bytes: dict[str, float] = field(default_factory=dict)
    #: How many collectives run, by kind.
    counts: dict[str, int] = field(default_factory=dict)
    #: Whether a loop's trips could not be told: it was counted once.
    open_loops: bool = False

    @property
    def total(self) -> float:
        return sum(self.bytes.values())

    @property
    def collectives(self) -> int:
        return sum(self.counts.values())


def traffic(text: str) -> Traffic:
    """The traffic of an HLO module, loops counted as often as they run and branches as the dearest of them."""
    computations, entry = _computations(text)
    memo: dict[str, Traffic] = {}

    def of(name: str) -> Traffic:
        if name not in memo:
            memo[name] = Traffic()
            memo[name] = _sum(_steps(computations.get(name, ()), of))
        return memo[name]

    return of(entry)


def _computations(text: str) -> tuple[dict[str, list[str]], str]:
    found: dict[str, list[str]] = {}
    entry, lines = "", None
    for line in text.splitlines():
        head = _COMPUTATION.match(line)
        if head:
            lines = found.setdefault(head[1], [])
            entry = head[1] if line.startswith("ENTRY") else entry
        elif line.startswith("}"):
            lines = None
        elif lines is not None:
            lines.append(line)
    return found, entry


def _steps(lines: Iterable[str], of: Callable[[str], Traffic]) -> Iterator[tuple[int, Traffic]]:
    """What each op sends, with how often it runs."""
    for line in lines:
        op = _OP.match(line)
        if op is None:
            continue
        shape, name, rest = op.groups()
        kind = name.removesuffix("-start")
        if kind in _KINDS:
            yield 1, _collective(kind, shape, rest, started=name != kind)
            continue
        branches = [
            branch.strip().lstrip("%")
            for group in _BRANCHES.findall(rest)
            for branch in group.split(",")
            if branch.strip()
        ]
        called = _CALLED.findall(rest)
        if name == "conditional":
            yield 1, max(map(of, branches or called), key=lambda t: t.total, default=Traffic())
            continue
        trips = _TRIPS.search(rest)
        times = int(trips[1]) if trips else 1
        for callee in called + branches:
            inner = of(callee)
            yield (
                times,
                Traffic(
                    inner.bytes,
                    inner.counts,
                    inner.open_loops or (name == "while" and trips is None and inner.collectives > 0),
                ),
            )


def _collective(kind: str, shape: str, rest: str, started: bool) -> Traffic:
    group = _group_size(rest)
    shapes = [
        math.prod(map(int, filter(None, dims.split(",")))) * _bytes(element) for element, dims in _SHAPE.findall(shape)
    ]
    # What is begun asynchronously shows its operands before its results.
    size = sum(shapes[len(shapes) // 2 :]) if started and len(shapes) > 1 and kind != "all-reduce" else sum(shapes)
    if group <= 1 and kind != "collective-permute":
        return Traffic()
    share = (group - 1) / group if group else 1.0
    sent = {
        "all-gather": size * share,
        "all-reduce": 2 * size * share,
        "reduce-scatter": size * (group - 1),
        "all-to-all": size * share,
    }.get(kind, float(size))
    return Traffic({kind: sent}, {kind: 1})


def _bytes(element: str) -> float:
    if element in _BITS:
        return _BITS[element] / 8
    digits = re.match(r"[a-z]+(\d+)", element)
    return int(digits[1]) / 8 if digits else 0.0


def _group_size(rest: str) -> int:
    """Devices in a group, 0 if nothing says: lists, tiles, or axes of a mesh, whole or in part."""
    lists = re.search(r"replica_groups=\{\{([\d,]*)\}", rest)
    if lists:
        return len(lists[1].split(","))
    tiles = re.search(r"replica_groups=\[\d+,(\d+)\]<=", rest)
    if tiles:
        return int(tiles[1])
    axes = re.search(r"replica_groups=mesh\[(.*?)\].*? \{(.*?)\}", rest)
    if axes is None:
        return 0
    sizes = dict(re.findall(r"'([^']*)'=(\d+)", axes[1]))
    return math.prod(int(part or sizes[axis]) for axis, part in re.findall(r"'([^']*)'(?::\(\d+\)(\d+))?", axes[2]))


def _sum(steps: Iterator[tuple[int, Traffic]]) -> Traffic:
    total = Traffic()
    for times, one in steps:
        for kind, sent in one.bytes.items():
            total.bytes[kind] = total.bytes.get(kind, 0.0) + sent * times
        for kind, count in one.counts.items():
            total.counts[kind] = total.counts.get(kind, 0) + count * times
        total.open_loops |= one.open_loops
    return total
