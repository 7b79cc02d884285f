"""Cases of tests/golden_nn: random numbers, and files of what was computed of them.

A file is a list of cases; a line is `case NAME`, `in NAME DIMS | NUMBERS` or `out NAME DIMS | NUMBERS`, all in f64.
"""

import numpy as np
import torch

torch.set_default_dtype(torch.float64)
rng = np.random.default_rng(11)


def draw(*dims):
    return np.round(rng.uniform(-1, 1, dims), 4)


def t(x):
    return torch.tensor(np.asarray(x))


class Cases:
    def __init__(self):
        self.lines = []

    def line(self, kind, name, x):
        x = np.asarray(x)
        dims = ",".join(map(str, x.shape)) or "-"
        numbers = " ".join(repr(float(v)) for v in x.ravel())
        self.lines.append(f"{kind} {name} {dims} | {numbers}")

    def case(self, name, inputs, outputs):
        self.lines.append(f"case {name}")
        for key, x in inputs.items():
            self.line("in", key, x)
        for at, x in enumerate(outputs):
            self.line("out", str(at), x.detach().numpy() if torch.is_tensor(x) else x)

    def write(self, path):
        with open(path, "w") as file:
            file.write("\n".join(self.lines) + "\n")
