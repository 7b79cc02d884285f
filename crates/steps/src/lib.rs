//! The small language that the native CPU engine compiles to: steps, what they touch, and the order they run in.
//!
//! ```text
//! module -> lowering -> Steps -> passes, each checked -> Line -> a device runs it
//! ```
//!
//! What a step computes is not known here, only which bytes it reads and writes ([`Effects::accesses`]). That is all
//! that passes over memory need, and all that is needed to find out that one of them was wrong: [`check()`] follows
//! every value through the finished program, by itself.

#![forbid(unsafe_code)]

mod alias;
mod body;
pub mod check;
mod flow;
mod line;
mod lives;
mod makers;
mod move_up;
mod parse;
mod region;
mod shared;
#[cfg(test)]
mod tests;
mod text;
mod verify;

pub use alias::{Relation, Touch, Uses};
pub use body::{Body, Branch, BufInfo, Effects, Item, Kind, Loop, Named, On, StepId, Steps, Test};
pub use check::{Fault, PlacedAt, Places, check};
pub use line::{Life, Line, LoopSpan, Point};
pub use lives::lives;
pub use makers::Makers;
pub use parse::{Opaque, parse};
pub use region::{Access, BufId, Counter, Extent, Mode, Region, Strided};
pub use shared::Shared;
pub use verify::verify;
