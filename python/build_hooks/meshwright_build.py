"""Build hooks of the package: maturin's, after a check of the Rust toolchain.

pip hides the output of a build. The hooks write to the terminal, so that a user knows why nothing happens for
minutes; and they fail before anything is compiled if cargo is missing or too old.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys

import maturin

_PYTHON = pathlib.Path(__file__).resolve().parent.parent
_TIME = "about 7 minutes of CPU time; four minutes on two cores"
_INSTALL = "install it with rustup (https://rustup.rs), or run `rustup update`"


class ToolchainError(SystemExit):
    """The Rust toolchain cannot build the package."""


def _version(text: str) -> tuple[int, ...]:
    """The numbers of `rustc 1.95.0 (59807616e 2026-04-14)` or `1.95`."""
    found = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def _needed() -> str:
    """`rust-version` of the workspace: beside this folder in the repository and in a source distribution."""
    for folder in (_PYTHON, _PYTHON.parent):
        manifest = folder / "Cargo.toml"
        found = re.search(r'(?m)^rust-version = "([^"]+)"', manifest.read_text()) if manifest.is_file() else None
        if found:
            return found[1]
    return "1.95"


def check_toolchain() -> None:
    """Raises if there is no cargo, or if its compiler is older than the workspace needs."""
    needed = _needed()
    if shutil.which("cargo") is None:
        raise ToolchainError(f"meshwright compiles Rust, and cargo is not on PATH: {_INSTALL}")
    # In this folder, where `rust-toolchain.toml` chooses the compiler.
    ran = subprocess.run(["rustc", "--version"], cwd=_PYTHON, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise ToolchainError(f"meshwright compiles Rust, and `rustc --version` fails: {ran.stderr.strip()}\n{_INSTALL}")
    if _version(ran.stdout) < _version(needed):
        raise ToolchainError(f"meshwright needs Rust {needed} or newer, and found {ran.stdout.strip()}: {_INSTALL}")


def announce(message: str) -> None:
    """Writes to the terminal, also where pip has redirected standard error."""
    print(message, file=sys.stderr, flush=True)
    if not sys.stderr.isatty():
        try:
            with open("/dev/tty", "w", encoding="utf-8") as terminal:
                terminal.write(f"\n{message}\n")
        except OSError:
            pass  # No terminal, as in CI.


def get_requires_for_build_wheel(config_settings: dict[str, object] | None = None) -> list[str]:
    check_toolchain()
    return maturin.get_requires_for_build_wheel(config_settings)


def build_wheel(
    wheel_directory: str, config_settings: dict[str, object] | None = None, metadata_directory: str | None = None
) -> str:
    check_toolchain()
    announce(f"meshwright: compiling Rust ({_TIME})")
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def get_requires_for_build_editable(config_settings: dict[str, object] | None = None) -> list[str]:
    check_toolchain()
    return maturin.get_requires_for_build_editable(config_settings)


def build_editable(
    wheel_directory: str, config_settings: dict[str, object] | None = None, metadata_directory: str | None = None
) -> str:
    check_toolchain()
    announce(f"meshwright: compiling Rust ({_TIME})")
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


build_sdist = maturin.build_sdist
get_requires_for_build_sdist = maturin.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = maturin.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = maturin.prepare_metadata_for_build_editable
