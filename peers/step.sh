#!/usr/bin/env bash
# A training step here and in JAX, in alternated pairs: step.sh ANCHOR.py|unet_step.py|conformer.py [PAIRS] [STEPS]
#
# ANCHOR.py is the yardstick's; the other two are models of ours in plain JAX, which stand beside this.
# Ours runs the same StableHLO ("program": "jax") and, if EXAMPLE names the built example `yardstick`, also the program that
# our own front end traces and differentiates ("front end"). Prints, for 1 and 8 devices and each: medians of wall and CPU
# seconds a step, the median of the pairs' ratios (JAX / ours) and its 90% interval, and the load. On a machine that others
# use, CPU seconds are the fairer figure. Needs `meshwright` (built with --release) and a Python with JAX: MESHWRIGHT=...
# EXAMPLE=... PYTHON=... DENSE=1 to choose; AVX2=1 keeps both sides from AVX-512 (avx2_only.py).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
anchor="${1:?usage: step.sh ANCHOR.py [PAIRS] [STEPS]}"
exec "${PYTHON:-python3}" "$here/step_pairs.py" "$anchor" "${2:-10}" "${3:-3}"
