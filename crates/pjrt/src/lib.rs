//! Plugins of PJRT, the device interface of OpenXLA: libraries with a compiler and, where there are some, devices.
//!
//! A [`Plugin`] is loaded once and stays. Its compiler works for devices that are not there ([`Topology`]) as for those
//! that are ([`Client`]), and gives a [`Compiled`] program, of which it tells memory, costs and the text it runs.
//! [`PjrtDevices`] are the devices of a plugin as an engine.
//!
//! ```text
//! path -- Plugin::load --> table of functions -- Topology::named --> compile --> Compiled
//!                                             -- Client::new --> PjrtDevices --> load, launch
//! ```
//! Only `engine` knows modules; below it programs are text, partitioned already. Unsafe code is in `library` (loading),
//! `call` (calls, and what plugins lend), and where a handle is used: `topology`, `client`,
//! `compiled`, `loaded`, `pending`.

#[doc(hidden)]
pub mod abi;
mod arrays;
mod call;
mod client;
mod collectives;
mod compiled;
mod cuda;
mod cycles;
mod diagnose;
mod elf;
mod ending;
mod engine;
mod error;
mod hlo;
mod keys;
mod library;
mod loaded;
mod named;
mod options;
mod pending;
mod processes;
mod rendezvous;
mod stored;
mod topology;
mod wire;

pub use client::{Client, DeviceMemory};
pub use collectives::{Collectives, CompiledCollectives, collectives};
pub use compiled::{Compiled, CompiledMemory, OptimizedProgram};
pub use cycles::{Cycles, clock, cycles};
pub use diagnose::{DEVICE, FOREIGN, REFUSED, TOO_LARGE, TOPOLOGY, Tried, UNLOADED, VERSION, failed};
pub use ending::ENDED;
pub use engine::{PjrtDevices, handed_over, text_of};
pub use error::{PluginError, Trouble};
pub use keys::{KeyError, KeyValues};
pub use library::{Plugin, without_logs, without_tpu};
pub use loaded::{DeviceBuffer, Fetch, LoadedProgram, Started};
pub use named::NamedValue;
pub use options::CompileOptions;
pub use pending::Pending;
pub use processes::Exchange;
pub use rendezvous::{Job, Peers, Token};
pub use stored::{Misfit, Stored, mark_of, mark_of_devices};
pub use topology::{DeviceInfo, Topology};
