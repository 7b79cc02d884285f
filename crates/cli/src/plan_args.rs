//! The arguments of `plan`.

use meshwright_cost::Target;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  meshwright plan preset:switch-c --target tpu-v4:16x16x8
  meshwright plan step.mlir --target h100:8x4               a module with its mesh
  meshwright plan preset:gspmd-64b-2048 --mesh y=64,x=32 --target tpu-v3:32x32
  meshwright plan run.toml --target tpu-v5e:4x4 --batch 64  a training run's step
  meshwright plan preset:gspmd-16b-8x16 --target tpu-v3:8x8 --sweep
  meshwright plan step.mlir --target this --timeline step.json    open it in https://ui.perfetto.dev

A plan is the partitioned program, its step simulated on the target. Every number has an interval in which it lies nine times of ten, \
wider where less is known of the machine: `--json` has them all, and where each coefficient comes from. What does not fit is told with \
what would, each of which was partitioned and looked at. `this` is the machine you are on, behind `meshwright bench machine`.";

/// Say what a step takes on a machine that is not there: time, memory, and what to change
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct PlanArgs {
    /// A module, StableHLO or HLO text; `-` is standard input, `preset:NAME` a model that comes with the program, and
    /// FILE.toml a configuration of a training run
    #[arg(value_name = "WHAT")]
    pub what: PathBuf,
    /// The machine: tpu-v3:32x32 (chips), tpu-v4:16x16x8, h100:8x4 (GPUs of a host, hosts), `this`, or a file that
    /// `meshwright bench machine` wrote. Without a shape, as many devices as the mesh has
    #[arg(long, value_name = "MACHINE", value_parser = crate::target::target)]
    pub target: Target,
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
    /// Most bytes of a device, as 4096, 512k, 16M or 1.5G [default: the target's memory]
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes)]
    pub memory_limit: Option<i64>,
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
