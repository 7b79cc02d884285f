//! Batched control flow: what is inside regions and called functions is batched; where cases go different ways, both
//! ways are computed and each case takes its own, or cases run one by one.

use super::annotate::lead;
use super::{Batch, function};
use meshwright_base::arrange::Arrange;
use meshwright_ir::copy::{ValueMap, copy_inst, mapped};
use meshwright_ir::op::{Call, CompareKind, Control, Direction, ManualComputation, Op, Scan, ShardingOp};
use meshwright_ir::{Attr, BlockId, Build, Editor, FuncId, InstId, Type, ValueId, mark};
use meshwright_shard::Sharding;

/// Run an instruction for one case after another: a scan without carried values.
pub(crate) fn case_by_case(b: &mut Batch<'_>, inst: InstId) -> Vec<ValueId> {
    let it = b.from.inst(inst).clone();
    let mut used: Vec<ValueId> = it.operands.iter().copied().chain(b.from.captures(inst)).collect();
    used.arrange();
    used.dedup();
    let cases: Vec<ValueId> = used.into_iter().filter(|value| b.is_batched(*value)).collect();
    let body = Editor::new(&mut b.out.func).block();
    let mut map = ValueMap::default();
    for value in &cases {
        let ty = b.from.ty(*value).clone();
        let param = Editor::new(&mut b.out.func).param(body, ty);
        map.insert(*value, param);
    }
    for value in it.operands.iter().copied().chain(b.from.captures(inst)) {
        map.entry(value).or_insert_with(|| b.value(value));
    }
    copy_inst(Some(&b.from), &mut b.out.func, inst, body, &mut map);
    let results = it.results.iter().map(|value| mapped(&map, *value)).collect();
    Editor::new(&mut b.out.func).set_results(body, results);
    let operands = cases.into_iter().map(|value| b.value(value)).collect();
    let scan = Op::Scan(Scan { trips: b.size, carries: 0, reverse: false });
    b.out.push_all(scan, operands, vec![body])
}

/// Whether a region of scalars uses a batched value from outside: then its op knows one case at a time.
pub(crate) fn uses_cases(b: &Batch<'_>, inst: InstId) -> bool {
    let it = b.from.inst(inst);
    let is_batched = matches!(it.op, Op::Scan(_) | Op::Control(_) | Op::Sharding(_));
    !is_batched && !it.regions.is_empty() && b.from.captures(inst).iter().any(|value| b.is_batched(*value))
}

fn flags(b: &Batch<'_>, values: &[ValueId]) -> Vec<bool> {
    values.iter().map(|value| b.is_batched(*value)).collect()
}

fn types(b: &Batch<'_>, values: &[ValueId]) -> Vec<Type> {
    values.iter().map(|value| b.type_of(*value)).collect()
}

/// A loop whose condition is one for all cases; otherwise one by one.
pub(crate) fn while_loop(b: &mut Batch<'_>, inst: InstId) -> Option<Vec<ValueId>> {
    let it = b.from.inst(inst).clone();
    let [cond, body] = it.regions[..] else { return None };
    if flags(b, &b.from.block(cond).results).contains(&true) {
        return None;
    }
    let state = flags(b, &b.from.block(body).params);
    let regions = vec![b.region(cond, &[false]), b.region(body, &state)];
    let operands = it.operands.iter().zip(&state).map(|(value, all)| b.wanted(*value, *all)).collect();
    let types = types(b, &it.results);
    Some(b.out.push_typed(it.op, operands, regions, types))
}

pub(crate) fn choice(b: &mut Batch<'_>, inst: InstId) -> Vec<ValueId> {
    let it = b.from.inst(inst).clone();
    let chosen = it.operands[0];
    if b.is_batched(chosen) {
        return both_ways(b, inst);
    }
    let wanted = flags(b, &it.results);
    let regions: Vec<BlockId> = it.regions.iter().map(|region| b.region(*region, &wanted)).collect();
    let types = types(b, &it.results);
    let operands = vec![b.value(chosen)];
    b.out.push_typed(it.op, operands, regions, types)
}

/// All branches in line; each case selects the results of its own.
fn both_ways(b: &mut Batch<'_>, inst: InstId) -> Vec<ValueId> {
    let it = b.from.inst(inst).clone();
    let mut branches: Vec<Vec<ValueId>> = Vec::new();
    for region in &it.regions {
        b.insts(*region);
        let results = b.from.block(*region).results.clone();
        branches.push(results.into_iter().map(|value| b.all_cases(value)).collect());
    }
    let index = b.value(it.operands[0]);
    let Some(mut chosen) = branches.last().cloned() else { return Vec::new() };
    // Out of range means the last, so what is not one of the others is the last.
    for (at, branch) in branches.iter().enumerate().rev().skip(1) {
        let pred = takes(b, &it.op, index, at);
        let pairs = branch.iter().zip(&chosen).map(|(own, other)| (*own, *other)).collect::<Vec<_>>();
        chosen = pairs.into_iter().map(|(own, other)| select_cases(b, pred, own, other)).collect();
    }
    chosen
}

/// Which cases take branch `at`, not the last.
fn takes(b: &mut Batch<'_>, op: &Op, index: ValueId, at: usize) -> ValueId {
    match op {
        Op::Control(Control::Case) => {
            let number = b.out.splat_like(index, at as f64);
            let compare =
                meshwright_ir::op::Compare { direction: Direction::Eq, kind: Some(CompareKind::Signed) };
            b.out.push(Op::Compare(compare), vec![index, number])
        }
        _ => index,
    }
}

fn select_cases(b: &mut Batch<'_>, pred: ValueId, own: ValueId, other: ValueId) -> ValueId {
    let shape = b.out.func.dims(own).to_vec();
    let pred = b.out.broadcast(pred, vec![0], &shape);
    b.out.select(pred, own, other)
}

/// A region that takes the operands and runs once.
pub(crate) fn once(b: &mut Batch<'_>, inst: InstId, op: Op) -> Vec<ValueId> {
    let it = b.from.inst(inst).clone();
    let wanted = flags(b, &it.results);
    let regions: Vec<BlockId> = it.regions.iter().map(|region| b.region(*region, &wanted)).collect();
    let operands = it.operands.iter().map(|value| b.value(*value)).collect();
    let types = types(b, &it.results);
    b.out.push_typed(op, operands, regions, types)
}

/// Shardings of edges, with one more dim where the edge is batched.
fn shift_edges(b: &Batch<'_>, values: &[ValueId], shardings: &[Sharding]) -> Vec<Sharding> {
    let each = |(value, sharding): (&ValueId, &Sharding)| {
        if b.is_batched(*value) { lead(sharding.clone()) } else { sharding.clone() }
    };
    values.iter().zip(shardings).map(each).collect()
}

pub(crate) fn named(b: &Batch<'_>, inst: InstId, name: &str, ins: &[Sharding], outs: &[Sharding]) -> Op {
    let it = b.from.inst(inst);
    Op::Sharding(ShardingOp::Named {
        name: name.to_string(),
        in_shardings: shift_edges(b, &it.operands, ins),
        out_shardings: shift_edges(b, &it.results, outs),
    })
}

pub(crate) fn manual(b: &mut Batch<'_>, inst: InstId, op: &ManualComputation) -> Vec<ValueId> {
    let it = b.from.inst(inst);
    let shifted = ManualComputation {
        in_shardings: shift_edges(b, &it.operands, &op.in_shardings),
        out_shardings: shift_edges(b, &it.results, &op.out_shardings),
        ..op.clone()
    };
    once(b, inst, Op::Sharding(ShardingOp::Manual(shifted)))
}

/// Cases stand behind the trips in what is stacked.
pub(crate) fn scan(b: &mut Batch<'_>, inst: InstId, op: &Scan) -> Vec<ValueId> {
    let it = b.from.inst(inst).clone();
    let region = it.regions[0];
    let params = b.from.block(region).params.clone();
    let mut operands = Vec::new();
    for (at, (operand, param)) in it.operands.iter().zip(&params).enumerate() {
        let value = b.wanted(*operand, b.is_batched(*param));
        let stacked = at >= op.carries && b.is_batched(*param);
        operands.push(if stacked { exchange(b, value) } else { value });
    }
    let carried = flags(b, &params[..op.carries]);
    let stacked = flags(b, &it.results[op.carries..]);
    let wanted: Vec<bool> = carried.into_iter().chain(stacked).collect();
    let body = b.region(region, &wanted);
    let made = b.out.push_all(Op::Scan(op.clone()), operands, vec![body]);
    let turn = |(at, value): (usize, ValueId)| {
        if at >= op.carries && wanted[at] { exchange(b, value) } else { value }
    };
    made.into_iter().enumerate().map(turn).collect()
}

/// The first two dims in the other order.
fn exchange(b: &mut Batch<'_>, x: ValueId) -> ValueId {
    let rank = b.out.func.dims(x).len();
    let mut permutation: Vec<usize> = (0..rank).collect();
    permutation.swap(0, 1);
    b.out.transpose(x, permutation)
}

pub(crate) fn call(b: &mut Batch<'_>, inst: InstId, callee: FuncId) -> Option<Vec<ValueId>> {
    let it = b.from.inst(inst).clone();
    if it.attrs.get(mark::BACKWARD).is_some() {
        return custom(b, inst, callee);
    }
    let params = flags(b, &it.operands);
    let size = b.size;
    let made = function(b.out.module, b.out.shared, callee, size, params, false)?;
    let operands = it.operands.iter().map(|value| b.value(*value)).collect();
    let types = types(b, &it.results);
    Some(b.out.push_typed(Op::Call(Call { callee: made }), operands, Vec::new(), types))
}

/// A call with derivatives of its own: all of its functions for all cases of everything, so that each operand's
/// cotangent has one element per case.
fn custom(b: &mut Batch<'_>, inst: InstId, callee: FuncId) -> Option<Vec<ValueId>> {
    let it = b.from.inst(inst).clone();
    let size = b.size;
    let whole = |b: &mut Batch<'_>, func: FuncId| {
        let count = b.out.module.funcs.get(func)?.param_values().len();
        function(b.out.module, b.out.shared, func, size, vec![true; count], true)
    };
    let made = whole(b, callee)?;
    let operands: Vec<ValueId> = it.operands.iter().map(|value| b.all_cases(*value)).collect();
    let mut names = Vec::new();
    for name in [mark::FORWARD, mark::BACKWARD] {
        let Some(Attr::Str(func)) = it.attrs.get(name) else { continue };
        let func = b.out.module.func_named(func)?;
        let func = whole(b, func)?;
        names.push((name, b.out.module.funcs[func].name.clone()));
    }
    let types = types(b, &it.results);
    let results = b.out.push_typed(Op::Call(Call { callee: made }), operands, Vec::new(), types);
    let inst = results.first().and_then(|value| b.out.func.def_inst(*value))?;
    let mut attrs = it.attrs;
    names.into_iter().for_each(|(name, func)| attrs.set(name, Attr::Str(func)));
    *Editor::new(&mut b.out.func).attrs_mut(inst) = attrs;
    Some(results)
}
