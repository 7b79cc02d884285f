//! Random numbers.

use super::Made;
use super::elementwise::word_of;
use crate::hlo::inst::InstText;
use crate::hlo::lex::Read;
use crate::hlo::line::Line;
use meshwright_ir::Op;
use meshwright_ir::op::{Distribution, Random, RngAlgorithm};

const DISTRIBUTIONS: [(Distribution, &str); 2] =
    [(Distribution::Uniform, "rng_uniform"), (Distribution::Normal, "rng_normal")];

const ALGORITHMS: [(RngAlgorithm, &str); 3] = [
    (RngAlgorithm::Default, "rng_default"),
    (RngAlgorithm::ThreeFry, "rng_three_fry"),
    (RngAlgorithm::Philox, "rng_philox"),
];

pub(super) fn read_rng<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let distribution = text.word("distribution", &DISTRIBUTIONS)?;
    let distribution = distribution.ok_or_else(|| text.fault("`rng` needs the attribute `distribution`"))?;
    Ok(Made::of(Op::Random(Random::Rng { distribution, shape: text.result(0)?.dims.clone() })))
}

pub(super) fn read_bit_generator<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let algorithm = text.word("algorithm", &ALGORITHMS)?.unwrap_or(RngAlgorithm::Default);
    Ok(Made::of(Op::Random(Random::BitGenerator { algorithm, bits: text.result(1)?.clone() })))
}

pub(super) fn print(op: &Random, line: &mut Line<'_, '_, '_>) {
    match op {
        Random::Rng { distribution, .. } => {
            line.op("rng").attr("distribution", word_of(distribution, &DISTRIBUTIONS))
        }
        Random::BitGenerator { algorithm, .. } => {
            line.op("rng-bit-generator").attr("algorithm", word_of(algorithm, &ALGORITHMS))
        }
    };
}
