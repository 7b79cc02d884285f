//! The arguments of `plan` and `compile`.

use crate::args::Least;
use meshwright_cost::Target;
use meshwright_pjrt::NamedValue;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  meshwright plan preset:switch-c --target tpu-v4:16x16x8
  meshwright plan step.mlir --target h100:8x4               a module with its mesh
  meshwright plan preset:gspmd-64b-2048 --mesh y=64,x=32 --target tpu-v3:32x32
  meshwright plan run.toml --target tpu-v5e:4x4 --batch 64  a training run's step
  meshwright plan preset:gspmd-16b-8x16 --target tpu-v3:8x8 --sweep
  meshwright plan step.mlir --target h100:8 --least seconds  the fastest program that is found
  meshwright plan step.mlir --target this --timeline step.json    open it in https://ui.perfetto.dev

A plan is the partitioned program, its step simulated on the target. Every number has an interval in which it lies nine times of ten, \
wider where less is known of the machine: `--json` has them all, and where each coefficient comes from. What does not fit is told with \
what would, each of which was partitioned and looked at. `this` is the machine you are on, behind `meshwright bench machine`.

Exit codes: 0 it fits, 1 it does not, or the input is wrong, 2 usage, 3 environment. A table of `--sweep` says what fits in a column.";

/// What has the step, and what is done otherwise than it says itself.
#[derive(clap::Args, Debug)]
pub struct SubjectArgs {
    /// A module, StableHLO or HLO text; `-` is standard input, `preset:NAME` a model that comes with the program, and
    /// FILE.toml a configuration of a training run
    #[arg(value_name = "WHAT")]
    pub what: PathBuf,
    /// Sizes of the mesh's axes in place of those it has, the outermost first: x=32,y=64
    #[arg(long, value_name = "AXES")]
    pub mesh: Option<String>,
    /// Sequences in a batch; presets and configurations only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub batch: Option<i64>,
    /// Parts of the batch that go one after the other; presets and configurations only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub microbatches: Option<i64>,
    /// Whether blocks are computed again in the backward pass; presets and configurations only
    #[arg(long, value_name = "BOOL")]
    pub recompute: Option<bool>,
    /// Set a field of a configuration; may be given several times
    #[arg(long, value_name = "SECTION.FIELD=VALUE")]
    pub set: Vec<String>,
}

/// Say what a step takes on a machine that is not there: time, memory, and what to change
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct PlanArgs {
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// The machine: tpu-v3:32x32 (chips), tpu-v4:16x16x8, h100:8x4 (GPUs of a host, hosts), `this`, or a file that
    /// `meshwright bench machine` wrote. Without a shape, as many devices as the mesh has
    #[arg(long, value_name = "MACHINE", value_parser = crate::target::target)]
    pub target: Target,
    /// Most bytes of a device, as 4096, 512k, 16M or 1.5G [default: the target's memory]
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes)]
    pub memory_limit: Option<i64>,
    /// What the program should have least of: bytes sent, or seconds as they are estimated
    #[arg(long, value_enum, default_value_t = Least::Bytes)]
    pub least: Least,
    /// Compare meshes of as many devices, and batches, in a table: the most tokens per second first
    #[arg(long)]
    pub sweep: bool,
    /// Batches to compare [default: half, as it is, and twice]
    #[arg(long, value_name = "N,N", value_delimiter = ',', requires = "sweep")]
    pub batches: Vec<i64>,
    /// Write the simulated step as Chrome's trace JSON, which Perfetto reads
    #[arg(long, value_name = "OUT.json")]
    pub timeline: Option<PathBuf>,
    /// How many of the largest live values are listed
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub top: usize,
}

const COMPILE_EXAMPLES: &str = "\
Examples:
  meshwright compile step.mlir --target tpu-v4:2x2x1 --plugin libtpu.so    one that is not there
  meshwright compile preset:gspmd-64b-2048 --target tpu-v3:32x32           by the active Python's
  meshwright compile step.mlir --target h100:8x4                           4 hosts of 8 GPUs
  meshwright compile step.mlir --plugin xla_cuda_plugin.so                 for what is there
  meshwright compile run.toml --target tpu-v5e:4x4 --save step.bin         and keep what it made
  meshwright compile step.mlir --target tpu-v4:2x2x2 --memory-limit 8G --json

The program is partitioned here; the plugin's compiler takes it as it is. What it says of memory and time stands beside what \
`meshwright plan` says, and its collectives beside ours. `meshwright doctor` lists plugins, says how to get one, and which machines \
there are to name.

Exit codes: 0 it was compiled, and fits; 1 it does not fit, by the compiler or by `--memory-limit`, or the input is wrong; 2 usage; 3 \
the plugin or the machine.";

/// Compile a partitioned program by a plugin of PJRT, also for a machine that is not there
#[derive(clap::Args, Debug)]
#[command(after_help = COMPILE_EXAMPLES)]
pub struct CompileArgs {
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// The machine, one of TPUs: tpu-v3:32x32 (chips), tpu-v4:16x16x8, tpu-v4-core:2x2x1 (each core of a chip a device)
    /// [default: the devices that the plugin finds here]
    #[arg(long, value_name = "MACHINE", value_parser = crate::target::target)]
    pub target: Option<Target>,
    #[command(flatten)]
    pub plugin: PluginArgs,
    /// Most bytes of a device, as 4096, 512k, 16M or 1.5G [default: the target's memory, where that can be kept]
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes)]
    pub memory_limit: Option<i64>,
    /// Write what was compiled, and how it was planned: `run` and `bench step` load it with `--stored`
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// How many of the largest live values are told of a program that does not fit
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub top: usize,
}

/// A plugin and what it is told.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct PluginArgs {
    /// A plugin of PJRT: its library, such as libtpu.so or xla_cuda_plugin.so [default: $MESHWRIGHT_PJRT_PLUGIN, or one
    /// of the active Python's packages]
    #[arg(long, value_name = "LIBRARY")]
    pub plugin: Option<PathBuf>,
    /// Tell the plugin something when its machine or its devices are opened; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = plugin_option)]
    pub plugin_option: Vec<(String, NamedValue)>,
}

fn plugin_option(text: &str) -> Result<(String, NamedValue), String> {
    NamedValue::parse(text).ok_or_else(|| "write it as NAME=VALUE".into())
}

const DOCTOR_EXAMPLES: &str = "\
Examples:
  meshwright doctor
  meshwright doctor --plugin libtpu.so    and this plugin
  meshwright doctor --json";

/// List what this machine has: plugins, devices, MPI, vector instructions, and how to get what is missing
#[derive(clap::Args, Debug)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub struct DoctorArgs {
    #[command(flatten)]
    pub plugin: PluginArgs,
    /// Open this plugin in this process, and tell of it
    #[arg(long, value_name = "LIBRARY", hide = true)]
    pub open: Option<PathBuf>,
}
