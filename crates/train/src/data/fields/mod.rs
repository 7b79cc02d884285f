//! Examples that are no text: numbered lists of arrays, made by rules or read from files, and the stream of batches of
//! them.
//!
//! ```text
//! examples --example(part, n)--> one row of each array --batch--> arrays
//! ```
//!
//! Which example comes next is [`Mixture`]'s to say, as it is for text: a round gives every example once, in an order
//! of its own. One in so many is held out, by its number alone, so that nothing is made to find that out.

#[cfg(test)]
mod file_tests;
pub mod files;
mod generated;
mod numbers;
pub mod pictures;
mod pixels;
mod pnm;
pub mod questions;
mod raster;
pub mod recordings;
pub mod spectrograms;
pub mod volumes;
pub mod weather;

// Readers of untrusted bytes, for the fuzzer.
#[doc(hidden)]
pub use pixels::{Meaning, read_pixels};

use super::arrays::{Arrays, Values};
use super::content::{Content, Contents};
use super::corpus::{CORPUS, Part, is_chosen};
use super::mixture::{Mixture, Position, Side};
use crate::config::{Config, Corpus, Family, Task};
use files::{Asked, ExampleShape, Files};
use generated::Plane;
use meshwright_base::random::mix;
use meshwright_base::{Code, Diagnostic};
use pictures::Pictures;
use questions::Questions;
use recordings::Recordings;
use spectrograms::{Sizes, Spectrograms};
use std::ops::Range;
use volumes::Volumes;
use weather::Weather;

/// An image, a volume or a label that does not fit the configuration, or a file of them that is broken.
pub(crate) const EXAMPLE: Code = Code(1111);

/// Numbered parts of numbered examples.
pub trait Examples {
    fn parts(&self) -> &[Part];

    /// Example `at` of a part: one row of each array. Asking beyond the end is an error.
    fn example(&mut self, part: usize, at: u64) -> Result<Arrays, Diagnostic>;

    /// What the files hold, if it is read from any.
    fn contents(&self) -> &[Content] {
        &[]
    }

    /// What the files call the classes of images, if they do.
    fn class_names(&self) -> &[String] {
        &[]
    }
}

/// Batches of examples.
pub struct FieldSource {
    examples: Box<dyn Examples>,
    seed: u64,
    held_out_one_in: u64,
    /// Of a batch.
    rows: usize,
    contents: Contents,
    /// How many examples of each part are held out, where they are read from files: there is an end to them.
    held: Option<Vec<u64>>,
}

/// Batches to judge a model by.
pub struct HeldOut {
    pub batches: Vec<Arrays>,
    /// How many examples they have, each once; `None` where there is no end to them.
    pub examples: Option<u64>,
}

impl FieldSource {
    /// As the configuration says. Files are read whole, and held against it.
    pub fn open(config: &Config) -> Result<FieldSource, Diagnostic> {
        let (data, image) = (&config.data, &config.image);
        let seed = if data.seed == 0 { config.train.seed } else { data.seed };
        let sizes = image.size.0.clone();
        let plane = |sizes: &[usize]| [0, 1].map(|dim| sizes.get(dim).copied().unwrap_or(1));
        let (count, channels, noise) = (data.documents, image.channels, image.noise);
        let images = Plane { size: plane(&sizes), channels, noise };
        let examples: Box<dyn Examples> = match data.corpus {
            Corpus::Spectrograms => {
                Box::new(Spectrograms::new(seed, count, Sizes::of(config), config.speech.noise))
            }
            Corpus::Arrays if data.task == Task::Speech => {
                Box::new(Recordings::open(&data.files, Sizes::of(config))?)
            }
            Corpus::Arrays => Box::new(Files::open(&data.files, shape(config))?),
            Corpus::Pictures => Box::new(Pictures::new(seed, count, images)),
            Corpus::Questions => Box::new(Questions::new(seed, count, images, config.question.length)),
            Corpus::Weather => Box::new(Weather::new(seed, count, images, plane(config.told()))),
            _ => Box::new(Volumes::new(seed, count, sizes, channels, noise)),
        };
        Ok(FieldSource::new(examples, seed, data.held_out_one_in, data.batch))
    }

    pub fn new(examples: Box<dyn Examples>, seed: u64, held_out_one_in: u64, rows: usize) -> FieldSource {
        let contents = Contents { tokenizer: None, files: examples.contents().to_vec() };
        let count = |(part, one): (usize, &Part)| {
            (0..one.documents).filter(|at| is_held_out(part, *at, held_out_one_in)).count() as u64
        };
        let is_read = !contents.files.is_empty();
        let held = is_read.then(|| examples.parts().iter().enumerate().map(count).collect());
        FieldSource { examples, seed, held_out_one_in, rows, contents, held }
    }

    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// What the files call the classes of images, if they do.
    pub fn class_names(&self) -> &[String] {
        self.examples.class_names()
    }

    /// So many batches of what is held out. What is read from files is judged once: there are fewer batches where it
    /// ends, and the last one is filled up with rows that count for nothing.
    pub fn held_out(&mut self, count: u64, wanted: &Range<usize>) -> Result<HeldOut, Diagnostic> {
        let Some(held) = self.held.clone() else { return self.held_out_again(count, wanted) };
        let most = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(self.rows);
        let order = self.held_out_once(held, most)?;
        let mut batches = Vec::new();
        for chunk in order.chunks(self.rows.max(1)) {
            batches.push(self.filled(chunk, wanted)?);
        }
        Ok(HeldOut { batches, examples: Some(order.len() as u64) })
    }

    /// The same of examples without end, or of as many as it takes.
    fn held_out_again(&mut self, count: u64, wanted: &Range<usize>) -> Result<HeldOut, Diagnostic> {
        let (mut batches, mut position) = (Vec::new(), None);
        for _ in 0..count {
            let (batch, after) = self.batch(Side::HeldOut, position, wanted)?;
            batches.push(batch);
            position = Some(after);
        }
        Ok(HeldOut { batches, examples: None })
    }

    /// Parts and numbers of what is held out, at most so many, each once, in the order in which they are drawn. `left`
    /// has how many there are of each part: one that is used up is drawn no more.
    fn held_out_once(&self, mut left: Vec<u64>, most: usize) -> Result<Vec<(usize, u64)>, Diagnostic> {
        self.has_some(Side::HeldOut)?;
        let sizes: Vec<u64> = self.examples.parts().iter().map(|part| part.documents).collect();
        let (one_in, mut position, mut all) = (self.held_out_one_in, None, Vec::new());
        while all.len() < most && left.iter().any(|left| *left > 0) {
            let weight = |(size, left): (&u64, &u64)| if *left > 0 { *size as f64 } else { 0.0 };
            let weights: Vec<f64> = sizes.iter().zip(&left).map(weight).collect();
            let mixture = Mixture::new(self.seed, Side::HeldOut, one_in, &weights);
            let begin = position.unwrap_or_else(|| mixture.start());
            let (at, part, after) =
                mixture.pick(&sizes, &begin, |part, at| Ok(is_held_out(part, at, one_in).then_some(at)))?;
            left[part] = left[part].saturating_sub(1);
            all.push((part, at));
            position = Some(after);
        }
        Ok(all)
    }

    /// A batch of these examples, the first of them again in rows that are left, without a label.
    fn filled(&mut self, chunk: &[(usize, u64)], wanted: &Range<usize>) -> Result<Arrays, Diagnostic> {
        let mut rows = Vec::new();
        for row in 0..self.rows {
            let Some((part, at)) = chunk.get(row).or(chunk.first()) else { continue };
            let example = wanted.contains(&row).then(|| self.examples.example(*part, *at)).transpose()?;
            rows.push(if row < chunk.len() { example } else { example.map(unjudged) });
        }
        Ok(stacked(rows))
    }

    /// Whether there is any example on a side, as far as that is known.
    fn has_some(&self, side: Side) -> Result<(), Diagnostic> {
        let Some(held) = &self.held else { return Ok(()) };
        let held: u64 = held.iter().sum();
        let all: u64 = self.examples.parts().iter().map(|part| part.documents).sum();
        let has = if side == Side::HeldOut { held > 0 } else { held < all };
        if has { Ok(()) } else { Err(self.one_sided(side, all)) }
    }

    fn one_sided(&self, side: Side, all: u64) -> Diagnostic {
        let names: Vec<String> =
            self.examples.parts().iter().map(|part| format!("`{}`", part.name)).collect();
        let one_in = self.held_out_one_in;
        let lacks = match side {
            Side::HeldOut => format!("none of them is held out by `data.held_out_one_in = {one_in}`"),
            Side::Training => format!("all of them are held out by `data.held_out_one_in = {one_in}`"),
        };
        let help = "give more, or another `data.held_out_one_in`: about one example in so many is kept for evaluation, chosen by \
                    its number in its file, and training needs one besides";
        Diagnostic::error(CORPUS, format!("{} has {all} examples, and {lacks}", names.join(", "))).help(help)
    }

    /// The batch at a position, or the first one, and the position behind it. Rows that are not asked for are zeros.
    pub fn batch(
        &mut self,
        side: Side,
        position: Option<Position>,
        wanted: &Range<usize>,
    ) -> Result<(Arrays, Position), Diagnostic> {
        self.has_some(side)?;
        let sizes: Vec<u64> = self.examples.parts().iter().map(|part| part.documents).collect();
        let weights: Vec<f64> = sizes.iter().map(|size| *size as f64).collect();
        let mixture = Mixture::new(self.seed, side, self.held_out_one_in, &weights);
        let mut position = position.unwrap_or_else(|| mixture.start());
        let mut rows = Vec::new();
        for row in 0..self.rows {
            let one_in = self.held_out_one_in;
            let is_ours = |part: usize, at: u64| {
                Ok((is_held_out(part, at, one_in) == (side == Side::HeldOut)).then_some(at))
            };
            let (at, part, after) = mixture.pick(&sizes, &position, is_ours)?;
            let example = wanted.contains(&row).then(|| self.examples.example(part, at)).transpose()?;
            rows.push(example);
            position = after;
        }
        Ok((stacked(rows), position))
    }
}

/// What examples of files must be like.
fn shape(config: &Config) -> ExampleShape {
    let (image, question) = (&config.image, &config.question);
    let asks = config.model.family == Family::Joined;
    ExampleShape {
        sizes: image.size.0.clone(),
        channels: image.channels,
        classes: image.classes,
        names: image.names.clone(),
        told: if config.data.task == Task::Segment { config.told().to_vec() } else { Vec::new() },
        asked: asks.then_some(Asked { length: question.length, words: question.words }),
    }
}

/// Whether an example is kept for evaluation.
fn is_held_out(part: usize, at: u64, one_in: u64) -> bool {
    is_chosen(mix(0x0068_656C_6420_6F75 ^ mix(part as u64)) ^ mix(at), one_in)
}

/// The same without a label that counts: sequences of fewer than no labels, and classes below 0, are not judged.
fn unjudged(mut example: Arrays) -> Arrays {
    let counts = if example.get("label_lengths").is_some() { "label_lengths" } else { "labels" };
    for (_, values) in example.list.iter_mut().filter(|(name, _)| name == counts) {
        if let Values::Whole(all) = values {
            all.fill(-1);
        }
    }
    example
}

/// Rows one after the other; what is missing is zeros, as much as there is in a row that is there.
fn stacked(rows: Vec<Option<Arrays>>) -> Arrays {
    let names = rows.iter().flatten().next().map_or_else(Vec::new, |one| one.list.clone());
    let one = |(name, like): (String, Values)| {
        let parts = rows.iter().map(|row| row.as_ref().and_then(|row| row.get(&name)));
        let all = match &like {
            Values::Whole(like) => Values::Whole(joined(parts, like.len(), |values| match values {
                Values::Whole(all) => Some(all.as_slice()),
                Values::Real(_) => None,
            })),
            Values::Real(like) => Values::Real(joined(parts, like.len(), |values| match values {
                Values::Real(all) => Some(all.as_slice()),
                Values::Whole(_) => None,
            })),
        };
        (name, all)
    };
    Arrays { list: names.into_iter().map(one).collect() }
}

fn joined<'v, T: Copy + Default + 'v>(
    parts: impl Iterator<Item = Option<&'v Values>>,
    size: usize,
    of: impl Fn(&'v Values) -> Option<&'v [T]>,
) -> Vec<T> {
    let mut all = Vec::new();
    for part in parts {
        match part.and_then(&of).filter(|part| part.len() == size) {
            Some(part) => all.extend_from_slice(part),
            None => all.resize(all.len() + size, T::default()),
        }
    }
    all
}

/// Beyond the last example.
fn no_such_example(part: usize, at: u64) -> Diagnostic {
    Diagnostic::error(CORPUS, format!("there is no example {at} in part {part}"))
        .help("the data changed since the position was saved; begin from its start")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each example is its own number.
    struct Numbers(Vec<Part>, Vec<Content>);

    impl Examples for Numbers {
        fn parts(&self) -> &[Part] {
            &self.0
        }

        fn example(&mut self, part: usize, at: u64) -> Result<Arrays, Diagnostic> {
            let number = part as f32 * 1000.0 + at as f32;
            let n = ("n".to_string(), Values::Real(vec![number, -number]));
            Ok(Arrays { list: vec![n, ("labels".to_string(), Values::Whole(vec![1]))] })
        }

        fn contents(&self) -> &[Content] {
            &self.1
        }
    }

    fn source(rows: usize) -> FieldSource {
        let part = |name: &str, documents| Part { name: name.into(), documents };
        let parts = vec![part("a", 60), part("b", 20)];
        FieldSource::new(Box::new(Numbers(parts, Vec::new())), 7, 5, rows)
    }

    fn numbers(batch: &Arrays) -> Vec<f32> {
        match batch.get("n") {
            Some(Values::Real(all)) => all.chunks(2).map(|row| row[0]).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn a_position_is_all_there_is_to_know_and_sides_share_no_example() {
        let (mut source, mut at) = (source(4), None);
        let mut seen = Vec::new();
        for _ in 0..12 {
            let (batch, after) = source.batch(Side::Training, at.clone(), &(0..4)).unwrap();
            assert_eq!(source.batch(Side::Training, at, &(0..4)).unwrap(), (batch.clone(), after.clone()));
            seen.extend(numbers(&batch));
            at = Some(after);
        }
        let held_out = numbers(&source.batch(Side::HeldOut, None, &(0..4)).unwrap().0);
        assert!(held_out.iter().all(|number| !seen.contains(number)), "{held_out:?}");
        assert!(seen.iter().any(|number| *number >= 1000.0) && seen.iter().any(|number| *number < 1000.0));
    }

    /// The same as if it were read from files.
    fn from_files(sizes: &[u64], one_in: u64) -> FieldSource {
        let part = |(at, documents): (usize, &u64)| Part { name: format!("{at}.npz"), documents: *documents };
        let parts = sizes.iter().enumerate().map(part).collect();
        FieldSource::new(Box::new(Numbers(parts, vec![Content::of("0.npz", b"")])), 7, one_in, 4)
    }

    #[test]
    fn what_is_held_out_of_files_is_judged_once() {
        let (mut files, wanted) = (from_files(&[60, 20], 5), 0..4);
        let found = files.held_out(1000, &wanted).unwrap();
        let labels = |batch: &Arrays| match batch.get("labels") {
            Some(Values::Whole(all)) => all.clone(),
            _ => Vec::new(),
        };
        let rows = found.batches.iter().flat_map(|batch| numbers(batch).into_iter().zip(labels(batch)));
        let judged: Vec<f32> = rows.filter(|(_, label)| *label >= 0).map(|(number, _)| number).collect();
        let held = |part: usize, size: u64| {
            (0..size)
                .filter(move |at| is_held_out(part, *at, 5))
                .map(move |at| part as f32 * 1000.0 + at as f32)
        };
        let mut sorted = judged.clone();
        sorted.sort_by(f32::total_cmp);
        assert_eq!(sorted, held(0, 60).chain(held(1, 20)).collect::<Vec<f32>>());
        assert_eq!(found.examples, Some(judged.len() as u64));
        assert_eq!(found.batches.len(), judged.len().div_ceil(4));
        assert_eq!(files.held_out(1, &wanted).unwrap().examples, Some(4));
        // What is made by rules has no end.
        let endless = source(4).held_out(30, &wanted).unwrap();
        assert_eq!((endless.batches.len(), endless.examples), (30, None));
    }

    #[test]
    fn files_with_nothing_on_a_side_are_named_with_the_split() {
        let mut few = from_files(&[3], 1000);
        let found = few.held_out(1, &(0..4)).err().unwrap();
        let words = "`0.npz` has 3 examples, and none of them is held out by `data.held_out_one_in = 1000`";
        assert_eq!(found.message, words);
        let found = from_files(&[3], 1).batch(Side::Training, None, &(0..4)).unwrap_err();
        assert!(found.message.contains("all of them are held out"), "{}", found.message);
        assert!(from_files(&[0], 5).batch(Side::Training, None, &(0..4)).is_err());
    }

    #[test]
    fn a_process_makes_the_rows_of_its_devices_alone() {
        let whole = source(4).batch(Side::Training, None, &(0..4)).unwrap();
        let part = source(4).batch(Side::Training, None, &(2..4)).unwrap();
        assert_eq!(whole.1, part.1, "all stand at the same place after it");
        let (whole, part) = (numbers(&whole.0), numbers(&part.0));
        assert_eq!(part, [0.0, 0.0, whole[2], whole[3]]);
    }
}
