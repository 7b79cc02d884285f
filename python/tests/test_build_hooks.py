"""The build refuses a missing or old Rust toolchain at once, and says how to get one."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

CHECK = "import meshwright_build; meshwright_build.check_toolchain()"


def _check(root: pathlib.Path, path: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("maturin")
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(root / "python/build_hooks")}
    return subprocess.run([sys.executable, "-c", CHECK], env=environment, capture_output=True, text=True)


def _tool(folder: pathlib.Path, name: str, prints: str) -> None:
    script = folder / name
    script.write_text(f"#!/bin/sh\necho '{prints}'\n", encoding="utf-8")
    script.chmod(0o755)


def test_no_cargo_is_refused(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    ran = _check(root, str(tmp_path))
    assert ran.returncode != 0 and "cargo is not on PATH" in ran.stderr and "rustup" in ran.stderr, ran.stderr


def test_an_old_compiler_is_refused(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    _tool(tmp_path, "cargo", "cargo 1.80.0")
    _tool(tmp_path, "rustc", "rustc 1.80.0 (2024-07-25)")
    ran = _check(root, f"{tmp_path}:/usr/bin:/bin")
    assert ran.returncode != 0 and "needs Rust 1." in ran.stderr and "rustc 1.80.0" in ran.stderr, ran.stderr


def test_a_new_compiler_is_taken(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    _tool(tmp_path, "cargo", "cargo 2.0.0")
    _tool(tmp_path, "rustc", "rustc 2.0.0 (2030-01-01)")
    ran = _check(root, f"{tmp_path}:/usr/bin:/bin")
    assert ran.returncode == 0, ran.stderr
