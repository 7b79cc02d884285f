//! What enters and leaves a running program: `infeed`, `outfeed`, and transfers to and from the host.
//!
//! Each device has a queue of its own on both sides, so no device waits for another, and none for the host: a program
//! that asks for more than was queued ends in an error that names device and step. Channels are not told apart: arrays
//! go in the order in which a device asks for them.

use crate::array::HostArray;
use crate::{DeviceId, RunError, RunErrorKind};
use meshwright_ir::TensorType;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The queues of all devices that live here.
#[derive(Debug, Default)]
pub struct Feed {
    entering: Mutex<BTreeMap<DeviceId, VecDeque<HostArray>>>,
    left: Mutex<BTreeMap<DeviceId, Vec<HostArray>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Feed {
    /// Queue an array for a device.
    pub fn queue(&self, device: DeviceId, array: HostArray) {
        lock(&self.entering).entry(device).or_default().push_back(array);
    }

    /// What a device has given out so far, in order; its queue is empty afterwards.
    pub fn left(&self, device: DeviceId) -> Vec<HostArray> {
        lock(&self.left).remove(&device).unwrap_or_default()
    }

    /// The next array for a device, which must be of this type.
    pub fn take(&self, device: DeviceId, ty: &TensorType) -> Result<HostArray, RunError> {
        let next = lock(&self.entering).get_mut(&device).and_then(VecDeque::pop_front);
        match next {
            Some(array) if array.ty == *ty => Ok(array),
            Some(array) => {
                let message =
                    format!("the program takes {ty}, but the next array that is queued is {}", array.ty);
                Err(RunError::new(RunErrorKind::BadInput, message)
                    .help("queue arrays in the order in which they are taken"))
            }
            None => {
                let message = format!("the program takes {ty}, but nothing is queued any more");
                Err(RunError::new(RunErrorKind::BadInput, message)
                    .help("queue one array for each that the program takes: `--infeed FILE.npz`"))
            }
        }
    }

    /// An array that a device gives out.
    pub fn give(&self, device: DeviceId, array: HostArray) {
        lock(&self.left).entry(device).or_default().push(array);
    }
}
