//! Spectrograms made by rules: tones one after the other in noise, and which they are. SYNTHETIC.
//!
//! ```text
//! label 2, label 1      energies  . . = = = = . . . - - - . .  by time, with a hum at some frequency behind them
//! ```
//!
//! A label is a chord of two frequencies, and each frequency is in several chords: no single energy tells a label.
//! Tones begin, last and sound differently each time; sequences have different lengths, and where one ends there are
//! zeros. Between two tones there is always silence, so that one that is heard twice is two labels.

use super::Examples;
use super::generated::{Numbered, normal, within};
use crate::config::{Config, LEAST_FRAMES, SpeechSection};
use crate::data::arrays::{Arrays, Values};
use crate::data::corpus::Part;
use meshwright_base::Diagnostic;
use meshwright_base::random::Random;

/// Spectrograms of one size.
pub struct Spectrograms {
    numbered: Numbered,
    sizes: Sizes,
    /// Deviation of the noise.
    noise: f64,
}

/// What spectrograms are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// The most that there are.
    pub frames: usize,
    /// Energies of a frame.
    pub features: usize,
    /// Kinds of labels, which are 1 to so many.
    pub labels: usize,
    /// Labels of a sequence at most; the configuration sees to it that all have frames enough.
    pub most: usize,
}

/// A tone: from which frame to which, of what label, how loud, and how far out of tune, in features.
struct Tone {
    begin: usize,
    end: usize,
    label: usize,
    loud: f64,
    detuned: f64,
}

impl Spectrograms {
    pub fn new(seed: u64, count: u64, sizes: Sizes, noise: f64) -> Spectrograms {
        Spectrograms { numbered: Numbered::new("spectrograms", count, seed, 0x746F_6E65_7320), sizes, noise }
    }
}

/// The chord of a label: two of so many frequencies that all labels have one.
fn chord(label: usize) -> [usize; 2] {
    // Pairs in the order (0, 1), (0, 2), (1, 2), (0, 3), ..
    let pairs = (1..).flat_map(|high: usize| (0..high).map(move |low| [low, high]));
    pairs.into_iter().nth(label - 1).unwrap_or([0, 1])
}

/// How many frequencies so many labels are made of.
fn frequencies(labels: usize) -> usize {
    (1..=labels).map(|label| chord(label)[1] + 1).max().unwrap_or(2)
}

impl Sizes {
    /// As the configuration says.
    pub fn of(config: &Config) -> Sizes {
        let SpeechSection { frames, features, labels, most_labels: most, .. } = config.speech;
        Sizes { frames, features, labels, most }
    }

    /// Where a frequency lies among the features.
    fn center(&self, frequency: usize) -> f64 {
        (frequency as f64 + 0.5) * self.features as f64 / frequencies(self.labels) as f64 - 0.5
    }

    /// Tones one after the other, and the frames that they take.
    fn tones(&self, random: &mut Random) -> (Vec<Tone>, usize) {
        let slot = (self.frames / self.most.max(1)).max(1);
        let (mut at, mut tones) = (0, Vec::new());
        for _ in 0..random.between(1, self.most as u64) {
            // Two times of the model each: so many labels can be said, also if all are the same.
            let takes = ((slot as f64 * within(random, 0.7, 1.0)) as usize).max(LEAST_FRAMES).min(slot);
            let silent = (takes / 3).max(1);
            let begin = at + random.index(silent.div_ceil(2));
            let end = (at + takes - silent.div_ceil(2)).max(begin + 1);
            let label = 1 + random.index(self.labels);
            let (loud, detuned) = (within(random, 0.7, 1.3), within(random, -0.3, 0.3));
            tones.push(Tone { begin, end, label, loud, detuned });
            at += takes;
        }
        (tones, at.clamp(1, self.frames))
    }
}

/// How much of a line at `center` a feature gets.
fn near(feature: usize, center: f64) -> f64 {
    (-((feature as f64 - center) / 0.8).powi(2) / 2.0).exp()
}

impl Examples for Spectrograms {
    fn parts(&self) -> &[Part] {
        &self.numbered.parts
    }

    fn example(&mut self, part: usize, at: u64) -> Result<Arrays, Diagnostic> {
        let mut random = self.numbered.random(part, at)?;
        let Sizes { frames, features, most, .. } = self.sizes;
        let (tones, length) = self.sizes.tones(&mut random);
        let (hum, hums) = (within(&mut random, 0.0, features as f64), within(&mut random, 0.1, 0.5));
        let mut sound = vec![0f32; frames * features];
        for (time, frame) in sound.chunks_mut(features.max(1)).enumerate().take(length) {
            let tone = tones.iter().find(|tone| (tone.begin..tone.end).contains(&time));
            for (feature, energy) in frame.iter_mut().enumerate() {
                let heard = tone.map_or(0.0, |tone| {
                    let line = |frequency| near(feature, self.sizes.center(frequency) + tone.detuned);
                    tone.loud * chord(tone.label).map(line).iter().sum::<f64>()
                });
                *energy = (heard + hums * near(feature, hum) + self.noise * normal(&mut random)) as f32;
            }
        }
        let mut labels: Vec<i32> = tones.iter().map(|tone| tone.label as i32).collect();
        let count = labels.len() as i32;
        labels.resize(most, 0);
        let whole = |name: &str, all: Vec<i32>| (name.to_string(), Values::Whole(all));
        let list = vec![
            ("frames".to_string(), Values::Real(sound)),
            whole("frame_lengths", vec![length as i32]),
            whole("labels", labels),
            whole("label_lengths", vec![count]),
        ];
        Ok(Arrays { list })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { frames: 64, features: 12, labels: 8, most: 6 };

    struct Heard {
        frames: Vec<f32>,
        length: usize,
        labels: Vec<usize>,
    }

    fn heard(noise: f64, at: u64) -> Heard {
        let one = Spectrograms::new(3, 500, SIZES, noise).example(0, at).unwrap();
        let whole = |name| match one.get(name) {
            Some(Values::Whole(all)) => all.iter().map(|one| *one as usize).collect(),
            _ => Vec::new(),
        };
        let Some(Values::Real(frames)) = one.get("frames") else { panic!("frames") };
        let mut labels: Vec<usize> = whole("labels");
        assert_eq!(labels.len(), SIZES.most);
        let count = whole("label_lengths")[0];
        assert!(labels[count..].iter().all(|label| *label == 0), "{labels:?}");
        labels.truncate(count);
        Heard { frames: frames.clone(), length: whole("frame_lengths")[0], labels }
    }

    #[test]
    fn a_spectrogram_is_a_function_of_its_number() {
        let make = |seed| Spectrograms::new(seed, 500, SIZES, 0.3);
        for at in [0, 7, 499] {
            assert_eq!(make(3).example(0, at).unwrap(), make(3).example(0, at).unwrap());
            assert_ne!(make(3).example(0, at).unwrap(), make(4).example(0, at).unwrap());
        }
        assert!(make(3).example(0, 500).is_err() && make(3).example(1, 0).is_err());
    }

    #[test]
    fn labels_are_chords_that_share_their_frequencies() {
        let chords: Vec<[usize; 2]> = (1..=6).map(chord).collect();
        assert_eq!(chords, [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]]);
        assert_eq!([1, 3, 4, 6, 7].map(frequencies), [2, 3, 4, 4, 5]);
    }

    #[test]
    fn lengths_differ_all_labels_occur_and_nothing_is_behind_the_end() {
        let (mut seen, mut lengths) = ([0; SIZES.labels + 1], std::collections::BTreeSet::new());
        for at in 0..100 {
            let one = heard(0.3, at);
            let again = one.labels.windows(2).filter(|pair| pair[0] == pair[1]).count();
            assert!(
                one.labels.len() + again <= one.length.div_ceil(4),
                "{at}: {:?} in {}",
                one.labels,
                one.length
            );
            assert!((1..=SIZES.most).contains(&one.labels.len()));
            one.labels.iter().for_each(|label| seen[*label] += 1);
            assert!(one.frames[one.length * SIZES.features..].iter().all(|x| *x == 0.0));
            lengths.insert(one.length);
        }
        assert!(seen[0] == 0 && seen[1..].iter().all(|count| *count > 10), "{seen:?}");
        assert!(lengths.len() > 12, "{lengths:?}");
    }

    #[test]
    fn who_knows_the_chords_hears_the_labels_without_noise() {
        // The loudest chord of each frame that is no silence; the same until silence is one label.
        let score = |frame: &[f32], label: usize| -> f32 {
            let at = |frequency| frame[SIZES.center(frequency).round() as usize];
            let [low, high] = chord(label).map(at);
            low.min(high)
        };
        let mut wrong = 0;
        for at in 0..60 {
            let one = heard(0.0, at);
            let mut said = Vec::new();
            let mut last = 0;
            for frame in one.frames.chunks(SIZES.features).take(one.length) {
                let best = (1..=SIZES.labels).max_by(|a, b| score(frame, *a).total_cmp(&score(frame, *b)));
                let best = best.filter(|label| score(frame, *label) > 0.45).unwrap_or(0);
                if best != last && best != 0 {
                    said.push(best);
                }
                last = best;
            }
            wrong += usize::from(said != one.labels);
        }
        // The hum may sound like a second frequency here and there.
        assert!(wrong <= 3, "{wrong} of 60");
    }
}
