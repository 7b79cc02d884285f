//! Models that see at sizes that are planned, not trained here: those of their papers, on meshes of ours. Only shapes
//! are made.
//!
//! | name | model | mesh |
//! |---|---|---|
//! | `resnet-50` | He et al.'s, images of 224 x 224 | the batch, and rows |
//! | `metnet-2` | MetNet-2's stacks over 512 x 512 places | the batch, and both spatial dims |
//! | `vit-b-16` | Dosovitskiy et al.'s base, patches of 16 x 16 | the batch, and heads |
//! | `v-moe-b-16` | the same with 32 experts in every other block, two a patch (Riquelme et al.) | the batch, and experts |
//! | `two-modes` | ResNet-50 and a Transformer as large as ViT's base | images in space, text by batch and heads |

use super::dilated::Dilated;
use super::joined::{BY_MODE, Joined};
use super::residual::Residual;
use super::vit::Vit;
use crate::models::family::{Sizes, looking_both_ways};
use crate::models::step::{Model, Training, train_step};
use crate::models::strategy::{DATA_MODEL, EXPERT_DATA, SPATIAL, Table};
use crate::models::transformer::Transformer;
use crate::optim::Optimizer;
use crate::optim::schedule::Schedule;
use crate::optim::stored::Stored;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// A model at its paper's size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImagePreset {
    pub name: &'static str,
    pub of: Of,
    pub table: &'static Table,
    pub mesh: &'static [(&'static str, i64)],
    /// Images in a batch.
    pub batch: i64,
}

/// Which model it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    ResNet50,
    MetNet2,
    VitBase,
    VmoeBase,
    TwoModes,
}

/// All of them.
pub const IMAGE_PRESETS: [ImagePreset; 5] = [
    ImagePreset {
        name: "resnet-50",
        of: Of::ResNet50,
        table: &SPATIAL,
        mesh: &[("data", 16), ("spatial", 4)],
        batch: 1_024,
    },
    ImagePreset {
        name: "metnet-2",
        of: Of::MetNet2,
        table: &SPATIAL,
        mesh: &[("data", 4), ("spatial", 4), ("spatial_2", 4)],
        batch: 16,
    },
    ImagePreset {
        name: "vit-b-16",
        of: Of::VitBase,
        table: &DATA_MODEL,
        mesh: &[("data", 16), ("model", 4)],
        batch: 4_096,
    },
    ImagePreset {
        name: "v-moe-b-16",
        of: Of::VmoeBase,
        table: &EXPERT_DATA,
        mesh: &[("data", 2), ("expert", 32)],
        batch: 4_096,
    },
    ImagePreset {
        name: "two-modes",
        of: Of::TwoModes,
        table: &BY_MODE,
        mesh: &[("x", 8), ("y", 4)],
        batch: 256,
    },
];

/// ViT's base.
const BASE: Sizes = Sizes {
    model: 768,
    hidden: 3_072,
    heads: 12,
    kv: 64,
    gated: false,
    experts: 0,
    every: 2,
    groups: 1,
    room: 105,
};

fn transformer(sizes: &Sizes) -> Transformer {
    Transformer { compute: DType::BF16, ..looking_both_ways(sizes) }
}

fn vit(sizes: &Sizes) -> Vit {
    Vit {
        image: vec![224, 224],
        channels: 3,
        patch: vec![16, 16],
        net: transformer(sizes),
        blocks: 12,
        classes: 1_000,
        factors: if sizes.experts > 0 { [1e-2, 0.0] } else { [0.0; 2] },
    }
}

fn resnet_50() -> Residual {
    Residual { compute: DType::BF16, ..Residual::fifty() }
}

fn two_modes() -> Joined {
    Joined { image: resnet_50(), text: transformer(&BASE), blocks: 12, vocab: 32_000, length: 64 }
}

/// The same of each model.
macro_rules! with_model {
    ($of:expr, $devices:expr, $model:ident => $result:expr) => {
        match $of {
            Of::ResNet50 => {
                let $model = &resnet_50();
                $result
            }
            Of::MetNet2 => {
                let $model = &Dilated::metnet_2();
                $result
            }
            Of::VitBase => {
                let $model = &vit(&BASE);
                $result
            }
            // A group is a device's share.
            Of::VmoeBase => {
                let $model = &vit(&Sizes { experts: 32, groups: $devices, ..BASE });
                $result
            }
            Of::TwoModes => {
                let $model = &two_modes();
                $result
            }
        }
    };
}

impl ImagePreset {
    /// Number of parameters, running averages among them.
    pub fn elements(&self) -> i64 {
        with_model!(self.of, self.devices(), model => model.specs().elements())
    }

    pub fn devices(&self) -> i64 {
        self.mesh.iter().map(|(_, size)| *size).product()
    }

    /// Its training step over its mesh. Only shapes are made.
    pub fn step(&self) -> Result<Program, Errors> {
        self.step_over(self.mesh, [self.batch, 1])
    }

    /// The same over another mesh, and of another batch in so many parts.
    pub fn step_over(
        &self,
        sizes: &[(&str, i64)],
        [batch, microbatches]: [i64; 2],
    ) -> Result<Program, Errors> {
        let mesh = self.table.mesh(sizes.iter().copied())?;
        let devices = sizes.iter().map(|(_, size)| *size).product::<i64>();
        let training = Training {
            optimizer: Optimizer::sgd(Schedule::Constant(0.1), 0.9),
            batch,
            microbatches,
            length: 0,
            dtype: DType::F32,
            stored: Stored::Wide,
            seed: 0,
        };
        let rules = self.table.rules(&mesh);
        with_model!(self.of, devices, model => train_step(model, &training, &rules))
    }
}
