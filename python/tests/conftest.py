"""Modules that several tests read."""

from __future__ import annotations

import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

LAYER = """module @layer {
  sdy.mesh @m = <["data"=4, "model"=2]>
  func.func public @main(
      %x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"data"}, {}]>},
      %up: tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"model"}]>},
      %down: tensor<128x32xf32>) -> tensor<64x32xf32> {
    %h = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0]
        : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<64x128xf32>
    %r = stablehlo.maximum %h, %zero : tensor<64x128xf32>
    %y = stablehlo.dot_general %r, %down, contracting_dims = [1] x [0]
        : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
    return %y : tensor<64x32xf32>
  }
}
"""


@pytest.fixture
def layer() -> str:
    """Two products on a mesh of eight devices, with two annotations."""
    return LAYER


@pytest.fixture
def root() -> pathlib.Path:
    """The repository."""
    return ROOT
