//! The states of a run as a checkpoint.

use super::error::Error;
use super::host::Host;
use super::state::States;
use crate::checkpoint::{Element, Role, Snapshot, State, Tensor, bad_numbers, not_finite};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;

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
    let bad =
        |tensor: &&Tensor| tensor.pieces.iter().any(|piece| not_finite(tensor.element, &piece.bytes) > 0);
    match snapshot.tensors.iter().find(bad) {
        None => Ok(()),
        Some(tensor) => {
            let message =
                format!("`{}` holds a NaN or an infinity after step {}", tensor.name, snapshot.state.step);
            Err(bad_numbers(message)
                .help("lower `optimizer.learning_rate` or set `optimizer.clip_norm`, and resume"))
        }
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
    bad_numbers(format!("the state `{name}` is of {dtype}, which no checkpoint holds"))
        .help("keep states in f32, f64 or bf16")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::{Piece, Region};

    #[test]
    fn a_state_that_is_no_number_is_told_with_its_step() {
        let piece = |number: f32| Piece { region: Region::whole(&[1]), bytes: number.to_le_bytes().to_vec() };
        let of = |number: f32| {
            let (element, role) = (Element::F32, Role::Weight);
            let tensor = Tensor {
                name: "params.w".into(),
                role,
                element,
                shape: vec![1],
                pieces: vec![piece(number)],
            };
            check(&Snapshot { state: State { step: 7, ..State::default() }, tensors: vec![tensor] })
        };
        assert_eq!(of(1.0), Ok(()));
        for number in [f32::NAN, f32::INFINITY] {
            let found = of(number).unwrap_err();
            assert_eq!(found.message, "`params.w` holds a NaN or an infinity after step 7");
            assert!(found.help.is_some_and(|help| help.contains("`optimizer.clip_norm`")));
        }
    }
}
