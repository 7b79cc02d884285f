"""The notebooks run, cell by cell; what a cell ends with shows as it would in Jupyter."""

import ast
import json
import pathlib

import pytest

BOOKS = sorted((pathlib.Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


def test_there_are_three():
    assert len(BOOKS) == 3


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_every_cell_of_the_notebook_runs(book):
    names, shown = {}, []
    for cell in json.loads(book.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), book.name, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), book.name, "eval"), names)
            shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    assert any("<table>" in text for text in shown)
