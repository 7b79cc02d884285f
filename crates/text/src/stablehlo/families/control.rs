//! while, if, case, calls, fusion, optimization_barrier.

use super::{flag, int, word_of};
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree};
use meshwright_ir::op::control::FusionKind;
use meshwright_ir::op::{Call, Control, Scan};
use meshwright_ir::{Module, Op};

pub fn while_loop<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.region_count(draft, 2)?;
    Ok(Op::Control(Control::While))
}

pub fn branch<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 1)?;
    p.region_count(draft, 2)?;
    Ok(Op::Control(Control::If))
}

pub fn case<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 1)?;
    if draft.regions.is_empty() {
        p.region_count(draft, 1)?;
    }
    Ok(Op::Control(Control::Case))
}

const KINDS: [(&str, FusionKind); 4] = [
    ("kLoop", FusionKind::Loop),
    ("kInput", FusionKind::Input),
    ("kOutput", FusionKind::Output),
    ("kCustom", FusionKind::Custom),
];

/// StableHLO has no fusion; mhlo's keeps the module readable by others.
pub fn fusion<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.region_count(draft, 1)?;
    let kind = p.opt_case(draft, "fusion_kind", &KINDS)?.unwrap_or(FusionKind::Loop);
    Ok(Op::Control(Control::Fusion { kind }))
}

pub fn name(control: &Control) -> &'static str {
    match control {
        Control::While => "stablehlo.while",
        Control::If => "stablehlo.if",
        Control::Case => "stablehlo.case",
        Control::Fusion { .. } => "mhlo.fusion",
    }
}

pub fn props(control: &Control) -> Vec<Prop<'static>> {
    match control {
        Control::While | Control::If | Control::Case => Vec::new(),
        Control::Fusion { kind } => {
            let text = format!("#mhlo<fusion_kind {}>", word_of(&KINDS, kind));
            vec![Prop::made("fusion_kind", Tree::Raw(text.into()))]
        }
    }
}

pub fn call<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let prop = p.need(draft, "callee")?;
    match prop.tree {
        Tree::Symbol(name) => Ok(Op::Call(Call { callee: p.symbols.mention(name, prop.at) })),
        _ => Err(p.bad_prop(&prop, "a function as `@f`")),
    }
}

pub fn call_props<'m>(module: &'m Module, call: &Call) -> Vec<Prop<'m>> {
    vec![Prop::made("callee", Tree::Symbol((*module.funcs[call.callee].name).into()))]
}

pub fn optimization_barrier<'a>(_: &mut Parser<'a>, _: &mut Draft<'a>) -> Parsed<Op> {
    Ok(Op::OptimizationBarrier)
}

/// Scans are lowered to `while` before a module is written; one that is left is shown under a name of our own.
pub fn describe_scan(scan: &Scan) -> (&'static str, Vec<Prop<'static>>) {
    let props =
        vec![int("carries", scan.carries as i64), flag("reverse", scan.reverse), int("trips", scan.trips)];
    ("meshwright.scan", props)
}
