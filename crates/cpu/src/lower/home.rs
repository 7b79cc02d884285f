//! Values that a loop stores where they are put together with others.
//!
//! ```text
//! loop -> %y;  copy %h to rows 0 of %c, %y to rows 1..      =>      loop -> rows 1.. of %c;  copy %h to rows 0 of %c
//! ```
//!
//! The array that holds them all is there from its first part on, and a part is seen as a view of it by whoever else
//! reads it. Only loops store so, and only in long runs: a run costs what beginning a loop costs. Once in a block: what
//! is put together twice is copied the second time.

use super::layout::view_for_products;
use super::{Frame, Lower, Val};
use meshwright_ir::op::Movement;
use meshwright_ir::{InstId, Op, ValueId};
use meshwright_kernels::fused::Runs;
use meshwright_kernels::step::BufId;
use meshwright_kernels::view::{View, sizes};
use meshwright_runtime::RunError;

/// Elements of the shortest runs, unless there are few.
const SHORTEST: usize = 64;
const FEW: usize = 4096;
/// A part is at least one of so many of the whole: it is there as long as any part is.
const PARTS: usize = 16;
/// Uses that are looked at.
const MAX_USES: usize = 16;

/// A part of a larger array.
#[derive(Clone, PartialEq, Debug)]
pub struct Home {
    pub buf: BufId,
    pub view: View,
    pub runs: Runs,
}

/// The runs in which a view's elements lie one after another; `None` if there are no long ones.
fn runs(view: &View) -> Option<Runs> {
    let View { dims, strides, offset } = view.collapsed();
    let (len, step) = match (&dims[..], &strides[..]) {
        ([len], [1]) => (*len, *len as isize),
        ([_, len], [step, 1]) => (*len, *step),
        _ => return None,
    };
    (len >= SHORTEST || view.count() <= FEW).then_some(Runs { len, step, offset })
}

impl<'m> Lower<'m> {
    /// Let the loop that computes a value store it where it is put together with others, if that suits.
    pub fn store_at_home(
        &mut self,
        frame: &Frame<'m>,
        inst: InstId,
        value: ValueId,
        val: &Val,
    ) -> Result<(), RunError> {
        if !self.fuse || !self.is_homeless(val) {
            return Ok(());
        }
        let Some((whole, part)) = self.place_of(frame, inst, value, val) else { return Ok(()) };
        let Some(runs) = runs(&part) else { return Ok(()) };
        let buf = match self.wholes.get(&whole.0) {
            Some((buf, _)) => *buf,
            None => self.buf(val.dtype, &whole.1.dims)?,
        };
        self.wholes.insert(whole.0, (buf, whole.1));
        self.give_home(val, Home { buf, view: part, runs });
        Ok(())
    }

    /// The value that the value is a part of, how that lies, and the place of the part.
    fn place_of(
        &self,
        frame: &Frame<'m>,
        inst: InstId,
        value: ValueId,
        val: &Val,
    ) -> Option<((ValueId, View), View)> {
        let block = frame.func.block_of(inst);
        let users = frame.sparsity.users(value).iter().take(MAX_USES);
        users.filter(|user| frame.func.block_of(**user) == block).find_map(|user| {
            let user = frame.func.inst(*user);
            let Op::Movement(Movement::Concatenate(op)) = &user.op else { return None };
            let (whole, mut found) = (*user.results.first()?, user.operands.iter().filter(|x| **x == value));
            let dims = sizes(frame.func.dims(whole));
            let large = val.count() > 0 && val.count() * PARTS >= dims.iter().product();
            if found.next().is_none() || found.next().is_some() || !large {
                return None;
            }
            let lies = self.wholes.get(&whole).map(|(_, view)| view.clone());
            let lies = lies.unwrap_or_else(|| view_for_products(frame, user, &dims));
            let before = user.operands.iter().take_while(|x| **x != value);
            let mut start = vec![0; dims.len()];
            start[op.dim] = before.map(|x| sizes(frame.func.dims(*x))[op.dim]).sum();
            let part = lies.slice(&start, &sizes(frame.func.dims(value)), &vec![1; dims.len()]);
            Some(((whole, lies), part))
        })
    }
}
