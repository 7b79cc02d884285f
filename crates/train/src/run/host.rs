//! What a run is run on.

use super::error::Error;
use meshwright_base::{Id, budget};
use meshwright_ir::{Module, SpmdModule};
use meshwright_runtime::{Devices, RunError};

/// Of one result, the bytes on every device by number from those that live here; `None` if another process gets them.
pub type Gather<'a> = &'a dyn Fn(Vec<Vec<u8>>) -> Result<Option<Vec<Vec<u8>>>, RunError>;

/// How a program becomes one for all devices.
pub type Compile<'a> = &'a dyn Fn(Module) -> Result<SpmdModule, Error>;

/// What a run is run on.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    pub devices: &'a dyn Devices,
    pub gather: Gather<'a>,
    /// What every process says, in their order; all of them ask, at the same places.
    pub say: &'a dyn Fn(u64) -> Result<Vec<u64>, RunError>,
    /// Whether this process writes files and tells what happens. One does; it is the one that gathers.
    pub is_first: bool,
    pub memory_limit: Option<usize>,
    /// Asked once for each program of a run.
    pub compile: Compile<'a>,
}

impl Host<'_> {
    /// Whether any process says so; all of them ask.
    pub fn any(&self, own: bool) -> Result<bool, RunError> {
        Ok((self.say)(u64::from(own))?.contains(&1))
    }

    /// Whether all devices are this process's.
    pub fn is_alone(&self) -> bool {
        self.devices.local().len() == self.devices.count()
    }

    /// Whether this process's share of so many parameters fits it, before programs of them are made.
    pub fn check_parameters(&self, count: i64) -> Result<(), Error> {
        const WIDTH: u64 = 4;
        let bytes = count.unsigned_abs().saturating_mul(WIDTH);
        let share = bytes / self.devices.count().max(1) as u64 * self.devices.local().len() as u64;
        budget::check(share, || format!("the model's {count} parameters")).map_err(Error::Environment)
    }

    /// The number of the first device of this process; no other process has it.
    pub fn first_device(&self) -> usize {
        self.devices.local().first().map_or(0, |device| device.index())
    }
}
