//! What a compiler is told beside the program: the `CompileOptionsProto` of XLA, in few fields.

use crate::wire::Message;

/// A program that is partitioned already, for these devices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileOptions {
    /// Numbers of the devices as the plugin has them: the first runs partition 0.
    pub devices: Vec<i64>,
}

/// Fields of `CompileOptionsProto`.
const BUILD: u64 = 3;

/// Fields of `ExecutableBuildOptionsProto`.
mod build {
    pub const DEVICE_ORDINAL: u64 = 1;
    pub const REPLICAS: u64 = 4;
    pub const PARTITIONS: u64 = 5;
    pub const SPMD: u64 = 6;
    pub const ASSIGNMENT: u64 = 9;
    pub const SHARDY: u64 = 19;
}

/// Fields of `DeviceAssignmentProto`, and of its `ComputationDevice`.
mod assignment {
    pub const REPLICAS: u64 = 1;
    pub const COMPUTATIONS: u64 = 2;
    pub const DEVICES: u64 = 3;
    pub const REPLICA_DEVICE_IDS: u64 = 1;
}

impl CompileOptions {
    /// On the wire. A program for several partitions must pass a partitioner: it finds a manual region over all of the
    /// mesh, and nothing to do.
    pub fn encoded(&self) -> Vec<u8> {
        let count = self.devices.len() as i64;
        let mut devices =
            Message::default().int(assignment::REPLICAS, 1).int(assignment::COMPUTATIONS, count);
        for device in &self.devices {
            let one = Message::default().int(assignment::REPLICA_DEVICE_IDS, *device);
            devices = devices.message(assignment::DEVICES, one);
        }
        let several = count > 1;
        let built = Message::default()
            .int(build::DEVICE_ORDINAL, -1)
            .int(build::REPLICAS, 1)
            .int(build::PARTITIONS, count)
            .flag(build::SPMD, several)
            .message(build::ASSIGNMENT, devices)
            .flag(build::SHARDY, several);
        Message::default().message(BUILD, built).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_the_bytes_that_protocol_buffers_give() {
        let bytes = CompileOptions { devices: vec![0, 300] }.encoded();
        let minus_one = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        let assignment = [&[8, 1, 16, 2, 26, 2, 8, 0, 26, 3, 8, 0xac, 2][..]].concat();
        let built = [
            &[8][..],
            &minus_one,
            &[0x20, 1, 0x28, 2, 0x30, 1, 0x4a, assignment.len() as u8],
            &assignment,
            &[0x98, 1, 1],
        ]
        .concat();
        assert_eq!(bytes, [&[0x1a, built.len() as u8][..], &built].concat());
    }
}
