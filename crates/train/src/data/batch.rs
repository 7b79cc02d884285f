//! Batches: rows of tokens for encoder and decoder, packed, made from a position alone.
//!
//! ```text
//! encoder  a a a </s> b b </s> 0 0      segments 1 1 1 1 2 2 2 0 0      positions 0 1 2 3 0 1 2 0 0
//! ```
//!
//! A packed row holds several samples; attention must stay within a segment, and segment 0 is padding. Every host makes
//! the same whole batch and keeps its rows: what is on a device does not depend on how many hosts there are.

use super::arrays::{Arrays, Values};
use super::corpus::{CORPUS, Corpus, Document};
use super::languages::Framing;
use super::mixture::{Mixture, Position};
use super::spans::{Corruption, Lengths, Sentinels};
use super::tokenizer::Tokenizer;
use crate::config::Task;
use meshwright_base::Diagnostic;
use meshwright_base::random::Random;
use std::ops::Range;

/// Padding, and what a decoder begins with.
const PAD: u32 = 0;

/// Documents in a row that may have no tokens before the corpus counts as empty.
const MOST_EMPTY: usize = 1000;

/// How samples are made and laid out.
#[derive(Clone, Debug)]
pub struct SampleLayout {
    pub task: Task,
    pub rows: usize,
    pub input_length: usize,
    pub target_length: usize,
    pub packing: bool,
    pub corruption: Corruption,
    pub sentinels: Sentinels,
    /// What stands around them.
    pub frame: Framing,
    /// Seed of corruption.
    pub seed: u64,
}

/// One side of a batch, row after row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Grid {
    pub length: usize,
    pub tokens: Vec<i32>,
    /// From 1 within a row; 0 is padding.
    pub segments: Vec<i32>,
    /// Within a segment.
    pub positions: Vec<i32>,
}

/// Rows for one step. The encoder's side is empty (of length 0) where there is none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Batch {
    pub rows: usize,
    pub encoder: Grid,
    /// What the decoder is to say. Where its segment is 0 nothing is asked.
    pub decoder: Grid,
    /// What it hears: the same, one later, beginning each segment with padding.
    pub decoder_input: Vec<i32>,
    /// The part of the corpus that each of the decoder's tokens is of, padding of part 0.
    pub parts: Vec<i32>,
}

/// One sample; both sides have their ends.
struct Sample {
    input: Vec<u32>,
    target: Vec<u32>,
    /// The part of the corpus that each of the target's tokens is of.
    parts: Vec<u32>,
}

/// Tokens of documents one after the other, each with its part.
struct Run {
    tokens: Vec<u32>,
    parts: Vec<u32>,
    after: Position,
}

/// A stream of batches.
pub struct Batches<'a> {
    pub corpus: &'a mut dyn Corpus,
    /// Of sources, and of all text of tasks with one side.
    pub tokenizer: &'a Tokenizer,
    /// Of targets; it ends them as the other ends sources.
    pub of_targets: &'a Tokenizer,
    pub mixture: Mixture,
    pub layout: SampleLayout,
    /// What is saved and set to resume.
    pub position: Position,
    last: Option<Drawn>,
    /// Documents of the only part, if none of them is to come twice.
    end: Option<u64>,
}

/// The text that was drawn last: a long one is cut into many rows, and encoded once a batch.
struct Drawn {
    /// Where it was drawn, at its beginning.
    at: Position,
    tokens: Vec<u32>,
    part: u32,
    after: Position,
}

impl Grid {
    fn new(length: usize) -> Self {
        Grid { length, ..Grid::default() }
    }

    /// Appends a row of samples, cut and padded to the length.
    fn push_row<'s>(&mut self, samples: impl Iterator<Item = &'s Vec<u32>>) {
        let full = self.tokens.len() + self.length;
        for (segment, tokens) in samples.enumerate() {
            for (position, token) in tokens.iter().enumerate().take(full - self.tokens.len()) {
                self.tokens.push(*token as i32);
                self.segments.push(segment as i32 + 1);
                self.positions.push(position as i32);
            }
        }
        for cells in [&mut self.tokens, &mut self.segments, &mut self.positions] {
            cells.resize(full, PAD as i32);
        }
    }

    fn slice(&self, rows: &Range<usize>) -> Grid {
        let cells = rows.start * self.length..rows.end * self.length;
        let cut = |all: &Vec<i32>| all.get(cells.clone()).unwrap_or_default().to_vec();
        let [tokens, segments, positions] = [&self.tokens, &self.segments, &self.positions].map(cut);
        Grid { length: self.length, tokens, segments, positions }
    }

    /// Tokens one place later within each segment.
    fn shifted(&self) -> Vec<i32> {
        let before = std::iter::once(&(PAD as i32)).chain(&self.tokens);
        self.positions
            .iter()
            .zip(before)
            .map(|(position, before)| if *position == 0 { PAD as i32 } else { *before })
            .collect()
    }
}

impl Batch {
    /// Some rows of it; those beyond the end are left out.
    pub fn slice(&self, rows: Range<usize>) -> Batch {
        let rows = rows.start.min(self.rows)..rows.end.clamp(rows.start.min(self.rows), self.rows);
        let (encoder, decoder) = (self.encoder.slice(&rows), self.decoder.slice(&rows));
        let cells = rows.start * self.decoder.length..rows.end * self.decoder.length;
        let parts = self.parts.get(cells).unwrap_or_default().to_vec();
        Batch { rows: rows.len(), encoder, decoder_input: decoder.shifted(), decoder, parts }
    }

    /// The rows of one of `hosts` equal hosts; the last ones have fewer if they do not divide.
    pub fn of_host(&self, host: usize, hosts: usize) -> Batch {
        let each = self.rows.div_ceil(hosts.max(1));
        self.slice(host.saturating_mul(each)..host.saturating_add(1).saturating_mul(each))
    }

    /// As models take it. A language model's rows begin with padding, which is only read.
    pub fn arrays(&self) -> Arrays {
        let rows = self.decoder.tokens.chunks(self.decoder.length.max(1));
        let begun = rows.flat_map(|row| std::iter::once(PAD as i32).chain(row.iter().copied())).collect();
        let all = [
            ("tokens", begun),
            ("source", self.encoder.tokens.clone()),
            ("source_segments", self.encoder.segments.clone()),
            ("target", self.decoder.tokens.clone()),
            ("target_segments", self.decoder.segments.clone()),
            ("parts", self.parts.clone()),
        ];
        Arrays { list: all.map(|(name, cells)| (name.to_string(), Values::Whole(cells))).into() }
    }

    /// Tokens the decoder is asked for.
    pub fn asked(&self) -> usize {
        self.decoder.segments.iter().filter(|segment| **segment > 0).count()
    }
}

impl Batch {
    /// How many samples its rows have.
    pub fn samples(&self) -> u64 {
        let rows = self.decoder.segments.chunks(self.decoder.length.max(1));
        rows.map(|row| row.iter().copied().max().unwrap_or(0).unsigned_abs() as u64).sum()
    }
}

impl<'a> Batches<'a> {
    pub fn new(
        corpus: &'a mut dyn Corpus,
        (tokenizer, of_targets): (&'a Tokenizer, &'a Tokenizer),
        mixture: Mixture,
        layout: SampleLayout,
        position: Position,
    ) -> Self {
        Batches { corpus, tokenizer, of_targets, mixture, layout, position, last: None, end: None }
    }

    /// The batch at the position, which moves on. On an error it stays.
    pub fn next_batch(&mut self) -> Result<Batch, Diagnostic> {
        let has_encoder = self.layout.task != Task::Next;
        let mut encoder = Grid::new(if has_encoder { self.layout.input_length } else { 0 });
        let mut decoder = Grid::new(self.layout.target_length);
        let mut parts = Grid::new(self.layout.target_length);
        let mut position = self.position.clone();
        for _ in 0..self.layout.rows {
            let (samples, after) = self.row(position)?;
            encoder.push_row(samples.iter().map(|sample| &sample.input));
            decoder.push_row(samples.iter().map(|sample| &sample.target));
            parts.push_row(samples.iter().map(|sample| &sample.parts));
            position = after;
        }
        self.position = position;
        let parts = parts.tokens;
        Ok(Batch { rows: self.layout.rows, encoder, decoder_input: decoder.shifted(), decoder, parts })
    }

    /// So many batches, or fewer: each document of the only part once. Rows behind the last one are empty.
    pub fn once(&mut self, count: u64) -> Result<Vec<Batch>, Diagnostic> {
        self.end = self.corpus.parts().first().map(|part| part.documents);
        let mut all = Vec::new();
        while (all.len() as u64) < count {
            let batch = self.next_batch()?;
            if batch.samples() == 0 {
                break;
            }
            all.push(batch);
        }
        Ok(all)
    }

    /// Samples that fit into one row: one, or with packing all that come until one does not fit; none behind the end.
    fn row(&mut self, position: Position) -> Result<(Vec<Sample>, Position), Diagnostic> {
        let Some((first, mut position)) = self.new_sample(&position)? else {
            return Ok((Vec::new(), position));
        };
        let (mut input, mut target) = (first.input.len(), first.target.len());
        let mut samples = vec![first];
        while self.layout.packing && input < self.input_room() && target < self.layout.target_length {
            let Some((next, after)) = self.new_sample(&position)? else { break };
            (input, target) = (input + next.input.len(), target + next.target.len());
            if input > self.input_room() || target > self.layout.target_length {
                break;
            }
            samples.push(next);
            position = after;
        }
        Ok((samples, position))
    }

    /// A row without an encoder's side has room for any of it.
    fn input_room(&self) -> usize {
        if self.layout.task == Task::Next { usize::MAX } else { self.layout.input_length }
    }

    /// A sample, unless it would be of a second round where there is to be one.
    fn new_sample(&mut self, position: &Position) -> Result<Option<(Sample, Position)>, Diagnostic> {
        let (sample, after) = self.sample(position)?;
        let is_new = self.end.is_none_or(|end| after.passed.iter().all(|passed| *passed <= end));
        Ok(is_new.then_some((sample, after)))
    }

    fn sample(&mut self, position: &Position) -> Result<(Sample, Position), Diagnostic> {
        match self.layout.task {
            Task::Translate => self.pair(position),
            Task::Spans => self.spans(position),
            // Images and sound are no text: nobody asks for them here.
            Task::Next | Task::Segment | Task::Classify | Task::Speech => {
                let Run { tokens, parts, after } = self.run(position, self.layout.target_length)?;
                Ok((Sample { input: Vec::new(), target: tokens, parts }, after))
            }
        }
    }

    /// A document's two sides, cut to length with an end each.
    fn pair(&mut self, position: &Position) -> Result<(Sample, Position), Diagnostic> {
        let (document, part, after) = self.mixture.draw(self.corpus, position)?;
        let Framing { source, answer, end } = self.layout.frame;
        let side = |tokenizer: &Tokenizer, language: Option<u32>, text: &str, length: usize| {
            let mut tokens: Vec<u32> = language.into_iter().chain(tokenizer.encode(text)).collect();
            tokens.truncate(length.saturating_sub(1));
            tokens.push(end);
            tokens
        };
        let input = side(self.tokenizer, source, &document.source, self.layout.input_length);
        let target = side(self.of_targets, answer, &document.target, self.layout.target_length);
        let parts = vec![numbered(part); target.len()];
        Ok((Sample { input, target, parts }, after))
    }

    fn spans(&mut self, position: &Position) -> Result<(Sample, Position), Diagnostic> {
        let layout = &self.layout;
        let (corruption, sentinels, end) = (layout.corruption, layout.sentinels, layout.frame.end);
        let random = &mut Random::new(layout.seed ^ 0x7370_616E, position.drawn).split(position.offset);
        let Lengths { raw, target, .. } = corruption.lengths(layout.input_length);
        if raw < 2 || target > layout.target_length {
            return Err(too_short(layout, target));
        }
        let run = self.run(position, raw)?;
        let asked = corruption.asked(raw, &mut random.clone());
        let parts = asked.into_iter().filter_map(|at| run.parts.get(at).copied()).collect();
        let (input, target) = corruption
            .corrupt(&run.tokens, sentinels, end, random)
            .ok_or_else(|| too_few(sentinels, corruption.hidden(raw).spans))?;
        Ok((Sample { input, target, parts }, run.after))
    }

    /// `length` tokens of documents one after the other, each with its end; the last one is cut, and its rest comes
    /// next.
    fn run(&mut self, position: &Position, length: usize) -> Result<Run, Diagnostic> {
        let (mut tokens, mut parts) = (Vec::with_capacity(length), Vec::with_capacity(length));
        let mut position = position.clone();
        let mut empty = 0;
        while tokens.len() < length {
            let (rest, part, after) = self.rest(&position)?;
            let taken = rest.len().min(length - tokens.len());
            tokens.extend(&rest[..taken]);
            parts.resize(tokens.len(), part);
            // A document that is not used up is drawn again from where it was cut.
            position = if taken < rest.len() {
                Position { offset: position.offset + taken as u64, ..position }
            } else {
                after
            };
            empty = if rest.len() <= 1 { empty + 1 } else { 0 };
            if empty > MOST_EMPTY {
                return Err(no_tokens());
            }
        }
        Ok(Run { tokens, parts, after: position })
    }

    /// What is left of the document at the position, and its part.
    fn rest(&mut self, position: &Position) -> Result<(Vec<u32>, u32, Position), Diagnostic> {
        let at = Position { offset: 0, ..position.clone() };
        let drawn = match self.last.take().filter(|last| last.at == at) {
            Some(drawn) => drawn,
            None => self.drawn(at)?,
        };
        let used = usize::try_from(position.offset).unwrap_or(usize::MAX);
        let rest = drawn.tokens.get(used..).unwrap_or_default().to_vec();
        let (part, after) = (drawn.part, drawn.after.clone());
        self.last = Some(drawn);
        Ok((rest, part, after))
    }

    fn drawn(&mut self, at: Position) -> Result<Drawn, Diagnostic> {
        let (document, part, after) = self.mixture.draw(self.corpus, &at)?;
        let mut tokens = self.tokenizer.encode(&whole(&document));
        tokens.push(self.layout.frame.end);
        Ok(Drawn { at, tokens, part: numbered(part), after })
    }
}

/// A part as it stands beside tokens.
fn numbered(part: usize) -> u32 {
    u32::try_from(part).unwrap_or(u32::MAX)
}

/// Both sides as one text, for tasks that have one side.
fn whole(document: &Document) -> String {
    if document.source.is_empty() {
        document.target.clone()
    } else {
        format!("{} = {}", document.source, document.target)
    }
}

fn too_short(layout: &SampleLayout, target: usize) -> Diagnostic {
    let message = format!(
        "samples of {} input tokens have targets of {target}, and `data.target_length` is {}",
        layout.input_length, layout.target_length
    );
    Diagnostic::error(CORPUS, message).help(format!("set `data.target_length` to {target} or more"))
}

fn too_few(sentinels: Sentinels, spans: usize) -> Diagnostic {
    Diagnostic::error(
        CORPUS,
        format!("a sample hides {spans} spans, and there are {} sentinels", sentinels.count),
    )
    .help(format!("set `data.sentinels` to {spans} or more"))
}

fn no_tokens() -> Diagnostic {
    Diagnostic::error(CORPUS, format!("{MOST_EMPTY} documents one after the other have no tokens"))
        .help("check that the files hold text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::corpus::{FileCorpus, Multilingual, Part, Prose};
    use crate::data::mixture::Side;
    use crate::data::tokenizer::{Normalizer, Training, WordCounts, train_bpe};

    fn tokenizer() -> Tokenizer {
        let mut counts = WordCounts::new(Normalizer::default());
        let (mut phrases, mut prose) = (Multilingual::new(1, 3000, 0.0), Prose::new(1, 500));
        (0..50).for_each(|at| counts.add(&prose.document(0, at).unwrap().target));
        (0..15).for_each(|part| counts.add(&phrases.document(part, 3).unwrap().source));
        train_bpe(&counts, Training { vocabulary: 600, ..Training::default() }).unwrap()
    }

    fn layout(task: Task) -> SampleLayout {
        SampleLayout {
            task,
            rows: 6,
            input_length: 64,
            target_length: 48,
            packing: true,
            corruption: Corruption::default(),
            sentinels: Sentinels { vocabulary: 700, count: 100 },
            frame: Framing { end: 1, ..Framing::default() },
            seed: 1,
        }
    }

    fn take(task: Task, from: Option<Position>, count: usize) -> (Vec<Batch>, Position) {
        let mut corpus: Box<dyn Corpus> = match task {
            Task::Translate => Box::new(Multilingual::new(1, 3000, 1.0)),
            Task::Spans | Task::Next | Task::Segment | Task::Classify | Task::Speech => {
                Box::new(Prose::new(1, 500))
            }
        };
        let mixture = Mixture::new(7, Side::Training, 20, &vec![1.0; corpus.parts().len()]);
        let position = from.unwrap_or_else(|| mixture.start());
        let tokenizer = tokenizer();
        let mut batches =
            Batches::new(&mut *corpus, (&tokenizer, &tokenizer), mixture, layout(task), position);
        let taken = (0..count).map(|_| batches.next_batch().unwrap()).collect();
        (taken, batches.position)
    }

    #[test]
    fn what_has_an_end_comes_once_and_fills_no_more_rows() {
        let path = std::env::temp_dir().join(format!("meshwright-once-{}", std::process::id()));
        let text: String = (0..40).map(|at| format!("what is {at}?\tit is {at}\n")).collect();
        std::fs::write(&path, text).unwrap();
        let tokenizer = tokenizer();
        let seen = |one_in: u64, packing: bool, count: u64| {
            let mut corpus = FileCorpus::open(std::slice::from_ref(&path)).unwrap();
            let mixture = Mixture::new(7, Side::HeldOut, one_in, &[1.0]);
            let layout = SampleLayout { packing, ..layout(Task::Translate) };
            let position = mixture.start();
            let mut batches = Batches::new(&mut corpus, (&tokenizer, &tokenizer), mixture, layout, position);
            let all = batches.once(count).unwrap();
            (all.len(), all.iter().map(Batch::samples).sum::<u64>())
        };
        assert_eq!(seen(1, false, 100), (7, 40));
        assert_eq!(seen(1, false, 3), (3, 18));
        let (batches, samples) = seen(1, true, 100);
        assert!(batches < 7 && samples == 40, "{batches} batches, {samples} samples");
        let (_, some) = seen(4, false, 100);
        assert!(0 < some && some < 40, "{some} held out");
        std::fs::remove_file(path).unwrap();
    }

    const TASKS: [Task; 3] = [Task::Translate, Task::Spans, Task::Next];

    #[test]
    fn resuming_anywhere_gives_the_same_batches() {
        for task in TASKS {
            let (all, end) = take(task, None, 8);
            for cut in 0..8 {
                let (first, position) = take(task, None, cut);
                let (rest, again) = take(task, Some(position), 8 - cut);
                assert_eq!([first, rest].concat(), all);
                assert_eq!(again, end);
            }
        }
    }

    #[test]
    fn rows_of_hosts_together_are_the_batch() {
        let batch = take(Task::Translate, None, 1).0.remove(0);
        for hosts in [1, 2, 3, 4, 6, 7, 100] {
            let tokens: Vec<i32> =
                (0..hosts).flat_map(|host| batch.of_host(host, hosts).encoder.tokens).collect();
            let heard: Vec<i32> =
                (0..hosts).flat_map(|host| batch.of_host(host, hosts).decoder_input).collect();
            assert_eq!(
                (tokens, heard),
                (batch.encoder.tokens.clone(), batch.decoder_input.clone()),
                "{hosts}"
            );
        }
    }

    #[test]
    fn segments_positions_and_shifted_tokens_agree() {
        for task in TASKS {
            for batch in take(task, None, 4).0 {
                check(&batch.decoder);
                check(&batch.encoder);
                for (at, heard) in batch.decoder_input.iter().enumerate() {
                    let said =
                        if batch.decoder.positions[at] == 0 { 0 } else { batch.decoder.tokens[at - 1] };
                    assert_eq!(*heard, said);
                }
                assert!(batch.asked() > 6 * 10, "{task:?} {}", batch.asked());
            }
        }
    }

    fn check(grid: &Grid) {
        if grid.length == 0 {
            return assert!(grid.tokens.is_empty());
        }
        for row in 0..grid.tokens.len() / grid.length {
            let cells = row * grid.length..(row + 1) * grid.length;
            let (tokens, segments) = (&grid.tokens[cells.clone()], &grid.segments[cells.clone()]);
            assert_eq!(segments[0], 1);
            for at in 1..grid.length {
                let (position, next) = (grid.positions[cells.start + at], segments[at]);
                match next {
                    0 => assert_eq!((tokens[at], position), (0, 0)),
                    _ if next == segments[at - 1] => {
                        assert_eq!(position, grid.positions[cells.start + at - 1] + 1)
                    }
                    _ => assert_eq!((next, position), (segments[at - 1] + 1, 0)),
                }
            }
        }
    }

    /// Documents that say what they are of: the number of their part, over and over.
    struct Numbered {
        parts: Vec<Part>,
    }

    impl Corpus for Numbered {
        fn parts(&self) -> &[Part] {
            &self.parts
        }

        fn document(&mut self, part: usize, at: u64) -> Result<Document, Diagnostic> {
            let word = ["zero ", "one ", "two "][part];
            let side = word.repeat(3 + at as usize % 5);
            Ok(Document { source: side.clone(), target: side })
        }
    }

    /// Every token but ends and sentinels is of a word that only documents of its part have.
    #[test]
    fn each_token_that_is_asked_for_has_its_part() {
        let mut counts = WordCounts::new(Normalizer::default());
        ["zero", "one", "two", "zero one two"].iter().for_each(|text| counts.add(text));
        let tokenizer = train_bpe(&counts, Training { vocabulary: 300, ..Training::default() }).unwrap();
        for task in TASKS {
            let part = |name: &str| Part { name: name.into(), documents: 40 };
            let mut corpus = Numbered { parts: ["zero", "one", "two"].map(part).to_vec() };
            let mixture = Mixture::new(7, Side::Training, 0, &[1.0; 3]);
            let position = mixture.start();
            let batch = Batches::new(&mut corpus, (&tokenizer, &tokenizer), mixture, layout(task), position)
                .next_batch()
                .unwrap();
            assert_eq!(batch.parts.len(), batch.decoder.tokens.len());
            let mut seen = [0; 3];
            for (at, part) in batch.parts.iter().enumerate().filter(|(at, _)| batch.decoder.segments[*at] > 0)
            {
                let said = tokenizer.decode(&[batch.decoder.tokens[at] as u32]);
                let word = ["zero", "one", "two"].iter().position(|word| said.trim() == *word);
                seen[*part as usize] += 1;
                assert!(word.is_none_or(|word| word == *part as usize), "{task:?} {said} {part}");
            }
            assert!(seen.iter().all(|count| *count > 5), "{task:?} {seen:?}");
            assert_eq!(batch.of_host(1, 2).parts, batch.parts[batch.parts.len() / 2..]);
        }
    }

    #[test]
    fn text_tasks_lose_no_token_at_a_cut() {
        let batches = take(Task::Next, None, 3).0;
        let all: Vec<u32> =
            batches.iter().flat_map(|batch| batch.decoder.tokens.iter().map(|token| *token as u32)).collect();
        assert_eq!(all.len(), 3 * 6 * 48, "no padding in a stream");
        let mut corpus = Prose::new(1, 500);
        let mixture = Mixture::new(7, Side::Training, 20, &[1.0; 5]);
        let (mut position, tokenizer, mut expected) = (mixture.start(), tokenizer(), Vec::new());
        while expected.len() < all.len() {
            let (document, _, after) = mixture.draw(&mut corpus, &position).unwrap();
            expected.extend(tokenizer.encode(&document.target));
            expected.push(1);
            position = after;
        }
        assert_eq!(all, expected[..all.len()]);
    }

    /// One long text, and how often it was asked for.
    struct Book {
        parts: Vec<Part>,
        asked: usize,
    }

    impl Corpus for Book {
        fn parts(&self) -> &[Part] {
            &self.parts
        }

        fn document(&mut self, _: usize, at: u64) -> Result<Document, Diagnostic> {
            self.asked += 1;
            let target = (0..20_000).map(|word| format!("word{} ", (word * 7919 + at) % 977)).collect();
            Ok(Document { source: String::new(), target })
        }
    }

    #[test]
    fn a_long_text_is_encoded_once_a_batch_however_often_it_is_cut() {
        let mut book = Book { parts: vec![Part { name: "book".into(), documents: 1 }], asked: 0 };
        let tokenizer = tokenizer();
        let mixture = Mixture::new(7, Side::Training, u64::MAX, &[1.0]);
        let position = mixture.start();
        let layout = SampleLayout { rows: 100, ..layout(Task::Next) };
        let mut batches = Batches::new(&mut book, (&tokenizer, &tokenizer), mixture, layout, position);
        let batch = batches.next_batch().unwrap();
        assert_eq!(batch.asked(), 100 * 48);
        assert_eq!(book.asked, 1);
    }

    /// Documents without a word.
    struct Empty {
        parts: Vec<Part>,
    }

    impl Corpus for Empty {
        fn parts(&self) -> &[Part] {
            &self.parts
        }

        fn document(&mut self, _: usize, _: u64) -> Result<Document, Diagnostic> {
            Ok(Document { source: String::new(), target: String::new() })
        }
    }

    #[test]
    fn what_cannot_fit_is_told() {
        let mut corpus = Prose::new(1, 500);
        let tokenizer = tokenizer();
        let mixture = Mixture::new(7, Side::Training, 20, &[1.0; 5]);
        let position = mixture.start();
        let layout = SampleLayout { target_length: 8, ..layout(Task::Spans) };
        let mut batches = Batches::new(&mut corpus, (&tokenizer, &tokenizer), mixture, layout, position);
        assert!(batches.next_batch().unwrap_err().message.contains("`data.target_length` is 8"));
        batches.layout.target_length = 48;
        batches.layout.sentinels.count = 1;
        assert!(batches.next_batch().unwrap_err().message.contains("and there are 1 sentinels"));
    }

    #[test]
    fn documents_without_a_word_are_told() {
        let tokenizer = tokenizer();
        let mut empty = Empty { parts: vec![Part { name: "empty".into(), documents: 9 }] };
        let mixture = Mixture::new(7, Side::Training, 0, &[1.0]);
        let position = mixture.start();
        let layout = SampleLayout { target_length: 4 * MOST_EMPTY, ..layout(Task::Next) };
        let mut batches = Batches::new(&mut empty, (&tokenizer, &tokenizer), mixture, layout, position);
        let said = batches.next_batch().unwrap_err().message;
        assert_eq!(said, format!("{MOST_EMPTY} documents one after the other have no tokens"));
    }
}
