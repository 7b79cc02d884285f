//! The U-Net: images or volumes in, a class for each of their places out (Çiçek et al.; GSPMD 5.6).
//!
//! ```text
//! x ---- level 0 ------------------- skip ------------------ level 0 --> logits
//!           \ down                                            / up
//!            level 1 ------------- skip ------------- level 1
//!               \ down                                 / up
//!                          coarsest level
//! ```
//!
//! A level is two convolutions of 3 places, each with norm and ReLU. Down halves every spatial dim, the odd place to
//! the coarser side; up doubles them by a transposed convolution, and what is too much for the skip is cut off. So any
//! size works. Only the image names its dims: where a table splits one of them, everything behind it is split alike,
//! and neighbours exchange the places that windows reach over.
//!
//! The loss is cross entropy, and by `overlap` the Dice loss: 1 less the share of twice the overlap in what is said and
//! what is asked of each class but the first, the mean over classes and examples.

use super::images::SPACE;
use super::step::{Field, Judged, Losses, Model, Training, train_step};
use super::strategy::SPATIAL;
use crate::layers::attention::wide;
use crate::layers::bag::Pool;
use crate::layers::batch_norm::{BatchNorm, Statistics};
use crate::layers::conv::Conv;
use crate::layers::norm::GroupNorm;
use crate::layers::pool::Pooling;
use crate::moe::layer::CONFIG;
use crate::optim::Optimizer;
use crate::optim::schedule::Schedule;
use crate::optim::stored::Stored;
use crate::params::{Params, Specs};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// Places of a window along each spatial dim.
const WINDOW: i64 = 3;

/// Keeps the Dice loss of what is nowhere finite; in places.
const SMOOTH: f64 = 1.0;

/// How spatial dims are halved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Down {
    /// By the step of the level's first convolution.
    Stride,
    /// By the largest of two places.
    Pool,
}

/// What follows a convolution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Normal {
    /// Each feature of an example over all of its places.
    Instance,
    /// So many groups of features together.
    Group(i64),
    /// Each feature over all examples, with running averages for evaluation.
    Batch,
}

/// Sizes and choices.
#[derive(Clone, PartialEq, Debug)]
pub struct UNet {
    /// Sizes of images (two) or volumes (three), without channels.
    pub sizes: Vec<i64>,
    /// Channels of images.
    pub channels: i64,
    pub classes: i64,
    /// Features of the two convolutions of each level, the finest first.
    pub levels: Vec<[i64; 2]>,
    pub down: Down,
    /// Whether transposed convolutions have as many features as the skip they meet, not as many as they are given.
    pub narrows_up: bool,
    pub normal: Normal,
    /// Factor of the Dice loss.
    pub overlap: f64,
    /// Type of activations.
    pub compute: DType,
}

/// A row of GSPMD's Table 8: shapes of a step, over the batch and in space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OfTable8 {
    pub name: &'static str,
    /// Places along each dim of a volume.
    pub size: i64,
    pub batch: i64,
    /// Devices over the batch, and in space.
    pub mesh: [i64; 2],
}

/// All rows.
pub const TABLE_8: [OfTable8; 7] = [
    OfTable8 { name: "gspmd-unet-128-1x1", size: 128, batch: 4, mesh: [1, 1] },
    OfTable8 { name: "gspmd-unet-128-1x2", size: 128, batch: 4, mesh: [1, 2] },
    OfTable8 { name: "gspmd-unet-128-1x4", size: 128, batch: 4, mesh: [1, 4] },
    OfTable8 { name: "gspmd-unet-128-1x8", size: 128, batch: 4, mesh: [1, 8] },
    OfTable8 { name: "gspmd-unet-128-1x16", size: 128, batch: 4, mesh: [1, 16] },
    OfTable8 { name: "gspmd-unet-256-4x16", size: 256, batch: 8, mesh: [4, 16] },
    OfTable8 { name: "gspmd-unet-256-2x32", size: 256, batch: 8, mesh: [2, 32] },
];

impl OfTable8 {
    pub fn model(&self) -> UNet {
        UNet::published([self.size; 3])
    }

    pub fn devices(&self) -> i64 {
        self.mesh[0] * self.mesh[1]
    }

    /// Its axes with their sizes.
    pub fn axes(&self) -> [(&'static str, i64); 2] {
        [("data", self.mesh[0]), ("spatial", self.mesh[1])]
    }

    /// Its training step: only the image is annotated. The paper names no optimizer; this one keeps a momentum.
    pub fn step(&self) -> Result<Program, Errors> {
        self.step_over(&self.axes(), [self.batch, 1])
    }

    /// The same over another mesh, and of another batch in so many parts.
    pub fn step_over(
        &self,
        sizes: &[(&str, i64)],
        [batch, microbatches]: [i64; 2],
    ) -> Result<Program, Errors> {
        let mesh = SPATIAL.mesh(sizes.iter().copied())?;
        let training = Training {
            optimizer: Optimizer::sgd(Schedule::Constant(1e-3), 0.9),
            batch,
            microbatches,
            length: 0,
            dtype: DType::F32,
            stored: Stored::Wide,
            seed: 0,
        };
        train_step(&self.model(), &training, &SPATIAL.rows_alone(&mesh))
    }
}

/// What a pass through the layers shares.
struct Weighed<'a> {
    p: &'a Params,
    statistics: Statistics,
}

impl UNet {
    /// Çiçek et al.'s, whose sizes GSPMD's Table 8 has.
    pub fn published(sizes: [i64; 3]) -> UNet {
        UNet {
            sizes: sizes.to_vec(),
            channels: 3,
            classes: 3,
            levels: vec![[32, 64], [64, 128], [128, 256], [256, 512]],
            down: Down::Pool,
            narrows_up: false,
            normal: Normal::Batch,
            overlap: 0.0,
            compute: DType::BF16,
        }
    }

    /// The one of MLPerf's benchmark of medical segmentation: five halvings by strides, instance norm, Dice loss.
    pub fn mlperf(sizes: [i64; 3]) -> UNet {
        let levels = [32, 64, 128, 256, 320, 320].map(|features| [features; 2]).to_vec();
        UNet {
            channels: 1,
            levels,
            down: Down::Stride,
            narrows_up: true,
            normal: Normal::Instance,
            overlap: 1.0,
            ..UNet::published(sizes)
        }
    }

    fn spatial(&self) -> usize {
        self.sizes.len()
    }

    fn conv(&self, path: String, inputs: i64, outputs: i64) -> Conv {
        Conv::new(path, vec![WINDOW; self.spatial()], inputs, outputs).without_bias()
    }

    /// The two convolutions of a level on one of the two ways.
    fn convs(&self, way: &str, level: usize, inputs: i64) -> [Conv; 2] {
        let [first, second] = match way {
            "down" => self.levels[level],
            _ => [self.levels[level][1]; 2],
        };
        let path = |n: usize| format!("{way}_{level}.conv_{n}");
        let halves = way == "down" && level > 0 && self.down == Down::Stride;
        [
            self.conv(path(0), inputs, first).strided(if halves { 2 } else { 1 }),
            self.conv(path(1), first, second),
        ]
    }

    /// From a coarser level, of so many features, to this one.
    fn up(&self, level: usize, inputs: i64) -> Conv {
        let outputs = if self.narrows_up { self.levels[level][1] } else { inputs };
        Conv::transposed(format!("up_{level}.grow"), vec![2; self.spatial()], 2, inputs, outputs)
    }

    fn logits_of(&self) -> Conv {
        Conv::new("logits", vec![1; self.spatial()], self.levels[0][1], self.classes)
    }

    /// Every layer in the order of the pass: convolutions with a norm behind them, and those without.
    fn layers(&self) -> Vec<(Conv, bool)> {
        let last = self.levels.len() - 1;
        let mut all = Vec::new();
        let mut features = self.channels;
        for level in 0..=last {
            all.extend(self.convs("down", level, features).map(|conv| (conv, true)));
            features = self.levels[level][1];
        }
        for level in (0..last).rev() {
            let grow = self.up(level, features);
            let joined = grow.outputs + self.levels[level][1];
            all.push((grow, false));
            all.extend(self.convs("up", level, joined).map(|conv| (conv, true)));
            features = self.levels[level][1];
        }
        all.push((self.logits_of(), false));
        all
    }

    fn declare_norm(&self, conv: &Conv, specs: &mut Specs) {
        let path = format!("{}.norm", conv.path);
        match self.normal {
            Normal::Instance => GroupNorm::instance(path, conv.outputs).declare(specs),
            Normal::Group(groups) => GroupNorm::new(path, conv.outputs, groups).declare(specs),
            Normal::Batch => BatchNorm::new(path, conv.outputs).declare(specs),
        }
    }

    fn normalized(&self, pass: &mut Weighed<'_>, conv: &Conv, x: Tensor) -> Tensor {
        let path = format!("{}.norm", conv.path);
        match self.normal {
            Normal::Instance => GroupNorm::instance(path, conv.outputs).apply(pass.p, x),
            Normal::Group(groups) => GroupNorm::new(path, conv.outputs, groups).apply(pass.p, x),
            Normal::Batch => BatchNorm::new(path, conv.outputs).apply(pass.p, x, &mut pass.statistics),
        }
    }

    fn twice(&self, pass: &mut Weighed<'_>, convs: [Conv; 2], x: Tensor) -> Tensor {
        convs.iter().fold(x, |x, conv| {
            let y = conv.apply(pass.p, x);
            self.normalized(pass, conv, y).relu()
        })
    }

    /// Logits of every place, `[batch, spatial.., classes]`.
    fn logits(&self, pass: &mut Weighed<'_>, image: Tensor) -> Tensor {
        let last = self.levels.len() - 1;
        let mut x = image.cast(self.compute);
        let mut skips = Vec::new();
        for level in 0..=last {
            if level > 0 && self.down == Down::Pool {
                x = Pooling::new(Pool::Max, vec![2; self.spatial()]).padded(Padding::Same).apply(x);
            }
            x = scope(&format!("down_{level}"), || self.twice(pass, self.convs("down", level, x.dim(-1)), x));
            skips.push(x);
        }
        for level in (0..last).rev() {
            let skip = skips[level];
            x = scope(&format!("up_{level}"), || {
                let grown = self.cut(self.up(level, x.dim(-1)).apply(pass.p, x), skip);
                let joined = concat([grown, skip], -1);
                self.twice(pass, self.convs("up", level, joined.dim(-1)), joined)
            });
        }
        let logits = scope("logits", || self.logits_of().apply(pass.p, x));
        logits.cast(wide(logits.dtype()))
    }

    /// As many places as the skip has: of an odd size one was made too many.
    fn cut(&self, x: Tensor, like: Tensor) -> Tensor {
        (1..=self.spatial()).fold(x, |x, dim| {
            let size = like.dim(dim as i64);
            if x.dim(dim as i64) == size { x } else { x.slice_dim(dim as i64, 0..size) }
        })
    }

    /// The likeliest class of every place, `s32[batch, spatial..]`.
    pub fn found(&self, p: &Params, batch: &Params) -> Tensor {
        let mut pass = Weighed { p, statistics: Statistics::running() };
        self.logits(&mut pass, batch.get("image")).argmax(-1).cast(i32)
    }

    /// 1 less the overlap of what is said of a class with where it is: the mean over classes but the first, summed over
    /// examples.
    fn apart(&self, logits: Tensor, labels: Tensor) -> Tensor {
        let (said, asked) = (logits.softmax(-1), labels.one_hot(self.classes, logits.dtype()));
        let over: Vec<i64> = (1..=self.spatial() as i64).collect();
        let (both, all) = ((said * asked).sum(&over[..]), (said + asked).sum(&over[..]));
        let overlap = (both * 2.0 + SMOOTH) / (all + SMOOTH);
        (-overlap.slice((.., 1..self.classes)) + 1.0).mean(1).sum(..)
    }

    /// Places of an example.
    fn places(&self) -> i64 {
        self.sizes.iter().product()
    }

    /// Sizes at a level, each half of the finer one's, rounded up.
    pub fn sizes_at(&self, level: usize) -> Vec<i64> {
        let half = |size: &i64| (0..level).fold(*size, |size, _| (size + 1) / 2);
        self.sizes.iter().map(half).collect()
    }

    /// Flops of the products of an example's pass.
    pub fn flops(&self) -> f64 {
        let level_of = |conv: &Conv| -> usize {
            let number = conv.path.split(['_', '.']).nth(1).and_then(|number| number.parse().ok());
            number.unwrap_or(0)
        };
        let one = |(conv, _): (Conv, bool)| {
            let places: i64 = self.sizes_at(level_of(&conv)).iter().product();
            // A transposed convolution with steps as long as its window meets each place once.
            let window: i64 = if conv.is_transposed { 1 } else { conv.sizes.iter().product() };
            2.0 * (places * window) as f64 * (conv.inputs * conv.outputs) as f64
        };
        self.layers().into_iter().map(one).sum()
    }
}

impl Model for UNet {
    fn check(&self, _: &Training) -> Result<(), Diagnostic> {
        let refuse = |message: String, help: String| Err(Diagnostic::error(CONFIG, message).help(help));
        if !(1..=SPACE.len()).contains(&self.spatial()) || self.levels.is_empty() {
            let message =
                format!("a U-Net of {} spatial dims and {} levels", self.spatial(), self.levels.len());
            return refuse(message, "give one to three spatial dims, and a level at least".to_string());
        }
        if self.classes < 2 || self.channels < 1 {
            let message = format!("{} channels to {} classes", self.channels, self.classes);
            return refuse(message, "take a channel at least, and two classes".to_string());
        }
        let coarsest = self.sizes_at(self.levels.len() - 1);
        if let Some(dim) = coarsest.iter().position(|size| *size < 2) {
            let (size, levels) = (self.sizes[dim], self.levels.len());
            let message = format!(
                "spatial dim {dim} has {size} places, and {} at the coarsest of {levels} levels: a window of {WINDOW} \
                 there sees nothing but edges",
                coarsest[dim]
            );
            let least = (1i64 << (levels - 1)) + 1;
            return refuse(message, format!("give it {least} places or more, or take fewer levels"));
        }
        if let Normal::Group(groups) = self.normal
            && let Some(features) =
                self.levels.iter().flatten().find(|features| groups < 1 || **features % groups != 0)
        {
            let message = format!("{features} features do not divide into {groups} groups of a norm");
            return refuse(
                message,
                "use a number of groups that divides the features of all levels".to_string(),
            );
        }
        Ok(())
    }

    fn specs(&self) -> Specs {
        let mut specs = Specs::default();
        for (conv, has_norm) in self.layers() {
            conv.declare(&mut specs);
            if has_norm {
                self.declare_norm(&conv, &mut specs);
            }
        }
        specs
    }

    /// The labels' dims have no names: they lie as the image does, by completion.
    fn fields(&self, training: &Training) -> Vec<Field> {
        let sizes = || SPACE.into_iter().zip(self.sizes.iter().copied());
        let image = [("batch", training.batch)].into_iter().chain(sizes()).chain([("", self.channels)]);
        let labels = [training.batch].into_iter().chain(self.sizes.iter().copied()).map(|size| ("", size));
        vec![
            Field { name: "image", dtype: training.dtype, dims: image.collect() },
            Field { name: "labels", dtype: DType::S32, dims: labels.collect() },
        ]
    }

    fn predicted(&self, batch: &Params) -> Tensor {
        let places = batch.get("labels").dims().iter().product::<i64>();
        scalar(wide(self.compute), places as f64)
    }

    fn losses(&self, p: &Params, batch: &Params, count: Tensor, key: Option<Key>) -> Losses {
        let mut pass = Weighed { p, statistics: Statistics::by_key(key) };
        let labels = batch.get("labels");
        let logits = self.logits(&mut pass, batch.get("image"));
        let (loss, nats) = scope("loss", || {
            let count = count.cast(logits.dtype());
            let nats = logits.cross_entropy(labels).sum(..) / count;
            let examples = count / self.places() as f64;
            let apart = || self.apart(logits, labels) / examples * self.overlap;
            (if self.overlap > 0.0 { nats + apart() } else { nats }, nats)
        });
        Losses { loss, nats, counts: Vec::new(), statistics: pass.statistics.new }
    }

    fn judged(&self, p: &Params, batch: &Params) -> Judged {
        let mut pass = Weighed { p, statistics: Statistics::running() };
        let labels = batch.get("labels");
        let logits = self.logits(&mut pass, batch.get("image"));
        Judged::of(logits, labels, None, Vec::new()).by_class(logits, labels)
    }

    fn groups(&self) -> Option<i64> {
        None
    }

    fn part(&self, _: i64) -> UNet {
        self.clone()
    }
}
