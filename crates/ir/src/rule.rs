//! How the dims of an op's operands and results relate: an einsum over factors.
//!
//! ```text
//! dot:       ([b,i,k], [b,k,j]) -> ([b,i,j])      k reduces (sum)
//! reshape:   ([ij]) -> ([i,j])                    a dim may be a product of factors, major first
//! broadcast: ([j]) -> ([i,j])
//! ```
//!
//! A dim of size 1 may have no factor at all (the empty product). Completion, planning, generic localization, cost and
//! explanation read rules and name no op.

use meshwright_base::{IdMap, InlineVec, define_id};
use meshwright_shard::Reducer;
use std::fmt;

define_id!(
    /// A factor of one rule.
    pub FactorId, "factor"
);

/// What splitting along a factor means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FactorKind {
    /// Each piece is computed from pieces.
    Pass,
    /// In operands only; splitting it leaves the results partial.
    Reduce(Reducer),
    /// Can be split, but pieces need their neighbours: communication inside the op.
    Permute,
    /// Must not be split.
    Whole,
}

/// How an op is localized along a factor that is split.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Localize {
    /// It is the op itself, on pieces.
    Plain,
    /// Pieces fetch what they need of each other, then it is the op itself.
    Shift,
    /// Pieces are worked on by themselves; what comes of them is put together and worked on once more.
    Combine,
    /// Pieces of a line are put in order by themselves, then merged two by two. A whole line takes less work than its
    /// pieces.
    Merge,
    /// In a way of its family's own: an iota's offset, a gather's index bounds.
    ByFamily,
    /// Nobody knows how: every device makes all and keeps its piece.
    Never,
}

/// One index of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Factor {
    pub size: i64,
    pub kind: FactorKind,
    pub localize: Localize,
}

impl Factor {
    /// One along which pieces are no matter of their own: moved elements shift, anything else passes to the op on
    /// pieces.
    pub fn new(size: i64, kind: FactorKind) -> Factor {
        let localize = match kind {
            FactorKind::Permute => Localize::Shift,
            FactorKind::Pass | FactorKind::Reduce(_) | FactorKind::Whole => Localize::Plain,
        };
        Factor { size, kind, localize }
    }
}

/// Factors of one dim, major first. Their sizes multiply to the dim's size (for `Permute`: at most loosely).
pub type DimFactors = InlineVec<FactorId, 2>;

/// An operand of an instruction, by its place in the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperandIdx(pub usize);

/// A result of an instruction, by its place in the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResultIdx(pub usize);

/// One dim of an operand or of a result: `OperandIdx(0).dim(2)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorDim {
    tensor: TensorIdx,
    dim: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TensorIdx {
    Operand(usize),
    Result(usize),
}

impl OperandIdx {
    pub fn dim(self, dim: usize) -> TensorDim {
        TensorDim { tensor: TensorIdx::Operand(self.0), dim }
    }
}

impl ResultIdx {
    pub fn dim(self, dim: usize) -> TensorDim {
        TensorDim { tensor: TensorIdx::Result(self.0), dim }
    }
}

/// In which operands an op is linear: a partial value may pass through it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Linear {
    /// For which reducers. Empty: not linear.
    pub reducers: Vec<Reducer>,
    /// These operands together may be partial (all of them, over the same axes): `f(sum a, sum b) = sum f(a, b)`.
    pub jointly: Vec<usize>,
    /// Any one of these may be partial while the others are not: `f(sum a, b) = sum f(a, b)`.
    pub singly: Vec<usize>,
}

/// The rule of one instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rule {
    pub factors: IdMap<FactorId, Factor>,
    /// Per operand, per dim.
    pub operands: Vec<Vec<DimFactors>>,
    /// Per result, per dim.
    pub results: Vec<Vec<DimFactors>>,
    pub linear: Linear,
    /// Operands a reduction starts from (an initial value, a scatter's input): however it is split, they count once.
    pub starts: Vec<usize>,
}

/// What a family's `rule` may look at.
#[derive(Clone, Copy)]
pub struct RuleCx<'a> {
    pub operands: &'a [&'a crate::types::Type],
    pub results: &'a [&'a crate::types::Type],
    /// What the op reduces with, if that is one plain binary op on two parameters.
    pub reducer: Option<Reducer>,
}

/// The rule of an instruction, which must have passed the verifier.
pub fn rule_of(func: &crate::module::Function, inst: crate::module::InstId) -> Rule {
    let inst = func.inst(inst);
    let operands: Vec<_> = inst.operands.iter().map(|value| func.ty(*value)).collect();
    let results: Vec<_> = inst.results.iter().map(|value| func.ty(*value)).collect();
    // What a selection is reduced with stands second.
    let region = usize::from(matches!(inst.op, crate::op::Op::SelectAndScatter(_)));
    let reducer = inst.regions.get(region).and_then(|region| func.region_reducer(*region));
    inst.op.rule(RuleCx { operands: &operands, results: &results, reducer })
}

/// All reducers: movement commutes with each of them.
pub const ALL_REDUCERS: [Reducer; 7] =
    [Reducer::Sum, Reducer::Product, Reducer::Min, Reducer::Max, Reducer::And, Reducer::Or, Reducer::Xor];

impl Linear {
    pub fn jointly(reducers: impl Into<Vec<Reducer>>, operands: impl IntoIterator<Item = usize>) -> Self {
        Linear { reducers: reducers.into(), jointly: operands.into_iter().collect(), singly: Vec::new() }
    }

    pub fn singly(reducers: impl Into<Vec<Reducer>>, operands: impl IntoIterator<Item = usize>) -> Self {
        Linear { reducers: reducers.into(), jointly: Vec::new(), singly: operands.into_iter().collect() }
    }
}

impl RuleCx<'_> {
    pub fn size(&self, at: TensorDim) -> i64 {
        let types = match at.tensor {
            TensorIdx::Operand(index) => self.operands[index],
            TensorIdx::Result(index) => self.results[index],
        };
        types.dims()[at.dim]
    }
}

impl Rule {
    /// A rule without factors.
    pub fn empty(cx: RuleCx<'_>) -> Self {
        Rule::of_ranks(cx.operands.iter().map(|ty| ty.rank()), cx.results.iter().map(|ty| ty.rank()))
    }

    /// One pass-through factor per dim on all tensors; scalars beside them (a `pred`, bounds) have none.
    pub fn elementwise(cx: RuleCx<'_>) -> Self {
        let mut rule = Rule::empty(cx);
        let shape = cx.results.iter().chain(cx.operands).map(|ty| ty.dims()).max_by_key(|dims| dims.len());
        for (dim, size) in shape.unwrap_or(&[]).iter().enumerate() {
            let factor = rule.factor(*size, FactorKind::Pass);
            for dims in rule.operands.iter_mut().chain(&mut rule.results) {
                if let Some(factors) = dims.get_mut(dim) {
                    factors.push(factor);
                }
            }
        }
        rule
    }

    /// Operand `i` passes to result `i`, each pair with factors of its own.
    pub fn pairwise(cx: RuleCx<'_>) -> Self {
        let mut rule = Rule::empty(cx);
        for (index, ty) in cx.operands.iter().enumerate() {
            for (dim, size) in ty.dims().iter().enumerate() {
                let factor = rule.factor(*size, FactorKind::Pass);
                rule.place(factor, [OperandIdx(index).dim(dim), ResultIdx(index).dim(dim)]);
            }
        }
        rule
    }

    /// Nothing may be split.
    pub fn whole(cx: RuleCx<'_>) -> Self {
        let mut rule = Rule::empty(cx);
        rule.fill_whole(cx);
        rule
    }

    /// Dims that have no factor yet get one that must not be split; those of size 1 need none.
    pub fn fill_whole(&mut self, cx: RuleCx<'_>) {
        let Rule { factors, operands, results, .. } = self;
        for (dims, ty) in operands.iter_mut().zip(cx.operands).chain(results.iter_mut().zip(cx.results)) {
            for (list, size) in dims.iter_mut().zip(ty.dims()) {
                if list.is_empty() && *size != 1 {
                    list.push(factors.push(Factor::new(*size, FactorKind::Whole)));
                }
            }
        }
    }

    /// A dim of an operand passes to a dim of a result.
    pub fn pass(&mut self, size: i64, from: TensorDim, to: TensorDim) {
        self.pass_all(size, [from, to]);
    }

    /// One dim of all these operands and results passes through.
    pub fn pass_all(&mut self, size: i64, dims: impl IntoIterator<Item = TensorDim>) {
        let factor = self.factor(size, FactorKind::Pass);
        self.place(factor, dims);
    }

    /// A dim whose elements move between pieces. Operand and result share the factor, also if their sizes differ; where
    /// one of them has size 1 there is nothing to share.
    pub fn permute(&mut self, cx: RuleCx<'_>, dims: impl IntoIterator<Item = TensorDim>) {
        let mut long = dims.into_iter().filter(|at| cx.size(*at) != 1).peekable();
        let Some(first) = long.peek().copied() else { return };
        let factor = self.factor(cx.size(first), FactorKind::Permute);
        self.place(factor, long);
    }

    /// The same rule, linear as said.
    pub fn with_linear(mut self, linear: Linear) -> Self {
        self.linear = linear;
        self
    }

    /// The same rule, with an operand its reductions start from.
    pub fn starting_from(mut self, operand: usize) -> Self {
        self.starts.push(operand);
        self
    }

    /// A rule without factors for tensors of the given ranks.
    pub fn of_ranks(
        operands: impl IntoIterator<Item = usize>,
        results: impl IntoIterator<Item = usize>,
    ) -> Self {
        Rule {
            factors: IdMap::new(),
            operands: operands.into_iter().map(|rank| vec![DimFactors::new(); rank]).collect(),
            results: results.into_iter().map(|rank| vec![DimFactors::new(); rank]).collect(),
            linear: Linear::default(),
            starts: Vec::new(),
        }
    }

    pub fn factor(&mut self, size: i64, kind: FactorKind) -> FactorId {
        self.factors.push(Factor::new(size, kind))
    }

    /// A factor whose pieces the op's family localizes in its own way.
    pub fn factor_by_family(&mut self, size: i64, kind: FactorKind) -> FactorId {
        self.factors.push(Factor { size, kind, localize: Localize::ByFamily })
    }

    /// Say how the factors along which elements move are localized, where they do not shift.
    pub fn move_by(&mut self, localize: Localize) {
        let moved = |factor: &&mut Factor| factor.kind == FactorKind::Permute;
        self.factors.values_mut().filter(moved).for_each(|factor| factor.localize = localize);
    }

    /// Whether any factor is localized so.
    pub fn localizes(&self, how: Localize) -> bool {
        self.factors.values().any(|factor| factor.localize == how)
    }

    /// Whether localization knows how to split a factor. What shifts has to be there afterwards.
    pub fn can_split(&self, factor: FactorId) -> bool {
        let Factor { kind, localize, .. } = self.factors[factor];
        if kind == FactorKind::Whole {
            return false;
        }
        match localize {
            Localize::Shift => self.results.iter().flatten().any(|factors| factors.contains(&factor)),
            Localize::Plain | Localize::Combine | Localize::Merge | Localize::ByFamily => true,
            Localize::Never => false,
        }
    }

    /// Append a factor to dims.
    pub fn place(&mut self, factor: FactorId, dims: impl IntoIterator<Item = TensorDim>) {
        for TensorDim { tensor, dim } in dims {
            let tensor = match tensor {
                TensorIdx::Operand(index) => &mut self.operands[index],
                TensorIdx::Result(index) => &mut self.results[index],
            };
            tensor[dim].push(factor);
        }
    }

    /// Whether every factor passes through every tensor, one per dim: nothing is moved, added or removed.
    pub fn is_elementwise(&self) -> bool {
        let first = self.results.first().or(self.operands.first());
        self.factors.values().all(|factor| factor.kind == FactorKind::Pass)
            && self.operands.iter().chain(&self.results).all(|dims| Some(dims) == first)
            && first.is_none_or(|dims| dims.iter().all(|factors| factors.len() <= 1))
    }

    /// All tensors of the rule: operands, then results.
    pub fn tensors(&self) -> impl Iterator<Item = &Vec<DimFactors>> {
        self.operands.iter().chain(&self.results)
    }

    /// The factor's kind.
    pub fn kind(&self, factor: FactorId) -> FactorKind {
        self.factors[factor].kind
    }
}

/// Name of the n-th factor: i..z, then z_1, z_2, ..
pub fn factor_name(index: usize) -> String {
    match index {
        0..18 => char::from(b'i' + index as u8).to_string(),
        _ => format!("z_{}", index - 17),
    }
}

impl fmt::Display for Rule {
    /// As Shardy writes it: `([i, k], [k, j])->([i, j]) {i=8, k=32, j=16} reduction={k}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use meshwright_base::Id;
        let name = |id: FactorId| factor_name(id.index());
        let list = |tensors: &[Vec<DimFactors>]| {
            let tensor = |dims: &Vec<DimFactors>| {
                let dim = |factors: &DimFactors| {
                    if factors.is_empty() {
                        "1".to_string()
                    } else {
                        factors.iter().map(|id| name(*id)).collect()
                    }
                };
                format!("[{}]", dims.iter().map(dim).collect::<Vec<_>>().join(", "))
            };
            tensors.iter().map(tensor).collect::<Vec<_>>().join(", ")
        };
        let sizes: Vec<_> =
            self.factors.iter().map(|(id, factor)| format!("{}={}", name(id), factor.size)).collect();
        write!(f, "({})->({}) {{{}}}", list(&self.operands), list(&self.results), sizes.join(", "))?;
        let mut group = |label: &str, keep: &dyn Fn(&Factor) -> bool| {
            let names: Vec<_> =
                self.factors.iter().filter(|(_, factor)| keep(factor)).map(|(id, _)| name(id)).collect();
            if names.is_empty() { Ok(()) } else { write!(f, " {label}={{{}}}", names.join(", ")) }
        };
        group("reduction", &|factor| matches!(factor.kind, FactorKind::Reduce(_)))?;
        group("permutation", &|factor| factor.kind == FactorKind::Permute)?;
        group("need_replication", &|factor| factor.kind == FactorKind::Whole)?;
        group("by_family", &|factor| factor.localize == Localize::ByFamily)?;
        group("never_split", &|factor| factor.localize == Localize::Never)
    }
}
