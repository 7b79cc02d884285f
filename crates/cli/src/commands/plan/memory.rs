//! What the bytes of a device are: parameters, states of the optimizer, the batch, and what is alive between them at
//! the peak.

use meshwright_base::arrange::Arrange;
use meshwright_base::diagnostic::Place;
use meshwright_cost::machine::Habits;
use meshwright_cost::peak::{held_levels, held_peak, room};
use meshwright_ir::{Def, Function, Module, ValueId};

/// Bytes of one device, by what they are.
pub struct Memory {
    pub parameters: i64,
    /// Other state that a step replaces: moments, counters.
    pub optimizer: i64,
    pub batch: i64,
    /// All the rest at the peak.
    pub activations: i64,
    pub peak: i64,
    /// The largest values at the peak that are no parameters of the program.
    pub largest: Vec<Live>,
}

/// A value that is alive at the peak.
pub struct Live {
    pub bytes: i64,
    pub ty: String,
    /// What made it, and where that stands.
    pub what: String,
    pub place: Option<Place>,
}

impl Memory {
    /// On a machine whose compiler has these habits.
    pub fn of(module: &Module, habits: Habits) -> Memory {
        let main = module.main();
        let (mut parameters, mut optimizer, mut batch) = (0, 0, 0);
        for (value, info) in main.param_values().iter().zip(&main.params) {
            let bytes = main.ty(*value).byte_size();
            let name = main.value(*value).name.as_deref().unwrap_or("");
            match (info.donation.is_some(), name.starts_with("params")) {
                (_, true) => parameters += bytes,
                (true, false) => optimizer += bytes,
                (false, false) => batch += bytes,
            }
        }
        let peak = held_peak(module, habits);
        let activations = (peak - parameters - optimizer - batch).max(0);
        Memory { parameters, optimizer, batch, activations, peak, largest: largest(module, habits) }
    }

    /// The peak is what an engine's own plan says.
    pub fn is_planned_as(&mut self, peak: i64) {
        self.peak = peak;
        self.activations = (peak - self.parameters - self.optimizer - self.batch).max(0);
    }
}

/// Values that the step itself made, the largest first, wherever its loops are then.
fn largest(module: &Module, habits: Habits) -> Vec<Live> {
    let main = module.main();
    let alive = held_levels(module, habits).into_iter().flat_map(|level| level.alive);
    let is_made = |value: &ValueId| !main.param_values().contains(value);
    let mut alive: Vec<ValueId> = alive.filter(is_made).collect();
    alive.arrange_by_key(|value| (-room(main, *value), *value));
    alive.into_iter().map(|value| live(module, main, value)).collect()
}

fn live(module: &Module, func: &Function, value: ValueId) -> Live {
    let (ty, bytes) = (func.ty(value), func.ty(value).byte_size());
    let (what, place) = match func.value(value).def {
        Def::Param { .. } => ("carried by a loop".to_string(), None),
        Def::Result { inst, .. } => {
            let info = func.inst(inst);
            let source = module.sources.get(info.source);
            let name = source.and_then(|source| source.op_name.as_deref()).map(str::to_string);
            (name.unwrap_or_else(|| info.op.mnemonic().to_string()), module.place(info.source))
        }
    };
    Live { bytes, ty: ty.to_string(), what, place }
}
