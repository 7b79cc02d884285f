//! A module as one device runs it: nothing is split, so what it says of shardings is taken away.
//!
//! ```text
//! %1 = constraint %0 : <@mesh, [{"x"}]>
//! %2 = tanh %1                              =>      %2 = tanh %0
//! ```
//!
//! Values that are local over manual axes mean something on several devices only: a module with such a part is refused.

use meshwright_base::{Ask, Code, Diagnostic, IdMap};
use meshwright_ir::op::ShardingOp;
use meshwright_ir::verify::inst_name;
use meshwright_ir::{Editor, Function, InstId, Module, Op, ValueId};

/// What an op about shardings is to one device.
enum Alone {
    /// Its operand.
    Operand,
    Nothing,
}

/// The module without annotations.
pub fn alone(module: &Module) -> Result<Module, Diagnostic> {
    if let Some(replicas) = module.num_replicas.filter(|replicas| *replicas > 1) {
        return Err(refused(&format!("it is for {replicas} replicas, which see arrays of their own")));
    }
    let place = |func: &Function, inst: InstId| module.place(func.inst(inst).source);
    for func in module.funcs.values() {
        for inst in func.insts_in_order() {
            if let Some(why) = not_alone(func, inst) {
                return Err(refused(&why).at_place(place(func, inst)));
            }
        }
    }
    let mut module = Module { num_partitions: None, ..module.clone() };
    for func in module.funcs.values_mut() {
        let mut same: IdMap<ValueId, ValueId> = func.values().keys().collect();
        for inst in func.insts_in_order() {
            match of(&func.inst(inst).op) {
                None => continue,
                Some(Alone::Operand) => {
                    let info = func.inst(inst);
                    let pairs = info.results.iter().zip(&info.operands);
                    pairs.for_each(|(result, operand)| same[*result] = same[*operand]);
                }
                Some(Alone::Nothing) => {}
            }
            Editor::new(func).unlink(inst);
        }
        let values: Vec<ValueId> = func.values().keys().collect();
        let mut editor = Editor::new(func);
        editor.map_uses(|value| same[value]);
        values.into_iter().for_each(|value| editor.set_sharding(value, None));
        editor.result_info_mut().iter_mut().for_each(|info| info.sharding = None);
    }
    Ok(module)
}

fn of(op: &Op) -> Option<Alone> {
    let Op::Sharding(op) = op else { return None };
    match op {
        ShardingOp::Constraint { .. } | ShardingOp::Barrier { .. } | ShardingOp::Reshard(_) => {
            Some(Alone::Operand)
        }
        ShardingOp::Group { .. } => Some(Alone::Nothing),
        ShardingOp::FullToShard { .. }
        | ShardingOp::ShardToFull { .. }
        | ShardingOp::Manual(_)
        | ShardingOp::Named { .. } => None,
    }
}

/// Why one device cannot run an instruction, if so.
fn not_alone(func: &Function, inst: InstId) -> Option<String> {
    let Op::Sharding(op) = &func.inst(inst).op else { return None };
    let about = inst_name(func, inst);
    match op {
        ShardingOp::Constraint { .. }
        | ShardingOp::Barrier { .. }
        | ShardingOp::Reshard(_)
        | ShardingOp::Group { .. } => None,
        ShardingOp::FullToShard { .. } | ShardingOp::ShardToFull { .. } | ShardingOp::Manual(_) => {
            Some(format!("{about} belongs to a manual part, whose local values one device does not have"))
        }
        ShardingOp::Named { name, .. } => Some(format!(
            "{about} is a named part, `{name}`, which the engine has only when it is partitioned"
        )),
    }
}

/// `why` the engine does not compare a module.
pub fn refused(why: &str) -> Diagnostic {
    let message = format!("the module cannot be run on one device of the CPU engine: {why}");
    Diagnostic::error(Code(614), message)
        .help(format!("let the interpreter run both sides: drop `{}`", Ask::Text("backend", "cpu")))
}
