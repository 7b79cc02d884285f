//! From an outline to a module: functions, regions, and the values behind names.
//!
//! Computations that are called become functions, each once. Computations that belong to an instruction (a reducer, a
//! loop's body) become regions; a computation with several such users is built again for each. Branches of a
//! conditional and computations behind asynchronous starts have no parameters of their own here: their parameters are
//! names for values outside.

use super::common::Common;
use super::inst::{InstText, no_shape};
use super::lex::{Piece, Read, fault};
use super::metadata::Sources;
use super::op::{self, Entry, Made};
use super::outline::{MAX_DIAGNOSTICS, Outline, RawComputation, RawInst};
use super::shape::{Form, HloShape, Leaf, describe_shape};
use crate::codes;
use meshwright_base::{Diagnostic, IdMap, Span, cancel};
use meshwright_ir::infer::{InferCx, infer_types};
use meshwright_ir::op::{Control, Groups, Numbering};
use meshwright_ir::{At, Attrs, BlockId, Editor, FuncId, Function, InstId, Op, TensorType, Type, ValueId};
use meshwright_shard::{Mesh, Meshes};
use std::collections::HashMap;
use std::ops::Range;

/// How deep computations may call or contain each other.
const MAX_NESTING: usize = 64;
/// How many instructions and values all copies of shared computations may have, beyond this many per written one.
const MAX_COPIES: usize = 64;

/// Why an instruction was not built.
pub(super) enum Stop {
    Told(Box<Diagnostic>),
    /// Because of something that was reported where it is.
    Silent,
}

impl From<Box<Diagnostic>> for Stop {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Stop::Told(diagnostic)
    }
}

pub(super) type Build<T> = Result<T, Stop>;

/// An HLO value: a form, and one of our values per leaf.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub form: Form,
    /// Where its values stand in the body's flat list.
    pub at: Range<usize>,
    /// The result of an asynchronous start: only its `update` and `done` may use it.
    pub pending: bool,
}

impl Bound {
    /// Element `index` of a tuple.
    pub fn item(&self, index: usize) -> Option<Bound> {
        let (form, before) = self.form.item(index)?;
        let start = self.at.start + before;
        Some(Bound { form: form.clone(), at: start..start + form.leaves(), pending: false })
    }
}

/// A function in the making.
pub(super) struct Body {
    pub func: Function,
    flat: Vec<ValueId>,
    /// Per instruction.
    spans: IdMap<InstId, Span>,
    param_forms: Vec<Form>,
    result_form: Form,
    // lookup only: unusual layouts, which a bitcast needs
    layouts: HashMap<ValueId, Box<str>>,
    /// Whether a computation was put in line, so that names may clash.
    has_inlined: bool,
}

impl Body {
    fn new(name: &str, is_public: bool) -> Body {
        Body {
            func: Function::new(name, is_public),
            flat: Vec::new(),
            spans: IdMap::new(),
            param_forms: Vec::new(),
            result_form: Form::Leaf,
            layouts: Default::default(),
            has_inlined: false,
        }
    }

    pub fn values(&self, bound: &Bound) -> &[ValueId] {
        self.flat.get(bound.at.clone()).unwrap_or(&[])
    }

    pub fn bind(&mut self, form: Form, values: impl IntoIterator<Item = ValueId>) -> Bound {
        let start = self.flat.len();
        self.flat.extend(values);
        Bound { form, at: start..self.flat.len(), pending: false }
    }

    /// The layout of a value, if it is not the row-major one.
    pub fn layout(&self, value: ValueId) -> Option<&str> {
        self.layouts.get(&value).map(|layout| &**layout)
    }

    fn keep_layout(&mut self, value: ValueId, layout: Option<&str>) {
        if let Some(layout) = layout {
            self.layouts.insert(value, layout.into());
        }
    }

    pub fn editor(&mut self) -> Editor<'_> {
        Editor::new(&mut self.func)
    }

    pub fn types(&self, bound: &Bound) -> Vec<Type> {
        self.values(bound).iter().map(|value| self.func.ty(*value).clone()).collect()
    }
}

/// The names of one computation while it is built into a block.
pub(super) struct Scope<'t> {
    pub block: BlockId,
    // lookup only: names of the text; `None` is a name whose instruction was reported
    names: HashMap<&'t str, Option<Bound>>,
}

impl Scope<'_> {
    fn new(block: BlockId, names: usize) -> Self {
        // lookup only: see above
        Scope { block, names: HashMap::with_capacity(names) }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Building,
    Built(FuncId),
    Broken,
}

/// A function's forms and spans, for the header and for diagnostics of later checks.
pub(super) struct Built {
    pub param_forms: Vec<Form>,
    pub result_form: Form,
    pub spans: IdMap<InstId, Span>,
}

pub(super) struct ModuleBuilder<'b, 't> {
    pub outline: &'b Outline<'t>,
    // lookup only: by name
    computations: HashMap<&'t str, usize>,
    states: Vec<State>,
    pub sources: Sources<'t>,
    pub meshes: Meshes,
    pub funcs: IdMap<FuncId, Function>,
    pub built: IdMap<FuncId, Built>,
    pub diagnostics: Vec<Diagnostic>,
    /// Replicas and partitions of the program, one each if it does not say.
    pub numbering: Numbering,
    depth: usize,
    fuel: usize,
}

impl<'b, 't> ModuleBuilder<'b, 't> {
    pub fn new(outline: &'b Outline<'t>, sources: Sources<'t>, numbering: Numbering) -> Self {
        let names = outline.computations.iter().enumerate().map(|(i, computation)| (computation.name.str, i));
        ModuleBuilder {
            outline,
            computations: names.collect(),
            states: vec![State::New; outline.computations.len()],
            sources,
            meshes: Meshes::new(),
            funcs: IdMap::new(),
            built: IdMap::new(),
            diagnostics: Vec::new(),
            numbering,
            depth: 0,
            fuel: outline.insts.len().saturating_mul(MAX_COPIES).saturating_add(1 << 20),
        }
    }

    /// The function of a computation, built on first use.
    pub fn function(&mut self, index: usize, is_entry: bool) -> Build<FuncId> {
        match self.states[index] {
            State::Built(func) => return Ok(func),
            State::Broken => return Err(Stop::Silent),
            State::New | State::Building => {}
        }
        let computation = &self.outline.computations[index];
        let mut body = Body::new(computation.name.str, is_entry);
        let block = body.func.root();
        let result =
            self.enter(index, |builder| builder.parameters_and_body(&mut body, computation, block))?;
        body.result_form = result.form.clone();
        self.result_shardings(&mut body, computation)?;
        let keeps_root = body.result_form == Form::of_count(body.result_form.leaves());
        super::names::name_values(&mut body.func, body.has_inlined, keeps_root);
        let func = self.funcs.push(body.func);
        self.built.push(Built {
            param_forms: body.param_forms,
            result_form: body.result_form,
            spans: body.spans,
        });
        self.states[index] = State::Built(func);
        Ok(func)
    }

    /// The same; what is wrong is among the diagnostics.
    pub fn function_or_told(&mut self, index: usize, is_entry: bool) -> Option<FuncId> {
        match self.function(index, is_entry) {
            Ok(func) => return Some(func),
            Err(Stop::Told(diagnostic)) => self.diagnostics.push(*diagnostic),
            Err(Stop::Silent) => {}
        }
        None
    }

    /// What a root tuple's sharding says is asked of the results; any other root's results ask for what they have.
    fn result_shardings(&mut self, body: &mut Body, computation: &RawComputation<'t>) -> Build<()> {
        let root = &self.outline.insts[computation.root];
        let mut text = InstText::new(root, self.outline.attrs(root), &body.func, &[]);
        let common =
            (root.opcode.str == "tuple").then(|| Common::read(&mut text, &mut self.sources)).transpose()?;
        let asked: Vec<_> = match common {
            Some(common) => (0..body.func.results.len()).map(|leaf| common.annotation(leaf)).collect(),
            None => body
                .func
                .result_values()
                .iter()
                .map(|value| body.func.value(*value).sharding.clone())
                .collect(),
        };
        for (info, sharding) in body.editor().result_info_mut().iter_mut().zip(asked) {
            info.sharding = sharding;
        }
        Ok(())
    }

    /// The function of a named computation.
    pub fn callee(&mut self, name: Piece<'t>) -> Build<FuncId> {
        let index = self.computation(name)?;
        self.function(index, false)
    }

    fn computation(&self, name: Piece<'t>) -> Read<usize> {
        let key = name.str.trim_start_matches('%');
        self.computations.get(key).copied().ok_or_else(|| {
            let message = format!("no computation is called `{key}`");
            fault(codes::UNDEFINED, name.span(), message)
        })
    }

    /// Guard against endless nesting; remembers what is broken, so that it is reported once.
    fn enter<T>(&mut self, index: usize, work: impl FnOnce(&mut Self) -> Build<T>) -> Build<T> {
        let name = self.outline.computations[index].name;
        if self.states[index] == State::Broken {
            return Err(Stop::Silent);
        }
        if self.states[index] == State::Building {
            let message = format!("computation `{}` contains itself", name.str);
            return Err(fault(codes::UNSUPPORTED, name.span(), message).into());
        }
        if self.depth == MAX_NESTING {
            let message = format!("computations nest deeper than {MAX_NESTING} levels");
            return Err(fault(codes::TOO_DEEP, name.span(), message).into());
        }
        let before = (self.diagnostics.len(), std::mem::replace(&mut self.states[index], State::Building));
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        let is_broken = result.is_err() || self.diagnostics.len() > before.0;
        self.states[index] = if is_broken { State::Broken } else { before.1 };
        result
    }

    /// A computation as a region with parameters of its own.
    pub fn region(&mut self, body: &mut Body, name: Piece<'t>) -> Build<BlockId> {
        let index = self.computation(name)?;
        let computation = &self.outline.computations[index];
        let block = body.editor().block();
        body.editor().set_block_name(block, Some(computation.name.str.into()));
        self.enter(index, |builder| builder.parameters_and_body(body, computation, block))?;
        Ok(block)
    }

    /// A computation as a region whose parameters are the given values.
    pub fn branch(&mut self, body: &mut Body, name: Piece<'t>, args: &[Bound]) -> Build<BlockId> {
        let block = body.editor().block();
        let computation = self.computation(name)?;
        let name = self.outline.computations[computation].name.str;
        body.editor().set_block_name(block, Some(name.into()));
        let result = self.inline(body, block, computation, args)?;
        let results = body.values(&result).to_vec();
        body.editor().set_results(block, results);
        Ok(block)
    }

    /// A computation's instructions right here.
    pub fn inline_named(
        &mut self,
        body: &mut Body,
        block: BlockId,
        name: Piece<'t>,
        args: &[Bound],
    ) -> Build<Bound> {
        let computation = self.computation(name)?;
        body.has_inlined = true;
        self.inline(body, block, computation, args)
    }

    fn inline(&mut self, body: &mut Body, block: BlockId, index: usize, args: &[Bound]) -> Build<Bound> {
        let computation = &self.outline.computations[index];
        let mut scope = Scope::new(block, 0);
        for (number, inst) in &computation.params {
            let raw = &self.outline.insts[*inst];
            let arg = args.get(*number).ok_or_else(|| missing_argument(raw, *number, args.len()))?;
            check_argument(body, raw, arg)?;
            scope.names.insert(raw.name.str, Some(arg.clone()));
        }
        self.enter(index, |builder| builder.instructions(body, computation, &mut scope))
    }

    fn parameters_and_body(
        &mut self,
        body: &mut Body,
        computation: &'b RawComputation<'t>,
        block: BlockId,
    ) -> Build<Bound> {
        let mut scope = Scope::new(block, computation.insts.len());
        // A line that does not read may be the parameter that is missing.
        let is_whole =
            self.outline.insts[computation.insts.clone()].iter().all(|raw| !raw.opcode.str.is_empty());
        for (expected, (number, inst)) in computation.params.iter().enumerate() {
            let raw = &self.outline.insts[*inst];
            if *number != expected && is_whole {
                let message = format!(
                    "this is parameter {number}, but {expected} is next: parameters are numbered from 0 without gaps"
                );
                return Err(fault(codes::SYNTAX, raw.args.span(), message).into());
            }
            let bound = self.parameter(body, block, raw)?;
            scope.names.insert(raw.name.str, Some(bound));
        }
        let result = self.instructions(body, computation, &mut scope)?;
        let results = body.values(&result).to_vec();
        body.editor().set_results(block, results);
        Ok(result)
    }

    fn parameter(&mut self, body: &mut Body, block: BlockId, raw: &'b RawInst<'t>) -> Build<Bound> {
        let Some(shape) = &raw.shape else {
            return Err(no_shape(raw).into());
        };
        self.burn(raw, shape.leaves.len())?;
        let mut text = InstText::new(raw, self.outline.attrs(raw), &body.func, &[]);
        let common = Common::read(&mut text, &mut self.sources)?;
        common.unknown(&text)?;
        let is_root = block == body.func.root();
        let mut values = Vec::with_capacity(shape.leaves.len());
        for (i, leaf) in shape.leaves.iter().enumerate() {
            let value = body.editor().param(block, leaf.ty.clone());
            body.editor().set_sharding(value, common.annotation(i));
            values.push(value);
            body.keep_layout(value, leaf.layout);
            if is_root && let Some(info) = body.editor().param_info_mut().last_mut() {
                info.attrs = common.param_attrs(leaf, &self.sources);
            }
        }
        if let (Form::Leaf, [value]) = (&shape.form, &values[..]) {
            body.editor().set_name(*value, Some(raw.name.str.into()));
        }
        if is_root {
            body.param_forms.push(shape.form.clone());
        }
        Ok(body.bind(shape.form.clone(), values))
    }

    /// Build all instructions; the value of the root.
    fn instructions(
        &mut self,
        body: &mut Body,
        computation: &RawComputation<'t>,
        scope: &mut Scope<'t>,
    ) -> Build<Bound> {
        for index in computation.insts.clone() {
            let raw = &self.outline.insts[index];
            if raw.opcode.str == "parameter" {
                continue;
            }
            let bound = match self.instruction(body, scope, raw) {
                Ok(bound) => Some(bound),
                Err(Stop::Silent) => None,
                Err(Stop::Told(diagnostic)) => {
                    self.diagnostics.push(*diagnostic);
                    None
                }
            };
            if self.diagnostics.len() >= MAX_DIAGNOSTICS {
                return Err(Stop::Silent);
            }
            if scope.names.insert(raw.name.str, bound).is_some() {
                let message = format!("`{}` is defined twice", raw.name.str);
                self.diagnostics.push(*fault(codes::DEFINED_TWICE, raw.name.span(), message));
            }
        }
        let root = self.outline.insts[computation.root].name.str;
        scope.names.get(root).cloned().flatten().ok_or(Stop::Silent)
    }

    fn instruction(&mut self, body: &mut Body, scope: &mut Scope<'t>, raw: &'b RawInst<'t>) -> Build<Bound> {
        cancel::look();
        if raw.opcode.str.is_empty() {
            return Err(Stop::Silent);
        }
        self.burn(raw, raw.shape.as_ref().map_or(0, |shape| shape.leaves.len()))?;
        match op::entry(raw.opcode)? {
            Entry::Op(read) => {
                let operands = self.operands(scope, raw)?;
                self.plain(body, scope, raw, &operands, |text| read(text))
            }
            Entry::Unary(unary) => {
                let operands = self.operands(scope, raw)?;
                self.plain(body, scope, raw, &operands, |_| Ok(Made::of(Op::Unary(unary))))
            }
            Entry::Binary(binary) => {
                let operands = self.operands(scope, raw)?;
                self.plain(body, scope, raw, &operands, |_| Ok(Made::of(Op::Binary(binary))))
            }
            Entry::Constant => self.plain(body, scope, raw, &[], op::data::read_constant),
            Entry::Special(build) => {
                let operands = self.operands(scope, raw)?;
                build(self, body, scope, raw, &operands)
            }
            Entry::Refused(why) => Err(op::refuse(raw.opcode, why).into()),
        }
    }

    /// An instruction that becomes one of ours, with all leaves of its operands as operands.
    pub fn plain(
        &mut self,
        body: &mut Body,
        scope: &Scope<'t>,
        raw: &'b RawInst<'t>,
        operands: &[Bound],
        read: impl FnOnce(&mut InstText<'_, 't>) -> Read<Made<'t>>,
    ) -> Build<Bound> {
        self.plain_of(body, scope, (raw, raw.shape.as_ref()), operands, read)
    }

    /// The same with another result shape than the text declares.
    pub fn plain_as(
        &mut self,
        body: &mut Body,
        scope: &Scope<'t>,
        raw: &'b RawInst<'t>,
        operands: &[Bound],
        shape: &HloShape<'t>,
        read: impl FnOnce(&mut InstText<'_, 't>) -> Read<Made<'t>>,
    ) -> Build<Bound> {
        self.plain_of(body, scope, (raw, Some(shape)), operands, read)
    }

    /// The same; a shape that is left out is inferred.
    fn plain_of(
        &mut self,
        body: &mut Body,
        scope: &Scope<'t>,
        (raw, shape): (&'b RawInst<'t>, Option<&HloShape<'t>>),
        operands: &[Bound],
        read: impl FnOnce(&mut InstText<'_, 't>) -> Read<Made<'t>>,
    ) -> Build<Bound> {
        let mut values = Vec::with_capacity(operands.len());
        operands.iter().for_each(|operand| values.extend_from_slice(body.values(operand)));
        let mut text = InstText::new(raw, self.outline.attrs(raw), &body.func, &values);
        (text.shape, text.numbering) = (shape, self.numbering);
        let mut made = read(&mut text)?;
        let common = Common::read(&mut text, &mut self.sources)?;
        common.unknown(&text)?;
        if let (Some(mesh), Op::Collective(op)) = (made.mesh.take(), &mut made.op) {
            self.intern_mesh(mesh, &mut op.groups);
        }
        let mut regions = Vec::with_capacity(made.regions.len());
        for name in &made.regions {
            regions.push(self.region(body, *name)?);
        }
        let inferred;
        let shape = match shape {
            Some(shape) => shape,
            None => {
                inferred = self.inferred(body, raw, (&made.op, &values, &regions), operands)?;
                &inferred
            }
        };
        self.push_as(body, scope, (raw, shape), (made.op, values, regions), made.attrs, common)
    }

    /// The shape of a result that the text leaves out: loops and barriers give what they take, several results are a
    /// tuple.
    fn inferred(
        &mut self,
        body: &Body,
        raw: &RawInst<'t>,
        (op, values, regions): (&Op, &[ValueId], &[BlockId]),
        operands: &[Bound],
    ) -> Build<HloShape<'t>> {
        let types = |func: &Function| {
            let params = func.param_values().iter().map(|value| func.ty(*value).clone()).collect();
            (params, func.results.iter().map(|result| result.ty.clone()).collect())
        };
        let calls = matches!(op, Op::Call(_) | Op::Foreign(_));
        let signatures = self.funcs.values().filter(|_| calls).map(types).collect();
        let cx = InferCx { meshes: &self.meshes, signatures: &signatures };
        let types = infer_types(&body.func, op, values, regions, &cx).map_err(|error| {
            let message = format!("the shape of `{}` cannot be inferred: {}", raw.name.str, error.message);
            fault(codes::WRONG_TYPE, raw.opcode.span(), message)
        })?;
        self.burn(raw, types.len())?;
        let keeps = matches!(op, Op::Control(Control::While) | Op::OptimizationBarrier);
        let form = if let ([operand], true) = (operands, keeps) {
            operand.form.clone()
        } else if let Op::Call(call) = op {
            self.built[call.callee].result_form.clone()
        } else {
            Form::of_count(types.len())
        };
        Ok(HloShape { form, leaves: types.into_iter().map(|ty| Leaf { ty, layout: None }).collect() })
    }

    /// Groups over a mesh of the text become groups over one of the module.
    fn intern_mesh(&mut self, mut mesh: Mesh, groups: &mut Groups) {
        let Groups::Axes { mesh: id, .. } = groups else { return };
        let known = self.meshes.iter().find(|(_, known)| known.same_but_name(&mesh)).map(|(id, _)| id);
        *id = known.unwrap_or_else(|| {
            if !self.meshes.is_empty() {
                mesh.name = format!("mesh_{}", self.meshes.len()).into();
            }
            self.meshes.push(mesh)
        });
    }

    /// Add an instruction with the results the text declares.
    pub fn push(
        &mut self,
        body: &mut Body,
        scope: &Scope<'t>,
        raw: &'b RawInst<'t>,
        parts: (Op, Vec<ValueId>, Vec<BlockId>),
        common: Common,
    ) -> Build<Bound> {
        let inferred;
        let shape = match &raw.shape {
            Some(shape) => shape,
            None => {
                inferred = self.inferred(body, raw, (&parts.0, &parts.1, &parts.2), &[])?;
                &inferred
            }
        };
        self.push_as(body, scope, (raw, shape), parts, Attrs::default(), common)
    }

    /// Add an instruction with results of a shape.
    pub fn push_as(
        &mut self,
        body: &mut Body,
        scope: &Scope<'t>,
        (raw, shape): (&'b RawInst<'t>, &HloShape<'t>),
        (op, operands, regions): (Op, Vec<ValueId>, Vec<BlockId>),
        attrs: Attrs,
        common: Common,
    ) -> Build<Bound> {
        let types = shape.leaves.iter().map(|leaf| leaf.ty.clone()).collect();
        let inst =
            body.editor().push_typed(At::End(scope.block), op, operands, regions, types, common.source);
        body.spans.push(raw.name.span());
        *body.editor().attrs_mut(inst) = common.inst_attrs(attrs, shape);
        let values = body.func.inst(inst).results.clone();
        match (&shape.form, &values[..]) {
            (Form::Leaf, [value]) => body.editor().set_name(*value, Some(raw.name.str.into())),
            _ => body.editor().set_inst_name(inst, Some(raw.name.str.into())),
        }
        for (i, value) in values.iter().enumerate() {
            body.editor().set_sharding(*value, common.annotation(i));
            body.keep_layout(*value, shape.leaves[i].layout);
        }
        Ok(body.bind(shape.form.clone(), values))
    }

    /// Add an instruction that stands for part of one of the text.
    pub fn push_extra(
        &mut self,
        body: &mut Body,
        scope: &Scope<'t>,
        raw: &RawInst<'t>,
        op: Op,
        parts: Parts,
    ) -> InstId {
        let at = At::End(scope.block);
        let inst = body.editor().push_typed(at, op, parts.operands, Vec::new(), parts.types, parts.source);
        body.spans.push(raw.name.span());
        inst
    }

    /// Adds the ops an expansion needs.
    pub fn pushing<'s>(
        &'s mut self,
        body: &'s mut Body,
        scope: &'s Scope<'t>,
        raw: &'s RawInst<'t>,
    ) -> impl FnMut(Op, Vec<ValueId>, &TensorType) -> ValueId + use<'s, 'b, 't> {
        move |op, operands, ty| {
            let parts = Parts {
                operands,
                types: vec![ty.clone().into()],
                source: meshwright_ir::SourceId::unknown(),
            };
            let inst = self.push_extra(body, scope, raw, op, parts);
            body.func.inst(inst).results[0]
        }
    }

    /// The op an expansion ends with, in the place of the instruction; `own` are the attributes it has read.
    pub fn last_step(
        &mut self,
        body: &mut Body,
        scope: &Scope<'t>,
        raw: &'b RawInst<'t>,
        (op, operands): crate::expand::Last,
        own: &[&str],
    ) -> Build<Bound> {
        let operands: Vec<Bound> =
            operands.into_iter().map(|operand| body.bind(Form::Leaf, [operand])).collect();
        self.plain(body, scope, raw, &operands, |text| {
            for key in own {
                text.get(key);
            }
            Ok(Made::of(op))
        })
    }

    /// The values named in the parentheses: `%a` or `f32[2] %a`.
    fn operands(&mut self, scope: &Scope<'t>, raw: &RawInst<'t>) -> Build<Vec<Bound>> {
        let mut operands = Vec::with_capacity(2);
        let mut cursor = raw.args.cursor();
        while !cursor.is_done() {
            let mut name = cursor.name();
            if matches!(cursor.peek(), Some(b'[' | b'{' | b'(')) {
                // The operand's shape; its own instruction has said it.
                while matches!(cursor.peek(), Some(b'[' | b'{' | b'(')) {
                    cursor.brackets()?;
                }
                name = cursor.name();
            }
            if name.str.is_empty() {
                return Err(cursor.expected("an operand").into());
            }
            operands.push(lookup(scope, name)?);
            if !cursor.eat(b',') && !cursor.is_done() {
                return Err(cursor.expected("`,`").into());
            }
        }
        let is_async = raw.opcode.str.ends_with("-done") || raw.opcode.str.ends_with("-update");
        if let (Some(_), false) = (operands.iter().find(|operand| operand.pending), is_async) {
            let message = "the result of an asynchronous start can only be used by its update and done";
            return Err(fault(codes::WRONG_TYPE, raw.args.span(), message).into());
        }
        Ok(operands)
    }

    pub fn burn(&mut self, raw: &RawInst<'t>, leaves: usize) -> Build<()> {
        match self.fuel.checked_sub(leaves + 1) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => {
                let message =
                    "shared computations and nested tuples make this module too large when written out";
                let at = raw.name.span();
                if self.diagnostics.iter().any(|diagnostic| diagnostic.message == message) {
                    Err(Stop::Silent)
                } else {
                    Err(fault(codes::TOO_DEEP, at, message).into())
                }
            }
        }
    }
}

/// What [`ModuleBuilder::push_extra`] needs besides the op.
pub(super) struct Parts {
    pub operands: Vec<ValueId>,
    pub types: Vec<Type>,
    pub source: meshwright_ir::SourceId,
}

fn lookup<'t>(scope: &Scope<'t>, name: Piece<'t>) -> Build<Bound> {
    match scope.names.get(name.str) {
        Some(Some(bound)) => Ok(bound.clone()),
        Some(None) => Err(Stop::Silent),
        None => {
            let message = format!("`{}` is used, but nothing above in its computation defines it", name.str);
            let help = "define it on a line above, or correct the name";
            Err(Box::new(fault(codes::UNDEFINED, name.span(), message).help(help)).into())
        }
    }
}

fn missing_argument(raw: &RawInst<'_>, number: usize, given: usize) -> Stop {
    let message = format!("parameter {number} has no argument: the caller gives {given}");
    fault(codes::WRONG_TYPE, raw.name.span(), message).into()
}

/// The argument must be what the parameter declares.
fn check_argument(body: &Body, raw: &RawInst<'_>, arg: &Bound) -> Build<()> {
    let Some(shape) = &raw.shape else { return Ok(()) };
    let declared = shape.leaves.iter().map(|leaf| &leaf.ty);
    let given = || body.values(arg).iter().map(|value| body.func.ty(*value));
    if shape.form == arg.form && declared.eq(given()) {
        return Ok(());
    }
    let (declared, given) = (shape.describe(), describe_shape(&arg.form, given()));
    let message = format!("parameter `{}` is {declared}, but its caller gives {given}", raw.name.str);
    Err(fault(codes::WRONG_TYPE, raw.name.span(), message).into())
}
