//! Drop steps, and stores of loops, that nobody reads.
//!
//! ```text
//! loop -> %a, %b;  fill -> %c;  copy %a -> result        =>        loop -> %a;  copy %a -> result
//! ```
//!
//! Lowering lets a loop store every value that somebody might ask for. Walks until nothing changes.

use crate::lower::{Kind, Lowered};
use meshwright_base::IdMap;
use meshwright_kernels::fused::Fused;
use meshwright_kernels::step::{BufId, Effects, Step};
use meshwright_steps::Uses;

/// Drop stores and steps whose results nobody reads.
pub fn drop_unread(lowered: &mut Lowered) {
    loop {
        let read = read(lowered);
        let before = lowered.steps.order().len();
        lowered.steps.retain(&|_, step| step.has_effect() || step.writes().iter().any(|buf| read[*buf]));
        let order = lowered.steps.order();
        let mut changed = order.len() != before;
        for step in order {
            if let Step::Fused(fused) = lowered.steps.work_mut(step) {
                changed |= drop_of_loop(fused, &read);
            }
        }
        if !changed {
            return;
        }
    }
}

/// What is read by a step, a test, or the caller.
fn read(lowered: &Lowered) -> IdMap<BufId, bool> {
    let uses = Uses::of(&lowered.steps);
    let bufs = lowered.steps.bufs.iter();
    bufs.map(|(buf, info)| uses.is_read(buf) || matches!(info.kind, Kind::Result(_))).collect()
}

/// Drop stores nobody reads, and ops and operands they alone needed.
fn drop_of_loop(fused: &mut Fused, read: &IdMap<BufId, bool>) -> bool {
    let sizes = |fused: &Fused| (fused.outputs.len(), fused.sinks.len(), fused.inputs.len(), fused.ops.len());
    let before = sizes(fused);
    fused.outputs.retain(|output| read[output.buf]);
    fused.sinks.retain(|sink| read[sink.buf]);
    keep_needed(fused);
    before != sizes(fused)
}

/// Drop ops and operands that no result needs.
pub fn keep_needed(fused: &mut Fused) {
    let mut needed = vec![false; fused.regs.len()];
    fused.outputs.iter().for_each(|output| needed[output.reg as usize] = true);
    fused.sinks.iter().for_each(|sink| needed[sink.reg as usize] = true);
    for op in fused.ops.iter().rev() {
        if needed[op.target() as usize] {
            op.sources().iter().for_each(|reg| needed[*reg as usize] = true);
        }
    }
    fused.ops.retain(|op| needed[op.target() as usize]);
    fused.inputs.retain(|input| needed[input.reg as usize]);
}
