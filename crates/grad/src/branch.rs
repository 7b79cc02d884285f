//! The derivative of a choice between branches: the same choice between the branches' derivatives.
//!
//! ```text
//! y = if p { .. return a } { .. return b }
//! =>
//! y, r = if p { .. return a, r1 } { .. return b, r2 }       r: what the cotangents need; branches share places
//! dv.. = if p { .. return dv.. } { .. return dv.. }         v: what the branches use from outside
//! ```
//!
//! A place of `r` that a branch does not need is zero there.

use crate::tape::{FrameKind, From, ReverseFrame, Tape};
use meshwright_base::arrange::set;
use meshwright_ir::{At, BlockId, Build, Builder, Editor, InstId, Type, ValueId};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let source = t.source;
    let mut frames: Vec<ReverseFrame> = Vec::new();
    let mut given: Vec<BTreeMap<ValueId, ValueId>> = Vec::new();
    for region in &it.regions {
        let scratch = Editor::new(&mut t.func).block();
        if !t.enter(ReverseFrame::new(*region, scratch, FrameKind::Once)) {
            return;
        }
        let results = t.func.block(*region).results.clone();
        for (result, cotangent) in results.into_iter().zip(cotangents) {
            t.pull_some(result, *cotangent);
        }
        t.walk();
        given.push(t.all_plain());
        frames.extend(t.leave());
    }
    t.source = source;
    let used: BTreeSet<ValueId> = set(given.iter().flat_map(|given| given.keys().copied()));
    if used.is_empty() {
        return;
    }
    keep_residuals(t, inst, &frames);
    let regions: Vec<BlockId> =
        frames.into_iter().zip(&given).map(|(frame, given)| give(t, frame, given, &used)).collect();
    let types: Vec<Type> = used.iter().map(|value| t.func.ty(*value).clone()).collect();
    let choice = t.primals(&it.operands);
    let results = t.push_typed(it.op, choice, regions, types);
    for (value, cotangent) in used.into_iter().zip(results) {
        t.pull(value, cotangent);
    }
}

/// Make a branch return its cotangents of `used`.
fn give(
    t: &mut Tape<'_>,
    frame: ReverseFrame,
    given: &BTreeMap<ValueId, ValueId>,
    used: &BTreeSet<ValueId>,
) -> BlockId {
    let block = frame.backward;
    t.frames.push(frame);
    t.current = t.frames.len() - 1;
    let results: Vec<ValueId> =
        used.iter().map(|value| given.get(value).copied().unwrap_or_else(|| t.zeros_like(*value))).collect();
    t.frames.pop();
    t.current = t.frames.len().saturating_sub(1);
    let mut editor = Editor::new(&mut t.func);
    editor.set_results(block, results);
    editor.set_params(block, Vec::new());
    block
}

/// One more result of the choice per residual; residuals of different branches share results of their type.
fn keep_residuals(t: &mut Tape<'_>, inst: InstId, frames: &[ReverseFrame]) {
    let first = t.func.inst(inst).results.len();
    // Per place: its type, and per branch the value that goes there.
    let mut places: Vec<(Type, Vec<Option<ValueId>>)> = Vec::new();
    let mut wanted: Vec<(ValueId, usize)> = Vec::new();
    for (branch, frame) in frames.iter().enumerate() {
        for residual in &frame.residuals {
            let From::Value(value) = residual.from else { continue };
            let at = place(&mut places, t.func.ty(value), branch, frames.len());
            places[at].1[branch] = Some(value);
            wanted.push((residual.param, first + at));
        }
    }
    for (branch, frame) in frames.iter().enumerate() {
        let mut results = t.func.block(frame.forward).results.clone();
        for (ty, values) in &places {
            results.push(values[branch].unwrap_or_else(|| zero(t, frame.forward, ty)));
        }
        Editor::new(&mut t.func).set_results(frame.forward, results);
    }
    for (ty, _) in places {
        Editor::new(&mut t.func).add_result(inst, ty);
    }
    for (param, at) in wanted {
        let kept = t.func.inst(inst).results[at];
        let here = t.primal(kept);
        t.replaced.push((param, here));
    }
}

/// The first place of a type that a branch has not used; a new one if there is none.
fn place(places: &mut Vec<(Type, Vec<Option<ValueId>>)>, ty: &Type, branch: usize, branches: usize) -> usize {
    let free = places.iter().position(|(other, values)| other == ty && values[branch].is_none());
    free.unwrap_or_else(|| {
        places.push((ty.clone(), vec![None; branches]));
        places.len() - 1
    })
}

fn zero(t: &mut Tape<'_>, block: BlockId, ty: &Type) -> ValueId {
    let Type::Tensor(tensor) = ty else { return t.func.block(block).results[0] };
    Builder::new(&mut t.func, At::End(block), t.source).zeros(tensor)
}
