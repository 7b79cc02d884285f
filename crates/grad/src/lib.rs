//! Transforms of one computation into another: reverse mode and batching.
//!
//! Both add a function to a module and leave the functions that are there as they are (but for counted `while` loops,
//! which become `scan`s). What they know of devices is nothing: an annotation's gradient is the same annotation.
//!
//! Marks on instructions ([`meshwright_ir::mark`]) say what to recompute, where gradients end, and which functions
//! replace a derivative.

#![forbid(unsafe_code)]

mod activity;
mod backward;
mod batch;
mod batch_norm;
mod boundary;
mod branch;
mod call;
pub mod codes;
mod collective;
mod contract;
mod convert;
mod convolution;
mod cut;
mod diagnose;
mod dynamic;
mod elementwise;
mod emit;
mod expand;
mod fft;
mod frontier;
mod gather;
mod linalg;
mod manual;
mod movement;
mod prune;
mod reduce;
mod region;
mod residual;
mod reverse;
mod scan;
mod scatter;
mod sharding;
mod shared;
mod sort;
mod tape;
mod window;

use meshwright_base::Diagnostic;
use meshwright_ir::{FuncId, Module};

/// How to differentiate.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Keep only the carried values and inputs of each trip of a scan, and compute everything else again in the
    /// backward pass.
    pub recompute_scans: bool,
}

/// Add a function that returns the results of `func`, then the gradients of its first result with respect to the
/// parameters `wrt`, in that order. The parameters are those of `func`.
///
/// Result 0 must be a scalar float; other results are returned as they are. A parameter the loss does not depend on
/// gets zeros. The gradient of a complex parameter is JAX's: `dloss = Re(sum(gradient * dz))`.
///
/// ```
/// use meshwright_grad::{Options, value_and_grad};
/// # use meshwright_base::SourceText;
/// let text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {
///               %y = stablehlo.sine %x : tensor<f32>
///               return %y : tensor<f32>
///             }";
/// let mut module = meshwright_text::stablehlo::parse(&SourceText::new("sine.mlir", text)).unwrap();
/// let main = module.entry;
/// let gradient = value_and_grad(&mut module, main, &[0], &Options::default()).unwrap();
/// assert_eq!(&*module.funcs[gradient].name, "main_grad");
/// assert_eq!(module.funcs[gradient].results.len(), 2);
/// ```
pub fn value_and_grad(
    module: &mut Module,
    func: FuncId,
    wrt: &[usize],
    options: &Options,
) -> Result<FuncId, Vec<Diagnostic>> {
    reverse::transform(module, func, wrt, reverse::From::Loss, options)
}

/// Add a function that pulls cotangents back: its parameters are those of `func`, then one cotangent per result in
/// `from` (same type as the result); its results are those of `func`, then the cotangents of the parameters `wrt`.
///
/// ```
/// use meshwright_grad::{Options, vjp};
/// # use meshwright_base::SourceText;
/// # let text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
/// #               %y = stablehlo.sine %x : tensor<3xf32>
/// #               return %y : tensor<3xf32>
/// #             }";
/// # let mut module = meshwright_text::stablehlo::parse(&SourceText::new("sine.mlir", text)).unwrap();
/// // @main(x) -> y  becomes  @main_vjp(x, dy) -> (y, dx)
/// let main = module.entry;
/// let pulled = vjp(&mut module, main, &[0], &[0], &Options::default()).unwrap();
/// assert_eq!(module.funcs[pulled].params.len(), 2);
/// ```
pub fn vjp(
    module: &mut Module,
    func: FuncId,
    wrt: &[usize],
    from: &[usize],
    options: &Options,
) -> Result<FuncId, Vec<Diagnostic>> {
    reverse::transform(module, func, wrt, reverse::From::Results(from), options)
}

/// Add a function that is `func` for `size` cases at once: parameter `i` has a new leading dim of `size` where
/// `batched[i]`, every result has one. A result that does not depend on a batched parameter is repeated.
///
/// ```
/// use meshwright_grad::batch;
/// # use meshwright_base::SourceText;
/// # let text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
/// #               %y = stablehlo.sine %x : tensor<3xf32>
/// #               return %y : tensor<3xf32>
/// #             }";
/// # let mut module = meshwright_text::stablehlo::parse(&SourceText::new("sine.mlir", text)).unwrap();
/// let main = module.entry;
/// let batched = batch(&mut module, main, 8, &[true]).unwrap();
/// assert_eq!(module.funcs[batched].results[0].ty.to_string(), "f32[8,3]");
/// ```
pub fn batch(
    module: &mut Module,
    func: FuncId,
    size: i64,
    batched: &[bool],
) -> Result<FuncId, Vec<Diagnostic>> {
    batch::transform(module, func, size, batched)
}
