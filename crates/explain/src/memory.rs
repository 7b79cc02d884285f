//! What is alive when, and at the peak.

use crate::layers::Layers;
use crate::model::{Alive, Label, Memory};
use crate::trace::{Input, name_of};
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_cost::peak::{peak_curve, peak_levels, room};
use meshwright_cost::program_peak;
use meshwright_ir::{Def, Function, Module, Op, ValueId};

pub fn memory(program: &Module, input: &Input, layers: &Layers) -> Memory {
    let func = program.main();
    let levels = peak_levels(program);
    let (made, last) = lifetimes(func);
    let at = levels.first().map(|level| level.place);
    let label = at.and_then(|at| func.block(func.root()).insts.get(at)).map(|inst| {
        let value = func.inst(*inst).results.first();
        value.map_or_else(Label::default, |value| local_label(func, *value, input))
    });
    let mut alive = Vec::new();
    for (depth, level) in levels.iter().enumerate() {
        let mut of_level: Vec<Alive> = level
            .alive
            .iter()
            .map(|value| {
                let source = func.def_inst(*value).map(|inst| func.inst(inst).source);
                Alive {
                    label: local_label(func, *value, input),
                    local: func.ty(*value).to_string(),
                    bytes: room(func, *value),
                    made: made[*value],
                    last_use: last[*value],
                    layer: source.map_or(layers.elsewhere(), |source| layers.at(source)),
                    inside: depth > 0,
                }
            })
            .collect();
        of_level.arrange_by_key(|value| std::cmp::Reverse(value.bytes));
        alive.extend(of_level);
    }
    Memory { peak: program_peak(program), at, label, alive, curve: peak_curve(program) }
}

/// As a user knows what it is a piece of; what is received is told by its collective.
fn local_label(func: &Function, value: ValueId, input: &Input) -> Label {
    let made_by = func.def_inst(value).map(|inst| &func.inst(inst).op);
    let known = input.key_through(func, value).map(|key| input.label(key, None));
    let mut label = known.unwrap_or_else(|| Label { name: name_of(func, value), ..Label::default() });
    if let Some(op) = made_by {
        label.op = match op {
            Op::Collective(collective) => meshwright_cost::traffic::pattern_of(&collective.kind).to_string(),
            op => op.mnemonic().into(),
        };
    }
    label
}

/// Behind which instruction of the main function each value is made and last used; the insides of loops count as
/// their loop.
type Places = IdMap<ValueId, Option<usize>>;

fn lifetimes(func: &Function) -> (Places, Places) {
    let mut made: Places = IdMap::filled(func.value_count(), None);
    let mut last: Places = IdMap::filled(func.value_count(), None);
    for (place, inst) in func.block(func.root()).insts.iter().enumerate() {
        func.inst(*inst).results.iter().for_each(|value| made[*value] = Some(place));
        let mut inside = vec![*inst];
        while let Some(inst) = inside.pop() {
            let info = func.inst(inst);
            info.operands.iter().for_each(|value| last[*value] = Some(place));
            for region in info.regions.iter().map(|region| func.block(*region)) {
                region.results.iter().for_each(|value| last[*value] = Some(place));
                inside.extend(&region.insts);
            }
        }
    }
    for value in func.result_values() {
        last[*value] = None;
    }
    let is_param = |value: ValueId| matches!(func.value(value).def, Def::Param { .. });
    func.param_values().iter().filter(|value| is_param(**value)).for_each(|value| made[*value] = None);
    (made, last)
}
