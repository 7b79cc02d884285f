//! Models of the papers in tiny, and their losses and gradients on one simulated device or on several.

use super::{Random, array, close, numbers};
use meshwright_campaign::global::run_spmd;
use meshwright_compile::Unobserved;
use meshwright_interp::Tensor as Array;
use meshwright_nn::models::encoder_decoder::EncoderDecoder;
use meshwright_nn::models::family::{self, Sizes};
use meshwright_nn::models::language::Language;
use meshwright_nn::models::step::{Gradients, Model, Training, batch_inputs, gradients};
use meshwright_nn::models::strategy::Table;
use meshwright_nn::models::transformer::Transformer;
use meshwright_nn::optim::Optimizer;
use meshwright_nn::optim::stored::Stored;
use meshwright_nn::params::Params;
use meshwright_tensor::prelude::*;

pub const SIZES: Sizes =
    Sizes { model: 8, hidden: 12, heads: 4, kv: 3, gated: false, experts: 0, every: 2, groups: 8, room: 200 };
pub const SPARSE: Sizes = Sizes { experts: 4, ..SIZES };
pub const VOCAB: i64 = 16;

pub fn training() -> Training {
    Training {
        optimizer: Optimizer::sgd(0.1, 0.0),
        batch: 8,
        microbatches: 1,
        length: 6,
        dtype: f64,
        stored: Stored::Wide,
        seed: 1,
    }
}

pub fn tiny(model: EncoderDecoder) -> EncoderDecoder {
    EncoderDecoder {
        source_vocab: VOCAB,
        target_vocab: model.target_vocab.map(|_| VOCAB),
        target_length: 4,
        net: Transformer { compute: f64, ..model.net },
        ..model
    }
}

pub fn t5() -> EncoderDecoder {
    tiny(family::t5(&Sizes { gated: true, ..SIZES }, 2))
}

pub fn switch() -> EncoderDecoder {
    tiny(family::switch(&SPARSE, 2))
}

pub fn gshard() -> EncoderDecoder {
    tiny(family::gshard(&SPARSE, 2))
}

pub fn dense2d(sizes: &Sizes) -> Language {
    let model = family::dense2d(sizes, 2);
    Language { vocab: VOCAB, net: Transformer { compute: f64, ..model.net }, ..model }
}

/// Texts one behind the other: tokens, and segments counted from 1 with padding at the end of some rows.
pub fn packed(rows: i64, length: i64, random: &mut Random) -> [Vec<f64>; 2] {
    let (mut tokens, mut segments) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let (first, end) = (1 + random.below(length as usize - 1), length as usize - (row % 3 == 1) as usize);
        for at in 0..length as usize {
            let segment = if at >= end { 0 } else { 1 + usize::from(at >= first) };
            segments.push(segment as f64);
            tokens.push(if segment == 0 { 0.0 } else { (1 + random.below(VOCAB as usize - 1)) as f64 });
        }
    }
    [tokens, segments]
}

/// The program of losses and gradients, in parts; parameters are drawn from a fixed key inside of it.
pub fn program<M: Model>(model: &M, rules: &Rules, key: Option<u64>, parts: i64) -> Program {
    let traced = trace_with("gradients", rules, |t| {
        let batch = batch_inputs(t, model, &training());
        let params = model.specs().params(t, "params", f64);
        let Gradients { losses, gradients } =
            gradients(model, &params, &Params::default(), &batch, key.map(Key::seed), parts);
        (losses, gradients)
    });
    traced.unwrap_or_else(|found| panic!("{found}"))
}

pub fn inputs<M: Model>(model: &M, program: &Program) -> Vec<Array> {
    let mut random = Random(4);
    let training = training();
    let mut fed: Vec<(String, Vec<f64>)> = Vec::new();
    let fields = model.fields(&training);
    let pairs = |name: &str| fields.iter().any(|field| field.name == name);
    for (name, segments) in
        [("tokens", "segments"), ("source", "source_segments"), ("target", "target_segments")]
    {
        if let Some(length) = fields.iter().find(|field| field.name == name).map(|field| field.dims[1].1) {
            let [tokens, numbers] = packed(training.batch, length, &mut random);
            fed.push((name.to_string(), tokens));
            if pairs(segments) {
                fed.push((segments.to_string(), numbers));
            }
        }
    }
    let one = |input: &meshwright_tensor::InputInfo| {
        let given = fed.iter().find(|(name, _)| **name == *input.name).map(|(_, values)| values.clone());
        let count = input.ty.elements() as usize;
        let drawn = given.unwrap_or_else(|| (0..count).map(|_| random.unit() - 0.5).collect());
        array(program, &input.name, &drawn)
    };
    program.inputs().iter().map(one).collect()
}

pub fn alone<M: Model>(model: &M, key: Option<u64>, parts: i64) -> Vec<Vec<f64>> {
    let mesh = Mesh::new([("one", 1)]).expect("a mesh");
    let program = program(model, &Rules::new(&mesh), key, parts);
    let found = meshwright_interp::run(program.module(), &inputs(model, &program)).expect("it runs");
    found.iter().map(numbers).collect()
}

pub fn together<M: Model>(
    model: &M,
    table: &Table,
    axes: &[(&str, i64)],
    key: Option<u64>,
    parts: i64,
) -> Vec<Vec<f64>> {
    let mesh = Mesh::new(axes.iter().copied()).expect("a mesh");
    let program = program(model, &table.rules(&mesh), key, parts);
    let options = meshwright_compile::Options::default();
    let compiled = meshwright_compile::partition(program.module().clone(), &options, &mut Unobserved)
        .unwrap_or_else(|found| panic!("{}: {}", table.name, Errors::from(found)));
    let found = run_spmd(&compiled.program, &inputs(model, &program)).expect("the partitioned program runs");
    found.iter().map(numbers).collect()
}

pub fn equal(ours: &[Vec<f64>], theirs: &[Vec<f64>]) {
    assert_eq!(ours.len(), theirs.len());
    assert!(theirs.iter().skip(2).flatten().any(|x| *x != 0.0), "nothing was learnt");
    ours.iter().zip(theirs).for_each(|(a, b)| close(a, b, 1e-10));
}
