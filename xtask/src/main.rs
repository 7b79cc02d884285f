//! Project chores: `cargo xtask check` is everything CI does.
//!
//! Depends on no crate of the workspace, so it runs even when none of them compiles.

#![forbid(unsafe_code)]

mod bench;
mod check;
mod dependencies;
mod fuzz;
mod hammer;
mod miri;
mod publish;
mod python;
mod release;
mod sanitize;
mod shuttle;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A chore: its name, what it does, and how. A new chore is one row.
type Chore = (&'static str, &'static str, fn(&Path, &[String]) -> bool);

const CHORES: &[Chore] = &[
    ("check", "format, tidy, clippy, tests and docs: all that CI does", |root, _| check::check(root)),
    ("book", "the pages of docs as one site in target/book, with every link looked up", |root, _| {
        check::book(root)
    }),
    ("tidy", "the project's own rules: crate arrows, IO, hash maps, headers, paths, lengths", |root, _| {
        tidy::tidy(root)
    }),
    ("entries", "every code of a diagnostic has an entry in the reference", |root, _| tidy::entries(root)),
    ("bench", "this build beside a commit's, by turns (--against REV): what became slower?", bench::bench),
    ("circles", "modules of one crate that use each other, and where", |root, _| tidy::list_circles(root)),
    (
        "dependencies",
        "licences and sources of all dependencies, against deny.toml; by cargo-deny too, where it is installed",
        |root, _| dependencies::dependencies(root),
    ),
    (
        "campaign",
        "random programs, partitioned and run beside the originals (arguments of `meshwright campaign`)",
        check::campaign,
    ),
    (
        "compare-xla",
        "our completions and partitions beside XLA's, on the dumps in tests/xla",
        check::compare_xla,
    ),
    ("golden", "every golden module from JAX, in release: parse, print, verify, run, compare", |root, _| {
        check::golden(root)
    }),
    (
        "fuzz",
        "one fuzz target for some seconds, seeded with the tests' modules (see docs/howto/fuzz.md)",
        fuzz::fuzz,
    ),
    (
        "release",
        "an archive with the binary, tried in an empty directory: for this machine, or a target",
        release::release,
    ),
    ("map", "write the arrows between crates into docs/architecture.md", |root, _| tidy::write_map(root)),
    (
        "publish",
        "what a registry would get, package by package, and whether it compiles (--dry-run only)",
        publish::publish,
    ),
    (
        "python",
        "the Python package: its native half built, its types checked, its tests run (arguments of pytest)",
        python::python,
    ),
    (
        "sanitize",
        "tests of the crates with unsafe code, with the address sanitizer (arguments of `cargo test`)",
        sanitize::sanitize,
    ),
    (
        "miri",
        "planning and small kernels on Miri (needs the nightly toolchain and its component miri)",
        miri::miri,
    ),
    (
        "shuttle",
        "what waits in the runtime, in many orders of steps (how many of each kind)",
        shuttle::shuttle,
    ),
    (
        "hammer",
        "a training run under attack for some seconds: readers, a second trainer, kills (see xtask/src/hammer.rs)",
        hammer::hammer,
    ),
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(word) = words.next() else { return usage() };
    let Some((_, _, chore)) = CHORES.iter().find(|(name, ..)| *name == word) else { return usage() };
    if chore(&root(), &words.collect::<Vec<_>>()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn usage() -> ExitCode {
    eprintln!("usage: cargo xtask CHORE [ARGUMENTS]\n");
    for (name, what, _) in CHORES {
        eprintln!("  {name:12} {what}");
    }
    ExitCode::from(2)
}

/// The repository: the folder above this crate. Asked of cargo at run time, as one build may serve several checkouts.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = Path::new(&here);
    here.parent().unwrap_or(here).to_path_buf()
}
