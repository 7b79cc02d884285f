//! The arguments of `draw`.

use crate::args::{AnnotatedArgs, PipelineArgs};
use clap::Subcommand;
use std::path::PathBuf;

const TENSOR_EXAMPLES: &str = "\
Examples:
  meshwright draw tensor step.mlir %x -o x.svg               which device holds which part of it
  meshwright draw tensor step.mlir %x %w %y -o layer.svg     side by side, annotated ones framed
  meshwright draw tensor step.mlir \"p['w1']\" -o w1.svg       by the name in the user's program

Values are asked for as by `explain --why`: `%e`, `@block:%h`, `p['w1']`, an op's name or its end, `model.py:31`. Two dims are drawn, \
the first ones that are split; what is left out is said below. Hatched parts of tiles are padding.";

const OP_EXAMPLES: &str = "\
Examples:
  meshwright draw op step.mlir %y -o y.svg        on whole tensors, and what one device runs
  meshwright draw op step.mlir model.py:31        the op of that line, to standard output

Above the op on whole tensors, as completion splits them; below what a device runs, with the collectives before, within and behind it, \
and the bytes it sends in a run.";

const HALO_EXAMPLES: &str = "\
Examples:
  meshwright draw halo step.mlir %y -o y.svg      who sends which rows to whom for this convolution
  meshwright draw halo step.mlir conv_general_dilated -o y.svg    by the framework's name of the op

Of convolutions, windows, slices, pads, concatenations, reversals and reshapes whose pieces need elements of others.";

const PIPELINE_EXAMPLES: &str = "\
Examples:
  meshwright draw pipeline 1f1b --stages 4 --microbatches 8 -o 1f1b.svg
  meshwright draw pipeline mine.txt -o mine.svg   one's own, as `schedule --orders` writes it
  meshwright draw pipeline -o all.svg             the known ones, one below the other

Names, sizes and files are those of `meshwright schedule`.";

/// Draw
#[derive(Subcommand, Debug)]
pub enum DrawCommand {
    /// Draw tensors on their mesh: tiles, with the devices that hold each
    #[command(after_help = TENSOR_EXAMPLES)]
    Tensor(DrawTensorArgs),
    /// Draw the op that makes a value, before partitioning and after it
    #[command(after_help = OP_EXAMPLES)]
    Op(DrawOpArgs),
    /// Draw which elements devices need of each other for the op that makes a value
    #[command(after_help = HALO_EXAMPLES)]
    Halo(DrawOpArgs),
    /// Draw what each stage of a pipeline does when
    #[command(after_help = PIPELINE_EXAMPLES)]
    Pipeline(DrawPipelineArgs),
}

#[derive(clap::Args, Debug)]
pub struct DrawTensorArgs {
    #[command(flatten)]
    pub input: AnnotatedArgs,
    /// Values, as `%e` or `p['w1']`
    #[arg(required = true, value_name = "VALUE")]
    pub values: Vec<String>,
    #[command(flatten)]
    pub out: DrawnTo,
}

#[derive(clap::Args, Debug)]
pub struct DrawOpArgs {
    #[command(flatten)]
    pub input: AnnotatedArgs,
    /// The value that the op makes, as `%e` or `model.py:31`
    #[arg(value_name = "VALUE")]
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

/// Where a picture goes.
#[derive(clap::Args, Debug)]
pub struct DrawnTo {
    /// Write here instead of to standard output, which is also `-`
    #[arg(short, long, value_name = "FILE.svg")]
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
