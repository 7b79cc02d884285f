"""Layers, losses, optimizers and schedules of `nn` as PyTorch and optax compute them: writes tests/golden_nn/*.txt.

    pip install torch optax jax
    python peers/torch_layers.py tests/golden_nn

`torch_images.py` writes those of images.
"""

import os
import sys

import numpy as np

os.environ["JAX_ENABLE_X64"] = "1"

import jax.numpy as jnp  # noqa: E402
import optax  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

from torch_cases import Cases, draw, t  # noqa: E402


def recurrent(cases, name, make, gates):
    batch, length, inputs, hidden = 2, 4, 3, 5
    cell = make(inputs, hidden, batch_first=True)
    w = {"wi": draw(inputs, gates * hidden), "wh": draw(hidden, gates * hidden)}
    w |= {"bi": draw(gates * hidden), "bh": draw(gates * hidden)}
    with torch.no_grad():
        cell.weight_ih_l0.copy_(t(w["wi"].T))
        cell.weight_hh_l0.copy_(t(w["wh"].T))
        cell.bias_ih_l0.copy_(t(w["bi"]))
        cell.bias_hh_l0.copy_(t(w["bh"]))
    x, h, c = draw(batch, length, inputs), draw(batch, hidden), draw(batch, hidden)
    if gates == 3:
        out, last = cell(t(x), t(h)[None])
        cases.case(name, {"x": x, "h": h} | w, [out, last[0]])
    else:
        out, (last, carried) = cell(t(x), (t(h)[None], t(c)[None]))
        cases.case(name, {"x": x, "h": h, "c": c} | w, [out, last[0], carried[0]])


def rotary(x, base, neighbours):
    """Turned as complex numbers."""
    batch, length, heads, kv = x.shape
    half = kv // 2
    angles = np.arange(length)[:, None] * base ** (-np.arange(half) / half)
    turn = torch.polar(torch.ones(length, half), t(angles))[None, :, None, :]
    if neighbours:
        pairs = torch.view_as_complex(t(x).reshape(batch, length, heads, half, 2).contiguous())
        return torch.view_as_real(pairs * turn).reshape(x.shape)
    turned = torch.complex(t(x)[..., :half], t(x)[..., half:]) * turn
    return torch.cat([turned.real, turned.imag], -1)


def layers():
    cases = Cases()
    x, w, b = draw(2, 3, 4), draw(4, 5), draw(5)
    cases.case("dense", {"x": x, "w": w, "b": b}, [F.linear(t(x), t(w.T), t(b))])
    table, ids = draw(7, 3), np.array([[1, 6, 2], [0, 0, 5]])
    for mode in ["sum", "mean", "max"]:
        cases.case(f"bag {mode}", {"table": table, "ids": ids}, [F.embedding_bag(t(ids), t(table), mode=mode)])
    recurrent(cases, "gru", torch.nn.GRU, 3)
    recurrent(cases, "lstm", torch.nn.LSTM, 4)
    x = draw(2, 5, 2, 6)
    for neighbours in [False, True]:
        cases.case(f"rotary {'neighbours' if neighbours else 'halves'}", {"x": x}, [rotary(x, 10000.0, neighbours)])
    q, k, v = draw(2, 4, 6, 4), draw(2, 5, 2, 4), draw(2, 5, 2, 4)
    heads_first = [t(one).transpose(1, 2) for one in (q, k, v)]
    out = F.scaled_dot_product_attention(*heads_first, enable_gqa=True).transpose(1, 2)
    cases.case("grouped attention", {"q": q, "k": k, "v": v}, [out])
    heads_first[0] = heads_first[0][:, :, :4]
    heads_first[1], heads_first[2] = (one[:, :, :4] for one in heads_first[1:])
    out = F.scaled_dot_product_attention(*heads_first, enable_gqa=True, is_causal=True).transpose(1, 2)
    cases.case("causal grouped attention", {"q": q, "k": k[:, :4], "v": v[:, :4]}, [out])
    return cases


def connectionist(cases, name, batch, time, classes, blank):
    """Losses, and the gradient of their sum by weights 1, 2, ..; of labels that fit into the time."""
    own = np.random.default_rng(batch)
    most = time // 2
    logits = np.round(own.uniform(-3, 3, (batch, time, classes)), 4)
    labels = (blank + 1 + own.integers(0, classes - 1, (batch, most))) % classes
    times = time - np.arange(batch)
    counts = np.minimum(own.integers(1, most + 1, batch), times // 2)
    leaf = t(logits).requires_grad_()
    log_p = F.log_softmax(leaf, -1).transpose(0, 1)
    found = F.ctc_loss(log_p, t(labels), t(times), t(counts), blank=blank, reduction="none")
    (found * torch.arange(1.0, batch + 1)).sum().backward()
    inputs = {"logits": logits, "labels": labels, "label_lengths": counts, "times": times}
    cases.case(name, inputs, [found, leaf.grad])


def losses():
    cases = Cases()
    x, y = draw(3, 4) * 3, draw(3, 4)
    cases.case("mse", {"x": x, "y": y}, [F.mse_loss(t(x), t(y))])
    cases.case("huber", {"x": x, "y": y}, [F.huber_loss(t(x), t(y), reduction="none", delta=0.7)])
    share = np.abs(y)
    bce = F.binary_cross_entropy_with_logits(t(x), t(share), reduction="none")
    cases.case("bce", {"x": x, "y": share}, [bce])
    p = share / share.sum(-1, keepdims=True)
    kl = F.kl_div(F.log_softmax(t(x), -1), t(p), reduction="none").sum(-1)
    cases.case("kl", {"x": x, "p": p}, [kl])
    labels = np.array([3, 0, 2])
    smooth = F.cross_entropy(t(x), t(labels), label_smoothing=0.1, reduction="none")
    cases.case("smoothed", {"x": x, "labels": labels}, [smooth])
    logits = draw(4, 6, 5) * 2
    labels = np.array([[1, 2, 3], [2, 2, 4], [4, 0, 0], [3, 3, 1]])
    counts, times = np.array([3, 2, 1, 0]), np.array([6, 4, 5, 3])
    log_p = F.log_softmax(t(logits), -1).transpose(0, 1)
    found = F.ctc_loss(log_p, t(labels), t(times), t(counts), blank=0, reduction="none")
    cases.case("ctc", {"logits": logits, "labels": labels, "label_lengths": counts, "times": times}, [found])
    connectionist(cases, "ctc and its gradient", batch=3, time=7, classes=4, blank=0)
    connectionist(cases, "ctc with the blank behind", batch=2, time=20, classes=6, blank=5)
    return cases


STEPS, RATE = 5, 0.1


def with_torch(make, w, gradients):
    leaves = [torch.nn.Parameter(t(one)) for one in w]
    optimizer = make(leaves)
    out = []
    for step in range(STEPS):
        for leaf, g in zip(leaves, gradients):
            leaf.grad = t(g[step])
        optimizer.step()
        out.append([leaf.detach().numpy().copy() for leaf in leaves])
    return [np.stack(one) for one in zip(*out)]


def with_optax(optimizer, w, gradients):
    leaves = {"matrix": jnp.asarray(w[0]), "vector": jnp.asarray(w[1])}
    state, out = optimizer.init(leaves), []
    for step in range(STEPS):
        g = {"matrix": jnp.asarray(gradients[0][step]), "vector": jnp.asarray(gradients[1][step])}
        updates, state = optimizer.update(g, state, leaves)
        leaves = optax.apply_updates(leaves, updates)
        out.append(leaves)
    return [np.stack([one[key] for one in out]) for key in ("matrix", "vector")]


def averaged(found, keep):
    """Running averages of weights over steps, made up for their start at 0."""
    ema = optax.ema(keep, debias=True)
    state = ema.init(jnp.zeros_like(found[0]))
    for one in found:
        value, state = ema.update(jnp.asarray(one), state)
    return np.asarray(value)


def optimizers():
    cases, o = Cases(), torch.optim
    w, gradients = [draw(3, 4), draw(5)], [draw(STEPS, 3, 4), draw(STEPS, 5)]
    given = {"matrix": w[0], "vector": w[1], "g matrix": gradients[0], "g vector": gradients[1]}
    by_torch = {
        "sgd": lambda p: o.SGD(p, RATE),
        "momentum": lambda p: o.SGD(p, RATE, momentum=0.9),
        "nesterov": lambda p: o.SGD(p, RATE, momentum=0.9, nesterov=True),
        "adam": lambda p: o.Adam(p, RATE),
        "adamw": lambda p: o.AdamW(p, RATE, weight_decay=0.01),
        "rms_prop": lambda p: o.RMSprop(p, RATE),
        "rms_prop centered with momentum": lambda p: o.RMSprop(p, RATE, centered=True, momentum=0.9),
    }
    for name, make in by_torch.items():
        cases.case(name, given, with_torch(make, w, gradients))
    masked = optax.adamw(RATE, weight_decay=0.01, mask={"matrix": True, "vector": False})
    clipped = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(RATE))
    # Keller Jordan's coefficients; optax's own Adam for the rest looks ahead, ours does not.
    matrices = optax.contrib.muon(RATE, ns_coeffs=(3.4445, -4.7750, 2.0315), weight_decay=0.01)
    rest = optax.adamw(RATE, weight_decay=0.01)
    muon = optax.partition({"muon": matrices, "rest": rest}, {"matrix": "muon", "vector": "rest"})
    by_optax = {
        "lion": optax.lion(RATE, weight_decay=0.01),
        "lamb": optax.lamb(RATE, weight_decay=0.01),
        "muon": muon,
        "adamw masked": masked,
        "sgd clipped": clipped,
    }
    for name, optimizer in by_optax.items():
        cases.case(name, given, with_optax(optimizer, w, gradients))
    sgd = with_torch(by_torch["sgd"], w, gradients)
    cases.case("ema", given, sgd + [averaged(one, 0.9) for one in sgd])
    return cases


def schedules():
    """Ours count steps from 1, optax's from 0."""
    cases, steps = Cases(), np.arange(1, 41)
    warm = optax.linear_schedule(0.1, 1.0, 9)
    decay = optax.exponential_decay(0.5, 10, 0.3)
    all_of_them = {
        "exponential": decay,
        "exponential in steps": optax.exponential_decay(0.5, 10, 0.3, staircase=True),
        "joined": optax.join_schedules([optax.constant_schedule(0.25), decay], [10]),
        "warmup and cosine": optax.join_schedules([warm, optax.cosine_decay_schedule(1.0, 30)], [9]),
    }
    for name, schedule in all_of_them.items():
        cases.case(name, {"steps": steps}, [np.array([float(schedule(step - 1)) for step in steps])])
    return cases


if __name__ == "__main__":
    folder = sys.argv[1]
    for make in [layers, losses, optimizers, schedules]:
        make().write(os.path.join(folder, f"{make.__name__}.txt"))
