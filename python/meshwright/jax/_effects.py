"""Calls of the host inside a partitioned program: what has effects happens once, as in JAX, and not on every device.

```text
custom_call @callback(%x) {has_side_effect}     =>     %0 = partition_id == 0
                                                       %1 = if %0 { custom_call @callback(%x) } else { 0 }
                                                       %2 = all_reduce %1 over all devices, sum
```

JAX pins such calls to the first device. A call without results needs no exchange. What cannot be kept is refused where
it stands in Python: effects in an order, whose tokens JAX threads through a signature, and what asks XLA's partitioner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from meshwright.jax import _private

#: How JAX calls the functions that it has a client call back.
_CALLBACKS = ("python_cpu_callback", "python_gpu_callback", "python_partitioned", "tpu_host_callback")


def refuse(module: Any) -> None:
    """Raise for what a partitioned program cannot keep."""
    for call in _calls(module):
        place = _place(call)
        if _target(call) == "InspectSharding":
            raise NotImplementedError(
                f"{place}: inspect_array_sharding asks XLA's partitioner, and here it is Meshwright's: leave it out, and "
                "see meshwright.jax.explain"
            )
        if _target(call) == "CustomSPMDPartitioning":
            raise NotImplementedError(
                f"{place}: custom_partitioning gives XLA's partitioner a function, and here it is Meshwright's: use "
                "shard_map for this part"
            )
        if _is_callback(call) and any(str(operand.type) == "!stablehlo.token" for operand in call.operands):
            raise NotImplementedError(
                f"{place}: a callback with ordered=True on several devices is not partitioned by Meshwright: leave out "
                "ordered=True, or jit this function by jax.jit"
            )


def once(module: Any) -> None:
    """Guard what has effects, in place."""
    for call in list(_calls(module)):
        if _is_callback(call) and _has_effects(call):
            _guard(call)


def _calls(module: Any) -> Iterator[Any]:
    def within(op: Any) -> Iterator[Any]:
        for region in op.regions:
            for block in region:
                for inner in block:
                    operation = inner.operation
                    if operation.name == "stablehlo.custom_call":
                        yield operation
                    yield from within(operation)

    return within(module.operation)


def _target(call: Any) -> str:
    return str(call.attributes["call_target_name"]).strip('"')


def _is_callback(call: Any) -> bool:
    return any(name in _target(call) for name in _CALLBACKS)


def _has_effects(call: Any) -> bool:
    return "has_side_effect" in call.attributes and str(call.attributes["has_side_effect"]) == "true"


def _place(call: Any) -> str:
    """Where in Python: the innermost place of a location."""
    found = re.search(r'"([^"]+)":(\d+):\d+', str(call.location))
    return f"{found[1]}:{found[2]}" if found else "a call"


def _guard(call: Any) -> None:
    ir, hlo = _private.dialects()
    results = list(call.results)
    devices = int(str(_root(call).attributes["mhlo.num_partitions"]).split()[0])
    with call.context, call.location, ir.InsertionPoint(call):
        here = hlo.PartitionIdOp().result
        is_first = hlo.CompareOp(here, _zeros(ir, hlo, here.type), hlo.ComparisonDirectionAttr.get("EQ")).result
        types = [result.type for result in results]
        guarded = hlo.IfOp(types, is_first)
        with ir.InsertionPoint(guarded.regions[0].blocks.append()):
            hlo.ReturnOp(list(call.clone().results))
        with ir.InsertionPoint(guarded.regions[1].blocks.append()):
            hlo.ReturnOp([_zeros(ir, hlo, type) for type in types])
        for result, one in zip(results, guarded.results, strict=True):
            result.replace_all_uses_with(_from_first(ir, hlo, one, devices))
    call.erase()


def _root(op: Any) -> Any:
    while op.parent is not None:
        op = op.parent.operation
    return op


def _zeros(ir: Any, hlo: Any, type: Any) -> Any:
    shaped = ir.RankedTensorType(type)
    element = shaped.element_type
    if isinstance(element, ir.ComplexType):
        part = _zeros(ir, hlo, ir.RankedTensorType.get(shaped.shape, ir.ComplexType(element).element_type))
        return hlo.ComplexOp(part, part).result
    is_integer = isinstance(element, ir.IntegerType)
    zero = ir.IntegerAttr.get(element, 0) if is_integer else ir.FloatAttr.get(element, 0.0)
    return hlo.ConstantOp(ir.DenseElementsAttr.get_splat(shaped, zero)).result


def _from_first(ir: Any, hlo: Any, value: Any, devices: int) -> Any:
    """What the first device has, on all: a sum, as the others have nothing. Of bits, as -0.0 would not come out of it."""
    shaped = ir.RankedTensorType(value.type)
    if isinstance(shaped.element_type, ir.FloatType):
        bits = ir.RankedTensorType.get(
            shaped.shape, ir.IntegerType.get_unsigned(ir.FloatType(shaped.element_type).width)
        )
        summed = _from_first(ir, hlo, hlo.BitcastConvertOp(bits, value).result, devices)
        return hlo.BitcastConvertOp(shaped, summed).result
    everyone = ir.Attribute.parse(f"dense<[{list(range(devices))}]> : tensor<1x{devices}xi64>")
    channel = ir.Attribute.parse("#stablehlo.channel_handle<handle = 1, type = 1>")
    reduced = hlo.AllReduceOp(
        [value.type], [value], everyone, channel_handle=channel, use_global_device_ids=ir.UnitAttr.get()
    )
    scalar = ir.RankedTensorType.get([], shaped.element_type)
    body = reduced.regions[0].blocks.append(scalar, scalar)
    with ir.InsertionPoint(body):
        add = hlo.OrOp if str(scalar.element_type) == "i1" else hlo.AddOp
        hlo.ReturnOp([add(*body.arguments).result])
    return reduced.results[0]


#: What moves data between the host and a program while it runs.
_FEEDS = ("stablehlo.infeed", "stablehlo.outfeed", "stablehlo.send", "stablehlo.recv")


def refuse_on_engine(module: Any) -> None:
    """Raise for what the engine has no host to ask for: it is not called back, and has no queues."""
    for op in _ops(module.operation):
        if op.name in _FEEDS:
            raise NotImplementedError(
                f'{_place(op)}: {op.name.removeprefix("stablehlo.")} on backend="cpu": the engine has no queues; make what '
                "it reads an argument of the function, and what it writes a result"
            )
        if op.name == "stablehlo.custom_call" and _is_callback(op):
            raise NotImplementedError(
                f'{_place(op)}: a callback on backend="cpu": the engine calls nobody back; return what it is to see, and '
                'look at it behind the call, or leave out backend="cpu"'
            )


def _ops(op: Any) -> Iterator[Any]:
    for region in op.regions:
        for block in region:
            for inner in block:
                yield inner.operation
                yield from _ops(inner.operation)
