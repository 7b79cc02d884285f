//! A value on every simulated device.

use crate::fault::Fault;
use crate::tensor::Tensor;
use meshwright_base::{Id, define_id};
use std::fmt;

define_id!(
    /// A simulated device, by its number: those of a replica lie behind those of the replica before.
    pub(crate) Device, "device"
);

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index().fmt(f)
    }
}

impl Device {
    /// The only device of a program that runs on one.
    pub const FIRST: Device = Device(0);

    pub fn all(count: usize) -> impl Iterator<Item = Device> {
        (0..count).map(Device::from_index)
    }
}

/// What a value is on one device.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Tensor(Tensor),
    Token,
}

/// A value on every device; nothing on devices that do not have it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes(Vec<Option<Value>>);

impl Lanes {
    pub fn empty(devices: usize) -> Lanes {
        Lanes(vec![None; devices])
    }

    /// A value that is nowhere yet, with room for as many devices as this one.
    pub fn room(&self) -> Lanes {
        Lanes::empty(self.0.len())
    }

    pub fn get(&self, device: Device) -> Option<&Value> {
        self.0.get(device.index())?.as_ref()
    }

    pub fn take(&mut self, device: Device) -> Option<Value> {
        self.0.get_mut(device.index())?.take()
    }

    /// Put a value on a device, or nothing; there is room for as many devices as are needed.
    pub fn put(&mut self, device: Device, value: Option<Value>) {
        if self.0.len() <= device.index() {
            self.0.resize(device.index() + 1, None);
        }
        self.0[device.index()] = value;
    }

    pub fn put_tensor(&mut self, device: Device, tensor: Tensor) {
        self.put(device, Some(Value::Tensor(tensor)));
    }

    /// What a device has, which must be a tensor.
    pub fn tensor(&self, device: Device) -> Result<&Tensor, Fault> {
        match self.get(device) {
            Some(Value::Tensor(tensor)) => Ok(tensor),
            Some(Value::Token) => Err(Fault::unsound("has a token where a tensor is needed")),
            None => Err(Fault::unsound(format!("has no operand on device {device}"))),
        }
    }

    /// Take the lanes of some devices from another value.
    pub fn adopt(&mut self, from: &mut Lanes, devices: &[Device]) {
        if self.0.len() < from.0.len() {
            self.0.resize(from.0.len(), None);
        }
        devices.iter().for_each(|device| self.put(*device, from.take(*device)));
    }
}

/// The operands of one device as tensors.
pub(crate) fn take_tensors(args: &mut [Lanes], device: Device) -> Result<Vec<Tensor>, Fault> {
    let take = |lanes: &mut Lanes| match lanes.take(device) {
        Some(Value::Tensor(tensor)) => Ok(tensor),
        Some(Value::Token) => Err(Fault::unsound("has a token where a tensor is needed")),
        None => Err(Fault::unsound(format!("has no operand on device {device}"))),
    };
    args.iter_mut().map(take).collect()
}

/// Move the lanes of some devices from one list of values to another.
pub(crate) fn merge(into: &mut [Lanes], mut from: Vec<Lanes>, devices: &[Device]) {
    into.iter_mut().zip(&mut from).for_each(|(to, from)| to.adopt(from, devices));
}

/// Take the lanes of some devices out of a list of values.
pub(crate) fn split(from: &mut [Lanes], devices: &[Device]) -> Vec<Lanes> {
    let taken = |lanes: &mut Lanes| {
        let mut out = lanes.room();
        out.adopt(lanes, devices);
        out
    };
    from.iter_mut().map(taken).collect()
}
