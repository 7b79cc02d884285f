//! Write a model for one device, annotate a few tensors, run it on many devices.
//!
//! ```
//! use meshwright::prelude::*;
//! let mesh = Mesh::new([("x", 4), ("y", 2)])?;
//! let program = trace("ffn", |t| {
//!     let bd = t.input("bd", f32, [8, 16]).mesh_split(&mesh, [0, -1]);
//!     let df = t.param("w", [16, 32]).mesh_split(&mesh, [-1, 1]);
//!     einsum("bd,df->bf", [bd, df]).relu() // inferred: [0, 1]
//! })?;
//! let mut loaded = program.partition()?.load(8)?;
//! let (x, w) = (Array::filled([8, 16], 1.0f32), Array::filled([16, 32], 0.5f32));
//! let results = loaded.run(&[("bd", &x), ("w", &w)])?;
//! assert_eq!(results.get("result")?.to_vec::<f32>()?, vec![8.0; 8 * 32]);
//! # Ok::<(), meshwright::Error>(())
//! ```
//!
//! # A map
//!
//! | to | there is |
//! |---|---|
//! | name devices | [`Mesh`], and [`Rules`] for tables from names of dims to axes |
//! | write a program | [`trace`], [`Tensor`] and the functions beside it ([`einsum`], [`scan`], [`cond`]); structs of tensors by [`Tree`](derive@Tree) |
//! | say how it is split | [`Tensor::mesh_split`], [`Tensor::logical`], [`Tensor::replicate`] |
//! | differentiate and batch it | [`value_and_grad`], [`vmap`] |
//! | complete and partition it | [`Partition::partition`]; what came of it: [`Partitioned::explain`], [`Partitioned::to_stablehlo`] |
//! | run it | [`Partitioned::load`], [`Loaded::set`], [`Loaded::run`], [`Loaded::get`]; numbers in [`Array`] |
//! | bring a module of JAX's | [`parse`] |
//! | choose engine and devices | [`cpu`], [`runtime`]; GPUs and TPUs by [`pjrt`] |
//!
//! The guide in `docs/guide` of the repository goes through them in this order; `examples` has a program for each.

#![forbid(unsafe_code)]

mod array;
mod collectives;
mod error;
mod partition;
mod run;
mod weights;

pub use array::{Array, Element};
pub use error::Error;
#[doc(hidden)]
pub use front::tree_inside;
pub use front::{
    Arg, At, AtDims, AxisAt, Cut, Cutout, Cutouts, Cuts, DType, DeviceAssignment, Dim, Errors, InputInfo,
    IntoDim, Key, ManualInputs, ManualOutputs, Mesh, OPEN, Open, Padding, Pipeline, Program, ResultInfo,
    Role, Rules, Shape, Tensor, Trace, Tree, Triangle, Unpack, Window, checkpoint, concat, cond, constant,
    custom_vjp, default_float, dtype, einsum, eye, full, grad, iota, literal, manual, manual_pipeline,
    matmul, ones, pipeline, range, refuse, repeat, scalar, scan, scan_reverse, schedule, scope, select_where,
    stack, switch, trace, trace_with, value_and_grad, vmap, while_loop, zeros,
};
pub use partition::{Partition, Partitioned, parse};
pub use run::{Loaded, Results};

/// The front end, with the derive that names this crate.
mod front {
    /// A struct of tensors as a [`Tree`](trait@Tree).
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// #[derive(Clone, Tree)]
    /// struct Layer {
    ///     #[tree(name = "kernel")]
    ///     w: Tensor,
    ///     b: Tensor,
    /// }
    /// #[derive(Tree)]
    /// struct Step {
    ///     loss: Tensor,
    ///     layer: Layer,
    /// }
    /// let step = trace("step", |t| {
    ///     let x = t.input("x", f32, [3, 4]);
    ///     let layer = t.states("layer", Layer { w: zeros(f32, [4, 2]), b: zeros(f32, [2]) });
    ///     let (loss, slope) = value_and_grad(layer.clone(), |p| (x.matmul(p.w) + p.b).square().mean(..));
    ///     Step { loss, layer: Layer { w: layer.w - 0.1 * slope.w, b: layer.b - 0.1 * slope.b } }
    /// })?;
    /// assert_eq!(step.results()[1].name.as_ref(), "layer.kernel"); // replaces the state of its name
    /// # Ok::<(), Error>(())
    /// ```
    pub use meshwright_derive::FacadeTree as Tree;
    pub use meshwright_tensor::*;
}

/// How programs are partitioned in detail: [`partition_with`](Partition::partition_with) takes the options,
/// [`module`](Partitioned::module) gives a module.
pub mod compile {
    pub use meshwright_compile::Options;
    pub use meshwright_ir::Module;
}

/// The engine of this machine's cores.
pub mod cpu {
    pub use meshwright_cpu::{Cpu, Isa};
}

/// Layers, losses, optimizers: [`Optimizer::train`](nn::optim::Optimizer::train) is a training step of one's own model.
pub mod nn {
    pub use meshwright_nn::{init, layers, losses, models, moe, optim, params};
}

/// Devices and what runs on them: [`load_on`](Partitioned::load_on) takes them.
pub mod runtime {
    pub use meshwright_runtime::{Devices, InProcess};
}

/// Devices of plugins of PJRT, which are how GPUs and TPUs are reached.
///
/// [`load_on_plugin`](Partitioned::load_on_plugin) opens one as it is. Who has something to tell it, or loads several
/// programs on the same devices, opens it here.
///
/// ```no_run
/// use meshwright::prelude::*;
/// use meshwright::pjrt::{Client, NamedValue, PjrtDevices, Plugin, failed};
/// let step = trace("f", |t| t.input("x", f32, [8]).relu())?.partition()?;
/// let plugin = Plugin::load("xla_cuda_plugin.so".as_ref()).map_err(|error| failed(&error))?;
/// let half = ("memory_fraction".to_string(), NamedValue::Float(0.5));
/// let client = Client::new(plugin, &[half]).map_err(|error| failed(&error))?;
/// let devices = PjrtDevices::new(std::sync::Arc::new(client), 1)?;
/// let results = step.load_on(&devices)?.run(&[("x", &Array::filled([8], -1.0f32))])?;
/// # Ok::<(), Error>(())
/// ```
pub mod pjrt {
    pub use meshwright_pjrt::{Client, NamedValue, PjrtDevices, Plugin, PluginError, failed};
}

/// Everything a program is written with.
pub mod prelude {
    pub use crate::{Array, Error, Loaded, Partition, Partitioned, Results, parse};
    pub use meshwright_derive::FacadeTree as Tree;
    pub use meshwright_tensor::prelude::*;
}
