//! Which dims must have the same extent, and what it is.
//!
//! Dims that one factor passes through, that a reshard connects, or that control flow carries round, form a class. A
//! class has one size and gets one extent: the smallest multiple of every tile count in it that holds the size. So no
//! boundary moves inside a class.

use crate::plan::kinds::Rules;
use crate::reshard::sharding_of;
use meshwright_base::{Id, IdMap};
use meshwright_ir::op::{Control, ShardingOp};
use meshwright_ir::rule::DimFactors;
use meshwright_ir::{FactorId, FactorKind, Function, InstId, Localize, Op, Rule, ValueId};

/// What extent an instruction asks of one dim of a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Its class's.
    Class,
    /// The size itself: the op does something to the dim, or it is part of a product.
    Exact,
    /// The boundary convention: ceil(size / tiles) * tiles.
    Natural,
}

/// Extents one instruction asks of its operands and gives its results, per dim.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub operands: Vec<Vec<Extent>>,
    pub results: Vec<Vec<Extent>>,
}

/// The classes of one function.
pub struct Classes {
    first: IdMap<ValueId, usize>,
    parent: Vec<usize>,
    extent: Vec<i64>,
}

impl Classes {
    pub fn new(func: &Function, insts: &[InstId], rules: &Rules) -> Self {
        let mut first = IdMap::new();
        let mut count = 0;
        for value in func.values().values() {
            let _: ValueId = first.push(count);
            count += value.ty.rank();
        }
        let mut classes = Classes { first, parent: (0..count).collect(), extent: Vec::new() };
        for inst in insts {
            classes.tie(func, *inst, rules);
        }
        classes.measure(func);
        classes
    }

    fn find(&self, mut at: usize) -> usize {
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    fn union(&mut self, a: (ValueId, usize), b: (ValueId, usize)) {
        let (a, b) = (self.find(self.first[a.0] + a.1), self.find(self.first[b.0] + b.1));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high] = low;
    }

    /// Tie every dim of two values from the given dims on.
    fn union_values(&mut self, func: &Function, a: ValueId, b: ValueId, skip_a: usize, skip_b: usize) {
        let rank = func.ty(a).rank().saturating_sub(skip_a).min(func.ty(b).rank().saturating_sub(skip_b));
        for dim in 0..rank {
            self.union((a, dim + skip_a), (b, dim + skip_b));
        }
    }

    fn tie(&mut self, func: &Function, inst: InstId, rules: &Rules) {
        let info = func.inst(inst);
        match &info.op {
            Op::Control(_) | Op::Scan(_) => self.tie_control(func, inst),
            op if is_boundary(op) => {}
            Op::Call(_) | Op::Token(_) => {}
            Op::Sharding(_) => {
                for (a, b) in info.operands.iter().zip(&info.results) {
                    self.union_values(func, *a, *b, 0, 0);
                }
            }
            op => {
                if let Some(rule) = &rules[inst] {
                    self.tie_rule(func, inst, op, rule);
                }
            }
        }
    }

    fn tie_rule(&mut self, func: &Function, inst: InstId, op: &Op, rule: &Rule) {
        let info = func.inst(inst);
        let tensors: Vec<ValueId> = info.operands.iter().chain(&info.results).copied().collect();
        let mut seen: IdMap<FactorId, Option<(ValueId, usize)>> = IdMap::filled(rule.factors.len(), None);
        for (value, dims) in tensors.iter().zip(rule.tensors()) {
            for (dim, factors) in dims.iter().enumerate() {
                let [factor] = factors[..] else { continue };
                if !takes_padding(op, rule, factor) {
                    continue;
                }
                match seen[factor] {
                    Some(other) => self.union(other, (*value, dim)),
                    None => seen[factor] = Some((*value, dim)),
                }
            }
        }
    }

    fn tie_control(&mut self, func: &Function, inst: InstId) {
        let info = func.inst(inst);
        let carries = match &info.op {
            Op::Scan(scan) => scan.carries,
            _ => usize::MAX,
        };
        for region in &info.regions {
            let block = func.block(*region);
            for (at, (param, operand)) in block.params.iter().zip(&info.operands).enumerate() {
                self.union_values(func, *param, *operand, 0, usize::from(at >= carries));
            }
            let is_condition = matches!(info.op, Op::Control(Control::While)) && *region == info.regions[0];
            if is_condition {
                continue;
            }
            for (at, (inner, outer)) in block.results.iter().zip(&info.results).enumerate() {
                self.union_values(func, *inner, *outer, 0, usize::from(at >= carries));
            }
        }
        if matches!(info.op, Op::Control(Control::While) | Op::Scan(_)) {
            for (operand, result) in info.operands.iter().zip(&info.results).take(carries) {
                self.union_values(func, *operand, *result, 0, 0);
            }
        }
    }

    /// Extent of each class from its size and the tile counts in it.
    fn measure(&mut self, func: &Function) {
        let mut tiles = vec![1i64; self.parent.len()];
        let mut sizes = vec![0i64; self.parent.len()];
        for (value, info) in func.values().iter() {
            let sharding = sharding_of(func, value);
            for (dim, size) in info.ty.dims().iter().enumerate() {
                let root = self.find(self.first[value] + dim);
                sizes[root] = *size;
                if let Some(dim) = sharding.as_ref().and_then(|sharding| sharding.dims.get(dim)) {
                    tiles[root] = lcm(tiles[root], dim.tiles());
                }
            }
        }
        self.extent = sizes.iter().zip(&tiles).map(|(size, tiles)| round_up(*size, *tiles)).collect();
    }

    /// Extents of a value by class.
    pub fn extents(&self, func: &Function, value: ValueId) -> Vec<i64> {
        (0..func.ty(value).rank()).map(|dim| self.extent[self.find(self.first[value] + dim)]).collect()
    }

    /// Whether any dim of any value is padded.
    pub fn any_padding(&self, func: &Function) -> bool {
        func.values().iter().any(|(value, info)| self.extents(func, value) != info.ty.dims())
    }

    /// How many values there were when the classes were made.
    pub fn covers(&self, value: ValueId) -> bool {
        value.index() < self.first.len()
    }
}

/// Smallest multiple of `step` that is at least `size`.
pub fn round_up(size: i64, step: i64) -> i64 {
    (size + step - 1) / step * step
}

fn lcm(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x.max(1) * b
}

/// Whether an op does not mind garbage at the end of the dims of a factor (masked, where it reduces).
pub fn takes_padding(op: &Op, rule: &Rule, factor: FactorId) -> bool {
    let info = &rule.factors[factor];
    let alone = rule.tensors().flatten().all(|factors| factors.len() == 1 || !factors.contains(&factor));
    let takes = match info.localize {
        Localize::Plain => !is_windowed(op, rule, factor),
        Localize::ByFamily => op.facts().takes_padded_pieces,
        Localize::Shift | Localize::Combine | Localize::Merge | Localize::Never => false,
    };
    alone && takes && matches!(info.kind, FactorKind::Pass | FactorKind::Reduce(_))
}

/// Whether a factor stands in a dim that a convolution's window has an entry for: its sizes are attributes.
fn is_windowed(op: &Op, rule: &Rule, factor: FactorId) -> bool {
    let Op::Convolution(convolution) = op else { return false };
    let dims = &convolution.dims;
    let stands = |tensor: &Vec<DimFactors>, spatial: &[usize]| {
        spatial.iter().any(|dim| tensor.get(*dim).is_some_and(|factors| factors.contains(&factor)))
    };
    stands(&rule.operands[0], &dims.input_spatial)
        || stands(&rule.operands[1], &dims.kernel_spatial)
        || stands(&rule.results[0], &dims.output_spatial)
}

/// What an instruction asks of its dims.
pub fn asked(func: &Function, inst: InstId, rules: &Rules) -> Asked {
    let info = func.inst(inst);
    let all = |values: &[ValueId], extent: Extent| -> Vec<Vec<Extent>> {
        values.iter().map(|value| vec![extent; func.ty(*value).rank()]).collect()
    };
    match &info.op {
        Op::Control(_) | Op::Sharding(_) if !is_boundary(&info.op) => {
            Asked { operands: all(&info.operands, Extent::Class), results: all(&info.results, Extent::Class) }
        }
        Op::Scan(scan) => {
            let stacked = |values: &[ValueId]| {
                let mut asked = all(values, Extent::Class);
                for dims in asked.iter_mut().skip(scan.carries) {
                    if let Some(first) = dims.first_mut() {
                        *first = Extent::Exact;
                    }
                }
                asked
            };
            Asked { operands: stacked(&info.operands), results: stacked(&info.results) }
        }
        Op::Call(_) | Op::Sharding(_) => Asked {
            operands: all(&info.operands, Extent::Natural),
            results: all(&info.results, Extent::Natural),
        },
        op => {
            let Some(rule) = &rules[inst] else { return Asked::default() };
            let of = |dims: &Vec<DimFactors>| {
                let one = |factors: &DimFactors| match factors[..] {
                    [factor] if takes_padding(op, rule, factor) => Extent::Class,
                    _ => Extent::Exact,
                };
                dims.iter().map(one).collect::<Vec<_>>()
            };
            Asked {
                operands: rule.operands.iter().map(of).collect(),
                results: rule.results.iter().map(of).collect(),
            }
        }
    }
}

/// Whether an op stands between global and local values.
fn is_boundary(op: &Op) -> bool {
    matches!(op, Op::Sharding(ShardingOp::FullToShard { .. } | ShardingOp::ShardToFull { .. }))
        || is_manual(op)
}

/// Whether an op is a manual region: its edges are boundaries.
pub fn is_manual(op: &Op) -> bool {
    matches!(op, Op::Sharding(ShardingOp::Manual(_)))
}
