"""What `gpu.sh` runs: see there.

Three parts, each within its share of the time; what was not reached is told. Golden modules for one device are held against
JAX's numbers, with products in full float32 (the card would round their factors otherwise) and no excess precision. The yardstick step runs in JAX
and here by turns, from the same StableHLO, both with the card's own precision. A model is trained on the card, and its first
losses are held against those of this machine's cores.
"""
import argparse
import concurrent.futures
import datetime
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument('--meshwright', required=True)
arguments.add_argument('--out', required=True)
arguments.add_argument('--anchor', help='jax_moe_step.py')
arguments.add_argument('--plugin', help='the library [default: among the packages of this Python]')
arguments.add_argument('--seconds', type=float, default=540)
arguments.add_argument('--at-once', type=int, default=8, help='golden modules that run beside one another')
arguments.add_argument('--pairs', type=int, default=7)
arguments.add_argument('--parts', default='conformance,steps,training', help='some of these')
arguments.add_argument('--dry-run', metavar='LIBRARY', help='the plugin for tests in place of a card')
asked = arguments.parse_args()
begun = time.monotonic()
dry = asked.dry_run is not None


def left(share=1.0):
    return asked.seconds * share - (time.monotonic() - begun)


def plugin():
    if dry or asked.plugin:
        return os.path.abspath(asked.dry_run or asked.plugin)
    for folder in sys.path:
        found = sorted(glob.glob(os.path.join(folder, 'jax_plugins', 'xla_cuda*', '*plugin*.so')))
        if found:
            return found[-1]
    sys.exit('no CUDA plugin among the packages of this Python: `pip install "jax[cuda13]"`, or name one by --plugin')


LIBRARY = plugin()
OPTIONS = ['--plugin-option', 'devices=1'] if dry else ['--plugin-option', 'preallocate=false']


def environment(*flags):
    """No word about NVIDIA's libraries and tools: they are found beside the plugin, here as in JAX."""
    return dict(os.environ, XLA_FLAGS=' '.join([os.environ.get('XLA_FLAGS', ''), *flags]).strip(),
                TF_CPP_MIN_LOG_LEVEL='3', XLA_PYTHON_CLIENT_PREALLOCATE='false')


def ours(*words, env=None, limit=300.0):
    """Exit code, what was printed, and what was said beside it."""
    typed = [asked.meshwright, *words]
    try:
        ended = subprocess.run(typed, env=env, capture_output=True, text=True, timeout=max(limit, 1))
        return ended.returncode, ended.stdout, ended.stderr
    except subprocess.TimeoutExpired:
        return None, '', f'no end within {limit:.0f} s'


def on_card(command, *words, env=None, limit=300.0):
    return ours(*command, '--backend', 'pjrt', '--plugin', LIBRARY, *OPTIONS, *words, env=env, limit=limit)


def first_error(said):
    lines = [line.strip() for line in said.splitlines() if line.startswith('error')]
    return lines[0] if lines else (said.strip().splitlines() or ['nothing was said'])[-1]


def card():
    _, told, said = ours('doctor', '--json', '--open', LIBRARY, env=environment(), limit=120)
    try:
        facts = json.loads(told)['plugin']
    except (ValueError, KeyError):
        sys.exit(f'{LIBRARY} cannot be opened: {first_error(said)}')
    if facts.get('no_device'):
        sys.exit(f'no device: {facts["no_device"]}')
    kinds = [device.get('kind', '?') for device in facts.get('devices', [])]
    try:
        driver = subprocess.run(['nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader'],
                                capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        driver = ''
    return {'kinds': kinds, 'driver': driver, 'api': facts.get('api'), 'plugin': LIBRARY}


# Why a module is left out.
LEFT = {'special_unary': "JAX's numbers have the tiniest ones as zero there", 'int4': 'packed arrays do not travel',
        'decompositions_lapack': 'calls of LAPACK, which CPUs alone have', 'linear_algebra_lapack': 'likewise'}


def for_one_device(folder):
    files = [os.path.join(folder, name) for name in ('module.mlir', 'inputs.npz', 'outputs.npz')]
    if os.path.basename(folder) in LEFT or not all(map(os.path.exists, files)):
        return None
    text = open(files[0]).read()
    several = 'sdy.mesh' in text or re.search(r'mhlo.num_partitions = (?!1 )', text) or 'mhlo.sharding' in text
    return None if several else files


def golden(path):
    name = os.path.basename(os.path.dirname(path[0]))
    if left(0.55) < 5:
        return name, 'not reached', ''
    # Nothing may be more precise than the text says, as XLA's passes else make it: `f32 -> f8 -> f32` becomes nothing.
    exact = environment('--xla_gpu_enable_triton_gemm=false', '--xla_allow_excess_precision=false')
    exact['NVIDIA_TF32_OVERRIDE'] = '0'
    words = ['--inputs', path[1], '--expect', path[2]]
    code, told, said = on_card(['run', path[0]], *words, env=exact, limit=left(0.6))
    if code == 0:
        return name, 'as JAX', ''
    kind = 'differs' if code == 1 and 'E0711' in said else 'refused'
    return name, kind, first_error(said)


def conformance():
    folders = sorted(glob.glob(os.path.join(root, 'tests', 'golden', '*')))
    cases = [files for files in map(for_one_device, folders) if files]
    if dry:
        cases = cases[:6]
    with concurrent.futures.ThreadPoolExecutor(asked.at_once) as pool:
        found = list(pool.map(golden, cases))
    counts = {kind: [(name, why) for name, k, why in found if k == kind] for kind in
              ('as JAX', 'differs', 'refused', 'not reached')}
    return {'modules': len(cases), **{kind: len(names) for kind, names in counts.items()},
            'trouble': counts['differs'] + counts['refused']}


SIZES = {'yardstick': [], 'eight layers of 1024': '--layers 8 --m 1024 --h 4096 --heads 16 --batch 32 --seq 512'.split()}
if dry:
    SIZES = {'yardstick': '--layers 2 --m 16 --h 32 --heads 2 --experts 2 --batch 2 --seq 8 --vocab 64'.split()}


def interval(ratios):
    ordered = sorted(ratios)
    return ordered[0], ordered[-1]


def steps_of(name, sizes):
    """Seconds of a step there and here, by turns."""
    with tempfile.TemporaryDirectory() as folder:
        text = open(asked.anchor).read()
        on = 'cpu' if dry else 'cuda'
        changed = text.replace("JAX_PLATFORMS='cpu'", f"JAX_PLATFORMS='{on}'")
        changed = changed.replace('XLA_FLAGS=flags', 'XLA_FLAGS=flags + " " + os.environ.get("XLA_FLAGS", "")')
        anchor = os.path.join(folder, 'anchor.py')
        open(anchor, 'w').write(changed)
        command = [sys.executable, f'{here}/step_loop.py', folder, '--devices', '1', *sizes]
        jax = subprocess.Popen(command, env=dict(environment(), YARDSTICK=anchor), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            ready = jax.stdout.readline().split()
            if not ready:
                return {'name': name, 'trouble': jax.stderr.read()[-500:]}
            count = 2 if dry else 20

            def theirs():
                jax.stdin.write(f'{count}\n')
                jax.stdin.flush()
                return float(jax.stdout.readline().split()[0])

            module, stored = (os.path.join(folder, name) for name in ('stablehlo.mlir', 'stored.bin'))

            def must(code, told, said):
                if code != 0:
                    raise RuntimeError(first_error(said))
                return told

            # Compiled once, as JAX does, and read again by each of our processes.
            words = ['--plugin', LIBRARY, *OPTIONS, '--save', stored]
            before = time.monotonic()
            must(*ours('compile', module, *words, env=environment(), limit=left(0.9)))
            compiled = time.monotonic() - before

            def here_():
                words = ['--repeat', str(count), '--json', '--stored', stored]
                return json.loads(must(*on_card(['bench', 'step', module], *words, env=environment(), limit=left(0.9))))['step_s']

            theirs()
            rows = []
            for at in range(2 if dry else asked.pairs):
                if rows and left(0.9) < 20:
                    break
                # Who is first alternates.
                t = theirs() if at % 2 else None
                o = here_()
                rows.append((theirs() if t is None else t, o))
        except RuntimeError as error:
            return {'name': name, 'trouble': str(error)}
        finally:
            jax.kill()
            jax.wait()
    ratios = [t / o for t, o in rows]
    return {'name': name, 'pairs': len(rows), 'compiled_s': compiled, 'jax_s': statistics.median(t for t, _ in rows),
            'ours_s': statistics.median(o for _, o in rows), 'ratio': statistics.median(ratios), 'range': interval(ratios)}


def steps():
    if not asked.anchor:
        return []
    return [steps_of(name, sizes) for name, sizes in SIZES.items() if left(0.85) > 30 or dry]


def losses(folder):
    lines = open(os.path.join(folder, 'metrics.jsonl')).read().splitlines()
    return {line['step']: line['loss'] for line in map(json.loads, lines) if 'loss' in line}


def training():
    """A model on the card, and its first steps on this machine's cores."""
    count = 3 if dry else 200
    small = ['--set', 'train.log_every=1', '--set', 'train.eval_every=100000', '--set', 'train.eval_batches=1',
             '--set', 'checkpoint.every=100000', '--mesh', 'data=1']
    model = os.path.join(root, 'tests', 'diagnostics', 'small.toml') if dry else 'switch-tiny'
    with tempfile.TemporaryDirectory() as folder:
        there, cores = os.path.join(folder, 'there'), os.path.join(folder, 'cores')
        before = time.monotonic()
        code, _, said = on_card(['train', model, '--out', there, '--steps', str(count)], *small, env=environment(),
                                limit=left())
        seconds = time.monotonic() - before
        if code != 0:
            return {'trouble': first_error(said)}
        code, _, said = ours('train', model, '--out', cores, '--steps', '3', '--backend', 'cpu', *small,
                             limit=max(left(), 60))
        if code != 0:
            return {'trouble': 'on the cores: ' + first_error(said)}
        on, off = losses(there), losses(cores)
    common = sorted(set(on) & set(off))
    return {'model': os.path.basename(model), 'steps': count, 'seconds': seconds, 'first': on[min(on)],
            'last': on[max(on)], 'apart': max(abs(on[at] - off[at]) for at in common), 'compared': len(common)}


def table(found):
    """Markdown, as the docs have it."""
    lines = [f'By `peers/gpu.sh` on {found["date"]}, {found["card"]["driver"] or ", ".join(found["card"]["kinds"])} '
             f'(PJRT {found["card"]["api"]}).']
    if dry:
        lines.append('**A dry run**: the plugin for tests, whose devices the interpreter simulates. No figure means anything.')
    for name in parts:
        lines += TABLES[name](found[name]) if name in found else []
    return '\n'.join(lines) + '\n'


def conformance_table(c):
    lines = ['', '| golden modules for one device | as JAX | differ | refused | not reached |', '|---|---|---|---|---|',
             f'| {c["modules"]} | {c["as JAX"]} | {c["differs"]} | {c["refused"]} | {c["not reached"]} |']
    lines += [f'- `{name}`: {why}' for name, why in c['trouble']]
    return lines + ['', 'Left out: ' + '; '.join(f'`{name}` ({why})' for name, why in LEFT.items()) + '.']


def steps_table(steps):
    lines = ['', '| step | JAX | here | JAX / here | of pairs |', '|---|---|---|---|---|']
    for s in steps:
        if 'trouble' in s:
            lines.append(f'| {s["name"]} | | | | {s["trouble"]} |')
        else:
            low, high = s['range']
            lines.append(f'| {s["name"]} | {s["jax_s"] * 1e3:.2f} ms | {s["ours_s"] * 1e3:.2f} ms | {s["ratio"]:.2f} '
                         f'({low:.2f} to {high:.2f}) | {s["pairs"]} |')
    return lines


def training_table(t):
    if 'trouble' in t:
        return ['', f'Training: {t["trouble"]}']
    return ['', f'Training {t["model"]}: {t["steps"]} steps in {t["seconds"]:.1f} s with all that comes before them, loss '
            f'{t["first"]:.4f} to {t["last"]:.4f}; the first {t["compared"]} losses are at most {t["apart"]:.1e} '
            'from those of the CPU engine.']


TABLES = {'conformance': conformance_table, 'steps': steps_table, 'training': training_table}


os.makedirs(asked.out, exist_ok=True)
parts = {'conformance': conformance, 'steps': steps, 'training': training}
asked_for = asked.parts.split(',')
if not set(asked_for) <= set(parts):
    sys.exit(f'--parts takes some of {", ".join(parts)}')
found = {'date': datetime.date.today().isoformat(), 'dry_run': dry, 'card': card(),
         **{name: part() for name, part in parts.items() if name in asked_for}}
found['seconds'] = time.monotonic() - begun
json.dump(found, open(os.path.join(asked.out, 'gpu.json'), 'w'), indent=1)
text = table(found)
open(os.path.join(asked.out, 'gpu.md'), 'w').write(text)
print(text)
troubles = [found.get('conformance', {}).get('trouble'), found.get('training', {}).get('trouble'),
            *(s.get('trouble') for s in found.get('steps', []))]
sys.exit(1 if any(troubles) else 0)
