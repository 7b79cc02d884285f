//! Which whole number a value is on each device, said once for all of them.
//!
//! ```text
//! partition_id                              n
//! remainder(divide(partition_id, 4), 2)     n's digit of size 2 above 4
//! multiply(.., 16)                          16 times that digit
//! ```
//!
//! A number is a constant and a multiple of every digit of the device's number, in a mixed radix that gets finer where
//! an op needs it. So nothing is run, and what this costs does not grow with the number of devices. Only where the
//! program itself lists a number for every device (a mesh with its own order) is the list kept, and worked on entry by
//! entry.
//!
//! Looks at most at [`MOST_LOOKS`] instructions, and gives up where a number might not fit its type.

use crate::simplify::{computed, fits};
use meshwright_ir::op::{BinaryOp, Collective, Convert, Dynamic, Groups, Movement};
use meshwright_ir::{DType, Function, Inst, Module, Op, ValueId};
use meshwright_shard::{AxisRef, MeshId};

/// Most instructions that one question looks at.
const MOST_LOOKS: usize = 64;

/// A whole number on every device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    Digits(Digits),
    /// By device, where the program has such a list.
    Listed(Vec<i64>),
}

/// A constant, and a weight for each digit of the device's number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Digits {
    constant: i64,
    /// The most minor first; their sizes multiply to the number of devices.
    digits: Vec<Digit>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Digit {
    size: i64,
    weight: i64,
}

/// What a scalar is on each of the devices; `None` if that depends on data, or cannot be told.
pub(crate) fn number_of(func: &Function, value: ValueId, devices: i64) -> Option<Number> {
    Search { func, devices, looks: MOST_LOOKS }.number(value)
}

/// The place of each device in its group of a collective.
pub(crate) fn place_in_group(module: &Module, collective: &Collective, devices: i64) -> Option<Number> {
    let is_over_devices = collective.channel.id.is_some_and(|id| id > 0);
    let named_by_device = is_over_devices && collective.channel.use_global_device_ids;
    let all = Number::device(devices);
    match &collective.groups {
        Groups::All => Some(all).filter(|_| is_over_devices),
        Groups::Axes { mesh, axes } => all.in_mesh(module, *mesh)?.along(module, *mesh, axes),
        Groups::Iota { size, reshape, transpose, .. } if named_by_device => {
            let numbers: i64 = reshape.iter().product();
            let place = all.transposed(reshape, transpose).filter(|_| numbers == devices)?;
            Some(place.divided(*size)?.1)
        }
        Groups::List(lists) if named_by_device => listed_places(lists, devices),
        Groups::Iota { .. } | Groups::List(_) => None,
    }
}

fn listed_places(lists: &[Vec<u32>], devices: i64) -> Option<Number> {
    let mut places = vec![-1; usize::try_from(devices).ok()?];
    for list in lists {
        for (place, device) in (0..).zip(list) {
            *places.get_mut(*device as usize)? = place;
        }
    }
    (!places.contains(&-1)).then_some(Number::Listed(places))
}

impl Number {
    fn constant(devices: i64, constant: i64) -> Number {
        Number::Digits(Digits { constant, digits: vec![Digit { size: devices, weight: 0 }] })
    }

    fn device(devices: i64) -> Number {
        Number::Digits(Digits { constant: 0, digits: vec![Digit { size: devices, weight: 1 }] })
    }

    /// The least and the largest on any device.
    fn bounds(&self) -> Option<(i64, i64)> {
        match self {
            Number::Digits(digits) => digits.bounds(),
            Number::Listed(list) => Some((*list.iter().min()?, *list.iter().max()?)),
        }
    }

    fn as_constant(&self) -> Option<i64> {
        let (least, largest) = self.bounds()?;
        (least == largest).then_some(least)
    }

    /// Whether two numbers are the same on every device.
    pub fn same(&self, other: &Number) -> bool {
        self.combined(other, 1, -1).and_then(|difference| difference.as_constant()) == Some(0)
    }

    /// `a` times this and `b` times the other.
    fn combined(&self, other: &Number, a: i64, b: i64) -> Option<Number> {
        match (self, other) {
            (Number::Digits(left), Number::Digits(right)) => left.combined(right, a, b).map(Number::Digits),
            _ => self.each(other, |left, right| left.checked_mul(a)?.checked_add(right.checked_mul(b)?)),
        }
    }

    fn plus(&self, more: i64) -> Option<Number> {
        match self {
            Number::Digits(digits) => Some(Number::Digits(Digits {
                constant: digits.constant.checked_add(more)?,
                ..digits.clone()
            })),
            Number::Listed(list) => {
                list.iter().map(|x| x.checked_add(more)).collect::<Option<_>>().map(Number::Listed)
            }
        }
    }

    pub fn times(&self, factor: i64) -> Option<Number> {
        self.combined(self, factor, 0)
    }

    /// Quotient and remainder; `None` where a number may be negative, or none is in sight.
    fn divided(&self, by: i64) -> Option<(Number, Number)> {
        if by <= 0 || self.bounds()?.0 < 0 {
            return None;
        }
        match self {
            Number::Digits(digits) => {
                let (quotient, remainder) = digits.divided(by)?;
                Some((Number::Digits(quotient), Number::Digits(remainder)))
            }
            Number::Listed(list) => {
                let each =
                    |of: fn(i64, i64) -> i64| Number::Listed(list.iter().map(|x| of(*x, by)).collect());
                Some((each(|x, by| x / by), each(|x, by| x % by)))
            }
        }
    }

    /// Kept within bounds.
    pub fn clamped(&self, least: i64, largest: i64) -> Option<Number> {
        let bounds = self.bounds()?;
        match self {
            _ if least <= bounds.0 && bounds.1 <= largest => Some(self.clone()),
            Number::Digits(_) => None,
            Number::Listed(list) => {
                Some(Number::Listed(list.iter().map(|x| (*x).min(largest).max(least)).collect()))
            }
        }
    }

    /// Device by device, where one of the two is listed.
    fn each(&self, other: &Number, of: impl Fn(i64, i64) -> Option<i64>) -> Option<Number> {
        let (left, right) = match (self, other) {
            (Number::Digits(_), Number::Digits(_)) => return None,
            (Number::Listed(left), right) => (left.clone(), right.listed(left.len())?),
            (left, Number::Listed(right)) => (left.listed(right.len())?, right.clone()),
        };
        let both: Option<Vec<i64>> =
            left.into_iter().zip(right).map(|(left, right)| of(left, right)).collect();
        both.map(Number::Listed)
    }

    fn listed(&self, devices: usize) -> Option<Vec<i64>> {
        match self {
            Number::Digits(digits) => (0..devices).map(|device| digits.on(device as i64)).collect(),
            Number::Listed(list) => (list.len() == devices).then(|| list.clone()),
        }
    }

    /// From a device's number to its position in a mesh.
    fn in_mesh(self, module: &Module, mesh: MeshId) -> Option<Number> {
        let mesh = module.meshes.get(mesh)?;
        let devices = self.bounds()?.1 + 1;
        match &mesh.order {
            _ if mesh.device_count() != devices => None,
            None => Some(self),
            Some(order) => listed_places(&[order.to_vec()], devices),
        }
    }

    /// From a position in a mesh to the place along axes, the major one first.
    fn along(&self, module: &Module, mesh: MeshId, axes: &[AxisRef]) -> Option<Number> {
        let mesh = module.meshes.get(mesh)?;
        axes.iter().try_fold(self.times(0)?, |major, axis| {
            let whole = mesh.axes.get(axis.axis)?.size;
            let stride = mesh.stride(axis.axis).checked_mul(whole / axis.pre.checked_mul(axis.size)?)?;
            major.combined(&self.divided(stride)?.0.divided(axis.size)?.1, axis.size, 1)
        })
    }

    /// The place of each number below `reshape`'s product in the list of them that is transposed.
    fn transposed(&self, reshape: &[i64], transpose: &[usize]) -> Option<Number> {
        let in_order: Vec<usize> = (0..reshape.len()).collect();
        let order = if transpose.is_empty() { &in_order[..] } else { transpose };
        order.iter().try_fold(self.times(0)?, |major, dim| {
            let stride = reshape.get(dim + 1..)?.iter().product();
            let size = *reshape.get(*dim)?;
            major.combined(&self.divided(stride)?.0.divided(size)?.1, size, 1)
        })
    }
}

impl Digits {
    fn bounds(&self) -> Option<(i64, i64)> {
        self.digits.iter().try_fold((self.constant, self.constant), |(least, largest), digit| {
            let most = digit.weight.checked_mul(digit.size - 1)?;
            Some((least.checked_add(most.min(0))?, largest.checked_add(most.max(0))?))
        })
    }

    fn on(&self, device: i64) -> Option<i64> {
        let mut rest = device;
        self.digits.iter().try_fold(self.constant, |sum, digit| {
            let of_digit = digit.weight.checked_mul(rest % digit.size)?;
            rest /= digit.size;
            sum.checked_add(of_digit)
        })
    }

    /// The same with a digit cut in two, the minor one of a size that divides it.
    fn cut(&mut self, at: usize, minor: i64) -> Option<()> {
        let digit = self.digits.get_mut(at).filter(|digit| minor > 0 && digit.size % minor == 0)?;
        let major = Digit { size: digit.size / minor, weight: digit.weight.checked_mul(minor)? };
        digit.size = minor;
        self.digits.insert(at + 1, major);
        Some(())
    }

    fn combined(&self, other: &Digits, a: i64, b: i64) -> Option<Digits> {
        let (mut left, mut right) = (self.clone(), other.clone());
        let mut at = 0;
        while let (Some(one), Some(two)) = (left.digits.get(at).copied(), right.digits.get(at).copied()) {
            if one.size > two.size {
                left.cut(at, two.size)?;
            } else if two.size > one.size {
                right.cut(at, one.size)?;
            }
            at += 1;
        }
        let sum = |x: i64, y: i64| x.checked_mul(a)?.checked_add(y.checked_mul(b)?);
        let pairs = left.digits.iter().zip(&right.digits);
        let digits = pairs.map(|(x, y)| Some(Digit { size: x.size, weight: sum(x.weight, y.weight)? }));
        Some(Digits { constant: sum(left.constant, right.constant)?, digits: digits.collect::<Option<_>>()? })
    }

    /// Quotient and remainder of a number that is not negative, by one that is positive: what is a multiple of the
    /// divisor, and a rest that is smaller than it.
    fn divided(&self, by: i64) -> Option<(Digits, Digits)> {
        let mut cut = self.clone();
        for at in (0..self.digits.len()).rev() {
            let Digit { size, weight } = self.digits[at];
            let reaches = weight > 0 && weight < by && weight.saturating_mul(size) > by;
            if reaches && by % weight == 0 && size % (by / weight) == 0 {
                cut.cut(at, by / weight)?;
            }
        }
        let (mut quotient, mut rest) = (cut.clone(), cut);
        quotient.constant = quotient.constant.div_euclid(by);
        rest.constant = rest.constant.rem_euclid(by);
        for (high, low) in quotient.digits.iter_mut().zip(&mut rest.digits) {
            let is_multiple = high.weight % by == 0;
            (high.weight, low.weight) = if is_multiple { (high.weight / by, 0) } else { (0, low.weight) };
        }
        let (least, largest) = rest.bounds()?;
        (least >= 0 && largest < by).then_some((quotient, rest))
    }
}

struct Search<'f> {
    func: &'f Function,
    devices: i64,
    looks: usize,
}

impl Search<'_> {
    fn number(&mut self, value: ValueId) -> Option<Number> {
        self.looks = self.looks.checked_sub(1)?;
        let ty = self.func.ty(value).as_tensor().filter(|ty| ty.elements() == 1)?;
        let inst = self.func.inst(self.func.def_inst(value)?);
        let found = match &inst.op {
            Op::Constant(constant) => Some(Number::constant(self.devices, constant.0.as_int()?)),
            Op::PartitionId => Some(Number::device(self.devices)),
            Op::Binary(op) => self.binary(*op, inst, ty.dtype),
            Op::Clamp => self.clamped(inst),
            Op::Convert(Convert::To(_)) | Op::Movement(Movement::Reshape(_)) => {
                self.number(*inst.operands.first()?)
            }
            Op::Dynamic(Dynamic::Slice { .. }) => self.looked_up(inst),
            Op::Convert(Convert::Bitcast(_) | Convert::ReducePrecision { .. }) => None,
            Op::Movement(_) | Op::Dynamic(_) | Op::Iota(_) | Op::Unary(_) | Op::Compare(_) => None,
            Op::Select | Op::Gather(_) | Op::Scatter(_) | Op::Dot(_) | Op::Convolution(_) => None,
            Op::Reduce(_) | Op::Map(_) | Op::ReduceWindow(_) | Op::SelectAndScatter(_) => None,
            Op::Sort(_) | Op::TopK(_) | Op::Random(_) | Op::Fft(_) | Op::Linalg(_) => None,
            Op::BatchNorm(_) | Op::Control(_) | Op::Scan(_) | Op::Call(_) | Op::Collective(_) => None,
            Op::ReplicaId | Op::Foreign(_) | Op::OptimizationBarrier => None,
            Op::Token(_) | Op::Sharding(_) => None,
        };
        found.filter(|number| number.bounds().is_some_and(|bounds| fits(ty.dtype, bounds)))
    }

    fn binary(&mut self, op: BinaryOp, inst: &Inst, dtype: DType) -> Option<Number> {
        let [left, right] = inst.operands[..] else { return None };
        let (left, right) = (self.number(left)?, self.number(right)?);
        let told = match op {
            BinaryOp::Add => left.combined(&right, 1, 1),
            BinaryOp::Subtract => left.combined(&right, 1, -1),
            BinaryOp::Multiply => match (left.as_constant(), right.as_constant()) {
                (_, Some(factor)) => left.times(factor),
                (Some(factor), _) => right.times(factor),
                (None, None) => None,
            },
            BinaryOp::Divide => right.as_constant().and_then(|by| left.divided(by)).map(|(whole, _)| whole),
            BinaryOp::Remainder => right.as_constant().and_then(|by| left.divided(by)).map(|(_, rest)| rest),
            BinaryOp::Minimum => right.as_constant().and_then(|most| left.clamped(i64::MIN, most)),
            BinaryOp::Maximum => right.as_constant().and_then(|least| left.clamped(least, i64::MAX)),
            _ => None,
        };
        told.or_else(|| left.each(&right, |left, right| computed(op, dtype, left, right)))
    }

    fn clamped(&mut self, inst: &Inst) -> Option<Number> {
        let [least, value, largest] = inst.operands[..] else { return None };
        let (least, largest) = (self.number(least)?.as_constant()?, self.number(largest)?.as_constant()?);
        self.number(value)?.clamped(least, largest)
    }

    /// An entry of a list: of one that has evenly spaced entries, or is looked up by a list or has one entry for every
    /// device.
    fn looked_up(&mut self, inst: &Inst) -> Option<Number> {
        let [table, place] = inst.operands[..] else { return None };
        let Op::Constant(constant) = &self.func.inst(self.func.def_inst(table)?).op else { return None };
        let entries = constant.0.to_ints()?;
        let last = i64::try_from(entries.len()).ok()? - 1;
        let place = self.number(place)?;
        if let Some(found) = place.clamped(0, last).and_then(|place| evenly_spaced(&entries, &place)) {
            return Some(found);
        }
        if matches!(place, Number::Digits(_)) && last + 1 < self.devices {
            return None;
        }
        let entry = |place: i64| entries.get(usize::try_from(place.clamp(0, last)).ok()?).copied();
        let places = place.listed(usize::try_from(self.devices).ok()?)?;
        places.into_iter().map(entry).collect::<Option<_>>().map(Number::Listed)
    }
}

/// The entry at a place, if each is as far from the one before it.
fn evenly_spaced(entries: &[i64], place: &Number) -> Option<Number> {
    let first = *entries.first()?;
    let step = entries.get(1).map_or(Some(0), |second| second.checked_sub(first))?;
    let is_even = entries.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(step));
    let start = place.times(0)?.plus(first)?;
    is_even.then(|| place.combined(&start, step, 1)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of `(device * a / b) % c * d - device`, if anything, is so on every device.
    #[test]
    fn arithmetic_is_what_it_is_on_every_device() {
        let mut told = 0;
        for (a, b, c, d) in
            (0..4 * 6 * 8 * 2).map(|i| (1 + i % 4, 1 + i / 4 % 6, 1 + i / 24 % 8, 1 + i / 192))
        {
            let device = Number::device(24);
            let quotient = device.times(a).and_then(|number| number.divided(b)).map(|(quotient, _)| quotient);
            let place = quotient.and_then(|number| number.divided(c)).map(|(_, rest)| rest);
            let Some(found) = place.and_then(|place| place.combined(&device, d, -1)) else { continue };
            let wanted = (0..24).map(|n| n * a / b % c * d - n).collect();
            assert_eq!(found.listed(24), Some(wanted), "{a} {b} {c} {d}");
            told += 1;
        }
        assert!(told > 150, "{told} of 384 are told");
    }
}
