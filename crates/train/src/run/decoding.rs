//! A model that writes: one program that reads sources or beginnings and holds the loop over tokens, and its devices.
//!
//! Rows that are not needed take no turn. The program ends with the last row that is under way.

use super::error::Error;
use super::held::Held;
use super::host::Host;
use super::load::Loaded;
use super::net::TextNet;
use super::plan::TextPlan;
use super::programs::params;
use super::restore;
use super::state::States;
use crate::checkpoint::Weights;
pub use crate::data::languages::Framing;
use meshwright_ir::DType;
use meshwright_nn::models::decode::beam::{Limits, length_penalty, own, search};
use meshwright_nn::models::decode::cache::{CacheLayout, CacheSize};
use meshwright_nn::models::decode::greedy::{Begun, NextToken, greedy};
use meshwright_nn::models::decode::writer::Writing;
use meshwright_nn::models::step::Model;
use meshwright_nn::models::transformer::Moe;
use meshwright_nn::moe::capacity::Capacity;
use meshwright_nn::moe::exchange::Exchange;
use meshwright_nn::tensor::prelude::*;
use meshwright_runtime::{RunError, RunErrorKind};

/// How much room experts have for what is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Room {
    /// Every token finds a place, so that a text does not depend on those beside it.
    #[default]
    Unlimited,
    /// As in training, by groups of the tokens that are read at a time: those of a batch of sources, then those of
    /// each turn.
    Training,
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Search {
    One(NextToken),
    /// Of a model with an encoder: texts begin empty.
    Beam {
        beam: usize,
        layout: CacheLayout,
        alpha: f64,
    },
}

/// A decoding program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Decoding {
    /// Texts at a time.
    pub rows: usize,
    /// Tokens of a source with its frame; not read of a model without an encoder.
    pub source: usize,
    /// Tokens of a text at most, with what it begins with.
    pub places: usize,
    pub frame: Framing,
    pub room: Room,
    pub search: Search,
}

/// A text that was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Hypothesis {
    /// Without the end.
    pub tokens: Vec<u32>,
    /// Of a beam: the logarithm of its chance, normalized by length; 0 of others.
    pub score: f64,
    /// Whether it came to its end before its last turn.
    pub is_ended: bool,
}

impl Search {
    fn beam(self) -> usize {
        match self {
            Search::One(_) => 1,
            Search::Beam { beam, .. } => beam.max(1),
        }
    }

    fn layout(self) -> CacheLayout {
        match self {
            Search::One(_) => CacheLayout::ByHypothesis,
            Search::Beam { layout, .. } => layout,
        }
    }
}

impl Decoding {
    /// As many tokens as the model has learnt to read and to write.
    pub fn of(plan: &TextPlan, rows: usize, frame: Framing, room: Room, search: Search) -> Decoding {
        let whole = |length: i64| usize::try_from(length).unwrap_or(1);
        let (source, places) = match &plan.model {
            TextNet::Language(_) => (0, whole(plan.training.length - 1)),
            TextNet::Pair(model) => (whole(plan.training.length), whole(model.target_length)),
        };
        Decoding { rows: rows.max(1), source, places, frame, room, search }
    }

    /// Tokens of a source that are its own.
    pub fn source_room(&self) -> usize {
        self.source.saturating_sub(self.frame.around_source())
    }

    fn size(&self) -> CacheSize {
        let whole = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        CacheSize {
            batch: whole(self.rows),
            beam: whole(self.search.beam()),
            places: whole(self.places),
            layout: self.search.layout(),
        }
    }
}

/// Bytes that a turn cannot do without, on all devices together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TurnBytes {
    /// Weights of the decoder and of its logits, each read once.
    pub weights: i64,
    /// Keys and values of the text so far and of the source, read once.
    pub kept: i64,
    /// What is read and written because hypotheses change their places: their keys and values, or a mask.
    pub moved: i64,
}

impl Decoding {
    /// What a turn must read and write, by sizes alone.
    pub fn traffic(&self, plan: &TextPlan) -> TurnBytes {
        let size = self.size();
        let stack = plan.model.writer().stack;
        let width = |dtype: DType| dtype.bytes() as i64;
        let row = 2 * stack.blocks as i64 * stack.net.heads * stack.net.kv * width(stack.net.compute);
        let own = row * size.batch * size.beam * size.places;
        let sources = if stack.cross { row * size.batch * self.source as i64 } else { 0 };
        let moved = match size.layout {
            _ if size.beam == 1 => 0,
            CacheLayout::ByHypothesis => 2 * own,
            CacheLayout::Flat => 2 * size.batch * size.beam * size.keys(),
        };
        // Of what is read in every turn: not rows of tables, and not what is read of a source once.
        let is_once = |name: &str| {
            let of_encoder =
                stack.cross && (name.starts_with("encoder.") || name.starts_with("source_embed."));
            of_encoder || name.ends_with(".cross.key") || name.ends_with(".cross.value")
        };
        let specs = plan.model.specs().list;
        let is_tied = !specs.iter().any(|spec| spec.name.ends_with(".logits"));
        let read = specs.iter().filter(|spec| !is_once(&spec.name));
        let read = read.filter(|spec| is_tied || !spec.name.ends_with("embed.table"));
        let elements: i64 = read.map(|spec| spec.sizes().iter().product::<i64>()).sum();
        let weights = elements * width(plan.training.stored.dtype(plan.training.dtype));
        TurnBytes { weights, kept: own + sources, moved }
    }
}

/// From so many rows an expert on they are sorted, where there is room for all: by masks every expert computes them
/// all.
const MANY: i64 = 64;

/// The model with room for so many tokens at a time, `of_training` of which are a batch.
fn with_room(plan: &TextPlan, room: Room, tokens: i64, of_training: i64, rows: i64) -> TextNet {
    plan.model.unpacked().with_experts(|moe| match room {
        // Experts that choose have the room of an evaluation: with more, every expert would take every token.
        Room::Unlimited if moe.gate.looks_ahead() => {
            let back = moe.back.map(|(gate, _)| (gate, Capacity::Unlimited));
            Moe { capacity: plan.eval_capacity, back, groups: rows, ..moe.clone() }
        }
        Room::Unlimited => {
            let shards = plan.shards_of("group");
            let groups = if tokens % shards == 0 { shards } else { 1 };
            let share = (tokens / groups * moe.gate.choices() as i64).div_euclid(moe.experts.max(1)).max(1);
            let exchange = match moe.exchange {
                // Sorted rows have copies of their experts' weights by them: few rows are not worth it, and experts
                // that are split would be gathered.
                Exchange::Einsum | Exchange::Gather if plan.shards_of("expert") > 1 || share < MANY => {
                    moe.exchange
                }
                _ => Exchange::Sorted { block: share },
            };
            Moe { capacity: Capacity::Unlimited, exchange, groups, ..moe.clone() }
        }
        Room::Training => {
            // A group that is a row of the batch is one here, too.
            let by_row = (moe.groups == plan.training.batch).then_some(rows);
            let most = (of_training / moe.groups.max(1)).max(1);
            let groups = (1..=tokens).find(|groups| tokens % groups == 0 && tokens / groups <= most);
            Moe { groups: by_row.or(groups).unwrap_or(tokens), ..moe.clone() }
        }
    })
}

/// Sources (of a model with an encoder), beginnings and limits of rows; what they go on with. Of a beam, what its
/// search found.
pub fn program(plan: &TextPlan, decoding: &Decoding) -> Result<Program, Errors> {
    let (size, room, batch) = (decoding.size(), decoding.room, plan.training.batch);
    let length = i64::try_from(decoding.source).unwrap_or(i64::MAX);
    let reader = with_room(plan, room, size.batch * length, batch * plan.training.length, size.batch);
    let of_target = match &plan.model {
        TextNet::Language(_) => plan.training.length - 1,
        TextNet::Pair(model) => model.target_length,
    };
    let hypotheses = size.batch * size.beam;
    let net = with_room(plan, room, hypotheses, batch * of_target, hypotheses);
    trace_with("decode", &plan.rules, |t| {
        let p = params(t, plan, &net);
        let memory = match &reader {
            TextNet::Pair(model) => {
                let dims = [("batch", size.batch), ("length", length)];
                Some(model.read(&p, t.input("source", i32, dims)))
            }
            TextNet::Language(_) => None,
        };
        let until = t.input("until", i32, [("batch", size.batch)]);
        let writer = net.writer();
        let writing = Writing::new(&writer, &p, memory, size);
        match decoding.search {
            Search::One(choice) => {
                let dims = [("batch", size.batch), ("length", size.places + 1)];
                let tokens = t.input("begun", i32, dims);
                let rows = t.input("rows", i32, [("batch", size.batch)]);
                let given = Begun { tokens, until, rows };
                let written = greedy(&writing, given, i64::from(decoding.frame.end), choice);
                vec![("written".to_string(), written.replicate())]
            }
            Search::Beam { alpha, .. } => {
                let (first, end) = (decoding.frame.answer.map(i64::from), i64::from(decoding.frame.end));
                let found = search(&writing, Limits { first, end, until, alpha });
                found.paths().into_iter().zip(found.leaves()).collect()
            }
        }
    })
}

/// A decoding program on devices.
pub struct Decoder {
    program: Loaded,
    pub decoding: Decoding,
    has_encoder: bool,
}

/// What rows of a launch are fed.
#[derive(Default)]
struct Fed {
    source: Vec<i32>,
    begun: Vec<i32>,
    until: Vec<i32>,
    rows: Vec<i32>,
    /// How many tokens each begins with.
    told: Vec<usize>,
}

impl Decoder {
    pub fn new(plan: &TextPlan, decoding: Decoding, host: &Host<'_>) -> Result<Decoder, Error> {
        let program = Loaded::new(program(plan, &decoding)?, host)?;
        Ok(Decoder { program, decoding, has_encoder: matches!(plan.model, TextNet::Pair(_)) })
    }

    /// The weights of a checkpoint, or of another library's folder.
    pub fn states(&self, weights: &mut dyn Weights, host: &Host<'_>) -> Result<States, Error> {
        restore::parameters(&self.program, weights, host)
    }

    /// Bytes that a device takes while it runs.
    pub fn device_bytes(&self) -> usize {
        self.program.device_bytes()
    }

    /// What is written behind prompts, or as answers where the model has an encoder: up to `most` tokens each, best
    /// first. Of prompts that are too long the end is read. `first` is the number of the first of them among all: what
    /// is drawn goes by it. More prompts than rows are answered by as many launches as it takes.
    pub fn run(
        &mut self,
        states: &States,
        prompts: &[Vec<u32>],
        most: usize,
        first: usize,
        host: &Host<'_>,
    ) -> Result<Vec<Vec<Hypothesis>>, Error> {
        let mut all = Vec::new();
        for (at, prompts) in prompts.chunks(self.decoding.rows).enumerate() {
            all.extend(self.launch(states, prompts, most, first + at * self.decoding.rows, host)?);
        }
        Ok(all)
    }

    fn launch(
        &mut self,
        states: &States,
        prompts: &[Vec<u32>],
        most: usize,
        first: usize,
        host: &Host<'_>,
    ) -> Result<Vec<Vec<Hypothesis>>, Error> {
        let fed = self.fed(prompts, most, first);
        let mut args = Vec::new();
        for (at, input) in self.program.program.inputs().iter().enumerate() {
            args.push(match &*input.name {
                "source" => self.program.feed_whole(at, &fed.source, host)?,
                "begun" => self.program.feed_whole(at, &fed.begun, host)?,
                "until" => self.program.feed_whole(at, &fed.until, host)?,
                "rows" => self.program.feed_whole(at, &fed.rows, host)?,
                name => states.lend(name, &self.program.input_place(at)?, host)?,
            });
        }
        let results = self.program.launch(args)?;
        let mut found = Vec::new();
        for (at, array) in results.into_iter().enumerate() {
            found.push(Held { place: self.program.result_place(at)?, array }.numbers()?);
        }
        let answer = |row: usize| match self.decoding.search {
            Search::One(_) => found.first().map(|written| vec![self.written(written, row, &fed)]),
            Search::Beam { alpha, .. } => Trail::of(&found, &self.decoding).map(|trail| {
                trail.answers(row, fed.until.get(row).map_or(0, |turns| *turns as usize), alpha)
            }),
        };
        let all: Option<Vec<Vec<Hypothesis>>> = (0..prompts.len()).map(answer).collect();
        all.ok_or_else(|| RunError::new(RunErrorKind::Unsound, "a decoding program gave too little").into())
    }

    /// With an encoder a prompt is its own, with an end; without, the padding that begins every sequence stands before
    /// it.
    fn fed(&self, prompts: &[Vec<u32>], most: usize, first: usize) -> Fed {
        let Decoding { rows, source, places, frame, .. } = self.decoding;
        let mut fed = Fed::default();
        for row in 0..rows {
            let prompt = prompts.get(row).map_or(&[][..], Vec::as_slice);
            let last = |most: usize| {
                prompt[prompt.len() - prompt.len().min(most)..].iter().map(|token| *token as i32)
            };
            let mut begun = vec![0];
            if self.has_encoder {
                fed.source.extend(frame.source(prompt, source));
                begun.extend(frame.answer.map(|first| first as i32));
            } else {
                begun.extend(last(places.saturating_sub(1)));
            }
            let turns = (begun.len() - 1 + most).min(places);
            fed.until.push(if row < prompts.len() { turns as i32 } else { 0 });
            fed.rows.push((first + row) as i32);
            fed.told.push(begun.len());
            begun.resize(places + 1, -1);
            fed.begun.extend(begun);
        }
        fed
    }

    fn written(&self, written: &[f64], row: usize, fed: &Fed) -> Hypothesis {
        let at =
            |place: usize| written.get(place * self.decoding.rows + row).map_or(0, |token| *token as u32);
        let until = fed.until.get(row).map_or(0, |turns| *turns as usize);
        let begins = fed.told.get(row).map_or(0, |told| told - 1);
        let all: Vec<u32> = (begins..until).map(at).collect();
        let tokens: Vec<u32> =
            all.iter().copied().take_while(|token| *token != self.decoding.frame.end).collect();
        Hypothesis { is_ended: tokens.len() < all.len(), tokens, score: 0.0 }
    }
}

/// What a beam search wrote down: see [`Searched`](meshwright_nn::models::decode::beam::Searched).
struct Trail<'a> {
    scores: &'a [f64],
    ends: &'a [f64],
    cut: &'a [f64],
    tokens: &'a [f64],
    parents: &'a [f64],
    rows: usize,
    beam: usize,
    /// Whether a first token was given.
    has_first: bool,
}

impl<'a> Trail<'a> {
    fn of(found: &'a [Vec<f64>], decoding: &Decoding) -> Option<Trail<'a>> {
        let [scores, ends, cut, tokens, parents] = found else { return None };
        let (rows, beam) = (decoding.rows, decoding.search.beam());
        let has_first = decoding.frame.answer.is_some();
        Some(Trail { scores, ends, cut, tokens, parents, rows, beam, has_first })
    }

    /// Those that ended, or the best one under way at the last turn.
    fn answers(&self, row: usize, turns: usize, alpha: f64) -> Vec<Hypothesis> {
        let pool = self.scores.iter().zip(self.ends).skip(row * self.beam).take(self.beam);
        let ended = pool.filter(|(score, _)| **score > f64::NEG_INFINITY).map(|(score, node)| {
            let (turns, at) = (*node as usize / self.beam, *node as usize % self.beam);
            Hypothesis { tokens: self.text(row, turns, at), score: *score, is_ended: true }
        });
        let ended: Vec<Hypothesis> = ended.collect();
        if !ended.is_empty() || turns == 0 {
            return ended;
        }
        let score =
            self.cut.get(row).map_or(0.0, |score| score / length_penalty(own(turns, self.has_first), alpha));
        vec![Hypothesis { tokens: self.text(row, turns, 0), score, is_ended: false }]
    }

    /// The tokens that led to the hypothesis at a place after so many turns, but for one that was given.
    fn text(&self, row: usize, turns: usize, mut at: usize) -> Vec<u32> {
        let mut text = Vec::new();
        for turn in (0..turns).rev() {
            let node = (turn * self.rows + row) * self.beam + at;
            text.push(self.tokens.get(node).map_or(0, |token| *token as u32));
            at = self.parents.get(node).map_or(0, |parent| *parent as usize);
        }
        text.reverse();
        text.split_off(text.len().min(usize::from(self.has_first)))
    }
}
