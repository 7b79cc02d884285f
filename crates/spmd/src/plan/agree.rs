//! The verifier of a plan: do the shardings of an instruction agree with its rule?
//!
//! 1. Every tensor's axes project onto the rule's factors without rest.
//! 2. A factor has the same axes in every tensor it stands in, and no axis splits two factors of one group.
//! 3. Results are partial over exactly the axes of split reductions and of what is carried through linear operands,
//!    however these are cut into pieces.
//! 4. An operand is partial only where the rule is linear in it.

use crate::axes::{any_overlap, planned};
use crate::blocks::is_program;
use crate::plan::edges::edges;
use crate::plan::factor_groups::factor_groups;
use crate::reshard::sharding_of;
use meshwright_base::arrange::Arrange;
use meshwright_base::{Code, Diagnostic};
use meshwright_ir::op::Structure;
use meshwright_ir::project::{FactorAxes, to_factors};
use meshwright_ir::{FactorKind, Function, InstId, Module, Rule, ValueId, rule_of};
use meshwright_shard::axis::canonical_set;
use meshwright_shard::{AxisRef, Sharding};
use std::sync::Arc;

/// What is wrong with one instruction of a plan, if anything.
pub fn agree(module: &Module, func: &Function, inst: InstId) -> Option<Diagnostic> {
    let info = func.inst(inst);
    let is_annotation = matches!(info.op.structure(), Some(Structure::Sharding(_)));
    if !is_program(func, func.block_of(inst)) || is_annotation {
        return None;
    }
    let problem = match edges(module, func, inst) {
        Some(edges) => {
            let have: Vec<_> = info.operands.iter().map(|value| sharding_of(func, *value)).collect();
            (all_planned(&edges.operands) != all_planned(&have))
                .then(|| "an operand does not arrive as the region needs it".to_string())
        }
        None => check(func, inst, &rule_of(func, inst)).err(),
    };
    let message = problem?;
    let name = info.results.first().and_then(|value| func.value(*value).name.clone()).unwrap_or_default();
    Some(
        Diagnostic::error(
            Code(502),
            format!("plan of `%{name}` ({}) does not hold: {message}", info.op.mnemonic()),
        )
        .at_place(module.place(info.source))
        .note("this is a defect of planning, not of the input"),
    )
}

fn all_planned(shardings: &[Option<Arc<Sharding>>]) -> Vec<Option<Sharding>> {
    shardings.iter().map(|sharding| sharding.as_ref().map(|sharding| planned(sharding))).collect()
}

fn check(func: &Function, inst: InstId, rule: &Rule) -> Result<(), String> {
    let info = func.inst(inst);
    let of = |values: &[ValueId]| -> Vec<Option<Arc<Sharding>>> {
        values.iter().map(|value| sharding_of(func, *value)).collect()
    };
    let (operands, results) = (of(&info.operands), of(&info.results));
    let mut axes: Vec<Option<Vec<AxisRef>>> = vec![None; rule.factors.len()];
    for (sharding, dims) in operands.iter().chain(&results).zip(rule.tensors()) {
        let Some(sharding) = sharding else { continue };
        let projection = to_factors(rule, dims, sharding);
        if !projection.exact {
            return Err(format!("a sharding does not project onto {rule}"));
        }
        gather_axes(dims.iter().flatten().copied(), &projection.axes, &mut axes, rule)?;
    }
    let axes: FactorAxes = axes.into_iter().map(Option::unwrap_or_default).collect();
    check_disjoint(rule, &axes)?;
    check_partial(rule, &axes, &operands, &results)
}

fn gather_axes(
    factors: impl Iterator<Item = meshwright_ir::FactorId>,
    seen: &FactorAxes,
    axes: &mut [Option<Vec<AxisRef>>],
    rule: &Rule,
) -> Result<(), String> {
    for factor in factors {
        let slot = &mut axes[meshwright_base::Id::index(factor)];
        match slot {
            Some(old) if *old != seen[factor] => {
                return Err(format!(
                    "factor {factor:?} is split two ways: {old:?} and {:?} in {rule}",
                    seen[factor]
                ));
            }
            _ => *slot = Some(seen[factor].clone()),
        }
    }
    Ok(())
}

fn check_disjoint(rule: &Rule, axes: &FactorAxes) -> Result<(), String> {
    if axes.values().filter(|list| !list.is_empty()).count() < 2 {
        return Ok(());
    }
    let groups = factor_groups(rule);
    for (a, list) in axes.iter() {
        if axes.iter().any(|(b, other)| a < b && groups[a] == groups[b] && any_overlap(list, other)) {
            return Err(format!("an axis of {a:?} splits another factor too"));
        }
    }
    Ok(())
}

fn check_partial(
    rule: &Rule,
    axes: &FactorAxes,
    operands: &[Option<Arc<Sharding>>],
    results: &[Option<Arc<Sharding>>],
) -> Result<(), String> {
    let reduced: Vec<AxisRef> = rule
        .factors
        .iter()
        .filter(|(_, info)| matches!(info.kind, FactorKind::Reduce(_)))
        .flat_map(|(factor, _)| axes[factor].clone())
        .collect();
    let mut carried: Vec<AxisRef> = Vec::new();
    for (at, operand) in operands.iter().enumerate() {
        let Some(operand) = operand else { continue };
        let linear = rule.linear.jointly.contains(&at) || rule.linear.singly.contains(&at);
        let starts = rule.starts.contains(&at);
        let joins = |axis: &AxisRef| starts && any_overlap(&[*axis], &reduced);
        let through: Vec<AxisRef> =
            canonical_set(&operand.partial).into_iter().filter(|axis| !joins(axis)).collect();
        if !through.is_empty() && !linear {
            return Err(format!("operand {at} is partial but the op is not linear in it"));
        }
        carried.extend(through);
    }
    carried.arrange();
    carried.dedup();
    let expected = canonical_set(&[reduced, carried].concat());
    let fits = results.iter().flatten().all(|result| canonical_set(&result.partial) == expected);
    if fits { Ok(()) } else { Err(format!("results should be partial over {expected:?}")) }
}
