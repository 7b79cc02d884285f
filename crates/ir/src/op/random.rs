//! Random numbers: `rng` (any generator will do) and `rng_bit_generator` (exact algorithms).

use crate::expect::{ensure, expect_sizes};
use crate::infer::{Inferred, Operands};
use crate::rule::{Factor, FactorKind, Localize, ResultIdx, Rule, RuleCx};
use crate::types::TensorType;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Distribution {
    Uniform,
    Normal,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RngAlgorithm {
    Default,
    ThreeFry,
    Philox,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Random {
    /// `(a, b)` scalars: bounds or mean and deviation. The shape is an attribute here.
    Rng { distribution: Distribution, shape: Vec<i64> },
    /// `(state)`; results `(state, bits)`.
    BitGenerator { algorithm: RngAlgorithm, bits: TensorType },
}

impl Random {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        match self {
            Random::Rng { shape, .. } => infer_rng(operands, shape),
            Random::BitGenerator { algorithm, bits } => infer_bits(operands, *algorithm, bits),
        }
    }

    /// Numbers depend on the global index, so a piece starts at an offset, if there is a state that can be moved on.
    /// The state must stay together.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let localize = match self {
            Random::Rng { .. } => Localize::Never,
            Random::BitGenerator { .. } => Localize::ByFamily,
        };
        let mut rule = Rule::empty(cx);
        let drawn = cx.results.len() - 1;
        for dim in 0..cx.results[drawn].rank() {
            let size = cx.size(ResultIdx(drawn).dim(dim));
            let factor = rule.factors.push(Factor { size, kind: FactorKind::Pass, localize });
            rule.place(factor, [ResultIdx(drawn).dim(dim)]);
        }
        rule.fill_whole(cx);
        rule
    }

    pub fn mnemonic(&self) -> &'static str {
        match self {
            Random::Rng { .. } => "rng",
            Random::BitGenerator { .. } => "rng_bit_generator",
        }
    }
}

fn infer_rng(operands: Operands<'_>, shape: &[i64]) -> Inferred {
    let [a, b] = operands.tensors()?;
    ensure!(a == b && a.dims.is_empty(), "the bounds are {a} and {b}, but must be scalars of one type");
    ensure!(!a.dtype.is_complex(), "rng does not draw {}", a.dtype);
    expect_sizes("rng", shape)?;
    Ok(vec![a.with_dims(shape).into()])
}

fn infer_bits(operands: Operands<'_>, algorithm: RngAlgorithm, bits: &TensorType) -> Inferred {
    let [state] = operands.tensors()?;
    let words = state.byte_size() / 8;
    let fits = match algorithm {
        RngAlgorithm::Default => true,
        RngAlgorithm::ThreeFry => words == 2,
        RngAlgorithm::Philox => words == 2 || words == 3,
    };
    ensure!(
        state.dtype.is_integer() && state.rank() == 1 && fits,
        "{algorithm:?} cannot use {state} as its state";
        "the state is a vector of unsigned integers: 128 bits for ThreeFry, 128 or 192 for Philox"
    );
    ensure!(
        bits.dtype.is_integer() || bits.dtype.is_float(),
        "rng_bit_generator does not draw {}",
        bits.dtype
    );
    expect_sizes("rng_bit_generator", &bits.dims)?;
    Ok(vec![state.clone().into(), bits.clone().into()])
}
