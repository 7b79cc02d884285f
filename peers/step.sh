#!/usr/bin/env bash
# The yardstick step here and in JAX, from the same StableHLO, in alternated pairs: step.sh ANCHOR.py [PAIRS] [STEPS]
#
# Prints, for 1 and 8 devices: medians of wall and CPU seconds a step, the median of the pairs' ratios (JAX / ours) and its
# 90% interval, and the load. On a machine that others use, CPU seconds are the fairer figure. Needs `meshwright` (built
# with --release) and a Python with JAX: MESHWRIGHT=... PYTHON=... DENSE=1 to choose.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
anchor="${1:?usage: step.sh ANCHOR.py [PAIRS] [STEPS]}"
exec "${PYTHON:-python3}" "$here/step_pairs.py" "$anchor" "${2:-10}" "${3:-3}"
