//! Collectives. HLO has no kind of channel and no wider type for a sum; the latter is a frontend attribute.

use super::Made;
use crate::codes;
use crate::hlo::build::{Body, Bound, Build, ModuleBuilder, Parts, Scope};
use crate::hlo::common::Common;
use crate::hlo::groups::{self, RawGroups};
use crate::hlo::inst::{InstText, bad, int_lists};
use crate::hlo::lex::{Read, fault};
use crate::hlo::line::{Line, braces};
use crate::hlo::outline::RawInst;
use crate::hlo::shape::{Form, write_type};
use meshwright_ir::op::collective::Channel;
use meshwright_ir::op::{Collective, CollectiveKind, Convert, Groups, Mode};
use meshwright_ir::{Attr, DType, Op, TensorType, ValueId};

/// Frontend attribute that names the type a sum travels in.
pub(in crate::hlo) const WIDE: &str = "meshwright.reduce_in";

fn made<'t>(
    text: &mut InstText<'_, 't>,
    kind: CollectiveKind,
    size: Option<i64>,
    reducer: bool,
) -> Read<Made<'t>> {
    let raw = groups::read(text)?;
    let id = text.int("channel_id")?;
    let channel = Channel {
        id,
        kind: i64::from(id.is_some()),
        use_global_device_ids: text.flag("use_global_device_ids")?,
    };
    // A constrained layout says nothing here; layouts are the engine's.
    text.get("constrain_layout");
    let (groups, mesh) = match raw {
        RawGroups::Plain(groups) => (groups, None),
        RawGroups::Axes(mesh, axes) => {
            (Groups::Axes { mesh: meshwright_base::Id::from_index(0), axes }, Some(mesh))
        }
    };
    let members = || text.numbering.members(Mode::of(&kind, channel), &groups);
    let group_size = size.unwrap_or_else(members);
    let wide = wide(text)?;
    let regions = if reducer { vec![text.need("to_apply")?] } else { Vec::new() };
    let op = Op::Collective(Collective { kind, groups, group_size, channel, wide });
    Ok(Made { mesh, ..Made::with_regions(op, regions) })
}

fn wide(text: &InstText<'_, '_>) -> Read<Option<DType>> {
    Ok(text.frontend(WIDE)?.as_deref().and_then(DType::from_hlo))
}

/// How often `whole` has the elements of `part` along a dim.
fn ratio(text: &InstText<'_, '_>, whole: &[i64], part: &[i64], dim: usize) -> Read<Option<i64>> {
    match (whole.get(dim), part.get(dim)) {
        (Some(whole), Some(part)) if *part > 0 && whole % part == 0 => Ok(Some(whole / part)),
        (Some(0), Some(0)) => Ok(None),
        (Some(whole), Some(part)) => {
            let message = format!("{whole} elements along dim {dim} are not a multiple of {part}");
            Err(fault(codes::WRONG_TYPE, text.raw.name.span(), message))
        }
        _ => Err(text.fault(format!("the tensor has no dim {dim}"))),
    }
}

pub(super) fn read_all_gather<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let dim = text.only_dim()?;
    let size = match text.shape {
        Some(_) => ratio(text, &text.result(0)?.dims, &text.operand(0)?.dims, dim)?,
        None => None,
    };
    made(text, CollectiveKind::AllGather { dim }, size, false)
}

pub(super) fn read_reduce_scatter<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let dim = text.only_dim()?;
    let size = match text.shape {
        Some(_) => ratio(text, &text.operand(0)?.dims, &text.result(0)?.dims, dim)?,
        None => None,
    };
    made(text, CollectiveKind::ReduceScatter { dim }, size, true)
}

pub(super) fn read_all_reduce<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    made(text, CollectiveKind::AllReduce, None, true)
}

/// With `dimensions` pieces of one tensor change places, without it whole operands do.
pub(super) fn read_all_to_all<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let dims = text.dims("dimensions")?;
    let Some(dim) = dims.first().copied() else {
        let size = Some(text.operands.len() as i64);
        return made(text, CollectiveKind::AllToAllTuple, size, false);
    };
    let mut made = made(text, CollectiveKind::AllToAllTuple, None, false)?;
    if let Op::Collective(op) = &mut made.op {
        op.kind = CollectiveKind::AllToAll { split_dim: dim, concat_dim: dim, split_count: op.group_size };
    }
    Ok(made)
}

pub(super) fn read_broadcast<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    made(text, CollectiveKind::Broadcast, None, false)
}

/// Several operands that move by the same pairs are as many instructions here.
pub(super) fn permute<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    if operands.len() == 1 {
        return builder.plain(body, scope, raw, operands, read_permute);
    }
    let mut text = InstText::new(raw, builder.outline.attrs(raw), &body.func, &[]);
    let op = read_permute(&mut text)?.op;
    let source = Common::read(&mut text, &mut builder.sources)?.source;
    let form = Form::tuple(operands.iter().map(|operand| operand.form.clone()));
    let mut results = Vec::new();
    let values: Vec<ValueId> = operands.iter().flat_map(|operand| body.values(operand).to_vec()).collect();
    for value in values {
        let parts = Parts { operands: vec![value], types: vec![body.func.ty(value).clone()], source };
        let inst = builder.push_extra(body, scope, raw, op.clone(), parts);
        results.extend_from_slice(&body.func.inst(inst).results);
    }
    super::tuple::check_shape(raw, &form, results.iter().map(|value| body.func.ty(*value)))?;
    Ok(body.bind(form, results))
}

pub(super) fn read_permute<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let pairs = pairs(text)?;
    made(text, CollectiveKind::Permute { pairs }, Some(1), false)
}

/// `source_target_pairs={{0,1},{1,0}}`.
pub(super) fn pairs(text: &mut InstText<'_, '_>) -> Read<Vec<(u32, u32)>> {
    let Some(piece) = text.get("source_target_pairs") else { return Ok(Vec::new()) };
    let wrong = || bad(piece, "pairs of device numbers");
    let pair = |list: Vec<i64>| match list[..] {
        [source, target] => Some((u32::try_from(source).ok()?, u32::try_from(target).ok()?)),
        _ => None,
    };
    int_lists(piece)?.into_iter().map(|list| pair(list).ok_or_else(wrong)).collect()
}

/// `partition-id` and `replica-id`. Ours are u32; a text that declares another type of integer gets them converted.
pub(super) fn device_number<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let op = if raw.opcode.str == "replica-id" { Op::ReplicaId } else { Op::PartitionId };
    let number = TensorType::scalar(DType::U32);
    let declared = raw.shape.as_ref().and_then(|shape| shape.leaves.first()?.ty.as_tensor());
    let dtype = declared.map(|ty| ty.dtype).filter(|dtype| dtype.is_integer() && *dtype != number.dtype);
    let Some(dtype) = dtype.filter(|_| operands.is_empty()) else {
        return builder.plain(body, scope, raw, operands, |_| Ok(Made::of(op)));
    };
    let id = builder.pushing(body, scope, raw)(op, Vec::new(), &number);
    let id = body.bind(Form::Leaf, [id]);
    builder.plain(body, scope, raw, &[id], |_| Ok(Made::of(Op::Convert(Convert::To(dtype)))))
}

pub(super) fn print(op: &Collective, line: &mut Line<'_, '_, '_>) {
    match &op.kind {
        CollectiveKind::Permute { pairs } => {
            print_channel(op, line.op("collective-permute"));
            line.attr("source_target_pairs", print_pairs(pairs));
        }
        CollectiveKind::AllToAll { split_dim, concat_dim, split_count } if split_dim != concat_dim => {
            print_exchange(op, (*split_dim, *concat_dim, *split_count), line);
        }
        CollectiveKind::AllReduce
        | CollectiveKind::AllGather { .. }
        | CollectiveKind::ReduceScatter { .. }
        | CollectiveKind::AllToAll { .. }
        | CollectiveKind::AllToAllTuple
        | CollectiveKind::Broadcast => print_grouped(op, line),
    }
}

/// HLO's all-to-all leaves the pieces along the dim it split. They are moved to the front of the other dim after it.
///
/// ```text
/// s x c  -- all-to-all -->  (n s/n) x c  -- reshape, transpose -->  s/n x n x c  -- reshape -->  s/n x (n c)
/// ```
fn print_exchange(op: &Collective, (split, concat, count): (usize, usize, i64), line: &mut Line<'_, '_, '_>) {
    print_grouped(op, line);
    let Some(ty) = line.operand(0).and_then(|operand| line.comp.func.ty(operand).as_tensor()).cloned() else {
        return;
    };
    let (Some(size), true) = (ty.dims.get(split), count > 0 && concat < ty.rank()) else { return };
    let mut pieces = ty.dims.clone();
    pieces.splice(split..=split, [count, size / count]);
    let mut order: Vec<usize> = (0..pieces.len()).filter(|dim| *dim != split).collect();
    order.insert(concat, split);
    let moved: Vec<i64> = order.iter().map(|dim| pieces[*dim]).collect();
    let operands = line.comp.operand_list(&line.inst.operands);
    let attrs = std::mem::take(&mut line.attrs);
    let exchanged = step(line, &ty, ty.dims.clone(), &format!("all-to-all({operands}){attrs}"));
    let split = step(line, &ty, pieces, &format!("reshape({exchanged})"));
    let moved = step(line, &ty, moved, &format!("transpose({split}), dimensions={}", braces(&order)));
    line.args = Some(moved);
    line.op("reshape");
}

/// A line before this one; the name of its value.
fn step(line: &mut Line<'_, '_, '_>, ty: &TensorType, dims: Vec<i64>, rest: &str) -> String {
    let mut shape = String::new();
    write_type(&mut shape, &ty.with_dims(dims).into(), None);
    let base = rest.split('(').next().unwrap_or("part").to_string();
    format!("%{}", line.comp.extra(&base, &shape, rest))
}

pub(super) fn print_pairs(pairs: &[(u32, u32)]) -> String {
    let pairs: Vec<_> = pairs.iter().map(|(source, target)| format!("{{{source},{target}}}")).collect();
    format!("{{{}}}", pairs.join(","))
}

fn print_channel(op: &Collective, line: &mut Line<'_, '_, '_>) {
    if let Some(id) = op.channel.id {
        line.attr("channel_id", id);
    }
}

fn print_grouped(op: &Collective, line: &mut Line<'_, '_, '_>) {
    let (opcode, dim) = match op.kind {
        CollectiveKind::AllReduce => ("all-reduce", None),
        CollectiveKind::AllGather { dim } => ("all-gather", Some(dim)),
        CollectiveKind::ReduceScatter { dim } => ("reduce-scatter", Some(dim)),
        CollectiveKind::AllToAll { split_dim, .. } => ("all-to-all", Some(split_dim)),
        CollectiveKind::AllToAllTuple => ("all-to-all", None),
        CollectiveKind::Permute { .. } => ("collective-permute", None),
        CollectiveKind::Broadcast => ("collective-broadcast", None),
    };
    print_channel(op, line.op(opcode));
    let groups = groups::print(line.comp.printer.module, &op.groups);
    line.attr("replica_groups", groups);
    if let Some(dim) = dim {
        line.list("dimensions", &[dim]);
    }
    line.flag("use_global_device_ids", op.channel.use_global_device_ids);
    line.region("to_apply", 0);
    if let Some(wide) = op.wide {
        line.frontend.push((WIDE.into(), Attr::Str(wide.hlo_name().into())));
    }
}
