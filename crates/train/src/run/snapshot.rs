//! The states of a run as a checkpoint.

use super::error::Error;
use super::host::Host;
use super::state::States;
use crate::checkpoint::{Element, Piece, Role, Snapshot, State, Tensor};
use meshwright_base::{Code, Diagnostic};
use meshwright_ir::DType;

const BAD_NUMBERS: Code = Code(1142);

/// Every state, with the pieces that this process writes.
pub fn snapshot(states: &States, state: State, host: &Host<'_>) -> Result<Snapshot, Error> {
    let mut tensors = Vec::new();
    let mut loads = vec![0; host.devices.count()];
    for (name, held) in &states.held {
        let pieces = held.share(host, &mut loads)?;
        let dtype = held.place.placement.global.dtype;
        let element = element(dtype).ok_or_else(|| no_element(name, dtype))?;
        let role = if name.starts_with("params.") { Role::Weight } else { Role::Optimizer };
        tensors.push(Tensor { name: name.clone(), role, element, shape: held.place.shape(), pieces });
    }
    Ok(Snapshot { state, tensors })
}

/// A checkpoint that a run can go on from has numbers only.
pub fn check(snapshot: &Snapshot) -> Result<(), Diagnostic> {
    let bad = |tensor: &&Tensor| tensor.pieces.iter().any(|piece| has_bad_number(tensor.element, piece));
    match snapshot.tensors.iter().find(bad) {
        None => Ok(()),
        Some(tensor) => {
            let message =
                format!("`{}` holds a NaN or an infinity after step {}", tensor.name, snapshot.state.step);
            Err(Diagnostic::error(BAD_NUMBERS, message)
                .help("lower `optimizer.learning_rate` or set `optimizer.clip_norm`, and resume"))
        }
    }
}

fn has_bad_number(element: Element, piece: &Piece) -> bool {
    let f32s =
        || piece.bytes.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok().map(f32::from_le_bytes));
    let f64s =
        || piece.bytes.chunks_exact(8).filter_map(|bytes| bytes.try_into().ok().map(f64::from_le_bytes));
    // All ones in the exponent.
    let narrow = || piece.bytes.chunks_exact(2).any(|bytes| bytes[1] & 0x7F == 0x7F && bytes[0] & 0x80 != 0);
    match element {
        Element::Bf16 => narrow(),
        Element::F32 => f32s().any(|value| !value.is_finite()),
        Element::F64 => f64s().any(|value| !value.is_finite()),
        _ => false,
    }
}

/// The element type of a checkpoint for that of a tensor.
pub fn element(dtype: DType) -> Option<Element> {
    match dtype {
        DType::F32 => Some(Element::F32),
        DType::F64 => Some(Element::F64),
        DType::BF16 => Some(Element::Bf16),
        DType::S32 => Some(Element::I32),
        _ => None,
    }
}

fn no_element(name: &str, dtype: DType) -> Diagnostic {
    Diagnostic::error(BAD_NUMBERS, format!("the state `{name}` is of {dtype}, which no checkpoint holds"))
        .help("keep states in f32, f64 or bf16")
}
