#!/usr/bin/env python3
"""The yardstick step in JAX, one measurement for each line read: prints wall and CPU seconds of one step.

    step_loop.py FOLDER --devices N [--dense 1]      first writes FOLDER/stablehlo.mlir, then waits for lines

The model is that of the anchor script given by YARDSTICK (its own text is run, up to the loop that measures), so that
both sides run the same StableHLO. AVX2=1: see avx2_only.py.
"""
import os
import sys

folder, *rest = sys.argv[1:]
anchor = os.environ['YARDSTICK']
os.makedirs(folder, exist_ok=True)
# The anchor would start itself again to read pass timings: `--inner 1` is its way to run in place.
sys.argv = [anchor, *rest, '--inner', '1', '--run', '1']
text = open(anchor).read()
head, loop = text.split('    times = []\n')
head = head.replace("t1 = time.time()\ncompiled", f"open({os.path.join(folder, 'stablehlo.mlir')!r}, 'w').write(lowered.as_text())\nt1 = time.time()\ncompiled")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import avx2_only  # noqa: E402
import stepped  # noqa: E402
avx2_only.if_asked()
if os.environ.get('AVX2'):
    # The anchor sets these flags itself.
    head = head.replace('XLA_FLAGS=flags', f'XLA_FLAGS=flags + " {avx2_only.FLAG}"')
names = {'__name__': '__main__', '__file__': anchor}
exec(compile(head + '    pass\n', anchor, 'exec'), names)

compiled, p, m, v, tok = (names[name] for name in ('compiled', 'p', 'm', 'v', 'tok'))


def step():
    global p, m, v
    p, m, v, loss = compiled(p, m, v, tok)
    return loss


stepped.serve(compiled, step)
