//! rng and rng_bit_generator.

use super::{bare, case, word_of};
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::Prop;
use meshwright_ir::op::{Distribution, Random, RngAlgorithm};
use meshwright_ir::{DType, Literal, Op, TensorType};

const DISTRIBUTIONS: [(&str, Distribution); 2] =
    [("UNIFORM", Distribution::Uniform), ("NORMAL", Distribution::Normal)];

const ALGORITHMS: [(&str, RngAlgorithm); 3] = [
    ("DEFAULT", RngAlgorithm::Default),
    ("THREE_FRY", RngAlgorithm::ThreeFry),
    ("PHILOX", RngAlgorithm::Philox),
];

/// The shape is an operand in the text and an attribute in the IR.
pub fn rng<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let [low, high, shape_operand] = p.operands_of(draft)?;
    let shape = p.result(draft, 0)?.dims;
    let distribution = p.case(draft, "rng_distribution", &DISTRIBUTIONS)?;
    draft.operands = vec![low, high];
    draft.uses.truncate(2);
    p.symbols.rng_shapes.push(shape_operand);
    Ok(Op::Random(Random::Rng { distribution, shape }))
}

pub fn bit_generator<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.result_count(draft, 2)?;
    let algorithm = p.case(draft, "rng_algorithm", &ALGORITHMS)?;
    let bits = p.result(draft, 1)?;
    bare(p, draft, 1, Op::Random(Random::BitGenerator { algorithm, bits }))
}

pub fn name(random: &Random) -> &'static str {
    match random {
        Random::Rng { .. } => "stablehlo.rng",
        Random::BitGenerator { .. } => "stablehlo.rng_bit_generator",
    }
}

pub fn props(random: &Random) -> Vec<Prop<'static>> {
    match random {
        Random::Rng { distribution, .. } => {
            vec![case("rng_distribution", "rng_distribution", word_of(&DISTRIBUTIONS, distribution))]
        }
        Random::BitGenerator { algorithm, .. } => {
            vec![case("rng_algorithm", "rng_algorithm", word_of(&ALGORITHMS, algorithm))]
        }
    }
}

/// A shape as the tensor that `rng` takes.
pub fn shape_literal(shape: &[i64]) -> Literal {
    let ty = TensorType::new(DType::S64, [shape.len() as i64]);
    let bytes = shape.iter().flat_map(|size| size.to_le_bytes()).collect();
    Literal::dense(ty.clone(), bytes).unwrap_or_else(|| Literal::zeros(ty))
}
