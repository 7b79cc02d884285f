//! Features that let others through: the gated linear unit, and squeeze and excitation.

use crate::init::{Init, Scheme};
use crate::layers::bag::Pool;
use crate::layers::pool::global;
use crate::params::{Params, Specs, join};
use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// The first half of the features, each times the sigmoid of its place in the second half.
///
/// ```
/// use meshwright_nn::layers::gates::glu;
/// use meshwright_nn::tensor::prelude::*;
/// let program = trace("glu", |t| glu(t.input("x", f32, [2, 5, 8])))?; // f32[2,5,4]
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn glu(x: Tensor) -> Tensor {
    let features = x.dims().last().copied().unwrap_or(1);
    if features % 2 != 0 {
        let message = format!("a gated linear unit is given {x:?}, whose last dim has no two halves");
        return refuse(&[x], x.ty(), &message, "give it an even number of features: values, then gates");
    }
    x.slice_dim(-1, 0..features / 2) * x.slice_dim(-1, features / 2..features).sigmoid()
}

/// Squeeze and excitation (Hu et al.): the mean of each feature over all places decides how much of each feature goes
/// on.
///
/// ```
/// use meshwright_nn::layers::gates::SqueezeExcite;
/// use meshwright_nn::params::Specs;
/// use meshwright_nn::tensor::prelude::*;
/// let layer = SqueezeExcite::new("se", 16, 4);
/// let mut specs = Specs::default();
/// layer.declare(&mut specs);
/// let program = trace("squeeze", |t| {
///     layer.apply(&specs.params(t, "params", f32), t.input("x", f32, [2, 8, 8, 16]))
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct SqueezeExcite {
    pub path: String,
    pub features: i64,
    pub hidden: i64,
}

impl SqueezeExcite {
    pub fn new(path: impl Into<String>, features: i64, hidden: i64) -> SqueezeExcite {
        SqueezeExcite { path: path.into(), features, hidden }
    }

    pub fn declare(&self, specs: &mut Specs) {
        let (wide, narrow) = (("channels", self.features), ("squeezed", self.hidden));
        let init = |from: i64, to: i64| Scheme::He.init(from, to);
        specs.add(join(&self.path, "wi"), [wide, narrow], init(self.features, self.hidden));
        specs.add(join(&self.path, "bi"), [narrow], Init::Zeros);
        specs.add(join(&self.path, "wo"), [narrow, wide], init(self.hidden, self.features));
        specs.add(join(&self.path, "bo"), [wide], Init::Zeros);
    }

    /// `[batch, spatial.., features]`.
    #[track_caller]
    pub fn apply(&self, p: &Params, x: Tensor) -> Tensor {
        if x.rank() < 3 || x.dim(-1) != self.features {
            let message = format!(
                "squeeze and excitation `{}` of {} features is given {x:?}",
                self.path, self.features
            );
            return refuse(&[x], x.ty(), &message, "give [batch, spatial.., features]");
        }
        let weight = |name: &str| p.get(&join(&self.path, name)).cast(x.dtype());
        let inner = (global(Pool::Mean, x).matmul(weight("wi")) + weight("bi")).relu();
        let gates = (inner.matmul(weight("wo")) + weight("bo")).sigmoid();
        let spatial = x.rank() - 2;
        x * (0..spatial).fold(gates, |gates, _| gates.unsqueeze(1))
    }
}
