//! What things cost: a machine, the time of an op on local shapes, the time and bytes of a collective, and the traffic
//! of a whole partitioned program, and what of its work is of use.
//!
//! Estimates order alternatives; they are not predictions to the microsecond. All of it is arithmetic on shapes.

#![forbid(unsafe_code)]

pub mod again;
pub mod collective;
pub mod compute;
pub mod looped;
pub mod machine;
pub mod peak;
pub mod pipeline;
pub mod traffic;

pub use collective::{CollectiveCost, Pattern};
pub use looped::{Form, Looped};
pub use machine::Machine;
pub use peak::{at_peak, program_peak};
pub use pipeline::{PipelineLoop, Usefulness, usefulness};
pub use traffic::{Traffic, traffic};
