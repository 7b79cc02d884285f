"""Cases of JAX's documentation, each with `jax.jit` and with `meshwright.jax.jit` in its place: a table of what is not the same.

`python pages.py` runs all; --only takes a part of a name.
"""

import argparse
import collections
import os
import sys
import warnings

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax

import documented
import meshwright.jax
from documented import on_auto, on_explicit, on_jit, on_shard_map, on_stages  # noqa: F401

# What Meshwright does otherwise than JAX on purpose, with the reason.
OTHERWISE = {
    "custom_partitioning": "it gives XLA's partitioner a function, and is refused with its line",
    "ordered io_callback on several devices": "JAX has it since 0.10; here it is refused with its line",
}


def verdict(case):
    """How a case went, and what there is to say of that."""
    try:
        found = documented.compared(case, meshwright.jax.jit)
    except documented.Missing as missing:
        return "left out", [str(missing)]
    if found and case.name in OTHERWISE:
        return "otherwise", [OTHERWISE[case.name]]
    return ("WRONG" if found else "as documented"), found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose names contain this")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"JAX {jax.__version__}, {len(jax.devices())} devices")
    counts = collections.defaultdict(collections.Counter)
    for case in documented.CASES:
        if args.only not in case.name:
            continue
        how, remarks = verdict(case)
        counts[case.page][how] += 1
        for remark in remarks:
            print(f"{how}: {case.name}: {remark}", flush=True)
    print(f"{'page':56} {'applicable':>10} {'passed':>7}")
    for page, row in [*counts.items(), ("all", sum(counts.values(), collections.Counter()))]:
        print(f"{page:56} {sum(row.values()) - row['left out']:10} {row['as documented']:7}")
    sys.exit(sum(row["WRONG"] for row in counts.values()) > 0)


if __name__ == "__main__":
    main()
