//! A stack of ever further convolutions at full size, as MetNet-2 has it for weather: a place sees hundreds of others
//! around it, and what lies in the middle is told a class each.
//!
//! ```text
//! stem    stacks x [x + conv(relu(norm(conv(relu(norm x)))))], 1, 2, 4, .. apart    the middle    classes of each place
//! ```
//!
//! Split in both spatial dims, each convolution takes its distance from either neighbour and nothing else is sent, so
//! that bytes per device do not grow with the devices.

use super::{IMAGE, Labelled, check_all, image, placed};
use crate::init::Scheme;
use crate::layers::batch_norm::Statistics;
use crate::layers::conv::Conv;
use crate::layers::norm::LayerNorm;
use crate::models::step::Field;
use crate::params::{Params, Specs};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// Sizes and choices.
#[derive(Clone, PartialEq, Debug)]
pub struct Dilated {
    /// Spatial sizes of what is seen.
    pub image: Vec<i64>,
    /// Measured numbers at a place.
    pub channels: i64,
    pub features: i64,
    /// Distances of the blocks of a stack.
    pub dilations: Vec<i64>,
    pub stacks: usize,
    /// Spatial sizes of what is told, in the middle.
    pub told: Vec<i64>,
    pub classes: i64,
    /// Type of activations.
    pub compute: DType,
}

impl Dilated {
    /// MetNet-2's stacks over 512 x 512 places, of which the middle 128 x 128 are told.
    pub fn metnet_2() -> Dilated {
        Dilated {
            image: vec![512, 512],
            channels: 384,
            features: 384,
            dilations: vec![1, 2, 4, 8, 16, 32, 64, 128],
            stacks: 3,
            told: vec![128, 128],
            classes: 512,
            compute: bf16,
        }
    }

    fn conv(&self, path: String, size: i64, inputs: i64, outputs: i64) -> Conv {
        Conv { init: Scheme::LeCun, ..Conv::new(path, vec![size; self.image.len()], inputs, outputs) }
    }

    fn stem(&self) -> Conv {
        self.conv("stem".to_string(), 3, self.channels, self.features)
    }

    fn head(&self) -> Conv {
        self.conv("classes".to_string(), 1, self.features, self.classes)
    }

    /// The blocks in order: the path of each, and how far apart its windows' elements are.
    fn blocks(&self) -> Vec<(String, i64)> {
        let of_stack = |stack: usize| {
            self.dilations
                .iter()
                .enumerate()
                .map(move |(at, apart)| (format!("stack_{stack}.block_{at}"), *apart))
        };
        (0..self.stacks).flat_map(of_stack).collect()
    }

    fn layers(&self, path: &str, apart: i64) -> [(LayerNorm, Conv); 2] {
        [0, 1].map(|at| {
            let norm = LayerNorm { path: format!("{path}.norm_{at}"), model: self.features, epsilon: 1e-6 };
            (norm, self.conv(format!("{path}.conv_{at}"), 3, self.features, self.features).dilated(apart))
        })
    }
}

impl Labelled for Dilated {
    fn check_sizes(&self, _: i64) -> Result<(), Diagnostic> {
        let sizes = self.image.iter().chain(&self.told).map(|size| ("places along a dim", *size));
        let others = [("channels", self.channels), ("features", self.features), ("classes", self.classes)];
        let apart = self.dilations.iter().map(|apart| ("places between the elements of a window", *apart));
        let all: Vec<(&str, i64)> = sizes.chain(others).chain(apart).collect();
        check_all("a dilated stack", self.image.len(), &all)?;
        let inside = self.image.len() == self.told.len()
            && self.image.iter().zip(&self.told).all(|(all, told)| told <= all);
        if !inside {
            let message = format!("{:?} places are to be told of {:?} that are seen", self.told, self.image);
            let help = "tell at most as many along each spatial dim";
            return Err(Diagnostic::error(crate::moe::layer::CONFIG, message).help(help));
        }
        Ok(())
    }

    fn parameters(&self) -> Specs {
        let mut specs = Specs::default();
        self.stem().declare(&mut specs);
        for (path, apart) in self.blocks() {
            for (norm, conv) in self.layers(&path, apart) {
                norm.declare(&mut specs);
                conv.declare(&mut specs);
            }
        }
        let head = self.head();
        head.declare(&mut specs);
        specs
    }

    fn inputs(&self) -> Vec<Field> {
        vec![image(&self.image, self.channels)]
    }

    fn places(&self) -> Vec<(&'static str, i64)> {
        super::SPACE.into_iter().zip(self.told.iter().copied()).collect()
    }

    fn compute(&self) -> DType {
        self.compute
    }

    fn logits(&self, p: &Params, batch: &Params, _: Option<Key>, _: &mut Statistics) -> Tensor {
        let x = scope("stem", || self.stem().apply(p, placed(batch.get(IMAGE).cast(self.compute))));
        let x = self.blocks().iter().fold(x, |x, (path, apart)| {
            scope(path, || {
                let layers = self.layers(path, *apart);
                placed(x + layers.iter().fold(x, |x, (norm, conv)| conv.apply(p, norm.apply(p, x).relu())))
            })
        });
        scope("classes", || {
            let middle = self.image.iter().zip(&self.told).enumerate().fold(x, |x, (at, (all, told))| {
                let first = (all - told) / 2;
                x.slice_dim(at + 1, first..first + told)
            });
            self.head().apply(p, middle.relu())
        })
    }
}
