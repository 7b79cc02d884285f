//! The rows of the table, by family.

pub mod control;
pub mod elementwise;
pub mod foreign;
pub mod layers;
pub mod math;
pub mod shape;

use crate::gradients::check::Row;

/// All of them but those that are refused.
pub fn all() -> Vec<Row> {
    let families = [
        elementwise::rows(),
        shape::movement(),
        shape::lookup(),
        shape::order(),
        math::products(),
        math::reductions(),
        math::convolutions(),
        math::windows(),
        math::matrices(),
        math::spectra(),
        control::rows(),
        foreign::elementwise(),
        foreign::lookups(),
        foreign::sums(),
        foreign::structure(),
    ];
    families.into_iter().flatten().collect()
}
