//! The user's front end: write for one device, annotate, differentiate.
//!
//! ```
//! use meshwright_tensor::prelude::*;
//! # const B: i64 = 8; const D: i64 = 16; const F: i64 = 32;
//! let mesh = Mesh::new([("x", 4), ("y", 2)])?;
//! let program = trace("ffn", |t| {
//!     let bd = t.input("bd", f32, [B, D]).mesh_split(&mesh, [0, -1]);
//!     let df = t.param("w", [D, F]).mesh_split(&mesh, [-1, 1]);
//!     einsum("bd,df->bf", [bd, df]).relu() // inferred: [0, 1]
//! })?;
//! # Ok::<(), Errors>(())
//! ```
//!
//! Tensors are handles into the trace under way. What is wrong is collected with the line that did it and reported when
//! the trace ends; the traced function goes on with a stand-in, so all errors come together, and nothing panics.
//!
//! A trace belongs to its thread; ops go to the innermost one. No IO, no clocks; the module depends on the traced
//! function alone.

#![forbid(unsafe_code)]

mod annotate;
mod arg;
mod boundary;
mod call;
mod codes;
mod control;
mod differentiate;
mod dims;
pub mod dtype;
mod error;
mod manual;
mod mesh;
mod ops;
mod pipeline;
mod program;
mod rules;
mod slips;
mod state;
mod tensor;
mod trace;
mod tree;

pub use annotate::DeviceAssignment;
pub use arg::Arg;
pub use call::Unpack;
pub use control::{checkpoint, cond, custom_vjp, repeat, scan, scan_reverse, switch, while_loop};
pub use differentiate::{grad, value_and_grad, vmap};
pub use dims::{At, AtDims, Dim, IntoDim, Shape};
pub use error::Errors;
pub use manual::{ManualInputs, ManualOutputs, manual};
pub use mesh::{AxisAt, Cut, Cuts, Mesh, OPEN, Open};
/// A struct of tensors as a [`Tree`](trait@Tree).
///
/// ```
/// use meshwright_tensor::prelude::*;
/// #[derive(Clone, Tree)]
/// struct Dense {
///     #[tree(name = "kernel")]
///     w: Tensor,
///     b: Option<Tensor>,
///     #[tree(skip)]
///     is_last: bool,
/// }
/// #[derive(Tree)]
/// struct Step {
///     loss: Tensor,
///     dense: Dense,
/// }
/// let step = trace("step", |t| {
///     let x = t.input("x", f32, [3, 4]);
///     let shapes = Dense { w: zeros(f32, [4, 2]), b: None, is_last: true };
///     let dense = t.states("dense", shapes);
///     let (loss, slope) = value_and_grad(dense.clone(), |p| x.matmul(p.w).square().mean(..));
///     Step { loss, dense: Dense { w: dense.w - 0.1 * slope.w, ..dense } }
/// })?;
/// assert_eq!(step.inputs()[1].name.as_ref(), "dense.kernel");
/// assert_eq!(step.results()[1].name.as_ref(), "dense.kernel"); // replaces the state of its name
/// # Ok::<(), Errors>(())
/// ```
///
/// What does not fit is told at the field:
///
/// ```compile_fail
/// # use meshwright_tensor::prelude::*;
/// #[derive(Tree)]
/// struct Attention {
///     q: Tensor,
///     heads: i64, // `i64` is not made of tensors
/// }
/// ```
///
/// ```compile_fail
/// # use meshwright_tensor::prelude::*;
/// #[derive(Tree)]
/// enum Layer {
///     Dense(Tensor), // `Tree` can be derived for structs, not for enums
/// }
/// ```
///
/// ```compile_fail
/// # use meshwright_tensor::prelude::*;
/// #[derive(Tree)]
/// struct Pair {
///     a: Tensor,
///     #[tree(name = "a")] // two fields are called `a`
///     b: Tensor,
/// }
/// ```
///
/// ```compile_fail
/// # use meshwright_tensor::prelude::*;
/// #[derive(Tree)]
/// struct One {
///     #[tree(rename = "w")] // a field can say `name = ".."`, `flatten` or `skip`
///     a: Tensor,
/// }
/// ```
pub use meshwright_derive::Tree;
pub use meshwright_ir::DType;
pub use ops::contract::matmul;
pub use ops::create::{constant, default_float, eye, full, iota, literal, ones, range, scalar, zeros};
pub use ops::einsum::einsum;
pub use ops::elementwise::select_where;
pub use ops::join::{concat, stack};
pub use ops::linalg::Triangle;
pub use ops::random::Key;
pub use ops::slice::{Cutout, Cutouts};
pub use ops::window::{Padding, Window};
pub use pipeline::{Pipeline, manual_pipeline, pipeline};

/// Orders of work in a pipeline, as data: written down, checked, compared.
pub mod schedule {
    pub use crate::pipeline::schedule::{Durations, Fault, Phase, Schedule, Spot, Timeline, Wait, Work};
}
pub use program::{Program, ResultInfo};
pub use rules::Rules;
pub use state::{InputInfo, Role};
pub use tensor::{Tensor, refuse};
pub use trace::{Trace, scope, trace, trace_with};
pub use tree::Tree;
#[doc(hidden)]
pub use tree::inside as tree_inside;

/// Everything a model is written with.
pub mod prelude {
    pub use crate::dtype::*;
    pub use crate::{
        DeviceAssignment, Dim, Errors, Key, Mesh, OPEN, Padding, Pipeline, Program, Rules, Tensor, Trace,
        Tree, Triangle, Window, checkpoint, concat, cond, constant, custom_vjp, default_float, einsum, eye,
        full, grad, iota, literal, manual, manual_pipeline, matmul, ones, pipeline, range, repeat, scalar,
        scan, scan_reverse, scope, select_where, stack, switch, trace, trace_with, value_and_grad, vmap,
        while_loop, zeros,
    };
}
