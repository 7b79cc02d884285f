//! Shrink the program itself: fewer results, ops replaced by parameters, less said of shardings.

use super::Search;
use super::copy::copied;
use crate::generate::Case;
use meshwright_base::IdMap;
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{Annotation, Editor, Function, Module, Op, ValueId};
use meshwright_shard::Sharding;

/// Cut down as far as it goes.
pub(super) fn shrink_module(search: &mut Search<'_>) {
    while fewer_results(search) || fewer_ops(search) || fewer_annotations(search) || plain_order(search) {}
}

fn with(case: &Case, module: Module) -> Case {
    // A program that was cut down has no choices to replay.
    Case { module, tape: Vec::new(), ..case.clone() }
}

fn fewer_results(search: &mut Search<'_>) -> bool {
    let count = search.case.module.main().results.len();
    let singles = (0..count).map(|at| vec![at]);
    let without = (0..count).map(|at| (0..count).filter(|other| *other != at).collect());
    let choices: Vec<Vec<usize>> = singles.chain(without).filter(|kept| !kept.is_empty()).collect();
    choices.into_iter().any(|kept| search.offer(with(&search.case, copied(&search.case.module, &kept, &[]))))
}

/// Results of an op become parameters, last op first; or an op's result is its operand.
fn fewer_ops(search: &mut Search<'_>) -> bool {
    let main = search.case.module.main();
    let all: Vec<usize> = (0..main.results.len()).collect();
    let insts: Vec<Vec<ValueId>> =
        main.block(main.root()).insts.iter().rev().map(|inst| main.inst(*inst).results.clone()).collect();
    let local = local_values(main);
    insts.into_iter().any(|results| {
        let may_be_given = !results.iter().any(|value| local[*value]);
        (may_be_given && search.offer(with(&search.case, copied(&search.case.module, &all, &results))))
            || results.first().is_some_and(|result| bypassed(search, *result))
    })
}

/// Values between FullToShard and ShardToFull: a parameter cannot stand in for them.
fn local_values(func: &Function) -> IdMap<ValueId, bool> {
    let mut local = IdMap::filled(func.value_count(), false);
    for inst in &func.block(func.root()).insts {
        let inst = func.inst(*inst);
        let is_local = match &inst.op {
            Op::Sharding(ShardingOp::FullToShard { .. }) => true,
            Op::Sharding(ShardingOp::ShardToFull { .. }) => false,
            _ => inst.operands.iter().any(|operand| local[*operand]),
        };
        inst.results.iter().for_each(|result| local[*result] = is_local);
    }
    local
}

/// Users of a value use an operand of the same type instead.
fn bypassed(search: &mut Search<'_>, value: ValueId) -> bool {
    let main = search.case.module.main();
    let Some(inst) = main.def_inst(value) else { return false };
    let operands: Vec<ValueId> = main
        .inst(inst)
        .operands
        .iter()
        .copied()
        .filter(|operand| main.ty(*operand) == main.ty(value))
        .collect();
    let all: Vec<usize> = (0..main.results.len()).collect();
    operands.into_iter().any(|operand| {
        let mut module = search.case.module.clone();
        let entry = module.entry;
        let root = module.funcs[entry].root();
        let mut editor = Editor::new(&mut module.funcs[entry]);
        editor.map_uses(|used| if used == value { operand } else { used });
        let results = editor.func().result_values().to_vec();
        editor.set_results(root, results);
        search.offer(with(&search.case, copied(&module, &all, &[])))
    })
}

/// Where a sharding is written.
#[derive(Clone, Copy)]
enum Said {
    Of(ValueId),
    OfResult(usize),
}

fn fewer_annotations(search: &mut Search<'_>) -> bool {
    let main = search.case.module.main();
    let values = main.values().keys().filter(|value| main.value(*value).sharding.is_some()).map(Said::Of);
    let results =
        (0..main.results.len()).filter(|at| main.results[*at].sharding.is_some()).map(Said::OfResult);
    let places: Vec<Said> = values.chain(results).collect();
    places.into_iter().any(|place| {
        let now = said(&search.case.module, place);
        if now.as_ref().is_some_and(|sharding| !sharding.manual.is_empty()) {
            return false;
        }
        let simpler = now.iter().flat_map(simpler).map(Some);
        let choices: Vec<Option<Sharding>> = std::iter::once(None).chain(simpler).collect();
        choices.into_iter().any(|sharding| {
            let mut module = search.case.module.clone();
            say(&mut module, place, sharding);
            search.offer(with(&search.case, module))
        })
    })
}

fn said(module: &Module, place: Said) -> Option<Sharding> {
    let annotation = match place {
        Said::Of(value) => module.main().value(value).sharding.as_ref(),
        Said::OfResult(at) => module.main().results[at].sharding.as_ref(),
    };
    annotation?.as_mesh().cloned()
}

fn say(module: &mut Module, place: Said, sharding: Option<Sharding>) {
    let entry = module.entry;
    let mut editor = Editor::new(&mut module.funcs[entry]);
    let sharding = sharding.map(Annotation::from);
    match place {
        Said::Of(value) => editor.set_sharding(value, sharding),
        Said::OfResult(at) => editor.result_info_mut()[at].sharding = sharding,
    }
}

/// Shardings that say one thing less.
fn simpler(sharding: &Sharding) -> Vec<Sharding> {
    let mut all = vec![sharding.closed(), Sharding { replicated: Vec::new(), ..sharding.clone() }];
    for (dim, split) in sharding.dims.iter().enumerate() {
        for axis in 0..split.axes.len() {
            let mut fewer = sharding.clone();
            fewer.dims[dim].axes.remove(axis);
            all.push(fewer);
        }
    }
    all
}

/// Devices in the order of their numbers.
fn plain_order(search: &mut Search<'_>) -> bool {
    let mut module = search.case.module.clone();
    for mesh in module.meshes.values_mut() {
        mesh.order = None;
    }
    search.offer(with(&search.case, module))
}
