//! The arguments. Help texts are part of the program: they teach by example.

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  meshwright check step.mlir                      what is in this module, and is it sound?
  meshwright print step.hlo --format stablehlo    rewrite HLO text as StableHLO
  meshwright run step.mlir --inputs in.npz --expect out.npz
  meshwright partition step.mlir -o local.mlir    one program for all devices
  meshwright verify step.mlir                     is it equal to the original?
  python lower.py | meshwright check - --json

Modules are StableHLO text (as `jax.jit(f).lower(x).as_text()` gives) or HLO text; which of them is told by content.
Exit codes: 0 done, 1 the input is wrong, 2 usage, 3 environment (files, memory), 70 a bug of ours.";

/// Complete, partition, explain and run SPMD programs.
#[derive(Parser, Debug)]
#[command(name = "meshwright", version, about, after_help = EXAMPLES, max_term_width = 100)]
pub struct Args {
    /// Print one JSON object to stdout instead of text
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    Check(CheckArgs),
    Print(PrintArgs),
    Run(RunArgs),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  meshwright check step.mlir
  meshwright check - --json < step.hlo";

/// Read a module, verify it, and say what is in it
#[derive(clap::Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    /// A module, StableHLO or HLO text; `-` is standard input
    pub file: PathBuf,
}

const PRINT_EXAMPLES: &str = "\
Examples:
  meshwright print step.hlo --format stablehlo > step.mlir
  meshwright print step.mlir --format hlo";

/// Read a module and write it again, in either format
#[derive(clap::Args, Debug)]
#[command(after_help = PRINT_EXAMPLES)]
pub struct PrintArgs {
    /// A module, StableHLO or HLO text; `-` is standard input
    pub file: PathBuf,
    /// The format to write
    #[arg(long, value_enum, default_value_t = Format::Stablehlo)]
    pub format: Format,
    /// Write MLIR's generic form (StableHLO only)
    #[arg(long)]
    pub generic: bool,
    /// Write where each op came from (StableHLO only)
    #[arg(long)]
    pub locations: bool,
}

/// A text form of a module.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Stablehlo,
    Hlo,
}

const RUN_EXAMPLES: &str = "\
Examples:
  meshwright run step.mlir                                    inputs made up from seed 0
  meshwright run step.mlir --inputs in.npz --outputs out.npz
  meshwright run step.mlir --inputs in.npz --expect jax.npz   compare, exit with 1 if they differ
  meshwright run partitioned.hlo --seed 3                     on simulated devices

Arrays are called 0, 1, ... in an archive, in the order of parameters or results; `arr_0` and a parameter's own name are
understood too. Numpy has no bf16 or f8: save the bits as uint16 or uint8 and name the type in the key, as `0:bf16`.
A partitioned program runs on several devices. An array for it is the local value (the same on every device), all local
values stacked along a new leading dim, or the global value, which is cut by the parameter's sharding.";

/// Run a module on the reference interpreter
#[derive(clap::Args, Debug)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunArgs {
    /// A module, StableHLO or HLO text; `-` is standard input
    pub file: PathBuf,
    /// Devices to run a partitioned program on [default: as many as it says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub devices: Option<u32>,
    /// Read the parameters from an archive
    #[arg(long, value_name = "FILE.npz")]
    pub inputs: Option<PathBuf>,
    /// Write the results to an archive
    #[arg(long, value_name = "FILE.npz")]
    pub outputs: Option<PathBuf>,
    /// Compare the results with an archive
    #[arg(long, value_name = "FILE.npz")]
    pub expect: Option<PathBuf>,
    /// Make up the parameters from this number
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "inputs")]
    pub seed: u64,
}
