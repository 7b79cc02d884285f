"""README's block of JAX prints what README shows. A line `...` of the page stands for any number of lines."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys


def _blocks(text: str) -> tuple[str, str]:
    """Returns README's Python and the text block after it."""
    _, after = text.split("```python\n", 1)
    code, after = after.split("```", 1)
    _, after = after.split("```text\n", 1)
    return code, after.split("```", 1)[0]


def _shows(page: str, printed: str) -> bool:
    """Whether each part of the page, cut at its `...` lines, is in what was printed, in order and at line starts."""
    at = 0
    text = "\n" + printed
    for part in page.rstrip("\n").split("\n...\n"):
        found = text.find("\n" + part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def test_the_block_of_jax_prints_the_text_below_it(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    code, page = _blocks((root / "README.md").read_text(encoding="utf-8"))
    script = tmp_path / "layer.py"
    script.write_text(code, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(root / "python"), "JAX_PLATFORMS": "cpu"}
    environment.pop("XLA_FLAGS", None)
    ran = subprocess.run([sys.executable, script.name], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert _shows(page, ran.stdout), ran.stdout


def test_a_changed_figure_is_found() -> None:
    printed = "a on 8 devices\n  sends 2.05 kB\n\nsuggestions\n  saves 1.02 kB\n"
    assert _shows("a on 8 devices\n...\nsuggestions\n  saves 1.02 kB\n", printed)
    assert not _shows("a on 8 devices\n...\nsuggestions\n  saves 1.03 kB\n", printed)
    assert not _shows("suggestions\n...\na on 8 devices\n", printed)
