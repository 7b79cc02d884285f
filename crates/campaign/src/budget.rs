//! How often an op may fall back to a whole operand, in percent of its cases, beside what is left to chance.
//!
//! These are the partitioner's present shares and some air: replicating everything fails, and a step that makes an op
//! split better lowers its number here.

/// (op, percent). What is not listed has [`OTHERS`].
const BUDGETS: &[(&str, f64)] = &[
    // One matrix has no dim that may be split.
    ("cholesky", 7.0),
    // Most are transformed next: their halves are fetched before they are joined.
    ("complex", 24.0),
    ("convolution", 7.0),
    // What is cheaper whole: so few elements that the windows of a piece are most of them.
    ("select_and_scatter", 6.0),
    // Over few devices, fetching a line sends less than merging pieces of it.
    ("sort", 7.0),
    // A system is solved whole.
    ("triangular_solve", 7.0),
    // Indices, or a table that is looked up along an uneven dim.
    ("gather", 10.0),
    ("scatter", 14.0),
];

/// For ops that work on pieces as they are.
const OTHERS: f64 = 5.0;

/// The budget of an op in percent.
pub fn of(op: &str) -> f64 {
    BUDGETS.iter().find(|(name, _)| *name == op).map_or(OTHERS, |(_, percent)| *percent)
}
