//! Choose how each loop runs: as machine code where the CPU has it, else on tiles.
//!
//! Code may write a result straight from its registers only if no operand lies there, so this comes after all that lets
//! buffers share memory.

mod narrow_counts;
mod scalar_loops;

use crate::lower::Lowered;
use meshwright_kernels::compiled::{Around, LoopCode, Staggered};
use meshwright_kernels::step::{BufId, Step};
use narrow_counts::narrow_counts;
use scalar_loops::compile_scalar_loops;

/// Say which results lie where no operand does; compile the loops.
pub fn compile_loops(lowered: &mut Lowered) {
    if lowered.fuse {
        compile_scalar_loops(lowered);
    }
    for id in lowered.steps.order() {
        let step = &mut lowered.steps.arena[id].work;
        let arounds = match step {
            Step::Band(band) => band.arounds(),
            _ => vec![Around::default()],
        };
        for (fused, around) in step.loops_mut().into_iter().zip(arounds) {
            let read: Vec<BufId> = fused.reads().iter().map(|buf| lowered.steps.shared.root(*buf)).collect();
            for output in &mut fused.outputs {
                output.alone = !read.contains(&lowered.steps.shared.root(output.buf));
            }
            // Where every number is looked at, loops stay as they are.
            if lowered.fuse {
                narrow_counts(fused);
            }
            fused.code = LoopCode::of(fused, &around);
        }
        if let Step::Band(band) = step {
            band.staggered = Staggered::of(band);
        }
    }
}
