"""Programs run on the engine: arrays in and out, without copies where none are needed."""

from __future__ import annotations

import array
import gc
import threading
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import meshwright
from meshwright import _arrays

Arrays = list[np.ndarray[Any, Any]]


@pytest.fixture
def inputs() -> Arrays:
    random = np.random.default_rng(0)
    return [random.standard_normal(shape, dtype=np.float32) for shape in ((64, 32), (32, 128), (128, 32))]


def expected(inputs: Arrays) -> np.ndarray[Any, Any]:
    x, up, down = inputs
    result: np.ndarray[Any, Any] = np.maximum(x @ up, 0) @ down
    return result


def identity(ty: str) -> str:
    return f"""func.func public @main(%x: tensor<{ty}>) -> tensor<{ty}> {{
      return %x : tensor<{ty}>
    }}"""


def double(ty: str, mesh: str = "", sharding: str = "") -> str:
    return f"""module @double {{
      {mesh}
      func.func public @main(%x: tensor<{ty}> {sharding}) -> tensor<{ty}> {{
        %y = stablehlo.add %x, %x : tensor<{ty}>
        return %y : tensor<{ty}>
      }}
    }}"""


MESH = 'sdy.mesh @m = <["x"=4]>'
COUNT = f"""module @count {{
  {MESH}
  func.func public @main(
      %total: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@m, [{{"x"}}]>, tf.aliasing_output = 0 : i32}},
      %x: tensor<8xf32>) -> tensor<8xf32> {{
    %y = stablehlo.add %total, %x : tensor<8xf32>
    return %y : tensor<8xf32>
  }}
}}"""


def test_a_program_runs_on_all_its_devices(layer: str, inputs: Arrays) -> None:
    program = meshwright.parse(layer)
    (y,) = program.run(inputs)
    assert y.dtype == np.float32 and y.shape == (64, 32) and y.flags.writeable and y.flags.c_contiguous
    np.testing.assert_allclose(y, expected(inputs), rtol=2e-4, atol=1e-4)
    (again,) = program.partition().run(inputs)
    np.testing.assert_allclose(again, y, rtol=1e-5, atol=1e-5)
    (meant,) = program.run(inputs, backend="interp")
    np.testing.assert_allclose(y, meant, rtol=2e-4, atol=1e-4)


def test_inputs_go_by_order_or_by_name(layer: str, inputs: Arrays) -> None:
    executable = meshwright.parse(layer).compile()
    (by_order,) = executable(inputs)
    (by_name,) = executable(dict(zip(("down", "x", "up"), (inputs[2], inputs[0], inputs[1]), strict=True)))
    (as_tuple,) = executable(tuple(inputs))
    assert (by_order == by_name).all() and (by_order == as_tuple).all()


def test_inputs_are_read_where_they_lie_and_stay_as_they_are(inputs: Arrays) -> None:
    program = meshwright.parse(double("64x32xf32"))
    x = inputs[0]
    before = x.copy()
    (y,) = program.run([x])
    assert (y == x + x).all() and (x == before).all() and not np.shares_memory(x, y)
    (z,) = meshwright.parse(identity("64x32xf32")).run([x])
    z[:] = 0
    assert (x == before).all(), "an output is never the memory of an input"


def test_the_memory_of_an_output_is_its_own_for_as_long_as_it_lives() -> None:
    program = meshwright.parse(double("1000000xf32")).compile()
    kept = [program([np.full(1_000_000, float(number), np.float32)])[0] for number in range(6)]
    gc.collect()
    for number, one in enumerate(kept):
        assert (one == 2.0 * number).all()
    view = kept[3][10:20]
    del kept
    gc.collect()
    program([np.zeros(1_000_000, np.float32)])
    assert (view == 6.0).all()


@pytest.mark.parametrize("size", [1, 3, 7, 15, 16, 17, 63, 1000, 1024, 4095, 4097, 100_003])
def test_every_offset_and_length_of_an_array_is_read_whole(size: int) -> None:
    program = meshwright.parse(double(f"{size}xf32")).compile()
    base = np.arange(size + 64, dtype=np.float32)
    for offset in (0, 1, 3, 4, 13, 16, 31):
        x = base[offset : offset + size]
        (y,) = program([x])
        assert (y == 2 * x).all()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda x: np.asfortranarray(x), id="columns first"),
        pytest.param(lambda x: np.repeat(x, 2, axis=0)[::2], id="strided"),
        pytest.param(lambda x: x[::-1][::-1], id="turned twice"),
        pytest.param(lambda x: np.pad(x, ((0, 0), (1, 1)))[:, 1:-1], id="a window"),
        pytest.param(lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(x.shape), id="unaligned"),
        pytest.param(lambda x: _read_only(x), id="read only"),
        pytest.param(lambda x: x.tolist(), id="nested lists"),
        pytest.param(lambda x: memoryview(x), id="buffer protocol"),
        pytest.param(lambda x: _OnlyArray(x), id="__array__"),
        pytest.param(lambda x: _OnlyDlpack(x), id="__dlpack__"),
    ],
)
def test_arrays_of_many_kinds_are_read(change: Callable[[Any], Any], inputs: Arrays) -> None:
    (y,) = meshwright.parse(double("64x32xf32")).run([change(inputs[0])])
    assert (y == 2 * inputs[0]).all()


def _read_only(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    x = x.copy()
    x.flags.writeable = False
    return x


class _OnlyArray:
    def __init__(self, x: np.ndarray[Any, Any]) -> None:
        self.x = x

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.x


class _OnlyDlpack:
    def __init__(self, x: np.ndarray[Any, Any]) -> None:
        self.x = x

    def __dlpack__(self, **given: Any) -> Any:
        return self.x.__dlpack__(**given)

    def __dlpack_device__(self) -> Any:
        return self.x.__dlpack_device__()


def test_an_array_of_pythons_own_is_read() -> None:
    (y,) = meshwright.parse(double("3xf64")).run([array.array("d", [1.0, 2.0, 3.0])])
    assert y.tolist() == [2.0, 4.0, 6.0]


DTYPES = [
    ("i8", np.int8), ("i16", np.int16), ("i32", np.int32), ("i64", np.int64),
    ("ui8", np.uint8), ("ui16", np.uint16), ("ui32", np.uint32), ("ui64", np.uint64),
    ("f16", np.float16), ("f32", np.float32), ("f64", np.float64), ("bf16", ml_dtypes.bfloat16),
    ("complex<f32>", np.complex64), ("complex<f64>", np.complex128), ("i1", np.bool_),
    ("f8E4M3FN", ml_dtypes.float8_e4m3fn), ("f8E5M2", ml_dtypes.float8_e5m2), ("f8E4M3", ml_dtypes.float8_e4m3),
    ("f8E3M4", ml_dtypes.float8_e3m4), ("f8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz),
    ("f8E5M2FNUZ", ml_dtypes.float8_e5m2fnuz), ("f8E4M3B11FNUZ", ml_dtypes.float8_e4m3b11fnuz),
    ("f8E8M0FNU", ml_dtypes.float8_e8m0fnu), ("f4E2M1FN", ml_dtypes.float4_e2m1fn),
    ("i4", ml_dtypes.int4), ("ui4", ml_dtypes.uint4), ("i2", ml_dtypes.int2), ("ui2", ml_dtypes.uint2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), DTYPES, ids=[name for name, _ in DTYPES])
@pytest.mark.parametrize("backend", ["cpu", "interp"])
def test_every_element_type_comes_out_as_it_went_in(name: str, dtype: Any, backend: Any) -> None:
    x = np.array([1, 0, 1, 1, 0, 1], dtype).reshape(2, 3)
    (y,) = meshwright.parse(identity(f"2x3x{name}")).run([x], backend=backend)
    assert y.dtype == np.dtype(dtype) and y.tobytes() == x.tobytes()


def test_half_precision_is_computed_as_it_is() -> None:
    x = np.array([1.0, 1.5, 3.0], ml_dtypes.bfloat16)
    (y,) = meshwright.parse(double("3xbf16")).run([x])
    assert y.dtype == ml_dtypes.bfloat16 and y.astype(np.float32).tolist() == [2.0, 3.0, 6.0]


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,)])
def test_scalars_and_arrays_of_nothing(shape: tuple[int, ...]) -> None:
    ty = "x".join([*map(str, shape), "f32"])
    (y,) = meshwright.parse(double(ty)).run([np.full(shape, 1.5, np.float32)])
    assert y.shape == shape and (y == 3.0).all()


def test_a_number_is_an_array_without_dims() -> None:
    (y,) = meshwright.parse(double("f32")).run([1.5])
    assert y.shape == () and float(y) == 3.0


@pytest.mark.parametrize("size", [8, 10, 13, 3])
def test_split_arrays_are_cut_and_put_together(size: int) -> None:
    sharding = '{sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}'
    x = np.arange(size * 5, dtype=np.int32).reshape(size, 5)
    (y,) = meshwright.parse(double(f"{size}x5xi32", MESH, sharding)).run([x])
    assert (y == 2 * x).all()


def test_what_is_given_for_good_is_a_copy_of_numpys_arrays_and_uses_up_resident_ones() -> None:
    executable = meshwright.parse(COUNT).compile()
    assert executable.inputs[0].donated == 0 and executable.inputs[1].donated is False
    total, x = np.zeros(8, np.float32), np.arange(8, dtype=np.float32)
    (y,) = executable([total, x])
    assert (total == 0).all() and (y == x).all(), "the caller's own array is not written to"
    kept = executable.put(total, "total")
    for _ in range(3):
        before = kept
        (kept,) = executable([kept, x], resident=True)
        assert before.is_deleted and not kept.is_deleted
    assert (np.asarray(kept) == 3 * x).all()
    with pytest.raises(meshwright.Error, match="given away") as caught:
        executable([before, x])
    assert caught.value.code == "E0710" and caught.value.help
    with pytest.raises(meshwright.Error, match="given away"):
        before.numpy()
    assert "used up" in repr(before)


def test_a_resident_array_goes_into_a_program_that_cuts_it_another_way() -> None:
    x = np.arange(64, dtype=np.float32).reshape(8, 8)
    by_rows = meshwright.parse(double("8x8xf32", MESH, '{sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}')).compile()
    by_columns = meshwright.parse(double("8x8xf32", MESH, '{sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}')).compile()
    (y,) = by_rows([x], resident=True)
    assert y.shape == (8, 8) and y.dtype == np.float32 and y.sharding == (("x",), ())
    (z,) = by_columns([y])
    assert (z == 4 * x).all()
    on_one = meshwright.parse(double("8x8xf32")).compile()
    with pytest.raises(meshwright.Error, match="lies on 4 devices") as caught:
        on_one([y])
    assert caught.value.help


def test_a_resident_array_that_is_read_cannot_be_written_to() -> None:
    executable = meshwright.parse(double("4xf32")).compile()
    (y,) = executable([np.ones(4, np.float32)], resident=True)
    seen = np.asarray(y)
    assert not seen.flags.writeable and seen.tolist() == [2.0] * 4
    assert np.array(y, copy=True).flags.writeable
    assert len(y) == 4


WRONG: list[tuple[Any, str]] = [
    ([], "0 inputs are given, the program takes 1"),
    ([np.ones(3, np.float32), 1], "2 inputs are given"),
    ([np.ones(4, np.float32)], r"input 0 \(`x`\) is f32\[4\], the program takes f32\[3\]"),
    ([np.ones((3, 1), np.float32)], r"f32\[3,1\]"),
    ([np.ones(3, np.float64)], r"is f64\[3\]"),
    ([np.ones(3, np.int32)], r"is s32\[3\]"),
    ([np.ones(3, ml_dtypes.bfloat16)], r"is bf16\[3\]"),
    ([np.ones(3, ">f4")], "other byte order"),
    ([np.array(["a", "b", "c"])], "is <U1|is str"),
    ([np.array([None, 1, 2])], "no array|is object"),
    ([object()], "no array|cannot read"),
    ([None], "no array|cannot read"),
    (["abc"], "is "),
    ([[1, [2], 3]], "cannot read"),
    ([[1.0, "x", 2.0]], "cannot read"),
    (np.ones(3, np.float32), "given as one ndarray"),
    ("abc", "given as one str"),
    (7, "given as one int"),
    ({"y": np.ones(3, np.float32)}, "no input `y`"),
    ({}, "inputs are missing: `x`"),
]


@pytest.mark.parametrize(("given", "told"), WRONG)
@pytest.mark.parametrize("backend", ["cpu", "interp"])
def test_inputs_that_do_not_fit_are_named_with_what_would(given: Any, told: str, backend: Any) -> None:
    with pytest.raises(meshwright.Error, match=told) as caught:
        meshwright.parse(double("3xf32")).run(given, backend=backend)
    assert caught.value.code == "E0710" and caught.value.kind == "input" and caught.value.help


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"devices": 3}, None),
        ({"devices": 0}, "E0740"),
        ({"devices": 100_000}, None),
        ({"threads": 0}, "E0740"),
        ({"threads": "two"}, "E0740"),
        ({"memory_limit": 16}, None),
        ({"memory_limit": "little"}, "E0740"),
        ({"check_nans": "maybe"}, "E0740"),
    ],
)
def test_a_program_is_not_compiled_for_what_it_does_not_fit(layer: str, given: dict[str, Any], code: str | None) -> None:
    with pytest.raises(meshwright.Error) as caught:
        meshwright.parse(layer).compile(**given)
    assert caught.value.code is not None and (code is None or caught.value.code == code)


def test_a_backend_that_is_not_known_is_named() -> None:
    with pytest.raises(meshwright.Error, match="gpu"):
        meshwright.parse(double("f32")).run([1.0], backend="gpu")  # type: ignore[arg-type]


def test_a_partitioned_text_has_no_global_arrays_to_run_on(layer: str) -> None:
    local = meshwright.parse(str(meshwright.parse(layer).partition()))
    with pytest.raises(meshwright.Error, match="partitioned already") as caught:
        local.compile()
    assert caught.value.help
    with pytest.raises(meshwright.Error, match="partitioned already"):
        local.run([np.zeros(one.shape, np.float32) for one in local.inputs], backend="interp")


def test_numbers_that_are_none_are_refused_where_that_is_asked_for() -> None:
    divide = double("3xf32").replace("stablehlo.add", "stablehlo.divide")
    program = meshwright.parse(divide)
    assert np.isnan(program.run([np.zeros(3, np.float32)])[0]).all()
    with pytest.raises(meshwright.Error) as caught:
        program.compile(check_nans=True)([np.zeros(3, np.float32)])
    assert caught.value.code == "E0720"


def test_threads_take_turns_on_one_program(layer: str, inputs: Arrays) -> None:
    executable = meshwright.parse(layer).compile()
    (first,) = executable(inputs)
    wrong: list[object] = []

    def work() -> None:
        try:
            for _ in range(20):
                (y,) = executable(inputs)
                if not (y == first).all():
                    wrong.append("another result")
        except BaseException as error:  # noqa: BLE001
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_other_threads_go_on_while_a_program_is_compiled_and_run(layer: str, inputs: Arrays) -> None:
    program = meshwright.parse(layer)
    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.append(str(program.partition()))) for _ in range(3)]
    for thread in threads:
        thread.start()
    (y,) = program.run(inputs)
    for thread in threads:
        thread.join()
    assert len(set(texts)) == 1 and len(texts) == 3
    np.testing.assert_allclose(y, expected(inputs), rtol=2e-4, atol=1e-4)


def test_the_same_inputs_give_the_same_bits(layer: str, inputs: Arrays) -> None:
    results = [meshwright.parse(layer).compile(threads=threads)(inputs)[0] for threads in (1, 2, 3)]
    assert (results[0] == results[1]).all() and (results[0] == results[2]).all()


def test_put_names_parameters_that_are_not_there() -> None:
    executable = meshwright.parse(double("3xf32")).compile()
    for wrong in ("y", 1, -1, None):
        with pytest.raises(meshwright.Error, match="no input"):
            executable.put(np.ones(3, np.float32), wrong)  # type: ignore[arg-type]
    assert executable.put(np.ones(3, np.float32), "x").shape == (3,)
    assert executable.memory > 0 and executable.devices == 1


def test_inputs_are_read_only_while_a_run_reads_them() -> None:
    whole, frozen = np.zeros(8, np.float32), np.zeros(8, np.float32)
    view = whole[:4]
    frozen.flags.writeable = False
    with _arrays.lent([whole, frozen]):
        # Another run, of a view of it, ends first.
        with _arrays.lent([view]):
            assert not view.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            whole[0] = 1
    view[0] = 2
    whole[1] = 3
    assert list(whole[:2]) == [2, 3] and not frozen.flags.writeable
    with pytest.raises(KeyError), _arrays.lent([view, whole, view]):
        raise KeyError
    assert whole.flags.writeable and view.flags.writeable
