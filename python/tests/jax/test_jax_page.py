"""What the page on JAX shows is so: its blocks run, in their order."""

import pathlib

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/guide/from-jax.md"


def test_blocks_of_the_page_on_jax_run(capsys):
    names = {}
    blocks = [piece.split("```")[0] for piece in PAGE.read_text(encoding="utf-8").split("```python\n")[1:]]
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    out = capsys.readouterr().out
    assert "PartitionSpec" in out or "P(" in out
    assert "bytes sent" in out and "seconds a call" in out
