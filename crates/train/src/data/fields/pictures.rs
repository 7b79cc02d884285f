//! Pictures made by rules, each of one body in noise whose kind is its label. SYNTHETIC.
//!
//! Bodies are equally bright and of many sizes, at many places: neither how much is bright nor where tells the kind.
//! Only two spatial dims.

use super::shapes::{normal, within};
use super::{Examples, no_such_example};
use crate::config::PICTURES;
use crate::data::arrays::{Arrays, Values};
use crate::data::corpus::Part;
use meshwright_base::Diagnostic;
use meshwright_base::random::Random;

/// How bright bodies are; outside is 0.
const BRIGHT: f64 = 1.0;

/// Pictures of one size.
pub struct Pictures {
    parts: Vec<Part>,
    size: [usize; 2],
    channels: usize,
    /// Deviation of the noise.
    noise: f64,
    seed: u64,
}

impl Pictures {
    pub fn new(seed: u64, count: u64, size: [usize; 2], channels: usize, noise: f64) -> Pictures {
        let parts = vec![Part { name: "pictures".into(), documents: count }];
        Pictures { parts, size, channels, noise, seed }
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
        &self.parts
    }

    fn example(&mut self, part: usize, at: u64) -> Result<Arrays, Diagnostic> {
        if part > 0 || self.parts.first().is_none_or(|part| at >= part.documents) {
            return Err(no_such_example(part, at));
        }
        let mut random = Random::new(self.seed ^ 0x7069_6374_7572, at);
        let kind = usize::try_from(random.below(PICTURES.len() as u64)).unwrap_or(0);
        let least = self.size[0].min(self.size[1]) as f64;
        let half = least * within(&mut random, 0.22, 0.4);
        let middle = self.size.map(|size| within(&mut random, half, size as f64 - half));
        let mut image = Vec::with_capacity(self.size[0] * self.size[1] * self.channels);
        for (row, column) in
            (0..self.size[0]).flat_map(|row| (0..self.size[1]).map(move |column| (row, column)))
        {
            let from = [row as f64 + 0.5 - middle[0], column as f64 + 0.5 - middle[1]]
                .map(|away| away / half.max(1e-9));
            let bright = if is_bright(kind, from) { BRIGHT } else { 0.0 };
            image.extend((0..self.channels).map(|_| (bright + self.noise * normal(&mut random)) as f32));
        }
        let labels = Values::Whole(vec![i32::try_from(kind).unwrap_or(0)]);
        Ok(Arrays { list: vec![("image".to_string(), Values::Real(image)), ("labels".to_string(), labels)] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_a_function_of_its_number_and_neither_brightness_nor_place_tells_its_kind() {
        let make = || Pictures::new(3, 2000, [24, 20], 1, 0.0);
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
