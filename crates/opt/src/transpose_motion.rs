//! Turn a product whose sum over devices is transposed, so that nothing is.
//!
//! ```text
//! %d = dot %g, %x : [512, 1024]
//! %s = all-reduce %d                                =>     %d = dot %x, %g : [1024, 512]
//! %t = transpose %s : [1024, 512]                          %s = all-reduce %d
//! ```
//!
//! A gradient by a weight is written so, and what is sent stands between the two, which `simplify` does not look over.
//! The transposed copy would be alive beside the sum, where most is. What stands between looks at elements by
//! themselves (sums over devices and changes of type) or along one dim, whose number changes. Each value has one use,
//! all in one block.

use crate::{Changed, uses};
use meshwright_base::IdMap;
use meshwright_ir::op::{Collective, CollectiveKind, Convert, Dot, Movement};
use meshwright_ir::{Editor, Function, InstId, Module, Op, ValueId};

pub fn transpose_motion(module: &mut Module) -> Changed {
    module.funcs.values_mut().map(move_in).fold(false, |any, changed| any | changed)
}

fn move_in(func: &mut Function) -> Changed {
    let counts = uses::counts(func);
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    let mut gone: IdMap<InstId, bool> = IdMap::filled(func.inst_count(), false);
    let mut changed = false;
    for inst in func.insts_in_order() {
        let Some(found) = Found::of(func, &counts, inst) else { continue };
        let (old, new) = found.rewrite(func, inst);
        replaced[old] = Some(new);
        gone[inst] = true;
        changed = true;
    }
    if changed {
        take_away(func, &gone);
        Editor::new(func).map_uses(|value| replaced[value].unwrap_or(value));
    }
    changed
}

/// One walk for all of them.
fn take_away(func: &mut Function, gone: &IdMap<InstId, bool>) {
    for block in func.blocks_in_order() {
        let old = &func.block(block).insts;
        if old.iter().any(|inst| gone[*inst]) {
            let order = old.iter().copied().filter(|inst| !gone[*inst]).collect();
            Editor::new(func).set_order(block, order);
        }
    }
}

/// A product, what its result goes through, and that transposed.
struct Found {
    product: InstId,
    swapped: Dot,
    /// From the transpose back, as they will be.
    between: Vec<(InstId, Op)>,
    transposed: ValueId,
    permutation: Vec<usize>,
}

impl Found {
    fn of(func: &Function, counts: &IdMap<ValueId, u32>, inst: InstId) -> Option<Found> {
        let Op::Movement(Movement::Transpose(transpose)) = &func.inst(inst).op else { return None };
        let [transposed] = func.inst(inst).results[..] else { return None };
        let place = |dim: usize| transpose.permutation.iter().position(|from| *from == dim);
        let mut between = Vec::new();
        let mut at = inst;
        loop {
            let [operand] = func.inst(at).operands[..] else { return None };
            let info = func.value(operand);
            let is_plain = counts[operand] == 1 && info.sharding.is_none() && info.valid.is_none();
            at = func.def_inst(operand).filter(|_| is_plain)?;
            if func.block_of(at) != func.block_of(inst) || func.inst(at).results.len() != 1 {
                return None;
            }
            match &func.inst(at).op {
                Op::Dot(dot) => {
                    let [lhs, rhs] = func.inst(at).operands[..] else { return None };
                    let ranks = (func.dims(lhs).len(), func.dims(rhs).len());
                    let swapped = dot.swapped(ranks, &transpose.permutation)?;
                    let permutation = transpose.permutation.clone();
                    let found = Found { product: at, swapped, between, transposed, permutation };
                    return (!found.between.is_empty()).then_some(found);
                }
                Op::Convert(Convert::To(to)) => between.push((at, Op::Convert(Convert::To(*to)))),
                Op::Collective(collective) => between.push((at, Op::Collective(along(collective, place)?))),
                _ => return None,
            }
        }
    }

    /// The transposed value, and what stands for it now.
    fn rewrite(self, func: &mut Function, transpose: InstId) -> (ValueId, ValueId) {
        let new = func.inst(transpose).operands[0];
        let operands = func.inst(self.product).operands.iter().rev().copied().collect();
        let mut editor = Editor::new(func);
        editor.set_operands(self.product, operands);
        for (inst, op) in self.between.into_iter().chain([(self.product, Op::Dot(self.swapped))]) {
            editor.set_op(inst, op);
            let value = editor.func().inst(inst).results[0];
            if let Some(ty) = editor.func().ty(value).as_tensor() {
                let ty = ty.with_dims(self.permutation.iter().map(|dim| ty.dims[*dim]).collect::<Vec<_>>());
                editor.set_type(value, ty.into());
            }
        }
        (self.transposed, new)
    }
}

/// A collective on a value whose dims stand elsewhere.
fn along(collective: &Collective, place: impl Fn(usize) -> Option<usize>) -> Option<Collective> {
    let kind = match &collective.kind {
        CollectiveKind::AllReduce => CollectiveKind::AllReduce,
        CollectiveKind::ReduceScatter { dim } => CollectiveKind::ReduceScatter { dim: place(*dim)? },
        CollectiveKind::AllGather { .. }
        | CollectiveKind::AllToAll { .. }
        | CollectiveKind::AllToAllTuple
        | CollectiveKind::Permute { .. }
        | CollectiveKind::Broadcast => return None,
    };
    Some(Collective { kind, ..collective.clone() })
}
