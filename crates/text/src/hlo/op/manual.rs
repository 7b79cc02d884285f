//! Manual regions as Shardy's export writes them: a call of the body between two custom calls.
//!
//! ```text
//! %l = (f32[2,2], ..) custom-call(%x, ..), custom_call_target="xla.sdy.GlobalToLocalShape",
//!        frontend_attributes={xla.sdy.in_shardings="..", xla.sdy.manual_axes=".."}
//! %r = (f32[8,2], ..) call(%l's parts), to_apply=%body
//! %g = (f32[8,4], ..) custom-call(%r's parts), custom_call_target="xla.sdy.LocalToGlobalShape",
//!        frontend_attributes={xla.sdy.manual_axes="..", xla.sdy.out_shardings=".."}
//! ```
//! [`raise`] makes one manual computation of these three, whose region is the call. Calls that do not stand in this
//! pattern stay custom calls. The meshes that shardings name stand in the header. Programs that came this way are
//! printed this way.

use super::super::common::{FRONTEND, dictionary};
use super::super::lex::{Piece, quote};
use super::super::line::Line;
use super::super::shape::Form;
use crate::hlo::Spans;
use meshwright_base::{Diagnostic, Id, Span};
use meshwright_ir::op::{Foreign, ManualComputation, ShardingOp};
use meshwright_ir::{Attr, Attrs, Editor, FuncId, Function, InstId, Module, Op, ValueId};
use meshwright_shard::sdy_text::{
    MeshScope, parse_axes, parse_mesh, parse_shardings, print_axes, print_shardings,
};
use meshwright_shard::{Mesh, MeshId, Meshes, Sharding};
use std::collections::BTreeMap;

const INTO: &str = "xla.sdy.GlobalToLocalShape";
const OUT_OF: &str = "xla.sdy.LocalToGlobalShape";
const AXES: &str = "xla.sdy.manual_axes";
const INS: &str = "xla.sdy.in_shardings";
const OUTS: &str = "xla.sdy.out_shardings";
const MESHES: &str = "xla.sdy.meshes";
/// The header's frontend attributes.
const HEADER: &str = "hlo.frontend_attributes";

/// The three instructions of a region.
struct Found {
    /// None if the body takes nothing.
    into: Option<InstId>,
    call: InstId,
    out_of: InstId,
}

/// Make manual computations of all such calls of a module.
pub(in crate::hlo) fn raise(module: &mut Module, spans: &Spans) -> Result<(), Diagnostic> {
    let found: Vec<(FuncId, Vec<Found>)> = module.funcs.iter().map(|(id, func)| (id, find(func))).collect();
    if found.iter().all(|(_, found)| found.is_empty()) {
        return Ok(());
    }
    let names = declare(module)?;
    for (func, found) in found {
        for one in found {
            let span = spans.get(func).and_then(|spans| spans.get(one.out_of)).copied().unwrap_or_default();
            let body = &module.funcs[func];
            let Some(manual) = computation(body, &one, &mut module.meshes, &names, span)? else { continue };
            one.replace(&mut module.funcs[func], manual);
        }
    }
    Ok(())
}

/// Add the meshes of the header; by name.
fn declare(module: &mut Module) -> Result<BTreeMap<String, MeshId>, Diagnostic> {
    let mut names = BTreeMap::new();
    for (name, text) in header_meshes(&module.attrs) {
        let mesh = parse_mesh(&text, 0, &name).map_err(without_place)?;
        names.insert(name, adopt(&mut module.meshes, mesh));
    }
    Ok(names)
}

fn adopt(meshes: &mut Meshes, mesh: Mesh) -> MeshId {
    let namesake = meshes.iter().find(|(_, known)| known.name == mesh.name).map(|(id, _)| id);
    match namesake {
        Some(id) if meshes[id].same_but_name(&mesh) => return id,
        // One made for groups: its name was ours to choose.
        Some(id) => meshes[id].name = format!("{}_of_groups", mesh.name).into(),
        None => {}
    }
    meshes.push(mesh)
}

/// `xla.sdy.meshes={mesh = #sdy.mesh<["x"=4]>}` in the header.
fn header_meshes(attrs: &Attrs) -> Vec<(String, String)> {
    let Some(text) = attrs.get_str(HEADER) else { return Vec::new() };
    let Some(Attr::Raw(list) | Attr::Str(list)) = fields_of(text).remove(MESHES) else { return Vec::new() };
    let mesh = |(name, value): (std::sync::Arc<str>, Attr)| match value {
        Attr::Raw(text) | Attr::Str(text) => Some((name.to_string(), text.to_string())),
        Attr::Unit | Attr::Dict(_) => None,
    };
    fields_of(&list).0.into_iter().filter_map(mesh).collect()
}

fn fields_of(text: &str) -> Attrs {
    dictionary(Piece { str: text, at: 0 }).unwrap_or_default()
}

/// Whether manual regions of a module are printed this way.
pub(super) fn is_shardys(module: &Module) -> bool {
    !header_meshes(&module.attrs).is_empty()
}

fn find(func: &Function) -> Vec<Found> {
    let order = func.insts_in_order();
    let mut ends = order.into_iter().filter(|inst| target(func, *inst) == Some(OUT_OF)).peekable();
    if ends.peek().is_none() {
        return Vec::new();
    }
    let users = users(func);
    ends.filter_map(|inst| pattern(func, inst, &users)).collect()
}

/// How often each value is used.
fn users(func: &Function) -> Vec<usize> {
    let mut users = vec![0; func.value_count()];
    for block in func.blocks_in_order() {
        let block = func.block(block);
        let operands = block.insts.iter().flat_map(|inst| &func.inst(*inst).operands);
        operands.chain(&block.results).for_each(|value| users[value.index()] += 1);
    }
    users
}

fn target(func: &Function, inst: InstId) -> Option<&str> {
    match &func.inst(inst).op {
        Op::Foreign(Foreign::CustomCall(call)) => Some(&call.target),
        _ => None,
    }
}

fn pattern(func: &Function, out_of: InstId, users: &[usize]) -> Option<Found> {
    let call = maker(func, &func.inst(out_of).operands, users)?;
    let known = func.inst(call);
    if !matches!(known.op, Op::Call(_)) || func.block_of(call) != func.block_of(out_of) {
        return None;
    }
    if known.operands.is_empty() {
        return Some(Found { into: None, call, out_of });
    }
    let into = maker(func, &known.operands, users)?;
    let fits = target(func, into) == Some(INTO) && func.block_of(into) == func.block_of(call);
    fits.then_some(Found { into: Some(into), call, out_of })
}

/// The instruction whose results are just these values, each used once.
fn maker(func: &Function, values: &[ValueId], users: &[usize]) -> Option<InstId> {
    let inst = func.def_inst(*values.first()?)?;
    let once = values.iter().all(|value| users[value.index()] == 1);
    (once && func.inst(inst).results == values).then_some(inst)
}

/// What the attributes say; `None` if they are missing.
fn computation(
    func: &Function,
    found: &Found,
    meshes: &mut Meshes,
    names: &BTreeMap<String, MeshId>,
    span: Span,
) -> Result<Option<ManualComputation>, Diagnostic> {
    let (Some(axes), Some(outs)) = (field(func, found.out_of, AXES), field(func, found.out_of, OUTS)) else {
        return Ok(None);
    };
    let ins = found.into.and_then(|inst| field(func, inst, INS)).unwrap_or("[]");
    let by_name = |name: &str| names.get(name).copied();
    let mut scope = MeshScope { meshes, by_name: &by_name };
    let at = |error: Diagnostic| without_place(error).at(span);
    let in_shardings: Vec<Sharding> = parse_shardings(ins, 0, &mut scope).map_err(at)?;
    let out_shardings = parse_shardings(outs, 0, &mut scope).map_err(at)?;
    let known = in_shardings.iter().chain(&out_shardings).map(|sharding| sharding.mesh).next();
    let Some(mesh) = known.or(meshes.keys().next()) else { return Ok(None) };
    let axes = axes.strip_prefix("#sdy<manual_axes").and_then(|axes| axes.strip_suffix('>')).unwrap_or(axes);
    let axes = parse_axes(axes, 0, &meshes[mesh]).map_err(at)?;
    Ok(Some(ManualComputation { mesh, axes, in_shardings, out_shardings }))
}

/// A place inside an attribute's text says nothing.
fn without_place(error: Diagnostic) -> Diagnostic {
    Diagnostic { place: None, ..error }
}

fn frontend(func: &Function, inst: InstId) -> Option<&Attrs> {
    match func.inst(inst).attrs.get(FRONTEND)? {
        Attr::Dict(fields) => Some(fields),
        Attr::Str(_) | Attr::Raw(_) | Attr::Unit => None,
    }
}

fn field<'f>(func: &'f Function, inst: InstId, name: &str) -> Option<&'f str> {
    frontend(func, inst)?.get_str(name)
}

impl Found {
    /// The last of the three becomes the region's instruction, the call moves into the region, the first goes.
    fn replace(&self, func: &mut Function, manual: ManualComputation) {
        let operands = self.into.map_or(Vec::new(), |into| func.inst(into).operands.clone());
        let passed = func.inst(self.call).operands.clone();
        let returned = func.inst(self.call).results.clone();
        let outer = func.block_of(self.out_of);
        let left: Vec<InstId> = func.block(outer).insts.clone();
        let left = left.into_iter().filter(|inst| *inst != self.call && Some(*inst) != self.into).collect();
        let old = func.inst(self.out_of).results.clone();
        let kept: Vec<_> = old.iter().map(|value| func.value(*value).clone()).collect();
        let fields = frontend(func, self.out_of).cloned();

        let mut editor = Editor::new(func);
        let region = editor.block();
        let mut params = Vec::with_capacity(passed.len());
        for value in &passed {
            let known = editor.func().value(*value).clone();
            let param = editor.param(region, known.ty);
            editor.set_name(param, known.name);
            params.push(param);
        }
        editor.set_operands(self.call, params);
        editor.set_order(outer, left);
        editor.set_order(region, vec![self.call]);
        editor.set_results(region, returned);
        let types = kept.iter().map(|value| value.ty.clone()).collect();
        let op = Op::Sharding(ShardingOp::Manual(manual));
        let results = editor.replace(self.out_of, op, operands, vec![region], types);
        for (result, known) in results.iter().zip(kept) {
            editor.set_name(*result, known.name);
            editor.set_sharding(*result, known.sharding);
        }
        let new = |value: ValueId| old.iter().position(|old| *old == value).map_or(value, |at| results[at]);
        editor.map_uses(new);
        let attrs = editor.attrs_mut(self.out_of);
        attrs.remove(FRONTEND);
        let rest = fields.map_or(Vec::new(), |fields| fields.0);
        let rest: Vec<_> = rest.into_iter().filter(|(name, _)| ![AXES, OUTS].contains(&&**name)).collect();
        if !rest.is_empty() {
            attrs.set(FRONTEND, Attr::Dict(Attrs(rest)));
        }
    }
}

/// The call that is all of a region.
pub(super) fn only_call(func: &Function, manual: InstId) -> Option<InstId> {
    let [region] = func.inst(manual).regions[..] else { return None };
    let block = func.block(region);
    let [call] = block.insts[..] else { return None };
    let known = func.inst(call);
    let is_all = known.operands == block.params && known.results == block.results;
    (matches!(known.op, Op::Call(_)) && is_all && !known.results.is_empty()).then_some(call)
}

pub(super) fn print(manual: &ManualComputation, call: InstId, line: &mut Line<'_, '_, '_>) {
    let func = line.comp.func;
    let Some(region) = line.regions().first().copied() else { return };
    line.comp.adopt(region);
    let (axes, ins, outs) = fields(manual, &line.comp.printer.module.meshes);
    let params = func.block(region).params.clone();
    if !params.is_empty() {
        let metadata = line.comp.printer.metadata(line.inst.source);
        let metadata = if metadata.is_empty() { String::new() } else { format!(", metadata={{{metadata}}}") };
        let rest = format!(
            "custom-call({}), custom_call_target={}, custom_call_has_side_effect=true, \
             frontend_attributes={{{INS}={},{AXES}={}}}{metadata}",
            line.comp.operand_list(&line.inst.operands),
            quote(INTO),
            quote(&ins),
            quote(&axes)
        );
        line.comp.made(&Form::of_count(params.len()), &params, "custom-call", &rest);
    }
    line.comp.instruction(call);
    line.op("custom-call").attr("custom_call_target", quote(OUT_OF));
    line.flag("custom_call_has_side_effect", true);
    line.args = Some(line.comp.operand_list(&func.block(region).results));
    line.frontend.push((AXES.into(), Attr::Str(axes.into())));
    line.frontend.push((OUTS.into(), Attr::Str(outs.into())));
}

fn fields(manual: &ManualComputation, meshes: &Meshes) -> (String, String, String) {
    let axes = meshes.get(manual.mesh).map_or(String::new(), |mesh| print_axes(&manual.axes, mesh));
    let list =
        |shardings: &[Sharding]| format!("#sdy.sharding_per_value<{}>", print_shardings(shardings, meshes));
    (format!("#sdy<manual_axes{axes}>"), list(&manual.in_shardings), list(&manual.out_shardings))
}
