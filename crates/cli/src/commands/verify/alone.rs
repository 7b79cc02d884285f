//! A module as one device runs it: nothing is split, so what it says of shardings is taken away.
//!
//! ```text
//! %1 = constraint %0 : <@mesh, [{"x"}]>
//! %2 = tanh %1                              =>      %2 = tanh %0
//! ```
//!
//! Values that are local over manual axes mean something on several devices only: a module with such a part is refused.

use meshwright_base::{Code, Diagnostic, IdMap};
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{Editor, Function, InstId, Module, Op, ValueId};

/// What an op about shardings is to one device.
enum Alone {
    /// Its operand.
    Operand,
    Nothing,
}

/// The module without annotations.
pub fn alone(module: &Module) -> Result<Module, Diagnostic> {
    if module.num_replicas.unwrap_or(1) > 1 {
        return Err(refused("it is for several replicas, which see arrays of their own"));
    }
    let mut module = Module { num_partitions: None, ..module.clone() };
    for func in module.funcs.values_mut() {
        let mut same: IdMap<ValueId, ValueId> = func.values().keys().collect();
        for inst in func.insts_in_order() {
            match of(func, inst)? {
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

fn of(func: &Function, inst: InstId) -> Result<Option<Alone>, Diagnostic> {
    let Op::Sharding(op) = &func.inst(inst).op else { return Ok(None) };
    match op {
        ShardingOp::Constraint { .. } | ShardingOp::Barrier { .. } | ShardingOp::Reshard(_) => {
            Ok(Some(Alone::Operand))
        }
        ShardingOp::Group { .. } => Ok(Some(Alone::Nothing)),
        ShardingOp::FullToShard { .. } | ShardingOp::ShardToFull { .. } | ShardingOp::Manual(_) => {
            Err(refused("it has a manual part, which one device cannot run"))
        }
        ShardingOp::Named { name, .. } => Err(refused(&format!("it has a named part, `{name}`"))),
    }
}

fn refused(why: &str) -> Diagnostic {
    Diagnostic::error(Code(614), format!("the module cannot be run on one device of the CPU engine: {why}"))
        .help("verify it on the interpreter: drop `--backend cpu`; where that takes too long, add `--scaled`")
}
