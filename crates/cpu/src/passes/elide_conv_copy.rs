//! Convolutions write where the loop that alone reads them stores its own result.
//!
//! ```text
//! convolution -> %a;  loop(%a) -> rows 1.. of %c      =>      convolution -> rows 1.. of %c;  loop there -> the same
//! places
//! ```
//!
//! A loop whose result has a buffer of its own takes that of an operand that dies; it cannot where its result is a part
//! of a larger array, which lives on. Other steps than convolutions write their results element by element from the
//! start of a buffer, and are left alone.

use crate::lower::{Kind, Lowered};
use meshwright_kernels::convolution::ConvolutionStep;
use meshwright_kernels::fused::{Fused, Runs, Source};
use meshwright_kernels::step::{BufId, Step};
use meshwright_steps::{StepId, Steps, Uses};

/// Let convolutions write early to where their values go.
pub fn elide_conv_copy(lowered: &mut Lowered) {
    let uses = Uses::of(&lowered.steps);
    lowered.steps.each_run(&mut |steps, run| {
        for (at, conv) in run.iter().enumerate() {
            let Step::Convolution(step) = steps.work(*conv) else { continue };
            let from = step.to;
            let reader = only_reader(&uses, from).filter(|_| steps.bufs[from].kind == Kind::Arena);
            let later = reader.filter(|reader| run[at + 1..].contains(reader));
            let Some((reader, Step::Fused(fused))) = later.map(|reader| (reader, steps.work(reader))) else {
                continue;
            };
            if let Some((to, runs)) = target(fused, from).filter(|(_, runs)| holds_dims(step, *runs)) {
                move_result(steps, (*conv, reader), (from, to), runs);
            }
        }
    });
}

/// The one step that reads what one step writes.
fn only_reader(uses: &Uses, buf: BufId) -> Option<StepId> {
    match (&uses.reads[buf][..], &uses.writes[buf][..], uses.tests[buf]) {
        ([reader], [_], 0) => Some(*reader),
        _ => None,
    }
}

/// Where a loop that reads the whole of a value once stores a result of the same size in runs.
fn target(fused: &Fused, from: BufId) -> Option<(BufId, Runs)> {
    let mut inputs = fused.inputs.iter();
    let reads = |source: &Source| matches!(source, Source::View { buf, .. } if *buf == from);
    let input = inputs.find(|input| reads(&input.source)).filter(|input| input.is_whole(fused.count))?;
    // Another convolution that the loop reads may write there already.
    let is_free = |to: BufId| !fused.inputs.iter().any(|input| input.is_of(to));
    let mut outputs =
        fused.outputs.iter().filter(|output| output.dtype == input.dtype && is_free(output.buf));
    outputs.find_map(|output| Some((output.buf, output.runs?)))
}

/// Whether each dim of the result goes from run to run, or lies within runs.
fn holds_dims(step: &ConvolutionStep, runs: Runs) -> bool {
    let dims = step.spatial.iter().map(|dim| (dim.output, dim.output_stride));
    let others = [(step.batch.0, step.batch.2), (step.outer.0 * step.groups, step.outer.2)];
    let fits = |(size, stride): (usize, isize)| {
        let stride = stride.unsigned_abs();
        size <= 1 || stride.is_multiple_of(runs.len) || size * stride <= runs.len
    };
    dims.chain(others).all(fits)
}

fn move_result(
    steps: &mut Steps<Step>,
    (at, reader): (StepId, StepId),
    (from, to): (BufId, BufId),
    runs: Runs,
) {
    if let Step::Fused(fused) = steps.work_mut(reader) {
        let count = fused.count;
        for input in &mut fused.inputs {
            if matches!(&input.source, Source::View { buf, .. } if *buf == from) {
                input.source = runs.seen(to, count);
            }
        }
    }
    if let Step::Convolution(step) = steps.work_mut(at) {
        let lies = |stride: isize| {
            if stride.unsigned_abs().is_multiple_of(runs.len) {
                stride / runs.len as isize * runs.step
            } else {
                stride
            }
        };
        let spread =
            |strides: [&mut isize; 3]| strides.into_iter().for_each(|stride| *stride = lies(*stride));
        let [_, _, group] = &mut step.group_strides;
        spread([&mut step.batch.2, &mut step.outer.2, group]);
        step.spatial.iter_mut().for_each(|dim| dim.output_stride = lies(dim.output_stride));
        (step.to, step.to_offset) = (to, runs.offset);
    }
}
