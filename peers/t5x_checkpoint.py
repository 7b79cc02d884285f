"""Checkpoints as T5X and flaxformer lay them out: writes tests/golden_hf/t5x-*.

    pip install flax tensorstore safetensors
    python peers/t5x_checkpoint.py tests/golden_hf                    write them
    python peers/t5x_checkpoint.py --read DIR NAME tests/golden_hf    hold what `meshwright convert RUN t5x:DIR` wrote
                                                                      against one of them

    t5x-v1_1      the numbers of t5-v1_1
    t5x-switch    those of switch, whose expected.safetensors is beside them
    t5x-gated     a Switch with gates, logits with a matrix of their own and experts of another width, drawn here;
                  expected.safetensors has what numpy computes of it: source, target, logits

Small arrays are packed by flax into the one file; some are Zarr, in chunks, as T5X has those that it splits over hosts.
"""

import pathlib
import re
import shutil
import sys

import numpy as np
import tensorstore as ts
from flax import serialization, traverse_util
from safetensors.numpy import load_file, save_file

ATTENTION = {"q": "query", "k": "key", "v": "value", "o": "out"}
FIRST = {"encoder": ["attention", "mlp"], "decoder": ["self_attention", "encoder_decoder_attention", "mlp"]}
ROUTER = "mlp/router/router_weights/w/kernel"


def named(name, x):
    """Their name and numbers of a tensor of `transformers`; of an expert's also its number."""
    if name == "shared.weight":
        return "token_embedder/embedding", None, x
    if name == "lm_head.weight":
        return "decoder/logits_dense/kernel", None, x.T
    stack = name.split(".")[0]
    if name.endswith("final_layer_norm.weight"):
        return f"{stack}/{stack}_norm/scale", None, x
    if "relative_attention_bias" in name:
        return f"{stack}/relpos_bias/rel_embedding", None, x.T
    block, layer, rest = re.match(r"\w+\.block\.(\d+)\.layer\.(\d+)\.(.*)\.weight", name).groups()
    part = FIRST[stack][int(layer)]
    at = f"{stack}/layers_{block}"
    if rest == "layer_norm":
        return f"{at}/pre_{part.replace('encoder_decoder', 'cross')}_layer_norm/scale", None, x
    if "router" in rest:
        return f"{at}/{ROUTER}", None, x.T
    last = rest.split(".")[-1]
    if "experts" in rest:
        return f"{at}/mlp/expert/{last}/kernel", int(re.search(r"expert_(\d+)", rest)[1]), x.T
    return f"{at}/{part}/{ATTENTION.get(last, last)}/kernel", None, x.T


def arrays(folder):
    """Tensors of `transformers` under their names in T5X, experts of a layer in one array."""
    found = {}
    for name, expert, x in (named(*one) for one in load_file(folder / "model.safetensors").items()):
        found.setdefault(name, {})[expert] = x
    stacked = lambda of: of[None] if None in of else np.stack([of[at] for at in range(len(of))])
    return {name: np.ascontiguousarray(stacked(of)) for name, of in found.items()}


SIZES = dict(vocab=48, model=16, heads=4, kv=4, hidden=32, expert=24, experts=4, encoder=4, decoder=2, every=2)


def drawn(seed):
    """Weights of a Switch with gates."""
    draw, s, out = np.random.default_rng(seed), SIZES, {}

    def put(name, *shape, size=0.3, mean=0.0):
        out[name] = (mean + size * draw.standard_normal(shape)).astype(np.float32)

    put("token_embedder/embedding", s["vocab"], s["model"])
    put("decoder/logits_dense/kernel", s["model"], s["vocab"], size=0.05)
    for stack in FIRST:
        put(f"{stack}/relpos_bias/rel_embedding", s["heads"], 32)
        put(f"{stack}/{stack}_norm/scale", s["model"], size=0.2, mean=1.0)
        for block in range(s[stack]):
            at = f"{stack}/layers_{block}"
            for part in FIRST[stack]:
                norm = part.replace("encoder_decoder", "cross")
                put(f"{at}/pre_{norm}_layer_norm/scale", s["model"], size=0.2, mean=1.0)
                if part != "mlp":
                    for name in ["query", "key", "value"]:
                        put(f"{at}/{part}/{name}/kernel", s["model"], s["heads"] * s["kv"])
                    put(f"{at}/{part}/out/kernel", s["heads"] * s["kv"], s["model"])
            routed = block % s["every"] == s["every"] - 1
            where, lead = ("mlp/expert", [s["experts"]]) if routed else ("mlp", [])
            width = s["expert"] if routed else s["hidden"]
            if routed:
                put(f"{at}/{ROUTER}", s["model"], s["experts"], size=1.0)
            for name in ["wi_0", "wi_1"]:
                put(f"{at}/{where}/{name}/kernel", *lead, s["model"], width)
            put(f"{at}/{where}/wo/kernel", *lead, width, s["model"])
    return out


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def buckets(queries, keys, both):
    """T5's buckets of how far a key is from a query."""
    far = np.arange(keys)[None, :] - np.arange(queries)[:, None]
    count, base = (16, 16 * (far > 0)) if both else (32, np.zeros_like(far))
    far = np.abs(far) if both else np.maximum(-far, 0)
    exact = count // 2
    large = exact + (np.log(np.maximum(far, 1) / exact) / np.log(128 / exact) * (count - exact)).astype(int)
    return base + np.where(far < exact, far, np.minimum(large, count - 1))


def forward(w, source, target, factor):
    """Logits. Rows are groups, and an expert takes round(tokens * factor / experts) of one, 4 at least."""
    w = {name: x.astype(np.float64) for name, x in w.items()}
    heads, experts = SIZES["heads"], SIZES["experts"]
    norm = lambda x, name: x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * w[f"{name}/scale"]
    split = lambda x: x.reshape(*x.shape[:2], heads, -1)

    def attend(x, memory, name, bias):
        q, k, v = (split(y @ w[f"{name}/{z}/kernel"]) for y, z in [(x, "query"), (memory, "key"), (memory, "value")])
        chances = softmax(np.einsum("bqhd,bkhd->bhqk", q, k) + bias)
        return np.einsum("bhqk,bkhd->bqhd", chances, v).reshape(*x.shape[:2], -1) @ w[f"{name}/out/kernel"]

    def gated(x, of):
        return (gelu(x @ of("wi_0")) * (x @ of("wi_1"))) @ of("wo")

    def mlp(x, at):
        if f"{at}/{ROUTER}" not in w:
            return gated(x, lambda name: w[f"{at}/mlp/{name}/kernel"])
        places = max(round(x.shape[1] * factor / experts), 4)
        out = np.zeros_like(x)
        for row, tokens in enumerate(x):
            gates, taken = softmax(tokens @ w[f"{at}/{ROUTER}"]), [0] * experts
            for place, token in enumerate(tokens):
                best = int(gates[place].argmax())
                taken[best] += 1
                if taken[best] <= places:
                    said = gated(token, lambda name: w[f"{at}/mlp/expert/{name}/kernel"][best])
                    out[row, place] = gates[place, best] * said
                else:
                    dropped.append((at, row, place))
        return out

    def stack(name, x, memory):
        own, length = FIRST[name][0], x.shape[1]
        bias = w[f"{name}/relpos_bias/rel_embedding"][:, buckets(length, length, name == "encoder")]
        if name == "decoder":
            bias = bias + np.where(np.tril(np.ones((length, length))) > 0, 0, -np.inf)
        for block in range(SIZES[name]):
            at = f"{name}/layers_{block}"
            x = x + (lambda y: attend(y, y, f"{at}/{own}", bias))(norm(x, f"{at}/pre_{own}_layer_norm"))
            if memory is not None:
                y = norm(x, f"{at}/pre_cross_attention_layer_norm")
                x = x + attend(y, memory, f"{at}/encoder_decoder_attention", 0)
            x = x + mlp(norm(x, f"{at}/pre_mlp_layer_norm"), at)
        return norm(x, f"{name}/{name}_norm")

    dropped = []
    table = w["token_embedder/embedding"]
    memory = stack("encoder", table[source], None)
    late = np.concatenate([np.zeros((len(target), 1), int), target[:, :-1]], 1)
    logits = stack("decoder", table[late], memory) @ w["decoder/logits_dense/kernel"]
    assert 10 < len(dropped) < 100, len(dropped)
    return logits.astype(np.float32)


def oracle(weights, seed):
    """Texts without padding, and what the model says of them."""
    draw = np.random.default_rng(seed)
    source, target = (draw.integers(2, SIZES["vocab"], (8, length)) for length in (24, 12))
    logits = forward(weights, source, target, 1.25)
    return {"source": source.astype(np.int32), "target": target.astype(np.int32), "logits": logits}


def chunked(into, name, x):
    place = "target." + name.replace("/", ".")
    chunks = [20, 12] if x.ndim == 2 else [3, 10, 16]
    spec = {
        "driver": "zarr",
        "dtype": x.dtype.name,
        "kvstore": {"driver": "file", "path": place},
        "metadata": {"compressor": {"id": "gzip"}, "shape": list(x.shape), "chunks": chunks},
    }
    here = {**spec, "kvstore": {"driver": "file", "path": str(into / place)}}
    ts.open(here, create=True, open=True).result().write(x).result()
    return spec


def write(into, weights, is_large):
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir()
    target = {name: chunked(into, name, x) if is_large(name) else x for name, x in weights.items()}
    state = {"step": np.int32(0), "param_states": {}}
    optimizer = {"target": traverse_util.unflatten_dict(target, sep="/"), "state": state}
    (into / "checkpoint").write_bytes(serialization.to_bytes({"version": 3, "optimizer": optimizer}))


def weights_of(name, folder):
    if name == "t5x-gated":
        return drawn(28)
    return arrays(folder / {"t5x-v1_1": "t5-v1_1", "t5x-switch": "switch"}[name])


LARGE = {
    "t5x-v1_1": lambda name: name == "token_embedder/embedding" or name.startswith("encoder/layers_0/mlp/wi_"),
    "t5x-switch": lambda name: "mlp/expert" in name,
    "t5x-gated": lambda name: "mlp/expert/wi" in name,
}


def main():
    if sys.argv[1] == "--read":
        written, name, folder = sys.argv[2:5]
        packed = serialization.msgpack_restore((pathlib.Path(written) / "checkpoint").read_bytes())
        found = traverse_util.flatten_dict(packed["optimizer"]["target"], sep="/")
        expected = weights_of(name, pathlib.Path(folder))
        assert found.keys() == expected.keys(), found.keys() ^ expected.keys()
        assert all(np.array_equal(found[name], x) for name, x in expected.items())
        print(f"flax reads the same {len(found)} arrays, of step {packed['optimizer']['state']['step']}")
        return
    folder = pathlib.Path(sys.argv[1]).absolute()
    for name in LARGE:
        weights = weights_of(name, folder)
        write(folder / name, weights, LARGE[name])
        if name == "t5x-gated":
            save_file(oracle(weights, 29), folder / name / "expected.safetensors")


if __name__ == "__main__":
    main()
