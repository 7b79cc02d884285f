"""Regenerates `yardstick/`: one small training step of an annotated mixture-of-experts language model.

    python yardstick.py PATH/TO/jax_moe_step.py

The model's script is not part of this repository. It is run twice as a program, to dump what XLA
sees and makes of the step for a 4x2 mesh under GSPMD and under Shardy, and once in this process for
one device, to compute the outputs: partitioning must not change what the step means.
"""
import contextlib
import io
import pathlib
import runpy
import subprocess
import sys
import tempfile

from fixture import write_npz, write_text

HERE = pathlib.Path(__file__).resolve().parent / 'yardstick'
MODEL = '--layers 2 --m 16 --h 32 --heads 4 --experts 8 --batch 8 --seq 16 --vocab 64'.split()
EXACT = {'xla_allow_excess_precision': False, 'xla_cpu_enable_fast_math': False}


def dump(script, shardy):
    """What the script and XLA write for 8 devices, as {file name: text}."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, script, '--inner', '1', '--devices', '8', '--mesh', '4x2', *MODEL,
                        '--shardy', str(shardy), '--dump', folder], check=True, capture_output=True)
        files = {p.name: p.read_text() for p in pathlib.Path(folder).glob('*') if p.suffix in ('.mlir', '.txt')}

    def one(part):
        [text] = [text for name, text in files.items() if part in name]
        return text
    if shardy:
        return {'stablehlo_shardy.mlir': one('stablehlo.mlir')}
    return {'stablehlo.mlir': one('stablehlo.mlir'),
            'before_propagation.hlo': one('before_sharding-propagation'),
            'after_propagation.hlo': one('after_sharding-propagation'),
            'after_partitioning.hlo': one('after_spmd-partitioning')}


def inputs(specs, np):
    """Parameters, Adam's two moments and tokens.

    The moments start away from zero, so that the update is a smooth function of the gradient
    (from zero it is its sign, and rounding would decide the outputs).
    """
    rng = np.random.default_rng(2021)
    draw = lambda low, high, shape: rng.uniform(low, high, shape).astype(np.float32)
    p = {k: draw(.5, 1.5, s) if 'ln' in k else draw(-.4, .4, s) for k, (s, _) in specs.items()}
    m = {k: draw(-.02, .02, s) for k, (s, _) in specs.items()}
    v = {k: draw(.01, .05, s) for k, (s, _) in specs.items()}
    tok = rng.integers(0, 64, (8, 16)).astype(np.int32)
    return p, m, v, tok


def main():
    script = sys.argv[1]
    for shardy in (0, 1):
        for name, text in dump(script, shardy).items():
            write_text(HERE / name, text)

    sys.argv = [script, '--inner', '1', '--devices', '1', *MODEL]
    with contextlib.redirect_stdout(io.StringIO()):
        model = runpy.run_path(script)
    jax, np = model['jax'], model['np']
    given = inputs(model['specs'], np)
    write_npz(HERE / 'inputs.npz', jax.tree.leaves(given))
    out = model['lowered'].compile(compiler_options=EXACT)(*given)
    write_npz(HERE / 'outputs.npz', jax.tree.leaves(out))
    print('loss', out[3])


main()
