//! Random programs, partitioned and held against themselves.
//!
//! A case is a random program with random shardings on a random mesh. It is run in the interpreter as it is, then
//! completed, partitioned and run on simulated devices; the results must be the same. Deliberate faults in the
//! partitioner show that a wrong program would be noticed.
//!
//! Does no IO, prints nothing, starts no thread: callers split a campaign into ranges of case numbers and run them
//! where they like.

#![forbid(unsafe_code)]

pub mod budget;
pub mod build;
pub mod check;
pub mod choices;
pub mod family;
pub mod faults;
pub mod few;
pub mod filetest;
pub mod generate;
pub mod hunt;
pub mod inputs;
pub mod layout;
pub mod panics;
pub mod report;
pub mod run;
pub mod shrink;
pub mod texts;

pub use check::{Failure, check, check_engine, check_with};
pub use faults::{Fault, faults};
pub use few::check_few;
pub use filetest::filetest;
pub use generate::{Case, case, case_of, of_bytes};
pub use hunt::{Hunt, hunt};
pub use meshwright_interp::global::{self, run_spmd};
pub use report::Table;
pub use run::{Failed, Summary, run, run_of};
pub use shrink::{shrink, shrink_by};
pub use texts::check_texts;
