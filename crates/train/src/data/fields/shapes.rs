//! What generated images and volumes share: noise, and even numbers within bounds.

use meshwright_base::random::Random;

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
