//! The families of ops a program is made of: one small function each, in a table.
//!
//! A family adds one op (and what it needs) to a program under construction, or nothing if what it would build could
//! get too large to be compared exactly. Within a family, the first of several choices is the simplest.

pub mod annotation;
mod control;
mod elementwise;
mod linear_algebra;
mod lookup;
mod manual;
mod movement;
mod other;
mod reduction;

use crate::build::Gen;

/// Adds an op; `None` if this one was not possible.
pub type Family = (&'static str, fn(&mut Gen) -> Option<()>);

/// Families without regions of program code, from the simplest on.
pub const PLAIN: &[Family] = &[
    ("unary", elementwise::unary),
    ("binary", elementwise::binary),
    ("data", elementwise::data),
    ("select", elementwise::select),
    ("compare", elementwise::compare),
    ("convert", elementwise::convert),
    ("clamp", elementwise::clamp),
    ("barrier", elementwise::barrier),
    ("broadcast", movement::broadcast),
    ("transpose", movement::transpose),
    ("reshape", movement::reshape),
    ("dot", reduction::dot),
    ("reduce", reduction::reduce),
    ("arg_reduce", reduction::arg_reduce),
    ("slice", movement::slice),
    ("pad", movement::pad),
    ("concatenate", movement::concatenate),
    ("reverse", movement::reverse),
    ("rotate", movement::rotate),
    ("cumulative", reduction::cumulative),
    ("window", reduction::window),
    ("arg_window", reduction::arg_window),
    ("embedding", lookup::embedding),
    ("take_along_axis", lookup::take_along_axis),
    ("scatter", lookup::scatter),
    ("dynamic_slice", lookup::dynamic_slice),
    ("dynamic_update_slice", lookup::dynamic_update_slice),
    ("sort", lookup::sort),
    ("top_k", lookup::top_k),
    ("map", other::map),
    ("convolution", other::convolution),
    ("random_bits", other::random_bits),
    ("bitcast", other::bitcast),
    ("reduce_precision", other::reduce_precision),
    ("select_and_scatter", other::select_and_scatter),
    ("triangular_solve", linear_algebra::triangular_solve),
    ("cholesky", linear_algebra::cholesky),
    ("fft", linear_algebra::fft),
];

/// Families with regions of program code.
pub const NESTED: &[Family] = &[
    ("call", control::call),
    ("if", control::branch),
    ("scan", control::scan),
    ("while", control::while_loop),
    ("manual", manual::region),
    ("manual_edges", manual::edges),
];

/// What a campaign is made of.
pub fn all() -> Vec<Family> {
    PLAIN.iter().chain(NESTED).copied().collect()
}

/// The families of these names, `None` for a name there is not.
pub fn named(names: &[&str]) -> Option<Vec<Family>> {
    let find = |name: &&str| PLAIN.iter().chain(NESTED).find(|family| family.0 == *name).copied();
    names.iter().map(find).collect()
}

/// Add up to `most` ops to a region: mostly plain ones, not too deep down.
pub fn some_ops(g: &mut Gen, most: usize) {
    const DEEPEST: usize = 3;
    for _ in 0..g.choices.index(most + 1) {
        let nested = g.depth < DEEPEST && g.choices.chance(10);
        one_op(g, if nested { NESTED } else { PLAIN });
        annotation::some(g, 8);
    }
}

/// Add one op of some family; a second attempt where the first is not possible.
pub fn one_op(g: &mut Gen, families: &[Family]) {
    for _ in 0..3 {
        let (_, build) = g.choices.pick(families);
        if build(g).is_some() {
            return;
        }
    }
}
