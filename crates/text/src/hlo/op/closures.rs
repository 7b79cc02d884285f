//! Regions on scalars that use values from outside. HLO's computations see only their parameters, so each such value
//! becomes one more operand: broadcast to the shape of the others where these are tensors, and passed through.
//!
//! ```text
//! map(x) { f(%a, c) }            map(x, broadcast(c)) { (%a, %c): f(%a, %c) }
//! reduce(x, i) { f(%a, %b, c) }  reduce(x, broadcast(c), i, c) { (%a, %c, %b, _): f(%a, %b, %c), %c }
//! sort(x) { f(%a, %b, c) }       sort(x, broadcast(c)) { (%a, %b, %c, _): f(%a, %b, %c) }
//! ```
//! Constants are simply written again inside. Where there is no place for another operand (collectives,
//! select-and-scatter, scatter), only constants can be used.

use crate::hlo::computation::{Param, captures};
use crate::hlo::line::{Line, More};
use crate::hlo::shape::write_type;
use meshwright_ir::{Op, Type, ValueId};

/// Values from outside that are no constants.
fn outside(line: &Line<'_, '_, '_>) -> Vec<ValueId> {
    let func = line.comp.func;
    let is_constant = |value: &ValueId| {
        let inst = func.def_inst(*value).map(|inst| func.inst(inst));
        inst.is_some_and(|inst| matches!(inst.op, Op::Constant(_)))
    };
    captures(func, line.regions()).into_iter().filter(|value| !is_constant(value)).collect()
}

/// The type of a value spread over the dims of another.
fn spread(line: &Line<'_, '_, '_>, value: ValueId, dims: &[i64]) -> Option<Type> {
    let ty = line.comp.func.ty(value).as_tensor()?;
    (ty.rank() == 0).then(|| Type::Tensor(ty.with_dims(dims)))
}

/// A scalar broadcast on a line before; its name.
fn broadcast(line: &mut Line<'_, '_, '_>, value: ValueId, dims: &[i64]) -> String {
    let name = line.comp.name(value);
    let mut shape = String::new();
    if let Some(ty) = spread(line, value, dims) {
        write_type(&mut shape, &ty, None);
    }
    format!("%{}", line.comp.extra("broadcast", &shape, &format!("broadcast(%{name}), dimensions={{}}")))
}

fn names(line: &Line<'_, '_, '_>, values: &[ValueId]) -> Vec<String> {
    values.iter().map(|value| format!("%{}", line.comp.name(*value))).collect()
}

/// Further results: each value from outside over the dims of the first result.
fn more(line: &Line<'_, '_, '_>, values: &[ValueId]) -> Vec<More> {
    let dims = line.inst.results.first().map_or(&[][..], |value| line.comp.func.dims(*value));
    values.iter().filter_map(|value| Some(More { ty: spread(line, *value, dims)?, like: None })).collect()
}

/// `to_apply` of an op over inputs and as many initial values.
pub(super) fn reducer(line: &mut Line<'_, '_, '_>) {
    let values = outside(line);
    let [region] = *line.regions() else { return };
    if values.is_empty() {
        return line.region("to_apply", 0).end();
    }
    let (inputs, inits) = line.inst.operands.split_at(line.inst.operands.len() / 2);
    let dims = inputs.first().map_or(&[][..], |value| line.comp.func.dims(*value));
    let spread: Vec<String> = values.iter().map(|value| broadcast(line, *value, dims)).collect();
    let args = [names(line, inputs), spread, names(line, inits), names(line, &values)].concat();
    line.args = Some(args.join(", "));
    let params = &line.comp.func.block(region).params;
    let (sums, elements) = params.split_at(params.len() / 2);
    let own = |values: &[ValueId]| values.iter().map(|value| Param::Own(*value)).collect::<Vec<_>>();
    let unused = values.iter().map(|value| Param::Unused(*value)).collect();
    let params = [own(sums), own(&values), own(elements), unused].concat();
    let name = line.comp.scalar_region(region, &params, &values);
    line.more = more(line, &values);
    line.attr("to_apply", format_args!("%{name}"));
}

/// `to_apply` of a sort: pairs of parameters, a pred as result.
pub(super) fn comparator(line: &mut Line<'_, '_, '_>) {
    let values = outside(line);
    let pairs = values.iter().flat_map(|value| [Param::Own(*value), Param::Unused(*value)]).collect();
    elementwise(line, &values, pairs);
    line.more = more(line, &values);
}

/// `to_apply` of a map.
pub(super) fn function(line: &mut Line<'_, '_, '_>) {
    let values = outside(line);
    let params = values.iter().map(|value| Param::Own(*value)).collect();
    elementwise(line, &values, params);
}

/// Each value as a further operand of the others' dims, and further parameters for them.
fn elementwise(line: &mut Line<'_, '_, '_>, values: &[ValueId], further: Vec<Param>) {
    let [region] = *line.regions() else { return };
    let operands = &line.inst.operands;
    let dims = operands.first().map_or(&[][..], |value| line.comp.func.dims(*value));
    let spread: Vec<String> = values.iter().map(|value| broadcast(line, *value, dims)).collect();
    line.args = Some([names(line, operands), spread].concat().join(", "));
    let own = line.comp.func.block(region).params.iter().map(|param| Param::Own(*param));
    let params: Vec<Param> = own.chain(further).collect();
    let name = line.comp.scalar_region(region, &params, &[]);
    line.attr("to_apply", format_args!("%{name}"));
}
