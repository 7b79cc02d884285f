"""Layers of images of `nn` as PyTorch computes them: writes tests/golden_nn/images.txt.

    pip install torch numpy
    python peers/torch_images.py tests/golden_nn

Ours have features last in images, and inputs before outputs at the end of kernels; PyTorch's transposed kernels are turned.
"""

import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

from torch_cases import Cases, draw, t

CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
UP = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def first(x):
    """Features behind the batch."""
    return torch.movedim(t(x), -1, 1)


def last(x):
    return torch.movedim(x, 1, -1)


def conv(cases, name, at, io, window, bias=True, groups=1, **how):
    inputs, outputs = io
    x, k, b = draw(2, *at, inputs), draw(*window, inputs // groups, outputs), draw(outputs)
    weight = t(np.moveaxis(k, (-1, -2), (0, 1)))
    y = CONV[len(at)](first(x), weight, t(b) if bias else None, groups=groups, **how)
    cases.case(name, {"x": x, "kernel": k} | ({"bias": b} if bias else {}), [last(y)])


def transposed(cases, name, at, io, window, **how):
    inputs, outputs = io
    x, k, b = draw(2, *at, inputs), draw(*window, inputs, outputs), draw(outputs)
    weight = torch.flip(t(np.moveaxis(k, (-2, -1), (0, 1))), tuple(range(2, 2 + len(at))))
    cases.case(name, {"x": x, "kernel": k, "bias": b}, [last(UP[len(at)](first(x), weight, t(b), **how))])


def convolutions(cases):
    conv(cases, "conv of sound", [9], (3, 4), [3], padding="same")
    conv(cases, "conv of images", [6, 5], (3, 4), [3, 3], stride=(2, 1), padding=1)
    conv(cases, "conv of volumes", [4, 3, 5], (2, 3), [2, 3, 2], bias=False)
    conv(cases, "conv dilated in groups", [7, 8], (4, 6), [3, 2], groups=2, dilation=(2, 3))
    conv(cases, "conv of each feature alone", [7, 6], (4, 4), [3, 3], groups=4, padding="same")
    transposed(cases, "transposed side by side", [3, 4], (3, 2), [2, 2], stride=2)
    transposed(cases, "transposed over each other", [5, 4], (2, 3), [4, 4], stride=2, padding=1)
    transposed(cases, "transposed volumes", [2, 3, 2], (2, 2), [3, 3, 3], stride=2)


def pools(cases):
    x = draw(2, 7, 6, 3)
    y = last(F.max_pool2d(first(x), 3, stride=2, padding=1))
    cases.case("largest of windows", {"x": x}, [y])
    y = last(F.avg_pool2d(first(x), 3, stride=2, padding=1, count_include_pad=False))
    cases.case("mean of windows", {"x": x}, [y])


def norms(cases):
    x, scale, bias = draw(3, 4, 5, 6), draw(6), draw(6)
    given = {"x": x, "scale": scale, "bias": bias}
    mean, variance = t(draw(6)), t(np.abs(draw(6)))
    start = {"mean": mean.numpy().copy(), "variance": variance.numpy().copy()}
    y = F.batch_norm(first(x), mean, variance, t(scale), t(bias), training=True, momentum=0.1)
    cases.case("batch norm in training", given | start, [last(y), mean, variance])
    y = F.batch_norm(first(x), t(start["mean"]), t(start["variance"]), t(scale), t(bias))
    cases.case("batch norm afterwards", given | start, [last(y)])
    cases.case("group norm", given, [last(F.group_norm(first(x), 3, t(scale), t(bias)))])
    cases.case("instance norm", given, [last(F.instance_norm(first(x), weight=t(scale), bias=t(bias)))])


def gates(cases):
    x = draw(2, 4, 3, 6)
    cases.case("glu", {"x": x}, [F.glu(t(x), -1)])
    w = {"wi": draw(6, 2), "bi": draw(2), "wo": draw(2, 6), "bo": draw(6)}
    inner = F.relu(t(x).mean((1, 2)) @ t(w["wi"]) + t(w["bi"]))
    gate = torch.sigmoid(inner @ t(w["wo"]) + t(w["bo"]))
    cases.case("squeeze and excitation", {"x": x} | w, [t(x) * gate[:, None, None]])


def sizes(cases):
    x = draw(2, 6, 4, 2)
    for to in [(12, 12), (3, 2), (9, 6), (4, 5), (7, 3), (25, 23)]:
        y = F.interpolate(first(x), to, mode="nearest-exact")
        cases.case(f"nearest {to[0]} {to[1]}", {"x": x}, [last(y)])
        y = F.interpolate(first(x), to, mode="bilinear", align_corners=False)
        cases.case(f"linear {to[0]} {to[1]}", {"x": x}, [last(y)])
    volume = draw(1, 2, 3, 4, 1)
    y = F.interpolate(first(volume), (4, 6, 8), mode="trilinear", align_corners=False)
    cases.case("linear volumes", {"x": volume}, [last(y)])


def tokens(cases):
    x, k, b = draw(2, 6, 4, 3), draw(3, 2, 3, 5), draw(5)
    weight = t(np.moveaxis(k, (-1, -2), (0, 1)))
    y = F.conv2d(first(x), weight, t(b), stride=(3, 2)).flatten(2).transpose(1, 2)
    cases.case("patches", {"x": x, "kernel": k, "bias": b}, [y])
    length, heads, kv, model = 5, 2, 3, 6
    x, w = draw(2, length, model), {name: draw(model, heads, kv) for name in ("query", "key", "value", "position")}
    w |= {"out": draw(heads, kv, model), "content_bias": draw(heads, kv), "position_bias": draw(heads, kv)}
    q, k, v = (torch.einsum("blm,mhd->blhd", t(x), t(w[name])) for name in ("query", "key", "value"))
    logits = torch.zeros(2, heads, length, length)
    rates = 10_000.0 ** (-np.arange(3) / 2)
    for i in range(length):
        for j in range(length):
            wave = np.concatenate([np.sin((i - j) * rates), np.cos((i - j) * rates)])
            away = torch.einsum("m,mhd->hd", t(wave), t(w["position"]))
            said = (q[:, i] + t(w["content_bias"])) * k[:, j] + (q[:, i] + t(w["position_bias"])) * away
            logits[:, :, i, j] = said.sum(-1) / kv**0.5
    for name, logits in {
        "relative attention": logits,
        "causal relative attention": logits.masked_fill(~torch.ones(length, length).tril().bool(), -torch.inf),
    }.items():
        seen = torch.einsum("bhqk,bkhd->bqhd", logits.softmax(-1), v)
        cases.case(name, {"x": x} | w, [torch.einsum("bqhd,hdm->bqm", seen, t(w["out"]))])


if __name__ == "__main__":
    cases = Cases()
    for make in [convolutions, pools, norms, gates, sizes, tokens]:
        make(cases)
    cases.write(os.path.join(sys.argv[1], "images.txt"))
