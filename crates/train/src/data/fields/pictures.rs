//! Pictures made by rules, each of one body in noise whose kind is its label. SYNTHETIC.
//!
//! Bodies are equally bright and of many sizes, at many places: neither how much is bright nor where tells the kind.
//! Only two spatial dims.

use super::Examples;
use super::generated::{Numbered, Plane, labelled, within};
use crate::config::PICTURES;
use crate::data::arrays::Arrays;
use crate::data::corpus::Part;
use meshwright_base::Diagnostic;

/// How bright bodies are; outside is 0.
const BRIGHT: f64 = 1.0;

/// Pictures of one size.
pub struct Pictures {
    numbered: Numbered,
    plane: Plane,
}

impl Pictures {
    pub fn new(seed: u64, count: u64, plane: Plane) -> Pictures {
        Pictures { numbered: Numbered::new("pictures", count, seed, 0x7069_6374_7572), plane }
    }
}

/// Whether a body is bright at a place, in parts of its half side from its middle.
pub(super) fn is_bright(kind: usize, [y, x]: [f64; 2]) -> bool {
    let (round, square) = (y.hypot(x), y.abs().max(x.abs()));
    match kind {
        0 => round <= 1.0,
        1 => round <= 1.0 && round > 0.6,
        2 => square <= 0.9,
        3 => square <= 0.9 && square > 0.55,
        4 => square <= 1.0 && y.abs().min(x.abs()) <= 0.25,
        _ => square <= 0.95 && (y * 2.5).rem_euclid(2.0) < 1.0,
    }
}

impl Examples for Pictures {
    fn parts(&self) -> &[Part] {
        &self.numbered.parts
    }

    fn example(&mut self, part: usize, at: u64) -> Result<Arrays, Diagnostic> {
        let (mut random, size) = (self.numbered.random(part, at)?, self.plane.size);
        let kind = usize::try_from(random.below(PICTURES.len() as u64)).unwrap_or(0);
        let least = size[0].min(size[1]) as f64;
        let half = least * within(&mut random, 0.22, 0.4);
        let middle = size.map(|size| within(&mut random, half, size as f64 - half));
        let image = self.plane.drawn(&mut random, |place, _| {
            let from = [0, 1].map(|dim| (place[dim] - middle[dim]) / half.max(1e-9));
            if is_bright(kind, from) { BRIGHT } else { 0.0 }
        });
        Ok(labelled(image, vec![i32::try_from(kind).unwrap_or(0)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::arrays::Values;

    #[test]
    fn a_picture_is_a_function_of_its_number_and_neither_brightness_nor_place_tells_its_kind() {
        let make = || Pictures::new(3, 2000, Plane { size: [24, 20], channels: 1, noise: 0.0 });
        let (mut counts, mut least, mut most) = ([0usize; 6], [1.0f64; 6], [0.0f64; 6]);
        for at in 0..400 {
            let one = make().example(0, at).unwrap();
            assert_eq!(one, make().example(0, at).unwrap());
            let (Some(Values::Real(image)), Some(Values::Whole(labels))) =
                (one.get("image"), one.get("labels"))
            else {
                panic!("an image and a label");
            };
            assert_eq!((image.len(), labels.len()), (24 * 20, 1));
            let kind = labels[0] as usize;
            let bright = image.iter().filter(|x| **x > 0.5).count() as f64 / image.len() as f64;
            counts[kind] += 1;
            (least[kind], most[kind]) = (least[kind].min(bright), most[kind].max(bright));
        }
        assert!(counts.iter().all(|count| *count > 40), "{counts:?}");
        for kind in 0..6 {
            let others = (0..6)
                .filter(|other| *other != kind && least[*other] < most[kind] && most[*other] > least[kind]);
            assert!(others.count() >= 3, "{least:?} {most:?}");
        }
        assert!(make().example(0, 2000).is_err() && make().example(1, 0).is_err());
    }
}
