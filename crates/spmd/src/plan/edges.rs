//! Instructions whose shardings are not a choice: control flow, annotations, manual regions, calls.
//!
//! Their edges are where completion put them: an operand must arrive as the region's parameter is sharded, a region must
//! return what the result is sharded as.

use crate::axes::sorted;
use crate::reshard::sharding_of;
use meshwright_ir::op::{Control, ManualComputation, ReshardOp, ShardingOp};
use meshwright_ir::{Function, InstId, Module, Op, ValueId};
use meshwright_shard::{DimSharding, Sharding};

/// Shardings at the edges of one instruction; `None` for values that are not tensors.
pub struct Edges {
    pub operands: Vec<Option<Sharding>>,
    pub results: Vec<Option<Sharding>>,
    /// What each region has to return.
    pub regions: Vec<Vec<Option<Sharding>>>,
}

/// The edges of an instruction that has no choice, `None` if it has one.
pub fn edges(module: &Module, func: &Function, inst: InstId) -> Option<Edges> {
    let info = func.inst(inst);
    let of = |values: &[ValueId]| values.iter().map(|value| sharding_of(func, *value)).collect::<Vec<_>>();
    let results = of(&info.results);
    let params =
        |region: usize| info.regions.get(region).map_or(Vec::new(), |block| of(&func.block(*block).params));
    match &info.op {
        Op::Control(Control::While) => {
            let condition_results = info.regions.first().map_or(Vec::new(), |b| of(&func.block(*b).results));
            Some(Edges {
                operands: params(1),
                regions: vec![replicated(condition_results), params(1)],
                results,
            })
        }
        Op::Control(Control::If | Control::Case) => Some(Edges {
            operands: replicated(of(&info.operands)),
            regions: vec![results.clone(); info.regions.len()],
            results,
        }),
        Op::Control(Control::Fusion { .. }) => {
            Some(Edges { operands: params(0), regions: vec![results.clone()], results })
        }
        Op::Scan(scan) => {
            let body = params(0);
            let (carries, slices) = body.split_at(scan.carries.min(body.len()));
            let operands =
                carries.iter().cloned().chain(slices.iter().map(|s| s.as_ref().map(stacked))).collect();
            let (kept, outputs) = results.split_at(scan.carries.min(results.len()));
            let returned =
                kept.iter().cloned().chain(outputs.iter().map(|s| s.as_ref().map(unstacked))).collect();
            Some(Edges { operands, regions: vec![returned], results })
        }
        Op::Call(call) => {
            let callee = module.funcs.get(call.callee)?;
            let of = |values: &[ValueId]| values.iter().map(|value| sharding_of(callee, *value)).collect();
            Some(Edges {
                operands: of(callee.param_values()),
                results: of(callee.result_values()),
                regions: Vec::new(),
            })
        }
        Op::Sharding(op) => Some(sharding_edges(func, inst, op, results)),
        Op::Token(_) => Some(Edges {
            operands: replicated(of(&info.operands)),
            results: replicated(results),
            regions: Vec::new(),
        }),
        _ => None,
    }
}

fn sharding_edges(func: &Function, inst: InstId, op: &ShardingOp, results: Vec<Option<Sharding>>) -> Edges {
    let info = func.inst(inst);
    let own: Vec<_> = info.operands.iter().map(|value| sharding_of(func, *value)).collect();
    let operands = match op {
        ShardingOp::Constraint { .. } | ShardingOp::Barrier { .. } => results.clone(),
        ShardingOp::Manual(manual) => manual.in_shardings.iter().cloned().map(Some).collect(),
        ShardingOp::Named { in_shardings, .. } => in_shardings.iter().cloned().map(Some).collect(),
        ShardingOp::FullToShard { .. }
        | ShardingOp::ShardToFull { .. }
        | ShardingOp::Group { .. }
        | ShardingOp::Reshard(ReshardOp::Any)
        | ShardingOp::Reshard(_) => own,
    };
    let (results, regions) = match op {
        ShardingOp::Manual(manual) => manual_edges(manual),
        ShardingOp::Named { out_shardings, .. } => {
            let out: Vec<_> = out_shardings.iter().cloned().map(Some).collect();
            (out.clone(), vec![out])
        }
        _ => (results, Vec::new()),
    };
    Edges { operands, results, regions }
}

fn manual_edges(manual: &ManualComputation) -> (Vec<Option<Sharding>>, Vec<Vec<Option<Sharding>>>) {
    let outer: Vec<_> = manual.out_shardings.iter().cloned().map(Some).collect();
    let inner = manual.out_shardings.iter().map(|sharding| Some(inside(manual, sharding))).collect();
    (outer, vec![inner])
}

/// An edge sharding of a manual region as it looks inside: the manual axes are no longer there to be split over.
pub fn inside(manual: &ManualComputation, sharding: &Sharding) -> Sharding {
    let mut local = sharding.clone();
    for dim in &mut local.dims {
        dim.axes.retain(|axis| !manual.axes.iter().any(|manual| crate::axes::overlap(manual, axis)));
    }
    local.manual = sorted(manual.axes.clone());
    local
}

fn replicated(shardings: Vec<Option<Sharding>>) -> Vec<Option<Sharding>> {
    let one = |sharding: Sharding| Sharding {
        dims: vec![DimSharding::default(); sharding.rank()],
        partial: Vec::new(),
        ..sharding
    };
    shardings.into_iter().map(|sharding| sharding.map(one)).collect()
}

fn stacked(slice: &Sharding) -> Sharding {
    let mut stacked = slice.clone();
    stacked.dims.insert(0, DimSharding::default());
    stacked
}

fn unstacked(whole: &Sharding) -> Sharding {
    let mut slice = whole.clone();
    if !slice.dims.is_empty() {
        slice.dims.remove(0);
    }
    slice
}
