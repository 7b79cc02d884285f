"""What `step.sh` runs: pairs of measurements, ours and JAX's by turns. See there."""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
anchor, pairs, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ours = os.environ.get('MESHWRIGHT', 'meshwright')
dense = ['--dense', '1'] if os.environ.get('DENSE') else []
sizes = [int(n) for n in os.environ.get('DEVICES', '1 8').split()]
# Both under the same priority; only root may raise it.
nice = ['nice', '-n', '-15'] if os.geteuid() == 0 else []


def interval(ratios):
    """90% interval of the median, by drawing anew."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(4000))
    return medians[int(0.05 * len(medians))], medians[int(0.95 * len(medians))]


def measure_ours(folder, devices):
    command = [*nice, ours, '--json', 'bench', 'step', f'{folder}/stablehlo.mlir', '--repeat', str(steps), '--devices', str(devices)]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report['step_s'], report['cpu_s'], report


for devices in sizes:
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, YARDSTICK=anchor)
        command = [*nice, sys.executable, f'{here}/step_loop.py', folder, '--devices', str(devices), *dense]
        jax = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        _, arguments, temporary = jax.stdout.readline().split()

        def measure_jax():
            jax.stdin.write(f'{steps}\n')
            jax.stdin.flush()
            return [float(x) for x in jax.stdout.readline().split()]

        measure_jax()
        rows = []
        for at in range(pairs):
            # Who is first alternates.
            if at % 2:
                theirs = measure_jax()
                wall, cpu, report = measure_ours(folder, devices)
            else:
                wall, cpu, report = measure_ours(folder, devices)
                theirs = measure_jax()
            rows.append((wall, cpu, *theirs))
        jax.stdin.close()
        jax.wait()
    middle = [statistics.median(column) for column in zip(*rows)]
    result = {
        'devices': devices, 'dense': bool(dense), 'pairs': pairs, 'steps': steps,
        'ours_wall_s': middle[0], 'ours_cpu_s': middle[1], 'jax_wall_s': middle[2], 'jax_cpu_s': middle[3],
        'engine_peak_bytes': report['peak_measured_bytes'],
        'jax_argument_and_temp_bytes': devices * (int(arguments) + int(temporary)),
        'load': os.getloadavg()[0],
    }
    for name, ratios in (('wall', [row[2] / row[0] for row in rows]), ('cpu', [row[3] / row[1] for row in rows])):
        low, high = interval(ratios)
        result[f'jax_over_ours_{name}'] = statistics.median(ratios)
        result[f'interval_{name}'] = [low, high]
    print(json.dumps(result))
