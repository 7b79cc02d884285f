//! Reductions of dims with kept ones between them, as one of some of these dims and one of what that leaves.
//!
//! ```text
//! %r = reduce %x: f32[8,3136,8,64], over [1, 3]     =>   %p = reduce %x, over [1];  %r = reduce %p: f32[8,8,64], over [2]
//! ```
//!
//! Elements that lie side by side are folded row by row or strip by strip then, and in the loop that makes them; runs
//! with others between them are not. What leaves less comes first. Types that are rounded after each op are left alone,
//! for the result would be rounded twice.

use crate::replace::replaced;
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::Reduce;
use meshwright_ir::{Build, Builder, DType, Function, InstId, Module, Op, ValueId};
use meshwright_shard::Reducer;

/// Elements that one of the reductions folds into one, at least.
const FEWEST: i64 = 8;

/// What is reduced first, and what of the result then.
struct Parts {
    reducer: Reducer,
    first: Vec<usize>,
    then: Vec<usize>,
}

/// The module with such reductions in parts, if it has any.
pub fn in_parts(module: &Module) -> Option<Module> {
    replaced(module, parts, write)
}

fn parts(func: &Function, inst: InstId) -> Option<Parts> {
    let info = func.inst(inst);
    let (Op::Reduce(op), [x, _]) = (&info.op, &info.operands[..]) else { return None };
    let reducer = info.regions.first().and_then(|region| func.region_reducer(*region))?;
    let exact = matches!(
        func.ty(*x).as_tensor()?.dtype,
        DType::F32 | DType::F64 | DType::S32 | DType::S64 | DType::U32 | DType::U64
    );
    let dims = func.dims(*x);
    let long = |dim: &usize| dims[*dim] > 1;
    let last_kept = (0..dims.len()).filter(long).rfind(|dim| !op.dims.contains(dim))?;
    let (mut last, mut others): (Vec<usize>, Vec<usize>) = op.dims.iter().partition(|dim| **dim > last_kept);
    last.retain(long);
    others.retain(long);
    let folded = |over: &[usize]| over.iter().map(|dim| dims[*dim]).product::<i64>();
    let (rows, runs) = (folded(&others), folded(&last));
    if !exact || others.is_empty() || last.is_empty() || rows.max(runs) < FEWEST {
        return None;
    }
    let (mut first, second) = if runs > rows { (last, others) } else { (others, last) };
    first.arrange();
    let place = |dim: &usize| dim - first.iter().filter(|gone| *gone < dim).count();
    let ones = op.dims.iter().filter(|dim| !long(dim));
    let mut then: Vec<usize> = second.iter().chain(ones).map(place).collect();
    then.arrange();
    Some(Parts { reducer, first, then })
}

fn write(func: &mut Function, inst: InstId, parts: Parts) -> Option<Vec<ValueId>> {
    let Parts { reducer, first, then } = parts;
    let info = func.inst(inst).clone();
    let [x, init] = info.operands[..] else { return None };
    let mut b = Builder::before(func, inst);
    let some = b.reduce(reducer, x, first);
    let region = b.reducer(reducer, b.func().ty(some).as_tensor()?.dtype);
    Some(vec![b.push_in(Op::Reduce(Reduce { dims: then }), vec![some, init], vec![region])])
}
