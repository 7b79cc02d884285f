//! A product whose results are only copied writes them where the copy would put them.
//!
//! ```text
//! p = s * v;  o = copy p, by heads and then by rows        =>        o = s * v, rows as far apart as they are in o
//! ```
//!
//! Several products may write parts of one value, which copies would have put side by side. Neither the product nor
//! what stands between it and the copy may read or write what the copy writes, but other such parts. The bits are the
//! same.

use super::members::{part_of, product};
use crate::lower::Kind;
use meshwright_base::arrange::Arrange;
use meshwright_base::arrange::map;
use meshwright_kernels::copy::Copy;
use meshwright_kernels::dot::{DotStep, Matrix};
use meshwright_kernels::step::{BufId, Effects, Step};
use meshwright_kernels::tiled::TiledStep;
use meshwright_kernels::view::View;
use meshwright_steps::{StepId, Steps, Uses};
use std::collections::{BTreeMap, BTreeSet};

/// Let products write where copies would.
pub fn place_products(steps: &mut Steps<Step>, uses: &Uses) {
    steps.each_run(&mut |steps, run| place_in(steps, run, uses));
}

fn place_in(steps: &mut Steps<Step>, run: &mut Vec<StepId>, uses: &Uses) {
    let makers = run.iter().enumerate().filter_map(|(at, id)| Some((product(steps.work(*id))?.to.buf, at)));
    let makers: BTreeMap<BufId, usize> = map(makers);
    let mut placed = BTreeSet::new();
    for at in 0..run.len() {
        let Step::Copy(copy) = steps.work(run[at]) else { continue };
        let alone = uses.readers(copy.from) == 1 && steps.bufs[copy.from].kind == Kind::Arena;
        let (true, Some(&maker)) = (alone, makers.get(&copy.from)) else { continue };
        let Some(to) = product(steps.work(run[maker])).and_then(|dot| target(copy, dot)) else { continue };
        let mut between = (maker + 1..at).filter(|other| !placed.contains(other));
        let reads = steps.touches_any_of(run[maker], copy.to);
        if maker > at || reads || !between.all(|other| lets_pass(steps, run[other], copy)) {
            continue;
        }
        let (Step::Dot(dot) | Step::Tiled(TiledStep { dot, .. })) = steps.work_mut(run[maker]) else {
            continue;
        };
        (dot.to, dot.placed) = (to, true);
        steps.hand_over(run[at], run[maker]);
        placed.insert(at);
    }
    let mut at = 0..;
    run.retain(|_| at.next().is_some_and(|at| !placed.contains(&at)));
}

/// Whether what a copy writes may as well be written before this step.
fn lets_pass(steps: &Steps<Step>, id: StepId, copy: &Copy) -> bool {
    let step = steps.work(id);
    let other_part = match step {
        Step::Copy(other) => other.piece && other.to == copy.to,
        other => part_of(other) == Some(copy.to),
    };
    !step.has_effect() && (!steps.touches_any_of(id, copy.to) || (copy.piece && other_part))
}

/// Where a copy of all results puts them, if strides can say it and columns stay side by side.
fn target(copy: &Copy, dot: &DotStep) -> Option<Matrix> {
    let plain = copy.source_places.is_empty() && copy.target_places.is_empty() && copy.source_offset == 0;
    if !plain || dot.placed || copy.dims.contains(&0) {
        return None;
    }
    let mut order: Vec<usize> = (0..copy.dims.len()).collect();
    order.arrange_by_key(|d| std::cmp::Reverse(copy.source[*d]));
    let of = |all: &[isize]| order.iter().map(|d| all[*d]).collect::<Vec<isize>>();
    let dims: Vec<usize> = order.iter().map(|d| copy.dims[*d]).collect();
    let source = View { dims: dims.clone(), strides: of(&copy.source), offset: 0 };
    let shape: Vec<usize> = dot.batch.iter().copied().chain([dot.m, dot.n]).collect();
    if !source.is_dense() || source.count() != shape.iter().product::<usize>() {
        return None;
    }
    let put = View { dims, strides: of(&copy.target), offset: copy.target_offset }.reshape(&shape)?;
    let [batch @ .., row, column] = &put.strides[..] else { return None };
    let (row, column) = (*row, *column);
    let along = column == 1 || dot.n == 1;
    along.then(|| Matrix { buf: copy.to, offset: put.offset, batch: batch.to_vec(), row, column: 1 })
}
