//! Tracing: run a function on handles once, and get the program it describes.

use crate::codes;
use crate::dims::{Name, Shape};
use crate::error::Errors;
use crate::mesh::Mesh;
use crate::program::Program;
use crate::rules::Rules;
use crate::state::{self, InputInfo, Line, Role, State};
use crate::tensor::Tensor;
use crate::tree::Tree;
use meshwright_base::{Diagnostic, IdMap};
use meshwright_ir::op::Movement;
use meshwright_ir::{Attr, DType, Donation, Op, TensorType, ValueId};
use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::Arc;

/// Trace a function into a program. Everything that is wrong with it is reported together.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
/// let program = trace("ffn", |t| {
///     let bd = t.input("bd", f32, [8, 16]).mesh_split(&mesh, [0, -1]);
///     let df = t.param("w", [16, 32]).mesh_split(&mesh, [-1, 1]);
///     einsum("bd,df->bf", [bd, df]).relu()
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn trace<R: Tree>(name: &str, function: impl FnOnce(Trace) -> R) -> Result<Program, Errors> {
    traced(name, None, function, Location::caller())
}

/// [`trace`] with a table that maps the names of dims to mesh axes: inputs, parameters and
/// [`logical`](Tensor::logical) annotations follow it.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("data", 8)])?;
/// let rules = Rules::of(&mesh, [("batch", "data")]);
/// let program = trace_with("f", &rules, |t| t.input("x", f32, [("batch", 16), ("model", 4)]).sum("model"))?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn trace_with<R: Tree>(
    name: &str,
    rules: &Rules,
    function: impl FnOnce(Trace) -> R,
) -> Result<Program, Errors> {
    traced(name, Some(rules.clone()), function, Location::caller())
}

/// Closes its trace, also if the user's function panics.
struct Open(u32);

impl Drop for Open {
    fn drop(&mut self) {
        state::close(self.0);
    }
}

fn traced<R: Tree>(
    name: &str,
    rules: Option<Rules>,
    function: impl FnOnce(Trace) -> R,
    line: Line,
) -> Result<Program, Errors> {
    let open = Open(state::open(name));
    if let Some(rules) = rules {
        state::with(|state| {
            state.devices = Some(rules.mesh.devices());
            state.rules = Some(rules);
        });
    }
    let results = function(Trace { id: open.0 });
    let leaves = results.leaves();
    let entries = crate::tensor::entries(&leaves, line);
    let names = crate::program::result_names(&results.paths());
    crate::boundary::all_whole(&leaves, &names);
    let finished = state::close(open.0).map(|mut state| {
        state.finish(&entries, &names, line);
        state
    });
    match finished {
        Some(state) if state.errors.is_empty() => Program::of(state),
        Some(state) => Err(Errors { list: state.errors }),
        None => Err(Diagnostic::error(codes::FOREIGN, "the trace was closed while it was under way").into()),
    }
}

impl State {
    /// Set the results of the entry function.
    fn finish(&mut self, entries: &[u32], names: &[String], line: Line) {
        self.distinct(names, line);
        self.replaced(entries, names, line);
        self.followed();
        let values = entries.iter().map(|entry| self.use_entry(*entry, line)).collect();
        let root = self.module.main().root();
        let mut editor = self.editor();
        editor.set_results(root, values);
        for (info, name) in editor.result_info_mut().iter_mut().zip(names) {
            info.attrs.set("jax.result_info", Attr::Str(name.as_str().into()));
        }
        let entry = self.module.entry;
        self.sweep();
        self.sign(entry);
    }

    /// Drop what nothing uses of constants, and of what was only made to show the shapes of inputs: a layer's first
    /// values, for instance, and the random numbers they are drawn from.
    fn sweep(&mut self) {
        let main = self.module.main();
        let mut used = crate::slips::used_values(main);
        let mut showed: IdMap<ValueId, bool> = IdMap::filled(main.value_count(), false);
        self.shown.iter().for_each(|value| showed[*value] = true);
        let mut kept = Vec::new();
        for id in main.block(main.root()).insts.iter().rev() {
            let inst = main.inst(*id);
            let is_constant = matches!(inst.op, Op::Constant(_) | Op::Movement(Movement::Broadcast(_)));
            let only_showed = inst.results.iter().any(|value| showed[*value]);
            if (is_constant || only_showed) && inst.results.iter().all(|value| used[*value] == 0) {
                inst.operands.iter().for_each(|value| {
                    used[*value] -= 1;
                    showed[*value] = true;
                });
            } else {
                kept.push(*id);
            }
        }
        kept.reverse();
        let root = main.root();
        self.editor().set_order(root, kept);
    }
}

impl State {
    /// Results are asked for by name.
    fn distinct(&mut self, names: &[String], line: Line) {
        let mut known = BTreeMap::new();
        for (at, name) in names.iter().enumerate() {
            if let Some(first) = known.insert(name, at) {
                let message = format!("results {first} and {at} are both called `{name}`");
                let help = "give each result its own name: it is asked for by name";
                self.report(line, Diagnostic::error(codes::NAME, message).help(help));
            }
        }
    }
}

/// The trace under way: makes inputs and parameters.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// fn model(t: Trace) -> Tensor {
///     t.input("x", f32, [4]) * t.param("w", [4])
/// }
/// let program = trace("f", model)?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    id: u32,
}

impl Trace {
    /// An input: data that changes from run to run.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [("batch", 8), ("model", 4)]))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn input(self, name: &str, dtype: DType, shape: impl Shape) -> Tensor {
        self.add(name, Role::Input, dtype, shape.into_shape(), Location::caller())
    }

    /// A weight of the default float type, `f32` unless [`set_float`](Trace::set_float) said otherwise.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.param("w", [4, 2]))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn param(self, name: &str, shape: impl Shape) -> Tensor {
        let float = state::of(self.id, |state| state.float).unwrap_or(DType::F32);
        self.add(name, Role::Param, float, shape.into_shape(), Location::caller())
    }

    /// A weight of any element type.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.param_of("w", bf16, [4, 2]))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn param_of(self, name: &str, dtype: DType, shape: impl Shape) -> Tensor {
        self.add(name, Role::Param, dtype, shape.into_shape(), Location::caller())
    }

    /// A value that each run replaces: its buffer is given to the result of the same name and type, in place.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("count", |t| [("step", t.state("step", i32, ()) + 1)])?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn state(self, name: &str, dtype: DType, shape: impl Shape) -> Tensor {
        self.add(name, Role::State, dtype, shape.into_shape(), Location::caller())
    }

    /// An input for every tensor of a structure, of the shape and type it has there, called after its place:
    /// `batch.tokens`, or `tokens` if `name` is empty. What the tensors of `like` hold plays no role.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// #[derive(Tree)]
    /// struct Batch {
    ///     tokens: Tensor,
    ///     mask: Tensor,
    /// }
    /// let program = trace("f", |t| {
    ///     let like = Batch { tokens: zeros(i32, [("batch", 8), ("length", 16)]), mask: zeros(f32, [8, 16]) };
    ///     let batch = t.inputs("batch", like);
    ///     batch.tokens.one_hot(100, f32) * batch.mask.unsqueeze(-1)
    /// })?;
    /// assert_eq!(program.inputs()[0].name.as_ref(), "batch.tokens");
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn inputs<T: Tree>(self, name: &str, like: T) -> T {
        self.add_all(name, Role::Input, like, Location::caller())
    }

    /// A weight for every tensor of a structure; see [`inputs`](Trace::inputs).
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let (w, b) = t.params("dense", (zeros(f32, [4, 2]), zeros(f32, [2])));
    ///     t.input("x", f32, [3, 4]).matmul(w) + b
    /// })?;
    /// assert_eq!(program.inputs()[1].name.as_ref(), "dense.1");
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn params<T: Tree>(self, name: &str, like: T) -> T {
        self.add_all(name, Role::Param, like, Location::caller())
    }

    /// A state for every tensor of a structure, replaced by the results of their names; see [`inputs`](Trace::inputs).
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// #[derive(Tree)]
    /// struct Average {
    ///     sum: Tensor,
    ///     count: Tensor,
    /// }
    /// let program = trace("average", |t| {
    ///     let old = t.states("", Average { sum: zeros(f32, ()), count: zeros(i32, ()) });
    ///     Average { sum: old.sum + t.input("x", f32, ()), count: old.count + 1 }
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn states<T: Tree>(self, name: &str, like: T) -> T {
        self.add_all(name, Role::State, like, Location::caller())
    }

    /// The element type of parameters from here on.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     t.set_float(f64);
    ///     t.param("w", [4])
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn set_float(self, dtype: DType) {
        state::with(|state| state.float = dtype);
    }

    /// How many devices [`Tensor::split`] speaks of. A mesh in [`Rules`] says it by itself.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     t.set_devices(8);
    ///     t.input("x", f32, [16, 4]).split(0, 8)
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn set_devices(self, devices: i64) {
        state::with(|state| state.devices = Some(devices));
    }

    /// The mesh of the table that this trace follows, if it follows one.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace_with("f", &Rules::new(&mesh), |t| {
    ///     let axes = t.mesh().map_or(1, |mesh| mesh.devices());
    ///     t.input("x", f32, [axes])
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn mesh(self) -> Option<Mesh> {
        state::of(self.id, |state| state.rules.as_ref().map(|rules| rules.mesh.clone())).flatten()
    }

    fn add_all<T: Tree>(self, name: &str, role: Role, like: T, line: Line) -> T {
        let mut made = Vec::new();
        like.visit(name, &mut |path, leaf| {
            let (ty, names) = (leaf.ty(), leaf.names());
            made.push(self.add(path, role, ty.dtype, (ty.dims, names), line));
            state::with(|state| state.show(leaf));
        });
        like.with_leaves(&made)
    }

    fn add(
        self,
        name: &str,
        role: Role,
        dtype: DType,
        (dims, names): (Vec<i64>, Vec<Name>),
        line: Line,
    ) -> Tensor {
        let ty = TensorType::new(dtype, dims);
        let wrong = self.refused(name, &ty);
        let made = state::with(|state| {
            if let Some(diagnostic) = wrong {
                state.report(line, diagnostic);
                return Tensor::new(state.id, state.poison(ty, names, line));
            }
            Tensor::new(state.id, state.input(name, role, ty, names, line))
        });
        let made = made.unwrap_or_else(Tensor::nowhere);
        crate::annotate::by_names(made, line)
    }

    /// Why such an input cannot be.
    fn refused(self, name: &str, ty: &TensorType) -> Option<Diagnostic> {
        let (inner, known) = state::with(|state| {
            let known = state.inputs.iter().position(|input| &*input.name == name);
            (state.id != self.id || state.frames.len() > 1, known.map(|at| state.lines[at]))
        })?;
        if let Some(first) = known {
            let message = format!("two inputs are called `{name}`");
            let diagnostic = Diagnostic::error(codes::NAME, message)
                .label(Some(state::place(first)), format!("the first `{name}`"));
            return Some(diagnostic.help("give each input, parameter and state its own name"));
        }
        if inner {
            let message = format!("input `{name}` is made inside of a loop, branch or another trace");
            return Some(
                Diagnostic::error(codes::NAME, message)
                    .help("make it at the top of its trace and use it here"),
            );
        }
        if name.is_empty() {
            let message = "an input has no name";
            return Some(Diagnostic::error(codes::NAME, message).help("give it one: it is fed by name"));
        }
        let negative = ty.dims.iter().position(|size| *size < 0 || *size > i64::from(u32::MAX) * 256)?;
        let message = format!("dim {negative} of input `{name}` has {} elements", ty.dims[negative]);
        Some(Diagnostic::error(codes::SHAPE, message).help("a size is a number from 0 on"))
    }
}

impl State {
    fn input(&mut self, name: &str, role: Role, ty: TensorType, names: Vec<Name>, line: Line) -> u32 {
        let names = state::fit(names, ty.rank());
        self.dim_names.extend(names.iter().flatten().cloned());
        let entry = self.param(ty.clone(), names.clone());
        let value = self.entries[entry as usize].value;
        let name: Arc<str> = name.into();
        self.editor().set_name(value, Some(name.clone()));
        if role == Role::State
            && let Some(info) = self.editor().param_info_mut().last_mut()
        {
            info.donation = Some(Donation::Donor);
        }
        self.inputs.push(InputInfo { name, role, ty, dims: names });
        self.lines.push(line);
        entry
    }
}

/// Name what is traced inside, for messages, for the locations in the program, and for rows of [`Rules`] that speak of
/// this part alone (`layer_1/batch`): scopes nest.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [4]);
///     scope("layer_1", || x.relu())
/// })?;
/// # Ok::<(), Errors>(())
/// ```
pub fn scope<R>(name: &str, inside: impl FnOnce() -> R) -> R {
    state::with(|state| state.scopes.push(name.into()));
    let out = inside();
    state::with(|state| state.scopes.pop());
    out
}
