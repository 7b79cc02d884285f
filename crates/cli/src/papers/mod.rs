//! Tables and figures of the papers that are computed, not trained: at the papers' sizes, beside the papers' numbers.
//!
//! ```text
//! preset --partition--> the program of one device --count--> rows beside the paper's
//! ```
//!
//! A table is a file here and a row of [`COMPUTED`]; [`catalogue`] lists what all four documents have. Studies that are
//! trained are in `meshwright_train::reproduce`.

pub mod catalogue;
mod experts;
mod flops;
mod grid;
mod held;
mod program;
mod strategies;

use crate::failure::Failure;
use crate::report::Report;

/// A table or figure that is computed.
pub struct Computed {
    pub name: &'static str,
    pub run: fn() -> Result<Report, Failure>,
}

pub const COMPUTED: &[Computed] = &[
    Computed { name: "gspmd-table-1", run: strategies::table },
    Computed { name: "gshard-algorithm-2", run: experts::table },
    Computed { name: "gshard-figure-7", run: held::table },
    Computed { name: "switch-table-9", run: flops::table },
];

/// The computed table of a name.
pub fn find(name: &str) -> Option<&'static Computed> {
    COMPUTED.iter().find(|computed| computed.name == name)
}

/// `reproduce --list`.
pub fn list() -> Report {
    let grid = catalogue::grid();
    Report::new(format!("{}\n{}.\n", grid.to_text(), catalogue::summary())).with("items", grid.to_json())
}
