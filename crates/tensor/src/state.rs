//! The trace under way: the module being built, the blocks that are open, what each handle stands for, and errors.
//!
//! Traces of a thread stand in a stack; ops go to the innermost. A handle names its trace and an entry there, so it is
//! `Copy`, has no lifetime, and a handle of another trace is told apart. Nothing here calls the user's code while the
//! state is borrowed.
//!
//! Keeps: after an error the trace goes on with a *poisoned* tensor of the shape that was most likely meant. What is
//! computed from poison reports nothing more.

use crate::boundary::Local;
use crate::codes;
use crate::dims::Name;
use crate::error::Reported;
use crate::rules::Rules;
use crate::tensor::Tensor;
use meshwright_base::diagnostic::Place;
use meshwright_base::hash::LookupMap;
use meshwright_base::{Diagnostic, Id, IdMap, SourceText};
use meshwright_ir::{
    At, BlockId, Build, Builder, Editor, Frame, FuncId, Function, InferCx, InferError, InstId, Module, Op,
    Source, SourceId, TensorType, Type, ValueId,
};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::Location;
use std::sync::Arc;

/// A line of the user's program.
pub(crate) type Line = &'static Location<'static>;

/// Position of an entry in a trace.
pub(crate) type EntryId = u32;

/// A value the user holds a handle of.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub value: ValueId,
    /// Serial number of the frame it was made in.
    pub frame: u32,
    pub ty: TensorType,
    pub names: Vec<Name>,
    pub poisoned: bool,
    /// Set if it is one device's piece.
    pub local: Option<Arc<Local>>,
}

/// An open block.
#[derive(Clone, Debug)]
pub(crate) struct OpenBlock {
    pub serial: u32,
    pub func: FuncId,
    pub block: BlockId,
    /// Whether the block is the root of a function of its own: what it uses from outside becomes parameters.
    pub is_function: bool,
    /// Entries from outside and the parameters they became.
    pub captures: Vec<(EntryId, ValueId)>,
}

/// What an input or parameter is for.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// use meshwright_tensor::Role;
/// let program = trace("f", |t| t.input("x", f32, [4]) * t.param("w", [4]))?;
/// assert_eq!((program.inputs()[0].role, program.inputs()[1].role), (Role::Input, Role::Param));
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Data that changes from run to run.
    Input,
    /// A weight.
    Param,
    /// A value that each run replaces.
    State,
}

/// An input or parameter of the program.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| t.input("x", f32, [("batch", 4), ("model", 2)]))?;
/// assert_eq!(program.inputs()[0].dims[1].as_deref(), Some("model"));
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputInfo {
    /// The name.
    pub name: Arc<str>,
    /// What it is for.
    pub role: Role,
    /// Shape and element type.
    pub ty: TensorType,
    /// Names of its dims.
    pub dims: Vec<Option<Arc<str>>>,
}

/// A trace under way.
pub(crate) struct State {
    pub id: u32,
    pub module: Module,
    pub signatures: IdMap<FuncId, (Vec<Type>, Vec<Type>)>,
    pub frames: Vec<OpenBlock>,
    serials: u32,
    pub entries: Vec<Entry>,
    pub errors: Vec<Reported>,
    sources: LookupMap<(usize, u32, u32, &'static str), SourceId>,
    pub scopes: Vec<Arc<str>>,
    pub inputs: Vec<InputInfo>,
    pub lines: Vec<Line>,
    pub float: meshwright_ir::DType,
    pub rules: Option<Rules>,
    pub devices: Option<i64>,
    /// Modules of programs that were called, and their entry functions here.
    pub linked: Vec<(Arc<Module>, FuncId)>,
    /// How many sharding groups have a number.
    pub groups: i64,
    /// All names that dims were ever given.
    pub dim_names: BTreeSet<Arc<str>>,
    /// What is odd, though not wrong.
    pub notes: Vec<Diagnostic>,
    /// Values of the entry function that showed the shapes of inputs.
    pub shown: Vec<ValueId>,
}

thread_local! {
    static STACK: RefCell<Stack> = const { RefCell::new(Stack { open: Vec::new(), next: 0 }) };
}

struct Stack {
    open: Vec<State>,
    next: u32,
}

/// Open a trace; its number.
pub(crate) fn open(name: &str) -> u32 {
    STACK.with_borrow_mut(|stack| {
        let id = stack.next;
        stack.next = stack.next.wrapping_add(1);
        stack.open.push(State::new(id, name));
        id
    })
}

/// Close a trace and everything opened inside it; `None` if it is not open.
pub(crate) fn close(id: u32) -> Option<State> {
    STACK.with_borrow_mut(|stack| {
        let at = stack.open.iter().position(|state| state.id == id)?;
        stack.open.truncate(at + 1);
        stack.open.pop()
    })
}

/// Work on the innermost trace, if one is open.
pub(crate) fn with<R>(work: impl FnOnce(&mut State) -> R) -> Option<R> {
    STACK.with_borrow_mut(|stack| stack.open.last_mut().map(work))
}

/// Look something up in the trace with this number.
pub(crate) fn of<R>(id: u32, look: impl FnOnce(&State) -> R) -> Option<R> {
    STACK.with_borrow(|stack| stack.open.iter().find(|state| state.id == id).map(look))
}

impl State {
    fn new(id: u32, name: &str) -> State {
        let module = Module::new(name);
        let (func, block) = (module.entry, module.main().root());
        let frame = OpenBlock { serial: 0, func, block, is_function: true, captures: Vec::new() };
        let mut signatures = IdMap::new();
        signatures.push((Vec::new(), Vec::new()));
        State {
            id,
            module,
            signatures,
            frames: vec![frame],
            serials: 0,
            entries: Vec::new(),
            errors: Vec::new(),
            sources: LookupMap::default(),
            scopes: Vec::new(),
            inputs: Vec::new(),
            lines: Vec::new(),
            float: meshwright_ir::DType::F32,
            rules: None,
            devices: None,
            linked: Vec::new(),
            groups: 0,
            dim_names: BTreeSet::new(),
            notes: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// Note that a tensor only shows the shape of an input.
    pub fn show(&mut self, like: Tensor) {
        let entry = self.entries.get(like.entry as usize).filter(|_| like.trace == self.id);
        self.shown.extend(entry.filter(|entry| entry.frame == 0).map(|entry| entry.value));
    }

    /// The innermost open block.
    pub fn frame(&self) -> (FuncId, BlockId, u32) {
        let frame = &self.frames[self.frames.len() - 1];
        (frame.func, frame.block, frame.serial)
    }

    pub fn editor(&mut self) -> Editor<'_> {
        let (func, ..) = self.frame();
        Editor::new(&mut self.module.funcs[func])
    }

    pub fn func(&self) -> &Function {
        let (func, ..) = self.frame();
        &self.module.funcs[func]
    }

    /// Open a region of an instruction to be.
    pub fn open_region(&mut self) -> BlockId {
        let (func, ..) = self.frame();
        let block = self.editor().block();
        self.push_frame(func, block, false);
        block
    }

    /// Open a function of its own.
    pub fn open_function(&mut self, name: &str) -> FuncId {
        let name = self.fresh_function_name(name);
        let func = self.module.funcs.push(Function::new(&name, false));
        self.signatures.push((Vec::new(), Vec::new()));
        let block = self.module.funcs[func].root();
        self.push_frame(func, block, true);
        func
    }

    pub fn fresh_function_name(&self, name: &str) -> String {
        let taken = |name: &str| self.module.func_named(name).is_some();
        let numbered = (1..).map(|number| format!("{name}_{number}"));
        std::iter::once(name.to_string()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
    }

    fn push_frame(&mut self, func: FuncId, block: BlockId, is_function: bool) {
        self.serials += 1;
        self.frames.push(OpenBlock { serial: self.serials, func, block, is_function, captures: Vec::new() });
    }

    /// Close the innermost block with these results.
    pub fn close_block(&mut self, results: &[EntryId], line: Line) -> Option<OpenBlock> {
        let values: Vec<ValueId> = results.iter().map(|entry| self.use_entry(*entry, line)).collect();
        let frame = self.frames.pop().filter(|_| !self.frames.is_empty())?;
        Editor::new(&mut self.module.funcs[frame.func]).set_results(frame.block, values);
        if frame.is_function {
            self.sign(frame.func);
        }
        Some(frame)
    }

    /// Note the types of a finished function.
    pub fn sign(&mut self, id: FuncId) {
        let func = &self.module.funcs[id];
        let types = |values: &[ValueId]| values.iter().map(|value| func.ty(*value).clone()).collect();
        let signature = (types(func.param_values()), types(func.result_values()));
        while self.signatures.len() <= id.index() {
            self.signatures.push((Vec::new(), Vec::new()));
        }
        self.signatures[id] = signature;
    }

    /// A parameter of the innermost block.
    pub fn param(&mut self, ty: TensorType, names: Vec<Name>) -> EntryId {
        let (_, block, _) = self.frame();
        let value = self.editor().param(block, ty.clone().into());
        self.entry(value, ty, names)
    }

    pub fn entry(&mut self, value: ValueId, ty: TensorType, names: Vec<Name>) -> EntryId {
        let (_, _, frame) = self.frame();
        self.entries.push(Entry { value, frame, ty, names, poisoned: false, local: None });
        (self.entries.len() - 1) as EntryId
    }

    /// The value of an entry where we are; poison if it is not known here.
    pub fn use_entry(&mut self, entry: EntryId, line: Line) -> ValueId {
        if let Some(value) = self.value_here(entry) {
            return value;
        }
        let ty = self.entries[entry as usize].ty.clone();
        self.report(line, gone(&ty));
        let poison = self.poison(ty, Vec::new(), line);
        self.entries[poison as usize].value
    }

    /// The value of an entry where we are: from outside a function it comes in as a parameter.
    fn value_here(&mut self, entry: EntryId) -> Option<ValueId> {
        let Entry { value, frame, ty, .. } = self.entries.get(entry as usize)?.clone();
        let home = self.frames.iter().position(|open| open.serial == frame)?;
        let mut here = value;
        for at in home + 1..self.frames.len() {
            if self.frames[at].is_function {
                here = self.capture(at, entry, &ty);
            }
        }
        Some(here)
    }

    /// The parameter through which an entry comes into the function of a frame.
    fn capture(&mut self, at: usize, entry: EntryId, ty: &TensorType) -> ValueId {
        let known = self.frames[at].captures.iter().find(|(known, _)| *known == entry);
        if let Some((_, value)) = known {
            return *value;
        }
        let (func, block) = (self.frames[at].func, self.frames[at].block);
        let value = Editor::new(&mut self.module.funcs[func]).param(block, ty.clone().into());
        self.frames[at].captures.push((entry, value));
        value
    }

    /// The location of an op at a line, in the scopes that are open.
    pub fn source(&mut self, line: Line, op: &'static str) -> SourceId {
        let key = (line.file().as_ptr() as usize, line.line(), line.column(), op);
        let op_name = self.op_name(op);
        if let Some(id) = self.sources.get(&key)
            && self.module.sources[*id].op_name == op_name
        {
            return *id;
        }
        let frame = Frame {
            file: line.file().into(),
            function: None,
            line: line.line(),
            column: line.column(),
            end_line: line.line(),
            end_column: line.column(),
        };
        let id = self.module.sources.push(Source { op_name, op_type: None, frames: vec![frame] });
        self.sources.insert(key, id);
        id
    }

    /// `block_0/attention/dot_general`, as frameworks name ops.
    fn op_name(&self, op: &str) -> Option<Arc<str>> {
        (!self.scopes.is_empty()).then(|| format!("{}/{op}", self.scopes.join("/")).into())
    }

    /// Note an error at a line.
    pub fn report(&mut self, line: Line, diagnostic: Diagnostic) {
        self.report_with(line, diagnostic, None);
    }

    pub fn report_with(&mut self, line: Line, mut diagnostic: Diagnostic, text: Option<SourceText>) {
        diagnostic.place.get_or_insert(place(line));
        if !self.scopes.is_empty() {
            diagnostic = diagnostic.note(format!("in scope `{}`", self.scopes.join("/")));
        }
        self.errors.push(Reported { diagnostic, text });
    }

    /// A stand-in for what could not be computed.
    pub fn poison(&mut self, ty: TensorType, names: Vec<Name>, line: Line) -> EntryId {
        let dims = ty.dims.iter().map(|size| (*size).clamp(0, 1 << 40)).collect::<Vec<_>>();
        let ty = ty.with_dims(dims);
        let source = self.source(line, "constant");
        let (_, block, _) = self.frame();
        let value = Builder::with(self.editor(), At::End(block), source, InferCx::nothing()).zeros(&ty);
        let names = fit(names, ty.rank());
        let entry = self.entry(value, ty, names);
        self.entries[entry as usize].poisoned = true;
        entry
    }

    /// What writes regions that are nobody's yet.
    pub fn regions(&mut self, source: SourceId) -> Builder<'_> {
        let root = self.func().root();
        Builder::with(self.editor(), At::End(root), source, InferCx::nothing())
    }

    /// Add an instruction; types are inferred, names of dims follow the op's rule.
    pub fn push(
        &mut self,
        op: Op,
        operands: &[EntryId],
        regions: Vec<BlockId>,
        line: Line,
    ) -> Result<(InstId, Vec<EntryId>), InferError> {
        let values: Vec<ValueId> = operands.iter().map(|entry| self.use_entry(*entry, line)).collect();
        let source = self.source(line, op.mnemonic());
        let (func, block, _) = self.frame();
        let State { module, signatures, .. } = self;
        let Module { funcs, meshes, .. } = module;
        let cx = InferCx { meshes, signatures };
        let inst = Editor::new(&mut funcs[func]).push(At::End(block), op, values, regions, source, &cx)?;
        Ok((inst, self.result_entries(inst, operands, line)))
    }

    fn result_entries(&mut self, inst: InstId, operands: &[EntryId], line: Line) -> Vec<EntryId> {
        let local = self.local_of(operands, line);
        let names = self.result_names(inst, operands);
        let results = self.func().inst(inst).results.clone();
        let poisoned = operands.iter().any(|entry| self.entries[*entry as usize].poisoned);
        let mut entries = Vec::new();
        for (value, names) in results.into_iter().zip(names) {
            let ty = self.func().ty(value).as_tensor().cloned();
            let ty = ty.unwrap_or_else(|| TensorType::scalar(meshwright_ir::DType::Pred));
            let entry = self.entry(value, ty, names);
            self.entries[entry as usize].poisoned = poisoned;
            self.entries[entry as usize].local.clone_from(&local);
            entries.push(entry);
        }
        entries
    }

    /// A dim of a result has the name of an operand's dim that is the same factor of the op.
    fn result_names(&self, inst: InstId, operands: &[EntryId]) -> Vec<Vec<Name>> {
        let func = self.func();
        let results = &func.inst(inst).results;
        let mut out: Vec<Vec<Name>> =
            results.iter().map(|value| vec![None; func.ty(*value).rank()]).collect();
        let names: Vec<&[Name]> =
            operands.iter().map(|entry| &self.entries[*entry as usize].names[..]).collect();
        if names.iter().all(|names| names.iter().all(Option::is_none)) {
            return out;
        }
        let rule = meshwright_ir::rule_of(func, inst);
        for (result, dims) in rule.results.iter().enumerate() {
            for (dim, factors) in dims.iter().enumerate() {
                let named = rule.operands.iter().zip(&names).find_map(|(operand, names)| {
                    let at = operand.iter().position(|other| other == factors && !factors.is_empty())?;
                    names.get(at).cloned().flatten()
                });
                out[result][dim] = named;
            }
        }
        out
    }
}

/// The place of a line.
pub(crate) fn place(line: Line) -> Place {
    Place::Source { file: line.file().to_string(), line: line.line(), column: line.column() }
}

/// As many names as dims.
pub(crate) fn fit(mut names: Vec<Name>, rank: usize) -> Vec<Name> {
    names.resize(rank, None);
    names
}

fn gone(ty: &TensorType) -> Diagnostic {
    let message = format!("a tensor ({ty}) is used outside of the loop, branch or function it was made in");
    Diagnostic::error(codes::FOREIGN, message)
        .help("return it from the closure, so that it becomes a result of the loop or branch")
}
