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
if os.environ.get('AVX2'):
    os.environ['MESHWRIGHT_CPU'] = 'avx2'
dense = ['--dense', '1'] if os.environ.get('DENSE') else []
# Models of ours in plain JAX, which make their steps themselves.
MODELS = ('unet_step.py', 'conformer.py')
# The built example `yardstick`: writes the same model as our front end traces it. The dense model is not written there.
example = None if dense or anchor in MODELS else os.environ.get('EXAMPLE')
sizes = [int(n) for n in os.environ.get('DEVICES', '1 8').split()]
# Both under the same priority; only root may raise it.
nice = ['nice', '-n', '-15'] if os.geteuid() == 0 else []


def interval(ratios):
    """90% interval of the median, by drawing anew."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(4000))
    return medians[int(0.05 * len(medians))], medians[int(0.95 * len(medians))]


# The anchor's own sizes.
SIZES = '--layers 4 --m 256 --h 1024 --heads 4 --experts 8 --batch 32 --seq 128 --vocab 8192'.split()


def measure_ours(path, devices):
    command = [*nice, ours, '--json', 'bench', 'step', path, '--repeat', str(steps), '--devices', str(devices)]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report['step_s'], report['cpu_s'], report


for devices in sizes:
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, YARDSTICK=anchor)
        script = f'{here}/{anchor if anchor in MODELS else "step_loop.py"}'
        command = [*nice, sys.executable, script, folder, '--devices', str(devices), *dense]
        jax = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        _, arguments, temporary = jax.stdout.readline().split()

        def measure_jax():
            jax.stdin.write(f'{steps}\n')
            jax.stdin.flush()
            return [float(x) for x in jax.stdout.readline().split()]

        measure_jax()
        texts = [f'{folder}/stablehlo.mlir']
        if example:
            texts.append(f'{folder}/front_end.mlir')
            subprocess.run([example, '--stablehlo', texts[1], '--x', str(devices), '--y', '1', *SIZES], check=True)
        rows, reports = [], []
        for at in range(pairs):
            # Who is first alternates.
            theirs = measure_jax() if at % 2 else None
            measured = [measure_ours(text, devices) for text in texts[::-1 if at % 2 else 1]][::-1 if at % 2 else 1]
            theirs = theirs or measure_jax()
            reports = [report for _, _, report in measured]
            rows.append((*theirs, *[seconds for wall, cpu, _ in measured for seconds in (wall, cpu)]))
        jax.stdin.close()
        jax.wait()
    middle = [statistics.median(column) for column in zip(*rows)]
    for at, program in enumerate(['jax', 'front end'][:len(texts)]):
        wall, cpu = 2 + 2 * at, 3 + 2 * at
        result = {
            'program': program, 'devices': devices, 'dense': bool(dense), 'pairs': pairs, 'steps': steps,
            'ours_wall_s': middle[wall], 'ours_cpu_s': middle[cpu], 'jax_wall_s': middle[0], 'jax_cpu_s': middle[1],
            'engine_peak_bytes': reports[at]['peak_measured_bytes'],
            'jax_argument_and_temp_bytes': devices * (int(arguments) + int(temporary)),
            'load': os.getloadavg()[0],
        }
        for name, theirs, ours_at in (('wall', 0, wall), ('cpu', 1, cpu)):
            ratios = [row[theirs] / row[ours_at] for row in rows]
            low, high = interval(ratios)
            result[f'jax_over_ours_{name}'] = statistics.median(ratios)
            result[f'interval_{name}'] = [low, high]
        print(json.dumps(result))
