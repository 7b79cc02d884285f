"""Complete, partition, explain, plan and run tensor programs for many devices.

A program is the text of StableHLO or HLO, as ``jax.jit(f).lower(x).as_text()`` gives it, with shardings on a few of
its values::

    import meshwright
    program = meshwright.parse(text)
    print(program.partition())       # one program for all devices
    print(program.explain())         # what it sends, what it holds, and why
    outputs = program.run(inputs)    # numpy arrays, on the cores of this machine

``meshwright.jax`` has the same for JAX functions, without a text. What goes wrong is a :class:`meshwright.Error`, which
names the place and says what to do.
"""

from meshwright._described import ArrayInfo, Mesh
from meshwright._errors import Diagnostic, Error, Label, Place
from meshwright._native import __version__
from meshwright._program import Partitioned, Program, load, parse
from meshwright._reports import Explanation, Plan, Report, Verdict
from meshwright._run import Array, Executable

__all__ = [
    "Array",
    "ArrayInfo",
    "Diagnostic",
    "Error",
    "Executable",
    "Explanation",
    "Label",
    "Mesh",
    "Partitioned",
    "Place",
    "Plan",
    "Program",
    "Report",
    "Verdict",
    "__version__",
    "load",
    "parse",
]
