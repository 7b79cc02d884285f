//! The partitioner: from a sharded module to one program for all devices.

pub mod atoms;
pub mod reshard;
