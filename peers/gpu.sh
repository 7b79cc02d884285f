#!/usr/bin/env bash
# What a GPU makes of our programs, beside JAX on the same card: golden modules, the yardstick step, a training run.
#
#   peers/gpu.sh MESHWRIGHT OUT [ANCHOR.py] [words of gpu_check.py]
#
# MESHWRIGHT is the binary (a release build; nothing is compiled there), OUT a folder for what was found, ANCHOR.py the script
# `jax_moe_step.py`: without it no step is timed. Of the repository it takes `peers` and `tests/golden`, 40 MB with the binary.
# Python, JAX and the CUDA plugin are those of $PYTHON or `python3` if they are there, which takes no network; else
# `pip install jax[cuda13]` puts them into OUT/venv (2 GB). NVIDIA's driver has to be there. It takes up to 9 minutes of the
# card (`--seconds` says how many), and prints a dated table, which is OUT/gpu.md too.
#
#   peers/gpu.sh MESHWRIGHT OUT ANCHOR.py --dry-run TEST_PLUGIN.so       the same, small, on the plugin for tests and a CPU
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
meshwright=$(realpath "$1") out=$2
shift 2
anchor=()
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    anchor=(--anchor "$(realpath "$1")")
    shift
fi
mkdir -p "$out"
python=${PYTHON:-python3}
found='import glob, os, sys, jax, numpy
sys.exit(not any(glob.glob(os.path.join(folder, "jax_plugins", "xla_cuda*", "*plugin*.so")) for folder in sys.path))'
case " $* " in
*" --dry-run "* | *" --plugin "*) ;;
*)
    if ! "$python" -c "$found" 2>/dev/null; then
        python=$out/venv/bin/python
        [ -x "$python" ] || { python3 -m venv "$out/venv" && "$python" -m pip install -q "jax[cuda13]"; }
    fi
    ;;
esac
exec "$python" "$here/gpu_check.py" --meshwright "$meshwright" --out "$out" "${anchor[@]}" "$@"
