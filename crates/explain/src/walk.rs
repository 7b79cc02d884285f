//! Every instruction that a program runs, with how often: loops by their trips, functions by their calls.

use meshwright_base::cancel;
use meshwright_ir::op::Control;
use meshwright_ir::raise_scan::trip_count;
use meshwright_ir::{BlockId, Function, InstId, Module, Op};

/// Look at each in program order, what a loop or call runs behind itself; of branches all.
pub fn each_run<'m>(module: &'m Module, look: &mut dyn FnMut(&'m Function, InstId, f64)) {
    let main = module.main();
    block(module, main, main.root(), (1.0, 0), look);
}

fn block<'m>(
    module: &'m Module,
    func: &'m Function,
    id: BlockId,
    (times, depth): (f64, usize),
    look: &mut dyn FnMut(&'m Function, InstId, f64),
) {
    const DEEPEST: usize = 256;
    if depth == DEEPEST {
        return;
    }
    for inst in &func.block(id).insts {
        cancel::look();
        look(func, *inst, times);
        let info = func.inst(*inst);
        let inside = match &info.op {
            Op::Call(call) => {
                if let Some(callee) = module.funcs.get(call.callee) {
                    block(module, callee, callee.root(), (times, depth + 1), look);
                }
                continue;
            }
            Op::Scan(scan) => times * scan.trips as f64,
            Op::Control(Control::While) => times * trip_count(module, func, *inst).unwrap_or(1) as f64,
            Op::Control(_) | Op::Sharding(_) => times,
            _ => continue,
        };
        for region in &info.regions {
            block(module, func, *region, (inside, depth + 1), look);
        }
    }
}
