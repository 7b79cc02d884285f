//! A program called in a trace: one that was traced before, or a module of another origin (JAX's, say). It becomes a
//! function of the trace's module, so that it is annotated, differentiated and partitioned with what is around it.
//!
//! A program that is called twice is taken in once. Its functions get names of their own, its meshes are matched with
//! those of the trace, and what it says of its parameters and results stays an annotation there. Who gives buffers
//! away is the caller's matter: donations are dropped.

use crate::codes;
use crate::control::call;
use crate::program::Program;
use crate::state::{self, Line, State};
use crate::tensor::{Tensor, poison, report};
use crate::tree::Tree;
use meshwright_base::{Diagnostic, Id, IdMap};
use meshwright_ir::op::{Reference, ShardingOp};
use meshwright_ir::{
    Annotation, Attr, Editor, FuncId, Function, InstId, Module, Op, ParamInfo, SourceId, TensorType, mark,
};
use meshwright_shard::{MeshId, Sharding};
use std::panic::Location;
use std::sync::Arc;

/// What the results of a called program are taken as: a tensor, a tuple or an array of them, or a `Vec` of all.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let ends = trace("ends", |t| {
///     let x = t.input("x", f32, [4]);
///     (x.max(0), x.min(0))
/// })?;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [4]);
///     let (most, least): (Tensor, Tensor) = ends.call(x);
///     let all: Vec<Tensor> = ends.call(-x);
///     most - least + all[0]
/// })?;
/// # Ok::<(), Errors>(())
/// ```
pub trait Unpack: Sized {
    /// How many tensors that is, if it is not just any number.
    const COUNT: Option<usize>;

    /// Take them one by one.
    fn unpack(from: &mut dyn Iterator<Item = Tensor>) -> Self;
}

impl Unpack for Tensor {
    const COUNT: Option<usize> = Some(1);

    fn unpack(from: &mut dyn Iterator<Item = Tensor>) -> Tensor {
        from.next().unwrap_or_else(Tensor::nowhere)
    }
}

impl Unpack for Vec<Tensor> {
    const COUNT: Option<usize> = None;

    fn unpack(from: &mut dyn Iterator<Item = Tensor>) -> Vec<Tensor> {
        from.collect()
    }
}

impl<const N: usize> Unpack for [Tensor; N] {
    const COUNT: Option<usize> = Some(N);

    fn unpack(from: &mut dyn Iterator<Item = Tensor>) -> [Tensor; N] {
        std::array::from_fn(|_| Tensor::unpack(from))
    }
}

macro_rules! unpack_tuple {
    ($count:literal $($name:ident)*) => {
        impl Unpack for ($($name,)*) {
            const COUNT: Option<usize> = Some($count);

            fn unpack(from: &mut dyn Iterator<Item = Tensor>) -> Self {
                ($($name::unpack(from),)*)
            }
        }
    };
}
unpack_tuple!(1 Tensor);
unpack_tuple!(2 Tensor Tensor);
unpack_tuple!(3 Tensor Tensor Tensor);
unpack_tuple!(4 Tensor Tensor Tensor Tensor);
unpack_tuple!(5 Tensor Tensor Tensor Tensor Tensor);
unpack_tuple!(6 Tensor Tensor Tensor Tensor Tensor Tensor);

impl Program {
    /// Call the program in a trace, with the tensors of `args` as its inputs, in order.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let layer = trace("layer", |t| t.input("x", f32, [8, 4]).matmul(t.param("w", [4, 4])).tanh())?;
    /// let program = trace("loss", |t| {
    ///     let (x, w) = (t.input("x", f32, [8, 4]), t.param("w", [4, 4]));
    ///     let h: Tensor = layer.call((x, w));
    ///     layer.call::<Tensor>((h, w)).square().mean(..)
    /// })?;
    /// let step = program.value_and_grad(&["w"])?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn call<R: Unpack>(&self, args: impl Tree) -> R {
        let line = Location::caller();
        let (leaves, paths) = (args.leaves(), args.paths());
        let types: Vec<TensorType> = self.results().iter().map(|result| result.ty.clone()).collect();
        let fits = self.takes(&leaves, &paths, line) & self.gives(R::COUNT, line);
        let func =
            Some(fits).filter(|fits| *fits).and_then(|_| state::with(|state| state.link(&self.module, line)));
        let mut results = match func {
            Some(func) => call(func, &leaves, &types, &[], line),
            None => types.iter().map(|ty| poison(ty.clone(), line)).collect(),
        };
        let missing = R::COUNT.unwrap_or(0).saturating_sub(results.len());
        results.extend((0..missing).map(|_| poison(TensorType::scalar(meshwright_ir::DType::F32), line)));
        R::unpack(&mut results.into_iter())
    }

    /// Whether these are tensors it takes; reports what is not.
    fn takes(&self, given: &[Tensor], paths: &[String], line: Line) -> bool {
        let main = self.module.main();
        let has_token = |values: &[_]| values.iter().any(|value| main.ty(*value).as_tensor().is_none());
        if has_token(main.param_values()) || has_token(main.result_values()) {
            let message = format!("`{}` takes or gives a token, so it cannot be called", self.module.name);
            report(line, Diagnostic::error(codes::CALL, message).help("export it without side effects"));
            return false;
        }
        if given.len() != self.inputs().len() {
            let (name, wanted) = (&self.module.name, self.inputs().len());
            let message = format!("`{name}` takes {wanted} tensors, but is given {}", given.len());
            let note = format!("it is {self}");
            report(
                line,
                Diagnostic::error(codes::CALL, message).note(note).help("give one per input, in order"),
            );
            return false;
        }
        let inputs = given.iter().zip(self.inputs()).zip(paths).enumerate();
        let wrong = inputs.filter(|(_, ((x, input), _))| x.ty() != input.ty);
        let mut fits = true;
        for (at, ((x, input), path)) in wrong {
            fits = false;
            let place = if path.is_empty() { String::new() } else { format!(" (`{path}`)") };
            let wanted = crate::tensor::words(&input.ty, &input.dims);
            let message = format!(
                "argument {at}{place} of `{}` is {}, but `{}` must be {wanted}",
                self.module.name,
                x.words(),
                input.name
            );
            let help = if x.dtype() == input.ty.dtype {
                "give it in the shape of the module; shapes are fixed where it was exported".to_string()
            } else {
                format!("convert it with `.cast({})`", input.ty.dtype)
            };
            x.report(line, Diagnostic::error(codes::CALL, message).help(help));
        }
        fits
    }

    fn gives(&self, wanted: Option<usize>, line: Line) -> bool {
        let has = self.results().len();
        if wanted.is_none_or(|wanted| wanted == has) {
            return true;
        }
        let message =
            format!("`{}` gives {has} results, but is taken as {}", self.module.name, wanted.unwrap_or(0));
        let note = format!("it is {self}");
        let help = "take them as a tuple of as many tensors, or as `Vec<Tensor>`";
        report(line, Diagnostic::error(codes::CALL, message).note(note).help(help));
        false
    }
}

/// Where the parts of a module are in the one it was taken into.
struct Moved {
    funcs: IdMap<FuncId, FuncId>,
    names: IdMap<FuncId, Arc<str>>,
    meshes: IdMap<MeshId, MeshId>,
    sources: IdMap<SourceId, SourceId>,
    /// Added to the numbers of sharding groups.
    groups: i64,
}

impl State {
    /// Take a module in, or find it; its entry function.
    fn link(&mut self, module: &Arc<Module>, line: Line) -> FuncId {
        let known = self.linked.iter().find(|(known, _)| Arc::ptr_eq(known, module));
        if let Some((_, func)) = known {
            return *func;
        }
        let moved = self.moved(module, line);
        for (id, func) in module.funcs.iter() {
            self.module.funcs[moved.funcs[id]] = moved.function(module, id, func);
            self.groups = self.groups.max(moved.groups + most_groups(func));
        }
        moved.funcs.values().for_each(|id| self.sign(*id));
        let many = |n: Option<i64>| n.filter(|n| *n > 1);
        self.module.num_partitions = many(self.module.num_partitions).max(many(module.num_partitions));
        let entry = moved.funcs[module.entry];
        self.linked.push((module.clone(), entry));
        entry
    }

    /// Make room for the parts of a module.
    fn moved(&mut self, module: &Module, line: Line) -> Moved {
        let mut moved = Moved {
            funcs: IdMap::new(),
            names: IdMap::new(),
            meshes: IdMap::new(),
            sources: IdMap::new(),
            groups: self.groups,
        };
        for (id, func) in module.funcs.iter() {
            let wish = if id == module.entry { &module.name } else { &func.name };
            let name = self.fresh_function_name(wish);
            moved.funcs.push(self.module.funcs.push(Function::new(&name, false)));
            moved.names.push(name.into());
        }
        for mesh in module.meshes.values() {
            let mesh = crate::mesh::Mesh { axes: Arc::new(mesh.clone()) };
            moved.meshes.push(self.mesh(&mesh, line));
        }
        for source in module.sources.values() {
            moved.sources.push(self.module.sources.push(source.clone()));
        }
        moved
    }
}

/// One more than the largest number of a sharding group.
fn most_groups(func: &Function) -> i64 {
    let groups = func.insts_in_order().into_iter().filter_map(|inst| match &func.inst(inst).op {
        Op::Sharding(ShardingOp::Group { id }) => Some(id.saturating_add(1)),
        _ => None,
    });
    groups.max().unwrap_or(0)
}

impl Moved {
    fn function(&self, module: &Module, id: FuncId, func: &Function) -> Function {
        let mut func = func.clone();
        (func.name, func.is_public) = (self.names[id].clone(), false);
        let values: Vec<_> = func.values().keys().collect();
        let insts = func.insts_in_order();
        let mut editor = Editor::new(&mut func);
        editor.param_info_mut().fill(ParamInfo::default());
        for info in editor.result_info_mut() {
            info.attrs = Default::default();
            if let Some(Annotation::Mesh(sharding)) = &mut info.sharding {
                self.sharding(Arc::make_mut(sharding));
            }
        }
        for value in values {
            if let Some(Annotation::Mesh(sharding)) = &editor.func().value(value).sharding {
                let mut sharding = Sharding::clone(sharding);
                self.sharding(&mut sharding);
                editor.set_sharding(value, Some(Annotation::from(sharding)));
            }
        }
        insts.into_iter().for_each(|inst| self.inst(module, &mut editor, inst));
        func
    }

    fn inst(&self, module: &Module, editor: &mut Editor<'_>, inst: InstId) {
        let source = editor.func().inst(inst).source;
        editor.set_source(inst, self.sources.get(source).copied().unwrap_or_else(SourceId::unknown));
        if let Some(op) = self.op(&editor.func().inst(inst).op) {
            editor.set_op(inst, op);
        }
        for name in [mark::FORWARD, mark::BACKWARD] {
            let named = editor.func().inst(inst).attrs.get_str(name).and_then(|name| module.func_named(name));
            if let Some(func) = named {
                editor.attrs_mut(inst).set(name, Attr::Str(self.names[func].clone()));
            }
        }
    }

    /// The op with what it names in the new module, if it names anything.
    fn op(&self, op: &Op) -> Option<Op> {
        op.with_references(|reference| match reference {
            Reference::Func(func) => *func = self.funcs[*func],
            Reference::Mesh(mesh) => *mesh = self.mesh(*mesh),
            Reference::Group(id) => *id = id.saturating_add(self.groups),
        })
    }

    fn sharding(&self, sharding: &mut Sharding) {
        sharding.mesh = self.mesh(sharding.mesh);
    }

    /// A verified module names no mesh it does not have.
    fn mesh(&self, mesh: MeshId) -> MeshId {
        self.meshes.get(mesh).copied().unwrap_or_else(|| MeshId::from_index(0))
    }
}
