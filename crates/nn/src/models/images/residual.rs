//! Residual networks with batch norm (He et al.): ever fewer places of ever more features; their mean says the class.
//!
//! ```text
//! stem    [x + norm(conv(relu(norm(conv x))))] ..    mean    classes        each conv 3 wide; in a bottleneck 1, 3, 1
//! ```

use super::{IMAGE, Labelled, check_all, image, placed};
use crate::init::{Init, Scheme};
use crate::layers::bag::Pool;
use crate::layers::batch_norm::{BatchNorm, Statistics};
use crate::layers::conv::Conv;
use crate::layers::pool::{Pooling, global};
use crate::models::step::Field;
use crate::params::{Params, Specs};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// Blocks between which the number of places stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    pub blocks: usize,
    /// Features of its inner convolutions.
    pub width: i64,
}

/// Sizes and choices.
#[derive(Clone, PartialEq, Debug)]
pub struct Residual {
    /// Spatial sizes of an image.
    pub image: Vec<i64>,
    pub channels: i64,
    /// Features behind the stem.
    pub stem: i64,
    /// A stem of 7 places by 2 and a pool by 2, for large images; else 3 places.
    pub is_large: bool,
    /// Each but the first begins by halving the places.
    pub stages: Vec<Stage>,
    /// Convolve a quarter of the features.
    pub bottleneck: bool,
    pub classes: i64,
    /// Type of activations.
    pub compute: DType,
}

/// What a block is: its path, features in and out, and whether it halves the places.
struct Block {
    path: String,
    convs: Vec<(Conv, BatchNorm)>,
    /// What makes of `x` what can be added.
    shortcut: Option<(Conv, BatchNorm)>,
}

impl Residual {
    /// ResNet-50, for 1,000 classes of images of 224 x 224.
    pub fn fifty() -> Residual {
        let stages = [(3, 64), (4, 128), (6, 256), (3, 512)];
        Residual {
            image: vec![224, 224],
            channels: 3,
            stem: 64,
            is_large: true,
            stages: stages.map(|(blocks, width)| Stage { blocks, width }).to_vec(),
            bottleneck: true,
            classes: 1000,
            compute: f32,
        }
    }

    /// For small images: blocks of two convolutions behind a stem as wide as the first stage.
    pub fn plain(
        image: impl Into<Vec<i64>>,
        channels: i64,
        stages: impl IntoIterator<Item = Stage>,
        classes: i64,
    ) -> Residual {
        let stages: Vec<Stage> = stages.into_iter().collect();
        let stem = stages.first().map_or(1, |stage| stage.width);
        let (is_large, bottleneck, compute) = (false, false, f32);
        Residual { image: image.into(), channels, stem, is_large, stages, bottleneck, classes, compute }
    }

    fn normed(&self, path: &str, size: i64, inputs: i64, outputs: i64, stride: i64) -> (Conv, BatchNorm) {
        let conv = Conv::new(format!("{path}.conv"), vec![size; self.image.len()], inputs, outputs);
        let conv = Conv { init: Scheme::He, ..conv.strided(stride).without_bias() };
        (conv, BatchNorm::new(format!("{path}.norm"), outputs))
    }

    fn first(&self) -> (Conv, BatchNorm) {
        let (size, stride) = if self.is_large { (7, 2) } else { (3, 1) };
        self.normed("stem", size, self.channels, self.stem, stride)
    }

    fn wide(&self, width: i64) -> i64 {
        if self.bottleneck { 4 * width } else { width }
    }

    fn blocks(&self) -> Vec<Block> {
        let mut features = self.stem;
        let mut out = Vec::new();
        for (at, stage) in self.stages.iter().enumerate() {
            for block in 0..stage.blocks {
                let stride = if at > 0 && block == 0 { 2 } else { 1 };
                out.push(self.block(format!("stage_{at}.block_{block}"), features, stage.width, stride));
                features = self.wide(stage.width);
            }
        }
        out
    }

    fn block(&self, path: String, inputs: i64, width: i64, stride: i64) -> Block {
        let outputs = self.wide(width);
        let sizes = if self.bottleneck {
            vec![(1, inputs, width, 1), (3, width, width, stride), (1, width, outputs, 1)]
        } else {
            vec![(3, inputs, width, stride), (3, width, outputs, 1)]
        };
        let convs = sizes.into_iter().enumerate().map(|(at, (size, from, to, stride))| {
            self.normed(&format!("{path}.{at}"), size, from, to, stride)
        });
        let changes = stride != 1 || inputs != outputs;
        let shortcut = changes.then(|| self.normed(&format!("{path}.shortcut"), 1, inputs, outputs, stride));
        Block { convs: convs.collect(), shortcut, path }
    }

    /// Parameters of what [`features`](Residual::features) computes.
    pub fn trunk(&self) -> Specs {
        let mut specs = Specs::default();
        let (conv, norm) = self.first();
        conv.declare(&mut specs);
        norm.declare(&mut specs);
        self.blocks().iter().for_each(|block| block.declare(&mut specs));
        specs
    }

    /// Features of the last block.
    pub fn last(&self) -> i64 {
        self.stages.iter().rfind(|stage| stage.blocks > 0).map_or(self.stem, |stage| self.wide(stage.width))
    }

    /// Features at each of the places that are left, `[batch, spatial.., features]`.
    pub fn features(&self, p: &Params, x: Tensor, statistics: &mut Statistics) -> Tensor {
        let x = scope("stem", || {
            let x = apply(&self.first(), p, placed(x.cast(self.compute)), statistics).relu();
            let rank = self.image.len();
            let pool = Pooling::new(Pool::Max, vec![3; rank]).strided(2).padded(Padding::Same);
            if self.is_large { pool.apply(x) } else { x }
        });
        self.blocks().iter().fold(placed(x), |x, block| scope(&block.path, || block.apply(p, x, statistics)))
    }
}

fn apply((conv, norm): &(Conv, BatchNorm), p: &Params, x: Tensor, statistics: &mut Statistics) -> Tensor {
    norm.apply(p, conv.apply(p, x), statistics)
}

impl Block {
    fn declare(&self, specs: &mut Specs) {
        for (conv, norm) in self.convs.iter().chain(&self.shortcut) {
            conv.declare(specs);
            norm.declare(specs);
        }
    }

    fn apply(&self, p: &Params, x: Tensor, statistics: &mut Statistics) -> Tensor {
        let last = self.convs.len() - 1;
        let inner = self.convs.iter().enumerate().fold(x, |x, (at, layer)| {
            let y = apply(layer, p, x, statistics);
            if at == last { y } else { y.relu() }
        });
        let kept = self.shortcut.as_ref().map_or(x, |layer| apply(layer, p, x, statistics));
        placed((kept + inner).relu())
    }
}

impl Labelled for Residual {
    fn check_sizes(&self, rows: i64) -> Result<(), Diagnostic> {
        let sizes = self.image.iter().map(|size| ("places along a dim", *size));
        let others =
            [("channels", self.channels), ("features", self.stem), ("classes", self.classes), ("rows", rows)];
        let stages =
            self.stages.iter().flat_map(|stage| [("features", stage.width), ("blocks", stage.blocks as i64)]);
        let all: Vec<(&str, i64)> = sizes.chain(others).chain(stages).collect();
        check_all("a residual network", self.image.len(), &all)?;
        let halvings = self.stages.len().saturating_sub(1) as u32 + if self.is_large { 2 } else { 0 };
        let left: i64 =
            self.image.iter().map(|size| (0..halvings).fold(*size, |size, _| (size + 1) / 2)).product();
        if left.saturating_mul(rows) < 2 {
            let message = format!(
                "{rows} image of {:?}, halved {halvings} times, leaves batch norm over one element and no variance",
                self.image
            );
            let help = "use larger images, more of them in a batch, or fewer stages";
            return Err(Diagnostic::error(crate::moe::layer::CONFIG, message).help(help));
        }
        Ok(())
    }

    fn parameters(&self) -> Specs {
        let mut specs = self.trunk();
        let (features, classes) = (("in_channels", self.last()), ("vocab", self.classes));
        let init = Init::Truncated { scale: 1.0, fan_in: self.last() };
        specs.add("classes.w".to_string(), [features, classes], init);
        specs.add("classes.b".to_string(), [classes], Init::Zeros);
        specs
    }

    fn inputs(&self) -> Vec<Field> {
        vec![image(&self.image, self.channels)]
    }

    fn places(&self) -> Vec<(&'static str, i64)> {
        Vec::new()
    }

    fn compute(&self) -> DType {
        self.compute
    }

    fn logits(&self, p: &Params, batch: &Params, _: Option<Key>, statistics: &mut Statistics) -> Tensor {
        let x = global(Pool::Mean, self.features(p, batch.get(IMAGE), statistics));
        scope("classes", || x.matmul(p.get("classes.w").cast(x.dtype())) + p.get("classes.b").cast(x.dtype()))
    }
}
