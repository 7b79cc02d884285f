"""What the pages show is so: their blocks of Python run, in their order, each page in a place of its own."""

from __future__ import annotations

import pathlib

import pytest

import meshwright


def _blocks(page: pathlib.Path) -> list[str]:
    blocks: list[str] = []
    for piece in page.read_text(encoding="utf-8").split("```python\n")[1:]:
        blocks.append(piece.split("```")[0])
    return blocks


def test_blocks_of_the_page_on_python_run(root: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = _blocks(root / "docs/guide/python.md")
    assert len(blocks) >= 3
    for block in blocks:
        exec(compile(block, "docs/guide/python.md", "exec"), {})
    out = capsys.readouterr().out
    assert "2 annotated, " in out and "[10. 10. 10. 10.]" in out and "E0" in out


def test_every_name_of_the_package_is_told_of() -> None:
    for name in meshwright.__all__:
        assert hasattr(meshwright, name) and (name.startswith("_") or getattr(meshwright, name).__doc__)
