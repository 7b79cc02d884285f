//! Which strategies of an instruction are worth comparing.
//!
//! Every sharding at hand (what operands have, what completion wished, what users need) is projected onto the factors.
//! Each in turn leads and the others fill in what fits beside it; then the same without splitting reductions, and with
//! partial operands kept partial where the rule is linear. Lookups and their gradients have late candidates besides:
//! tables split by columns in place of rows.

use crate::axes::{all_line_up, line_up, tiles};
use crate::plan::factor_groups::factor_groups;
use crate::plan::relocate_split::relocated;
use crate::plan::strategy::PartialThrough;
use meshwright_base::IdMap;
use meshwright_ir::project::{FactorAxes, fits, to_factors};
use meshwright_ir::rule::DimFactors;
use meshwright_ir::{FactorId, FactorKind, Localize, Op, Rule};
use meshwright_shard::{AxisRef, MeshId, Sharding};

/// A sharding at hand, of one tensor of the rule (operands first).
pub struct Source<'a> {
    pub tensor: usize,
    pub sharding: &'a Sharding,
}

/// A choice of axes, and of partial values that pass through.
pub struct Candidate {
    pub axes: FactorAxes,
    pub through: PartialThrough,
    /// Compared only with what is best among the others.
    pub is_late: bool,
}

/// Candidates in a fixed order.
pub fn candidates(op: &Op, rule: &Rule, mesh: MeshId, sources: &[Source<'_>]) -> Vec<Candidate> {
    let mut projected: Vec<FactorAxes> = Vec::new();
    let mut elsewhere: Vec<FactorAxes> = Vec::new();
    let mut wishes: Vec<FactorAxes> = Vec::new();
    for source in sources.iter().filter(|source| source.sharding.mesh == mesh) {
        let wished = to_factors(rule, dims_of(rule, source.tensor), source.sharding).axes;
        // The rest depends on the wish alone; of many operands there are few different ones.
        if wishes.contains(&wished) {
            continue;
        }
        wishes.push(wished.clone());
        let kept = limited(op, rule, wished.clone());
        if !op.facts().picks_by_index {
            elsewhere.extend(relocated(op, rule, &wished, &kept));
        }
        // A second time it would neither lead nor fill in otherwise.
        if !projected.contains(&kept) {
            projected.push(kept);
        }
    }
    projected.extend(elsewhere);
    // One alone has nothing to be filled in.
    let groups = (projected.len() > 1).then(|| factor_groups(rule));
    let (mut choices, mut late): (Vec<FactorAxes>, Vec<FactorAxes>) = Default::default();
    let add = |axes: FactorAxes, choices: &mut Vec<FactorAxes>| {
        if !choices.contains(&axes) {
            choices.push(axes);
        }
    };
    for lead in 0..projected.len() {
        if !rule.tensors().all(|dims| fits(rule, dims, &projected[lead])) {
            add(fitted(rule, projected[lead].clone()), &mut choices);
        }
        let mut axes = projected[lead].clone();
        if let Some(groups) = &groups {
            projected.iter().for_each(|other| fill(&mut axes, other, groups));
        }
        let axes = limited(op, rule, axes);
        if op.facts().picks_by_index {
            late.extend(relocated(op, rule, &axes, &axes));
        }
        add(unreduced(rule, &axes), &mut choices);
        if rule.localizes(Localize::Merge) {
            add(together(rule, &axes), &mut choices);
        }
        add(axes, &mut choices);
        add(projected[lead].clone(), &mut choices);
    }
    if choices.is_empty() || op.facts().mixes_pieces && !rule.localizes(Localize::Never) {
        add(FactorAxes::filled(rule.factors.len(), Vec::new()), &mut choices);
    }
    let ways = ways_through(rule, mesh, sources);
    let all = choices.iter().map(|axes| (axes, false)).chain(late.iter().map(|axes| (axes, true)));
    all.flat_map(|(axes, is_late)| {
        let with = move |through: &PartialThrough| Candidate {
            axes: without(axes, through),
            through: through.clone(),
            is_late,
        };
        ways.iter().map(with)
    })
    .collect()
}

fn dims_of(rule: &Rule, tensor: usize) -> &[DimFactors] {
    match tensor.checked_sub(rule.operands.len()) {
        None => &rule.operands[tensor],
        Some(result) => &rule.results[result],
    }
}

/// Append to every factor what another projection has beyond it, as long as no axis is used twice in its group.
fn fill(axes: &mut FactorAxes, other: &FactorAxes, groups: &IdMap<FactorId, usize>) {
    for (factor, more) in other.iter() {
        let have = axes[factor].len();
        if more.len() <= have || more[..have] != axes[factor][..] {
            continue;
        }
        for axis in &more[have..] {
            let takes = |(near, used): (FactorId, &Vec<AxisRef>)| {
                groups[near] == groups[factor] && used.iter().any(|used| !line_up(used, axis))
            };
            if axes.iter().any(takes) {
                break;
            }
            axes[factor].push(*axis);
        }
    }
}

/// Axes of factors that can be split here; the rest get none. Axes that do not divide a part of a product go too.
fn limited(op: &Op, rule: &Rule, mut axes: FactorAxes) -> FactorAxes {
    let mut runs_of = None;
    let has_products = rule.tensors().flatten().any(|factors| factors.len() > 1);
    for (factor, info) in rule.factors.iter() {
        if !rule.can_split(factor) {
            axes[factor].clear();
        }
        let is_bound = has_products && in_product(rule, factor) || is_cut(op, rule, factor);
        if !is_bound {
            continue;
        }
        if leads_runs(op, rule, factor, &axes[factor]) {
            runs_of = Some(factor);
            continue;
        }
        let mut size = info.size;
        let keep = axes[factor].iter().take_while(|axis| {
            let divides = size % axis.size == 0;
            size /= axis.size.max(1);
            divides
        });
        let keep = keep.count();
        axes[factor].truncate(keep);
    }
    if let Some(major) = runs_of {
        // Shards are runs of elements: no dim behind the major one is split as well.
        let beside: Vec<FactorId> = rule.tensors().flatten().flatten().copied().collect();
        let shares = |other: FactorId| {
            rule.tensors().flatten().any(|dim| dim.contains(&major) && dim.contains(&other))
        };
        beside
            .into_iter()
            .filter(|other| *other != major && shares(*other))
            .for_each(|other| axes[other].clear());
    }
    axes
}

/// The same without what is split behind a part of a product that is not used up: what a reshape can keep of two split
/// dims that it merges.
fn fitted(rule: &Rule, mut axes: FactorAxes) -> FactorAxes {
    for factors in rule.tensors().flatten().filter(|factors| factors.len() > 1) {
        let used_up = |factor: &&FactorId| tiles(&axes[**factor]) == rule.factors[**factor].size;
        let keep = factors.iter().take_while(used_up).count() + 1;
        factors.iter().skip(keep).for_each(|factor| axes[*factor].clear());
    }
    axes
}

/// Whether a reshape splits the major factor of merged dims unevenly: localization moves the edges.
fn leads_runs(op: &Op, rule: &Rule, factor: FactorId, axes: &[AxisRef]) -> bool {
    let size = rule.factors[factor].size;
    let leads = || rule.tensors().flatten().all(|dim| !dim.contains(&factor) || dim.first() == Some(&factor));
    let is_uneven = axes.first().is_some_and(|axis| size % axis.size != 0 && axis.size % size != 0);
    op.facts().regroups && is_uneven && leads()
}

/// Whether pieces have to be even: a constant's bytes are cut, not padded.
fn is_cut(op: &Op, rule: &Rule, factor: FactorId) -> bool {
    op.facts().is_written && rule.factors[factor].localize == Localize::ByFamily
}

/// Whether a factor shares a dim with others: then it has to divide evenly.
fn in_product(rule: &Rule, factor: FactorId) -> bool {
    rule.tensors().flatten().any(|factors| factors.len() > 1 && factors.contains(&factor))
}

/// The same without splitting anything that is summed away.
fn unreduced(rule: &Rule, axes: &FactorAxes) -> FactorAxes {
    let mut axes = axes.clone();
    for (factor, info) in rule.factors.iter() {
        if matches!(info.kind, FactorKind::Reduce(_)) {
            axes[factor].clear();
        }
    }
    axes
}

/// The same without splitting a line whose elements are exchanged.
fn together(rule: &Rule, axes: &FactorAxes) -> FactorAxes {
    let mut axes = axes.clone();
    for (factor, info) in rule.factors.iter() {
        if info.kind == FactorKind::Permute {
            axes[factor].clear();
        }
    }
    axes
}

/// Axes over which a value passes through as partial cannot split a factor as well.
fn without(axes: &FactorAxes, through: &PartialThrough) -> FactorAxes {
    let (PartialThrough::Jointly(entering, _) | PartialThrough::Singly(_, entering, _)) = through else {
        return axes.clone();
    };
    let mut axes = axes.clone();
    for list in axes.values_mut() {
        let keep = list.iter().take_while(|axis| all_line_up(&[**axis], entering)).count();
        list.truncate(keep);
    }
    axes
}

/// Ways partial operands may pass through: nothing, or what some operand has.
fn ways_through(rule: &Rule, mesh: MeshId, sources: &[Source<'_>]) -> Vec<PartialThrough> {
    let mut ways = vec![PartialThrough::Nothing];
    for source in
        sources.iter().filter(|source| source.tensor < rule.operands.len() && source.sharding.mesh == mesh)
    {
        let (axes, reducer): (&Vec<AxisRef>, _) = (&source.sharding.partial, source.sharding.reducer);
        if axes.is_empty() || !rule.linear.reducers.contains(&reducer) {
            continue;
        }
        let through = if rule.linear.jointly.contains(&source.tensor) {
            PartialThrough::Jointly(axes.clone(), reducer)
        } else if rule.linear.singly.contains(&source.tensor) {
            PartialThrough::Singly(source.tensor, axes.clone(), reducer)
        } else {
            continue;
        };
        if !ways.contains(&through) {
            ways.push(through);
        }
    }
    ways
}
