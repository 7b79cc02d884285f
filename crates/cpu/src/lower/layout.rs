//! In which order the dims of an array lie that copies put together: the one in which products read it where it lies.
//!
//! ```text
//! %g = concatenate %q, %k, %v along 0;  dot over {1, 2} of %g;  dot over {0, 3, 4} of %g
//!
//! dims lie as 0 1 2 3 4: both products need a copy first      =>      dims lie as 1 2 0 3 4: none does
//! ```
//!
//! That is known only where all uses are products, or transposes in front of them. Where two orders are as good,
//! elements that lie side by side in the pieces stay side by side.

use super::Frame;
use super::dot::joined;
use meshwright_ir::op::{Dot, Movement};
use meshwright_ir::{Inst, Op, ValueId};
use meshwright_kernels::view::View;

/// Uses that are looked at.
const MAX_USES: usize = 16;

/// The dims of a value as a product has them.
struct Reading {
    batch: Vec<usize>,
    free: Vec<usize>,
    contracted: Vec<usize>,
}

impl Reading {
    /// `dims`: which dims of the value the operand's are.
    fn of(op: &Dot, side: usize, dims: &[usize]) -> Reading {
        let own = |pairs: &[(usize, usize)]| -> Vec<usize> {
            pairs.iter().map(|pair| dims[if side == 0 { pair.0 } else { pair.1 }]).collect()
        };
        let (batch, contracted) = (own(&op.batch), own(&op.contract));
        let free = dims.iter().copied().filter(|d| !batch.contains(d) && !contracted.contains(d)).collect();
        Reading { batch, free, contracted }
    }

    fn needs_no_copy(&self, view: &View) -> bool {
        joined(view, &self.free).is_some() && joined(view, &self.contracted).is_some()
    }

    fn orders(&self) -> [Vec<usize>; 2] {
        let one = |outer: &[usize], inner: &[usize]| [&self.batch[..], outer, inner].concat();
        [one(&self.free, &self.contracted), one(&self.contracted, &self.free)]
    }
}

/// A new dense array of these sizes whose dims lie in the order that suits the uses of an instruction's result.
pub fn view_for_products(frame: &Frame<'_>, inst: &Inst, sizes: &[usize]) -> View {
    let plain = View::dense(sizes);
    let Some(readings) = inst.results.first().and_then(|value| readings(frame, *value, sizes.len())) else {
        return plain;
    };
    let good = |view: &View| readings.iter().filter(|reading| reading.needs_no_copy(view)).count();
    let innermost = sizes.len().checked_sub(1);
    let others = readings.iter().flat_map(Reading::orders);
    let others = others.map(|order| (lying(sizes, &order), order.last().copied() == innermost));
    let first = (plain.clone(), true);
    let better = |best: (View, bool), next: (View, bool)| {
        let worth = |(view, along): &(View, bool)| (good(view), *along);
        if worth(&next) > worth(&best) { next } else { best }
    };
    others.fold(first, better).0
}

/// How products read a value; `None` if something else does.
fn readings(frame: &Frame<'_>, value: ValueId, rank: usize) -> Option<Vec<Reading>> {
    let mut found = Vec::new();
    let mut open = vec![(value, (0..rank).collect::<Vec<usize>>())];
    let mut left = MAX_USES;
    while let Some((value, dims)) = open.pop() {
        let users = frame.sparsity.users(value);
        left = left.checked_sub(users.len())?;
        // The value may be a result of its block too.
        if users.len() != frame.uses[value] as usize || users.is_empty() {
            return None;
        }
        for user in users {
            let user = frame.func.inst(*user);
            match &user.op {
                Op::Dot(op) => {
                    let sides = (0..2).filter(|side| user.operands.get(*side) == Some(&value));
                    found.extend(sides.map(|side| Reading::of(op, side, &dims)));
                }
                Op::Movement(Movement::Transpose(op)) => {
                    let moved = op.permutation.iter().map(|d| dims[*d]).collect();
                    open.push((*user.results.first()?, moved));
                }
                _ => return None,
            }
        }
    }
    Some(found)
}

/// Dense in this order of dims.
fn lying(sizes: &[usize], order: &[usize]) -> View {
    let dense = View::dense(&order.iter().map(|d| sizes[*d]).collect::<Vec<_>>());
    let mut view = View::dense(sizes);
    for (d, stride) in order.iter().zip(dense.strides) {
        view.strides[*d] = stride;
    }
    view
}
