//! Names of ops and values for messages.

use meshwright_base::Id;
use meshwright_ir::op::{Foreign, Op};
use meshwright_ir::{Function, ValueId};

/// `%name`, or `%12` for a value without one.
pub(crate) fn value_name(func: &Function, value: ValueId) -> String {
    match &func.value(value).name {
        Some(name) => format!("`%{}`", name.trim_start_matches('%')),
        None => format!("`%{}`", value.index()),
    }
}

/// The op as StableHLO calls it; a foreign one with what it is called there.
pub(crate) fn op_name(op: &Op) -> String {
    match op {
        Op::Foreign(Foreign::CustomCall(call)) => format!("custom_call @{}", call.target),
        Op::Foreign(Foreign::Composite(composite)) => format!("composite \"{}\"", composite.name),
        op => op.mnemonic().to_string(),
    }
}
