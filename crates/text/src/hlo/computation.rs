//! One computation being printed: names, tuples put together and taken apart, regions that use values around them.
//!
//! Our values are single tensors. An instruction with several results is printed with a tuple shape and a
//! `get-tuple-element` per result that is used; what a computation returns is a plain root or a `tuple`.

use super::common::FRONTEND;
use super::line::Line;
use super::names::{Names, defined_in};
use super::op;
use super::printer::Printer;
use super::shape::{Form, write_form, write_separator, write_type};
use meshwright_base::hash::LookupMap;
use meshwright_ir::op::Control;
use meshwright_ir::{Attr, Attrs, BlockId, Function, InstId, Op, ResultInfo, Type, ValueId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;

/// What each value is called in a computation.
type Called = LookupMap<ValueId, Rc<str>>;

/// Bytes that most names and shapes need in a list.
const NAME: usize = 32;
const SHAPE: usize = 32;

/// The name of a value that no instruction defines.
const UNDEFINED: &str = "undefined";

/// A computation being printed.
pub(super) struct Computation<'p, 'm> {
    pub printer: &'p mut Printer<'m>,
    pub func: &'m Function,
    pub names: Names,
    called: Called,
    /// Parameters in order: name and type.
    signature: Vec<String>,
    out: String,
    root: Root,
    has_root: bool,
}

/// What gets the word ROOT.
#[derive(Clone, Copy, PartialEq)]
enum Root {
    Value(ValueId),
    /// An instruction whose results are just what is returned.
    Inst(InstId),
    /// A copy of a value at the end.
    Copy(ValueId),
    /// A tuple at the end.
    Tuple,
}

/// A parameter of a region on scalars.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Param {
    /// This value, defined in the region or outside.
    Own(ValueId),
    /// Of this value's type.
    Unused(ValueId),
}

/// A printed computation, but for its name.
pub(super) struct Printed {
    /// `(a: f32[], b: f32[]) -> f32[] {..}`.
    pub text: String,
}

impl<'p, 'm> Computation<'p, 'm> {
    pub fn new(printer: &'p mut Printer<'m>, func: &'m Function, block: BlockId) -> Self {
        let mut names = Names::default();
        let mut called = Called::default();
        for value in defined_in(func, block) {
            if let Some(name) = &func.value(value).name {
                called.insert(value, names.unique(name));
            }
        }
        let root = root_of(func, block);
        Computation {
            printer,
            func,
            names,
            called,
            signature: Vec::new(),
            out: String::new(),
            root,
            has_root: false,
        }
    }

    /// What a value is called here.
    pub fn name(&self, value: ValueId) -> Rc<str> {
        self.called.get(&value).cloned().unwrap_or_else(|| UNDEFINED.into())
    }

    /// The name of a new value; made from its opcode if it has none.
    fn name_of(&mut self, value: ValueId, base: &str) -> Rc<str> {
        if let Some(name) = self.called.get(&value) {
            return name.clone();
        }
        let name = self.names.fresh(base);
        self.called.insert(value, name.clone());
        name
    }

    pub fn is_root(&self, value: ValueId) -> bool {
        self.root == Root::Value(value)
    }

    /// A shape with default layouts.
    pub fn shape(&self, form: &Form, values: &[ValueId]) -> String {
        let types: Vec<&Type> = values.iter().map(|value| self.func.ty(*value)).collect();
        shape_of(form, &types, "")
    }

    /// `%a, %b`, with index comments.
    pub fn operand_list(&self, values: &[ValueId]) -> String {
        let mut out = String::with_capacity(values.len() * NAME);
        for (i, value) in values.iter().enumerate() {
            write_separator(&mut out, i);
            out.push('%');
            out.push_str(self.called.get(value).map_or(UNDEFINED, |name| name));
        }
        out
    }

    /// Write one line.
    pub fn line(&mut self, is_root: bool, name: &str, shape: &str, rest: &str) {
        self.has_root |= is_root;
        let root = if is_root { "  ROOT %" } else { "  %" };
        [root, name, " = ", shape, " ", rest, "\n"].iter().for_each(|piece| self.out.push_str(piece));
    }

    /// A line with a name of its own for a value that is nobody's here; the name.
    pub fn extra(&mut self, base: &str, shape: &str, rest: &str) -> Rc<str> {
        let name = self.names.fresh(base);
        self.line(false, &name, shape, rest);
        name
    }

    /// Several values as one: itself, or a new tuple.
    pub fn bundle(&mut self, values: &[ValueId]) -> Rc<str> {
        if let [value] = values {
            return self.name(*value);
        }
        let shape = self.shape(&Form::of_count(values.len()), values);
        let rest = format!("tuple({})", self.operand_list(values));
        self.extra("tuple", &shape, &rest)
    }

    /// Take a tuple apart: a line for each wanted leaf, with its sharding if the tuple's maker does not say it.
    fn unbundle(
        &mut self,
        tuple: &str,
        form: &Form,
        values: &[ValueId],
        (wanted, annotate): (&[bool], bool),
    ) {
        let mut inner: BTreeMap<Vec<usize>, Rc<str>> = BTreeMap::new();
        for (leaf, (value, _)) in values.iter().zip(wanted).enumerate().filter(|(_, (_, wanted))| **wanted) {
            let path = form.path_to(leaf);
            let Some((last, outer)) = path.split_last() else { continue };
            let holder = self.inner_tuple(tuple, form, values, outer, &mut inner);
            let name = self.name_of(*value, "get-tuple-element");
            let shape = self.shape(&Form::Leaf, &[*value]);
            let mut rest = format!("get-tuple-element(%{holder}), index={last}");
            if annotate {
                rest += &self.printer.sharding_attr(self.func, [Some(*value)]);
            }
            self.line(self.is_root(*value), &name, &shape, &rest);
        }
    }

    /// The tuple at an index path inside of another.
    fn inner_tuple(
        &mut self,
        tuple: &str,
        form: &Form,
        values: &[ValueId],
        path: &[usize],
        inner: &mut BTreeMap<Vec<usize>, Rc<str>>,
    ) -> Rc<str> {
        let (mut name, mut form, mut first): (Rc<str>, _, _) = (tuple.into(), form, 0);
        for (depth, index) in path.iter().enumerate() {
            let Some((item, before)) = form.item(*index) else { break };
            (form, first) = (item, first + before);
            name = match inner.get(&path[..=depth]) {
                Some(known) => known.clone(),
                None => {
                    let part = values.get(first..first + form.leaves()).unwrap_or(&[]);
                    let shape = self.shape(form, part);
                    let rest = format!("get-tuple-element(%{name}), index={index}");
                    self.extra("get-tuple-element", &shape, &rest)
                }
            };
            inner.insert(path[..=depth].to_vec(), name.clone());
        }
        name
    }

    /// A parameter that holds the given values; each gets its name here.
    pub fn parameter(&mut self, form: &Form, values: &[ValueId], attrs: &str) {
        self.parameter_with(form, values, "", attrs);
    }

    /// A parameter with the layouts that were kept.
    pub fn parameter_with(&mut self, form: &Form, values: &[ValueId], layouts: &str, attrs: &str) {
        let number = self.signature.len();
        let sharding = self.printer.sharding_attr(self.func, values.iter().map(|value| Some(*value)));
        let types: Vec<&Type> = values.iter().map(|value| self.func.ty(*value)).collect();
        let shape = shape_of(form, &types, layouts);
        let rest = format!("parameter({number}){sharding}{attrs}");
        if let (Form::Leaf, [value]) = (form, values) {
            let name = self.name_of(*value, "param");
            self.line(self.is_root(*value), &name, &shape, &rest);
            return self.sign(&name, form, values);
        }
        let name = self.names.fresh("param");
        self.line(false, &name, &shape, &rest);
        self.sign(&name, form, values);
        let wanted: Vec<bool> = values.iter().map(|value| self.printer.is_used(self.func, *value)).collect();
        self.unbundle(&name, form, values, (&wanted, sharding.is_empty()));
    }

    /// A parameter that nobody uses.
    fn unused_parameter(&mut self, ty: &Type) {
        let number = self.signature.len();
        let name = self.names.fresh("unused");
        self.line(false, &name, &shape_of(&Form::Leaf, &[ty], ""), &format!("parameter({number})"));
        self.signature.push(format!("{name}: {ty}"));
    }

    fn sign(&mut self, name: &str, form: &Form, values: &[ValueId]) {
        let shape = self.bare_shape(form, values);
        self.signature.push(format!("{name}: {shape}"));
    }

    /// Parameters of a value outside that is used inside, by the name it has outside if that is free.
    fn captured(&mut self, outside: &Called, values: &[ValueId]) {
        for value in values {
            if let Some(name) = outside.get(value) {
                let name = self.names.unique(name);
                self.called.insert(*value, name);
            }
        }
    }

    /// All instructions of a block.
    pub fn instructions(&mut self, block: BlockId) {
        for inst in &self.func.block(block).insts {
            self.instruction(*inst);
        }
    }

    /// One instruction, with whatever lines it needs.
    pub fn instruction(&mut self, id: InstId) {
        let mut line = Line::new(self, id);
        op::print(&mut line);
        let Line { opcode, args, form, attrs, layouts, frontend, more, .. } = line;
        if opcode.is_empty() {
            return;
        }
        let inst = self.func.inst(id);
        let types =
            inst.results.iter().map(|value| self.func.ty(*value)).chain(more.iter().map(|more| &more.ty));
        let types: Vec<&Type> = types.collect();
        let form = form.unwrap_or_else(|| Form::of_count(types.len()));
        let layouts = layouts.as_deref().or(kept(&inst.attrs, "hlo.layout"));
        let shape = shape_of(&form, &types, layouts.unwrap_or(""));
        let args = args.unwrap_or_else(|| self.operand_list(&inst.operands));
        let values = inst.results.iter().map(|value| Some(*value)).chain(more.iter().map(|more| more.like));
        let sharding = self.printer.sharding_attr(self.func, values);
        let each = sharding.is_empty();
        let rest = [opcode, "(", &args, ")", &attrs, &sharding, &self.common(id, frontend)].concat();
        if let (Form::Leaf, [value]) = (&form, &inst.results[..]) {
            let name = self.name_of(*value, opcode);
            return self.line(self.is_root(*value), &name, &shape, &rest);
        }
        let name = match &inst.name {
            Some(name) => self.names.unique(name),
            None => self.names.fresh(opcode),
        };
        let is_root = self.root == Root::Inst(id);
        self.line(is_root, &name, &shape, &rest);
        let wanted = |value: &ValueId| !is_root && self.printer.is_used(self.func, *value);
        let wanted: Vec<bool> = inst.results.iter().map(wanted).collect();
        self.unbundle(&name, &form, &inst.results, (&wanted, each));
    }

    /// Frontend attributes, kept text and metadata of an instruction.
    fn common(&mut self, id: InstId, frontend: Vec<(Arc<str>, Attr)>) -> String {
        let inst = self.func.inst(id);
        let mut out = if frontend.is_empty() {
            super::printer::kept_attrs(&inst.attrs)
        } else {
            super::printer::kept_attrs(&with_frontend(&inst.attrs, frontend))
        };
        let fields = self.printer.metadata(inst.source);
        let extra = kept(&inst.attrs, "hlo.metadata").unwrap_or("");
        let blank = if fields.is_empty() || extra.is_empty() { "" } else { " " };
        if !fields.is_empty() || !extra.is_empty() {
            out += &[", metadata={", fields, blank, extra, "}"].concat();
        }
        out
    }

    /// Results that ask for a sharding of their own, or stand in other tuples, need a root of their own.
    pub fn separate_root(&mut self, infos: &[ResultInfo], form: Option<&Form>) {
        let has = |value: &ValueId| self.func.value(*value).sharding.as_ref();
        self.root = match (self.root, infos) {
            (Root::Value(value), [info])
                if info.sharding.as_ref() != has(&value) && info.sharding.is_some() =>
            {
                Root::Copy(value)
            }
            (Root::Inst(_), infos) if infos.iter().any(|info| info.sharding.is_some()) => Root::Tuple,
            (Root::Inst(_), infos) if form.is_some_and(|form| *form != Form::of_count(infos.len())) => {
                Root::Tuple
            }
            (root, _) => root,
        };
    }

    /// The lines that end a block, and the whole with its signature.
    pub fn finish(mut self, block: BlockId, form: Option<Form>, infos: &[ResultInfo]) -> Printed {
        let values = &self.func.block(block).results;
        let form = form.unwrap_or_else(|| Form::of_count(values.len()));
        let is_tuple = form != Form::of_count(values.len());
        match self.root {
            Root::Inst(_) if !is_tuple => {}
            Root::Value(_) if self.has_root && !is_tuple => {}
            Root::Value(value) | Root::Copy(value) if !is_tuple => self.root_copy(value, infos),
            _ => self.root_tuple(&form, values, infos),
        }
        self.signed(&form, values)
    }

    fn root_copy(&mut self, value: ValueId, infos: &[ResultInfo]) {
        let rest = format!("copy(%{}){}", self.name(value), self.printer.result_sharding(infos));
        let shape = self.shape(&Form::Leaf, &[value]);
        let name = self.names.fresh("copy");
        self.line(true, &name, &shape, &rest);
    }

    /// The whole with its signature.
    fn signed(self, form: &Form, values: &[ValueId]) -> Printed {
        let result = self.bare_shape(form, values);
        Printed { text: format!("({}) -> {result} {{\n{}}}\n", self.signature.join(", "), self.out) }
    }

    /// A shape without layouts.
    fn bare_shape(&self, form: &Form, values: &[ValueId]) -> String {
        let mut out = String::new();
        write_form(&mut out, form, 0, &mut |out, leaf| {
            if let Some(value) = values.get(leaf) {
                let _ = write!(out, "{}", self.func.ty(*value));
            }
        });
        out
    }

    /// The root tuple, with inner tuples if the form has any. A tuple's sharding has to say something of every leaf; if
    /// only some results ask for one, each of these is annotated by itself.
    fn root_tuple(&mut self, form: &Form, values: &[ValueId], infos: &[ResultInfo]) {
        let asks = infos.iter().filter(|info| info.sharding.is_some()).count();
        let mut names: Vec<Rc<str>> = values.iter().map(|value| self.name(*value)).collect();
        let mut sharding = String::new();
        if asks == infos.len() {
            sharding = self.printer.result_sharding(infos);
        } else {
            for ((name, value), info) in names.iter_mut().zip(values).zip(infos) {
                *name = self.annotated(name.clone(), *value, info);
            }
        }
        let args = self.tuple_args(form, values, &names, 0);
        let shape = self.shape(form, values);
        let name = self.names.fresh("tuple");
        self.line(true, &name, &shape, &format!("tuple({args}){sharding}"));
    }

    /// A result with the sharding it asks for, if it does.
    fn annotated(&mut self, name: Rc<str>, value: ValueId, info: &ResultInfo) -> Rc<str> {
        if info.sharding.is_none() {
            return name;
        }
        let sharding = self.printer.result_sharding(std::slice::from_ref(info));
        let rest = format!("custom-call(%{name}), custom_call_target=\"Sharding\"{sharding}");
        let shape = self.shape(&Form::Leaf, &[value]);
        self.extra("custom-call", &shape, &rest)
    }

    fn tuple_args(&mut self, form: &Form, values: &[ValueId], names: &[Rc<str>], first: usize) -> String {
        let mut out = String::new();
        for (i, (item, before)) in form.items().enumerate() {
            write_separator(&mut out, i);
            let at = first + before;
            let name = match item {
                Form::Leaf => names.get(at).cloned().unwrap_or_else(|| "undefined".into()),
                Form::Tuple(_) => {
                    let args = self.tuple_args(item, values, names, at);
                    let shape = self.shape(item, values.get(at..at + item.leaves()).unwrap_or(&[]));
                    self.extra("tuple", &shape, &format!("tuple({args})"))
                }
            };
            let _ = write!(out, "%{name}");
        }
        out
    }

    /// Print a region on scalars as a computation with the given parameters; its name. What stands in `more` is
    /// returned after the region's results. Other values from outside must be constants; they are written again.
    pub fn scalar_region(&mut self, region: BlockId, params: &[Param], more: &[ValueId]) -> Rc<str> {
        let was_manual = std::mem::replace(&mut self.printer.is_manual, false);
        let func = self.func;
        let outside = captures(func, &[region]);
        let mut inner = Computation::new(self.printer, func, region);
        if !more.is_empty() {
            inner.root = Root::Tuple;
        }
        inner.captured(&self.called, &outside);
        for param in params {
            match param {
                Param::Own(value) => inner.parameter(&Form::Leaf, &[*value], ""),
                Param::Unused(value) => inner.unused_parameter(func.ty(*value)),
            }
        }
        for value in outside.into_iter().filter(|value| !params.contains(&Param::Own(*value))) {
            inner.again(value);
        }
        inner.instructions(region);
        let printed =
            if more.is_empty() { inner.finish(region, None, &[]) } else { inner.finish_with(region, more) };
        self.printer.is_manual = was_manual;
        self.printer.place(func.block(region).name.as_deref(), printed)
    }

    /// A constant from outside once more.
    fn again(&mut self, value: ValueId) {
        if let Some(inst) = self.func.def_inst(value) {
            self.instruction(inst);
        }
    }

    /// Print a loop's region: its state, then what it uses from outside, is one parameter. What it uses is returned too
    /// if `returns_captures`.
    pub fn state_region(&mut self, region: BlockId, captures: &[ValueId], returns_captures: bool) -> Rc<str> {
        let func = self.func;
        let state: Vec<ValueId> = func.block(region).params.iter().chain(captures).copied().collect();
        let mut inner = Computation::new(self.printer, func, region);
        let returns_more = returns_captures && !captures.is_empty();
        if returns_more {
            inner.root = Root::Tuple;
        }
        inner.parameter(&Form::of_count(state.len()), &state, "");
        inner.instructions(region);
        let printed =
            if returns_more { inner.finish_with(region, captures) } else { inner.finish(region, None, &[]) };
        self.printer.place(func.block(region).name.as_deref(), printed)
    }

    /// Print a branch: what it uses from outside is its parameter. The names of these values stay outside, so that
    /// equal branches are printed once.
    pub fn branch_region(&mut self, region: BlockId, captures: &[ValueId]) -> Rc<str> {
        let func = self.func;
        let mut inner = Computation::new(self.printer, func, region);
        inner.parameter(&Form::of_count(captures.len()), captures, "");
        inner.instructions(region);
        let printed = inner.finish(region, None, &[]);
        self.printer.place(func.block(region).name.as_deref(), printed)
    }

    /// End with the block's results and further values as one tuple.
    fn finish_with(mut self, block: BlockId, more: &[ValueId]) -> Printed {
        let values: Vec<ValueId> = self.func.block(block).results.iter().chain(more).copied().collect();
        let form = Form::of_count(values.len());
        self.root_tuple(&form, &values, &[]);
        self.signed(&form, &values)
    }

    /// Print a region that takes each of its parameters by itself, then what it uses from outside.
    pub fn spread_region(&mut self, region: BlockId, captures: &[ValueId]) -> Rc<str> {
        let func = self.func;
        let mut inner = Computation::new(self.printer, func, region);
        inner.captured(&self.called, captures);
        for param in func.block(region).params.iter().chain(captures) {
            inner.parameter(&Form::Leaf, &[*param], "");
        }
        inner.instructions(region);
        let printed = inner.finish(region, None, &[]);
        self.printer.place(func.block(region).name.as_deref(), printed)
    }

    /// Print a region right here: its parameters are the given values.
    pub fn inline(&mut self, region: BlockId, args: &[ValueId]) {
        for (param, arg) in self.func.block(region).params.iter().zip(args) {
            let name = self.name(*arg);
            self.called.insert(*param, name);
        }
        self.adopt(region);
        self.instructions(region);
    }

    /// Let the values of a region keep their names here.
    pub fn adopt(&mut self, region: BlockId) {
        for value in defined_in(self.func, region) {
            if let (Some(name), false) = (&self.func.value(value).name, self.called.contains_key(&value)) {
                let name = self.names.unique(name);
                self.called.insert(value, name);
            }
        }
    }

    /// A line of its own that makes the given values, which are nobody's results.
    pub fn made(&mut self, form: &Form, values: &[ValueId], base: &str, rest: &str) {
        let shape = self.shape(form, values);
        if let (Form::Leaf, [value]) = (form, values) {
            let name = self.name_of(*value, base);
            return self.line(false, &name, &shape, rest);
        }
        let name = self.extra(base, &shape, rest);
        let wanted: Vec<bool> = values.iter().map(|value| self.printer.is_used(self.func, *value)).collect();
        self.unbundle(&name, form, values, (&wanted, false));
    }

    /// Call a value by the name of another.
    pub fn alias(&mut self, value: ValueId, name: Rc<str>) {
        self.called.insert(value, name);
    }
}

/// Attributes with more frontend attributes.
fn with_frontend(attrs: &Attrs, more: Vec<(Arc<str>, Attr)>) -> Attrs {
    let mut attrs = attrs.clone();
    let mut inner = match attrs.remove(FRONTEND) {
        Some(Attr::Dict(inner)) => inner,
        Some(Attr::Str(_) | Attr::Raw(_) | Attr::Unit) | None => Attrs::default(),
    };
    more.into_iter().for_each(|(key, value)| inner.set(&key, value));
    attrs.set(FRONTEND, Attr::Dict(inner));
    attrs
}

/// A shape with the given layouts, `;` between them.
fn shape_of(form: &Form, types: &[&Type], layouts: &str) -> String {
    let layouts: Vec<&str> = layouts.split(';').collect();
    let mut out = String::with_capacity(types.len() * SHAPE);
    write_form(&mut out, form, 0, &mut |out, leaf| {
        if let Some(ty) = types.get(leaf) {
            write_type(out, ty, layouts.get(leaf).copied());
        }
    });
    out
}

/// Text kept under a name.
pub(super) fn kept<'m>(attrs: &'m Attrs, name: &str) -> Option<&'m str> {
    match attrs.get(name)? {
        Attr::Str(text) => Some(text),
        Attr::Unit | Attr::Dict(_) | Attr::Raw(_) => None,
    }
}

fn root_of(func: &Function, block: BlockId) -> Root {
    match func.block(block).results[..] {
        [value] => Root::Value(value),
        _ => whole_result(func, block).map_or(Root::Tuple, Root::Inst),
    }
}

/// The last instruction of a block, if its results are just what the block returns.
pub(super) fn whole_result(func: &Function, block: BlockId) -> Option<InstId> {
    let block = func.block(block);
    let last = block.insts.last().copied()?;
    (block.results.len() != 1 && is_whole_result(func, last, &block.results)).then_some(last)
}

/// Whether an instruction's results, nameless and as one tuple, are what a block returns.
fn is_whole_result(func: &Function, inst: InstId, results: &[ValueId]) -> bool {
    let unnamed = results.iter().all(|value| func.value(*value).name.is_none());
    let annotated = results.iter().filter(|value| func.value(**value).sharding.is_some()).count();
    unnamed
        && (annotated == 0 || annotated == results.len())
        && !results.is_empty()
        && func.inst(inst).results == results
        && !is_nested(func, inst)
}

/// Whether an instruction's results are printed as anything but a flat tuple of just these.
fn is_nested(func: &Function, inst: InstId) -> bool {
    let inst = func.inst(inst);
    let more = matches!(inst.op, Op::Control(Control::While)) && !captures(func, &inst.regions).is_empty();
    let inline = matches!(inst.op, Op::Sharding(_));
    more || inline || matches!(inst.op, Op::Token(_)) || kept(&inst.attrs, "hlo.form").is_some()
}

/// Values that regions use but do not define, in the order of first use. What a region inside of them uses counts where
/// it will stand among its instruction's operands, so that the order is the same when the text is read and printed
/// again.
pub(super) fn captures(func: &Function, regions: &[BlockId]) -> Vec<ValueId> {
    let mut found = Captures { func, inside: BTreeSet::new(), seen: BTreeSet::new(), found: Vec::new() };
    regions.iter().for_each(|region| found.enter(*region));
    regions.iter().for_each(|region| found.block(*region));
    found.found
}

struct Captures<'f> {
    func: &'f Function,
    inside: BTreeSet<BlockId>,
    seen: BTreeSet<ValueId>,
    found: Vec<ValueId>,
}

impl Captures<'_> {
    /// Note the blocks of a region.
    fn enter(&mut self, region: BlockId) {
        let mut stack = vec![region];
        while let Some(block) = stack.pop() {
            self.inside.insert(block);
            for inst in &self.func.block(block).insts {
                stack.extend(self.func.inst(*inst).regions.iter().copied());
            }
        }
    }

    fn note(&mut self, value: ValueId) {
        if !self.inside.contains(&self.func.def_block(value)) && self.seen.insert(value) {
            self.found.push(value);
        }
    }

    /// Blocks nest no deeper than texts do, and modules that were verified.
    fn block(&mut self, block: BlockId) {
        let block = self.func.block(block);
        for inst in block.insts.iter().map(|inst| self.func.inst(*inst)) {
            // Inputs, what the region uses, initial values: see `closures`.
            let before = match inst.op {
                Op::Reduce(_) | Op::ReduceWindow(_) => inst.operands.len() / 2,
                _ => inst.operands.len(),
            };
            let (first, last) = inst.operands.split_at(before);
            first.iter().for_each(|value| self.note(*value));
            inst.regions.iter().for_each(|region| self.block(*region));
            last.iter().for_each(|value| self.note(*value));
        }
        block.results.iter().for_each(|value| self.note(*value));
    }
}
