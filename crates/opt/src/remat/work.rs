//! What it takes to run instructions again, on the plain machine whatever the target: they are compared with each other
//! alone. And what flops a program has.

use meshwright_cost::Machine;
use meshwright_cost::collective::CollectiveCost;
use meshwright_cost::compute;
use meshwright_cost::traffic::pattern_of;
use meshwright_ir::op::Control;
use meshwright_ir::{BlockId, FuncId, Function, InstId, Module, Op, Type};

/// Flops and seconds of an instruction, of what is in its regions nothing.
pub(super) fn of(func: &Function, inst: InstId) -> (f64, f64) {
    let info = func.inst(inst);
    let operands: Vec<&Type> = info.operands.iter().map(|value| func.ty(*value)).collect();
    let results: Vec<&Type> = info.results.iter().map(|value| func.ty(*value)).collect();
    let machine = Machine::default();
    if let Op::Collective(collective) = &info.op {
        let sum = |types: &[&Type]| types.iter().map(|ty| ty.byte_size()).sum::<i64>();
        let (pattern, size) = (pattern_of(&collective.kind), collective.group_size);
        let cost = CollectiveCost::of(pattern, size, sum(&operands), sum(&results), &machine);
        return (0.0, cost.seconds);
    }
    let work = compute::work(&info.op, &operands, &results);
    (work.flops, work.seconds(&machine))
}

/// The same of several.
pub(super) fn of_all(func: &Function, insts: &[InstId]) -> (f64, f64) {
    let each = insts.iter().map(|inst| of(func, *inst));
    each.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// Flops of the entry, loops as often as they run.
pub(super) fn entry_flops(module: &Module) -> f64 {
    function_flops(module, module.entry, 0)
}

fn function_flops(module: &Module, func: FuncId, depth: usize) -> f64 {
    const DEEPEST: usize = 64;
    match module.funcs.get(func) {
        Some(func) if depth < DEEPEST => block_flops(module, func, func.root(), depth),
        _ => 0.0,
    }
}

fn block_flops(module: &Module, func: &Function, block: BlockId, depth: usize) -> f64 {
    func.block(block).insts.iter().map(|inst| inst_flops(module, func, *inst, depth)).sum()
}

fn inst_flops(module: &Module, func: &Function, inst: InstId, depth: usize) -> f64 {
    let info = func.inst(inst);
    let inside =
        || info.regions.iter().map(|region| block_flops(module, func, *region, depth + 1)).sum::<f64>();
    match &info.op {
        Op::Call(call) => function_flops(module, call.callee, depth + 1),
        Op::Control(_) | Op::Scan(_) | Op::Sharding(_) => inside() * trips(module, func, inst),
        _ => of(func, inst).0,
    }
}

/// How often the regions of an instruction run, as far as one can tell.
pub(super) fn trips(module: &Module, func: &Function, inst: InstId) -> f64 {
    match &func.inst(inst).op {
        Op::Scan(scan) => scan.trips as f64,
        Op::Control(Control::While) => {
            meshwright_ir::raise_scan::trip_count(module, func, inst).unwrap_or(1) as f64
        }
        _ => 1.0,
    }
}
