//! Joining the steps of a program that go by the same rows.

use crate::bands::cut::{Wanted, cut, in_place, locals, pack_once, pays, readers, wanted};
use crate::bands::keep::keep_values;
use crate::bands::members::{Membership, Rule, Shape, product};
use crate::bands::order::{Gathered, Region};
use crate::bands::placed::place_products;
use crate::bands::transpose::transpose_products;
use crate::bands::within::move_within;
use crate::lower::{BufInfo, Lowered};
use meshwright_base::IdMap;
use meshwright_base::arrange::set;
use meshwright_kernels::bands::{Along, BandStep, Member, Product, Work};
use meshwright_kernels::step::{BufId, Step};
use std::collections::BTreeSet;

/// What joins, and how.
struct Plan {
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
    let mut targets: BTreeSet<usize> =
        lowered.loops.iter().flat_map(|(first, last)| [*first, *last]).collect();
    for step in &mut lowered.steps {
        targets.extend(step.targets_mut().into_iter().map(|target| *target));
    }
    let users = readers(lowered);
    transpose_products(lowered, &users);
    place_products(lowered, &users, &targets);
    let readers = readers(lowered);
    let mut at = 0;
    while at < lowered.steps.len() {
        let plan = plan(lowered, at, &targets, &readers);
        at += 1;
        if let Some(plan) = plan {
            at = join(lowered, plan);
        }
    }
}

/// The band that begins with a step, if one does.
fn plan(
    lowered: &mut Lowered,
    first: usize,
    targets: &BTreeSet<usize>,
    readers: &IdMap<BufId, u32>,
) -> Option<Plan> {
    let shape = Shape::of(&lowered.steps[first])?;
    RULES.into_iter().take(if shape.row.is_some() { 1 } else { RULES.len() }).find_map(|rule| {
        let region = Region { steps: &lowered.steps, targets };
        let gathered = region.gather(shape, first, rule, None);
        let useful = useful(&lowered.steps, shape, &gathered)?;
        let gathered = region.gather(shape, first, rule, Some(&useful));
        let members = members(&lowered.steps, &gathered)?;
        let band = band(members, shape, &mut lowered.bufs, readers)?;
        Some(Plan { gathered, shape, band })
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
fn useful(steps: &[Step], shape: Shape, gathered: &Gathered) -> Option<BTreeSet<usize>> {
    let all: Vec<usize> = gathered.members.iter().map(|(at, _)| *at).collect();
    let first = *all.first()?;
    let useful: BTreeSet<usize> = match shape.row {
        Some(row) => {
            let last = last_that_reads_again(steps, gathered, row)?;
            all.into_iter().filter(|at| *at <= last).collect()
        }
        None => connected(steps, &all),
    };
    (useful.contains(&first) && useful.len() > 1).then_some(useful)
}

/// Of loops alone: the last one over whole rows that reads what another one made or read.
fn last_that_reads_again(steps: &[Step], gathered: &Gathered, row: usize) -> Option<usize> {
    let mut known: BTreeSet<BufId> = BTreeSet::new();
    let mut last = None;
    for (at, part) in &gathered.members {
        let reads = steps[*at].reads();
        if part.per_row == row && reads.iter().any(|buf| known.contains(buf)) {
            last = Some(*at);
        }
        known.extend(reads);
        known.extend(steps[*at].writes());
    }
    last
}

/// The steps that hand values to each other, with the first of them.
fn connected(steps: &[Step], all: &[usize]) -> BTreeSet<usize> {
    let made: Vec<BTreeSet<BufId>> = all.iter().map(|at| steps[*at].writes().into_iter().collect()).collect();
    let linked = |one: usize, other: usize| {
        let (first, second) = (one.min(other), one.max(other));
        steps[all[second]].reads().iter().any(|buf| made[first].contains(buf))
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

fn members(steps: &[Step], gathered: &Gathered) -> Option<Vec<Member>> {
    let one = |(at, part): &(usize, Membership)| {
        let along = part.along.unwrap_or(Along::Rows);
        let work = match &steps[*at] {
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
fn join(lowered: &mut Lowered, plan: Plan) -> usize {
    let Plan { gathered, shape, band } = plan;
    let (before, own, behind) = gathered.order();
    let Some(first) = own.iter().chain(before).copied().min() else { return usize::MAX };
    let name = name(lowered, &own, &band, shape);
    let take = |lowered: &mut Lowered, at: usize| {
        let step = std::mem::replace(&mut lowered.steps[at], Step::Nothing);
        (step, std::mem::take(&mut lowered.names[at]))
    };
    let mut moved: Vec<(Step, String)> = before.iter().map(|at| take(lowered, *at)).collect();
    own.iter().for_each(|at| drop(take(lowered, *at)));
    moved.push((Step::Band(band), name));
    let next = first + moved.len();
    moved.extend(behind.iter().map(|at| take(lowered, *at)));
    for (at, (step, name)) in (first..).zip(moved) {
        (lowered.steps[at], lowered.names[at]) = (step, name);
    }
    next
}

/// What traces call it: products by their sizes, loops by their number.
fn name(lowered: &Lowered, own: &[usize], band: &BandStep, shape: Shape) -> String {
    if let Some(row) = shape.row {
        return format!("{} loops over {} rows of {row}", band.members.len(), shape.rows);
    }
    let products = own.iter().filter_map(|at| {
        let (dot, name) = (product(&lowered.steps[*at])?, &lowered.names[*at]);
        let batch: usize = dot.batch.iter().product();
        Some(format!("{name} = {batch}x[{}x{}x{}]", dot.m, dot.k, dot.n))
    });
    let products: Vec<String> = products.collect();
    let (loops, block) = (band.members.len() - products.len(), band.cut.block);
    format!("{} rows by {block}: {} and {loops} loops", shape.rows, products.join(", "))
}
