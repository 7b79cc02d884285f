//! Arrays on the devices of this process, and the work that makes them.
//!
//! An array is there from the moment that it is asked for; whether what makes it went well is known when that is over.
//! Work is waited for once, whoever asks: the same outcome is told to all.

use crate::abi::BufferType;
use crate::client::Client;
use crate::diagnose::failed;
use crate::error::PluginError;
use crate::loaded::DeviceBuffer;
use crate::pending::Pending;
use meshwright_ir::TensorType;
use meshwright_runtime::array::byte_len;
use meshwright_runtime::{Buffer, DeviceArray, DeviceId, Remote, RunError};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Where arrays lie.
#[derive(Clone)]
pub struct Local {
    pub client: Arc<Client>,
    /// The devices of this process, by their numbers in the program.
    pub local: Vec<DeviceId>,
    /// The place of each of them among those that the client opened here.
    pub at: Vec<usize>,
}

/// Transfers, or a run.
pub struct Work {
    line: Mutex<Line>,
    /// How many stood in line behind one another when this began.
    depth: usize,
    outcome: OnceLock<Result<(), RunError>>,
}

#[derive(Default)]
struct Line {
    /// What it needs, where that may be under way itself.
    after: Vec<Arc<Work>>,
    pending: Vec<(DeviceId, Pending)>,
}

/// So many launches stand in line at most: who launches more waits.
const DEEPEST: usize = 32;

impl Work {
    pub fn new(mut after: Vec<Arc<Work>>, devices: &[DeviceId], pending: Vec<Pending>) -> Work {
        let deepest = |after: &[Arc<Work>]| after.iter().map(|work| work.depth + 1).max().unwrap_or(0);
        after.retain(|work| !work.is_known_good());
        if deepest(&after) > DEEPEST {
            // What failed is told to who asks how this went.
            after.retain(|work| work.outcome().is_err());
        }
        let depth = if after.iter().all(|work| work.outcome.get().is_some()) { 0 } else { deepest(&after) };
        let pending = devices.iter().copied().zip(pending).collect();
        Work { line: Mutex::new(Line { after, pending }), depth, outcome: OnceLock::new() }
    }

    fn is_known_good(&self) -> bool {
        matches!(self.outcome.get(), Some(Ok(())))
    }

    /// How it went, waited for. What failed first is told first.
    pub fn outcome(&self) -> Result<(), RunError> {
        let wait = || {
            let line = std::mem::take(&mut *self.line.lock().unwrap_or_else(PoisonError::into_inner));
            // All are waited for, whatever one says.
            let before = line.after.iter().map(|work| work.outcome()).fold(Ok(()), Result::and);
            let wait = |(device, mut one): (DeviceId, Pending)| {
                one.wait().map_err(|error| failed(&error).on(device))
            };
            before.and(line.pending.into_iter().map(wait).fold(Ok(()), Result::and))
        };
        self.outcome.get_or_init(wait).clone()
    }
}

/// One array, a shard on each device.
pub struct Shards {
    place: Local,
    /// Bytes of each.
    bytes: usize,
    pub on: Vec<DeviceBuffer>,
    pub made_by: Arc<Work>,
}

impl Shards {
    pub fn new(place: &Local, ty: &TensorType, on: Vec<DeviceBuffer>, made_by: Arc<Work>) -> Shards {
        Shards { place: place.clone(), bytes: byte_len(ty).unwrap_or(0), on, made_by }
    }

    /// The shards of an array that lies with this client.
    pub fn of(array: &DeviceArray, client: &Arc<Client>) -> Option<Arc<Shards>> {
        let there = array.remote()?.clone() as Arc<dyn Any + Send + Sync>;
        there.downcast::<Shards>().ok().filter(|shards| Arc::ptr_eq(&shards.place.client, client))
    }

    /// Bytes on their way to the devices, to all of them at once.
    pub fn put(
        place: &Local,
        kind: BufferType,
        ty: &TensorType,
        shards: &[Arc<Buffer>],
    ) -> Result<Shards, RunError> {
        let (mut on, mut pending) = (Vec::new(), Vec::new());
        for ((shard, device), at) in shards.iter().zip(&place.local).zip(&place.at) {
            let sent = DeviceBuffer::put(&place.client, *at, kind, &ty.dims, shard);
            let (buffer, sent) = sent.map_err(|error| failed(&error).on(*device))?;
            on.push(buffer);
            pending.push(sent);
        }
        Ok(Shards::new(place, ty, on, Arc::new(Work::new(Vec::new(), &place.local, pending))))
    }

    /// From all devices at once.
    fn fetched(&self) -> Result<Vec<Arc<Buffer>>, RunError> {
        let on = |device: &DeviceId| {
            let device = *device;
            move |error: PluginError| failed(&error).on(device)
        };
        let mut coming = Vec::new();
        for (buffer, device) in self.on.iter().zip(&self.place.local) {
            coming.push(buffer.fetch(Buffer::unset(self.bytes)?).map_err(on(device))?);
        }
        let finish =
            |(fetch, device): (crate::loaded::Fetch, &DeviceId)| fetch.finished().map_err(on(device));
        coming.into_iter().zip(&self.place.local).map(finish).collect()
    }
}

impl fmt::Debug for Shards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} shards of {} bytes", self.on.len(), self.bytes)
    }
}

impl Remote for Shards {
    fn count(&self) -> usize {
        self.on.len()
    }

    fn ready(&self) -> Result<(), RunError> {
        self.made_by.outcome()
    }

    fn fetch(&self) -> Result<Vec<Arc<Buffer>>, RunError> {
        // It may be under way still: transfers stand in line behind it, and what failed is told by whoever failed.
        let fetched = self.fetched();
        self.made_by.outcome()?;
        fetched
    }
}
