//! What generated examples share: a part of so many, each a function of its number; noise, even numbers within bounds,
//! and planes.

use super::no_such_example;
use crate::data::arrays::{Arrays, Values};
use crate::data::corpus::Part;
use meshwright_base::Diagnostic;
use meshwright_base::random::Random;

/// So many examples by number.
pub struct Numbered {
    /// One.
    pub parts: Vec<Part>,
    seed: u64,
}

impl Numbered {
    /// Other kinds of examples have other numbers from the same seed: by their `kind`.
    pub fn new(name: &str, count: u64, seed: u64, kind: u64) -> Numbered {
        Numbered { parts: vec![Part { name: name.into(), documents: count }], seed: seed ^ kind }
    }

    /// What an example is drawn from.
    pub fn random(&self, part: usize, at: u64) -> Result<Random, Diagnostic> {
        let is_there = part == 0 && self.parts.first().is_some_and(|part| at < part.documents);
        if is_there { Ok(Random::new(self.seed, at)) } else { Err(no_such_example(part, at)) }
    }
}

/// Middles of the places of a plane of this size that begins at `first`, row after row.
pub fn places(size: [usize; 2], first: [usize; 2]) -> impl Iterator<Item = [f64; 2]> {
    let at = move |row: usize, column: usize| [row + first[0], column + first[1]].map(|at| at as f64 + 0.5);
    (0..size[0]).flat_map(move |row| (0..size[1]).map(move |column| at(row, column)))
}

/// Images of one size, with noise.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plane {
    pub size: [usize; 2],
    /// Numbers of a place.
    pub channels: usize,
    /// Deviation of the noise.
    pub noise: f64,
}

impl Plane {
    /// An image by what each number of a place would be without noise.
    pub fn drawn(&self, random: &mut Random, bright: impl Fn([f64; 2], usize) -> f64) -> Vec<f32> {
        let mut image = Vec::with_capacity(self.size[0] * self.size[1] * self.channels);
        for place in places(self.size, [0, 0]) {
            for channel in 0..self.channels {
                image.push((bright(place, channel) + self.noise * normal(random)) as f32);
            }
        }
        image
    }
}

/// An image with its labels.
pub fn labelled(image: Vec<f32>, labels: Vec<i32>) -> Arrays {
    let list = [("image", Values::Real(image)), ("labels", Values::Whole(labels))];
    Arrays { list: list.map(|(name, values)| (name.to_string(), values)).to_vec() }
}

/// In `low..high`.
pub fn within(random: &mut Random, low: f64, high: f64) -> f64 {
    low + random.unit() * (high - low)
}

/// A normal number: the sum of twelve even ones, which has no tails beyond six deviations.
pub fn normal(random: &mut Random) -> f64 {
    // Four numbers of 16 bits in each word.
    let word = |word: u64| (0..4).map(move |at| ((word >> (16 * at)) & 0xFFFF) as f64);
    let sum: f64 = (0..3).flat_map(|_| word(random.word())).sum();
    (sum + 6.0) / 65_536.0 - 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_a_mean_of_zero_and_a_deviation_of_one() {
        let mut random = Random::new(1, 2);
        let all: Vec<f64> = (0..20_000).map(|_| normal(&mut random)).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let square = all.iter().map(|x| x * x).sum::<f64>() / all.len() as f64;
        assert!(mean.abs() < 0.02 && (square - 1.0).abs() < 0.03, "{mean} {square}");
    }
}
