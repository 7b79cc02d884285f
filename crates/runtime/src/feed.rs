//! What enters and leaves a running program: `infeed`, `outfeed`, and transfers to and from the host.
//!
//! Each device has a queue of its own on both sides, so no device waits for another, and none for the host: a program
//! that asks for more than was queued ends in an error that names device and step. Channels are not told apart: arrays
//! go in the order in which a device asks for them. A queue may also have no end: arrays are made when they are asked
//! for.

use crate::array::HostArray;
use crate::{DeviceId, RunError, RunErrorKind};
use meshwright_ir::TensorType;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Makes the array with this number in a device's queue.
type Make = Box<dyn Fn(DeviceId, u64, &TensorType) -> Option<HostArray> + Send + Sync>;

/// The queues of all devices that live here.
#[derive(Default)]
pub struct Feed {
    entering: Mutex<BTreeMap<DeviceId, VecDeque<HostArray>>>,
    left: Mutex<BTreeMap<DeviceId, Vec<HostArray>>>,
    /// What gives arrays behind those that were queued, and how many each device has had of it.
    endless: Option<(Make, Mutex<BTreeMap<DeviceId, u64>>)>,
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed")
            .field("entering", &self.entering)
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Feed {
    /// Queues without an end: `make` is asked for the arrays of each device, numbered from 0.
    pub fn endless(
        make: impl Fn(DeviceId, u64, &TensorType) -> Option<HostArray> + Send + Sync + 'static,
    ) -> Feed {
        Feed { endless: Some((Box::new(make), Mutex::default())), ..Feed::default() }
    }

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
        let queued = lock(&self.entering).get_mut(&device).and_then(VecDeque::pop_front);
        match queued.or_else(|| self.made(device, ty)) {
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

    fn made(&self, device: DeviceId, ty: &TensorType) -> Option<HostArray> {
        let (make, had) = self.endless.as_ref()?;
        let mut had = lock(had);
        let number = had.entry(device).or_default();
        *number += 1;
        make(device, *number - 1, ty)
    }

    /// An array that a device gives out.
    pub fn give(&self, device: DeviceId, array: HostArray) {
        lock(&self.left).entry(device).or_default().push(array);
    }
}
