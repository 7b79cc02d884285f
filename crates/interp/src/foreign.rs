//! Custom calls and composites.
//!
//! A composite runs its decomposition. Of custom calls only those are run that mean nothing to values, and what JAX
//! writes for CPU: routines of LAPACK (`foreign/lapack.rs`), and `ApproxTopK`: exactly, which is as good an answer as
//! any.

mod eigh;
mod lapack;
mod lu;
mod matrix;
mod reflect;
mod schur;
mod svd;
#[cfg(test)]
mod tests;

use crate::fault::{Fault, NOT_RUN};
use crate::lanes::Lanes;
use crate::machine::Site;
use crate::region::Applier;
use crate::sort;
use crate::tensor::{Data, Tensor, element_count};
use crate::view::{View, copy, sizes};
use meshwright_ir::TensorType;
use meshwright_ir::op::foreign::{CustomCall, Foreign};

const TOP_K: &str = "ApproxTopK";

/// Targets that hand their operands on unchanged.
const IDENTITIES: [&str; 6] = [
    "Sharding",
    "annotate_device_placement",
    "xla.sdy.FuncResultSharding",
    "MoveToDevice",
    "MoveToHost",
    "LayoutConstraint",
];

pub(crate) fn eval(op: &Foreign, site: &mut Site<'_, '_>, args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    match op {
        Foreign::CustomCall(call) => custom_call(call, site, args),
        Foreign::Composite(composite) => {
            let active = site.active;
            site.machine.call(composite.decomposition, args, active)
        }
    }
}

/// Whether a custom call is run.
pub fn knows(call: &CustomCall) -> bool {
    let target = call.target.as_str();
    target == TOP_K || IDENTITIES.contains(&target) || call.routine().is_some_and(lapack::is_run)
}

fn custom_call(call: &CustomCall, site: &mut Site<'_, '_>, args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    let results = site.frame.func.inst(site.inst).results.len();
    if IDENTITIES.contains(&call.target.as_str()) && results == args.len() {
        return Ok(args);
    }
    if call.target == TOP_K {
        return site.each(args, |site, _, tensors| approx_top_k(call, site, &tensors));
    }
    if let Some(routine) = call.routine().filter(|routine| lapack::is_run(*routine)) {
        return site
            .each(args, |site, _, tensors| lapack::eval(routine, call, &tensors, &result_types(site)?));
    }
    Err(Fault::new(NOT_RUN, format!("the interpreter does not know the target `{}`", call.target))
        .help(
            "replace the call by ops, or run the program on an engine that has the target; JAX writes most of its own \
             calls as ops when it lowers for another platform: `lowering_platforms=('tpu',)`",
        ))
}

fn result_types<'m>(site: &Site<'m, '_>) -> Result<Vec<&'m TensorType>, Fault> {
    let count = site.frame.func.inst(site.inst).results.len();
    let tensor = |index| site.result_type(index)?.as_tensor().ok_or_else(|| Fault::unsound("makes a token"));
    (0..count).map(tensor).collect()
}

/// The first elements along a dim, in the order of the comparator, and what stands beside them in the other operands.
/// The second half of the operands are initial values, which no exact answer needs.
fn approx_top_k(call: &CustomCall, site: &mut Site<'_, '_>, args: &[Tensor]) -> Result<Vec<Data>, Fault> {
    let inputs = args.get(..args.len() / 2).unwrap_or(&[]);
    let comparator = call.callees.first().and_then(|callee| site.machine.module.funcs.get(*callee));
    let (Some(dim), Some(mut comparator)) = (reduced_dim(call), comparator.and_then(Applier::of_function))
    else {
        return Err(Fault::new(NOT_RUN, "the interpreter does not understand this `ApproxTopK`")
            .help("it needs `reduction_dim` and a comparator of scalars"));
    };
    let sorted = sort::sort_by(dim, &mut comparator, site, inputs)?;
    inputs
        .iter()
        .zip(sorted)
        .enumerate()
        .map(|(index, (input, data))| first_of(site, index, input, data))
        .collect()
}

/// `mhlo.backend_config = {reduction_dim = 1 : i64, ..}`.
fn reduced_dim(call: &CustomCall) -> Option<usize> {
    call.config("reduction_dim")?.split_whitespace().next()?.parse().ok()
}

/// The leading part of sorted elements that the result has room for.
fn first_of(site: &Site<'_, '_>, index: usize, input: &Tensor, sorted: Data) -> Result<Data, Fault> {
    let dims = site.result_type(index)?.dims();
    let fits = dims.len() == input.dims().len() && dims.iter().zip(input.dims()).all(|(to, from)| to <= from);
    if !fits {
        return Err(Fault::unsound("has a result that is larger than its operand"));
    }
    let mut data = Data::zeros(sorted.class(), element_count(dims).unwrap_or(0));
    let mut source = View::whole(input.dims());
    source.dims = sizes(dims);
    copy(&mut data, &View::whole(dims), &sorted, &source)?;
    Ok(data)
}
