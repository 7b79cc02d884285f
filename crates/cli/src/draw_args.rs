//! The arguments of `draw`.

use crate::args::{AnnotatedArgs, PipelineArgs};
use crate::help::OUTPUT;
use clap::Subcommand;
use std::path::PathBuf;

const TENSOR_EXAMPLES: &str = "\
Examples:
  meshwright draw tensor step.mlir %x -o x.svg            # the devices that hold each tile
  meshwright draw tensor step.mlir %x %w %y -o layer.svg  # side by side, annotated ones framed
  meshwright draw tensor step.mlir \"p['w1']\" -o w1.svg    # by the name in your program

Name values as for `explain --why`: `%e`, `@block:%h`, `p['w1']`, an op name or its end, or `model.py:31`. The picture shows two \
dims, split ones first, and lists the others below. Hatched parts of tiles are padding.";

const OP_EXAMPLES: &str = "\
Examples:
  meshwright draw op step.mlir %y -o y.svg  # global op, and the program of one device
  meshwright draw op step.mlir model.py:31  # the op of a source line, to stdout

The upper half shows the op on global tensors with their shardings. The lower half shows the program of one device: its ops, the \
collectives before, within and after them, and the bytes that it sends in a run.";

const HALO_EXAMPLES: &str = "\
Examples:
  meshwright draw halo step.mlir %y -o y.svg  # rows that a convolution exchanges between devices
  meshwright draw halo step.mlir conv_general_dilated -o y.svg  # by the framework's op name

Draws convolutions, windows, slices, pads, concatenations, reversals and reshapes whose shards need elements of other shards.";

const PIPELINE_EXAMPLES: &str = "\
Examples:
  meshwright draw pipeline 1f1b --stages 4 --microbatches 8 -o 1f1b.svg  # a built-in schedule
  meshwright draw pipeline mine.txt -o mine.svg  # your own, from `schedule --orders`
  meshwright draw pipeline -o all.svg            # all built-in schedules

Schedules, sizes and files are those of `meshwright schedule`.";

/// The pictures that `draw` makes.
#[derive(Subcommand, Debug)]
pub enum DrawCommand {
    /// Draw the tiles of tensors, with the devices that hold each
    #[command(after_long_help = TENSOR_EXAMPLES)]
    Tensor(DrawTensorArgs),
    /// Draw an op before and after partitioning
    #[command(after_long_help = OP_EXAMPLES)]
    Op(DrawOpArgs),
    /// Draw the halo exchange of an op
    #[command(after_long_help = HALO_EXAMPLES)]
    Halo(DrawOpArgs),
    /// Draw the timeline of a pipeline schedule
    #[command(after_long_help = PIPELINE_EXAMPLES)]
    Pipeline(DrawPipelineArgs),
}

#[derive(clap::Args, Debug)]
pub struct DrawTensorArgs {
    #[command(flatten)]
    pub input: AnnotatedArgs,
    /// Values to draw, for example `%e` or `p['w1']`
    #[arg(required = true, value_name = "VALUE")]
    pub values: Vec<String>,
    #[command(flatten)]
    pub out: DrawnTo,
}

#[derive(clap::Args, Debug)]
pub struct DrawOpArgs {
    #[command(flatten)]
    pub input: AnnotatedArgs,
    /// Result of the op, for example `%e` or `model.py:31`
    #[arg(value_name = "RESULT")]
    pub value: String,
    #[command(flatten)]
    pub out: DrawnTo,
}

#[derive(clap::Args, Debug)]
pub struct DrawPipelineArgs {
    #[command(flatten)]
    pub of: PipelineArgs,
    #[command(flatten)]
    pub out: DrawnTo,
}

/// The destination of a picture.
#[derive(clap::Args, Debug)]
pub struct DrawnTo {
    /// Write to this file; `-` is stdout [default: -]
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
}

impl DrawCommand {
    pub fn out(&self) -> &DrawnTo {
        match self {
            DrawCommand::Tensor(args) => &args.out,
            DrawCommand::Op(args) | DrawCommand::Halo(args) => &args.out,
            DrawCommand::Pipeline(args) => &args.out,
        }
    }
}
