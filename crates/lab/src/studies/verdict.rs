//! From samples to a verdict: the one function by which every claim of a study is judged.
//!
//! A sample is the difference of two runs of the same seed, in the direction that the paper favours. Its interval is
//! Student's. An order needs the whole interval above nothing; a likeness needs it within an equivalence margin (two
//! one-sided tests). Of all exchanges of labels, at most one in twenty may look as good. A claim fails where the
//! interval leaves no room for it, and where the interval contains both it is not resolved. So each verdict can come
//! out otherwise, and noise makes none but the last.

/// The result of judging a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The order, or the likeness, is there; where the paper prints a size, so is that, within a factor of two.
    Held,
    /// The order is there, but its size is off by more than two.
    DirectionOnly,
    /// The interval leaves no room for the claim.
    NotHeld,
    /// The interval contains both, there are too few pairs, or a needed run was not measured.
    NotResolved,
}

impl Verdict {
    pub const ALL: [Verdict; 4] =
        [Verdict::Held, Verdict::DirectionOnly, Verdict::NotHeld, Verdict::NotResolved];

    pub fn word(self) -> &'static str {
        match self {
            Verdict::Held => "held",
            Verdict::DirectionOnly => "direction only",
            Verdict::NotHeld => "not held",
            Verdict::NotResolved => "not resolved",
        }
    }
}

/// The relation that a claim states of its samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// They are above 0.
    More,
    /// They are 0, within the margin.
    Alike,
}

/// The statement of a claim about its samples.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expected {
    pub relation: Relation,
    /// The paper's size of the effect, in the samples' unit, where it prints one.
    pub size: Option<f64>,
    /// An effect below this is none.
    pub margin: f64,
}

/// The mean of samples with its 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    pub pairs: usize,
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

/// Pairs of runs without which no order and no likeness is claimed.
pub const LEAST_PAIRS: usize = 5;

/// Fewest pairs for any verdict but "not resolved".
pub const LEAST_AGAINST: usize = 3;

/// A size within this factor of the paper's is the paper's.
const SIZE: f64 = 2.0;

/// Quantiles of Student's t for 1 to 20 degrees of freedom, of one side: 95 and 97.5 times of 100.
const STUDENT: [(f64, f64); 20] = [
    (6.314, 12.706),
    (2.920, 4.303),
    (2.353, 3.182),
    (2.132, 2.776),
    (2.015, 2.571),
    (1.943, 2.447),
    (1.895, 2.365),
    (1.860, 2.306),
    (1.833, 2.262),
    (1.812, 2.228),
    (1.796, 2.201),
    (1.782, 2.179),
    (1.771, 2.160),
    (1.761, 2.145),
    (1.753, 2.131),
    (1.746, 2.120),
    (1.740, 2.110),
    (1.734, 2.101),
    (1.729, 2.093),
    (1.725, 2.086),
];

/// Half-widths of intervals of 90 and of 95 times of 100 around the mean of `samples`.
fn half_widths(samples: &[f64]) -> [f64; 2] {
    let count = samples.len();
    if count < 2 {
        return [f64::INFINITY; 2];
    }
    let mean = mean(samples);
    let squares: f64 = samples.iter().map(|sample| (sample - mean) * (sample - mean)).sum();
    let error = (squares / (count - 1) as f64 / count as f64).sqrt();
    // Wider than needed beyond the table.
    let (ninety, more) = STUDENT[(count - 2).min(STUDENT.len() - 1)];
    [ninety * error, more * error]
}

fn mean(samples: &[f64]) -> f64 {
    samples.iter().sum::<f64>() / samples.len().max(1) as f64
}

/// The interval that is shown; without bounds where a sample has none.
pub fn interval(samples: &[f64]) -> Interval {
    let (pairs, mean) = (samples.len(), mean(samples));
    if samples.iter().any(|sample| !sample.is_finite()) {
        return Interval { pairs, mean, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let [_, half] = half_widths(samples);
    Interval { pairs, mean, low: mean - half, high: mean + half }
}

/// Judges a claim by its samples, one for each pair of runs. Where one run of a pair diverged, the sample has no bound:
/// such samples are judged by their signs.
pub fn verdict(samples: &[f64], expected: &Expected) -> Verdict {
    if samples.len() < LEAST_AGAINST || samples.iter().any(|sample| sample.is_nan()) {
        return Verdict::NotResolved;
    }
    let is_bounded = samples.iter().all(|sample| sample.is_finite());
    let found =
        if is_bounded { by_interval(samples, expected) } else { by_signs(samples, expected.relation) };
    let claims_it = matches!(found, Verdict::Held | Verdict::DirectionOnly);
    if claims_it && samples.len() < LEAST_PAIRS { Verdict::NotResolved } else { found }
}

/// Whether few exchanges of labels, at most one in twenty, have a mean as high as these samples. Of many samples the
/// interval says so already.
fn is_beyond_exchanges(samples: impl Iterator<Item = f64>) -> bool {
    const COUNTED: usize = 12;
    let samples: Vec<f64> = samples.collect();
    if samples.len() > COUNTED {
        return true;
    }
    let sum = |signs: u32| -> f64 {
        let signed = samples.iter().enumerate();
        signed.map(|(at, sample)| if signs >> at & 1 == 1 { -sample } else { *sample }).sum()
    };
    let (all, whole) = (1u32 << samples.len(), sum(0));
    let as_high = (0..all).filter(|signs| sum(*signs) >= whole).count();
    20 * as_high <= all as usize
}

fn by_interval(samples: &[f64], expected: &Expected) -> Verdict {
    let (mean, [ninety, more]) = (mean(samples), half_widths(samples));
    let all = || samples.iter().copied();
    match expected.relation {
        Relation::More => {
            // A margin that would hide the paper's own effect is none.
            let margin = expected.size.map_or(expected.margin, |size| expected.margin.min(size / SIZE));
            if mean - more > 0.0 && is_beyond_exchanges(all()) {
                let is_near = |size: f64| (size / SIZE..=size * SIZE).contains(&mean);
                if expected.size.is_none_or(is_near) { Verdict::Held } else { Verdict::DirectionOnly }
            } else if mean + ninety < margin {
                Verdict::NotHeld
            } else {
                Verdict::NotResolved
            }
        }
        Relation::Alike => {
            let margin = expected.margin;
            let is_within = mean.abs() + ninety < margin
                && is_beyond_exchanges(all().map(|one| margin - one))
                && is_beyond_exchanges(all().map(|one| margin + one));
            if is_within {
                Verdict::Held
            } else if mean.abs() - more > margin {
                Verdict::NotHeld
            } else {
                Verdict::NotResolved
            }
        }
    }
}

/// Returns the chance that at least `agreeing` of `count` samples have one sign, if either is as likely.
fn sign_chance(agreeing: usize, count: usize) -> f64 {
    let (mut ways, mut all) = (1.0, 0.0);
    for at in 0..=count {
        if at >= agreeing {
            all += ways;
        }
        ways *= (count - at) as f64 / (at + 1) as f64;
    }
    all / 2f64.powi(i32::try_from(count).unwrap_or(i32::MAX))
}

fn by_signs(samples: &[f64], relation: Relation) -> Verdict {
    const CHANCE: f64 = 0.05;
    let above = samples.iter().filter(|sample| **sample > 0.0).count();
    let below = samples.iter().filter(|sample| **sample < 0.0).count();
    let is_clear = |agreeing: usize| sign_chance(agreeing, samples.len()) < CHANCE;
    match relation {
        Relation::More if is_clear(above) => Verdict::Held,
        Relation::More if is_clear(below) => Verdict::NotHeld,
        Relation::Alike if is_clear(above) || is_clear(below) => Verdict::NotHeld,
        Relation::More | Relation::Alike => Verdict::NotResolved,
    }
}

/// The share of all exchanges of labels, seed by seed, in which a claim would be held. For a likeness the samples are
/// moved to the margin first: there its claim is wrong.
pub fn held_by_chance(samples: &[f64], expected: &Expected) -> f64 {
    let count = samples.len().min(16);
    let middle = mean(&samples[..count]);
    let all = 1u32 << count;
    let is_held = |signs: u32| {
        let flipped = samples[..count].iter().enumerate().map(|(at, sample)| {
            let sign = if signs >> at & 1 == 1 { -1.0 } else { 1.0 };
            match expected.relation {
                Relation::More => sign * sample,
                Relation::Alike => expected.margin + sign * (sample - middle),
            }
        });
        verdict(&flipped.collect::<Vec<f64>>(), expected) == Verdict::Held
    };
    (0..all).filter(|signs| is_held(*signs)).count() as f64 / f64::from(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::random::Random;

    const MORE: Expected = Expected { relation: Relation::More, size: Some(1.0), margin: 0.1 };
    const ALIKE: Expected = Expected { relation: Relation::Alike, size: None, margin: 0.1 };

    #[test]
    fn an_order_is_held_by_five_pairs_with_the_papers_size_and_by_direction_without_it() {
        let near = [0.9, 1.1, 1.0, 0.8, 1.2];
        assert_eq!(verdict(&near, &MORE), Verdict::Held);
        assert_eq!(verdict(&near.map(|one| one / 4.0), &MORE), Verdict::DirectionOnly);
        assert_eq!(verdict(&near.map(|one| one * 4.0), &MORE), Verdict::DirectionOnly);
        assert_eq!(verdict(&near.map(|one| -one), &MORE), Verdict::NotHeld);
        assert_eq!(verdict(&near[..4], &MORE), Verdict::NotResolved, "four pairs claim no order");
        assert_eq!(verdict(&near.map(|one| -one)[..3], &MORE), Verdict::NotHeld);
        assert_eq!(verdict(&near[..1], &MORE), Verdict::NotResolved);
    }

    #[test]
    fn noise_holds_neither_an_order_nor_a_likeness() {
        let noise = [1.0, -1.1, 0.9, -0.8, 0.2];
        assert_eq!(verdict(&noise, &MORE), Verdict::NotResolved);
        assert_eq!(verdict(&noise, &ALIKE), Verdict::NotResolved, "not better is not alike");
        assert_eq!(verdict(&noise.map(|one| one / 50.0), &ALIKE), Verdict::Held);
        assert_eq!(verdict(&noise.map(|one| one / 50.0), &MORE), Verdict::NotHeld);
        assert_eq!(verdict(&noise.map(|one| 1.0 + one / 50.0), &ALIKE), Verdict::NotHeld);
    }

    #[test]
    fn pairs_of_which_one_run_diverged_are_judged_by_their_signs() {
        let lost = [f64::INFINITY; 5];
        assert_eq!(verdict(&lost, &MORE), Verdict::Held);
        assert_eq!(verdict(&lost.map(|one| -one), &MORE), Verdict::NotHeld);
        assert_eq!(verdict(&lost, &ALIKE), Verdict::NotHeld);
        assert_eq!(verdict(&[f64::INFINITY, 1.0, 1.0, -1.0, 1.0], &MORE), Verdict::NotResolved);
        assert_eq!(verdict(&[f64::INFINITY; 4], &MORE), Verdict::NotResolved);
        assert_eq!(sign_chance(5, 5), 1.0 / 32.0);
    }

    /// Null effects are held at most one time in twenty: orders of noise, and likenesses at their margin.
    #[test]
    fn at_most_one_in_twenty_null_effects_is_held() {
        let mut random = Random::new(7, 0);
        let mut unit =
            || (0..12).map(|_| random.index(1 << 20) as f64 / f64::from(1 << 20)).sum::<f64>() - 6.0;
        for count in [5, 8, 20] {
            let any = Expected { relation: Relation::More, size: None, margin: 0.1 };
            let (mut orders, mut alike) = (0, 0);
            for _ in 0..4000 {
                let samples: Vec<f64> = (0..count).map(|_| unit()).collect();
                orders += u32::from(verdict(&samples, &any) == Verdict::Held);
                let at_margin: Vec<f64> = samples.iter().map(|one| 0.1 + one / 100.0).collect();
                alike += u32::from(verdict(&at_margin, &ALIKE) == Verdict::Held);
            }
            assert!(orders <= 200 && orders > 30, "{count} pairs: {orders} of 4000 orders");
            assert!(alike <= 240 && alike > 30, "{count} pairs: {alike} of 4000 likenesses");
        }
    }

    #[test]
    fn what_is_held_is_not_held_with_exchanged_labels() {
        let samples = [0.9, 1.1, 1.0, 0.8, 1.2];
        assert!(held_by_chance(&samples, &MORE) <= 0.05);
        let alike = [0.01, -0.02, 0.015, 0.0, -0.01];
        assert_eq!(verdict(&alike, &ALIKE), Verdict::Held);
        assert!(held_by_chance(&alike, &ALIKE) <= 0.05);
    }
}
