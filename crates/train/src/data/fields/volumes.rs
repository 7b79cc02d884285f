//! Volumes made by rules, with what each voxel is of: solid ellipsoids (1) and hollow ones (2, with what they enclose)
//! in noise (0). SYNTHETIC.
//!
//! Walls and solids are equally bright and what a hollow body encloses is as dark as what lies outside, so a voxel does
//! not tell its class: what is around it does. Sizes may be those of a plane: an ellipsoid is an ellipse there.

use super::Examples;
use super::generated::{Numbered, labelled, normal, within};
use crate::data::arrays::Arrays;
use crate::data::corpus::Part;
use meshwright_base::Diagnostic;
use meshwright_base::random::Random;

/// How bright bodies are; outside is 0.
const BRIGHT: f64 = 1.0;

/// Share of a hollow body's radii that its wall begins at.
const WALL: f64 = 0.65;

/// Volumes of one size.
pub struct Volumes {
    numbered: Numbered,
    sizes: Vec<usize>,
    channels: usize,
    /// Deviation of the noise.
    noise: f64,
}

/// An ellipsoid: where it is, its radii, and whether it is hollow.
struct Body {
    center: Vec<f64>,
    radii: Vec<f64>,
    is_hollow: bool,
}

impl Volumes {
    pub fn new(seed: u64, count: u64, sizes: Vec<usize>, channels: usize, noise: f64) -> Volumes {
        Volumes { numbered: Numbered::new("volumes", count, seed, 0x766F_6C75_6D65), sizes, channels, noise }
    }
}

impl Body {
    /// Large enough to have an inside, and with its center in the volume.
    fn drawn(random: &mut Random, sizes: &[usize]) -> Body {
        let draw = |low: f64, high: f64, random: &mut Random| -> Vec<f64> {
            sizes.iter().map(|size| *size as f64 * within(random, low, high)).collect()
        };
        let (center, radii) = (draw(0.25, 0.75, random), draw(0.17, 0.3, random));
        Body { center, radii, is_hollow: random.below(2) == 1 }
    }

    /// Distance from the center, 1 on the surface.
    fn distance(&self, at: &[usize]) -> f64 {
        let one = |((at, center), radius): ((&usize, &f64), &f64)| {
            ((*at as f64 + 0.5 - center) / radius.max(1e-9)).powi(2)
        };
        at.iter().zip(&self.center).zip(&self.radii).map(one).sum::<f64>().sqrt()
    }

    fn class(&self) -> i32 {
        if self.is_hollow { 2 } else { 1 }
    }

    fn is_bright(&self, distance: f64) -> bool {
        distance <= 1.0 && !(self.is_hollow && distance < WALL)
    }
}

impl Examples for Volumes {
    fn parts(&self) -> &[Part] {
        &self.numbered.parts
    }

    fn example(&mut self, part: usize, at: u64) -> Result<Arrays, Diagnostic> {
        let mut random = self.numbered.random(part, at)?;
        let bodies: Vec<Body> =
            (0..random.between(1, 3)).map(|_| Body::drawn(&mut random, &self.sizes)).collect();
        let voxels: usize = self.sizes.iter().product();
        let (mut image, mut labels) =
            (Vec::with_capacity(voxels * self.channels), Vec::with_capacity(voxels));
        let mut place = vec![0; self.sizes.len()];
        for _ in 0..voxels {
            // Of bodies that lie in each other, the last one is seen.
            let seen = bodies.iter().rev().find_map(|body| {
                let distance = body.distance(&place);
                (distance <= 1.0).then(|| (body.class(), body.is_bright(distance)))
            });
            let (class, is_bright) = seen.unwrap_or((0, false));
            labels.push(class);
            for _ in 0..self.channels {
                let bright = if is_bright { BRIGHT } else { 0.0 };
                image.push((bright + self.noise * normal(&mut random)) as f32);
            }
            next(&mut place, &self.sizes);
        }
        Ok(labelled(image, labels))
    }
}

/// The next place, the last dim first.
fn next(place: &mut [usize], sizes: &[usize]) {
    for (at, size) in place.iter_mut().zip(sizes).rev() {
        *at += 1;
        if at < &mut { *size } {
            return;
        }
        *at = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::arrays::Values;

    #[test]
    fn a_volume_is_a_function_of_its_number_and_has_all_classes_among_few() {
        let make = || Volumes::new(3, 100, vec![16, 12, 14], 1, 0.0);
        let mut counts = [0usize; 3];
        for at in 0..12 {
            let one = make().example(0, at).unwrap();
            assert_eq!(one, make().example(0, at).unwrap());
            let (Some(Values::Real(image)), Some(Values::Whole(labels))) =
                (one.get("image"), one.get("labels"))
            else {
                panic!("an image and labels");
            };
            assert_eq!((image.len(), labels.len()), (16 * 12 * 14, 16 * 12 * 14));
            labels.iter().for_each(|label| counts[*label as usize] += 1);
            // Without noise: nothing is bright outside, solids are, and hollow bodies are in part.
            for (bright, label) in image.iter().zip(labels) {
                assert!(*label == 2 || (*bright > 0.5) == (*label == 1), "{bright} {label}");
            }
        }
        assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
        assert!(make().example(0, 100).is_err() && make().example(1, 0).is_err());
    }

    #[test]
    fn hollow_bodies_are_dark_inside() {
        let mut volumes = Volumes::new(3, 100, vec![24, 24, 24], 1, 0.0);
        let mut dark = 0;
        for at in 0..10 {
            let one = volumes.example(0, at).unwrap();
            if let (Some(Values::Real(image)), Some(Values::Whole(labels))) =
                (one.get("image"), one.get("labels"))
            {
                dark +=
                    image.iter().zip(labels).filter(|(bright, label)| **label == 2 && **bright < 0.5).count();
            }
        }
        assert!(dark > 500, "{dark}");
    }
}
