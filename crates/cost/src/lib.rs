//! What things cost: machines and their networks, the time of an op on local shapes, the time and bytes of a
//! collective, the traffic of a whole partitioned program, what of its work is of use, and its step simulated on a
//! machine.
//!
//! One set of coefficients prices all of it: planning reads it op by op ([`compute`], [`collective`]), [`simulate()`]
//! with shapes, places and what runs side by side. All of it is arithmetic on shapes; nothing grows with the number of
//! devices.

#![forbid(unsafe_code)]

pub mod activity;
pub mod again;
pub mod collective;
pub mod compute;
pub mod interval;
pub mod looped;
pub mod machine;
pub mod network;
pub mod pattern;
pub mod peak;
pub mod pipeline;
pub mod price;
pub mod simulate;
pub mod traffic;
mod view;

pub use activity::Activities;
pub use collective::CollectiveCost;
pub use interval::Estimate;
pub use looped::{Form, Looped};
pub use machine::target::Target;
pub use machine::{Coefficient, Habits, Known, Machine};
pub use network::wiring::Wiring;
pub use pattern::Pattern;
pub use peak::{at_peak, program_peak};
pub use pipeline::{PipelineLoop, Usefulness, usefulness};
pub use simulate::{Detail, StepTime, Wired, roofline, simulate, step_seconds};
pub use traffic::{Traffic, flops_once, forward_flops, traffic};
