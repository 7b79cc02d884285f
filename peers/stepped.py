"""A compiled training step of JAX, measured whenever a line asks for it. What `step_loop.py`, `conformer.py` and `unet_step.py` share."""
import os
import resource
import statistics
import sys
import time


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measured(step, count):
    """The median of wall seconds, and CPU seconds of the whole process by step; each step is waited for. `step` gives a loss."""
    walls, used = [], cpu()
    for _ in range(count):
        begun = time.perf_counter()
        step().block_until_ready()
        walls.append(time.perf_counter() - begun)
    return statistics.median(walls), (cpu() - used) / count


def serve(compiled, step):
    """Says what memory the step takes; then reads how many steps to make, line by line, and says what they took."""
    memory = compiled.memory_analysis()
    print('ready', memory.argument_size_in_bytes, memory.temp_size_in_bytes, flush=True)
    for line in sys.stdin:
        print(*measured(step, int(line)), flush=True)


def write_and_serve(lowered, folder, step):
    """Writes what is lowered, compiles and serves it: `step` calls what it is given once, and gives the loss."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'stablehlo.mlir'), 'w') as file:
        file.write(lowered.as_text())
    compiled = lowered.compile()
    serve(compiled, lambda: step(compiled))
