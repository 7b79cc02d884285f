#!/usr/bin/env bash
# What the TPU compiler says of programs that Meshwright partitioned, and of those that JAX does: no TPU is needed.
#
#   peers/tpu.sh MESHWRIGHT OUT [ANCHORS] [words of tpu_compile.py]
#
# MESHWRIGHT is the binary, OUT a folder for what was found, ANCHORS the folder of `jax_moe_step.py`: without it nothing is
# lowered by JAX. Python, JAX and libtpu are taken from $PYTHON, or installed into OUT/venv. It takes hours; rows that are
# in OUT are not compiled again.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
meshwright=$1 out=$2
shift 2
anchors=()
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    anchors=(--anchors "$1")
    shift
fi
python=${PYTHON:-}
if [ -z "$python" ]; then
    python=$out/venv/bin/python
    [ -x "$python" ] || { python3 -m venv "$out/venv" && "$python" -m pip install -q jax==0.10.2 libtpu; }
fi
export TPU_SKIP_MDS_QUERY=1
exec "$python" "$here/tpu_compile.py" --meshwright "$meshwright" --out "$out" "${anchors[@]}" "$@"
