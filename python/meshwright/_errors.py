"""What a user is told: diagnostics, and the exception that carries them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["input", "usage", "environment", "bug"]


@dataclass(frozen=True)
class Place:
    """A place in the module's text, or in the program it was made from."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Label:
    """A further place of a diagnostic, with what is there."""

    place: Place | None
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """One thing to tell the user: what is wrong, where, and the way out."""

    severity: Literal["error", "warning", "note"]
    #: As ``E0304``. The reference of diagnostics has an entry for each.
    code: str
    message: str
    place: Place | None
    labels: tuple[Label, ...]
    notes: tuple[str, ...]
    help: str | None

    def __str__(self) -> str:
        lines = [f"{self.severity}[{self.code}]: {self.message}"]
        if self.place is not None:
            lines.append(f"  --> {self.place}")
        lines += [f"  --> {label.place} {label.text}" for label in self.labels if label.place is not None]
        lines += [f"   = note: {note}" for note in self.notes]
        if self.help is not None:
            lines.append(f"   = help: {self.help}")
        return "\n".join(lines)


class Error(Exception):
    """Why there is no result. ``str(error)`` has every diagnostic with its line of text."""

    #: All that was found; at least one.
    diagnostics: tuple[Diagnostic, ...]
    #: Whose fault it is: what was given, how it was called, the machine, or Meshwright's own.
    kind: Kind

    def __init__(self, text: str, kind: Kind = "input", diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(text, kind, diagnostics)
        self.kind = kind
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def code(self) -> str | None:
        """The code of the first diagnostic, as ``E0304``."""
        return self.diagnostics[0].code if self.diagnostics else None

    @property
    def place(self) -> Place | None:
        """Where the first diagnostic points."""
        return self.diagnostics[0].place if self.diagnostics else None

    @property
    def help(self) -> str | None:
        """What the first diagnostic says to do."""
        return self.diagnostics[0].help if self.diagnostics else None


Error.__module__ = "meshwright"


def _place(read: dict[str, Any] | None) -> Place | None:
    if read is None or "line" not in read:
        return None
    return Place(read["file"], read["line"], read["column"])


def _diagnostics(read: list[dict[str, Any]]) -> tuple[Diagnostic, ...]:
    def one(found: dict[str, Any]) -> Diagnostic:
        labels = tuple(Label(_place(label["place"]), label["text"]) for label in found["labels"])
        place, notes = _place(found["place"]), tuple(found["notes"])
        return Diagnostic(
            found["severity"], found["code"], found["message"], place, labels, notes, found["help"]
        )

    return tuple(one(found) for found in read)


def _raised(text: str, kind: Kind, diagnostics: str) -> Error:
    """Called by the native module, with diagnostics as JSON."""
    return Error(text.rstrip("\n"), kind, _diagnostics(json.loads(diagnostics)))
