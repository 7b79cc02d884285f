//! Running a partitioned program: devices, collectives, memory, traces.
//!
//! A [`Compiler`] turns an `SpmdModule` into a [`Program`]: one list of steps that every device runs. [`Devices`] load
//! it once and launch it. An in-process device is a resumable task: workers run it up to its next collective, and the
//! last member of a group to arrive joins the group. Knows no op but the collectives.
//!
//! What never varies with the number of workers: the pieces a step is cut into, and the order of every sum.

pub mod array;
pub mod clock;
pub mod collective;
mod crew;
pub mod devices;
pub mod error;
pub mod feed;
pub mod files;
pub mod fingerprint;
pub mod in_process;
pub mod interrupt;
pub mod memory;
pub mod plan;
pub mod pool;
pub mod program;
pub mod safetensors;
pub mod site;
pub mod step;
pub mod stream;
mod sync;
pub mod trace;
pub mod weights;

#[cfg(shuttle)]
pub use crew::dismiss;

pub use array::{HostArray, assemble, cut};
pub use devices::{Args, DeviceArray, Devices, Executable, LoadOptions, Remote};
pub use error::{RunError, RunErrorKind};
pub use fingerprint::fingerprint;
pub use in_process::{Collectives, InProcess, Joining, Loaded};
pub use memory::Buffer;
pub use meshwright_shard::DeviceId;
pub use plan::{Interval, MemoryPlan, ResultPlace, assign};
pub use pool::Workers;
pub use program::{Compiler, DeviceMemory, Event, Join, Program, Task};
pub use site::{Site, SiteId};
pub use step::{LoopSize, ProductSize, RunSize, StepInfo, StepOrder, StepWork, TileWork, Touched};
pub use trace::{Trace, TraceEvent};
