//! The interpreter from Python: what a module means, slowly; and random modules to hold the engine against it.

use crate::array::Bytes;
use crate::failure::{alone, bad_arrays};
use meshwright_campaign::check::inputs;
use meshwright_cli::commands::run::memory;
use meshwright_cli::engine::failed;
use meshwright_cli::failure::Failure;
use meshwright_interp::{Tensor, run_global};
use meshwright_ir::{Module, TensorType};
use meshwright_runtime::Buffer;
use pyo3::prelude::*;

/// A program on global shapes, from bytes of its parameters to bytes of its results.
pub fn interpreted(module: &Module, arguments: &[Vec<u8>]) -> Result<Vec<Bytes>, Failure> {
    meshwright_ir::check_unfolded(module).map_err(Failure::input)?;
    let main = module.main();
    let types: Vec<TensorType> = main.param_values().iter().map(|value| main.ty(*value).as_array()).collect();
    memory::check(&types, 1, memory::limit())?;
    let tensor = |(at, (ty, bytes)): (usize, (&TensorType, &Vec<u8>))| {
        Tensor::from_bytes(ty.clone(), bytes).ok_or_else(|| {
            let message = format!("input {at}: {} bytes are given for {ty}", bytes.len());
            bad_arrays(message, format!("give an array of {ty}"))
        })
    };
    let tensors: Vec<Tensor> =
        types.iter().zip(arguments).enumerate().map(tensor).collect::<Result<_, _>>()?;
    let results = run_global(module, &tensors).map_err(Failure::input)?;
    results.iter().map(|result| bytes(&result.to_bytes())).collect()
}

fn bytes(from: &[u8]) -> Result<Bytes, Failure> {
    Ok(Bytes::of(Buffer::from_bytes(from).map_err(|error| failed(&error))?))
}

/// A random module with a few shardings, by number: its text, whether results must agree bit for bit, and inputs. For
/// tests.
#[pyfunction]
pub fn random_program(py: Python<'_>, number: u64) -> PyResult<(String, bool, Vec<Bytes>)> {
    alone(py, || {
        let case = meshwright_campaign::case(0, number);
        let tensors = inputs(&case).map_err(Failure::input)?;
        let all = tensors.iter().map(|tensor| bytes(&tensor.to_bytes())).collect::<Result<_, _>>()?;
        Ok((meshwright_text::stablehlo::print(&case.module), case.exact, all))
    })
}
