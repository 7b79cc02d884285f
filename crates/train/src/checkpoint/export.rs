//! A checkpoint as one safetensors file: every tensor whole, for whatever else reads weights.
//!
//! ```text
//! index.json, part-00000.safetensors, part-00004.safetensors   =>   model.safetensors
//! ```
//!
//! Tensors keep their names, types and bits, and lie in the order of their names. One at a time is in memory.

use super::{Checkpoint, DISK, Element, Region, Role, safetensors};
use meshwright_base::Diagnostic;
use std::io::Write;

/// What a file got.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exported {
    pub tensors: usize,
    pub elements: u64,
    /// Of the tensors, without the header.
    pub bytes: u64,
}

/// Writes the weights, or all that there is.
pub fn export(checkpoint: &mut Checkpoint, all: bool, into: &mut dyn Write) -> Result<Exported, Diagnostic> {
    let tensors: Vec<(String, Element, Vec<usize>)> = checkpoint
        .tensors()
        .filter(|(_, role, ..)| all || *role == Role::Weight)
        .map(|(name, _, element, shape)| (name.to_string(), element, shape.to_vec()))
        .collect();
    let rows: Vec<(&str, Element, &[usize], usize)> = tensors
        .iter()
        .map(|(name, element, shape)| {
            (name.as_str(), *element, &shape[..], shape.iter().product::<usize>() * element.bytes())
        })
        .collect();
    into.write_all(&safetensors::header(&rows)).map_err(|error| unwritable(&error))?;
    let mut exported = Exported { tensors: tensors.len(), ..Exported::default() };
    for (name, element, shape) in &tensors {
        let bytes = checkpoint.read(name, &Region { start: vec![0; shape.len()], shape: shape.clone() })?;
        into.write_all(&bytes).map_err(|error| unwritable(&error))?;
        exported.bytes += bytes.len() as u64;
        exported.elements += (bytes.len() / element.bytes()) as u64;
    }
    into.flush().map_err(|error| unwritable(&error))?;
    Ok(exported)
}

fn unwritable(error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(DISK, format!("cannot write the weights: {error}"))
        .help("make room, or name another file; what was there is as it was")
}
