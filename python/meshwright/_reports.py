"""What was found out of a program: explanations, verdicts, plans. Text in a terminal, and data for programs."""

from __future__ import annotations

import html
import json
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

from meshwright import _native as native

if TYPE_CHECKING:
    from meshwright._program import Program


class Report:
    """What was found out: ``str`` is for people, :attr:`data` for programs."""

    def __init__(self, text: str, data: str) -> None:
        self._text = text
        self._json = data

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return str(self)

    @cached_property
    def data(self) -> dict[str, Any]:
        """All of it, as the command line's ``--json`` has it."""
        read: dict[str, Any] = json.loads(self._json)
        return read


class Explanation(Report):
    """What a partitioned program sends and holds, and why. In a notebook it shows as a page."""

    def __init__(self, of: native.Explanation) -> None:
        super().__init__(of.text(), of.json())
        self._native = of

    def html(self) -> str:
        """A page for a browser, which needs no network: layers, collectives, memory, the timeline, the user's lines."""
        return self._native.html()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html())

    def _repr_html_(self) -> str:
        page = html.escape(self.html(), quote=True)
        style = "width: 100%; height: 640px; border: 1px solid #ccc"
        return f'<iframe srcdoc="{page}" style="{style}" title="What this program sends, and why"></iframe>'

    @cached_property
    def completed(self) -> Program:
        """The module with a sharding on every value: ``print`` shows the names that :meth:`why` takes."""
        from meshwright._program import Program

        name, text = self._native.completed()
        return Program(native.Program(name, text.encode()))

    def why(self, *values: str, full: bool = False) -> Report:
        """Where the splits of some values come from: ``"%h"``, ``"p['w1']"``, ``"%h.1"`` for one dim, ``"model.py:31"``
        for a line of the user's program. ``full`` tells every step.
        """
        return Report(*self._native.why(list(values), full))

    def why_not(self, sharding: str, *, instead: bool = False) -> Report:
        """What another sharding would cost, as ``"%h=[data, _]"``, and what stood against it."""
        return Report(*self._native.why_not(sharding, instead))


class Verdict(Report):
    """A partitioned program that computes what the original does."""

    def __init__(self, text: str, notes: str, data: str) -> None:
        super().__init__(text, data)
        #: What to know of how it was verified.
        self.notes = notes.rstrip("\n")


class Plan(Report):
    """What a step takes on a machine that is not there."""
