"""The package as it is installed, in an environment that has nothing else: `python -I as_installed.py REPOSITORY`.

Not a test of pytest, which is not there: an assertion that fails ends it.
"""

import importlib.util
import os
import pathlib
import sys
import tempfile


def block(page: pathlib.Path, begins: str) -> str:
    """The block of Python in a page that begins so."""
    blocks = page.read_text(encoding="utf-8").split("```python\n")[1:]
    (found,) = [piece.split("```")[0] for piece in blocks if piece.startswith(begins)]
    return found


def main() -> None:
    repository = pathlib.Path(sys.argv[1])
    assert importlib.util.find_spec("jax") is None, "an environment without JAX"
    import meshwright

    assert "site-packages" in meshwright.__file__, meshwright.__file__
    assert "numpy" not in sys.modules, "numpy is imported when it is needed"
    typed = pathlib.Path(meshwright.__file__).parent
    assert (typed / "py.typed").exists() and (typed / "_native.pyi").exists()
    assert not (typed.parent / "tests").exists(), "tests stay at home"
    try:
        import meshwright.jax
    except ImportError as error:
        assert "meshwright[jax]" in str(error), error
    else:
        raise AssertionError("meshwright.jax without JAX")

    names: dict[str, object] = {}
    exec(block(repository / "docs/guide/python.md", "import numpy as np\nimport meshwright\n\nLAYER"), names)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("step.mlir").write_text(str(names["LAYER"]), encoding="utf-8")
        exec(block(repository / "python/README.md", "import meshwright\n"), {})
        (output,) = meshwright.load("step.mlir").run([names["x"], names["up"], names["down"]])
        assert (output == names["y"]).all()
        os.chdir("/")
    print(f"meshwright {meshwright.__version__} as it is installed: {meshwright.__file__}")


main()
