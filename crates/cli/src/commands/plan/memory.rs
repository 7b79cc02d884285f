//! What the bytes of a device are: parameters, states of the optimizer, the batch, and what is alive between them at
//! the peak.

use meshwright_base::arrange::Arrange;
use meshwright_base::diagnostic::Place;
use meshwright_cost::machine::Habits;
use meshwright_cost::peak::{held_levels, held_peak, room};
use meshwright_ir::{Def, Function, Module, ValueId};

/// Bytes of one device, by what they are.
pub struct Memory {
    /// Inputs by what they are for.
    pub inputs: Inputs,
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

/// Bytes of what a step is given.
pub enum Inputs {
    /// Of a module of ours, which names its parameters.
    Named {
        parameters: i64,
        /// Other state that a step replaces: moments, counters.
        optimizer: i64,
        batch: i64,
    },
    /// Of others' modules, which do not say what a parameter is.
    Plain {
        /// What is donated to the step: it comes back changed.
        state: i64,
        /// What it only reads.
        read: i64,
    },
}

/// Whether a name is that of a parameter: `params.up`, `params['up']`, `state.params[0]`. The optimizer's own state may
/// repeat such names, further behind: `opt_state[0].mu['params']['up']`.
fn is_parameter(name: &str) -> bool {
    let is_of_word = |of: char| of.is_alphanumeric() || of == '_';
    name.split(|of| !is_of_word(of))
        .filter(|part| !part.is_empty())
        .take(2)
        .any(|part| part.starts_with("params"))
}

impl Inputs {
    fn of(main: &Function) -> Inputs {
        let (mut parameters, mut state, mut read) = (0, 0, 0);
        for (value, info) in main.param_values().iter().zip(&main.params) {
            let bytes = main.ty(*value).byte_size();
            let name = info.name.as_deref().or(main.value(*value).name.as_deref());
            match (info.donation.is_some(), name.is_some_and(is_parameter)) {
                (_, true) => parameters += bytes,
                (true, false) => state += bytes,
                (false, false) => read += bytes,
            }
        }
        match parameters {
            0 => Inputs::Plain { state, read },
            parameters => Inputs::Named { parameters, optimizer: state, batch: read },
        }
    }

    /// Each with what it is called.
    pub fn rows(&self) -> Vec<(&'static str, i64)> {
        match *self {
            Inputs::Named { parameters, optimizer, batch } => {
                vec![("parameters", parameters), ("optimizer state", optimizer), ("batch", batch)]
            }
            Inputs::Plain { state: 0, read } => vec![("inputs", read)],
            Inputs::Plain { state, read } => {
                vec![("donated state", state), ("read-only inputs", read)]
            }
        }
    }

    /// What stays between steps.
    pub fn state(&self) -> i64 {
        match *self {
            Inputs::Named { parameters, optimizer, .. } => parameters + optimizer,
            Inputs::Plain { state, .. } => state,
        }
    }

    fn all(&self) -> i64 {
        self.rows().iter().map(|(_, bytes)| bytes).sum()
    }
}

impl Memory {
    /// On a machine whose compiler has these habits.
    pub fn of(module: &Module, habits: Habits) -> Memory {
        let main = module.main();
        let (inputs, peak) = (Inputs::of(main), held_peak(module, habits));
        let activations = (peak - inputs.all()).max(0);
        Memory { inputs, activations, peak, largest: largest(module, habits) }
    }

    /// The peak is what an engine's own plan says.
    pub fn is_planned_as(&mut self, peak: i64) {
        self.peak = peak;
        self.activations = (peak - self.inputs.all()).max(0);
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

#[cfg(test)]
mod tests {
    use super::is_parameter;

    #[test]
    fn parameters_are_told_by_what_the_program_calls_them() {
        for name in
            ["params.up", "params_up", "params['up']['kernel']", "state.params[0]", "state['params']['w']"]
        {
            assert!(is_parameter(name), "{name}");
        }
        for name in ["x", "p['w']", "opt_state[0].mu['params']['w']", "moments.up", "arg0"] {
            assert!(!is_parameter(name), "{name}");
        }
    }
}
