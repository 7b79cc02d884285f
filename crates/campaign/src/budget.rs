//! How often an op may fall back to a whole operand, in percent of its cases.
//!
//! These are the partitioner's present shares and some air: replicating everything fails, and a step that makes an op
//! split better lowers its number here.

use crate::report::Table;

/// Fewer cases than this say nothing.
const FEW: usize = 100;

/// (op, percent). What is not listed has [`OTHERS`].
const BUDGETS: &[(&str, f64)] = &[
    // All its operands are planned as one.
    ("optimization_barrier", 35.0),
];

/// For ops that work on pieces as they are.
const OTHERS: f64 = 20.0;

/// The budget of an op in percent.
pub fn of(op: &str) -> f64 {
    BUDGETS.iter().find(|(name, _)| *name == op).map_or(OTHERS, |(_, percent)| *percent)
}

/// Ops that fall back more often than they may: (op, share in percent, budget).
pub fn exceeded(table: &Table) -> Vec<(&'static str, f64, f64)> {
    let rows = table.rows.iter().filter(|(_, row)| row.cases >= FEW);
    let shares = rows.map(|(op, row)| (*op, 100.0 * row.share(row.whole), of(op)));
    shares.filter(|(_, share, budget)| share > budget).collect()
}
