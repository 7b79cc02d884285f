//! Tables and figures of the papers that are computed, not trained: at the papers' sizes, beside the papers' numbers.
//!
//! ```text
//! preset --partition--> the program of one device --count--> rows beside the paper's
//! ```
//!
//! A table is a file here and a row of [`COMPUTED`]; [`catalogue`] lists what all four documents have. Studies that are
//! trained are in [`studies`](crate::studies).

mod annotated;
mod blog;
pub mod catalogue;
mod compiling;
mod conformers;
pub mod constants;
mod experts;
mod fit;
mod flops;
mod held;
pub mod in_process;
pub mod items;
mod layer;
mod networks;
mod orders;
pub mod printed;
mod program;
mod rows;
mod sensitivity;
mod speeds;
mod steps;
mod strategies;
mod timed;
mod unet;

use meshwright_cli::failure::Failure;
use meshwright_cli::report::Report;

/// A table or figure that is computed.
pub struct Computed {
    pub name: &'static str,
    made: Made,
}

/// How a table is made.
enum Made {
    By(fn() -> Result<Report, Failure>),
    /// Of the rows of that name: steps that the paper measured.
    OfRows,
}

impl Computed {
    const fn by(name: &'static str, table: fn() -> Result<Report, Failure>) -> Computed {
        Computed { name, made: Made::By(table) }
    }

    const fn of_rows(name: &'static str) -> Computed {
        Computed { name, made: Made::OfRows }
    }

    pub fn report(&self) -> Result<Report, Failure> {
        match self.made {
            Made::By(table) => table(),
            Made::OfRows => steps::table(self.name),
        }
    }
}

pub const COMPUTED: &[Computed] = &[
    Computed::by("gspmd-table-1", strategies::table),
    Computed::of_rows("gspmd-table-2"),
    Computed::of_rows("gspmd-table-3"),
    Computed::of_rows("gspmd-table-4"),
    Computed::by("gspmd-table-5", conformers::table),
    Computed::of_rows("gspmd-table-6"),
    Computed::of_rows("gspmd-table-7"),
    Computed::by("gspmd-table-8", unet::table),
    Computed::of_rows("gshard-table-3"),
    Computed::by("gshard-algorithm-2", experts::table),
    Computed::by("gshard-figure-7", held::table),
    Computed::by("gshard-figure-8", layer::table),
    Computed::by("gshard-figure-9", networks::table),
    Computed::by("gshard-figure-10", orders::table),
    Computed::by("switch-table-9", flops::table),
    Computed::by("blog-table", blog::table),
];

/// What is no item of a document: all rows with what may be said of them, the constants fitted to some, what hangs on
/// those that are assumed, and steps that are predicted and run on this machine.
pub const BESIDE: &[Computed] = &[
    Computed::by("in-process", in_process::table),
    Computed::by("sensitivity", sensitivity::table),
    Computed::by("constants", constants::table),
    Computed::by("gspmd-annotations", annotated::table),
    Computed::by("gshard-figure-2", compiling::table),
    Computed::by("step-times", steps::all),
    Computed::by("switch-table-1-speed", speeds::table),
    Computed::by("tpu-v3-constants", fit::table),
];

/// Tables computed by the cost model. A golden file has their text, so a changed constant shows as a diff.
pub const SIMULATED: [&str; 10] = [
    "step-times",
    "gshard-table-3",
    "gspmd-table-5",
    "gspmd-table-8",
    "gshard-figure-7",
    "gshard-figure-8",
    "gshard-figure-9",
    "gshard-figure-10",
    "blog-table",
    "switch-table-1-speed",
];

/// Tables counted in programs, whose numbers the page of all items lists.
pub const COUNTED: [&str; 2] = ["gspmd-annotations", "gshard-figure-2"];

/// The computed table of a name.
pub fn find(name: &str) -> Option<&'static Computed> {
    COMPUTED.iter().chain(BESIDE).find(|computed| computed.name == name)
}

/// `reproduce --list`.
pub fn list() -> Report {
    let grid = catalogue::grid();
    Report::new(format!("{}\n{}.\n", grid.to_text(), catalogue::summary())).with("items", grid.to_json())
}
