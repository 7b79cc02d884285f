//! Let values of a loop share tiles.
//!
//! ```text
//! t2 = add t0, t1;  t3 = mul t2, t2;  t4 = exp t3        =>        t2 = add t0, t1;  t3 = mul t2, t2;  t2 = exp t3
//! ```
//!
//! Operands and results keep tiles of their own; values that no later op reads leave theirs to others of the same
//! width. One walk over the ops of each loop.

use crate::lower::Lowered;
use meshwright_base::arrange::Arrange;
use meshwright_ir::DType;
use meshwright_kernels::fused::Fused;
use meshwright_kernels::tile::{Held, Reg};

/// Number the tiles of all loops anew.
pub fn share_tiles(lowered: &mut Lowered) {
    for step in lowered.steps.order() {
        lowered.steps.work_mut(step).loops_mut().into_iter().for_each(number_tiles);
    }
}

/// Give tiles numbers anew: operands and results keep their own, others share as they die.
fn number_tiles(fused: &mut Fused) {
    let count = fused.regs.len();
    let mut last = vec![0; count];
    for (at, op) in fused.ops.iter().enumerate() {
        op.sources().iter().for_each(|reg| last[*reg as usize] = at);
    }
    let mut map: Vec<Option<Reg>> = vec![None; count];
    let mut regs: Vec<DType> = Vec::new();
    let own = |reg: Reg, map: &mut Vec<Option<Reg>>, regs: &mut Vec<DType>| {
        map[reg as usize] = Some(regs.len() as Reg);
        regs.push(fused.regs[reg as usize]);
    };
    fused.inputs.iter().for_each(|input| own(input.reg, &mut map, &mut regs));
    fused.outputs.iter().for_each(|output| own(output.reg, &mut map, &mut regs));
    for sink in &fused.sinks {
        if map[sink.reg as usize].is_none() {
            own(sink.reg, &mut map, &mut regs);
        }
    }
    let shared: Vec<bool> = map.iter().map(Option::is_none).collect();
    let mut free: Vec<Reg> = Vec::new();
    for (at, op) in fused.ops.iter_mut().enumerate() {
        let target = op.target() as usize;
        // Sources that die here are free for later ops only: widths of tiles may differ within one op.
        if shared[target] {
            let held = Held::of(fused.regs[target]);
            let found = free.iter().position(|reg| Held::of(regs[*reg as usize]) == held);
            map[target] = Some(match found {
                Some(place) => free.swap_remove(place),
                None => {
                    regs.push(fused.regs[target]);
                    (regs.len() - 1) as Reg
                }
            });
        }
        let mut dying: Vec<usize> = op.sources().iter().map(|reg| *reg as usize).collect();
        dying.arrange();
        dying.dedup();
        dying.retain(|reg| shared[*reg] && last[*reg] == at);
        *op = op.renamed(&|reg| map[reg as usize].unwrap_or(reg));
        free.extend(dying.iter().filter_map(|reg| map[*reg]));
    }
    let named = |reg: Reg| map[reg as usize].unwrap_or(reg);
    fused.inputs.iter_mut().for_each(|input| input.reg = named(input.reg));
    fused.outputs.iter_mut().for_each(|output| output.reg = named(output.reg));
    fused.sinks.iter_mut().for_each(|sink| sink.reg = named(sink.reg));
    fused.regs = regs;
}
