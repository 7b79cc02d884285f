//! A program within a memory limit: einsums in loops first, as few as it takes, because these cost no bytes and no
//! flops.
//!
//! What is limited is the peak (values alive at one time, `meshwright_cost::peak`) as the compiler of the machine holds
//! them: the program peak where no machine is named. An engine may need less or more. What cannot be made
//! to fit is refused with what takes the room.

use crate::Options;
use crate::localize::einsum_loops::{self, Loops};
use crate::localize::localize;
use meshwright_base::diagnostic::Place;
use meshwright_base::{Code, Diagnostic, units};
use meshwright_cost::peak::held_peak;
use meshwright_cost::{Habits, at_peak};
use meshwright_ir::{Def, Module, PlannedModule, SpmdModule, ValueId};

/// Values that a refusal names.
const NAMED: usize = 5;

/// How einsums have to be looped for a program to fit: as the options say if it does so, else as few more as are
/// enough, else the way that comes nearest. `clean` is what comes behind localization.
pub fn loops(
    planned: &PlannedModule,
    limit: i64,
    options: &Options,
    clean: &dyn Fn(&mut Module),
) -> Result<Loops, Vec<Diagnostic>> {
    let peak = |loops| peak(planned, Options { loops, ..options.clone() }, clean);
    let plain = peak(options.loops)?;
    if plain <= limit {
        return Ok(options.loops);
    }
    let all = einsum_loops::count(planned.module());
    let least = peak(Loops::Largest(all))?;
    if least > limit {
        return Ok(if least < plain { Loops::Largest(all) } else { options.loops });
    }
    // The largest `few` are too few, `enough` are enough.
    let (mut few, mut enough) = (0, all);
    while enough - few > 1 {
        let half = few + (enough - few) / 2;
        if peak(Loops::Largest(half))? <= limit { enough = half } else { few = half }
    }
    Ok(Loops::Largest(enough))
}

fn peak(
    planned: &PlannedModule,
    options: Options,
    clean: &dyn Fn(&mut Module),
) -> Result<i64, Vec<Diagnostic>> {
    let habits = options.machine.holds();
    let mut program = localize(planned.clone(), &options)?;
    clean(program.module_mut());
    Ok(held_peak(program.module(), habits))
}

/// A program does not fit its memory limit.
pub const TOO_LARGE: Code = Code(540);

/// Refuse a program that does not fit.
pub fn check(program: &SpmdModule, limit: i64, habits: Habits) -> Result<(), Vec<Diagnostic>> {
    let module = program.module();
    let peak = held_peak(module, habits);
    if peak <= limit {
        return Ok(());
    }
    let alive = at_peak(module);
    let message = format!(
        "the program needs {} on a device at its peak, with all loops and recomputation that make it smaller, and the \
         limit is {}",
        units::exact_bytes(peak),
        units::exact_bytes(limit)
    );
    let mut error = Diagnostic::error(TOO_LARGE, message);
    for value in alive.iter().take(NAMED) {
        let info = describe(module, *value);
        error = match &info.place {
            Some(_) => error.label(info.place, info.words),
            None => error.note(info.words),
        };
    }
    if alive.len() > NAMED {
        error = error.note(format!("{} smaller values are alive at the same time", alive.len() - NAMED));
    }
    Err(vec![error.help(way_out(program, &alive))])
}

struct Described {
    words: String,
    place: Option<Place>,
}

fn describe(module: &Module, value: ValueId) -> Described {
    let func = module.main();
    let ty = func.ty(value);
    let (kind, place) = match func.value(value).def {
        Def::Param { .. } => ("a parameter", None),
        Def::Result { inst, .. } => {
            let info = func.inst(inst);
            (info.op.mnemonic(), module.place(info.source))
        }
    };
    let size = units::bytes(ty.byte_size() as f64);
    let words = format!("{} ({kind}) has {size} on every device, {ty}", name(module, value));
    Described { words, place }
}

/// A parameter as the user's program calls it, where that is known, and what was computed as the text does.
fn name(module: &Module, value: ValueId) -> String {
    let info = module.main().value(value);
    if let Def::Param { index, .. } = info.def
        && let Some(called) = module.main().params.get(index).and_then(|param| param.name.as_deref())
    {
        return format!("`{called}`");
    }
    match &info.name {
        Some(name) => format!("`%{name}`"),
        None => "a value without a name".to_string(),
    }
}

/// What can be done: about the largest parameter that several devices have the same pieces of, if there is one.
fn way_out(program: &SpmdModule, alive: &[ValueId]) -> String {
    let module = program.module();
    let anyway = "use a larger mesh, smaller batches or a higher limit";
    let copied = alive.iter().find_map(|value| {
        let Def::Param { index, .. } = module.main().value(*value).def else { return None };
        let sharding = &program.params.get(index)?.sharding;
        let copies = module.meshes.get(sharding.mesh)?.device_count()
            / sharding.tiles().iter().product::<i64>().max(1);
        (copies > 1).then_some((*value, copies))
    });
    match copied {
        Some((value, copies)) => {
            let name = name(module, value);
            format!(
                "split {name}, of which {copies} devices each have the same piece, over more axes, or {anyway}"
            )
        }
        None => anyway.to_string(),
    }
}
