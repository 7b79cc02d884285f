//! Mixed-radix digits: what makes shardings over different meshes comparable without listing devices.
//!
//! Every axis, every piece of one, every tile dim of an HLO sharding reads one digit of a number:
//! `(number / stride) % size`. On a mesh of axes 4 and 2 the first axis is the digit (stride 2, size 4) of the position
//! and the second is (1, 2); `<=[4,2]T(1,0)` lists the same two digits of the device number in the other order. So
//! "which devices hold which slice" becomes a few digits per dim, and two such lists are equal exactly when their
//! canonical forms are: neighbours joined, digits of size 1 left out.
//!
//! Costs grow with the number of axes; only [`recognize`] looks at every number.

use crate::hlo::TileDevices;
use crate::mesh::{AxisRef, Mesh};
use meshwright_base::Id;
use meshwright_base::arrange::Arrange;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Digit {
    pub stride: i64,
    pub size: i64,
}

impl Digit {
    pub fn end(self) -> i64 {
        self.stride.saturating_mul(self.size)
    }

    pub fn of(self, number: i64) -> i64 {
        number / self.stride % self.size
    }

    /// This digit from `from` on to `to`, which must be cuts of it.
    fn cut(self, from: i64, to: i64) -> Option<Digit> {
        let whole = from % self.stride == 0 && self.end() % to == 0 && to % from == 0;
        whole.then(|| Digit { stride: from, size: to / from })
    }
}

/// The digits of a row-major index over `sizes`, major first.
pub(crate) fn row_major(sizes: &[i64]) -> Vec<Digit> {
    let mut stride: i64 = 1;
    let mut digits: Vec<Digit> = Vec::with_capacity(sizes.len());
    for size in sizes.iter().rev() {
        digits.push(Digit { stride, size: *size });
        stride = stride.saturating_mul(*size);
    }
    digits.reverse();
    digits
}

/// The list with neighbours joined and digits of size 1 left out. The order stays.
pub(crate) fn canonical(digits: impl IntoIterator<Item = Digit>) -> Vec<Digit> {
    let mut out: Vec<Digit> = Vec::new();
    for digit in digits.into_iter().filter(|digit| digit.size != 1) {
        match out.last_mut() {
            Some(last) if last.stride == digit.end() => {
                *last = Digit { stride: digit.stride, size: last.size * digit.size };
            }
            _ => out.push(digit),
        }
    }
    out
}

/// The number whose digit `digits[i]` is the i-th digit of `index`, counted over the digits themselves, major first.
pub(crate) fn compose(digits: &[Digit], mut index: i64) -> i64 {
    let mut number = 0;
    for digit in digits.iter().rev() {
        number += index % digit.size * digit.stride;
        index /= digit.size;
    }
    number
}

/// The parts of a digit that lie in each of `places`, major first, with the place each lies in. `None` if the places
/// do not cover it, or a cut of one does not divide the other.
pub(crate) fn split(digit: Digit, places: &[Digit]) -> Option<Vec<(usize, Digit)>> {
    let mut parts = Vec::new();
    for (index, place) in places.iter().enumerate() {
        let (from, to) = (digit.stride.max(place.stride), digit.end().min(place.end()));
        if from < to {
            let part = digit.cut(from, to).filter(|_| place.cut(from, to).is_some())?;
            parts.push((index, part));
        }
    }
    parts.arrange_by_key(|(_, part)| std::cmp::Reverse(part.stride));
    let covered: i64 = parts.iter().map(|(_, part)| part.size).product();
    (covered == digit.size).then_some(parts)
}

/// A one-to-one relation between two numberings that moves digits around: digit `from[i]` of one is digit `to[i]` of
/// the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Relation {
    pub from: Vec<Digit>,
    pub to: Vec<Digit>,
}

impl Relation {
    pub fn identity(count: i64) -> Relation {
        let all = vec![Digit { stride: 1, size: count }];
        Relation { from: all.clone(), to: all }
    }

    pub fn inverse(self) -> Relation {
        Relation { from: self.to, to: self.from }
    }

    /// The digits of the other numbering that say what this digit says, canonical.
    pub fn map(&self, digit: Digit) -> Option<Vec<Digit>> {
        let parts = split(digit, &self.from)?;
        Some(canonical(parts.into_iter().map(|(index, part)| {
            let stride = self.to[index].stride * (part.stride / self.from[index].stride);
            Digit { stride, size: part.size }
        })))
    }

    /// The numbering that counts this one's digits of the other numbering, most major first: for a list of devices by
    /// position, the digits of the device number that the position is made of.
    pub fn values_in_order(&self) -> Vec<Digit> {
        let mut pairs: Vec<_> = self.to.iter().zip(&self.from).collect();
        pairs.arrange_by_key(|(number, _)| std::cmp::Reverse(number.stride));
        pairs.into_iter().map(|(_, value)| *value).collect()
    }

    pub fn map_all(&self, digits: &[Digit]) -> Option<Vec<Digit>> {
        let mapped: Option<Vec<_>> = digits.iter().map(|digit| self.map(*digit)).collect();
        Some(canonical(mapped?.into_iter().flatten()))
    }
}

/// The cuts, ascending and once each, if each divides the next: then they are where a mixed-radix number may be cut.
pub(crate) fn chain(cuts: impl IntoIterator<Item = i64>) -> Option<Vec<i64>> {
    let mut cuts: Vec<i64> = cuts.into_iter().collect();
    cuts.arrange();
    cuts.dedup();
    cuts.windows(2).all(|pair| pair[1] % pair[0] == 0).then_some(cuts)
}

/// The digits of an iota assignment, tile position and device side by side: `[4,2]T(1,0)` puts position digits (4, 2)
/// and (1, 4) on device digits (1, 2) and (2, 4).
pub(crate) fn iota(reshape: &[i64], transpose: &[usize]) -> (Vec<Digit>, Vec<Digit>) {
    let device = row_major(reshape);
    let device: Vec<_> = transpose.iter().map(|dim| device[*dim]).collect();
    let sizes: Vec<_> = device.iter().map(|digit| digit.size).collect();
    (row_major(&sizes), device)
}

/// The shortest iota assignment that lists these digits of the device number, major first: neighbours that stay
/// together are one dim, dims of size 1 are left out.
pub(crate) fn to_iota(order: &[Digit]) -> TileDevices {
    let order = canonical(order.iter().copied());
    if order.is_empty() {
        return TileDevices::Iota { reshape: vec![1], transpose: vec![0] };
    }
    let mut sorted = order.clone();
    sorted.arrange_by_key(|digit| std::cmp::Reverse(digit.stride));
    let place = |digit: &Digit| sorted.iter().position(|sorted| sorted == digit).unwrap_or(0);
    let transpose = order.iter().map(place).collect();
    TileDevices::Iota { reshape: sorted.iter().map(|digit| digit.size).collect(), transpose }
}

/// The digits of `number` that `value` is made of: `value(number) = sum of digit_i(number) * weight_i`, for numbers
/// below `count`. The relation goes from values (strides are weights) to numbers. Digits with no weight are left out.
/// `None` if `value` is no such sum.
///
/// From the minor end each digit is taken as large as it goes: one that runs on into the next has the next one's
/// weight, so the two were one. Looks at each number once or twice.
pub(crate) fn recognize(count: i64, value: impl Fn(i64) -> i64) -> Option<Relation> {
    let mut relation = Relation { from: Vec::new(), to: Vec::new() };
    if value(0) != 0 {
        return None;
    }
    let mut stride = 1;
    while stride < count {
        let weight = value(stride);
        let runs = |size: &i64| *size * stride < count && value(*size * stride) == *size * weight;
        let size = (2..).take_while(runs).last().map_or(2, |last| last + 1);
        if weight < 0 || count % (stride * size) != 0 {
            return None;
        }
        if weight > 0 {
            relation.from.push(Digit { stride: weight, size });
            relation.to.push(Digit { stride, size });
        }
        stride *= size;
    }
    let sum = |number: i64| -> i64 {
        relation.from.iter().zip(&relation.to).map(|(value, digit)| digit.of(number) * value.stride).sum()
    };
    (0..count).all(|number| sum(number) == value(number)).then_some(relation)
}

/// What each position of `from` is called in `to`. `None` if the meshes hold different devices, or the orders differ
/// by more than a transposition. Looks at devices only if one of the meshes has an explicit order that the other has
/// not.
pub(crate) fn relate(from: &Mesh, to: &Mesh) -> Option<Relation> {
    let count = from.device_count();
    if count != to.device_count() {
        return None;
    }
    if from.order == to.order {
        return Some(Relation::identity(count));
    }
    let positions = positions(to)?;
    let place = |position: i64| -> Option<i64> {
        positions
            .get(meshwright_base::Id::index(from.device_at(position)?))
            .copied()
            .filter(|position| *position >= 0)
    };
    if (0..count).any(|position| place(position).is_none()) {
        return None;
    }
    let relation = recognize(count, |position| place(position).unwrap_or(-1))?;
    Some(relation.inverse())
}

/// Position of each device, -1 for those the mesh does not have. `None` if that is too long a list to make.
fn positions(mesh: &Mesh) -> Option<Vec<i64>> {
    let count = mesh.device_count();
    let Some(order) = &mesh.order else {
        return (count <= crate::mesh::MAX_LISTED_DEVICES).then(|| (0..count).collect());
    };
    let last = order.iter().copied().max()?;
    if i64::from(last) >= crate::mesh::MAX_LISTED_DEVICES {
        return None;
    }
    let mut positions = vec![-1; last as usize + 1];
    for (position, device) in order.iter().enumerate() {
        positions[*device as usize] = position as i64;
    }
    Some(positions)
}

/// The digit of the position that each of `axes` reads.
pub(crate) fn of_axes(mesh: &Mesh, axes: &[AxisRef]) -> Vec<Digit> {
    axes.iter().map(|axis| of_axis(mesh, *axis)).collect()
}

pub(crate) fn of_axis(mesh: &Mesh, axis: AxisRef) -> Digit {
    let post = (mesh.axes[axis.axis].size / axis.end()).max(1);
    Digit { stride: mesh.stride(axis.axis) * post, size: axis.size }
}

/// The axes, or pieces of axes, that read these digits of the position. `None` where a digit cuts an axis at a place
/// that does not divide it.
pub(crate) fn to_axes(mesh: &Mesh, digits: &[Digit]) -> Option<Vec<AxisRef>> {
    let places = of_axes(mesh, &mesh.whole_axes());
    let mut axes = Vec::new();
    for digit in digits.iter().filter(|digit| digit.size > 1) {
        for (index, part) in split(*digit, &places)? {
            axes.push(AxisRef {
                axis: Id::from_index(index),
                pre: places[index].end() / part.end(),
                size: part.size,
            });
        }
    }
    Some(crate::axis::canonical(&axes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digit(stride: i64, size: i64) -> Digit {
        Digit { stride, size }
    }

    #[test]
    fn a_digit_splits_where_its_places_end() {
        let places = [digit(4, 2), digit(1, 4)];
        assert_eq!(split(digit(2, 4), &places), Some(vec![(0, digit(4, 2)), (1, digit(2, 2))]));
        assert_eq!(split(digit(1, 3), &[digit(1, 2), digit(2, 3)]), None, "3 is not cut at 2");
        assert_eq!(split(digit(4, 4), &places), None, "nothing covers 8 to 16");
    }

    #[test]
    fn a_transposed_list_is_recognized_and_a_scrambled_one_is_not() {
        let list = [0, 2, 4, 6, 1, 3, 5, 7];
        let relation = recognize(8, |at| list[at as usize]).unwrap();
        assert_eq!(relation.from, [digit(2, 4), digit(1, 2)]);
        assert_eq!(relation.to, [digit(1, 4), digit(4, 2)]);
        let scrambled = [0, 1, 3, 2];
        assert_eq!(recognize(4, |at| scrambled[at as usize]), None);
        let repeating = [0, 0, 1, 1, 0, 0, 1, 1];
        let relation = recognize(8, |at| repeating[at as usize]).unwrap();
        assert_eq!((relation.from, relation.to), (vec![digit(1, 2)], vec![digit(2, 2)]));
    }

    #[test]
    fn composing_is_the_inverse_of_reading() {
        let digits = [digit(1, 2), digit(2, 4)];
        let list: Vec<i64> = (0..8).map(|index| compose(&digits, index)).collect();
        assert_eq!(list, [0, 2, 4, 6, 1, 3, 5, 7]);
    }
}
