//! An instruction made smaller: one element of each dim that it passes through, all of the others.
//!
//! ```text
//! %c = dot %a, %b : 512x2048, 2048x256 -> 512x256      =>      %c = dot %a, %b : 1x2048, 2048x1 -> 1x1
//! ```
//!
//! A dim is cut where the op's rule says that pieces of results are computed from pieces of operands, one dim after
//! the other, as long as what is left passes the verifier. A convolution that is too long even so is asked for one
//! place of its window: the padding moves instead of the window.

use meshwright_base::IdMap;
use meshwright_cost::compute::work;
use meshwright_interp::Tensor;
use meshwright_ir::op::WindowDim;
use meshwright_ir::rule::{DimFactors, FactorId, FactorKind, Localize, Rule, rule_of};
use meshwright_ir::{Editor, Function, InstId, Module, Op, Type, ValueId};
use meshwright_runtime::DeviceArray;
use meshwright_spmd::resize::{Sizes, resized};
use std::ops::Range;

/// Steps of one place's computation at most.
const MOST_STEPS: i64 = 1 << 22;
/// Elements of what it reads at most.
const MOST_READ: i64 = 1 << 25;

/// The factor that each dim of a tensor is cut along, if it is.
type DimCuts = Vec<Option<FactorId>>;

/// A place along each factor.
pub type At = IdMap<FactorId, i64>;

/// A module with the one instruction, whose parameters are the instruction's operands and what its regions read, cut
/// along some factors.
pub struct Excerpt {
    module: Module,
    /// Places that may be drawn along each factor; 1 where nothing is cut.
    places: IdMap<FactorId, i64>,
    /// Per operand and per result, per dim.
    operands: Vec<DimCuts>,
    results: Vec<DimCuts>,
    /// Where a convolution is asked for one place of its window: the window, and sizes of the input along it.
    window: Vec<(WindowDim, i64)>,
    steps: i64,
}

/// The smallest excerpt of the one instruction of a module; `None` if even that takes too long.
pub fn excerpt_of(module: &Module) -> Option<Excerpt> {
    let main = module.main();
    let [inst] = main.block(main.root()).insts[..] else { return None };
    let rule = rule_of(main, inst);
    let mut excerpt = cut(module, inst, &rule, IdMap::filled(rule.factors.len(), false))?;
    for factor in rule.factors.keys().filter(|factor| passes(&rule, *factor)) {
        let mut is_cut: IdMap<FactorId, bool> = excerpt.places.values().map(|places| *places > 1).collect();
        is_cut[factor] = true;
        excerpt = cut(module, inst, &rule, is_cut).unwrap_or(excerpt);
    }
    if excerpt.steps > MOST_STEPS {
        excerpt.take_one_place(&rule);
    }
    excerpt.is_soon_computed().then_some(excerpt)
}

/// Whether pieces along a factor are computed from pieces, and each dim it stands in is nothing else.
fn passes(rule: &Rule, id: FactorId) -> bool {
    let factor = rule.factors[id];
    let is_alone = rule.tensors().flatten().all(|dim| !dim.contains(&id) || dim.len() == 1);
    factor.kind == FactorKind::Pass && factor.localize == Localize::Plain && factor.size > 1 && is_alone
}

fn cut(module: &Module, inst: InstId, rule: &Rule, is_cut: IdMap<FactorId, bool>) -> Option<Excerpt> {
    let of = |dims: &Vec<DimFactors>| -> DimCuts {
        dims.iter().map(|dim| dim.first().copied().filter(|factor| is_cut[*factor])).collect()
    };
    let operands: Vec<_> = rule.operands.iter().map(of).collect();
    let results: Vec<_> = rule.results.iter().map(of).collect();
    let mut module = module.clone();
    let entry = module.entry;
    shrink(&mut module.funcs[entry], inst, &operands, &results);
    meshwright_ir::verify(&module).ok()?;
    let places = rule.factors.iter().map(|(id, factor)| if is_cut[id] { factor.size } else { 1 }).collect();
    let steps = steps(module.main(), inst);
    Some(Excerpt { module, places, operands, results, window: Vec::new(), steps })
}

/// Let dims that are cut have one element, in the instruction's types and in what its op says of them.
fn shrink(func: &mut Function, inst: InstId, operands: &[DimCuts], results: &[DimCuts]) {
    let info = func.inst(inst).clone();
    let smaller = |value: &ValueId, cuts: &DimCuts| -> Type {
        let ty = func.ty(*value).clone();
        let Type::Tensor(tensor) = &ty else { return ty };
        Type::Tensor(tensor.with_dims(lengths(&tensor.dims, cuts)))
    };
    let before: Vec<Type> = info.operands.iter().map(|value| func.ty(*value).clone()).collect();
    let after: Vec<Type> =
        info.operands.iter().zip(operands).map(|(value, cuts)| smaller(value, cuts)).collect();
    let made: Vec<Type> =
        info.results.iter().zip(results).map(|(value, cuts)| smaller(value, cuts)).collect();
    let dims = |types: &'_ [Type]| types.iter().map(|ty| ty.dims().to_vec()).collect::<Vec<_>>();
    let (before, sizes) = (dims(&before), dims(&after));
    let sizes = Sizes {
        before: &before.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        after: &sizes.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        results: &made.iter().collect::<Vec<_>>(),
    };
    let op = resized(info.op, &sizes);
    let mut editor = Editor::new(func);
    editor.set_op(inst, op);
    let values = info.operands.iter().chain(&info.results);
    values.zip(after.into_iter().chain(made)).for_each(|(value, ty)| editor.set_type(*value, ty));
    // The function's record of its results follows.
    let root = editor.func().root();
    editor.set_results(root, info.results);
}

/// Sizes of a tensor's dims where those that are cut have one element.
fn lengths(dims: &[i64], cuts: &DimCuts) -> Vec<i64> {
    dims.iter().zip(cuts).map(|(size, cut)| if cut.is_some() { 1 } else { *size }).collect()
}

/// How long the interpreter computes, about.
fn steps(func: &Function, inst: InstId) -> i64 {
    let info = func.inst(inst);
    let types = |values: &[ValueId]| values.iter().map(|value| func.ty(*value).clone()).collect::<Vec<_>>();
    let (operands, results) = (types(&info.operands), types(&info.results));
    let flops =
        work(&info.op, &operands.iter().collect::<Vec<_>>(), &results.iter().collect::<Vec<_>>()).flops;
    let window: i64 = match &info.op {
        Op::ReduceWindow(op) => op.window.iter().map(|dim| dim.size).fold(1, i64::saturating_mul),
        _ => 1,
    };
    (flops as i64).saturating_mul(window)
}

impl Excerpt {
    /// Ask a convolution for one place along each spatial dim that its window moves over.
    fn take_one_place(&mut self, rule: &Rule) {
        let entry = self.module.entry;
        let func = &mut self.module.funcs[entry];
        let [inst] = func.block(func.root()).insts[..] else { return };
        let Op::Convolution(op) = func.inst(inst).op.clone() else { return };
        let input = func.dims(func.inst(inst).operands[0]).to_vec();
        for (window, (from, to)) in
            op.window.iter().zip(op.dims.input_spatial.iter().zip(&op.dims.output_spatial))
        {
            self.window.push((*window, input[*from]));
            let factor = rule.results[0][*to].first().copied();
            // Where the window is larger than what it moves over, the rule is about the window's elements.
            let moves = |factor: &FactorId| {
                matches!(rule.factors[*factor].kind, FactorKind::Permute | FactorKind::Whole)
            };
            if let Some(factor) = factor.filter(moves) {
                self.results[0][*to] = Some(factor);
                self.places[factor] = func.dims(func.inst(inst).results[0])[*to];
            }
        }
        let result = func.inst(inst).results[0];
        let Type::Tensor(ty) = func.ty(result).clone() else { return };
        let mut editor = Editor::new(func);
        editor.set_type(result, Type::Tensor(ty.with_dims(lengths(&ty.dims, &self.results[0]))));
        let root = editor.func().root();
        editor.set_results(root, vec![result]);
        self.steps = steps(self.module.main(), inst);
    }

    fn is_soon_computed(&self) -> bool {
        let main = self.module.main();
        let values = main.param_values().iter().chain(main.result_values());
        let elements = values.filter_map(|value| main.ty(*value).as_tensor()).map(|ty| ty.elements());
        self.steps <= MOST_STEPS && elements.fold(0i64, i64::saturating_add) <= MOST_READ
    }

    /// About what one place costs.
    pub fn steps(&self) -> i64 {
        self.steps.max(1)
    }

    /// Places along each factor.
    pub fn places(&self) -> &IdMap<FactorId, i64> {
        &self.places
    }

    /// Whether all is computed at once.
    pub fn is_whole(&self) -> bool {
        self.places.values().all(|places| *places == 1)
    }

    /// The instruction as it is at a place.
    pub fn module_at(&self, at: &At) -> Module {
        let mut module = self.module.clone();
        let entry = module.entry;
        let func = &mut module.funcs[entry];
        let [inst] = func.block(func.root()).insts[..] else { return module };
        let Op::Convolution(mut op) = func.inst(inst).op.clone() else { return module };
        let cuts = op.dims.output_spatial.iter().map(|dim| self.results[0][*dim]);
        for ((moved, cut), (window, size)) in op.window.iter_mut().zip(cuts).zip(&self.window) {
            if let Some(factor) = cut {
                *moved = at_place(window, *size, at[factor]);
            }
        }
        Editor::new(func).set_op(inst, Op::Convolution(op));
        module
    }

    /// What the instruction reads there, in the order of the module's parameters.
    pub fn operands(&self, arrays: &[DeviceArray], at: &At) -> Option<Vec<Tensor>> {
        arrays.iter().enumerate().map(|(i, array)| part(array, self.operands.get(i), at)).collect()
    }

    pub fn results(&self, arrays: &[DeviceArray], at: &At) -> Option<Vec<Tensor>> {
        arrays.iter().enumerate().map(|(i, array)| part(array, self.results.get(i), at)).collect()
    }

    /// A place of a result in words.
    pub fn told(&self, result: usize, at: &At) -> String {
        let dim = |cut: &Option<FactorId>| cut.map_or(":".to_string(), |factor| at[factor].to_string());
        let dims = self.results.get(result).map_or(Vec::new(), |dims| dims.iter().map(dim).collect());
        format!("[{}]", dims.join(", "))
    }
}

/// The window that takes one place only, over `size` elements.
fn at_place(window: &WindowDim, size: i64, place: i64) -> WindowDim {
    let spread = |count: i64, step: i64| (count - 1).max(-1) * step + 1;
    let pad_low = window.pad_low - place * window.stride;
    let padded = spread(window.size, window.window_dilation);
    WindowDim { pad_low, pad_high: padded - spread(size, window.base_dilation) - pad_low, ..*window }
}

/// One element of each dim that is cut, all of the others.
fn part(array: &DeviceArray, cuts: Option<&DimCuts>, at: &At) -> Option<Tensor> {
    let bytes = array.shards().ok()?.first()?.bytes();
    let none = vec![None; array.ty.dims.len()];
    let cuts = cuts.unwrap_or(&none);
    let mut runs: Vec<Range<usize>> = std::iter::once(0..bytes.len()).collect();
    let mut size = bytes.len();
    for (dim, (length, cut)) in array.ty.dims.iter().zip(cuts).enumerate() {
        let count = usize::try_from(*length).ok()?.max(1);
        size /= count;
        if let Some(factor) = cut {
            let first = usize::try_from(at[*factor]).ok()? * size;
            runs = runs.into_iter().map(|run| run.start + first..run.start + first + size).collect();
        } else if cuts[dim + 1..].iter().any(Option::is_some) {
            let each =
                |run: Range<usize>| (0..count).map(move |i| run.start + i * size..run.start + (i + 1) * size);
            runs = runs.into_iter().flat_map(each).collect();
        }
    }
    let own = runs.into_iter().map(|run| bytes.get(run)).collect::<Option<Vec<_>>>()?.concat();
    Tensor::from_bytes(array.ty.with_dims(lengths(&array.ty.dims, cuts)), &own)
}
