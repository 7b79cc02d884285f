//! What a caller says beside a program: the fields of `CompileOptionsProto` that mean something here.
//!
//! ```text
//! 3 executable_build_options { 4 num_replicas, 5 num_partitions,
//!                              9 device_assignment { 3 computation_devices { 1 replica_device_ids } } }
//! ```

use crate::fault::Fault;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompileOptions {
    pub replicas: i64,
    pub partitions: i64,
    /// The device of each partition; none said: the first ones.
    pub devices: Vec<i64>,
}

impl CompileOptions {
    pub fn read(message: &[u8]) -> Result<CompileOptions, Fault> {
        let mut options = CompileOptions { replicas: 1, partitions: 1, devices: Vec::new() };
        let mut counted = 0;
        for (field, value) in fields(message)? {
            let Value::Bytes(build) = value else { continue };
            if field == 3 {
                options.read_build(build, &mut counted)?;
            }
        }
        if counted > 0 && counted != options.partitions {
            let message = format!("{counted} devices are assigned to {} partitions", options.partitions);
            return Err(Fault::bad(message));
        }
        Ok(options)
    }

    fn read_build(&mut self, message: &[u8], counted: &mut i64) -> Result<(), Fault> {
        for (field, value) in fields(message)? {
            match (field, value) {
                (4, Value::Int(count)) => self.replicas = count,
                (5, Value::Int(count)) => self.partitions = count,
                (9, Value::Bytes(assignment)) => self.devices = assigned(assignment)?,
                _ => {}
            }
        }
        *counted = self.devices.len() as i64;
        Ok(())
    }
}

/// The first replica's device of each computation.
fn assigned(message: &[u8]) -> Result<Vec<i64>, Fault> {
    let mut devices = Vec::new();
    for (field, value) in fields(message)? {
        let Value::Bytes(one) = value else { continue };
        if field == 3 {
            devices
                .extend(fields(one)?.into_iter().filter(|(field, _)| *field == 1).map(|(_, id)| first(&id)));
        }
    }
    Ok(devices)
}

/// Numbers of a list stand alone or packed into bytes.
fn first(value: &Value<'_>) -> i64 {
    match value {
        Value::Int(id) => *id,
        Value::Bytes(packed) => varint(packed).map_or(0, |(id, _)| id as i64),
    }
}

enum Value<'a> {
    Int(i64),
    Bytes(&'a [u8]),
}

/// The fields of a message in the wire format of protocol buffers; numbers of fixed width mean nothing here.
fn fields(mut rest: &[u8]) -> Result<Vec<(u64, Value<'_>)>, Fault> {
    let broken = || Fault::bad("the compile options are no `CompileOptionsProto`");
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (tag, behind) = varint(rest).ok_or_else(broken)?;
        rest = behind;
        let taken = match tag & 7 {
            0 => {
                let (number, behind) = varint(rest).ok_or_else(broken)?;
                found.push((tag >> 3, Value::Int(number as i64)));
                rest = behind;
                continue;
            }
            1 => 8,
            5 => 4,
            2 => {
                let (length, behind) = varint(rest).ok_or_else(broken)?;
                rest = behind;
                usize::try_from(length).map_err(|_| broken())?
            }
            _ => return Err(broken()),
        };
        let (bytes, behind) = rest.split_at_checked(taken).ok_or_else(broken)?;
        if tag & 7 == 2 {
            found.push((tag >> 3, Value::Bytes(bytes)));
        }
        rest = behind;
    }
    Ok(found)
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let end = bytes.iter().take(10).position(|byte| byte & 0x80 == 0)?;
    let value = bytes[..=end].iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f));
    Some((value, &bytes[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_our_caller_read_back() {
        let devices = vec![3, 300, 0];
        let bytes = meshwright_pjrt::CompileOptions { devices: devices.clone() }.encoded();
        let read = CompileOptions::read(&bytes).unwrap();
        assert_eq!(read, CompileOptions { replicas: 1, partitions: 3, devices });
        for cut in 1..bytes.len() {
            assert!(CompileOptions::read(&bytes[..cut]).is_err(), "{cut} bytes");
        }
        assert_eq!(CompileOptions::read(&[]).unwrap().partitions, 1);
    }
}
