//! Where values flow without an op: into and out of regions and calls, through annotations and manual boundaries.
//!
//! ```text
//! while    operand -> carry, body result -> carry          carry = cond param = body param = result
//! scan     the same for carries; input without its dim 0 -> param, body result -> output without its dim 0
//! if, case branch results -> result
//! call     operand -> callee's param, callee's result -> result             fusion: the same with its region
//! manual   operand -> in-sharding -> param (free axes only), body result -> out-sharding = result (free axes only)
//! return   value -> result of the function
//! ```
//!
//! This is one of the few places that name ops. An edge is the identity on dims and runs first, both ways, except where
//! a barrier says otherwise. A stacked dim of a scan stands on one side of its edge alone: only the user splits it.

use crate::levels::Level;
use meshwright_ir::op::{BarrierDirection, Control, ShardingOp};
use meshwright_ir::{BlockId, FuncId, Function, InstId, Module, Op, ValueId};
use meshwright_shard::{AxisRef, Sharding};

/// One end of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Value(FuncId, ValueId),
    /// What a manual or named region says of its operand of this number.
    Input(FuncId, InstId, usize),
    /// What a function says of its result of this number.
    Result(FuncId, usize),
}

/// Which dims of the ends belong together.
#[derive(Clone, Debug)]
pub(crate) enum Relation {
    /// All, in order.
    Same,
    /// The sources have one dim more in front.
    SourceStacked,
    /// The target has one dim more in front.
    TargetStacked,
    /// All; in the sources these leading axes of each dim are manual beyond the edge.
    SourceGlobal(Vec<AxisRef>),
    /// All; in the target these leading axes of each dim are manual before the edge.
    TargetGlobal(Vec<AxisRef>),
}

/// Values flow from the sources to the target.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub sources: Vec<End>,
    pub target: End,
    pub relation: Relation,
    pub forward: Level,
    pub backward: Level,
}

impl Edge {
    fn new(sources: Vec<End>, target: End) -> Edge {
        Edge { sources, target, relation: Relation::Same, forward: Level::Keep, backward: Level::Keep }
    }

    fn with(self, relation: Relation) -> Edge {
        Edge { relation, ..self }
    }
}

/// Edges of an instruction: those on the way in, and those on the way out, which come after its regions.
#[derive(Default)]
pub(crate) struct Edges {
    pub entry: Vec<Edge>,
    pub exit: Vec<Edge>,
    /// The function whose body runs between.
    pub callee: Option<FuncId>,
    /// Whether the regions hold tensors to be completed (a reducer's scalars are not).
    pub enters_regions: bool,
    /// Whether the instruction's rule says nothing beside its edges.
    pub replaces_rule: bool,
}

impl Edges {
    fn flow(entry: Vec<Edge>, exit: Vec<Edge>) -> Edges {
        Edges { entry, exit, callee: None, enters_regions: true, replaces_rule: true }
    }
}

/// Edges of an instruction. Ops that are not here flow by their rule.
pub(crate) fn edges_of(module: &Module, func: FuncId, inst: InstId) -> Edges {
    let cx = Cx { func: &module.funcs[func], id: func, inst };
    match &cx.func.inst(inst).op {
        Op::Control(Control::While) => cx.while_edges(),
        Op::Control(Control::If | Control::Case) => Edges::flow(Vec::new(), cx.branch_edges()),
        Op::Control(Control::Fusion { .. }) => cx.region_edges(),
        Op::Scan(scan) => cx.scan_edges(scan.carries),
        Op::Call(call) => cx.call_edges(module, call.callee),
        Op::Sharding(op) => cx.sharding_edges(op),
        Op::Constant(_)
        | Op::Iota(_)
        | Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare(_)
        | Op::Select
        | Op::Clamp => Edges::default(),
        Op::Convert(_) | Op::Movement(_) | Op::Dynamic(_) | Op::Gather(_) | Op::Scatter(_) | Op::Dot(_) => {
            Edges::default()
        }
        Op::Convolution(_) | Op::Reduce(_) | Op::Map(_) | Op::ReduceWindow(_) | Op::SelectAndScatter(_) => {
            Edges::default()
        }
        Op::Sort(_) | Op::TopK(_) | Op::Random(_) | Op::Fft(_) | Op::Linalg(_) | Op::BatchNorm(_) => {
            Edges::default()
        }
        Op::Collective(_) | Op::PartitionId | Op::ReplicaId | Op::Foreign(_) => Edges::default(),
        Op::OptimizationBarrier | Op::Token(_) => Edges::default(),
    }
}

/// Edges from the values a function returns to what it says of its results.
pub(crate) fn return_edges(module: &Module, func: FuncId) -> Vec<Edge> {
    let values = module.funcs[func].result_values().iter();
    let edge =
        |(at, value): (usize, &ValueId)| Edge::new(vec![End::Value(func, *value)], End::Result(func, at));
    values.enumerate().map(edge).collect()
}

/// Values that are one: the carries of a loop inside and outside, as lists of values of this function.
pub(crate) fn carries(func: &Function, inst: InstId) -> Vec<Vec<ValueId>> {
    let info = func.inst(inst);
    let count = if let Op::Control(Control::While) = &info.op {
        info.results.len()
    } else if let Op::Scan(scan) = &info.op {
        scan.carries
    } else {
        return Vec::new();
    };
    let params =
        |at: usize| info.regions.iter().filter_map(move |region| func.block(*region).params.get(at).copied());
    let results = info.results.iter().take(count).enumerate();
    results.map(|(at, result)| std::iter::once(*result).chain(params(at)).collect()).collect()
}

/// The shardings an instruction states of its operands, if it does: one port each.
pub(crate) fn inputs(op: &Op) -> &[Sharding] {
    if let Op::Sharding(ShardingOp::Manual(manual)) = op {
        &manual.in_shardings
    } else if let Op::Sharding(ShardingOp::Named { in_shardings, .. }) = op {
        in_shardings
    } else {
        &[]
    }
}

/// The shardings an instruction states of its results.
pub(crate) fn outputs(op: &Op) -> &[Sharding] {
    if let Op::Sharding(ShardingOp::Manual(manual)) = op {
        &manual.out_shardings
    } else if let Op::Sharding(ShardingOp::Named { out_shardings, .. }) = op {
        out_shardings
    } else {
        &[]
    }
}

struct Cx<'a> {
    func: &'a Function,
    id: FuncId,
    inst: InstId,
}

impl Cx<'_> {
    fn value(&self, value: ValueId) -> End {
        End::Value(self.id, value)
    }

    fn operands(&self) -> &[ValueId] {
        &self.func.inst(self.inst).operands
    }

    fn results(&self) -> &[ValueId] {
        &self.func.inst(self.inst).results
    }

    fn regions(&self) -> &[BlockId] {
        &self.func.inst(self.inst).regions
    }

    fn params(&self, region: usize) -> &[ValueId] {
        self.regions().get(region).map_or(&[], |region| &self.func.block(*region).params)
    }

    /// Values the last region returns; a loop's body is its last region.
    fn returned(&self) -> &[ValueId] {
        self.regions().last().map_or(&[], |region| &self.func.block(*region).results)
    }

    /// One edge per pair.
    fn pairs(&self, from: &[ValueId], to: &[ValueId]) -> Vec<Edge> {
        let edge = |(from, to): (&ValueId, &ValueId)| Edge::new(vec![self.value(*from)], self.value(*to));
        from.iter().zip(to).map(edge).collect()
    }

    fn while_edges(&self) -> Edges {
        let entry = self.pairs(self.operands(), self.results());
        Edges::flow(entry, self.pairs(self.returned(), self.results()))
    }

    fn scan_edges(&self, carries: usize) -> Edges {
        let carries = carries.min(self.operands().len()).min(self.results().len()).min(self.returned().len());
        let carries = carries.min(self.params(0).len());
        let (operands, inputs) = self.operands().split_at(carries);
        let (results, outputs) = self.results().split_at(carries);
        let (returned, slices) = self.returned().split_at(carries);
        let stacked = |edges: Vec<Edge>, relation: Relation| {
            edges.into_iter().map(move |edge| edge.with(relation.clone()))
        };
        let mut entry = self.pairs(operands, results);
        entry.extend(stacked(self.pairs(inputs, &self.params(0)[carries..]), Relation::SourceStacked));
        let mut exit = self.pairs(returned, results);
        exit.extend(stacked(self.pairs(slices, outputs), Relation::TargetStacked));
        Edges::flow(entry, exit)
    }

    fn branch_edges(&self) -> Vec<Edge> {
        let from = |at: usize| {
            let returned =
                self.regions().iter().filter_map(|region| self.func.block(*region).results.get(at));
            returned.map(|value| self.value(*value)).collect()
        };
        let results = self.results().iter().enumerate();
        results.map(|(at, result)| Edge::new(from(at), self.value(*result))).collect()
    }

    fn region_edges(&self) -> Edges {
        let entry = self.pairs(self.operands(), self.params(0));
        Edges::flow(entry, self.pairs(self.returned(), self.results()))
    }

    fn call_edges(&self, module: &Module, callee: FuncId) -> Edges {
        let Some(body) = module.funcs.get(callee) else { return Edges::default() };
        let params = self.operands().iter().zip(body.param_values());
        let enter =
            |(from, to): (&ValueId, &ValueId)| Edge::new(vec![self.value(*from)], End::Value(callee, *to));
        let leave = |(at, to): (usize, &ValueId)| Edge::new(vec![End::Result(callee, at)], self.value(*to));
        let results = self.results().iter().take(body.results.len()).enumerate();
        let edges = Edges::flow(params.map(enter).collect(), results.map(leave).collect());
        Edges { callee: Some(callee), ..edges }
    }

    fn sharding_edges(&self, op: &ShardingOp) -> Edges {
        match op {
            ShardingOp::Constraint { .. } | ShardingOp::Reshard(_) => self.identity(Relation::Same),
            ShardingOp::FullToShard { .. } => {
                self.identity(self.boundary(self.results(), Relation::SourceGlobal))
            }
            ShardingOp::ShardToFull { .. } => {
                self.identity(self.boundary(self.operands(), Relation::TargetGlobal))
            }
            ShardingOp::Manual(manual) => self.stated_edges(&manual.axes),
            ShardingOp::Named { .. } => self.stated_edges(&[]),
            ShardingOp::Barrier { allowed } => self.barrier(*allowed),
            ShardingOp::Group { .. } => Edges { replaces_rule: true, ..Edges::default() },
        }
    }

    fn identity(&self, relation: Relation) -> Edges {
        let edges = self.pairs(self.operands(), self.results());
        let entry = edges.into_iter().map(|edge| edge.with(relation.clone())).collect();
        Edges { entry, replaces_rule: true, ..Edges::default() }
    }

    /// Between global and local: the manual axes are those the local value's annotation names.
    fn boundary(&self, local: &[ValueId], relation: fn(Vec<AxisRef>) -> Relation) -> Relation {
        let annotation = local.first().and_then(|value| self.func.value(*value).sharding.as_ref());
        match annotation.and_then(meshwright_ir::Annotation::as_mesh) {
            Some(sharding) => relation(sharding.manual.clone()),
            None => Relation::Same,
        }
    }

    fn stated_edges(&self, axes: &[AxisRef]) -> Edges {
        let inputs = self.operands().iter().zip(self.params(0)).enumerate();
        let entry = inputs.flat_map(|(at, (operand, param))| {
            let port = End::Input(self.id, self.inst, at);
            let inside = Edge::new(vec![port], self.value(*param));
            [Edge::new(vec![self.value(*operand)], port), inside.with(Relation::SourceGlobal(axes.to_vec()))]
        });
        let exit = self.pairs(self.returned(), self.results()).into_iter();
        let exit = exit.map(|edge| edge.with(Relation::TargetGlobal(axes.to_vec())));
        Edges::flow(entry.collect(), exit.collect())
    }

    fn barrier(&self, allowed: BarrierDirection) -> Edges {
        let (forward, backward) = match allowed {
            BarrierDirection::None => (Level::Never, Level::Never),
            BarrierDirection::Forward => (Level::Keep, Level::Never),
            BarrierDirection::Backward => (Level::Never, Level::Keep),
        };
        let edges = self.pairs(self.operands(), self.results()).into_iter();
        let entry = edges.map(|edge| Edge { forward, backward, ..edge }).collect();
        Edges { entry, replaces_rule: true, ..Edges::default() }
    }
}
