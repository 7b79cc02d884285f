//! What a set of devices offers: load a program once, launch it often, keep arrays on the devices in between.

use crate::array::{HostArray, assemble, byte_len, cut_all};
use crate::feed::Feed;
use crate::{Buffer, DeviceId, MemoryPlan, RunError, RunErrorKind, Trace};
use meshwright_base::budget;
use meshwright_ir::{Placement, SpmdModule, TensorType};
use meshwright_shard::Meshes;
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A set of devices that run one program together.
pub trait Devices {
    /// Devices over all ranks.
    fn count(&self) -> usize;
    /// The devices that live in this process.
    fn local(&self) -> Vec<DeviceId>;
    /// Compile and plan a module, refuse it if it cannot run.
    fn load(&self, module: &SpmdModule, options: &LoadOptions) -> Result<Box<dyn Executable>, RunError>;
}

/// What loading may be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LoadOptions {
    /// Most bytes a device may take.
    pub memory_limit: Option<usize>,
}

/// A loaded program.
pub trait Executable {
    fn memory(&self) -> &MemoryPlan;
    /// The same on every rank that runs the same program.
    fn fingerprint(&self) -> u64;
    /// Run once on all devices. Arrays given for donated parameters are used up. Results may still be in the making:
    /// who looks at them waits, and is told what failed ([`DeviceArray::ready`]).
    fn launch(&mut self, args: Args, trace: Option<&Trace>) -> Result<Vec<DeviceArray>, RunError>;
    /// An argument where launches take it from. A launch does so by itself with what lies elsewhere.
    fn place(&self, at: usize, array: DeviceArray) -> Result<DeviceArray, RunError> {
        let _ = at;
        Ok(array)
    }
    /// From now on, launches take what enters the program from these queues and put into them what leaves it.
    fn connect(&mut self, feed: Arc<Feed>);
    /// Names and work of the steps that traces speak of.
    fn steps(&self) -> &[crate::StepInfo];
}

/// The arguments of a launch.
pub type Args = Vec<DeviceArray>;

/// Shards where an engine keeps them, outside of this process's memory.
pub trait Remote: Any + Send + Sync + fmt::Debug {
    /// How many shards there are.
    fn count(&self) -> usize;
    /// Wait until they are there; an error if what was to make them failed.
    fn ready(&self) -> Result<(), RunError>;
    /// The bytes of each, in order.
    fn fetch(&self) -> Result<Vec<Arc<Buffer>>, RunError>;
}

/// An array on the devices of this process: one shard each, in order of device number.
#[derive(Clone, Debug)]
pub struct DeviceArray {
    /// Type of each shard.
    pub ty: TensorType,
    /// In this process's memory: from the start, or once somebody looked.
    here: OnceLock<Vec<Arc<Buffer>>>,
    /// Where an engine keeps it: from the start, or once one took it. All clones know.
    there: Arc<OnceLock<Arc<dyn Remote>>>,
}

impl DeviceArray {
    pub fn new(ty: TensorType, shards: Vec<Arc<Buffer>>) -> DeviceArray {
        DeviceArray { ty, here: OnceLock::from(shards), there: Arc::default() }
    }

    /// An array whose shards an engine keeps. They are fetched when somebody looks at them, not before.
    pub fn kept(ty: TensorType, shards: Arc<dyn Remote>) -> DeviceArray {
        DeviceArray { ty, here: OnceLock::new(), there: Arc::new(OnceLock::from(shards)) }
    }

    /// The shards in this process's memory.
    pub fn shards(&self) -> Result<&[Arc<Buffer>], RunError> {
        if let Some(shards) = self.here.get() {
            return Ok(shards);
        }
        let fetched = match self.there.get() {
            Some(there) => there.fetch()?,
            None => Vec::new(),
        };
        Ok(self.here.get_or_init(|| fetched))
    }

    /// The same, for who uses them up.
    pub fn into_shards(self) -> Result<Vec<Arc<Buffer>>, RunError> {
        self.shards()?;
        Ok(self.here.into_inner().unwrap_or_default())
    }

    /// The shards where an engine keeps them, if one does.
    pub fn remote(&self) -> Option<&Arc<dyn Remote>> {
        self.there.get()
    }

    /// An engine keeps the shards from now on, for this array and all clones of it: it need not be sent there again.
    /// One that is kept already stays where it is.
    pub fn keep(&self, shards: Arc<dyn Remote>) {
        let _ = self.there.set(shards);
    }

    /// Whether somebody has a clone.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.there) > 1
    }

    /// Wait until it is there; an error if what was to make it failed.
    pub fn ready(&self) -> Result<(), RunError> {
        self.there.get().map_or(Ok(()), |there| there.ready())
    }

    /// How many shards there are.
    pub fn count(&self) -> usize {
        self.here.get().map_or_else(|| self.there.get().map_or(0, |there| there.count()), Vec::len)
    }

    /// Shards of a host array for these devices.
    pub fn from_host(
        meshes: &Meshes,
        placement: &Placement,
        array: &HostArray,
        devices: &[DeviceId],
    ) -> Result<DeviceArray, RunError> {
        if array.ty != placement.global {
            let message = format!("the input is {}, the program takes {}", array.ty, placement.global);
            return Err(RunError::new(RunErrorKind::BadInput, message));
        }
        let (ty, shards) = cut_all(meshes, placement, &array.bytes, devices, false)?;
        Ok(DeviceArray::new(ty, shards))
    }

    /// The same of the bytes of a global array, wherever they lie. Devices with the same piece share it.
    pub fn from_bytes(
        meshes: &Meshes,
        placement: &Placement,
        bytes: &[u8],
        devices: &[DeviceId],
    ) -> Result<DeviceArray, RunError> {
        let (ty, shards) = cut_all(meshes, placement, bytes, devices, true)?;
        Ok(DeviceArray::new(ty, shards))
    }

    /// The same bytes on each of `count` devices.
    pub fn repeated(array: &HostArray, count: usize) -> Result<DeviceArray, RunError> {
        let shard = |_| Ok(Arc::new(Buffer::from_bytes(&array.bytes)?));
        let shards = (0..count).map(shard).collect::<Result<_, RunError>>()?;
        Ok(DeviceArray::new(array.ty.clone(), shards))
    }

    /// The global array, if all devices live here.
    pub fn to_host(&self, meshes: &Meshes, placement: &Placement) -> Result<HostArray, RunError> {
        let shards: Vec<&[u8]> = self.shards()?.iter().map(|shard| shard.bytes()).collect();
        assemble(meshes, placement, &shards)
    }

    /// The shard of one local device; `None` if there is none, or it cannot be fetched.
    pub fn shard(&self, local: usize) -> Option<HostArray> {
        HostArray::new(self.ty.clone(), self.shards().ok()?.get(local)?.bytes().to_vec())
    }
}

/// Whether what is kept of each device fits the host: some bytes for its number, its buffers' places, its task, its
/// turns.
pub fn check_count(devices: usize) -> Result<(), RunError> {
    const OF_EACH: u64 = 1 << 10;
    let bytes = (devices as u64).saturating_mul(OF_EACH);
    budget::check(bytes, || format!("{devices} devices in one process")).map_err(RunError::too_large)
}

/// Cut host arrays for all parameters of a module.
pub fn place_all(module: &SpmdModule, arrays: &[HostArray], devices: &[DeviceId]) -> Result<Args, RunError> {
    if arrays.len() != module.params.len() {
        let message = format!("{} inputs are given to {} parameters", arrays.len(), module.params.len());
        return Err(RunError::new(RunErrorKind::BadInput, message));
    }
    let meshes = &module.module().meshes;
    let one = |(i, (array, placement)): (usize, (&HostArray, &Placement))| {
        DeviceArray::from_host(meshes, placement, array, devices)
            .map_err(|error| error.note(format!("input {i}")))
    };
    arrays.iter().zip(&module.params).enumerate().map(one).collect()
}

/// Check the arguments against the parameters' local types.
pub fn check_args(params: &[TensorType], args: &Args, devices: usize) -> Result<(), RunError> {
    let bad = |message: String| Err(RunError::new(RunErrorKind::BadInput, message));
    if params.len() != args.len() {
        return bad(format!("{} inputs are given to {} parameters", args.len(), params.len()));
    }
    for (i, (ty, arg)) in params.iter().zip(args).enumerate() {
        if arg.ty != *ty {
            return bad(format!("input {i} is {} on each device, the program takes {ty}", arg.ty));
        }
        if arg.count() != devices {
            return bad(format!("input {i} has {} shards for {devices} devices", arg.count()));
        }
        let mut here = arg.here.get().into_iter().flatten();
        if here.any(|shard| Some(shard.len()) != byte_len(ty)) {
            return bad(format!("input {i} has a shard whose length is not that of {ty}"));
        }
    }
    Ok(())
}
