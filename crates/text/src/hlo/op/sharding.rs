//! Ops about sharding.
//!
//! ```text
//! Constraint                custom-call "Sharding", unspecified dims in backend_config
//! FullToShard, ShardToFull  custom-call "SPMDFullToShardShape", "SPMDShardToFullShape"
//! Manual                    the same two around the body, which stands in line; or Shardy's own form (see `manual`)
//! Named                     the body in line
//! Reshard                   custom-call "Sharding" with the target's sharding: its steps are the partitioner's
//! Barrier, Group            custom-call "xla.sdy.PropagationBarrier", "xla.sdy.ShardingGroup"
//! ```
//! Shardings over a mesh are printed in the tile form.

use crate::calls::{OPEN_DIMS, open_dims};
use crate::hlo::inst::{InstText, bad};
use crate::hlo::lex::{Read, quote};
use crate::hlo::line::Line;
use crate::hlo::printer::Printer;
use crate::hlo::shape::{Form, HloShape};
use meshwright_ir::op::{BarrierDirection, ManualComputation, ShardingOp};
use meshwright_ir::{Annotation, Attr, InstId, Module, Op, ValueId};
use meshwright_shard::{HloSharding, HloShardingKind, Sharding};
use std::rc::Rc;

/// The HLO text of an annotation.
pub(in crate::hlo) fn text_of(module: &Module, annotation: &Annotation) -> String {
    match annotation {
        Annotation::Hlo(sharding) => sharding.to_string(),
        Annotation::Mesh(sharding) => exported(module, sharding).to_string(),
    }
}

fn exported(module: &Module, sharding: &Sharding) -> HloSharding {
    match module.meshes.get(sharding.mesh) {
        Some(mesh) => meshwright_shard::export(sharding, mesh),
        None => HloSharding::new(HloShardingKind::Unknown),
    }
}

/// The op of an annotating custom call; `None` if it does not annotate one tensor.
pub(super) fn of_target(target: &str, text: &mut InstText<'_, '_>, shape: &HloShape<'_>) -> Read<Option<Op>> {
    if text.operands.len() != 1 || shape.leaves.len() != 1 {
        return Ok(None);
    }
    let unspecified = unspecified_dims(text)?;
    text.get("custom_call_has_side_effect");
    text.get("api_version");
    let shape = shape.leaves[0].ty.dims().to_vec();
    Ok(Some(Op::Sharding(match target {
        "Sharding" => ShardingOp::Constraint { unspecified },
        "SPMDFullToShardShape" => ShardingOp::FullToShard { unspecified, shape },
        _ => ShardingOp::ShardToFull { unspecified, shape },
    })))
}

/// The dims that `backend_config="unspecified_dims=[1,2]"` leaves open.
fn unspecified_dims(text: &mut InstText<'_, '_>) -> Read<Vec<usize>> {
    let Some(piece) = text.get("backend_config") else { return Ok(Vec::new()) };
    let inner = piece.inside('"', '"').unwrap_or(piece);
    open_dims(inner.str).ok_or_else(|| bad(piece, OPEN_DIMS))
}

fn print_call(target: &str, unspecified: &[usize], line: &mut Line<'_, '_, '_>) {
    line.op("custom-call").attr("custom_call_target", quote(target));
    if !unspecified.is_empty() {
        let dims: Vec<_> = unspecified.iter().map(usize::to_string).collect();
        line.attr("backend_config", format_args!("\"unspecified_dims=[{}]\"", dims.join(",")));
    }
}

pub(super) fn print(op: &ShardingOp, line: &mut Line<'_, '_, '_>) {
    match op {
        ShardingOp::Constraint { unspecified } => print_call("Sharding", unspecified, line),
        ShardingOp::FullToShard { unspecified, .. } => print_call("SPMDFullToShardShape", unspecified, line),
        ShardingOp::ShardToFull { unspecified, .. } => print_call("SPMDShardToFullShape", unspecified, line),
        ShardingOp::Manual(manual) => match shardys_call(line) {
            Some(call) => super::manual::print(manual, call, line),
            None => print_manual(manual, line),
        },
        ShardingOp::Named { .. } => print_named(line),
        ShardingOp::Reshard(_) => print_call("Sharding", &[], line),
        ShardingOp::Barrier { allowed } => print_barrier(*allowed, line),
        ShardingOp::Group { id } => print_group(*id, line),
    }
}

pub(super) const BARRIER: &str = "xla.sdy.PropagationBarrier";
pub(super) const GROUP: &str = "xla.sdy.ShardingGroup";
/// Frontend attributes of these two.
pub(super) const FRONTEND_FIELDS: [&str; 2] = ["xla.sdy.allowed_direction", "xla.sdy.sharding_group_id"];

/// Barriers and groups as Shardy's export writes them; `None` if the field is missing.
pub(super) fn of_shardy(target: &str, text: &mut InstText<'_, '_>) -> Read<Option<Op>> {
    let [direction, group] = FRONTEND_FIELDS;
    let op = if target == BARRIER {
        let allowed = match text.frontend(direction)?.as_deref() {
            Some("0") => BarrierDirection::None,
            Some("1") => BarrierDirection::Forward,
            Some("2") => BarrierDirection::Backward,
            _ => return Ok(None),
        };
        ShardingOp::Barrier { allowed }
    } else {
        let id = text.frontend(group)?.and_then(|id| id.split_whitespace().next()?.parse().ok());
        let Some(id) = id else { return Ok(None) };
        ShardingOp::Group { id }
    };
    text.get("custom_call_has_side_effect");
    text.get("api_version");
    Ok(Some(Op::Sharding(op)))
}

fn print_barrier(allowed: BarrierDirection, line: &mut Line<'_, '_, '_>) {
    let direction = match allowed {
        BarrierDirection::None => "0",
        BarrierDirection::Forward => "1",
        BarrierDirection::Backward => "2",
    };
    line.op("custom-call").attr("custom_call_target", quote(BARRIER));
    line.frontend.push((FRONTEND_FIELDS[0].into(), Attr::Str(direction.into())));
}

fn print_group(id: i64, line: &mut Line<'_, '_, '_>) {
    line.op("custom-call").attr("custom_call_target", quote(GROUP));
    line.flag("custom_call_has_side_effect", true);
    line.frontend.push((FRONTEND_FIELDS[1].into(), Attr::Str(id.to_string().into())));
}

/// One line that moves a value across a manual boundary or annotates it.
fn boundary(line: &mut Line<'_, '_, '_>, target: &str, ty: ValueId, from: &str, sharding: &str) -> String {
    let shape = line.comp.shape(&Form::Leaf, &[ty]);
    let rest = format!("custom-call(%{from}), custom_call_target={}, sharding={sharding}", quote(target));
    line.comp.extra("custom-call", &shape, &rest).to_string()
}

/// The sharding inside a manual region: local over its axes, as the value has it over the others.
fn inside(printer: &Printer<'_>, manual: &ManualComputation, sharding: &Sharding) -> Rc<str> {
    let mut inner = Sharding::replicated(manual.mesh, sharding.rank());
    inner.manual.clone_from(&manual.axes);
    for (dim, outer) in inner.dims.iter_mut().zip(&sharding.dims) {
        let free = |axis: &&meshwright_shard::AxisRef| !manual.axes.iter().any(|used| used.axis == axis.axis);
        dim.axes = outer.axes.iter().filter(free).copied().collect();
    }
    printer.sharding_text(&Annotation::from(inner))
}

/// The call that is a manual region's body, where the module is written in Shardy's form.
fn shardys_call(line: &Line<'_, '_, '_>) -> Option<InstId> {
    let call = super::manual::only_call(line.comp.func, line.id)?;
    super::manual::is_shardys(line.comp.printer.module).then_some(call)
}

fn print_manual(manual: &ManualComputation, line: &mut Line<'_, '_, '_>) {
    let Some(region) = line.regions().first().copied() else { return };
    let func = line.comp.func;
    let params = &func.block(region).params;
    for ((operand, param), sharding) in line.inst.operands.iter().zip(params).zip(&manual.in_shardings) {
        let outer = line.comp.printer.sharding_text(&Annotation::from(sharding.clone()));
        let inner = inside(line.comp.printer, manual, sharding);
        let name = line.comp.name(*operand);
        let annotated = boundary(line, "Sharding", *operand, &name, &outer);
        let local = boundary(line, "SPMDFullToShardShape", *param, &annotated, &inner);
        line.comp.alias(*param, local.into());
    }
    let covered = Sharding { manual: manual.axes.clone(), ..Sharding::replicated(manual.mesh, 0) };
    let is_full = exported(line.comp.printer.module, &covered).kind == HloShardingKind::Manual;
    let was_manual = std::mem::replace(&mut line.comp.printer.is_manual, is_full);
    line.comp.inline(region, &[]);
    line.comp.printer.is_manual = was_manual;
    let results = &func.block(region).results;
    for ((result, local), sharding) in line.inst.results.iter().zip(results).zip(&manual.out_shardings) {
        let outer = line.comp.printer.sharding_text(&Annotation::from(sharding.clone()));
        let inner = inside(line.comp.printer, manual, sharding);
        let name = line.comp.name(*local);
        let annotated = boundary(line, "Sharding", *local, &name, &inner);
        let global = boundary(line, "SPMDShardToFullShape", *result, &annotated, &outer);
        line.comp.alias(*result, global.into());
    }
}

fn print_named(line: &mut Line<'_, '_, '_>) {
    let Some(region) = line.regions().first().copied() else { return };
    line.comp.inline(region, &line.inst.operands);
    for (result, inner) in line.inst.results.iter().zip(&line.comp.func.block(region).results) {
        let name = line.comp.name(*inner);
        line.comp.alias(*result, name);
    }
}
