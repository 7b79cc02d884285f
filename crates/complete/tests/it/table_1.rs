//! The three rows of GSPMD's table 1, each completed in a whole training step from its seven annotations a layer:
//! weights as they enter, three activations. Gradients and moments carry no annotation inside the step.

use crate::support;

use meshwright_base::SourceText;
use meshwright_complete::{Options, agreement, complete};
use meshwright_ir::{Annotation, Module, ShardedModule};
use std::collections::BTreeMap;

const BSM: &[i64] = &[64, 512, 2048];
const BSH: &[i64] = &[64, 512, 8192];
const BSND: &[i64] = &[64, 512, 16, 128];
const MH: &[i64] = &[2048, 8192];
const HM: &[i64] = &[8192, 2048];
const MND: &[i64] = &[2048, 16, 128];

fn read(step: &str, name: &str) -> Module {
    let path = format!("{}/../../tests/xla/{step}/{name}", env!("CARGO_MANIFEST_DIR"));
    let source = SourceText::new(name, std::fs::read_to_string(path).expect("a text of XLA"));
    meshwright_text::hlo::parse(&source).expect("a module")
}

/// How often values of a shape are split in each way; values nothing uses and constants are counted too.
fn ways(sharded: &ShardedModule, shape: &[i64]) -> BTreeMap<String, usize> {
    let module = sharded.module();
    let mut found = BTreeMap::new();
    for func in module.funcs.values() {
        for block in func.blocks_in_order() {
            let results = func.block(block).insts.iter().flat_map(|inst| &func.inst(*inst).results);
            for value in func.block(block).params.iter().chain(results).map(|value| func.value(*value)) {
                let sharding = value.sharding.as_ref().and_then(Annotation::as_mesh);
                if let Some(sharding) = sharding.filter(|_| value.ty.dims() == shape) {
                    let way = support::show(module, sharding).replace("axis_0", "x").replace("axis_1", "y");
                    *found.entry(way).or_default() += 1;
                }
            }
        }
    }
    found
}

/// Complete a row; each shape's values must all be split as given, but for `except` of them.
fn check(step: &str, expect: &[(&[i64], &str, usize)]) {
    let (ours, report) =
        complete(read(step, "before_propagation.hlo"), &Options::default()).expect("completes");
    for (shape, way, except) in expect {
        let ways = ways(&ours, shape);
        let all: usize = ways.values().sum();
        let right = ways.get(*way).copied().unwrap_or(0);
        assert!(right > 5 && all - right <= *except, "{step}: {shape:?} should be {way}, are {ways:?}");
    }
    assert!(
        report.inferred > 5 * report.given,
        "{step}: {} given, {} inferred",
        report.given,
        report.inferred
    );
    let found = agreement(&ours, read(step, "after_propagation.hlo"));
    assert!(found.equal * 1000 >= found.total * 995, "{step}: {:#?}", found.differences);
}

#[test]
fn attempt_1_splits_m_over_x_and_h_over_y() {
    let weights = [(MH, "x,y", 0), (HM, "y,x", 0), (MND, "x,y,-", 0)];
    check(
        "dense_2d_attempt1",
        &[&weights[..], &[(BSM, "-,-,x", 0), (BSH, "-,-,y", 0), (BSND, "-,-,y,-", 0)]].concat(),
    );
}

#[test]
fn attempt_2_splits_the_batch_over_x() {
    let weights = [(MH, "x,y", 0), (HM, "y,x", 0), (MND, "x,y,-", 0)];
    check(
        "dense_2d_attempt2",
        &[&weights[..], &[(BSM, "x,-,-", 0), (BSH, "x,-,y", 0), (BSND, "x,-,y,-", 0)]].concat(),
    );
}

#[test]
fn finalized_also_splits_m_of_activations_over_y() {
    let weights = [(MH, "x,y", 0), (HM, "y,x", 0), (MND, "x,y,-", 0)];
    check(
        "dense_2d_finalized",
        &[&weights[..], &[(BSM, "x,-,y", 0), (BSH, "x,-,y", 0), (BSND, "x,-,y,-", 0)]].concat(),
    );
}
