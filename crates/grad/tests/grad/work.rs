//! How much a gradient computes, and how large it is.

use crate::check::parse;
use crate::golden::{gradient, read};
use meshwright_cost::compute::work;
use meshwright_grad::Options;
use meshwright_ir::op::{Convert, Foreign, Scan, UnaryOp};
use meshwright_ir::{Attr, BlockId, Editor, FuncId, Function, Module, Op, Type, mark, raise_scan};
use std::path::Path;

/// Flops of a module's entry: loop bodies times their trips, called functions at each call.
fn flops(module: &Module) -> f64 {
    let mut module = module.clone();
    raise_scan(&mut module);
    of_function(&module, module.entry)
}

fn of_function(module: &Module, func: FuncId) -> f64 {
    let func = &module.funcs[func];
    of_block(module, func, func.root())
}

fn of_block(module: &Module, func: &Function, block: BlockId) -> f64 {
    let insts = func.block(block).insts.iter();
    insts
        .map(|inst| {
            let it = func.inst(*inst);
            let types = |values: &[meshwright_ir::ValueId]| -> Vec<Type> {
                values.iter().map(|value| func.ty(*value).clone()).collect()
            };
            let (operands, results) = (types(&it.operands), types(&it.results));
            let own =
                work(&it.op, &operands.iter().collect::<Vec<_>>(), &results.iter().collect::<Vec<_>>()).flops;
            let inner = it.regions.iter().map(|region| of_block(module, func, *region)).sum::<f64>();
            match &it.op {
                Op::Scan(Scan { trips, .. }) => inner * *trips as f64,
                Op::Call(call) => of_function(module, call.callee),
                Op::Foreign(Foreign::Composite(composite)) => of_function(module, composite.decomposition),
                Op::Control(_) | Op::Sharding(_) => inner,
                _ => own,
            }
        })
        .sum()
}

/// Work by kind of op.
fn table(module: &Module) -> Vec<(String, f64)> {
    let mut module = module.clone();
    raise_scan(&mut module);
    let mut rows: std::collections::BTreeMap<String, f64> = Default::default();
    add_rows(&module, module.entry, &mut rows);
    rows.into_iter().collect()
}

fn add_rows(module: &Module, func: FuncId, rows: &mut std::collections::BTreeMap<String, f64>) {
    let func = &module.funcs[func];
    for inst in &func.block(func.root()).insts {
        let it = func.inst(*inst);
        let types = |values: &[meshwright_ir::ValueId]| -> Vec<Type> {
            values.iter().map(|value| func.ty(*value).clone()).collect()
        };
        let (operands, results) = (types(&it.operands), types(&it.results));
        let own =
            work(&it.op, &operands.iter().collect::<Vec<_>>(), &results.iter().collect::<Vec<_>>()).flops;
        *rows.entry(it.op.mnemonic().to_string()).or_default() += own;
        if let Op::Call(call) = &it.op {
            add_rows(module, call.callee, rows);
        }
    }
}

/// Where two tables differ.
fn difference(ours: &[(String, f64)], theirs: &[(String, f64)]) -> String {
    let find =
        |rows: &[(String, f64)], name: &str| rows.iter().find(|row| row.0 == name).map_or(0.0, |row| row.1);
    let mut names: Vec<&String> = ours.iter().chain(theirs).map(|row| &row.0).collect();
    names.sort();
    names.dedup();
    let rows = names.into_iter().map(|name| (name, find(ours, name), find(theirs, name)));
    rows.filter(|row| row.1 != row.2).map(|(name, a, b)| format!("{name}: {a} {b} {}\n", a - b)).collect()
}

/// The fixture's marks of stopped gradients as ours.
fn stopped(mut module: Module) -> Module {
    let mut count = 0;
    for func in module.funcs.values_mut() {
        for inst in func.insts_in_order() {
            if matches!(func.inst(inst).op, Op::Convert(Convert::ReducePrecision { .. })) {
                let mut editor = Editor::new(func);
                editor.set_op(inst, Op::Unary(UnaryOp::Copy));
                editor.attrs_mut(inst).set(mark::STOP_GRADIENT, Attr::Unit);
                count += 1;
            }
        }
    }
    assert!(count > 0);
    module
}

#[test]
fn the_yardstick_takes_no_more_flops_than_jax() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden_grad/yardstick");
    let ours = gradient(&stopped(read(&folder.join("forward.mlir"))), &Options::default());
    let theirs = read(&folder.join("gradient.mlir"));
    let (a, b) = (flops(&ours), flops(&theirs));
    assert!(a <= b, "ours {a}, JAX's {b}: {:.4}\n{}", a / b, difference(&table(&ours), &table(&theirs)));
}

/// A Transformer's layers as a scan over stacked weights.
fn layers(count: usize) -> String {
    let mut text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden_grad/scanned_layers/module.mlir"),
    )
    .unwrap();
    for (from, to) in [
        ("dense<4> : tensor<i64>", format!("dense<{count}> : tensor<i64>")),
        ("dense<4> : tensor<i32>", format!("dense<{count}> : tensor<i32>")),
        ("<4x4x4xf64>", format!("<{count}x4x4xf64>")),
        ("<4x4x8xf64>", format!("<{count}x4x8xf64>")),
    ] {
        text = text.replace(from, &to);
    }
    text
}

#[test]
fn a_gradient_does_not_grow_with_depth() {
    let size = |count: usize| {
        let module = gradient(&parse(&layers(count)), &Options::default());
        module.funcs.values().map(|func| func.insts_in_order().len()).sum::<usize>()
    };
    assert_eq!(size(16), size(64));
    assert_eq!(size(16), size(1024));
}
