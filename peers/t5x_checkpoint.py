"""A checkpoint as T5X lays it out, of the numbers of a golden folder: writes tests/golden_hf/t5x-v1_1.

    pip install flax tensorstore safetensors
    python peers/t5x_checkpoint.py tests/golden_hf              write it
    python peers/t5x_checkpoint.py --read DIR tests/golden_hf   hold what `meshwright convert RUN t5x:DIR` wrote against it

Small arrays are packed by flax into the one file; the table and the first matrices of feed-forward layers are Zarr, in
chunks, as T5X has those that it splits over hosts.
"""

import pathlib
import re
import shutil
import sys

import numpy as np
import tensorstore as ts
from flax import serialization, traverse_util
from safetensors.numpy import load_file

ATTENTION = {"q": "query", "k": "key", "v": "value", "o": "out"}
FIRST = {"encoder": ["attention", "mlp"], "decoder": ["self_attention", "encoder_decoder_attention", "mlp"]}


def named(name, x):
    """Their name and numbers of a tensor of `transformers`."""
    if name == "shared.weight":
        return "token_embedder/embedding", x
    if name == "lm_head.weight":
        return "decoder/logits_dense/kernel", x.T
    stack = name.split(".")[0]
    if name.endswith("final_layer_norm.weight"):
        return f"{stack}/{stack}_norm/scale", x
    if "relative_attention_bias" in name:
        return f"{stack}/relpos_bias/rel_embedding", x.T
    block, layer, rest = re.match(r"\w+\.block\.(\d+)\.layer\.(\d+)\.(.*)\.weight", name).groups()
    part = FIRST[stack][int(layer)]
    at = f"{stack}/layers_{block}"
    if rest == "layer_norm":
        return f"{at}/pre_{part.replace('encoder_decoder', 'cross')}_layer_norm/scale", x
    last = rest.split(".")[1]
    return f"{at}/{part}/{ATTENTION.get(last, last)}/kernel", x.T


def arrays(folder):
    weights = load_file(folder / "t5-v1_1" / "model.safetensors")
    return {name: np.ascontiguousarray(x) for name, x in (named(*one) for one in weights.items())}


def chunked(into, name, x):
    place = "target." + name.replace("/", ".")
    spec = {
        "driver": "zarr",
        "dtype": x.dtype.name,
        "kvstore": {"driver": "file", "path": place},
        "metadata": {"compressor": {"id": "gzip"}, "shape": list(x.shape), "chunks": [20, 12]},
    }
    here = {**spec, "kvstore": {"driver": "file", "path": str(into / place)}}
    ts.open(here, create=True, open=True).result().write(x).result()
    return spec


def main():
    if sys.argv[1] == "--read":
        packed = serialization.msgpack_restore((pathlib.Path(sys.argv[2]) / "checkpoint").read_bytes())
        found = traverse_util.flatten_dict(packed["optimizer"]["target"], sep="/")
        expected = arrays(pathlib.Path(sys.argv[3]))
        assert found.keys() == expected.keys(), found.keys() ^ expected.keys()
        assert all(np.array_equal(found[name], x) for name, x in expected.items())
        print(f"flax reads the same {len(found)} arrays, of step {packed['optimizer']['state']['step']}")
        return
    folder = pathlib.Path(sys.argv[1])
    into = (folder / "t5x-v1_1").absolute()
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir()
    is_large = lambda name: name == "token_embedder/embedding" or name.startswith("encoder/layers_0/mlp/wi_")
    target = {name: chunked(into, name, x) if is_large(name) else x for name, x in arrays(folder).items()}
    state = {"step": np.int32(0), "param_states": {}}
    optimizer = {"target": traverse_util.unflatten_dict(target, sep="/"), "state": state}
    (into / "checkpoint").write_bytes(serialization.to_bytes({"version": 3, "optimizer": optimizer}))


if __name__ == "__main__":
    main()
