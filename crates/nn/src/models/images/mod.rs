//! Models that see: images, or images and text, to labels of the whole or of every place.
//!
//! | model | what it is |
//! |---|---|
//! | [`vit`] | patches as tokens of a Transformer, with experts or without |
//! | [`residual`] | residual blocks of convolutions and batch norms |
//! | [`dilated`] | a stack of ever further convolutions at full size, for weather (MetNet-2) |
//! | [`joined`] | a trunk for images and one for text, which use the same mesh in other ways |
//!
//! [`presets`] has them at sizes that are planned, not trained here. Spatial dims are called `space`, `space_2` and
//! `space_3`. One annotation, on the image, splits a convolutional model:
//!
//! ```
//! use meshwright_nn::models::images::residual::{Residual, Stage};
//! use meshwright_nn::models::step::{Training, train_step};
//! use meshwright_nn::optim::{Optimizer, stored::Stored};
//! use meshwright_nn::tensor::prelude::*;
//! let stages = vec![Stage { blocks: 1, width: 8 }, Stage { blocks: 1, width: 16 }];
//! let model = Residual { image: vec![32, 32], is_large: false, bottleneck: false, stem: 8, stages, classes: 10, ..Residual::fifty() };
//! let training = Training {
//!     optimizer: Optimizer::sgd(0.1, 0.9), batch: 8, microbatches: 1, length: 2, dtype: f32, stored: Stored::Wide, seed: 1,
//! };
//! let mesh = Mesh::new([("data", 2), ("rows", 4)])?;
//! let step = train_step(&model, &training, &Rules::of(&mesh, [("batch", "data"), ("space", "rows")]))?;
//! # Ok::<(), meshwright_nn::tensor::Errors>(())
//! ```

pub mod dilated;
pub mod joined;
pub mod presets;
pub mod residual;
pub mod vit;

use super::step::{Field, Judged, Labels, Losses, Model, Training, weigh};
use super::transformer::Fates;
use crate::layers::attention::wide;
use crate::layers::batch_norm::Statistics;
use crate::params::{Params, Specs};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// Names of spatial dims.
pub const SPACE: [&str; 3] = ["space", "space_2", "space_3"];

/// A model whose logits are held against labels: one for each example, or one for each of its places.
pub trait Labelled: Clone {
    /// What is wrong with the sizes, for so many examples at a time.
    fn check_sizes(&self, rows: i64) -> Result<(), Diagnostic>;
    fn parameters(&self) -> Specs;
    /// What an example consists of, without the batch.
    fn inputs(&self) -> Vec<Field>;
    /// The dims of an example's labels; none if it has one.
    fn places(&self) -> Vec<(&'static str, i64)>;
    /// Type of activations.
    fn compute(&self) -> DType;
    /// `[batch, places.., classes]`. In training there is a key.
    fn logits(&self, p: &Params, batch: &Params, key: Option<Key>, statistics: &mut Statistics) -> Tensor;

    /// The same, and where the tokens of layers of experts went, of a model that has some.
    fn routed(
        &self,
        p: &Params,
        batch: &Params,
        key: Option<Key>,
        statistics: &mut Statistics,
    ) -> (Tensor, Fates) {
        (self.logits(p, batch, key, statistics), Fates::default())
    }

    /// Factors of the experts' losses, of balance and of z.
    fn factors(&self) -> [f64; 2] {
        [0.0; 2]
    }

    /// Groups of the layers of experts, if there are any.
    fn expert_groups(&self) -> Option<i64> {
        None
    }

    /// The same with experts for `1/n` of the batch.
    fn for_part(&self, _n: i64) -> Self {
        self.clone()
    }

    /// How likely each class is, as in evaluation: `[batch, places.., classes]`.
    fn chances(&self, p: &Params, batch: &Params) -> Tensor {
        let logits = self.logits(p, batch, None, &mut Statistics::running());
        logits.cast(wide(logits.dtype())).softmax(-1)
    }
}

/// What a batch calls the classes that are right.
pub const LABELS: &str = "labels";
/// What a batch calls its images.
pub const IMAGE: &str = "image";

impl<M: Labelled> Model for M {
    fn check(&self, training: &Training) -> Result<(), Diagnostic> {
        self.check_sizes(training.rows())
    }

    fn specs(&self) -> Specs {
        self.parameters()
    }

    fn fields(&self, training: &Training) -> Vec<Field> {
        let labels = Field { name: LABELS, dtype: DType::S32, dims: self.places() };
        let batched =
            |field: Field| Field { dims: [vec![("batch", training.batch)], field.dims].concat(), ..field };
        self.inputs().into_iter().chain([labels]).map(batched).collect()
    }

    fn predicted(&self, batch: &Params) -> Tensor {
        scalar(wide(self.compute()), batch.get(LABELS).elements() as f64)
    }

    fn losses(&self, p: &Params, batch: &Params, count: Tensor, key: Option<Key>) -> Losses {
        let mut statistics = Statistics::by_key(key);
        let (logits, fates) = self.routed(p, batch, key, &mut statistics);
        let [balance, z] = self.factors();
        let labels = Labels { tokens: batch.get(LABELS), asked: None, smoothing: 0.0, soft: None };
        let (loss, nats) = weigh(logits, labels, count, &[(balance, fates.balance), (z, fates.z)]);
        Losses { loss, nats, counts: fates.counts, statistics: statistics.new }
    }

    fn judged(&self, p: &Params, batch: &Params) -> Judged {
        let (logits, fates) = self.routed(p, batch, None, &mut Statistics::running());
        let labels = batch.get(LABELS);
        Judged::of(logits, labels, None, fates.counts).by_class(logits, labels)
    }

    fn groups(&self) -> Option<i64> {
        self.expert_groups()
    }

    fn part(&self, n: i64) -> M {
        self.for_part(n)
    }
}

/// The field of images of these spatial sizes.
fn image(sizes: &[i64], channels: i64) -> Field {
    let spatial = SPACE.into_iter().zip(sizes.iter().copied());
    let dims = spatial.chain([("image_channels", channels)]).collect();
    Field { name: IMAGE, dtype: DType::F32, dims }
}

/// Activations `[batch, spatial.., features]` as the table says of a batch and of space.
fn placed(x: Tensor) -> Tensor {
    let spatial = x.rank().saturating_sub(2).min(SPACE.len());
    let names: Vec<&str> = [&["batch"], &SPACE[..spatial], &["features"]].concat();
    x.logical(names)
}

/// Whether all sizes are at least 1, and spatial dims 1 to 3.
fn check_all(what: &str, spatial: usize, sizes: &[(&str, i64)]) -> Result<(), Diagnostic> {
    let few = sizes.iter().find(|(_, size)| *size < 1);
    let refused =
        |message: String, help: &str| Err(Diagnostic::error(crate::moe::layer::CONFIG, message).help(help));
    match few {
        Some((name, size)) => refused(format!("{what} has {size} {name}"), "there is at least one of each"),
        None if !(1..=SPACE.len()).contains(&spatial) => {
            refused(format!("{what} over {spatial} spatial dims"), "give images 1 to 3 spatial sizes")
        }
        None => Ok(()),
    }
}
