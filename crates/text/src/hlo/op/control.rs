//! Control flow. A loop's or branch's state is one tuple in HLO; what a region uses from outside is made part of it.

use super::Made;
use super::elementwise::word_of;
use crate::codes;
use crate::hlo::build::{Body, Bound, Build, ModuleBuilder, Scope};
use crate::hlo::common::{Common, dictionary};
use crate::hlo::computation::captures;
use crate::hlo::inst::{InstText, bad};
use crate::hlo::lex::is_dictionary;
use crate::hlo::lex::{Piece, Read, fault, quote};
use crate::hlo::line::{Line, More};
use crate::hlo::outline::RawInst;
use crate::hlo::printer::mlir_dictionary;
use meshwright_ir::op::control::FusionKind;
use meshwright_ir::op::{Call, Composite, Control, Foreign, Scan};
use meshwright_ir::{Attr, Attrs, Op, ValueId};

const FUSIONS: [(FusionKind, &str); 4] = [
    (FusionKind::Loop, "kLoop"),
    (FusionKind::Input, "kInput"),
    (FusionKind::Output, "kOutput"),
    (FusionKind::Custom, "kCustom"),
];

/// A composite's attributes where they are one text.
const WHOLE: &str = "hlo.composite_attributes";

pub(super) fn read_while<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let regions = vec![text.need("condition")?, text.need("body")?];
    Ok(Made::with_regions(Op::Control(Control::While), regions))
}

pub(super) fn read_fusion<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let kind = text.word("kind", &FUSIONS)?;
    let kind = kind.ok_or_else(|| text.fault("`fusion` needs the attribute `kind`"))?;
    // Which operands of a fusion share a buffer with its results is for the engine to find again.
    text.get("output_to_operand_aliasing");
    Ok(Made::with_regions(Op::Control(Control::Fusion { kind }), vec![text.need("calls")?]))
}

pub(super) fn call<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let mut text = InstText::new(raw, builder.outline.attrs(raw), &body.func, &[]);
    let name = text.need("to_apply")?;
    let is_composite = text.flag("is_composite")?;
    let composite =
        if is_composite { text.get("frontend_attributes").map(dictionary).transpose()? } else { None };
    let common = Common::read(&mut text, &mut builder.sources)?;
    common.unknown(&text)?;
    let values: Vec<ValueId> = operands.iter().flat_map(|operand| body.values(operand).to_vec()).collect();
    let callee = builder.callee(name)?;
    let op = match composite {
        Some(fields) => Op::Foreign(Foreign::Composite(read_composite(fields, callee))),
        None => Op::Call(Call { callee }),
    };
    builder.push(body, scope, raw, (op, values, Vec::new()), common)
}

fn read_composite(mut fields: Attrs, decomposition: meshwright_ir::FuncId) -> Composite {
    let name = fields.get_str("composite.name").unwrap_or("").to_string();
    let version = fields.get_str("composite.version").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut attrs = Attrs::default();
    if let Some(Attr::Raw(text) | Attr::Str(text)) = fields.remove("composite.attributes")
        && is_dictionary(&text)
    {
        // A dictionary of MLIR attributes; one that does not come apart is kept whole.
        attrs = dictionary(Piece { str: &text, at: 0 }).unwrap_or_default();
        if attrs.is_empty() && &*text != "{}" {
            attrs.set(WHOLE, Attr::Raw(text));
        }
    }
    Composite { name, decomposition, version, attrs }
}

pub(super) fn conditional<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let mut text = InstText::new(raw, builder.outline.attrs(raw), &body.func, &[]);
    let (control, names) = branches(&mut text)?;
    let common = Common::read(&mut text, &mut builder.sources)?;
    common.unknown(&text)?;
    let Some((selector, states)) = operands.split_first() else {
        return Err(raw.args.fault("`conditional` needs a predicate or index").into());
    };
    if states.len() != names.len() {
        let message = format!(
            "`conditional` has {} branches, but operands for {}: each branch takes one",
            names.len(),
            states.len()
        );
        return Err(fault(codes::WRONG_TYPE, raw.args.span(), message).into());
    }
    let mut regions = Vec::with_capacity(names.len());
    for (name, state) in names.into_iter().zip(states) {
        regions.push(builder.branch(body, name, std::slice::from_ref(state))?);
    }
    let selector = body.values(selector).to_vec();
    builder.push(body, scope, raw, (Op::Control(control), selector, regions), common)
}

fn branches<'t>(text: &mut InstText<'_, 't>) -> Read<(Control, Vec<Piece<'t>>)> {
    let Some(list) = text.get("branch_computations") else {
        return Ok((Control::If, vec![text.need("true_computation")?, text.need("false_computation")?]));
    };
    Ok((Control::Case, computations(list)?))
}

/// `{%a, %b}`.
pub(super) fn computations(list: Piece<'_>) -> Read<Vec<Piece<'_>>> {
    let Some(inner) = list.inside('{', '}') else { return Ok(vec![list]) };
    let mut cursor = inner.cursor();
    let mut names = Vec::new();
    while !cursor.is_done() {
        names.push(cursor.expect_name("a computation")?);
        if !cursor.eat(b',') && !cursor.is_done() {
            return Err(bad(list, "`{%a, %b}`"));
        }
    }
    Ok(names)
}

pub(super) fn print(op: &Control, line: &mut Line<'_, '_, '_>) {
    match op {
        Control::While => print_while(line),
        Control::If => print_branches(line, &["true_computation", "false_computation"]),
        Control::Case => print_branches(line, &[]),
        Control::Fusion { kind } => print_fusion(*kind, line),
    }
}

/// Values from outside become state that never changes.
fn print_while(line: &mut Line<'_, '_, '_>) {
    let [condition, loop_body] = *line.regions() else { return };
    let outside = captures(line.comp.func, line.regions());
    let state: Vec<ValueId> = line.inst.operands.iter().chain(&outside).copied().collect();
    let init = line.comp.bundle(&state);
    let condition = line.comp.state_region(condition, &outside, false);
    let loop_body = line.comp.state_region(loop_body, &outside, true);
    line.args = Some(format!("%{init}"));
    line.op("while")
        .attr("condition", format_args!("%{condition}"))
        .attr("body", format_args!("%{loop_body}"));
    let func = line.comp.func;
    line.more =
        outside.iter().map(|value| More { ty: func.ty(*value).clone(), like: Some(*value) }).collect();
}

/// What a branch uses from outside is its operand.
fn print_branches(line: &mut Line<'_, '_, '_>, keys: &[&str]) {
    let mut args = line.comp.operand_list(&line.inst.operands);
    let mut names = Vec::new();
    for region in line.regions() {
        let outside = captures(line.comp.func, &[*region]);
        args += &format!(", %{}", line.comp.bundle(&outside));
        names.push(format!("%{}", line.comp.branch_region(*region, &outside)));
    }
    line.args = Some(args);
    line.op("conditional");
    if keys.len() == names.len() {
        for (key, name) in keys.iter().zip(&names) {
            line.attr(key, name);
        }
    } else {
        line.attr("branch_computations", format_args!("{{{}}}", names.join(", ")));
    }
}

fn print_fusion(kind: FusionKind, line: &mut Line<'_, '_, '_>) {
    let Some(region) = line.regions().first().copied() else { return };
    let outside = captures(line.comp.func, &[region]);
    let operands: Vec<ValueId> = line.inst.operands.iter().chain(&outside).copied().collect();
    line.args = Some(line.comp.operand_list(&operands));
    let name = line.comp.spread_region(region, &outside);
    line.op("fusion").attr("kind", word_of(&kind, &FUSIONS)).attr("calls", format_args!("%{name}"));
}

/// Scans are lowered to loops before a module is printed; one that is left is named, but has no form in HLO.
pub(super) fn print_scan(op: &Scan, line: &mut Line<'_, '_, '_>) {
    line.op("custom-call").attr("custom_call_target", quote("meshwright.scan"));
    let fields = format!("trips={} carries={} reverse={}", op.trips, op.carries, op.reverse);
    line.attr("backend_config", quote(&fields));
}

pub(super) fn print_call(op: &Call, line: &mut Line<'_, '_, '_>) {
    let name = line.comp.printer.callee(op.callee);
    line.op("call").attr("to_apply", format_args!("%{name}"));
}

pub(super) fn print_composite(op: &Composite, line: &mut Line<'_, '_, '_>) {
    let name = line.comp.printer.callee(op.decomposition);
    let attributes = match op.attrs.get(WHOLE) {
        Some(Attr::Raw(text)) => text.to_string(),
        Some(Attr::Str(_) | Attr::Dict(_) | Attr::Unit) | None => mlir_dictionary(&op.attrs),
    };
    let fields = format!(
        "{{composite.attributes={attributes},composite.name={},composite.version={}}}",
        quote(&op.name),
        quote(&op.version.to_string())
    );
    line.op("call").attr("to_apply", format_args!("%{name}")).flag("is_composite", true);
    line.attr("frontend_attributes", fields);
}
