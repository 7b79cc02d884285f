//! Axes that the edges of manual parts keep off.
//!
//! ```text
//! manual over {"model"}, in_shardings=[<@mesh, [{?}, {"data", ?}]>]      no dim of this operand takes `model`
//! ```
//!
//! An edge names all axes of the manual part that it means: the local shape is the global one cut by these. An open dim
//! there may take any other axis. Where all dims are closed, or nothing is said, there is nothing to keep off.

use crate::edges::{inputs, outputs};
use crate::landmarks::{Landmark, op_of};
use crate::ports::Ports;
use crate::state::{SlotId, State};
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{Annotation, Module, Op, ValueId};
use meshwright_shard::{AxisRef, Sharding, axis};

/// Bar them at one manual region or boundary.
pub(crate) fn bar_manual_axes(module: &Module, state: &mut State, ports: &Ports, landmark: Landmark) {
    let (id, inst) = landmark;
    let func = &module.funcs[id];
    let info = func.inst(inst);
    let stated = |value: &ValueId| func.value(*value).sharding.as_ref().and_then(Annotation::as_mesh);
    let known = op_of(module, landmark);
    let Op::Sharding(op) = known else { return };
    match op {
        ShardingOp::Manual(manual) => {
            let results = info.results.iter().map(|value| state.slot(id, *value)).zip(outputs(known));
            let entries = ports.inputs.get(&landmark).into_iter().flatten().copied().zip(inputs(known));
            for (slot, sharding) in entries.chain(results).collect::<Vec<_>>() {
                keep_off(state, slot, &manual.axes, sharding);
            }
        }
        ShardingOp::FullToShard { .. } | ShardingOp::ShardToFull { .. } => {
            let enters = matches!(op, ShardingOp::FullToShard { .. });
            let (global, local) =
                if enters { (&info.operands, &info.results) } else { (&info.results, &info.operands) };
            let (Some(global), Some(local)) = (global.first(), local.first()) else { return };
            if let (Some(sharding), Some(local)) = (stated(global), stated(local)) {
                keep_off(state, state.slot(id, *global), &local.manual, sharding);
            }
        }
        ShardingOp::Constraint { .. }
        | ShardingOp::Reshard(_)
        | ShardingOp::Named { .. }
        | ShardingOp::Barrier { .. }
        | ShardingOp::Group { .. } => {}
    }
}

fn keep_off(state: &mut State, slot: SlotId, manual: &[AxisRef], stated: &Sharding) {
    if stated.dims.iter().all(|dim| !dim.open) {
        return;
    }
    let named = stated.dims.iter().flat_map(|dim| &dim.axes).chain(&stated.manual).copied();
    let unnamed = axis::difference(manual, &named.collect::<Vec<_>>());
    let unnamed = state.lists.intern(&unnamed);
    state.bar(slot, unnamed);
}
