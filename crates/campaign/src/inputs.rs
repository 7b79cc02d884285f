//! Values of a case's parameters: small integers in every type, the same on any machine.
//!
//! Floats lie in -4..=4, integers reach beyond the largest dim so that indices hit and miss.

use crate::choices::mix;
use meshwright_ir::{Class, DType, Literal, Module, TensorType};

/// Largest magnitude of a parameter's element.
pub fn bound(dtype: DType) -> f64 {
    match dtype.class() {
        Class::Pred => 1.0,
        Class::Signed | Class::Unsigned => 16.0,
        Class::Float | Class::Complex => 4.0,
    }
}

/// Parameters of the entry function.
pub fn of_module(module: &Module, seed: u64) -> Vec<Literal> {
    let main = module.main();
    let types = main.param_values().iter().filter_map(|value| main.ty(*value).as_tensor());
    types.enumerate().map(|(at, ty)| literal(ty, mix(seed).wrapping_add(at as u64))).collect()
}

fn literal(ty: &TensorType, key: u64) -> Literal {
    let scalar = ty.with_dims(Vec::new());
    let number = |at: i64| mix(mix(key).wrapping_add(at as u64));
    let element = |at: i64| Literal::splat_int(scalar.clone(), small(ty.dtype, number(at)));
    let bytes = (0..ty.elements()).flat_map(|at| element(at).element(0).to_vec()).collect();
    Literal::dense(ty.clone(), bytes).unwrap_or(Literal::zeros(ty.clone()))
}

fn small(dtype: DType, word: u64) -> i64 {
    match dtype.class() {
        Class::Pred => (word % 2) as i64,
        Class::Unsigned => (word % 14) as i64,
        Class::Signed => (word % 18) as i64 - 4,
        Class::Float | Class::Complex => (word % 9) as i64 - 4,
    }
}
