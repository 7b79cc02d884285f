#!/usr/bin/env bash
# The yardstick step on 8 devices gives the same bits however they are spread: same_bits.sh ANCHOR.py
#
# One process with 1 and with 2 workers, and 2 ranks of 4 devices each, on the StableHLO that the anchor script lowers and
# on made-up inputs of the same seed. Prints a checksum of all results for each. Needs `meshwright` built with
# `--release --features mpi`, `mpirun` and a Python with JAX: MESHWRIGHT=... PYTHON=... to choose.
set -euo pipefail
anchor="${1:?usage: same_bits.sh ANCHOR.py}"
ours="${MESHWRIGHT:-meshwright}"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" "$anchor" --devices 8 --dump "$folder" >/dev/null
step="$folder/stablehlo.mlir"
run() {
    local name="$1"
    shift
    "$@" --outputs "$folder/out.npz" >/dev/null
    printf '%s  %s\n' "$(sha256sum < "$folder/out.npz" | cut -c1-32)" "$name"
    rm "$folder/out.npz"
}
run 'one process, 1 worker' "$ours" run "$step" --seed 1 --backend cpu --threads 1
run 'one process, 2 workers' "$ours" run "$step" --seed 1 --backend cpu --threads 2
run '2 ranks of 4 devices' mpirun --allow-run-as-root --oversubscribe -n 2 "$ours" run "$step" --seed 1 --backend mpi --deadline 300
