//! Rule 9: shardings on values, on results, and at the edges of regions.

use super::{Report, value_name};
use crate::codes;
use crate::module::{Annotation, FuncId, Function, Inst, InstId, ResultInfo, ValueId};
use crate::op::{Op, ShardingOp};
use crate::types::Type;
use meshwright_base::Diagnostic;
use meshwright_shard::{HloSharding, HloShardingKind, Meshes, Sharding};

pub(super) fn check_value(report: &mut Report<'_>, id: FuncId, func: &Function, value: ValueId) {
    let info = func.value(value);
    let Some(annotation) = &info.sharding else { return };
    if let Some(wrong) = wrong_annotation(&report.module.meshes, annotation, &info.ty) {
        let place = func.def_inst(value).and_then(|inst| report.place(id, inst));
        let error = about(format!("`{}`", value_name(func, value)), wrong).at_place(place);
        report.add(report.in_function(id, error));
    }
}

pub(super) fn check_result(report: &mut Report<'_>, id: FuncId, index: usize, record: &ResultInfo) {
    let Some(annotation) = &record.sharding else { return };
    if let Some(wrong) = wrong_annotation(&report.module.meshes, annotation, &record.ty) {
        let error = about(format!("result {index}"), wrong);
        report.add(report.in_function(id, error));
    }
}

/// Shardings among the attributes of an op.
pub(super) fn check_inst(report: &mut Report<'_>, id: FuncId, inst: InstId, body: &Inst) {
    let (ins, outs) = match &body.op {
        Op::Sharding(ShardingOp::Manual(manual)) => (&manual.in_shardings, &manual.out_shardings),
        Op::Sharding(ShardingOp::Named { in_shardings, out_shardings, .. }) => (in_shardings, out_shardings),
        _ => return,
    };
    if let Op::Sharding(ShardingOp::Manual(manual)) = &body.op {
        let mut probe = Sharding::replicated(manual.mesh, 0);
        probe.replicated = manual.axes.clone();
        if let Some(wrong) = wrong_sharding(&report.module.meshes, &probe, &Type::Token) {
            report.at_inst(codes::SHARDING, id, inst, format!("manual axes: {}", wrong.message), wrong.help);
        }
    }
    let func = &report.module.funcs[id];
    let edges = [("operand", &body.operands, ins), ("result", &body.results, outs)];
    for (what, values, shardings) in edges {
        for (index, (value, sharding)) in values.iter().zip(shardings).enumerate() {
            let ty = func.values().get(*value).map(|value| &value.ty);
            let wrong = ty.and_then(|ty| wrong_sharding(&report.module.meshes, sharding, ty));
            if let Some(wrong) = wrong {
                let message = format!("sharding of {what} {index}: {}", wrong.message);
                report.at_inst(codes::SHARDING, id, inst, message, wrong.help);
            }
        }
    }
}

fn about(what: String, wrong: Diagnostic) -> Diagnostic {
    let mut error = Diagnostic::error(codes::SHARDING, format!("{what}: {}", wrong.message));
    error.help = wrong.help;
    error
}

fn wrong_annotation(meshes: &Meshes, annotation: &Annotation, ty: &Type) -> Option<Diagnostic> {
    match annotation {
        Annotation::Mesh(sharding) => wrong_sharding(meshes, sharding, ty),
        Annotation::Hlo(sharding) => sharding.verify().err().or_else(|| wrong_hlo_rank(sharding, ty)),
    }
}

fn wrong_sharding(meshes: &Meshes, sharding: &Sharding, ty: &Type) -> Option<Diagnostic> {
    match meshes.get(sharding.mesh) {
        Some(mesh) => sharding.verify(mesh, ty.dims()).into_iter().next(),
        None => Some(Diagnostic::error(codes::SHARDING, "the mesh of its sharding does not exist")),
    }
}

fn wrong_hlo_rank(sharding: &HloSharding, ty: &Type) -> Option<Diagnostic> {
    let HloShardingKind::Tiled { tiles, subgroups, .. } = &sharding.kind else { return None };
    let (splits, rank) = (tiles.len().saturating_sub(subgroups.len()), ty.rank());
    let message = format!("a sharding of {splits} dims on a value of {rank} dims");
    (splits != rank).then(|| Diagnostic::error(codes::SHARDING, message))
}
