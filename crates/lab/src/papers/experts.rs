//! GShard 3.1: flops of each einsum of Algorithm 2 on one device, where devices, groups and experts grow together and
//! each device keeps its tokens.
//!
//! They are counted in the program of one device, whose products are told apart by what they sum over.

use super::program::{exponent, partitioned};
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_cost::compute::work;
use meshwright_ir::{Function, Inst, Module, Op, Type};
use meshwright_nn::layers::ffn::Activation;
use meshwright_nn::models::strategy::EXPERT;
use meshwright_nn::moe::capacity::Capacity;
use meshwright_nn::moe::exchange::Exchange;
use meshwright_nn::moe::layer::{Experts, Gate};
use meshwright_nn::moe::route::Top2;
use meshwright_nn::moe::router::Precision;
use meshwright_nn::params::Specs;
use meshwright_tensor::Errors;
use meshwright_tensor::prelude::*;

/// The sizes of GShard's models (A.2), and the tokens that each of 2,048 cores has of a batch of 4M.
const MODEL: i64 = 1_024;
const HIDDEN: i64 = 8_192;
const TOKENS: i64 = 2_048;

const DEVICES: [i64; 5] = [128, 256, 512, 1_024, 2_048];

/// A part of Algorithm 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Line {
    Gates,
    Top2Gating,
    Dispatch,
    In,
    Out,
    Combine,
}

/// With the exponent of D that 3.1 gives to its flops on a device.
const LINES: [(Line, &str, f64); 6] = [
    (Line::Gates, "GSM,ME->GSE", 1.0),
    (Line::Top2Gating, "Top2Gating and softmax", 0.0),
    (Line::Dispatch, "GSEC,GSM->EGCM", 0.0),
    (Line::In, "EGCM,EMH->EGCH", 0.0),
    (Line::Out, "EGCH,EHM->GECM", 0.0),
    (Line::Combine, "GSEC,GECM->GSM", 0.0),
];

/// The forward pass of the layer over so many devices.
fn layer(devices: i64) -> Result<Program, Errors> {
    let experts = Experts {
        path: "moe".to_string(),
        model: MODEL,
        hidden: HIDDEN,
        experts: devices,
        groups: devices,
        gate: Gate::Top2(Top2::PAPER),
        capacity: Capacity::GShard,
        exchange: Exchange::Einsum,
        precision: Precision::Selective,
        activation: Activation::Relu,
        dropout: 0.0,
        scale: 1.0,
        biases: false,
        masking: 0.0,
    };
    let mesh = Mesh::new([("expert", devices)])?;
    trace_with("experts", &EXPERT.rules(&mesh), |t| {
        let mut specs = Specs::default();
        experts.declare(&mut specs);
        let x = t.input("x", f32, [("batch", devices), ("length", TOKENS), ("", MODEL)]);
        let params = specs.params(t, "params", f32);
        experts.apply(&params, x, None, None).0
    })
}

/// Flops of each line on one device.
fn counted(program: &Module) -> Vec<f64> {
    let main = program.main();
    let mut flops = vec![0.0; LINES.len()];
    for inst in main.block(main.root()).insts.iter().map(|inst| main.inst(*inst)) {
        let types = |values: &[_]| values.iter().map(|value| main.ty(*value)).collect::<Vec<&Type>>();
        let line = line_of(main, inst);
        let at = LINES.iter().position(|(other, ..)| *other == line).unwrap_or(0);
        flops[at] += work(&inst.op, &types(&inst.operands), &types(&inst.results)).flops;
    }
    flops
}

/// What is no product belongs to the gating.
fn line_of(main: &Function, inst: &Inst) -> Line {
    let Op::Dot(dot) = &inst.op else { return Line::Top2Gating };
    let lhs = main.ty(inst.operands[0]).dims();
    let summed: i64 = dot.contract.iter().map(|(dim, _)| lhs[*dim]).product();
    let has_hidden = main.ty(inst.results[0]).dims().contains(&HIDDEN);
    match summed {
        MODEL if has_hidden => Line::In,
        MODEL => Line::Gates,
        HIDDEN => Line::Out,
        TOKENS => Line::Dispatch,
        // All places of a group, of which there are two for each token.
        _ => Line::Combine,
    }
}

pub fn table() -> Result<Report, Failure> {
    let programs =
        DEVICES.map(|devices| partitioned(layer(devices), None).map(|one| one.program.into_module()));
    let programs: Vec<Module> = programs.into_iter().collect::<Result<_, _>>()?;
    let counts: Vec<Vec<f64>> = programs.iter().map(counted).collect();
    let mut grid =
        Grid::new(["GFLOP on a device", "D=128", "D=256", "D=512", "D=1024", "D=2048", "D^", "paper D^"]);
    let mut exponents = Vec::new();
    for (at, (_, name, paper)) in LINES.iter().enumerate() {
        let points: Vec<(f64, f64)> =
            DEVICES.iter().zip(&counts).map(|(devices, count)| (*devices as f64, count[at])).collect();
        let power = exponent(&points);
        exponents.push(power);
        let mut cells = vec![Cell::text(*name)];
        cells.extend(points.iter().map(|(_, flops)| Cell::shown(flops / 1e9, format!("{:.4}", flops / 1e9))));
        cells.extend([Cell::maybe(power, 2), Cell::number(*paper, 0)]);
        grid.row(cells);
    }
    let share = |count: &Vec<f64>| 100.0 * count[0] / count.iter().sum::<f64>();
    let shares: Vec<String> = counts.iter().map(|count| format!("{:.2}", share(count))).collect();
    let text = format!(
        "GShard 3.1: flops of Algorithm 2 on one of D devices, with D groups and experts, {TOKENS} tokens on each device, \
         M {MODEL}, H {HIDDEN}.\n\n{}\nThe gates' product is O(D), and {} % of all flops: \"in practice dominated by other \
         terms\". What is no product counts one flop for each element; its part over experts grows with D as the paper's \
         Cumsum does (5.2).\n",
        grid.to_text(),
        shares.join(", "),
    );
    Ok(Report::new(text).with("rows", grid.to_json()))
}
