//! One strategy of an instruction: axes for its factors, and partial axes that pass through it.

use crate::axes::{all_line_up, sorted, tiles};
use crate::exchange::layout::Cut;
use crate::exchange::ties::Ties;
use crate::plan::inside::{self, Placed};
use crate::plan::price::Price;
use crate::plan::table::{ShardingId, Table};
use meshwright_base::{InlineVec, define_id};
use meshwright_cost::compute::Work;
use meshwright_cost::{Machine, Wiring};
use meshwright_ir::project::{FactorAxes, fits, from_factors};
use meshwright_ir::rule::DimFactors;
use meshwright_ir::{Factor, FactorKind, Localize, Op, Rule, Type};
use meshwright_shard::{AxisRef, MeshId, Meshes, Reducer, Sharding};

define_id!(
    /// A strategy of a kind of instructions. Equal ones of one kind are one.
    pub StrategyId, "strategy"
);

/// Partial axes that enter through operands and leave through the results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartialThrough {
    Nothing,
    /// All jointly linear operands are partial over these axes.
    Jointly(Vec<AxisRef>, Reducer),
    /// One operand is.
    Singly(usize, Vec<AxisRef>, Reducer),
}

impl PartialThrough {
    fn axes(&self) -> Option<(&[AxisRef], Reducer)> {
        match self {
            PartialThrough::Nothing => None,
            PartialThrough::Jointly(axes, reducer) | PartialThrough::Singly(_, axes, reducer) => {
                Some((axes, *reducer))
            }
        }
    }

    /// Whether operand `at` is partial over them.
    fn enters(&self, rule: &Rule, at: usize) -> bool {
        match self {
            PartialThrough::Nothing => false,
            PartialThrough::Jointly(..) => rule.linear.jointly.contains(&at),
            PartialThrough::Singly(operand, ..) => *operand == at,
        }
    }
}

/// A strategy with what follows from it.
#[derive(Clone, PartialEq, Debug)]
pub struct Strategy {
    pub operands: InlineVec<ShardingId, 3>,
    pub results: InlineVec<ShardingId, 3>,
    /// Time of the op itself, on one device, with what it sends inside.
    pub seconds: f64,
    /// Bytes one device sends inside the op.
    pub sent: f64,
    /// Flops of a contraction on one device; 0 for everything else.
    pub flops: f64,
    /// Bytes of its operands and results on one device.
    pub held: f64,
    /// Compared only with what is best among the others.
    pub is_late: bool,
}

impl Strategy {
    /// What the op itself costs.
    pub fn price(&self) -> Price {
        Price { sent: self.sent, seconds: self.seconds }
    }

    /// Whether another takes and gives the same.
    pub fn splits_as(&self, other: &Strategy) -> bool {
        (&self.operands, &self.results) == (&other.operands, &other.results)
    }
}

/// The instruction a strategy is made for.
pub struct Subject<'a> {
    pub op: &'a Op,
    pub rule: &'a Rule,
    pub operands: Vec<&'a Type>,
    pub results: Vec<&'a Type>,
    pub mesh: MeshId,
    /// Axes over which everything here is local already.
    pub manual: &'a [AxisRef],
    /// Of a sort.
    pub ties: Option<Ties>,
}

impl Subject<'_> {
    /// Complete a strategy from its axes, or say that there is none: factors that cannot be split so, reducers that
    /// mix.
    pub fn strategy(
        &self,
        axes: &FactorAxes,
        through: &PartialThrough,
        table: &mut Table<'_>,
    ) -> Option<Strategy> {
        let rule = self.rule;
        if !rule.tensors().all(|dims| fits(rule, dims, axes)) {
            return None;
        }
        let (partial, reducer) = self.partial(axes, through)?;
        let split: Vec<AxisRef> = axes.values().flatten().copied().collect();
        if through.axes().is_some_and(|(entering, _)| !all_line_up(entering, &split)) {
            return None;
        }
        let mut base = Sharding::replicated(self.mesh, 0);
        base.manual = self.manual.to_vec();
        let operand = |at: usize| {
            let mut sharding = from_factors(rule, &rule.operands[at], axes, &base);
            sharding.partial = self.enters_partial(axes, through, at);
            if !sharding.partial.is_empty() {
                sharding.reducer = reducer;
            }
            sharding
        };
        let operands = (0..rule.operands.len()).map(|at| table.intern(operand(at))).collect();
        let result = |at: usize| {
            let mut sharding = from_factors(rule, &rule.results[at], axes, &base);
            sharding.partial = partial.clone();
            sharding.reducer = reducer;
            sharding
        };
        let results = (0..rule.results.len()).map(|at| table.intern(result(at))).collect();
        let work = self.work(axes);
        let flops = if work.is_contraction { work.flops } else { 0.0 };
        let held = work.bytes / self.passes(axes);
        let inside = self.inside(axes, table.meshes, table.machine);
        let seconds = work.seconds(table.machine) + inside.seconds;
        Some(Strategy { operands, results, seconds, sent: inside.sent, flops, held, is_late: false })
    }

    /// Price of what the op exchanges between its pieces.
    fn inside(&self, axes: &FactorAxes, meshes: &Meshes, machine: &Machine) -> Price {
        let cut = |(size, factors): (&i64, &DimFactors)| {
            Cut::of(*size, factors.iter().map(|factor| tiles(&axes[*factor])).product())
        };
        let cuts =
            |ty: &&Type, dims: &Vec<DimFactors>| ty.dims().iter().zip(dims).map(cut).collect::<Vec<_>>();
        let is_moved = |(factor, info): (_, &Factor)| {
            let moves = info.localize != Localize::Plain || self.op.facts().regroups;
            moves && !axes[factor].is_empty()
        };
        if !self.rule.factors.iter().any(is_moved) {
            return Price::default();
        }
        let operands: Vec<_> =
            self.operands.iter().zip(&self.rule.operands).map(|(ty, dims)| cuts(ty, dims)).collect();
        let result = self.results.first().zip(self.rule.results.first());
        let result = result.map(|(ty, dims)| cuts(ty, dims)).unwrap_or_default();
        let bits = |ty: &&Type| ty.as_tensor().map_or(0.0, |tensor| f64::from(tensor.dtype.bits()));
        let bits: Vec<f64> = self.operands.iter().map(bits).collect();
        let wiring = meshes
            .get(self.mesh)
            .filter(|_| !machine.network.is_plain())
            .and_then(|mesh| Some((mesh, Wiring::of(mesh, &machine.network).ok()?)));
        let sharing = |operand: usize, dims: &[usize]| {
            let (mesh, wiring) = wiring.as_ref()?;
            let factors = dims.iter().filter_map(|dim| self.rule.operands.get(operand)?.get(*dim)).flatten();
            let over: Vec<AxisRef> = factors.flat_map(|factor| axes[*factor].iter().copied()).collect();
            Some(wiring.group(mesh, &over, &machine.network))
        };
        let placed = Placed { machine, sharing: &sharing };
        inside::price(self.op, self.ties, &operands, &result, &bits, &placed)
    }

    /// Over which axes an operand has to be partial: those that pass through, and those of reductions that start from
    /// it.
    fn enters_partial(&self, axes: &FactorAxes, through: &PartialThrough, at: usize) -> Vec<AxisRef> {
        let mut partial = match through.axes() {
            Some((axes, _)) if through.enters(self.rule, at) => axes.to_vec(),
            _ => Vec::new(),
        };
        if self.rule.starts.contains(&at) {
            for (factor, info) in self.rule.factors.iter() {
                if matches!(info.kind, FactorKind::Reduce(_)) {
                    partial.extend_from_slice(&axes[factor]);
                }
            }
        }
        sorted(partial)
    }

    /// Axes and reducer over which the results are partial.
    fn partial(&self, axes: &FactorAxes, through: &PartialThrough) -> Option<(Vec<AxisRef>, Reducer)> {
        let mut partial: Vec<AxisRef> = Vec::new();
        let mut reducer = None;
        for (factor, info) in self.rule.factors.iter() {
            if let FactorKind::Reduce(by) = info.kind
                && !axes[factor].is_empty()
            {
                partial.extend_from_slice(&axes[factor]);
                if reducer.replace(by).is_some_and(|old| old != by) {
                    return None;
                }
            }
        }
        if let Some((entering, by)) = through.axes() {
            partial.extend_from_slice(entering);
            if reducer.replace(by).is_some_and(|old| old != by) {
                return None;
            }
        }
        Some((sorted(partial), reducer.unwrap_or(Reducer::Sum)))
    }

    /// Work on local shapes, read off the rule.
    fn work(&self, axes: &FactorAxes) -> Work {
        let rule = self.rule;
        let local = |ty: &Type, dims: &Vec<DimFactors>| {
            let Some(tensor) = ty.as_tensor() else { return 0.0 };
            let elements: f64 = tensor
                .dims
                .iter()
                .zip(dims)
                .map(|(size, factors)| {
                    let tiles: i64 = factors.iter().map(|factor| tiles(&axes[*factor])).product();
                    (size.div_euclid(tiles) + i64::from(size % tiles != 0)) as f64
                })
                .product();
            elements * f64::from(tensor.dtype.bits()) / 8.0
        };
        let types = self.operands.iter().chain(&self.results);
        let bytes: f64 = types.zip(rule.tensors()).map(|(ty, dims)| local(ty, dims)).sum();
        let is_contraction = self.op.facts().is_contraction;
        let flops = rule
            .factors
            .iter()
            .map(|(factor, info)| (info.size as f64 / tiles(&axes[factor]) as f64).ceil())
            .product::<f64>()
            * 2.0;
        Work { flops, bytes: bytes * self.passes(axes), is_contraction }
    }

    /// How often an op goes over what it has.
    fn passes(&self, axes: &FactorAxes) -> f64 {
        let line = self.rule.factors.iter().find(|(_, info)| info.localize == Localize::Merge);
        line.map_or(1.0, |(factor, info)| inside::levels(Cut::of(info.size, tiles(&axes[factor])).piece()))
    }
}
