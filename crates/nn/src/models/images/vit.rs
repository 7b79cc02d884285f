//! Vision Transformer (Dosovitskiy et al.): patches of an image are tokens that look at each other; their mean says the
//! class. With layers of experts it is V-MoE (Riquelme et al.): each patch goes to its own.

use super::{IMAGE, Labelled, check_all, image};
use crate::init::Init;
use crate::layers::batch_norm::Statistics;
use crate::layers::patch::PatchEmbedding;
use crate::models::step::Field;
use crate::models::transformer::{Fates, Stack, Transformer, View};
use crate::moe::layer::CONFIG;
use crate::params::{Params, Specs};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// Sizes and choices. Places are told by a table of their own, one row a patch; a bias by distance
/// ([`Position::Relative`](crate::models::transformer::Position)) would count patches in one line.
#[derive(Clone, Debug)]
pub struct Vit {
    /// Spatial sizes of an image.
    pub image: Vec<i64>,
    pub channels: i64,
    pub patch: Vec<i64>,
    pub net: Transformer,
    pub blocks: usize,
    pub classes: i64,
    /// Factors of the losses of layers of experts, of balance and of z.
    pub factors: [f64; 2],
}

impl Vit {
    fn patches(&self) -> PatchEmbedding {
        PatchEmbedding::new("patches", self.patch.clone(), self.channels, self.net.model)
    }

    fn stack(&self) -> Stack<'_> {
        Stack { net: &self.net, path: "", blocks: self.blocks, causal: false, cross: false }
    }

    /// How many tokens an image is.
    pub fn tokens(&self) -> i64 {
        self.patches().tokens(&self.image)
    }
}

impl Labelled for Vit {
    fn check_sizes(&self, rows: i64) -> Result<(), Diagnostic> {
        let (image, patch) = (&self.image, &self.patch);
        let sizes = image.iter().chain(patch).map(|size| ("places along a dim", *size));
        let others = [("channels", self.channels), ("classes", self.classes), ("blocks", self.blocks as i64)];
        check_all("a ViT", image.len(), &sizes.chain(others).collect::<Vec<_>>())?;
        let divide =
            image.len() == patch.len() && image.iter().zip(patch).all(|(image, patch)| image % patch == 0);
        if !divide {
            let message = format!("images of {image:?} do not divide into patches of {patch:?}");
            let help = "use one patch size per spatial dim, that divides it";
            return Err(Diagnostic::error(CONFIG, message).help(help));
        }
        self.stack().check(rows, rows.saturating_mul(self.tokens()))
    }

    fn parameters(&self) -> Specs {
        let mut specs = Specs::default();
        self.patches().declare(&mut specs);
        let model = ("model", self.net.model);
        specs.add("positions".to_string(), [("patches", self.tokens()), model], Init::Normal(0.02));
        self.stack().declare(&mut specs);
        let init = Init::Truncated { scale: 1.0, fan_in: self.net.model };
        specs.add("classes".to_string(), [model, ("vocab", self.classes)], init);
        specs
    }

    fn inputs(&self) -> Vec<Field> {
        vec![image(&self.image, self.channels)]
    }

    fn places(&self) -> Vec<(&'static str, i64)> {
        Vec::new()
    }

    fn compute(&self) -> DType {
        self.net.compute
    }

    fn logits(&self, p: &Params, batch: &Params, key: Option<Key>, statistics: &mut Statistics) -> Tensor {
        self.routed(p, batch, key, statistics).0
    }

    fn routed(&self, p: &Params, batch: &Params, key: Option<Key>, _: &mut Statistics) -> (Tensor, Fates) {
        let x = scope("patches", || {
            let x = self.patches().apply(p, batch.get(IMAGE).cast(self.net.compute));
            x + p.get("positions").cast(x.dtype())
        });
        let (x, fates) = self.stack().apply(p, x, View::default(), key);
        let logits = scope("classes", || x.mean(1).matmul(p.get("classes").cast(x.dtype())));
        (logits, fates)
    }

    fn factors(&self) -> [f64; 2] {
        self.factors
    }

    fn expert_groups(&self) -> Option<i64> {
        self.net.moe.as_ref().map(|moe| moe.groups)
    }

    fn for_part(&self, n: i64) -> Vit {
        Vit { net: self.net.part(n), ..self.clone() }
    }
}
