//! Images as tokens: patches side by side, each as one row of features (ViT).

use crate::init::Scheme;
use crate::layers::conv::Conv;
use crate::params::{Params, Specs};
use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// Sizes of a patch embedding.
///
/// ```
/// use meshwright_nn::layers::patch::PatchEmbedding;
/// use meshwright_nn::params::Specs;
/// use meshwright_nn::tensor::prelude::*;
/// let patches = PatchEmbedding::new("patches", [8, 8], 3, 64);
/// let mut specs = Specs::default();
/// patches.declare(&mut specs);
/// let program = trace("tokens", |t| {
///     patches.apply(&specs.params(t, "params", f32), t.input("image", f32, [2, 32, 48, 3]))
/// })?;
/// assert_eq!(program.results()[0].ty.dims, [2, 24, 64]);
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct PatchEmbedding {
    pub conv: Conv,
}

impl PatchEmbedding {
    pub fn new(
        path: impl Into<String>,
        sizes: impl Into<Vec<i64>>,
        inputs: i64,
        model: i64,
    ) -> PatchEmbedding {
        let conv = Conv::new(path, sizes, inputs, model).padded(Padding::Valid);
        let window = Window { strides: conv.sizes.clone(), ..conv.window };
        PatchEmbedding { conv: Conv { window, names: ["in_channels", "model"], init: Scheme::LeCun, ..conv } }
    }

    pub fn declare(&self, specs: &mut Specs) {
        self.conv.declare(specs);
    }

    /// How many tokens images of these spatial sizes are.
    pub fn tokens(&self, image: &[i64]) -> i64 {
        image.iter().zip(&self.conv.sizes).map(|(image, patch)| image / (*patch).max(1)).product()
    }

    /// `[batch, spatial.., inputs]` to `[batch, patches, model]`, row by row.
    #[track_caller]
    pub fn apply(&self, p: &Params, x: Tensor) -> Tensor {
        let (dims, sizes) = (x.dims(), &self.conv.sizes);
        let spatial = dims.get(1..=sizes.len()).unwrap_or(&[]);
        let uneven = spatial.iter().zip(sizes).any(|(image, patch)| *patch < 1 || image % patch != 0);
        if uneven {
            let message = format!("{x:?} does not divide into patches of {sizes:?}");
            let meant = x.ty().with_dims(vec![x.dim(0), self.tokens(spatial), self.conv.outputs]);
            return refuse(&[x], meant, &message, "pad or resize the image, or use patches that divide it");
        }
        let y = self.conv.apply(p, x);
        y.reshape([y.dim(0), -1, y.dim(-1)])
    }
}
