//! Batching: one computation for many cases at once.
//!
//! ```text
//! f(a: f32[3], b: f32[3]) -> f32[]         batched over 5 cases of `a`:        f'(a: f32[5,3], b: f32[3]) -> f32[5]
//! ```
//!
//! A value that depends on the cases gets one more leading dim; the others stay as they are. To an op's rule the new
//! dim is one more pass-through factor, so most ops only say how their attributes shift ([`shift`]). Lookups and
//! products have a place for it ([`lookup`], [`product`]); control flow batches what is inside ([`control`]). What has
//! no form for many cases runs case by case in a scan. Annotations keep their dims and leave the new one unspecified.

pub(crate) mod annotate;
pub(crate) mod control;
pub(crate) mod lookup;
pub(crate) mod product;
pub(crate) mod shift;

use crate::activity::{Activity, Kind};
use crate::codes::{NOT_BATCHABLE, PARAMETER};
use crate::shared::{Shared, add_function};
use crate::tape::{FrameKind, ReverseFrame, Tape};
use meshwright_base::Diagnostic;
use meshwright_ir::copy::{ValueMap, copy_inst, mapped};
use meshwright_ir::{
    Attrs, BlockId, Build, Editor, FuncId, Function, InstId, Module, Op, TensorType, Type, ValueId,
};

/// A function while its batched form is written.
pub(crate) struct Batch<'m> {
    /// The batched function; its tape only writes.
    pub(crate) out: Tape<'m>,
    pub(crate) from: Function,
    flags: Activity,
    map: ValueMap,
    pub(crate) size: i64,
}

pub(crate) fn transform(
    module: &mut Module,
    func: FuncId,
    size: i64,
    batched: &[bool],
) -> Result<FuncId, Vec<Diagnostic>> {
    check(module, func, size, batched)?;
    let mut shared = Shared::new(&crate::Options::default());
    let made = function(module, &mut shared, func, size, batched.to_vec(), true);
    match (made, shared.diagnostics.iter().any(Diagnostic::is_error)) {
        (Some(made), false) => Ok(made),
        _ => Err(shared.diagnostics),
    }
}

fn check(module: &Module, func: FuncId, size: i64, batched: &[bool]) -> Result<(), Vec<Diagnostic>> {
    let Some(func) = module.funcs.get(func) else {
        return Err(vec![Diagnostic::error(PARAMETER, "there is no such function to batch")]);
    };
    let count = func.param_values().len();
    if batched.len() != count {
        let message = format!("{} flags for the {count} parameters of @{}", batched.len(), func.name);
        return Err(vec![Diagnostic::error(PARAMETER, message).help("give one flag per parameter")]);
    }
    if size < 0 {
        let message = format!("a batch cannot have {size} cases");
        return Err(vec![Diagnostic::error(PARAMETER, message).help("use a size of at least 0")]);
    }
    Ok(())
}

/// The batched form of a function, made once. `all`: every result is batched; otherwise those that depend on the cases.
pub(crate) fn function(
    module: &mut Module,
    shared: &mut Shared,
    func: FuncId,
    size: i64,
    batched: Vec<bool>,
    all: bool,
) -> Option<FuncId> {
    let key = (func, batched, all);
    if let Some(known) = shared.batched.get(&key) {
        return Some(*known);
    }
    let from = module.funcs.get(func)?.clone();
    let made = write(module, shared, from, size, &key.1, all)?;
    let made = add_function(module, made, "batched");
    shared.batched.insert(key, made);
    Some(made)
}

/// The batched form of a function that is in no module, with every result batched.
pub(crate) fn whole_function(
    module: &mut Module,
    shared: &mut Shared,
    func: &Function,
    size: i64,
    batched: &[bool],
) -> Option<Function> {
    // What it calls is batched by this size; another size is another form.
    let known = std::mem::take(&mut shared.batched);
    let made = write(module, shared, func.clone(), size, batched, true);
    shared.batched = known;
    made
}

fn write(
    module: &mut Module,
    shared: &mut Shared,
    from: Function,
    size: i64,
    batched: &[bool],
    all: bool,
) -> Option<Function> {
    let flags = Activity::of(module, shared, &from, batched, Kind::Batch);
    let mut empty = Function::new(&from.name, from.is_public);
    empty.attrs = from.attrs.clone();
    let out = Tape::with_activity(module, shared, empty, Activity::default());
    let mut batch = Batch { out, from, flags, map: ValueMap::default(), size };
    batch.root(all).then_some(batch.out.func)
}

impl Batch<'_> {
    /// Write the whole function. False where nesting goes too deep.
    fn root(&mut self, all: bool) -> bool {
        let (old, new) = (self.from.root(), self.out.func.root());
        self.params(old, new);
        for (info, old) in self.out.func.params.iter_mut().zip(&self.from.params) {
            info.attrs = old.attrs.clone();
        }
        if !self.out.enter(ReverseFrame::new(new, new, FrameKind::Direct)) {
            return false;
        }
        self.insts(old);
        let results: Vec<ValueId> = self.from.result_values().to_vec();
        let results = results.iter().map(|value| self.wanted(*value, all)).collect();
        self.out.leave();
        Editor::new(&mut self.out.func).set_results(new, results);
        for (info, old) in self.out.func.results.iter_mut().zip(&self.from.results) {
            info.attrs = old.attrs.clone();
        }
        true
    }

    /// Parameters of a block, batched where they are.
    fn params(&mut self, old: BlockId, new: BlockId) {
        for param in self.from.block(old).params.clone() {
            let ty = self.type_of(param);
            let made = Editor::new(&mut self.out.func).param(new, ty);
            self.looks(param, made);
            self.map.insert(param, made);
        }
    }

    /// Sharding and name of a value's batched form.
    fn looks(&mut self, old: ValueId, new: ValueId) {
        let value = self.from.value(old);
        let (name, mut sharding) = (value.name.clone(), value.sharding.clone());
        if self.is_batched(old) {
            sharding = sharding.map(annotate::with_leading_dim);
        }
        let mut editor = Editor::new(&mut self.out.func);
        editor.set_name(new, name);
        editor.set_sharding(new, sharding);
    }

    /// The type of a value's new form.
    pub(crate) fn type_of(&self, value: ValueId) -> Type {
        match (self.from.ty(value), self.is_batched(value)) {
            (Type::Tensor(ty), true) => self.stacked(ty).into(),
            (ty, _) => ty.clone(),
        }
    }

    /// The type of all cases of a value.
    pub(crate) fn stacked(&self, ty: &TensorType) -> TensorType {
        ty.with_dims([self.size].into_iter().chain(ty.dims.iter().copied()).collect::<Vec<_>>())
    }

    pub(crate) fn is_batched(&self, value: ValueId) -> bool {
        self.flags.is_varied(value)
    }

    /// The new form of a value.
    pub(crate) fn value(&self, value: ValueId) -> ValueId {
        mapped(&self.map, value)
    }

    pub(crate) fn set(&mut self, old: ValueId, new: ValueId) {
        self.map.insert(old, new);
    }

    /// All cases of a value, repeated if they are one.
    pub(crate) fn all_cases(&mut self, value: ValueId) -> ValueId {
        let new = self.value(value);
        if self.is_batched(value) {
            return new;
        }
        let Type::Tensor(ty) = self.from.ty(value).clone() else { return new };
        let stacked = self.stacked(&ty);
        self.out.broadcast(new, (1..=ty.rank()).collect(), &stacked.dims)
    }

    /// All cases of a value if asked for, or else its new form.
    pub(crate) fn wanted(&mut self, value: ValueId, all: bool) -> ValueId {
        if all { self.all_cases(value) } else { self.value(value) }
    }

    /// Write the instructions of a block.
    pub(crate) fn insts(&mut self, block: BlockId) {
        for inst in self.from.block(block).insts.clone() {
            self.inst(inst);
        }
    }

    fn inst(&mut self, inst: InstId) {
        let it = self.from.inst(inst);
        let inside = self.from.captures(inst);
        if !it.operands.iter().chain(&inside).any(|value| self.is_batched(*value)) {
            let block = self.out.block();
            return copy_inst(Some(&self.from), &mut self.out.func, inst, block, &mut self.map);
        }
        let (results, attrs) = (it.results.clone(), it.attrs.clone());
        self.out.source = it.source;
        let made = match shift::batched(self, inst) {
            Some(made) => made,
            None => control::case_by_case(self, inst),
        };
        self.keep_marks(&made, attrs);
        for (old, new) in results.into_iter().zip(made) {
            self.looks(old, new);
            self.set(old, new);
        }
    }

    /// Attributes of an instruction, on the one that stands for it, unless that has some of its own.
    fn keep_marks(&mut self, made: &[ValueId], attrs: Attrs) {
        let Some(inst) = made.first().and_then(|value| self.out.func.def_inst(*value)) else { return };
        let it = self.out.func.inst(inst);
        if it.results == made && it.attrs.is_empty() {
            *Editor::new(&mut self.out.func).attrs_mut(inst) = attrs;
        }
    }

    /// Report an op that has no batched form.
    pub(crate) fn refuse(&mut self, inst: InstId, why: &str) {
        let it = self.from.inst(inst);
        let message = format!("{} cannot be batched: {why}", it.op.mnemonic());
        let place = self.out.module.place(it.source);
        let help = "move it out of the batched function, or write the batch dim by hand";
        self.out.report(Diagnostic::error(NOT_BATCHABLE, message).at_place(place).help(help));
    }

    /// A block of the function as a block of the batched one. `all` says which results are wanted for all cases.
    pub(crate) fn region(&mut self, region: BlockId, all: &[bool]) -> BlockId {
        let block = Editor::new(&mut self.out.func).block();
        self.params(region, block);
        self.fill(region, block, all);
        block
    }

    /// Write a block's instructions and results into a new block whose parameters are there.
    pub(crate) fn fill(&mut self, region: BlockId, block: BlockId, all: &[bool]) {
        let name = self.from.block(region).name.clone();
        Editor::new(&mut self.out.func).set_block_name(block, name);
        if !self.out.enter(ReverseFrame::new(block, block, FrameKind::Direct)) {
            return;
        }
        self.insts(region);
        let results = self.from.block(region).results.clone();
        let results = results.iter().zip(all).map(|(value, all)| self.wanted(*value, *all)).collect();
        self.out.leave();
        Editor::new(&mut self.out.func).set_results(block, results);
    }

    /// Copy a region that knows nothing of cases (a reducer, a comparator).
    pub(crate) fn plain_regions(&mut self, inst: InstId) -> Vec<BlockId> {
        let regions = self.from.inst(inst).regions.clone();
        let copy = |region| {
            meshwright_ir::copy::copy_region(Some(&self.from), &mut self.out.func, region, &mut self.map)
        };
        regions.into_iter().map(copy).collect()
    }

    pub(crate) fn op_of(&self, inst: InstId) -> Op {
        self.from.inst(inst).op.clone()
    }
}

/// Dims behind a new leading one.
pub(crate) fn up(dims: &[usize]) -> Vec<usize> {
    dims.iter().map(|dim| dim + 1).collect()
}

/// A number of a scalar's type.
pub(crate) fn scalar(b: &mut Batch<'_>, like: ValueId, number: i64) -> ValueId {
    match b.from.ty(like) {
        Type::Tensor(ty) => {
            let ty = ty.clone();
            b.out.splat_int(&ty, number)
        }
        Type::Token => b.value(like),
    }
}
