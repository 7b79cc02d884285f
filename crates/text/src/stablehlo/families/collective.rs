//! Collectives: kinds, channels and replica groups.
//!
//! Groups are lists of devices (`dense<[[0, 1], [2, 3]]>`, -1 pads unequal ones) or axes of a mesh
//! (`#stablehlo.replica_group_mesh_axes<..>`). Groups by iota have no StableHLO form and are written out.

use super::int;
use crate::codes;
use crate::stablehlo::lexer::Kind;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree};
use meshwright_base::Span;
use meshwright_ir::op::collective::Channel;
use meshwright_ir::op::{Collective, CollectiveKind, Groups, Mode, Numbering};
use meshwright_ir::{DType, Editor, Literal, Module, Op, TensorType};
use meshwright_shard::{AxisRef, Mesh, MeshId};
use std::fmt::Write;

pub fn all_reduce<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.region_count(draft, 1)?;
    build(p, draft, CollectiveKind::AllReduce, None)
}

pub fn all_gather<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let dim = p.dim(draft, "all_gather_dim")?;
    let size = growth(p, draft, dim);
    build(p, draft, CollectiveKind::AllGather { dim }, Some(size))
}

pub fn reduce_scatter<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.region_count(draft, 1)?;
    let dim = p.dim(draft, "scatter_dimension")?;
    let size = growth(p, draft, dim);
    build(p, draft, CollectiveKind::ReduceScatter { dim }, Some(size))
}

/// By how much a dim of the first operand differs from that of the first result: the group size.
fn growth<'a>(p: &mut Parser<'a>, draft: &Draft<'a>, dim: usize) -> i64 {
    let before = p.operand_dims(draft, 0).get(dim).copied().unwrap_or(1);
    let after = draft.types.first().and_then(|ty| ty.dims().get(dim)).copied().unwrap_or(1);
    before.max(after) / before.min(after).max(1)
}

pub fn all_to_all<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let split_count = p.int(draft, "split_count")?;
    let kind = CollectiveKind::AllToAll {
        split_dim: p.dim(draft, "split_dimension")?,
        concat_dim: p.dim(draft, "concat_dimension")?,
        split_count,
    };
    build(p, draft, kind, Some(split_count))
}

/// HLO's form with one operand per member of the group, which only mhlo has.
pub fn all_to_all_tuple<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let members = draft.operands.len() as i64;
    if draft.has("split_count") {
        return all_to_all(p, draft);
    }
    build(p, draft, CollectiveKind::AllToAllTuple, Some(members))
}

pub fn broadcast<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 1)?;
    build(p, draft, CollectiveKind::Broadcast, None)
}

pub fn permute<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 1)?;
    let pairs = device_pairs(p, draft)?;
    let channel = channel(p, draft)?;
    let kind = CollectiveKind::Permute { pairs };
    Ok(Op::Collective(Collective { kind, groups: Groups::All, group_size: 1, channel, wide: None }))
}

/// `source_target_pairs = dense<[[0, 1], [1, 0]]>`.
pub fn device_pairs<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Vec<(u32, u32)>> {
    let prop = p.need(draft, "source_target_pairs")?;
    let numbers = prop.tree.as_ints().unwrap_or_default();
    let devices: Option<Vec<u32>> = numbers.iter().map(|number| u32::try_from(*number).ok()).collect();
    match devices {
        Some(devices) if devices.len().is_multiple_of(2) => {
            Ok(devices.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?))).collect())
        }
        _ => Err(p.bad_prop(&prop, "pairs of devices")),
    }
}

/// `size` is what the operands or results say of the members of a group.
fn build<'a>(
    p: &mut Parser<'a>,
    draft: &mut Draft<'a>,
    kind: CollectiveKind,
    size: Option<i64>,
) -> Parsed<Op> {
    let prop = p.need(draft, "replica_groups")?;
    let groups = groups(p, draft, &prop)?;
    let channel = channel(p, draft)?;
    let numbering = Numbering::said(p.module.num_replicas, p.module.num_partitions);
    let members = || numbering.members(Mode::of(&kind, channel), &groups);
    let group_size = size.filter(|_| groups == Groups::All).unwrap_or_else(members);
    let wide = wide(p, draft)?;
    Ok(Op::Collective(Collective { kind, groups, group_size, channel, wide }))
}

/// In which type a sum travels, if not its own; an attribute of ours that others pass over.
const WIDE: &str = "meshwright.reduce_in";

fn wide<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Option<DType>> {
    let Some(prop) = draft.take(WIDE) else { return Ok(None) };
    match prop.tree.as_str().and_then(DType::from_mlir) {
        Some(dtype) => Ok(Some(dtype)),
        None => Err(p.bad_prop(&prop, "an element type in quotes")),
    }
}

pub fn channel<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Channel> {
    let use_global_device_ids = p.flag(draft, "use_global_device_ids")?;
    if !draft.has("channel_handle") {
        return Ok(Channel { id: None, kind: 0, use_global_device_ids });
    }
    let prop = p.need(draft, "channel_handle")?;
    let kind = match prop.tree {
        Tree::Dialect { name: name @ "mhlo.channel_handle", .. } => name,
        _ => "stablehlo.channel_handle",
    };
    let mut fields = p.fields_of(draft, &prop, kind)?;
    let id = Some(p.int(&mut fields, "handle")?);
    let kind = p.int(&mut fields, "type")?;
    p.no_more_fields(&fields)?;
    Ok(Channel { id, kind, use_global_device_ids })
}

fn groups<'a>(p: &mut Parser<'a>, draft: &Draft<'a>, prop: &Prop<'a>) -> Parsed<Groups> {
    match &prop.tree {
        Tree::Dense(literal) if literal.ty().elements() == 0 => Ok(Groups::All),
        Tree::Dense(literal) => list_groups(p, prop, literal),
        Tree::Dialect { .. } => mesh_groups(p, draft, prop),
        _ => Err(p.bad_prop(prop, "lists of devices, or axes of a mesh")),
    }
}

fn list_groups<'a>(p: &mut Parser<'a>, prop: &Prop<'a>, literal: &Literal) -> Parsed<Groups> {
    let width = match literal.ty().dims[..] {
        [_, width] => usize::try_from(width).unwrap_or(0),
        _ => 0,
    };
    let numbers = prop.tree.as_ints().unwrap_or_default();
    if width == 0 || numbers.is_empty() {
        return Err(p.bad_prop(prop, "a tensor of two dims with a group in each row"));
    }
    let row = |row: &[i64]| {
        row.iter().filter(|device| **device != -1).map(|device| u32::try_from(*device).ok()).collect()
    };
    match numbers.chunks(width).map(row).collect::<Option<Vec<Vec<u32>>>>() {
        Some(lists) => Ok(Groups::List(lists)),
        None => Err(p.bad_prop(prop, "lists of device numbers")),
    }
}

/// `#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>`.
fn mesh_groups<'a>(p: &mut Parser<'a>, draft: &Draft<'a>, prop: &Prop<'a>) -> Parsed<Groups> {
    let mut fields = p.fields_of(draft, prop, "stablehlo.replica_group_mesh_axes")?;
    let mesh_prop = p.need(&mut fields, "mesh")?;
    let axes_prop = p.need(&mut fields, "axes")?;
    p.no_more_fields(&fields)?;
    let Tree::Symbol(name) = &mesh_prop.tree else {
        return Err(p.bad_prop(&mesh_prop, "a mesh as `@mesh`"));
    };
    let Some(mesh) = p.symbols.meshes.get(name).copied() else {
        let message = format!("no mesh `@{name}` is declared above");
        let help = format!("declare it: `sdy.mesh @{name} = <[\"x\"=2]>`");
        return Err(p.fail_help(codes::UNDEFINED, mesh_prop.at, message, help));
    };
    let Tree::Array(items) = &axes_prop.tree else {
        return Err(p.bad_prop(&axes_prop, "a list of axes"));
    };
    let mut axes = Vec::new();
    for item in items {
        let Tree::Dialect { name: "stablehlo.axis_ref", body } = item else {
            return Err(p.bad_prop(&axes_prop, "a list of #stablehlo.axis_ref<..>"));
        };
        axes.push(p.elsewhere(*body, |p| axis_ref(p, mesh))?);
    }
    Ok(Groups::Axes { mesh, axes })
}

/// `name = "x"`, or with a part of the axis: `name = "x", sub_axis_info = (1)2`.
fn axis_ref(p: &mut Parser<'_>, mesh: MeshId) -> Parsed<AxisRef> {
    p.expect_word("name")?;
    p.expect(b'=')?;
    let token = p.expect_kind(Kind::Str, "an axis name")?;
    let name = p.unquote(token.start, token.end);
    let found = p.module.meshes[mesh].axes.iter().find(|(_, axis)| *axis.name == *name);
    let Some((axis, size)) = found.map(|(id, axis)| (id, axis.size)) else {
        let mesh = &p.module.meshes[mesh];
        let message = format!("mesh `{}` has no axis `{name}`", mesh.name);
        let names: Vec<String> = mesh.axes.values().map(|axis| format!("`{}`", axis.name)).collect();
        let help = format!("its axes are {}", names.join(", "));
        return Err(p.fail_help(codes::UNDEFINED, token.span(), message, help));
    };
    if !p.eat(b',') {
        return Ok(AxisRef { axis, pre: 1, size });
    }
    p.expect_word("sub_axis_info")?;
    p.expect(b'=')?;
    let start = p.peek().start;
    p.expect(b'(')?;
    let pre = p.number()?;
    p.expect(b')')?;
    let part = p.number()?;
    let fits = pre >= 1 && part >= 1 && pre.checked_mul(part).is_some_and(|product| size % product == 0);
    if !fits {
        let at = Span::new(start, p.last_end());
        let message = format!("({pre}){part} is not a part of an axis of size {size}");
        let help = format!("in (m)k, m times k must divide the size of the axis, here {size}");
        return Err(p.fail_help(codes::BAD_SHARDING, at, message, help));
    }
    Ok(AxisRef { axis, pre, size: part })
}

pub fn name(kind: &CollectiveKind) -> &'static str {
    match kind {
        CollectiveKind::AllReduce => "stablehlo.all_reduce",
        CollectiveKind::AllGather { .. } => "stablehlo.all_gather",
        CollectiveKind::ReduceScatter { .. } => "stablehlo.reduce_scatter",
        CollectiveKind::AllToAll { .. } => "stablehlo.all_to_all",
        CollectiveKind::AllToAllTuple => "mhlo.all_to_all",
        CollectiveKind::Permute { .. } => "stablehlo.collective_permute",
        CollectiveKind::Broadcast => "stablehlo.collective_broadcast",
    }
}

pub fn props(module: &Module, collective: &Collective) -> Vec<Prop<'static>> {
    let in_mhlo = collective.kind == CollectiveKind::AllToAllTuple;
    let mut props = channel_props(&collective.channel, in_mhlo);
    if let Some(wide) = collective.wide {
        props.push(Prop::made(WIDE, Tree::Str(wide.mlir_name().into())));
    }
    match &collective.kind {
        CollectiveKind::AllReduce | CollectiveKind::Broadcast | CollectiveKind::AllToAllTuple => {}
        CollectiveKind::AllGather { dim } => props.push(int("all_gather_dim", *dim as i64)),
        CollectiveKind::ReduceScatter { dim } => props.push(int("scatter_dimension", *dim as i64)),
        CollectiveKind::AllToAll { split_dim, concat_dim, split_count } => props.extend([
            int("split_dimension", *split_dim as i64),
            int("concat_dimension", *concat_dim as i64),
            int("split_count", *split_count),
        ]),
        CollectiveKind::Permute { pairs } => {
            props.push(pairs_prop(pairs));
            return props;
        }
    }
    props.push(Prop::made("replica_groups", groups_tree(module, &collective.groups, in_mhlo)));
    props
}

pub fn pairs_prop(pairs: &[(u32, u32)]) -> Prop<'static> {
    let rows: Vec<Vec<i64>> = pairs.iter().map(|pair| vec![i64::from(pair.0), i64::from(pair.1)]).collect();
    Prop::made("source_target_pairs", Tree::Dense(rows_literal(&rows, 2)))
}

fn channel_props(channel: &Channel, in_mhlo: bool) -> Vec<Prop<'static>> {
    let mut props = Vec::new();
    match channel.id {
        Some(id) if in_mhlo => {
            let text = format!("#mhlo.channel_handle<handle = {id}, type = {}>", channel.kind);
            props.push(Prop::made("channel_handle", Tree::Raw(text.into())));
        }
        Some(id) => props.push(handle_prop(id, channel.kind)),
        None => {}
    }
    if !in_mhlo && channel.use_global_device_ids {
        props.push(Prop::made("use_global_device_ids", Tree::Unit));
    }
    props
}

pub fn handle_prop(handle: i64, kind: i64) -> Prop<'static> {
    let text = format!("#stablehlo.channel_handle<handle = {handle}, type = {kind}>");
    Prop::made("channel_handle", Tree::Raw(text.into()))
}

/// Groups by the axes of a mesh need the mesh's name, and mhlo does not know them.
fn groups_tree(module: &Module, groups: &Groups, in_mhlo: bool) -> Tree<'static> {
    match groups {
        Groups::All => Tree::Dense(rows_literal(&[], 0)),
        Groups::List(lists) => {
            let rows: Vec<Vec<i64>> =
                lists.iter().map(|list| list.iter().map(|id| i64::from(*id)).collect()).collect();
            let width = rows.iter().map(Vec::len).max().unwrap_or(0);
            Tree::Dense(rows_literal(&rows, width))
        }
        Groups::Iota { size, reshape, transpose, .. } => {
            let width = usize::try_from(*size).unwrap_or(1).max(1);
            let rows: Vec<Vec<i64>> = iota(reshape, transpose).chunks(width).map(<[i64]>::to_vec).collect();
            Tree::Dense(rows_literal(&rows, width))
        }
        Groups::Axes { mesh, axes } if in_mhlo || module.meshes[*mesh].name.is_empty() => {
            groups_tree(module, &Groups::List(listed(&module.meshes[*mesh], axes)), in_mhlo)
        }
        Groups::Axes { mesh, axes } => Tree::Raw(axes_text(module, *mesh, axes).into()),
    }
}

/// The devices of each group.
fn listed(mesh: &Mesh, axes: &[AxisRef]) -> Vec<Vec<u32>> {
    let groups = meshwright_shard::groups(mesh, axes);
    groups.iter().map(|group| group.into_iter().map(|device| device.number()).collect()).collect()
}

/// The same groups with their devices listed, everywhere.
pub fn expand_groups(module: &mut Module) {
    let Module { funcs, meshes, .. } = module;
    for func in funcs.values_mut() {
        for inst in func.insts_in_order() {
            let Op::Collective(collective) = &func.inst(inst).op else { continue };
            let Groups::Axes { mesh, axes } = &collective.groups else { continue };
            let groups = Groups::List(listed(&meshes[*mesh], axes));
            let op = Op::Collective(Collective { groups, ..collective.clone() });
            Editor::new(func).set_op(inst, op);
        }
    }
}

/// Rows of equal length; shorter ones are filled up with -1.
fn rows_literal(rows: &[Vec<i64>], width: usize) -> Literal {
    let ty = TensorType::new(DType::S64, [rows.len() as i64, width as i64]);
    let padded = rows.iter().flat_map(|row| row.iter().copied().chain(std::iter::repeat(-1)).take(width));
    let bytes = padded.flat_map(i64::to_le_bytes).collect();
    Literal::dense(ty.clone(), bytes).unwrap_or_else(|| Literal::zeros(ty))
}

/// The numbers from 0 on, reshaped, transposed, flattened.
fn iota(reshape: &[i64], transpose: &[usize]) -> Vec<i64> {
    let mut strides = vec![1i64; reshape.len()];
    for i in (1..reshape.len()).rev() {
        strides[i - 1] = strides[i] * reshape[i];
    }
    let order: Vec<usize> =
        if transpose.is_empty() { (0..reshape.len()).collect() } else { transpose.to_vec() };
    let mut numbers = vec![0];
    for dim in order {
        let (Some(size), Some(stride)) = (reshape.get(dim), strides.get(dim)) else { continue };
        numbers = numbers.iter().flat_map(|base| (0..*size).map(move |i| base + i * stride)).collect();
    }
    numbers
}

fn axes_text(module: &Module, mesh: MeshId, axes: &[AxisRef]) -> String {
    let declared = &module.meshes[mesh];
    let mut text = format!("#stablehlo.replica_group_mesh_axes<mesh = @{}, axes = [", declared.name);
    for (i, axis) in axes.iter().enumerate() {
        let whole = &declared.axes[axis.axis];
        text.push_str(if i > 0 { ", " } else { "" });
        put!(text, "#stablehlo.axis_ref<name = \"{}\"", whole.name);
        if axis.size != whole.size {
            put!(text, ", sub_axis_info = ({}){}", axis.pre, axis.size);
        }
        text.push('>');
    }
    text + "]>"
}
