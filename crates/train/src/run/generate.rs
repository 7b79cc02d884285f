//! Text from a model: the tokens of a prompt, then one after the other what the model makes of them.
//!
//! Each token costs a pass over the whole window: nothing is kept between tokens. Meant for samples of a run, not for
//! serving.
//!
//! Logits are whole on every device, so every process chooses the same tokens and feeds them to its own.

use super::error::Error;
use super::held::Held;
use super::host::Host;
use super::load::Loaded;
use super::plan::TrainingPlan;
use super::programs;
use super::restore;
use super::state::States;
use crate::checkpoint::Checkpoint;
use crate::random::Random;
use meshwright_ir::DType;
use meshwright_runtime::{HostArray, RunError, RunErrorKind};

/// How the next token is chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choice {
    /// The most likely one; the first of equals.
    Greedy,
    /// Drawn from the softmax of the logits divided by the temperature; the same seed gives the same text.
    Sampled { temperature: f64, seed: u64 },
}

/// A model that writes `rows` texts at a time.
pub struct Generator {
    program: Loaded,
    rows: usize,
    /// Most tokens of a source, if there is one, and of what is written.
    lengths: (Option<usize>, usize),
}

impl Generator {
    pub fn new(plan: &TrainingPlan, rows: usize, host: &Host<'_>) -> Result<Generator, Error> {
        let rows = rows.max(1);
        let program = Loaded::new(programs::decode(plan, rows as i64)?, host)?;
        let length = |length: i64| usize::try_from(length).unwrap_or(1);
        let lengths = match programs::windows(plan)[..] {
            [(_, source), (_, target)] => (Some(length(source)), length(target)),
            [(_, tokens)] => (None, length(tokens)),
            _ => (None, 1),
        };
        Ok(Generator { program, rows, lengths })
    }

    /// The weights of a checkpoint.
    pub fn states(&self, checkpoint: &mut Checkpoint, host: &Host<'_>) -> Result<States, Error> {
        restore::parameters(&self.program, checkpoint, host)
    }

    /// Tokens that go on from prompts, or answer them where the model has an encoder: each up to the end token, to
    /// `most` of them, or to the length that was learnt.
    pub fn run(
        &mut self,
        states: &States,
        prompts: &[Vec<u32>],
        (end, most): (u32, usize),
        choice: Choice,
        host: &Host<'_>,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let new = |row: usize| Text::new(prompts.get(row).map(Vec::as_slice), self.lengths, end);
        let mut texts: Vec<Text> = (0..self.rows).map(new).collect();
        for turn in 0..most {
            // Asked of all: a process that is done where another is not would leave it waiting.
            if !host.any(texts.iter().any(|text| !text.is_done))? {
                break;
            }
            let logits = self.logits(states, &texts, end, host)?;
            for (row, (text, logits)) in texts.iter_mut().zip(logits).enumerate() {
                text.push(chosen(&logits, choice, row, turn), end, self.lengths.1);
            }
        }
        Ok(texts.into_iter().take(prompts.len()).map(|text| text.written).collect())
    }

    /// Of each token of `expected`, whether it is the likeliest after the prompt and the true tokens before it. What is
    /// longer than the model's window is left out.
    pub fn foretold(
        &mut self,
        states: &States,
        prompts: &[Vec<u32>],
        expected: &[Vec<u32>],
        end: u32,
        host: &Host<'_>,
    ) -> Result<Vec<Vec<bool>>, Error> {
        let new = |row: usize| Text::new(prompts.get(row).map(Vec::as_slice), self.lengths, end);
        let mut texts: Vec<Text> = (0..self.rows).map(new).collect();
        let mut all = vec![Vec::new(); expected.len()];
        for turn in 0..expected.iter().map(Vec::len).max().unwrap_or(0) {
            // The same in every process: nobody has to be asked.
            let logits = self.logits(states, &texts, end, host)?;
            for (row, text) in texts.iter_mut().enumerate() {
                let token = expected.get(row).and_then(|tokens| tokens.get(turn)).copied();
                let (Some(token), Some(logits), Some(told)) = (token, logits.get(row), all.get_mut(row))
                else {
                    continue;
                };
                if !text.is_done {
                    told.push(chosen(logits, Choice::Greedy, row, turn) == token);
                    text.push(token, end, self.lengths.1);
                }
            }
        }
        Ok(all)
    }

    fn logits(
        &mut self,
        states: &States,
        texts: &[Text],
        end: u32,
        host: &Host<'_>,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let length = self.lengths.1;
        let sources: Vec<i32> = texts.iter().flat_map(|text| text.source.iter().copied()).collect();
        let windows: Vec<i32> = texts.iter().flat_map(|text| text.window(length, end)).collect();
        let places: Vec<i32> = texts.iter().map(|text| text.place().min(length - 1) as i32).collect();
        let mut args = Vec::new();
        for (at, input) in self.program.program.inputs().iter().enumerate() {
            args.push(match &*input.name {
                "tokens" | "target" => self.program.feed(at, &windows, host)?,
                "source" => self.program.feed(at, &sources, host)?,
                "place" => self.program.feed(at, &places, host)?,
                name => states.lend(name, &self.program.input_place(at)?, host)?,
            });
        }
        let array = self.program.launch(args)?.into_iter().next().ok_or_else(no_logits)?;
        let held = Held { place: self.program.result_place(0)?, array };
        let all = floats(&held.everywhere()?);
        let vocabulary = all.len() / self.rows;
        Ok(all.chunks(vocabulary.max(1)).map(<[f64]>::to_vec).collect())
    }
}

/// A text under way: what the model hears, and what it has said.
struct Text {
    /// For the encoder, padded; empty without one.
    source: Vec<i32>,
    window: Vec<i32>,
    written: Vec<u32>,
    is_done: bool,
}

impl Text {
    /// The end of a prompt that is too long. With an encoder the prompt is its own, with an end token; without, the
    /// padding that begins every sequence stands before it. A row without a prompt is done.
    fn new(prompt: Option<&[u32]>, (source, length): (Option<usize>, usize), end: u32) -> Text {
        let is_done = prompt.is_none();
        let tokens = prompt.unwrap_or_default();
        let last =
            |most: usize| tokens[tokens.len() - tokens.len().min(most)..].iter().map(|token| *token as i32);
        let (source, window) = match source {
            None => (Vec::new(), std::iter::once(0).chain(last(length.saturating_sub(1))).collect()),
            Some(size) => {
                let mut source: Vec<i32> = last(size.saturating_sub(1)).chain([end as i32]).collect();
                source.resize(size, 0);
                (source, Vec::new())
            }
        };
        Text { source, window, written: Vec::new(), is_done }
    }

    /// Whose logits are the next token's: the last token heard, or with an encoder the one that is not there yet.
    fn place(&self) -> usize {
        if self.source.is_empty() { self.window.len().saturating_sub(1) } else { self.window.len() }
    }

    fn push(&mut self, token: u32, end: u32, length: usize) {
        if self.is_done {
            return;
        }
        if token == end {
            self.is_done = true;
            return;
        }
        self.written.push(token);
        if self.window.len() < length { self.window.push(token as i32) } else { self.is_done = true }
    }

    /// Padded. At the place of the next token of a decoder stands some token, since padding is not looked at.
    fn window(&self, length: usize, end: u32) -> Vec<i32> {
        let mut window = self.window.clone();
        window.extend((!self.source.is_empty()).then_some(end as i32));
        window.resize(length, 0);
        window
    }
}

fn chosen(logits: &[f64], choice: Choice, row: usize, turn: usize) -> u32 {
    let best = || {
        let better = |best: usize, at: usize| if logits[at] > logits[best] { at } else { best };
        (0..logits.len()).fold(0, better) as u32
    };
    match choice {
        Choice::Greedy => best(),
        Choice::Sampled { temperature, .. } if temperature <= 0.0 => best(),
        Choice::Sampled { temperature, seed } => {
            let most = logits.iter().copied().fold(f64::MIN, f64::max);
            let weights = || logits.iter().map(|logit| ((logit - most) / temperature).exp());
            let mut left = Random::new(seed, row as u64).split(turn as u64).unit() * weights().sum::<f64>();
            let found = weights().position(|weight| {
                left -= weight;
                left < 0.0
            });
            found.map_or_else(best, |at| at as u32)
        }
    }
}

fn floats(array: &HostArray) -> Vec<f64> {
    let f32s = |bytes: &[u8]| bytes.try_into().map_or(0.0, |bytes| f64::from(f32::from_le_bytes(bytes)));
    let f64s = |bytes: &[u8]| bytes.try_into().map_or(0.0, f64::from_le_bytes);
    match array.ty.dtype {
        DType::F64 => array.bytes.chunks_exact(8).map(f64s).collect(),
        _ => array.bytes.chunks_exact(4).map(f32s).collect(),
    }
}

fn no_logits() -> RunError {
    RunError::new(RunErrorKind::Unsound, "the decoding program gave no logits here")
}
