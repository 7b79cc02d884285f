//! Custom calls and composites.
//!
//! A composite runs its decomposition. Of custom calls only those that mean nothing to values are run.

use crate::fault::{Fault, NOT_RUN};
use crate::machine::{Lanes, Site};
use meshwright_ir::op::foreign::{CustomCall, Foreign};

/// Targets that hand their operands on unchanged.
const IDENTITIES: [&str; 6] = [
    "Sharding",
    "annotate_device_placement",
    "xla.sdy.FuncResultSharding",
    "MoveToDevice",
    "MoveToHost",
    "LayoutConstraint",
];

pub(crate) fn eval(op: &Foreign, site: &mut Site<'_, '_>, args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    match op {
        Foreign::CustomCall(call) => custom_call(call, site, args),
        Foreign::Composite(composite) => {
            let active = site.active;
            site.machine.call(composite.decomposition, args, active)
        }
    }
}

fn custom_call(call: &CustomCall, site: &Site<'_, '_>, args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    let results = site.frame.func.inst(site.inst).results.len();
    if IDENTITIES.contains(&call.target.as_str()) && results == args.len() {
        return Ok(args);
    }
    Err(Fault::new(NOT_RUN, format!("the interpreter does not know the target `{}`", call.target))
        .help("replace the call by ops, or run the program on an engine that has the target"))
}
