//! Devices over MPI ranks, several to a rank.
//!
//! A rank runs its devices as the in-process engine does. Where a group has members on several ranks, each rank sends
//! the operands of its members to the other ranks of the group and joins the group in its own memory: sums are then
//! taken in ascending position over the whole group, so the bits are those of in-process devices.
//!
//! Every wait has a deadline, those inside of the library too, from its start to its end; our own sleep between looks.
//! A rank that is stopped once nobody waits for it any more is ended by a watchdog. A rank that MPI stops (SIGTERM)
//! first says which device, collective and step it was at.
#![cfg(feature = "mpi")]

mod collectives;
mod devices;
mod note;
mod parts;
mod transport;
mod watchdog;
mod within;

pub use devices::{MpiDevices, MpiOptions, expected_ranks, expects_first};
