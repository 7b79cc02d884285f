//! What an engine makes of a module, and how a device runs it.
//!
//! A [`Task`] is one device in the middle of the program. It runs until the next collective, hands out the addresses of
//! its operands and results there, and goes on when it is resumed: then the results have been written.

use crate::plan::{MemoryPlan, ResultPlace};
use crate::pool::Workers;
use crate::site::{Site, SiteId};
use crate::step::{StepInfo, StepOrder};
use crate::{DeviceId, RunError};
use meshwright_base::IdMap;
use meshwright_ir::{SpmdModule, TensorType};
use std::sync::Arc;

/// Turns a module into a program. Everything that can be refused is refused here, nothing at run time.
pub trait Compiler: Send + Sync {
    fn compile(&self, module: &SpmdModule, devices: usize) -> Result<Arc<dyn Program>, RunError>;
}

/// A compiled program, the same for all devices.
pub trait Program: Send + Sync {
    /// Local types of the parameters.
    fn params(&self) -> &[TensorType];
    /// Local types of the results.
    fn results(&self) -> &[TensorType];
    /// Which parameters the caller gives away.
    fn donated(&self) -> &[bool];
    fn result_places(&self) -> &[ResultPlace];
    fn sites(&self) -> &IdMap<SiteId, Site>;
    fn memory(&self) -> &MemoryPlan;
    /// What each step is, for traces, errors and plans. Jumps are among them, of the kind `control`.
    fn steps(&self) -> &[StepInfo];
    /// In which order steps run, and how often, as far as that is known.
    fn order(&self) -> &[StepOrder];
    /// A device at the start of the program.
    fn start(&self, device: DeviceId, memory: DeviceMemory) -> Box<dyn Task + '_>;
}

/// Where a device's data lies during one launch.
#[derive(Clone, Debug)]
pub struct DeviceMemory {
    pub arena: *mut u8,
    pub inputs: Vec<*mut u8>,
    pub results: Vec<*mut u8>,
}

// SAFETY: addresses of buffers the launch keeps alive; a device is run by one worker at a time.
unsafe impl Send for DeviceMemory {}

/// A device in the middle of the program.
pub trait Task: Send {
    /// Run up to the next collective or to the end.
    fn resume(&mut self, workers: &dyn Workers) -> Result<Event, RunError>;
    /// The step it is at, for errors.
    fn position(&self) -> usize;
}

/// Why a task stopped.
#[derive(Clone, Debug)]
pub enum Event {
    Done,
    Join(Join),
}

/// A device at a collective: where its operands lie and where its results go.
#[derive(Clone, Debug)]
pub struct Join {
    pub site: SiteId,
    pub operands: Vec<*const u8>,
    pub results: Vec<*mut u8>,
}

// SAFETY: addresses in memory of a device that does not run before the collective is done.
unsafe impl Send for Join {}
// SAFETY: as above.
unsafe impl Sync for Join {}
