//! The arguments of `plan`, `compile` and `doctor`.

use crate::args::Least;
use crate::help::{self, MODEL, OUTPUT, PARTITIONING, PLUGIN, SUBJECT, TARGET};
use meshwright_cost::Target;
use meshwright_pjrt::NamedValue;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  meshwright plan preset:switch-c --target tpu-v4:16x16x8     # a built-in model
  meshwright plan step.mlir --target h100:8x4                 # a module with its mesh
  meshwright plan preset:gspmd-64b-2048 --mesh y=64,x=32 --target tpu-v3:32x32  # another mesh
  meshwright plan run.toml --target tpu-v5e:4x4 --batch 64    # the step of a training run
  meshwright plan preset:gspmd-16b-8x16 --target tpu-v3:8x8 --sweep  # compare meshes and batches
  meshwright plan step.mlir --target h100:8 --least seconds   # the fastest program found
  meshwright plan step.mlir --target this --timeline step.json  # for https://ui.perfetto.dev

`plan` partitions the program and simulates its step on the target. Each number has a 90 % interval, wider for machines that are \
less well measured; `--json` prints all intervals and the source of each coefficient. If the program does not fit, `plan` suggests \
changes that it has partitioned and checked. `this` is the current machine, after `meshwright bench machine`.

Exit codes: 0 the program fits, 1 it does not fit or the input is invalid, 2 usage error, 3 environment error. The table of \
`--sweep` has a column for it.";

/// A program, and changes to its configuration.
#[derive(clap::Args, Debug)]
pub struct SubjectArgs {
    /// StableHLO or HLO module, `preset:NAME`, training configuration (`.toml`), or `-` for stdin
    #[arg(value_name = "PROGRAM")]
    pub what: PathBuf,
    /// Set the mesh axes, for example data=2,expert=4 [default: from the program].
    ///
    /// The outermost axis comes first.
    #[arg(long, value_name = "AXES", help_heading = MODEL)]
    pub mesh: Option<String>,
    /// Set the number of sequences per batch
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..), help_heading = SUBJECT)]
    pub batch: Option<i64>,
    /// Set the number of microbatches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..), help_heading = SUBJECT)]
    pub microbatches: Option<i64>,
    /// Rematerialize blocks in the backward pass
    #[arg(long, value_name = "BOOL", hide_possible_values = true, help_heading = SUBJECT)]
    pub recompute: Option<bool>,
    /// Set a configuration field such as model.experts=16.
    ///
    /// May be repeated.
    #[arg(long, value_name = "FIELD=VALUE", help_heading = SUBJECT)]
    pub set: Vec<String>,
}

/// Estimate step time and memory on a target machine
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct PlanArgs {
    #[arg(long, value_name = "MACHINE", value_parser = crate::target::target, help = help::TARGET_HELP, long_help = help::TARGET_LONG_HELP, help_heading = TARGET)]
    pub target: Target,
    /// Limit peak memory per device (for example 16GB) [default: the target's memory]
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes, help_heading = TARGET)]
    pub memory_limit: Option<i64>,
    /// Minimize bytes sent or estimated step time
    #[arg(long, value_enum, default_value_t = Least::Bytes, value_name = "COST", help_heading = PARTITIONING)]
    pub least: Least,
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// Compare meshes and batch sizes.
    ///
    /// Every mesh has the same number of devices. The table lists the highest tokens per second first.
    #[arg(long, help_heading = SWEEP)]
    pub sweep: bool,
    /// Set the batch sizes to compare.
    ///
    /// The default is half, one and two times the batch of the program.
    #[arg(long = "batch-sizes", alias = "batches", value_name = "N,..", value_delimiter = ',', requires = "sweep", help_heading = SWEEP)]
    pub batches: Vec<i64>,
    /// Write the simulated timeline (for Perfetto)
    #[arg(long, value_name = "FILE.json", help_heading = OUTPUT)]
    pub timeline: Option<PathBuf>,
    /// List the N largest live values
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = OUTPUT)]
    pub top: usize,
}

const SWEEP: &str = "Sweep";

const COMPILE_EXAMPLES: &str = "\
Examples:
  meshwright compile step.mlir --target tpu-v4:2x2x1 --plugin libtpu.so  # no TPU is needed
  meshwright compile preset:gspmd-64b-2048 --target tpu-v3:32x32         # plugin of active Python
  meshwright compile step.mlir --target h100:8x4                         # 4 hosts of 8 GPUs
  meshwright compile step.mlir --plugin xla_cuda_plugin.so               # for the GPUs here
  meshwright compile run.toml --target tpu-v5e:4x4 --save step.bin       # keep the executable
  meshwright compile step.mlir --target tpu-v4:2x2x2 --memory-limit 8G --json  # check memory

Meshwright partitions the program, and the compiler of the plugin compiles it unchanged. The report compares the memory, time and \
collectives of that compiler with those of `meshwright plan`. `meshwright doctor` lists plugins, how to install one, and the target \
machines. `tpu-v4-core:2x2x1` makes each core of a chip a device. Without `--target`, the program is compiled for the devices \
that the plugin finds.

Exit codes: 0 the program compiles and fits, 1 it does not fit or the input is invalid, 2 usage error, 3 plugin or machine error.";

/// Compile a partitioned program with a PJRT plugin
#[derive(clap::Args, Debug)]
#[command(after_long_help = COMPILE_EXAMPLES)]
pub struct CompileArgs {
    #[arg(long, value_name = "MACHINE", value_parser = crate::target::target, help = help::TARGET_HELP, long_help = help::TARGET_LONG_HELP, help_heading = TARGET)]
    pub target: Option<Target>,
    /// Limit peak memory per device (for example 16GB) [default: the target's memory]
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes, help_heading = TARGET)]
    pub memory_limit: Option<i64>,
    #[command(flatten)]
    pub plugin: PluginArgs,
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// Write the executable to this file, for `--stored` of `run` and `bench step`
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub save: Option<PathBuf>,
    /// List the N largest live values
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = OUTPUT)]
    pub top: usize,
}

/// A PJRT plugin and its options.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct PluginArgs {
    /// Load this PJRT plugin, for example libtpu.so.
    ///
    /// The default is $MESHWRIGHT_PJRT_PLUGIN, or a plugin package of the active Python.
    #[arg(long, value_name = "LIBRARY", help_heading = PLUGIN)]
    pub plugin: Option<PathBuf>,
    /// Pass an option to the plugin when it opens its devices (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = plugin_option, hide_short_help = true, help_heading = PLUGIN)]
    pub plugin_option: Vec<(String, NamedValue)>,
}

fn plugin_option(text: &str) -> Result<(String, NamedValue), String> {
    NamedValue::parse(text).ok_or_else(|| "expected NAME=VALUE".into())
}

const DOCTOR_EXAMPLES: &str = "\
Examples:
  meshwright doctor                     # this machine, and how to install missing parts
  meshwright doctor --plugin libtpu.so  # also open this plugin
  meshwright doctor --json              # as JSON";

/// Report the devices, plugins and instruction sets of this machine
#[derive(clap::Args, Debug)]
#[command(after_long_help = DOCTOR_EXAMPLES)]
pub struct DoctorArgs {
    #[command(flatten)]
    pub plugin: PluginArgs,
    /// Open this plugin in this process and report its devices
    #[arg(long, value_name = "LIBRARY", hide = true)]
    pub open: Option<PathBuf>,
}
