//! What both programs run on: arrays of a file, or made up from seeds.

use super::signs::nonnegative_params;
use crate::args::VerifyArgs;
use crate::commands::run::{does_not_fit, param_types, read_params};
use crate::failure::Failure;
use crate::report::Report;
use meshwright_base::Diagnostic;
use meshwright_interp::{Data, Style, Tensor, random_inputs};
use meshwright_ir::{Module, TensorType};
use serde_json::Value;

/// Where inputs come from.
pub enum Inputs {
    /// The same for all.
    Given(Vec<Tensor>),
    /// From so many seeds, from the first on; numbers of which roots are taken are drawn nonnegative.
    MadeUp { first: u64, count: u64, nonnegative: Vec<bool> },
}

impl Inputs {
    /// `given` is the module as it was read, `module` the one that is computed, perhaps in wider types.
    pub fn of(args: &VerifyArgs, given: &Module, module: &Module) -> Result<Inputs, Failure> {
        let Some(path) = &args.inputs else {
            let (first, count) = (args.seed, args.seeds);
            return Ok(Inputs::MadeUp { first, count, nonnegative: nonnegative_params(module) });
        };
        let types = param_types(module);
        let arrays = read_params(path, given, types.len())?;
        let arrays = arrays.into_iter().zip(&types).enumerate();
        let fitting = arrays
            .map(|(at, (array, ty))| in_type(&array, ty).ok_or_else(|| does_not_fit(given, at, array.ty())));
        Ok(Inputs::Given(fitting.collect::<Result<_, _>>()?))
    }

    pub fn seeds(&self) -> impl Iterator<Item = u64> {
        let (first, count) = match self {
            Inputs::Given(_) => (0, 1),
            Inputs::MadeUp { first, count, .. } => (*first, *count),
        };
        (0..count).map(move |at| first.wrapping_add(at))
    }

    /// In words.
    pub fn told(&self) -> String {
        match self {
            Inputs::Given(_) => "on the given inputs".to_string(),
            Inputs::MadeUp { first, count: 1, .. } => format!("seed {first}"),
            Inputs::MadeUp { first, count, .. } => format!("{count} seeds from {first} on"),
        }
    }

    /// The same for programs.
    pub fn tell(&self, report: Report) -> Report {
        match self {
            Inputs::Given(_) => report.with("seed", Value::Null).with("seeds", Value::Null),
            Inputs::MadeUp { first, count, .. } => report.with("seed", *first).with("seeds", *count),
        }
    }

    /// The arrays of one view of the parameters.
    pub fn made(&self, module: &Module, seed: u64, view: u64) -> Result<Vec<Tensor>, Diagnostic> {
        let nonnegative = match self {
            Inputs::Given(arrays) => return Ok(arrays.clone()),
            Inputs::MadeUp { nonnegative, .. } => nonnegative,
        };
        let arrays = random_inputs(module, seed.wrapping_add(view << 32), Style::Natural)?;
        let signed = arrays.into_iter().zip(nonnegative);
        Ok(signed.map(|(array, nonnegative)| if *nonnegative { magnitude(array) } else { array }).collect())
    }
}

/// An array as the computation wants it: floats may be wider there.
fn in_type(array: &Tensor, ty: &TensorType) -> Option<Tensor> {
    if array.dims() != ty.dims || array.data().class() != ty.dtype.class() {
        return None;
    }
    Tensor::new(ty.clone(), array.data().clone())
}

fn magnitude(array: Tensor) -> Tensor {
    let Data::Float(numbers) = array.data() else { return array };
    let numbers = numbers.iter().map(|number| number.abs()).collect();
    Tensor::new(array.ty().clone(), Data::Float(numbers)).unwrap_or(array)
}
