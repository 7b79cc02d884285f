"""One row of `rows.TPU`, compiled ahead of time for a TPU that is not there: the compiler's seconds and temporaries, as JSON.

    python few/tpu_step.py NAME [--tpu v3:8x8]            `tpu_frontier.py` runs it, plain and through `dropin.py`
"""
import json
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
os.environ.update(TPU_SKIP_MDS_QUERY='1')
from few import dump, rows
from jax.experimental import topologies


def main(name, tpu):
    [row] = [row for row in rows.TPU if row.name == name]
    compiled = dump.Built(row, topologies.get_topology_desc(tpu, 'tpu').devices).lowered().compile()
    memory = compiled.memory_analysis()
    print(json.dumps(dict(optimal_s=compiled.cost_analysis().get('optimal_seconds'), temp_bytes=memory.temp_size_in_bytes,
                          argument_bytes=memory.argument_size_in_bytes)))


main(sys.argv[1], sys.argv[3] if '--tpu' in sys.argv else 'v3:8x8')
