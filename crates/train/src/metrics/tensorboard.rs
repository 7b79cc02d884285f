//! TensorBoard event files: records of protocol-buffer messages.
//!
//! ```text
//! record   length u64 | masked sum of the length u32 | message | masked sum of the message u32
//! event    1: wall time f64   2: step   3: file version   5: summary { 1: value { 1: tag  2: number f32 } .. }
//! ```

use super::Metrics;
use crate::checksum::checksum;
use crate::protobuf::Message;

const WALL_TIME: u64 = 1;
const STEP: u64 = 2;
const VERSION: u64 = 3;
const SUMMARY: u64 = 5;
const VALUE: u64 = 1;
const TAG: u64 = 1;
const NUMBER: u64 = 2;

/// A message as a record.
pub fn record(message: &[u8]) -> Vec<u8> {
    let length = (message.len() as u64).to_le_bytes();
    [&length[..], &masked(&length).to_le_bytes(), message, &masked(message).to_le_bytes()].concat()
}

/// Sums over data that holds sums are poor ones; the form turns and shifts them.
fn masked(bytes: &[u8]) -> u32 {
    checksum(bytes).rotate_right(15).wrapping_add(0xA282_EAD8)
}

/// The record a file begins with.
pub fn event_start(time: f64) -> Vec<u8> {
    let mut event = Message::default();
    event.double(WALL_TIME, time);
    event.bytes(VERSION, b"brain.Event:2");
    record(&event.0)
}

/// All numbers of a step as one record.
pub fn event_scalars(metrics: &Metrics) -> Vec<u8> {
    let mut summary = Message::default();
    for (name, number) in &metrics.values {
        let mut value = Message::default();
        value.bytes(TAG, name.as_bytes());
        value.float(NUMBER, *number as f32);
        summary.bytes(VALUE, &value.0);
    }
    let mut event = Message::default();
    event.double(WALL_TIME, metrics.time);
    event.number(STEP, metrics.step);
    event.bytes(SUMMARY, &summary.0);
    record(&event.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protobuf::{Wire, fields};

    #[test]
    fn records_carry_masked_sums() {
        // Worked out by hand from the definition for an empty message.
        let empty = record(b"");
        assert_eq!(empty.len(), 16);
        assert_eq!(empty[12..], 0xA282_EAD8u32.to_le_bytes());
        assert_eq!(checksum(b"123456789").rotate_right(15).wrapping_add(0xA282_EAD8), masked(b"123456789"));
    }

    #[test]
    fn an_event_holds_step_time_and_numbers() {
        let metrics =
            Metrics { step: 7, time: 2.5, values: vec![("loss".into(), 1.5)], ..Metrics::default() };
        let bytes = event_scalars(&metrics);
        let event = fields(&bytes[12..bytes.len() - 4]).unwrap();
        assert_eq!(event[0], (1, Wire::Fixed64(2.5f64.to_bits())));
        assert_eq!(event[1], (2, Wire::Varint(7)));
        let value = fields(fields(event[2].1.bytes().unwrap()).unwrap()[0].1.bytes().unwrap()).unwrap();
        assert_eq!(value, [(1, Wire::Bytes(b"loss")), (2, Wire::Fixed32(1.5f32.to_bits()))]);
        let start = event_start(1.0);
        assert_eq!(fields(&start[12..start.len() - 4]).unwrap()[1], (3, Wire::Bytes(b"brain.Event:2")));
    }
}
