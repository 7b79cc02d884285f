//! Instructions and edges as steps: slots, and the form of the rule that relates them.
//!
//! A *form* is a rule laid out flat: the factors of each dim of each tensor, the tensors by falling size, and the level
//! at which each direction may run. Equal instructions on equal types share one form, so a model of many layers has a
//! few hundred however deep it is. A rule whose tensors fall into groups that share no factor (operand i to result i of
//! a barrier) becomes one step per group. Tensors without factors take no part; fewer than two make no step.

use crate::alike::{Alike, quick_hash};
use crate::levels::{Level, levels};
use crate::lists::ListId;
use crate::state::SlotId;
use meshwright_base::arrange::Arrange;
use meshwright_base::{Id, IdMap, define_id};
use meshwright_ir::rule::DimFactors;
use meshwright_ir::{
    Factor, FactorId, FactorKind, FuncId, Function, Inst, InstId, Rule, Type, ValueId, rule_of,
};
use std::ops::Range;

define_id!(
    /// A step, in program order.
    pub(crate) StepId, "step"
);
define_id!(
    /// What steps of equal instructions have in common.
    pub(crate) FormId, "form"
);

define_id!(
    /// Which of a step's tensors, operands first.
    pub(crate) TensorPlace, "tensor"
);

/// One tensor of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tensor {
    pub slot: SlotId,
    /// Leading axes of each dim that the step does not see: those that are manual on the other side.
    pub strip: ListId,
}

/// A visit's worth: tensors related by a form, operands first.
#[derive(Clone, Debug)]
pub(crate) struct FlowStep {
    pub form: FormId,
    pub tensors: Range<usize>,
    pub func: FuncId,
    /// `None`: the return of the function.
    pub inst: Option<InstId>,
}

/// A dim of one of a form's tensors.
pub(crate) type DimPlace = (TensorPlace, u32);

/// Two of them.
pub(crate) type DimPair = [DimPlace; 2];

/// How the dims of some tensors relate.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// How many of the tensors are operands; the rest are results.
    pub operands: usize,
    /// Factors of each dim of each tensor, as positions in `factors`.
    dims: IdMap<TensorPlace, Vec<DimFactors>>,
    pub factors: IdMap<FactorId, Factor>,
    pub forward: Level,
    pub backward: Level,
    /// The tensors by falling size.
    pub by_size: Vec<TensorPlace>,
    /// Which of the instruction's operands and results (counted on) the tensors are.
    places: Vec<usize>,
    /// Pairs of neighbours among the dims of each factor that may be split, if no dim has several factors.
    pub single: Option<Vec<DimPair>>,
    /// Whether all tensors have the same dims in one order, each a factor of its own.
    pub is_aligned: bool,
    /// Pairs of dims that begin with one factor which may be split: the first that has it, and each other.
    pub tied: Vec<DimPair>,
}

impl Form {
    pub(crate) fn is_operand(&self, tensor: TensorPlace) -> bool {
        tensor.index() < self.operands
    }

    /// Factors of a dim of a tensor.
    #[inline]
    pub(crate) fn factors_of(&self, tensor: TensorPlace, dim: usize) -> &[FactorId] {
        &self.dims[tensor][dim]
    }
}

/// All steps of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    pub steps: IdMap<StepId, FlowStep>,
    pub forms: IdMap<FormId, Form>,
    pub tensors: Vec<Tensor>,
}

impl Steps {
    pub(crate) fn form(&self, step: &FlowStep) -> &Form {
        &self.forms[step.form]
    }

    pub(crate) fn tensors_of(&self, step: &FlowStep) -> &[Tensor] {
        &self.tensors[step.tensors.clone()]
    }

    /// A step over these tensors.
    pub(crate) fn add(
        &mut self,
        form: FormId,
        (func, inst): (FuncId, Option<InstId>),
        tensors: impl Iterator<Item = Tensor>,
    ) {
        let first = self.tensors.len();
        self.tensors.extend(tensors);
        self.steps.push(FlowStep { form, tensors: first..self.tensors.len(), func, inst });
    }
}

/// Forms of instructions seen so far.
pub(crate) type Known = Alike<Example>;

/// The first instruction of its kind, and its forms.
pub(crate) struct Example {
    func: FuncId,
    inst: InstId,
    forms: Range<usize>,
}

/// Add the steps of an instruction that flows by its rule.
pub(crate) fn add_instruction(
    steps: &mut Steps,
    known: &mut Known,
    funcs: &IdMap<FuncId, Function>,
    (id, inst): (FuncId, InstId),
    slot: impl Fn(ValueId) -> SlotId,
) {
    let func = &funcs[id];
    let info = func.inst(inst);
    if values(info).filter(|value| !func.dims(*value).is_empty()).count() < 2 {
        return;
    }
    let forms = &mut steps.forms;
    let make = || {
        let first = forms.len();
        let types: Vec<&Type> = types(func, info).collect();
        for form in forms_of(&rule_of(func, inst), &types) {
            forms.push(form);
        }
        Example { func: id, inst, forms: first..forms.len() }
    };
    let same =
        |example: &Example| equal(func, info, &funcs[example.func], funcs[example.func].inst(example.inst));
    let known = known.first(hash(func, info), same, make).forms.clone();
    for form in known.map(FormId::from_index) {
        let first = steps.tensors.len();
        for place in &steps.forms[form].places {
            let value = info.operands.get(*place).or_else(|| info.results.get(*place - info.operands.len()));
            steps.tensors.extend(value.map(|value| Tensor { slot: slot(*value), strip: ListId::empty() }));
        }
        steps.steps.push(FlowStep { form, tensors: first..steps.tensors.len(), func: id, inst: Some(inst) });
    }
}

fn values(inst: &Inst) -> impl Iterator<Item = ValueId> {
    inst.operands.iter().chain(&inst.results).copied()
}

fn types<'a>(func: &'a Function, inst: &'a Inst) -> impl Iterator<Item = &'a Type> {
    values(inst).map(|value| func.ty(value))
}

/// Of the op and the sizes; element types and reducers rarely tell instructions apart.
fn hash(func: &Function, inst: &Inst) -> u64 {
    let sizes = values(inst).fold(0u64, |hash, value| {
        let dims = func.dims(value).iter();
        dims.fold(hash.rotate_left(7), |hash, size| {
            (hash.rotate_left(9) ^ *size as u64).wrapping_mul(0x9e37_79b9)
        })
    });
    quick_hash(&(&inst.op, sizes))
}

/// Whether two instructions have the same rule: op, types, and what the region reduces with.
fn equal(func: &Function, inst: &Inst, other_func: &Function, other: &Inst) -> bool {
    let reducer =
        |func: &Function, inst: &Inst| inst.regions.first().and_then(|region| func.region_reducer(*region));
    inst.operands.len() == other.operands.len()
        && inst.results.len() == other.results.len()
        && types(func, inst).eq(types(other_func, other))
        && inst.op == other.op
        && reducer(func, inst) == reducer(other_func, other)
}

/// The forms of a rule over tensors of these types, operands first.
fn forms_of(rule: &Rule, types: &[&Type]) -> Vec<Form> {
    let dims: Vec<&Vec<DimFactors>> = rule.tensors().collect();
    let groups = connected(rule.factors.len(), &dims);
    let form = |places: Vec<usize>| {
        let dims = places.iter().map(|place| dims[*place].clone()).collect();
        let operands = places.iter().filter(|place| **place < rule.operands.len()).count();
        let bytes = |place: &usize| types.get(*place).map_or(0, |ty| ty.byte_size());
        form(dims, operands, rule.factors.clone(), places.iter().map(bytes).collect(), places)
    };
    groups.into_iter().filter(|places| places.len() > 1).map(form).collect()
}

fn form(
    dims: Vec<Vec<DimFactors>>,
    operands: usize,
    factors: IdMap<FactorId, Factor>,
    bytes: IdMap<TensorPlace, i64>,
    places: Vec<usize>,
) -> Form {
    let (forward, backward) = levels(factors.values().as_slice(), &dims[..operands], &dims[operands..]);
    let mut by_size: Vec<TensorPlace> = bytes.keys().collect();
    by_size.arrange_by_key(|at| std::cmp::Reverse(bytes[*at]));
    let (single, tied) = (single(&dims, &factors), tied(&dims, &factors));
    let is_aligned = is_aligned(&dims);
    let dims = dims.into_iter().collect();
    Form { operands, dims, factors, forward, backward, by_size, places, single, is_aligned, tied }
}

/// Neighbours among the dims of each factor that may be split, if no dim has several factors.
fn single(dims: &[Vec<DimFactors>], factors: &IdMap<FactorId, Factor>) -> Option<Vec<DimPair>> {
    let mut last: IdMap<FactorId, Option<DimPlace>> = IdMap::filled(factors.len(), None);
    let mut pairs = Vec::new();
    for (at, of) in each_dim(dims) {
        match of[..] {
            [] => {}
            [factor] if factors[factor].kind == FactorKind::Whole => {}
            [factor] => pairs.extend(last[factor].replace(at).map(|before| [before, at])),
            [..] => return None,
        }
    }
    Some(pairs)
}

/// Whether each dim of all tensors is one factor, the same at the same place.
fn is_aligned(dims: &[Vec<DimFactors>]) -> bool {
    let Some((first, others)) = dims.split_first() else { return false };
    let is_new = |(at, of): (usize, &DimFactors)| of.len() == 1 && !first[..at].contains(of);
    first.iter().enumerate().all(is_new) && others.iter().all(|other| other == first)
}

/// Dims that begin with one factor which may be split.
fn tied(dims: &[Vec<DimFactors>], factors: &IdMap<FactorId, Factor>) -> Vec<DimPair> {
    let mut first: IdMap<FactorId, Option<DimPlace>> = IdMap::filled(factors.len(), None);
    let mut pairs = Vec::new();
    for (at, of) in each_dim(dims) {
        let Some(factor) = of.first().copied() else { continue };
        let info = factors[factor];
        if info.kind != FactorKind::Whole && info.size > 1 {
            match first[factor] {
                Some(first) => pairs.push([first, at]),
                None => first[factor] = Some(at),
            }
        }
    }
    pairs
}

fn each_dim(dims: &[Vec<DimFactors>]) -> impl Iterator<Item = (DimPlace, &DimFactors)> {
    let tensors = (0..).map(TensorPlace::from_index).zip(dims);
    tensors.flat_map(|(tensor, dims)| (0..).zip(dims).map(move |(dim, of)| ((tensor, dim), of)))
}

/// What the form of an edge depends on: `sources` tensors that pass every dim on to one target, but for a leading dim
/// that stands alone (`stacked`) on the sources' side, the target's, or none.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct EdgeShape {
    pub sizes: Vec<i64>,
    pub sources: usize,
    pub stacked: (usize, usize),
    pub levels: (Level, Level),
}

/// Forms of edges seen so far.
pub(crate) type EdgeForms = Alike<(EdgeShape, FormId)>;

impl EdgeShape {
    /// Its form, the same for all edges of the shape.
    pub(crate) fn form(&self, known: &mut EdgeForms, forms: &mut IdMap<FormId, Form>) -> FormId {
        let hash = quick_hash(&(&self.sizes, self.sources));
        known.first(hash, |(shape, _)| shape == self, || (self.clone(), forms.push(self.made()))).1
    }

    fn made(&self) -> Form {
        let factor = |size: &i64| Factor::new(*size, meshwright_ir::FactorKind::Pass);
        let dims = |stacked: usize| -> Vec<DimFactors> {
            let own = (0..self.sizes.len()).map(|at| DimFactors::from_iter([FactorId::from_index(at)]));
            std::iter::repeat_n(DimFactors::new(), stacked).chain(own).collect()
        };
        let mut all = vec![dims(self.stacked.0); self.sources];
        all.push(dims(self.stacked.1));
        let factors: IdMap<FactorId, Factor> = self.sizes.iter().map(factor).collect();
        Form {
            operands: self.sources,
            single: single(&all, &factors),
            is_aligned: is_aligned(&all),
            tied: tied(&all, &factors),
            dims: all.into_iter().collect(),
            factors,
            forward: self.levels.0,
            backward: self.levels.1,
            by_size: (0..=self.sources).map(TensorPlace::from_index).collect(),
            places: (0..=self.sources).collect(),
        }
    }
}

/// Groups of tensors that share factors, in order of their first tensor; tensors without factors are in none.
fn connected(factors: usize, tensors: &[&Vec<DimFactors>]) -> Vec<Vec<usize>> {
    let mut sets = Sets { parent: (0..tensors.len()).collect() };
    let mut first_with: Vec<Option<usize>> = vec![None; factors];
    for (at, dims) in tensors.iter().enumerate() {
        for factor in dims.iter().flatten() {
            let first = *first_with[factor.index()].get_or_insert(at);
            sets.join(first, at);
        }
    }
    let mut group_of = vec![None; tensors.len()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in (0..tensors.len()).filter(|at| tensors[*at].iter().any(|dim| !dim.is_empty())) {
        let group = *group_of[sets.root(at)].get_or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(at);
    }
    groups
}

/// Disjoint sets of tensors; the root of a set is its first member.
struct Sets {
    parent: Vec<usize>,
}

impl Sets {
    fn root(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }
}
