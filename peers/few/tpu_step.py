"""One row of `rows.TPU`, compiled ahead of time for a TPU that is not there: the compiler's seconds and temporaries, as JSON.

    python few/tpu_step.py NAME [--tpu v3:8x8] [--shardy]       `tpu_frontier.py` runs it, plain and through `dropin.py`

XLA propagates by GSPMD unless Shardy is asked for.
"""
import argparse
import json
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
os.environ.update(TPU_SKIP_MDS_QUERY='1')
from few import dump, rows
from jax.experimental import topologies


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('name', choices=[row.name for row in rows.TPU])
    parser.add_argument('--tpu', default='v3:8x8')
    parser.add_argument('--shardy', action='store_true')
    args = parser.parse_args()
    dump.jax.config.update('jax_use_shardy_partitioner', args.shardy)
    [row] = [row for row in rows.TPU if row.name == args.name]
    compiled = dump.Built(row, topologies.get_topology_desc(args.tpu, 'tpu').devices).lowered().compile()
    memory = compiled.memory_analysis()
    print(json.dumps(dict(optimal_s=compiled.cost_analysis().get('optimal_seconds'), temp_bytes=memory.temp_size_in_bytes,
                          argument_bytes=memory.argument_size_in_bytes)))


main()
