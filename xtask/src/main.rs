//! Project chores: `cargo xtask check` is everything CI does.
//!
//! Depends on no crate of the workspace, so it runs even when none of them compiles.

#![forbid(unsafe_code)]

mod bench;
mod budget;
mod check;
mod coverage;
mod dependencies;
mod fuzz;
mod hammer;
mod miri;
mod mutants;
mod publish;
mod python;
mod release;
mod sanitize;
mod shuttle;
mod soak;
mod steps;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A chore: its name, its description in the imperative, and its function. A new chore is one row.
type Chore = (&'static str, &'static str, fn(&Path, &[String]) -> bool);

const CHORES: &[Chore] = &[
    (
        "check",
        "Run all that CI runs: format, tidy, clippy, tests and docs (takes `--features` of cargo)",
        check::check,
    ),
    (
        "tidy",
        "Check the project's own rules: crate graph, IO, hash maps, headers, paths, file lengths",
        |root, _| tidy::tidy(root),
    ),
    ("python", "Build, type-check and test the Python package (takes arguments of pytest)", python::python),
    ("book", "Build the site of docs in target/book, and check every link", |root, _| check::book(root)),
    ("map", "Write the crate graph into docs/architecture.md", |root, _| tidy::write_map(root)),
    ("entries", "Check that the reference has an entry for every diagnostic code", |root, _| {
        tidy::entries(root)
    }),
    ("circles", "List modules of one crate that use each other", |root, _| tidy::list_circles(root)),
    ("dependencies", "Check licences and sources of dependencies against deny.toml", |root, _| {
        dependencies::dependencies(root)
    }),
    (
        "golden",
        "Check every golden module from JAX in release: parse, print, verify, run, compare",
        |root, _| check::golden(root),
    ),
    (
        "campaign",
        "Test the partitioner on random programs (takes arguments of `meshwright campaign`)",
        check::campaign,
    ),
    (
        "compare-xla",
        "Compare completed and partitioned modules with the XLA dumps in tests/xla",
        check::compare_xla,
    ),
    (
        "build-budget",
        "Check code size per crate against xtask/build-budget.txt (--write, `--features` of cargo)",
        budget::build_budget,
    ),
    ("bench", "Benchmark this build against another commit (--against REV)", bench::bench),
    ("fuzz", "Run one fuzz target for some seconds (see docs/howto/fuzz.md)", fuzz::fuzz),
    (
        "mutants",
        "Give damaged files to the binary: SEED, then COUNT or FROM..TO, then the binary (see docs/howto/fuzz.md)",
        mutants::mutants,
    ),
    (
        "sanitize",
        "Test crates with unsafe code under AddressSanitizer (takes arguments of `cargo test`)",
        sanitize::sanitize,
    ),
    ("miri", "Test planning and small kernels under Miri (needs a nightly toolchain with miri)", miri::miri),
    (
        "shuttle",
        "Test the runtime's synchronization in many thread schedules (takes their number)",
        shuttle::shuttle,
    ),
    (
        "coverage",
        "Measure the lines of each crate that its tests reach (takes crates, and --lines)",
        coverage::coverage,
    ),
    ("hammer", "Attack a training run for some seconds: readers, a second trainer, kills", hammer::hammer),
    (
        "soak",
        "Run the long checks: campaign, mutants, hammer, sanitizer, fuzz targets (takes a seed)",
        soak::soak,
    ),
    ("release", "Build and test a release archive for this machine or a target", release::release),
    ("publish", "Check the packages for a registry, without publishing (--dry-run only)", publish::publish),
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(word) = words.next() else { return usage() };
    let Some((_, _, chore)) = CHORES.iter().find(|(name, ..)| *name == word) else { return usage() };
    if chore(&root(), &words.collect::<Vec<_>>()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn usage() -> ExitCode {
    eprintln!("Usage: cargo xtask CHORE [ARGUMENTS]\n\nChores:");
    for (name, about, _) in CHORES {
        eprintln!("  {name:12} {about}");
    }
    ExitCode::from(2)
}

/// Returns the repository root, the parent of this crate. Cargo names it at run time, as one build may serve several
/// checkouts.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = Path::new(&here);
    here.parent().unwrap_or(here).to_path_buf()
}
