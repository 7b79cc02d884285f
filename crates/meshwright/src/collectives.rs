//! The collectives of one run of a program, for people: each kind once, with how often it is done.
//!
//! Loops count as often as they go round, where that is known, and called functions as often as they are called; of
//! branches all count. One walk over every call.

use meshwright_base::units::bytes;
use meshwright_cost::traffic::pattern_of;
use meshwright_ir::op::{Collective, Control, Groups};
use meshwright_ir::raise_scan::trip_count;
use meshwright_ir::{BlockId, Function, InstId, Module, Op, ValueId};

/// A line for each kind of collective, by op, result types, axes and bytes, in the order of the first of each.
pub(crate) fn lines(module: &Module) -> String {
    let mut walk = CollectiveWalk { module, found: Vec::new(), depth: 0 };
    let main = module.main();
    walk.block(main, main.root(), 1);
    let line = |(name, times): &(String, i64)| match times {
        1 => format!("  {name}\n"),
        times => format!("  {name}, {times} times\n"),
    };
    walk.found.iter().map(line).collect()
}

/// Bytes that a device sends in one run.
fn sent(func: &Function, inst: InstId, op: &Collective) -> f64 {
    let size = |values: &[ValueId]| values.iter().map(|value| func.ty(*value).byte_size()).sum::<i64>();
    let (input, output) = (size(&func.inst(inst).operands), size(&func.inst(inst).results));
    meshwright_cost::collective::sent(pattern_of(&op.kind), op.group_size, input as f64, output as f64)
}

struct CollectiveWalk<'a> {
    module: &'a Module,
    /// What is done, and how often.
    found: Vec<(String, i64)>,
    depth: usize,
}

impl CollectiveWalk<'_> {
    fn block(&mut self, func: &Function, block: BlockId, times: i64) {
        const DEEPEST: usize = 256;
        if self.depth == DEEPEST {
            return;
        }
        self.depth += 1;
        for inst in &func.block(block).insts {
            self.inst(func, *inst, times);
        }
        self.depth -= 1;
    }

    fn inst(&mut self, func: &Function, id: InstId, times: i64) {
        let inst = func.inst(id);
        let inside = match &inst.op {
            Op::Collective(op) => {
                let types: Vec<String> = inst.results.iter().map(|v| func.ty(*v).to_string()).collect();
                let line = format!("{} -> {}{}", op.mnemonic(), types.join(", "), self.over(&op.groups));
                return self.count(format!("{line}, sends {}", bytes(sent(func, id, op))), times);
            }
            Op::Call(call) => {
                if let Some(callee) = self.module.funcs.get(call.callee) {
                    self.block(callee, callee.root(), times);
                }
                return;
            }
            Op::Scan(scan) => times.saturating_mul(scan.trips),
            Op::Control(Control::While) => {
                times.saturating_mul(trip_count(self.module, func, id).unwrap_or(1))
            }
            _ => times,
        };
        for region in &inst.regions {
            self.block(func, *region, inside);
        }
    }

    /// ` over x*y`, where groups are written by axes.
    fn over(&self, groups: &Groups) -> String {
        let Groups::Axes { mesh, axes } = groups else { return String::new() };
        let mesh = self.module.meshes.get(*mesh);
        mesh.map_or(String::new(), |mesh| format!(" over {}", meshwright_explain::short_axes(axes, mesh)))
    }

    fn count(&mut self, name: String, times: i64) {
        match self.found.iter_mut().find(|known| known.0 == name) {
            Some(known) => known.1 = known.1.saturating_add(times),
            None => self.found.push((name, times)),
        }
    }
}
