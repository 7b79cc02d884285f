//! Joining the steps of a program that go by the same rows.

use super::cut::{Wanted, cut, in_place, locals, pack_once, pays, wanted};
use super::keep::keep_values;
use super::members::{Membership, Rule, Shape, product};
use super::order::{Gathered, Run};
use super::placed::place_products;
use super::transpose::transpose_products;
use super::within::move_within;
use crate::lower::{BufInfo, Lowered};
use meshwright_base::IdMap;
use meshwright_base::arrange::set;
use meshwright_kernels::bands::{Along, BandStep, Member, Product, Work};
use meshwright_kernels::step::{BufId, Effects, Step};
use meshwright_steps::{Named, StepId, Steps, Touch, Uses};
use std::collections::BTreeSet;

/// What joins, and how.
struct NewBand {
    gathered: Gathered,
    shape: Shape,
    band: BandStep,
}

/// Which products may come together, the first rule whose band stays in the cache.
const RULES: [Rule; 4] = [
    Rule { depth: true, first: usize::MAX },
    Rule { depth: true, first: 1 },
    Rule { depth: false, first: usize::MAX },
    Rule { depth: false, first: 1 },
];

/// Join the steps of a program that go by the same rows.
pub fn join_bands(lowered: &mut Lowered) {
    if !lowered.fuse {
        return;
    }
    let steps = &mut lowered.steps;
    let uses = Uses::of(steps);
    transpose_products(steps, &uses);
    place_products(steps, &uses);
    let readers = readers(steps);
    let mut touches: IdMap<StepId, Vec<Touch>> = steps.arena.keys().map(|step| steps.touches(step)).collect();
    steps.each_run(&mut |steps, ids| {
        let mut at = 0;
        while at < ids.len() {
            let plan = plan(steps, ids, at, (&readers, &touches));
            at += 1;
            if let Some(plan) = plan {
                at = join(steps, ids, plan);
                for joined in steps.arena.keys().skip(touches.len()) {
                    touches.push(steps.touches(joined));
                }
            }
        }
    });
}

/// How many steps, loops and branches read each value; what bands add is not among them.
fn readers(steps: &Steps<Step>) -> IdMap<BufId, u32> {
    let uses = Uses::of(steps);
    steps.bufs.keys().map(|buf| uses.readers(buf) as u32).collect()
}

/// The band that begins with a step, if one does.
fn plan(
    steps: &mut Steps<Step>,
    ids: &[StepId],
    first: usize,
    (readers, touches): (&IdMap<BufId, u32>, &IdMap<StepId, Vec<Touch>>),
) -> Option<NewBand> {
    let shape = Shape::of(steps.work(ids[first]))?;
    RULES.into_iter().take(if shape.row.is_some() { 1 } else { RULES.len() }).find_map(|rule| {
        let run = Run { steps, ids, touches };
        let gathered = run.gather(shape, first, rule, None);
        let useful = useful(&run, shape, &gathered)?;
        let gathered = run.gather(shape, first, rule, Some(&useful));
        let members = members(&run, &gathered)?;
        let band = band(members, shape, &mut steps.bufs, readers)?;
        Some(NewBand { gathered, shape, band })
    })
}

/// The step of these members; `None` if it does not pay.
fn band(
    mut members: Vec<Member>,
    shape: Shape,
    bufs: &mut IdMap<BufId, BufInfo>,
    readers: &IdMap<BufId, u32>,
) -> Option<BandStep> {
    let values = wanted(&members, shape.span, bufs, &|buf, reads| readers.get(buf) == Some(&reads));
    if shape.row.is_none() && !pays(shape, &members, &values) {
        return None;
    }
    // Loops may read less of each other from here on, and what they store for each other nobody else knows.
    keep_values(&mut members, bufs);
    let known: BTreeSet<BufId> = set(values.iter().map(|value: &Wanted| value.buf));
    let known = |buf: BufId, _: u32| known.contains(&buf) || readers.get(buf).is_none();
    if let Some(row) = shape.row {
        move_within(&mut members, row, &|buf| known(buf, 0));
    }
    let mut values = wanted(&members, shape.span, bufs, &known);
    if shape.row.is_none() {
        in_place(&mut members, &values);
        values = wanted(&members, shape.span, bufs, &known);
    }
    let cut = cut(shape, &members, &values)?;
    if cut.span == shape.span && cut.block < cut.span {
        values.extend(pack_once(&mut members, shape, bufs));
    }
    Some(BandStep { cut, members, locals: locals(values, cut)?, staggered: None })
}

/// The members that belong together; `None` if the first one is alone.
fn useful(run: &Run<'_>, shape: Shape, gathered: &Gathered) -> Option<BTreeSet<usize>> {
    let all: Vec<usize> = gathered.members.iter().map(|(at, _)| *at).collect();
    let first = *all.first()?;
    let useful: BTreeSet<usize> = match shape.row {
        Some(row) => {
            let last = last_that_reads_again(run, gathered, row)?;
            all.into_iter().filter(|at| *at <= last).collect()
        }
        None => connected(run, &all),
    };
    (useful.contains(&first) && useful.len() > 1).then_some(useful)
}

/// Of loops alone: the last one over whole rows that reads what another one made or read.
fn last_that_reads_again(run: &Run<'_>, gathered: &Gathered, row: usize) -> Option<usize> {
    let mut known: BTreeSet<BufId> = BTreeSet::new();
    let mut last = None;
    for (at, part) in &gathered.members {
        let reads = run.at(*at).reads();
        if part.per_row == row && reads.iter().any(|buf| known.contains(buf)) {
            last = Some(*at);
        }
        known.extend(reads);
        known.extend(run.at(*at).writes());
    }
    last
}

/// The steps that hand values to each other, with the first of them.
fn connected(run: &Run<'_>, all: &[usize]) -> BTreeSet<usize> {
    let made: Vec<BTreeSet<BufId>> =
        all.iter().map(|at| run.at(*at).writes().into_iter().collect()).collect();
    let linked = |one: usize, other: usize| {
        let (first, second) = (one.min(other), one.max(other));
        run.at(all[second]).reads().iter().any(|buf| made[first].contains(buf))
    };
    let (mut found, mut open) = (BTreeSet::from([0]), vec![0]);
    while let Some(at) = open.pop() {
        let next: Vec<usize> =
            (0..all.len()).filter(|other| !found.contains(other) && linked(at, *other)).collect();
        found.extend(&next);
        open.extend(next);
    }
    found.into_iter().map(|at| all[at]).collect()
}

fn members(run: &Run<'_>, gathered: &Gathered) -> Option<Vec<Member>> {
    let one = |(at, part): &(usize, Membership)| {
        let along = part.along.unwrap_or(Along::Rows);
        let work = match run.at(*at) {
            Step::Fused(fused) => Work::Loop(fused.clone()),
            Step::Dot(dot) => Work::Product(Product::Plain(dot.clone(), None), along),
            Step::Tiled(tiled) => Work::Product(Product::Tiled(tiled.clone()), along),
            _ => return None,
        };
        Some(Member { work, per_row: part.per_row })
    };
    gathered.members.iter().map(one).collect()
}

/// Put the band where its steps were; where to go on.
fn join(steps: &mut Steps<Step>, ids: &mut Vec<StepId>, plan: NewBand) -> usize {
    let NewBand { gathered, shape, band } = plan;
    let (before, own, behind) = gathered.order();
    let Some(first) = own.iter().chain(before).copied().min() else { return usize::MAX };
    let last = own.last().copied().unwrap_or(first);
    let name = name(steps, ids, &own, &band, shape);
    let mut moved: Vec<StepId> = before.iter().map(|at| ids[*at]).collect();
    let joined = steps.arena.push(Named { work: Step::Band(band), name });
    own.iter().for_each(|at| steps.hand_over(ids[*at], joined));
    moved.push(joined);
    let next = first + moved.len();
    moved.extend(behind.iter().map(|at| ids[*at]));
    ids.splice(first..=last, moved);
    next
}

/// What traces call it: products by their sizes, loops by their number.
fn name(steps: &Steps<Step>, ids: &[StepId], own: &[usize], band: &BandStep, shape: Shape) -> String {
    if let Some(row) = shape.row {
        return format!("{} loops over {} rows of {row}", band.members.len(), shape.rows);
    }
    let products = own.iter().filter_map(|at| {
        let (dot, name) = (product(steps.work(ids[*at]))?, &steps.arena[ids[*at]].name);
        let batch: usize = dot.batch.iter().product();
        Some(format!("{name} = {batch}x[{}x{}x{}]", dot.m, dot.k, dot.n))
    });
    let products: Vec<String> = products.collect();
    let (loops, block) = (band.members.len() - products.len(), band.cut.block);
    format!("{} rows by {block}: {} and {loops} loops", shape.rows, products.join(", "))
}
