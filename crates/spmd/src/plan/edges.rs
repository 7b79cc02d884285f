//! Instructions whose shardings are not a choice: control flow, annotations, manual regions, calls.
//!
//! Their edges are where completion put them: an operand must arrive as the region's parameter is sharded, a region
//! must return what the result is sharded as.

use crate::axes::{sorted, tiles};
use crate::reshard::sharding_of;
use meshwright_ir::op::{Control, ManualComputation, ShardingOp, Structure};
use meshwright_ir::{Function, InstId, Module, ValueId};
use meshwright_shard::{AxisRef, DimSharding, Sharding};
use std::sync::Arc;

/// Shardings at the edges of one instruction; `None` for values that are not tensors.
pub struct Edges {
    pub operands: Vec<Option<Arc<Sharding>>>,
    pub results: Vec<Option<Arc<Sharding>>>,
    /// What each region has to return.
    pub regions: Vec<Vec<Option<Arc<Sharding>>>>,
    /// How each region's parameters arrive, where that is not as completion put it.
    pub params: Vec<Vec<Option<Arc<Sharding>>>>,
}

impl Edges {
    fn new(
        operands: Vec<Option<Arc<Sharding>>>,
        results: Vec<Option<Arc<Sharding>>>,
        regions: Vec<Vec<Option<Arc<Sharding>>>>,
    ) -> Self {
        Edges { operands, results, regions, params: Vec::new() }
    }

    fn reversed(self) -> Self {
        Edges { operands: self.results, results: self.operands, ..self }
    }
}

/// The edges of an instruction that has no choice, `None` if it has one.
pub fn edges(module: &Module, func: &Function, inst: InstId) -> Option<Edges> {
    let info = func.inst(inst);
    let of = |values: &[ValueId]| values.iter().map(|value| sharding_of(func, *value)).collect::<Vec<_>>();
    let structure = info.op.structure()?;
    let results = of(&info.results);
    let params =
        |region: usize| info.regions.get(region).map_or(Vec::new(), |block| of(&func.block(*block).params));
    match structure {
        Structure::Control(Control::While) => {
            let condition_results = info.regions.first().map_or(Vec::new(), |b| of(&func.block(*b).results));
            Some(Edges::new(params(1), results, vec![replicated(condition_results), params(1)]))
        }
        Structure::Control(Control::If | Control::Case) => {
            let branches = vec![results.clone(); info.regions.len()];
            Some(Edges::new(replicated(of(&info.operands)), results, branches))
        }
        Structure::Control(Control::Fusion { .. }) => {
            Some(Edges::new(params(0), results.clone(), vec![results]))
        }
        Structure::Scan(scan) => {
            let body = params(0);
            let (carries, slices) = body.split_at(scan.carries.min(body.len()));
            let operands =
                carries.iter().cloned().chain(slices.iter().map(|s| s.as_ref().map(stacked))).collect();
            let (kept, outputs) = results.split_at(scan.carries.min(results.len()));
            let returned =
                kept.iter().cloned().chain(outputs.iter().map(|s| s.as_ref().map(unstacked))).collect();
            let results =
                kept.iter().cloned().chain(outputs.iter().map(|s| s.as_ref().map(undivided))).collect();
            Some(Edges::new(operands, results, vec![returned]))
        }
        Structure::Call(call) => {
            let callee = module.funcs.get(call.callee)?;
            let params = callee.param_values().iter().map(|value| sharding_of(callee, *value)).collect();
            let returned = callee.result_values().iter().zip(&callee.results);
            let results = returned.map(|(value, info)| {
                let asked = info.sharding.as_ref().and_then(|asked| asked.as_mesh());
                asked.map(|asked| Arc::new(asked.closed())).or_else(|| sharding_of(callee, *value))
            });
            Some(Edges::new(params, results.collect(), Vec::new()))
        }
        Structure::Sharding(op) => Some(sharding_edges(func, inst, op, results)),
        Structure::Token(_) => {
            Some(Edges::new(replicated(of(&info.operands)), replicated(results), Vec::new()))
        }
    }
}

fn sharding_edges(
    func: &Function,
    inst: InstId,
    op: &ShardingOp,
    results: Vec<Option<Arc<Sharding>>>,
) -> Edges {
    let own = || func.inst(inst).operands.iter().map(|value| sharding_of(func, *value)).collect();
    let all =
        |shardings: &[Sharding]| shardings.iter().cloned().map(|one| Some(Arc::new(one))).collect::<Vec<_>>();
    match op {
        ShardingOp::Constraint { .. } | ShardingOp::Barrier { .. } => {
            Edges::new(results.clone(), results, Vec::new())
        }
        ShardingOp::Manual(manual) => manual_edges(func, inst, manual),
        ShardingOp::Named { in_shardings, out_shardings, .. } => {
            // The body is put in the place of the op, so its parameters arrive as the operands do.
            Edges {
                params: vec![all(in_shardings)],
                ..Edges::new(all(in_shardings), all(out_shardings), vec![all(out_shardings)])
            }
        }
        ShardingOp::FullToShard { .. } => boundary_edges(func, inst, [own(), results]),
        ShardingOp::ShardToFull { .. } => boundary_edges(func, inst, [results, own()]).reversed(),
        ShardingOp::Group { .. } | ShardingOp::Reshard(_) => Edges::new(own(), results, Vec::new()),
    }
}

/// Between a global value and the local one made of it, or that it is made of: the global sharding leads.
fn boundary_edges(func: &Function, inst: InstId, [global, local]: [Vec<Option<Arc<Sharding>>>; 2]) -> Edges {
    let (Some(Some(global)), Some(Some(local))) = (global.into_iter().next(), local.into_iter().next())
    else {
        return Edges::new(vec![None], vec![None], Vec::new());
    };
    let info = func.inst(inst);
    let values = info.operands.iter().chain(&info.results);
    let dims = values.map(|value| func.dims(*value)).min_by_key(|dims| dims.iter().product::<i64>());
    let is_new = |axis: &AxisRef| !global.manual.iter().any(|outer| outer.overlaps(*axis));
    let manual: Vec<AxisRef> = local.manual.iter().copied().filter(is_new).collect();
    let outside = even(&manual, &global, dims.unwrap_or(&[]));
    let within = Sharding { manual: local.manual.clone(), ..inside(&manual, &outside) };
    Edges::new(vec![shared(outside)], vec![shared(within)], Vec::new())
}

fn manual_edges(func: &Function, inst: InstId, manual: &ManualComputation) -> Edges {
    let Some(body) = func.inst(inst).regions.first().map(|region| func.block(*region)) else {
        return Edges::new(Vec::new(), Vec::new(), Vec::new());
    };
    let even = |shardings: &[Sharding], values: &[ValueId]| -> Vec<Sharding> {
        shardings
            .iter()
            .zip(values)
            .map(|(sharding, value)| even(&manual.axes, sharding, func.dims(*value)))
            .collect()
    };
    let (enter, leave) =
        (even(&manual.in_shardings, &body.params), even(&manual.out_shardings, &body.results));
    let around = manual_around(func, inst);
    let all = sorted([&around[..], &manual.axes].concat());
    let outside = |s: &Sharding| shared(Sharding { manual: around.clone(), ..s.clone() });
    let inside = |s: &Sharding| shared(Sharding { manual: all.clone(), ..inside(&manual.axes, s) });
    let outside = |shardings: &[Sharding]| shardings.iter().map(outside).collect::<Vec<_>>();
    let inside = |shardings: &[Sharding]| shardings.iter().map(inside).collect::<Vec<_>>();
    Edges {
        operands: outside(&enter),
        results: outside(&leave),
        regions: vec![inside(&leave)],
        params: vec![inside(&enter)],
    }
}

/// The axes of all manual regions that an instruction stands in.
fn manual_around(func: &Function, inst: InstId) -> Vec<AxisRef> {
    let mut axes = Vec::new();
    let mut block = func.block_of(inst);
    while let Some(parent) = func.block(block).parent {
        if let Some(Structure::Sharding(ShardingOp::Manual(manual))) = func.inst(parent).op.structure() {
            axes.extend(&manual.axes);
        }
        block = func.block_of(parent);
    }
    sorted(axes)
}

/// An edge sharding without the free axes that do not divide the local size (inside, padding would stand behind every
/// local piece, outside only at the very end) or that are major to a manual one (no local piece would be one piece).
fn even(manual: &[AxisRef], sharding: &Sharding, local: &[i64]) -> Sharding {
    let mut sharding = sharding.clone();
    for (dim, size) in sharding.dims.iter_mut().zip(local) {
        let is_manual = |axis: &AxisRef| manual.iter().any(|manual| manual.overlaps(*axis));
        let free: Vec<AxisRef> = dim.axes.iter().copied().filter(|axis| !is_manual(axis)).collect();
        if size % tiles(&free) != 0 || !dim.axes.is_sorted_by_key(|axis| !is_manual(axis)) {
            dim.axes.retain(is_manual);
        }
    }
    sharding
}

/// An edge sharding of a manual region as it looks inside: the manual axes are no longer there to be split over.
fn inside(manual: &[AxisRef], sharding: &Sharding) -> Sharding {
    let mut local = sharding.clone();
    for dim in &mut local.dims {
        dim.axes.retain(|axis| !manual.iter().any(|manual| manual.overlaps(*axis)));
    }
    local.manual = sorted(manual.to_vec());
    local
}

fn replicated(shardings: Vec<Option<Arc<Sharding>>>) -> Vec<Option<Arc<Sharding>>> {
    let one = |sharding: &Arc<Sharding>| Sharding {
        dims: vec![DimSharding::default(); sharding.rank()],
        partial: Vec::new(),
        ..Sharding::clone(sharding)
    };
    shardings.iter().map(|sharding| shared(one(sharding.as_ref()?))).collect()
}

fn shared(sharding: Sharding) -> Option<Arc<Sharding>> {
    Some(Arc::new(sharding))
}

fn stacked(slice: &Arc<Sharding>) -> Arc<Sharding> {
    let mut stacked = Sharding::clone(slice);
    stacked.dims.insert(0, DimSharding::default());
    Arc::new(stacked)
}

/// A stacked value is never split over its steps.
fn undivided(whole: &Arc<Sharding>) -> Arc<Sharding> {
    let mut whole = Sharding::clone(whole);
    if let Some(steps) = whole.dims.first_mut() {
        steps.axes.clear();
    }
    Arc::new(whole)
}

fn unstacked(whole: &Arc<Sharding>) -> Arc<Sharding> {
    let mut slice = Sharding::clone(whole);
    if !slice.dims.is_empty() {
        slice.dims.remove(0);
    }
    Arc::new(slice)
}
