//! The partitioner: from a sharded module to one program for all devices.
//!
//! ```text
//! plan       one strategy per op, every change of sharding a reshard of its own     plan/
//! pad        every split dim divides evenly; garbage is masked where it could count  pad/
//! reshard    each reshard becomes collectives of least cost                          reshard/
//! localize   local shapes, explicit collectives; pieces that shift are exchanged      localize/
//! ```
//!
//! `exchange/` is the arithmetic of what devices send each other inside an op: plan prices it, localize writes it down.
//! Rules of ops say how their dims relate; this crate names an op only where a rule cannot say it (`localize/`), and
//! nothing in it is proportional to the number of devices but the pairs of permutes.

#![forbid(unsafe_code)]

pub mod atoms;
pub mod axes;
pub mod blocks;
pub mod embed;
pub mod exchange;
pub mod keep_order;
pub mod localize;
pub mod memory;
pub mod pad;
pub mod plan;
pub mod prepare;
pub mod reshard;
pub mod resize;
pub mod xla_form;

pub use localize::einsum_loops::Loops;
use meshwright_cost::Machine;

/// What a plan should have least of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Goal {
    /// Bytes sent; of as many, time.
    #[default]
    Bytes,
    /// Time as the machine's figures say; of as much, bytes.
    Seconds,
}

/// What partitioning may be told.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Options {
    pub machine: Machine,
    pub goal: Goal,
    /// What plans and ways are compared on for least time, if it is not the machine itself: with some figures changed,
    /// it leads to other plans.
    pub compared_on: Option<Machine>,
    /// Which einsums become loops.
    pub loops: Loops,
    /// Bytes that may be alive on a device at one time.
    pub memory_limit: Option<i64>,
}

impl Options {
    /// For devices that share the cores of one machine.
    pub fn in_process() -> Self {
        Options { machine: Machine::in_process(), ..Options::default() }
    }

    /// The machine on which plans and ways are compared. Where bytes come first it is the plain one, so that the same
    /// is sent whatever the target: on its links one collective over a torus may be faster than two that send half.
    pub fn comparing(&self) -> Machine {
        let of = &self.machine;
        match self.goal {
            Goal::Bytes => Machine { overlap: of.overlap, loops_from: of.loops_from, ..Machine::default() },
            Goal::Seconds => self.compared_on.as_ref().unwrap_or(of).clone(),
        }
    }
}

/// Whether a plan is held against the rules of its ops.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Checks {
    #[default]
    All,
    /// For measurements, and for plans that are only compared.
    None,
}
