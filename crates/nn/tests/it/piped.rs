//! Pipelines of any sizes are the models without them: losses and gradients in f64, on one device and on several.

use crate::support;

use meshwright_campaign::global::run_spmd;
use meshwright_compile::{Options, Unobserved};
use meshwright_interp::Tensor as Array;
use meshwright_nn::models::encoder_decoder::EncoderDecoder;
use meshwright_nn::models::language::Language;
use meshwright_nn::models::piped::Piped;
use meshwright_nn::models::step::Model;
use meshwright_nn::models::strategy::{PIPELINED, PIPELINED_EXPERTS, Table};
use meshwright_nn::models::transformer::Transformer;
use meshwright_tensor::prelude::*;
use support::tiny::{SIZES, SPARSE, dense2d, gshard, inputs, program, t5, training};
use support::{Random, array, close, numbers};

/// A model whose blocks can be laid on stages.
trait Laid: Model {
    fn laid(&self, blocks: usize, net: impl Fn(Transformer) -> Transformer) -> Self;
}

impl Laid for Language {
    fn laid(&self, blocks: usize, net: impl Fn(Transformer) -> Transformer) -> Self {
        Language { blocks, net: net(self.net.clone()), ..self.clone() }
    }
}

impl Laid for EncoderDecoder {
    fn laid(&self, blocks: usize, net: impl Fn(Transformer) -> Transformer) -> Self {
        EncoderDecoder { encoder: blocks, decoder: blocks, net: net(self.net.clone()), ..self.clone() }
    }
}

/// Sizes of a pipeline.
#[derive(Clone, Copy, Debug)]
struct Case {
    piped: Piped,
    /// Layers of a stage, in each round; of the model's periods.
    layers: i64,
    /// Whether each block is computed again, too.
    blocks_again: bool,
}

impl Case {
    fn blocks(self, period: usize) -> usize {
        (self.piped.stages * self.piped.rounds * self.layers) as usize * period
    }

    /// Numbers of a tensor of the pipeline's, from those of the model whose blocks lie in piles by period: block `i` of
    /// a stage is slice `.. + i / period` of pile `i % period`.
    fn laid(self, name: &str, period: usize, of: &dyn Fn(&str) -> Vec<f64>) -> Vec<f64> {
        let Some((head, tail)) = name.split_once("block_") else { return of(name) };
        let (block, rest) = tail.split_once('.').expect("a block's parameter");
        let block: usize = block.parse().expect("a number");
        let pile = of(&format!("{head}block_{}.{rest}", block % period));
        let Piped { stages, rounds, .. } = self.piped;
        let size = pile.len() / (stages * rounds * self.layers) as usize;
        let runs = (0..stages).flat_map(|stage| (0..rounds).map(move |round| round * stages + stage));
        let slice = |run: i64| &pile[(run * self.layers) as usize * size + block / period * size..][..size];
        runs.flat_map(slice).copied().collect()
    }
}

/// The model as it is, with its blocks in a loop, and as a pipeline.
fn both<M: Laid>(model: &M, case: Case, period: usize) -> (M, M) {
    let blocks = case.blocks(period);
    let plain = model.laid(blocks, |net| Transformer { stacked: true, ..net });
    let again = case.blocks_again;
    let piped = model.laid(blocks, |net| Transformer { pipeline: Some(case.piped), recompute: again, ..net });
    (plain, piped)
}

/// Losses and gradients, of the model without a pipeline; and of the pipeline over a mesh, or on one device.
fn held<M: Laid>(model: &M, case: Case, period: usize, over: Option<(&Table, &[(&str, i64)])>) {
    let (plain, piped) = both(model, case, period);
    piped.check(&training()).unwrap_or_else(|found| panic!("{case:?}: {found:?}"));
    let one = Rules::new(&Mesh::new([("one", 1)]).expect("a mesh"));
    let alone = program(&plain, &one, None, 1);
    let given = inputs(&plain, &alone);
    let theirs: Vec<Vec<f64>> =
        meshwright_interp::run(alone.module(), &given).expect("it runs").iter().map(numbers).collect();
    let rules =
        over.map_or(one, |(table, axes)| table.rules(&Mesh::new(axes.iter().copied()).expect("a mesh")));
    let program = program(&piped, &rules, None, 1);
    let known: Vec<(String, Vec<f64>)> = alone
        .inputs()
        .iter()
        .zip(&given)
        .map(|(input, array)| (input.name.to_string(), numbers(array)))
        .collect();
    let of = |name: &str| known.iter().find(|(known, _)| known == name).expect("an input").1.clone();
    let given: Vec<Array> = program
        .inputs()
        .iter()
        .map(|input| array(&program, &input.name, &case.laid(&input.name, period, &of)))
        .collect();
    let found = match over {
        None => meshwright_interp::run(program.module(), &given).expect("it runs"),
        Some(_) => {
            let module = program.module().clone();
            let compiled = meshwright_compile::partition(module, &Options::default(), &mut Unobserved);
            let compiled = compiled.unwrap_or_else(|found| panic!("{case:?}: {}", Errors::from(found)));
            run_spmd(&compiled.program, &given).expect("it runs")
        }
    };
    let at = |name: &str| alone.results().iter().position(|result| *result.name == *name).expect("a result");
    for (ours, result) in found.iter().zip(program.results()) {
        // Counts are of the same groups in another order.
        if !result.name.contains("counts") {
            let theirs = case.laid(&result.name, period, &|name| theirs[at(name)].clone());
            close(&numbers(ours), &theirs, 1e-10);
        }
    }
}

fn drawn(random: &mut Random, stages: i64, most_rounds: usize) -> Case {
    let mut one_of = |all: &[i64]| all[random.below(all.len())];
    let microbatches = one_of(&[1, 2, 4, 8]);
    let (layers, again) = (one_of(&[1, 2]), one_of(&[0, 1, 2]));
    let rounds = 1 + random.below(most_rounds) as i64;
    let piped = Piped { stages, rounds, microbatches, recompute: again == 1 };
    Case { piped, layers, blocks_again: again == 2 }
}

#[test]
fn any_pipeline_of_any_model_is_the_model_without_it() {
    let mut random = Random(21);
    for at in 0..8 {
        let stages = 1 + random.below(4) as i64;
        let case = drawn(&mut random, stages, 3);
        match at % 4 {
            0 => held(&dense2d(&SIZES), case, 1, None),
            1 => held(&Language { packed: true, ..dense2d(&SPARSE) }, case, 2, None),
            2 => held(&t5(), case, 1, None),
            _ => held(&gshard_without_chance(), case, 2, None),
        }
    }
}

/// Dropout and second experts are drawn by the microbatch: nothing that a model without a pipeline could repeat.
fn gshard_without_chance() -> EncoderDecoder {
    let base = gshard();
    EncoderDecoder { net: Transformer { dropout: 0.0, ..base.net }, ..base }
}

#[test]
fn any_pipeline_over_any_mesh_is_the_model_without_it() {
    let meshes: [&[(&str, i64)]; 5] = [
        &[("stage", 8), ("x", 1), ("y", 1)],
        &[("stage", 4), ("x", 2), ("y", 1)],
        &[("stage", 2), ("x", 2), ("y", 2)],
        &[("stage", 4), ("x", 1), ("y", 2)],
        &[("stage", 2), ("x", 4), ("y", 1)],
    ];
    let mut random = Random(22);
    for mesh in meshes {
        let case = drawn(&mut random, mesh[0].1, 2);
        held(&dense2d(&SIZES), case, 1, Some((&PIPELINED, mesh)));
    }
}

#[test]
fn pipelines_of_experts_are_the_models_without_them() {
    let mut random = Random(23);
    for _ in 0..2 {
        let case = drawn(&mut random, 2, 2);
        held(&gshard_without_chance(), case, 2, Some((&PIPELINED_EXPERTS, &[("x", 2), ("y", 2)])));
    }
}
