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
mod fit;
mod flops;
pub mod grid;
mod held;
pub mod in_process;
mod layer;
mod networks;
mod program;
mod rows;
mod steps;
mod strategies;
mod timed;

use crate::failure::Failure;
use crate::report::Report;

/// A table or figure that is computed.
pub struct Computed {
    pub name: &'static str,
    pub run: fn() -> Result<Report, Failure>,
}

pub const COMPUTED: &[Computed] = &[
    Computed { name: "gspmd-table-1", run: strategies::table },
    Computed { name: "gspmd-table-2", run: steps::table_2 },
    Computed { name: "gspmd-table-3", run: steps::table_3 },
    Computed { name: "gspmd-table-4", run: steps::table_4 },
    Computed { name: "gspmd-table-6", run: steps::table_6 },
    Computed { name: "gspmd-table-7", run: steps::table_7 },
    Computed { name: "gshard-table-3", run: steps::gshard_table_3 },
    Computed { name: "gshard-algorithm-2", run: experts::table },
    Computed { name: "gshard-figure-7", run: held::table },
    Computed { name: "gshard-figure-8", run: layer::table },
    Computed { name: "gshard-figure-9", run: networks::table },
    Computed { name: "switch-table-9", run: flops::table },
    Computed { name: "blog-table", run: steps::blog },
];

/// What is no item of a document: all rows with what may be said of them, the constants fitted to some, and steps that
/// are predicted and run on this machine.
pub const BESIDE: &[Computed] = &[
    Computed { name: "in-process", run: in_process::table },
    Computed { name: "step-times", run: steps::all },
    Computed { name: "tpu-v3-constants", run: fit::table },
];

/// The computed table of a name.
pub fn find(name: &str) -> Option<&'static Computed> {
    COMPUTED.iter().chain(BESIDE).find(|computed| computed.name == name)
}

/// `reproduce --list`.
pub fn list() -> Report {
    let grid = catalogue::grid();
    Report::new(format!("{}\n{}.\n", grid.to_text(), catalogue::summary())).with("items", grid.to_json())
}
