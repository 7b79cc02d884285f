//! The Conformer: frames of sound to labels, by blocks of attention and convolution (Gulati et al.; as a pipeline in
//! GSPMD 5.3).
//!
//! ```text
//! frames, features --convolutions, a quarter of the times--> x    blocks    logits of labels, with a blank, at each time
//! block    x + ffn(x)/2    x + attention(x)    x + convolution(x)    x + ffn(x)/2    norm
//! ```
//!
//! Subsampling and softmax lie on all devices as the table says of `batch`; the blocks are in a pipeline where the
//! model has one. Positions are told by T5's bias by distance: GSPMD's counts of parameters, `4 M H + 7 M^2` a block,
//! leave no room for a projection of positions. Times behind the end of a sequence are kept at zero wherever
//! convolutions look, and they are no part of what a block's convolution is normalized by, so that padding says
//! nothing: each time by itself, or over a whole batch as Gulati et al. have it, or over a sequence in groups of
//! features.
//!
//! The loss is [`ctc`]'s, by the number of all labels.

use super::blocks::{keys, placed};
use super::piped::Piped;
use super::stages::{microbatches, together};
use super::step::{Field, Judged, Losses, Model, Training};
use crate::layers::attention::{Attention, Mask, wide};
use crate::layers::batch_norm::{BatchNorm, Statistics};
use crate::layers::conv::Conv;
use crate::layers::dropout;
use crate::layers::ffn::{Activation, Ffn};
use crate::layers::norm::{GroupNorm, LayerNorm};
use crate::layers::position::RelativePosition;
use crate::losses::{Transcripts, ctc};
use crate::moe::layer::CONFIG;
use crate::params::{Params, Spec, Specs, join};
use crate::transcribe::{Spelt, edits, spelt};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// How a block's convolution is normalized.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConvNorm {
    /// Each time by itself.
    Layer,
    /// Each feature over all times of a batch, with running averages for evaluation (Gulati et al.).
    Batch,
    /// So many groups of features together, over the times of each sequence.
    Group(i64),
}

/// Sizes and choices.
#[derive(Clone, Debug)]
pub struct Conformer {
    /// Numbers of a frame: energies by frequency.
    pub features: i64,
    /// Channels of the two convolutions in front.
    pub channels: i64,
    pub model: i64,
    pub hidden: i64,
    pub heads: i64,
    pub kv: i64,
    /// Times that a block's convolution looks at.
    pub window: i64,
    pub norm: ConvNorm,
    pub blocks: usize,
    /// Kinds of labels. Class 0 of the logits is the blank; label `l` is class `l`, from 1 on.
    pub labels: i64,
    /// Labels that a sequence has at most.
    pub most: i64,
    pub dropout: f64,
    /// Type of activations.
    pub compute: DType,
    /// One traced block in a loop, instead of every block.
    pub stacked: bool,
    /// Compute blocks again in the backward pass, instead of keeping what they made.
    pub recompute: bool,
    /// The blocks on stages, if they lie so.
    pub pipeline: Option<Piped>,
}

/// The class that is no label.
pub const BLANK: i64 = 0;

/// Sequences that belong together: what is heard, and which of its times there are.
#[derive(Clone, Copy, Debug, Tree)]
struct Heard {
    /// `[batch, time, features]`.
    x: Tensor,
    /// `pred[batch, time]`.
    real: Tensor,
}

/// What goes into blocks.
#[derive(Clone, Copy)]
struct Given {
    heard: Heard,
    /// Biases of attention by distance.
    rows: Tensor,
    key: Option<Key>,
}

/// Times behind a convolution of stride 2.
fn halved(times: i64) -> i64 {
    (times + 1) / 2
}

/// The times that logits have, of so many frames.
pub fn times(frames: i64) -> i64 {
    halved(halved(frames))
}

impl Conformer {
    fn subsampling(&self) -> [Conv; 2] {
        let conv = |at: i64, inputs| {
            Conv::new(format!("subsample.conv_{at}"), [3, 3], inputs, self.channels).strided(2)
        };
        [conv(0, 1), conv(1, self.channels)]
    }

    /// What is wrong with the sizes, for sequences of so many frames.
    pub fn check_sizes(&self, rows: i64, frames: i64) -> Result<(), Diagnostic> {
        let refused = |message: String, help: String| Err(Diagnostic::error(CONFIG, message).help(help));
        let sizes = [self.features, self.channels, self.model, self.hidden, self.heads, self.kv, self.window];
        if sizes.iter().chain([&self.labels, &self.most, &frames]).any(|size| *size < 1) || self.blocks == 0 {
            let message = format!(
                "a Conformer of {} features, {} channels, model {}, hidden {}, {} heads of {}, windows of {}, {} blocks, \
                 {} kinds of labels, {} of them in {frames} frames",
                self.features,
                self.channels,
                self.model,
                self.hidden,
                self.heads,
                self.kv,
                self.window,
                self.blocks,
                self.labels,
                self.most,
            );
            return refused(message, "there is at least one of each".to_string());
        }
        if self.most > times(frames) {
            let message = format!(
                "{} labels do not fit into {frames} frames: the model says at most one label at each of {} times",
                self.most,
                times(frames)
            );
            let help = format!("use at least {} frames, or at most {} labels", 4 * self.most, times(frames));
            return refused(message, help);
        }
        if let ConvNorm::Group(groups) = self.norm
            && (groups < 1 || self.model % groups != 0)
        {
            let message = format!("{} features do not divide into {groups} groups of a norm", self.model);
            return refused(message, "use a number of groups that divides the features".to_string());
        }
        let Some(piped) = self.pipeline else { return Ok(()) };
        if self.norm == ConvNorm::Batch {
            let message = format!(
                "batch norm over {rows} sequences, of which the stages see one of {} microbatches at a time",
                piped.microbatches
            );
            let help = "normalize by layer or by groups of features, or leave the blocks on no stages";
            return refused(message, help.to_string());
        }
        piped.check(self.blocks as i64, 1, rows, None)
    }

    /// Blocks that are traced: all, one, or those of a stage.
    fn traced(&self) -> usize {
        match self.pipeline {
            Some(piped) => self.blocks / piped.runs().max(1),
            None if self.stacked => 1,
            None => self.blocks,
        }
    }

    /// Dims in front of the parameters of each, over the blocks that it stands for.
    fn piles(&self) -> Vec<(&'static str, i64)> {
        match self.pipeline {
            Some(piped) => piped.piles(),
            None if self.stacked => vec![("layer", self.blocks as i64)],
            None => Vec::new(),
        }
    }

    fn block(&self, number: usize) -> Block<'_> {
        Block { net: self, path: format!("block_{number}") }
    }

    fn bias(&self) -> RelativePosition {
        RelativePosition::t5("position".to_string(), self.heads, true)
    }

    fn final_norm(&self) -> LayerNorm {
        LayerNorm { path: "final_norm".to_string(), model: self.model, epsilon: 1e-6 }
    }

    /// All parameters.
    pub fn parameters(&self) -> Specs {
        let mut specs = Specs::default();
        self.subsampling().iter().for_each(|conv| conv.declare(&mut specs));
        let seen = self.channels * halved(halved(self.features));
        let init = |fan_in| crate::init::Init::Truncated { scale: 1.0, fan_in };
        specs.add("subsample.out".to_string(), [("in_channels", seen), ("model", self.model)], init(seen));
        self.bias().declare(&mut specs);
        let mut blocks = Specs::default();
        (0..self.traced()).for_each(|number| self.block(number).declare(&mut blocks));
        let piles = self.piles();
        let piled = |spec: Spec| Spec { dims: [&piles[..], &spec.dims].concat(), ..spec };
        specs.list.extend(blocks.list.into_iter().map(piled));
        self.final_norm().declare(&mut specs);
        let classes = ("vocab", self.labels + 1);
        specs.add("softmax".to_string(), [("model", self.model), classes], init(self.model));
        specs
    }

    /// Logits `[batch, time, labels + 1]` of frames `[batch, frames, features]`, of which the first `lengths[b]` count,
    /// and how many times of each sequence count, `s32[batch]`.
    pub fn logits(
        &self,
        p: &Params,
        [frames, lengths]: [Tensor; 2],
        key: Option<Key>,
        statistics: &mut Statistics,
    ) -> (Tensor, Tensor) {
        let (heard, times) = scope("subsample", || self.heard(p, frames, lengths));
        let heard =
            Heard { x: placed(dropout(heard.x, self.dropout, key.map(|key| key.fold_in(-1)))), ..heard };
        let rows = self.bias().by_distance(p, heard.x.dim(1), heard.x.dim(1));
        let given = Given { heard, rows, key };
        let x = match self.pipeline {
            Some(piped) => self.piped(p, given, piped),
            None => self.looped(p, given, statistics),
        };
        let x = self.final_norm().apply(p, x);
        let logits = scope("softmax", || x.matmul(p.get("softmax").cast(x.dtype())));
        (logits, times)
    }

    /// Behind the convolutions in front.
    fn heard(&self, p: &Params, frames: Tensor, lengths: Tensor) -> (Heard, Tensor) {
        let first = (frames.cast(self.compute).unsqueeze(-1), lengths);
        let (x, times) = self.subsampling().iter().fold(first, |(x, lengths), conv| {
            let x = silent(x, is_real(x, lengths));
            (conv.apply(p, x).relu(), (lengths + 1) / 2)
        });
        let real = is_real(x, times);
        let x = x.reshape([x.dim(0), x.dim(1), x.dim(2) * x.dim(3)]);
        let x = x.matmul(p.get("subsample.out").cast(x.dtype()));
        (Heard { x: silent(x, real), real }, times)
    }

    /// The blocks one after the other, or in a loop over them.
    fn looped(&self, p: &Params, given: Given, statistics: &mut Statistics) -> Tensor {
        if !self.stacked {
            return self.run(p, given, statistics);
        }
        let heard = given.heard;
        let piles = (self.of_blocks(p), range(i32, self.blocks as i64));
        let (x, new) = scan(heard.x, piles, |x, (p, turn)| {
            let mut own = statistics.fresh();
            let key = given.key.map(|key| key.fold_in(turn));
            (self.run(&p, Given { heard: Heard { x, ..heard }, key, ..given }, &mut own), own.new)
        });
        statistics.new.list.extend(new.list);
        x
    }

    /// The traced blocks one after the other.
    fn run(&self, p: &Params, Given { heard, rows, key }: Given, statistics: &mut Statistics) -> Tensor {
        let length = heard.x.dim(1);
        let bias = crate::layers::position::by_pair(rows, length, length);
        (0..self.traced()).fold(heard.x, |x, number| {
            let key = key.map(|key| key.fold_in(number));
            let apply = || {
                let mut own = statistics.fresh();
                (self.block(number).apply(p, Heard { x, ..heard }, bias, key, &mut own), own.new)
            };
            let (x, new) = if self.recompute { checkpoint(apply) } else { apply() };
            statistics.new.list.extend(new.list);
            x
        })
    }

    /// All blocks, with every `n`-th sequence as a microbatch: a batch that is split over devices stays where it is.
    fn piped(&self, p: &Params, Given { heard, rows, key }: Given, piped: Piped) -> Tensor {
        let piped = piped.fitted(heard.x.dim(0), None);
        let parts = piped.microbatches;
        let x = scope("stage", || {
            let key = key.map(|key| vmap(range(i32, parts), |part| key.fold_in(part)));
            let load = (heard.map(&mut |x| microbatches(x, parts)), key);
            let layers = (self.of_blocks(p), piped.numbers());
            let ((heard, _), ()) = pipeline(load, layers, piped.how(), |(heard, key), (p, number)| {
                // No norm of these blocks learns.
                let given = Given { heard, rows, key: key.map(|key| key.fold_in(number)) };
                let x = self.run(&p, given, &mut Statistics::running());
                ((Heard { x, ..heard }, key), ())
            });
            together(heard.x)
        });
        placed(x)
    }

    /// The weights of the blocks, which lie in piles.
    fn of_blocks(&self, p: &Params) -> Params {
        let of_blocks = p.list.iter().filter(|(name, _)| name.starts_with("block_"));
        Params { list: of_blocks.cloned().collect() }
    }
}

/// `pred[batch, time]` of `x [batch, time, ..]`: whether a time is before the end.
fn is_real(x: Tensor, lengths: Tensor) -> Tensor {
    iota(i32, [x.dim(0), x.dim(1)], 1).lt(lengths.unsqueeze(-1))
}

/// Zero behind the end.
fn silent(x: Tensor, real: Tensor) -> Tensor {
    let real = (2..x.rank()).fold(real, |real, _| real.unsqueeze(-1));
    real.select(x, 0.0)
}

/// One block.
struct Block<'a> {
    net: &'a Conformer,
    path: String,
}

impl Block<'_> {
    fn at(&self, name: &str) -> String {
        join(&self.path, name)
    }

    fn norm(&self, name: &str) -> LayerNorm {
        LayerNorm { path: self.at(name), model: self.net.model, epsilon: 1e-6 }
    }

    fn ffn(&self, name: &str) -> Ffn {
        let Conformer { model, hidden, dropout, .. } = *self.net;
        let activation = Activation::Silu;
        Ffn { path: self.at(name), model, hidden, activation, dropout, scale: 1.0, biases: false }
    }

    fn attention(&self) -> Attention {
        let Conformer { model, heads, kv, dropout, .. } = *self.net;
        Attention { dropout, ..Attention::new(self.at("attention"), model, heads, kv) }
    }

    fn depthwise(&self) -> Conv {
        Conv::depthwise(self.at("conv.depthwise"), [self.net.window], self.net.model).without_bias()
    }

    fn declare(&self, specs: &mut Specs) {
        let model = self.net.model;
        let init = crate::init::Init::Truncated { scale: 1.0, fan_in: model };
        for name in ["first", "second"] {
            self.norm(&format!("{name}_norm")).declare(specs);
            self.ffn(name).declare(specs);
        }
        self.norm("attention_norm").declare(specs);
        self.attention().declare(specs);
        self.norm("conv_norm").declare(specs);
        // What is gated and its gate, each a product of its own, so that either can be split by features.
        specs.add(self.at("conv.in"), [("model", model), ("hidden", model)], init);
        specs.add(self.at("conv.gate"), [("model", model), ("hidden", model)], init);
        self.depthwise().declare(specs);
        let inner = self.at("conv.inner_norm");
        match self.net.norm {
            ConvNorm::Layer => self.norm("conv.inner_norm").declare(specs),
            ConvNorm::Batch => BatchNorm::new(inner, model).declare(specs),
            ConvNorm::Group(groups) => GroupNorm::new(inner, model, groups).declare(specs),
        }
        specs.add(self.at("conv.out"), [("hidden", model), ("model", model)], init);
        self.norm("final_norm").declare(specs);
    }

    fn apply(
        &self,
        p: &Params,
        heard: Heard,
        bias: Tensor,
        key: Option<Key>,
        statistics: &mut Statistics,
    ) -> Tensor {
        let [first, attend, convolve, second] = keys(key);
        scope(&self.path, || {
            let Heard { x, real } = heard;
            let x = scope("first", || self.think("first", p, x, first));
            let x = scope("attention", || {
                let [inside, after] = keys(attend);
                let inner = self.norm("attention_norm").apply(p, x);
                let mask = Mask { real: Some(real), ..Mask::default() };
                self.joined(x, self.attention().apply(p, inner, inner, mask, Some(bias), inside), after)
            });
            let x =
                scope("conv", || self.joined(x, self.convolve(p, Heard { x, real }, statistics), convolve));
            let x = scope("second", || self.think("second", p, x, second));
            placed(self.norm("final_norm").apply(p, x))
        })
    }

    fn joined(&self, x: Tensor, more: Tensor, key: Option<Key>) -> Tensor {
        placed(x + dropout(more, self.net.dropout, key))
    }

    /// Half of what a feed-forward layer says.
    fn think(&self, name: &str, p: &Params, x: Tensor, key: Option<Key>) -> Tensor {
        let [inside, after] = keys(key);
        let inner = self.norm(&format!("{name}_norm")).apply(p, x);
        self.joined(x, self.ffn(name).apply(p, inner, inside) * 0.5, after)
    }

    fn convolve(&self, p: &Params, Heard { x, real }: Heard, statistics: &mut Statistics) -> Tensor {
        let weight = |name: &str| p.get(&self.at(name)).cast(x.dtype());
        let inner = self.norm("conv_norm").apply(p, x);
        let gated = inner.matmul(weight("conv.in")) * inner.matmul(weight("conv.gate")).sigmoid();
        let seen = self.depthwise().apply(p, silent(gated, real));
        let (inner, model) = (self.at("conv.inner_norm"), self.net.model);
        let normal = match self.net.norm {
            ConvNorm::Layer => self.norm("conv.inner_norm").apply(p, seen),
            ConvNorm::Batch => BatchNorm::new(inner, model).of_real(p, seen, Some(real), statistics),
            ConvNorm::Group(groups) => GroupNorm::new(inner, model, groups).of_real(p, seen, Some(real)),
        };
        normal.silu().matmul(weight("conv.out"))
    }
}

/// What is to be heard.
#[derive(Clone, Copy, Debug, Tree)]
pub struct Wanted {
    /// `s32[batch, most]`, from 1 on.
    pub labels: Tensor,
    /// How many of them count, `s32[batch]`.
    pub lengths: Tensor,
}

impl Wanted {
    /// Of a batch.
    pub fn of(batch: &Params) -> Wanted {
        Wanted { labels: batch.get("labels"), lengths: batch.get("label_lengths") }
    }

    /// Which of the labels count, `pred[batch, most]`.
    fn count(&self) -> Tensor {
        is_real(self.labels, self.lengths)
    }
}

impl Conformer {
    /// Of each sequence -log of the chance of its labels; and the logits that say so, with how many of their times
    /// count.
    pub fn nats(
        &self,
        p: &Params,
        batch: &Params,
        key: Option<Key>,
        statistics: &mut Statistics,
    ) -> (Tensor, Tensor, Tensor) {
        let (logits, times) =
            self.logits(p, ["frames", "frame_lengths"].map(|name| batch.get(name)), key, statistics);
        let wanted = Wanted::of(batch);
        let logits = logits.cast(wide(logits.dtype()));
        let to = Transcripts { labels: wanted.labels, label_lengths: wanted.lengths, times };
        (scope("loss", || ctc(logits, to, BLANK)), logits, times)
    }

    /// What the model hears in a batch: the likeliest class at each time.
    pub fn transcribed(&self, p: &Params, batch: &Params) -> Spelt {
        let fields = ["frames", "frame_lengths"].map(|name| batch.get(name));
        let (logits, times) = self.logits(p, fields, None, &mut Statistics::running());
        spelt(logits, times, BLANK)
    }
}

impl Conformer {
    /// Errors; how often each label is asked for, and of how many sequences; and sequences without any.
    fn sums(&self, wanted: Wanted, errors: Tensor) -> Vec<(String, Tensor)> {
        let dtype = errors.dtype();
        let classes = (wanted.labels - 1).one_hot(self.labels, dtype);
        let classes = wanted.count().unsqueeze(-1).select(classes, 0.0);
        let all = [
            ("errors", errors.sum(..)),
            ("label_asked", classes.sum([0, 1])),
            ("label_in", classes.max(1).sum(0)),
            ("sequences_empty", wanted.lengths.eq(0).cast(dtype).sum(..)),
        ];
        all.map(|(name, x)| (name.to_string(), x)).to_vec()
    }
}

impl Model for Conformer {
    fn check(&self, training: &Training) -> Result<(), Diagnostic> {
        self.check_sizes(training.rows(), training.length)
    }

    fn specs(&self) -> Specs {
        self.parameters()
    }

    fn fields(&self, training: &Training) -> Vec<Field> {
        let batch = ("batch", training.batch);
        let whole = |name, more: &[(&'static str, i64)]| Field {
            name,
            dtype: DType::S32,
            dims: [&[batch], more].concat(),
        };
        let frames = vec![batch, ("length", training.length), ("", self.features)];
        vec![
            Field { name: "frames", dtype: training.dtype, dims: frames },
            whole("frame_lengths", &[]),
            whole("labels", &[("", self.most)]),
            whole("label_lengths", &[]),
        ]
    }

    /// Labels.
    fn predicted(&self, batch: &Params) -> Tensor {
        batch.get("label_lengths").sum(..).cast(wide(self.compute)).maximum(1.0)
    }

    fn losses(&self, p: &Params, batch: &Params, count: Tensor, key: Option<Key>) -> Losses {
        let mut statistics = Statistics::by_key(key);
        let nats = self.nats(p, batch, key, &mut statistics).0.sum(..);
        let nats = nats / count.cast(nats.dtype());
        Losses { loss: nats, nats, counts: Vec::new(), statistics: statistics.new }
    }

    /// A sequence's nats, and what of its labels is right, are spread evenly over them: `accuracy` is 1 less the label
    /// error rate. A sequence without labels counts for nothing.
    fn judged(&self, p: &Params, batch: &Params) -> Judged {
        let (nats, logits, times) = self.nats(p, batch, None, &mut Statistics::running());
        let wanted = Wanted::of(batch);
        let errors =
            edits(spelt(logits, times, BLANK), Spelt { labels: wanted.labels, lengths: wanted.lengths });
        let share = |x: Tensor| {
            let each = x / wanted.lengths.maximum(1).cast(x.dtype());
            each.unsqueeze(-1).broadcast_to(wanted.labels.dims())
        };
        let sums = self.sums(wanted, errors.cast(nats.dtype()));
        let nats = share(nats);
        let right = 1.0 - share(errors.cast(nats.dtype()));
        Judged { nats, right, counts_as: Some(wanted.count()), sums, experts: Vec::new() }
    }

    fn groups(&self) -> Option<i64> {
        None
    }

    fn part(&self, _: i64) -> Conformer {
        self.clone()
    }
}
