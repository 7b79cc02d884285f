//! Write the result back: every tensor value gets a closed sharding over a mesh of the module.
//!
//! What nothing reached is replicated over the first mesh. What functions, manual and named regions say of their edges
//! is written back too, refined as far as their open dims allowed. A result without an annotation whose buffer is
//! donated by a parameter is split as that parameter, so that a state stays where it is from step to step.

use crate::alike::Alike;
use crate::donated;
use crate::landmarks::{Landmark, op_of};
use crate::ports::Ports;
use crate::state::{SlotId, State};
use meshwright_ir::op::{ManualComputation, ShardingOp};
use meshwright_ir::{Annotation, Editor, FuncId, Module, Op, ResultInfo};
use meshwright_shard::{MeshId, Sharding};
use std::sync::Arc;

/// Closed shardings of slots: those that are equal are one.
struct Shared<'a> {
    state: &'a State,
    /// For what has none.
    mesh: MeshId,
    known: Alike<(SlotId, Arc<Sharding>)>,
    /// By their rank, those of slots that nothing is said of and nothing has reached.
    open: Vec<Option<Arc<Sharding>>>,
}

impl Shared<'_> {
    fn annotation(&mut self, slot: SlotId) -> Annotation {
        let (state, mesh) = (self.state, self.mesh);
        if state.is_untouched(slot) {
            let rank = state.rank(slot);
            self.open.resize(self.open.len().max(rank + 1), None);
            let shared = self.open[rank].get_or_insert_with(|| Arc::new(state.closed(slot, mesh)));
            return Annotation::Mesh(shared.clone());
        }
        let same = |known: &(SlotId, Arc<Sharding>)| state.closes_alike(slot, known.0, mesh);
        let make = || (slot, Arc::new(state.closed(slot, mesh)));
        Annotation::Mesh(self.known.first(state.closed_hash(slot), same, make).1.clone())
    }
}

/// Close every value. `mesh` is for what has none.
pub(crate) fn close(
    module: &mut Module,
    landmarks: &[Landmark],
    (state, ports): (&State, &Ports),
    mesh: MeshId,
) {
    let mut shared = Shared { state, mesh, known: Alike::new(), open: Vec::new() };
    for id in module.funcs.keys() {
        close_values(module, id, &mut shared);
        close_results(module, id, ports, &mut shared);
    }
    for landmark in landmarks {
        close_edges(module, *landmark, (state, ports), mesh);
    }
}

fn close_values(module: &mut Module, id: FuncId, shared: &mut Shared<'_>) {
    let mut editor = Editor::new(&mut module.funcs[id]);
    for value in editor.func().values().keys() {
        let is_tensor = editor.func().ty(value).as_tensor().is_some();
        let sharding = is_tensor.then(|| shared.annotation(shared.state.slot(id, value)));
        editor.set_sharding(value, sharding);
    }
}

/// The statements of manual and named regions follow their ports and results; no dim is left unspecified.
fn close_edges(module: &mut Module, landmark: Landmark, (state, ports): (&State, &Ports), mesh: MeshId) {
    let (id, inst) = landmark;
    let Op::Sharding(op) = op_of(module, landmark) else { return };
    let close = |slots: &[SlotId]| slots.iter().map(|slot| state.closed(*slot, mesh)).collect::<Vec<_>>();
    let results = module.funcs[id].inst(inst).results.iter().map(|value| state.slot(id, *value));
    let inputs = || close(ports.inputs.get(&landmark).map_or(&[], Vec::as_slice));
    let outputs = || close(&results.clone().collect::<Vec<_>>());
    let none = Vec::new;
    let op = match op.clone() {
        ShardingOp::Manual(manual) => ShardingOp::Manual(ManualComputation {
            in_shardings: inputs(),
            out_shardings: outputs(),
            ..manual
        }),
        ShardingOp::Named { name, .. } => {
            ShardingOp::Named { name, in_shardings: inputs(), out_shardings: outputs() }
        }
        ShardingOp::Constraint { .. } => ShardingOp::Constraint { unspecified: none() },
        ShardingOp::FullToShard { shape, .. } => ShardingOp::FullToShard { unspecified: none(), shape },
        ShardingOp::ShardToFull { shape, .. } => ShardingOp::ShardToFull { unspecified: none(), shape },
        ShardingOp::Group { .. } | ShardingOp::Barrier { .. } | ShardingOp::Reshard(_) => return,
    };
    Editor::new(&mut module.funcs[id]).set_op(inst, Op::Sharding(op));
}

fn close_results(module: &mut Module, id: FuncId, ports: &Ports, shared: &mut Shared<'_>) {
    let mut slots = ports.results.get(id).cloned().unwrap_or_default();
    if id == module.entry {
        for (param, result) in donated::aliases(&module.funcs[id]) {
            let is_free = module.funcs[id].results.get(result).is_some_and(|info| info.sharding.is_none());
            if let Some(slot) = slots.get_mut(result).filter(|_| is_free) {
                *slot = shared.state.slot(id, module.funcs[id].param_values()[param]);
            }
        }
    }
    let mut editor = Editor::new(&mut module.funcs[id]);
    let close = |(info, slot): (&mut ResultInfo, &SlotId)| {
        let is_tensor = info.ty.as_tensor().is_some();
        info.sharding = is_tensor.then(|| shared.annotation(*slot));
    };
    editor.result_info_mut().iter_mut().zip(&slots).for_each(close);
}
