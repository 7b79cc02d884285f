//! Custom calls. Those that XLA uses for annotations, and those that stand for ops HLO lacks, are read as what they
//! mean.
//!
//! ```text
//! Sharding, SPMDFullToShardShape, SPMDShardToFullShape     annotations (see `sharding`)
//! TopK                                                     the op, if it takes one operand
//! chlo.<name>                                              ops HLO has no opcode for (see `elementwise`)
//! rng-get-and-update-state(), delta=1                      the opcode, kept as a call of that name
//! ```

use super::Made;
use super::control::computations;
use super::{elementwise, layouts};
use crate::hlo::build::{Body, Bound, Build, ModuleBuilder, Scope};
use crate::hlo::common::{Common, dictionary};
use crate::hlo::inst::{InstText, bad, no_shape};
use crate::hlo::lex::{Piece, Read, quote, unescape};
use crate::hlo::line::Line;
use crate::hlo::outline::RawInst;
use crate::hlo::shape::{Form, HloShape};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{CustomCall, Foreign, TopK};
use meshwright_ir::{Attr, Attrs, DType, FuncId, Op, ValueId};

const RNG_STATE: &str = "rng-get-and-update-state";

/// `API_VERSION_..` by number.
const API_VERSIONS: [(i64, &str); 5] = [
    (0, "API_VERSION_UNSPECIFIED"),
    (1, "API_VERSION_ORIGINAL"),
    (2, "API_VERSION_STATUS_RETURNING"),
    (3, "API_VERSION_STATUS_RETURNING_UNIFIED"),
    (4, "API_VERSION_TYPED_FFI"),
];

const TYPED: i64 = 4;

/// Where a dictionary of a call is kept.
const CONFIG: &str = "backend_config";
/// Where JAX keeps it in StableHLO.
const MHLO_CONFIG: &str = "mhlo.backend_config";

/// Attributes of custom calls that are kept as text.
const KEPT: [&str; 8] = [
    "window",
    "dim_labels",
    "feature_group_count",
    "batch_group_count",
    "padding_type",
    "operand_precision",
    "literal",
    "schedule",
];

pub(super) fn custom_call<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let Some(shape) = &raw.shape else {
        return Err(no_shape(raw).into());
    };
    custom_call_as(builder, (body, scope), raw, operands, shape)
}

/// A custom call whose result has the given shape.
pub(super) fn custom_call_as<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    (body, scope): (&mut Body, &Scope<'t>),
    raw: &'b RawInst<'t>,
    operands: &[Bound],
    shape: &HloShape<'t>,
) -> Build<Bound> {
    let values: Vec<ValueId> = operands.iter().flat_map(|operand| body.values(operand).to_vec()).collect();
    let mut text = InstText::new(raw, builder.outline.attrs(raw), &body.func, &values);
    let target = text.string("custom_call_target")?.unwrap_or_default();
    if let Some(op) = known(&target, &mut text, shape)? {
        let mut common = Common::read(&mut text, &mut builder.sources)?;
        common.forget_frontend(super::sharding::FRONTEND_FIELDS);
        common.unknown(&text)?;
        return builder.push_as(
            body,
            scope,
            (raw, shape),
            (op, values, Vec::new()),
            Attrs::default(),
            common,
        );
    }
    let Parsed { mut call, callees, keeps_layouts } = read_call(&mut text, target, shape)?;
    let mut common = Common::read(&mut text, &mut builder.sources)?;
    common.unknown(&text)?;
    call.callees = callees.into_iter().map(|name| builder.callee(name)).collect::<Build<Vec<FuncId>>>()?;
    let mut attrs = Attrs::default();
    if shape.form != Form::of_count(shape.leaves.len()) {
        let mut form = String::new();
        shape.form.write(&mut form);
        attrs.set("hlo.form", Attr::Str(form.into()));
    }
    let op = Op::Foreign(Foreign::CustomCall(call));
    common.result_layouts &= !keeps_layouts;
    builder.push_as(body, scope, (raw, shape), (op, values, Vec::new()), attrs, common)
}

/// The op a target stands for.
fn known(target: &str, text: &mut InstText<'_, '_>, shape: &HloShape<'_>) -> Read<Option<Op>> {
    if let Some(op) = elementwise::of_target(target) {
        return Ok(Some(op));
    }
    match target {
        "Sharding" | "SPMDFullToShardShape" | "SPMDShardToFullShape" => {
            super::sharding::of_target(target, text, shape)
        }
        super::sharding::BARRIER | super::sharding::GROUP => super::sharding::of_shardy(target, text),
        "TopK" => Ok(top_k(text, shape)),
        _ => Ok(None),
    }
}

/// `TopK` of one operand gives values and their s32 places along the last dim.
fn top_k(text: &mut InstText<'_, '_>, shape: &HloShape<'_>) -> Option<Op> {
    let [values, indices] = &shape.leaves[..] else { return None };
    let is_plain = text.operands.len() == 1 && indices.ty.as_tensor()?.dtype == DType::S32;
    let k = *values.ty.dims().last()?;
    let config = text.get("backend_config").map_or("", |piece| piece.str);
    text.get("called_computations");
    text.get("api_version");
    is_plain.then(|| Op::TopK(TopK { k, largest: !config.contains("largest = false") }))
}

/// A custom call and what is not yet in it.
struct Parsed<'t> {
    call: CustomCall,
    callees: Vec<Piece<'t>>,
    /// Whether the call's attributes say the layouts of its results.
    keeps_layouts: bool,
}

fn read_call<'t>(text: &mut InstText<'_, 't>, target: String, shape: &HloShape<'_>) -> Read<Parsed<'t>> {
    let mut callees = text.get("called_computations").map_or(Ok(Vec::new()), computations)?;
    callees.extend(text.get("to_apply"));
    let has_side_effect = text.flag("custom_call_has_side_effect")?;
    let api_version = text.word("api_version", &API_VERSIONS)?;
    let mut attrs = Attrs::default();
    let backend_config = read_config(text, &mut attrs)?;
    let keeps_layouts = layouts::read(text, shape, &mut attrs)?;
    for key in KEPT {
        if let Some(piece) = text.get(key) {
            attrs.set(&format!("hlo.{key}"), Attr::Str(piece.str.into()));
        }
    }
    let results = shape.leaves.iter().map(|leaf| leaf.ty.clone()).collect();
    let call = CustomCall {
        target,
        results,
        has_side_effect,
        backend_config,
        api_version,
        attrs,
        callees: Vec::new(),
    };
    Ok(Parsed { call, callees, keeps_layouts })
}

/// A string, or a dictionary that goes to the attributes; one that does not come apart stays a string.
fn read_config(text: &mut InstText<'_, '_>, attrs: &mut Attrs) -> Read<Option<String>> {
    let Some(piece) = text.get("backend_config") else { return Ok(None) };
    if let Ok(inner) = piece.quoted() {
        return Ok(Some(unescape(inner)).filter(|text| !text.is_empty()));
    }
    match dictionary(piece) {
        Ok(mut fields) => {
            fields.0.arrange_by(|a, b| a.0.cmp(&b.0));
            attrs.set(CONFIG, Attr::Dict(fields));
            Ok(None)
        }
        Err(_) => Ok(Some(piece.str.to_string())),
    }
}

/// A random generator's own state: kept as a call of the opcode's name.
pub(super) fn read_rng_state<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let delta = text.need("delta")?;
    delta.str.parse::<u64>().map_err(|_| bad(delta, "a number"))?;
    let mut attrs = Attrs::default();
    attrs.set("hlo.delta", Attr::Str(delta.str.into()));
    Ok(Made::of(Op::Foreign(Foreign::CustomCall(CustomCall {
        target: RNG_STATE.to_string(),
        results: text.result_types(),
        has_side_effect: true,
        backend_config: None,
        api_version: None,
        attrs,
        callees: Vec::new(),
    }))))
}

pub(super) fn print_custom_call(op: &CustomCall, line: &mut Line<'_, '_, '_>) {
    line.form = line.kept("hlo.form").and_then(Form::read).filter(|form| form.leaves() == op.results.len());
    if op.target == RNG_STATE {
        line.op(RNG_STATE);
    } else {
        line.op("custom-call").attr("custom_call_target", quote(&op.target));
    }
    if !op.callees.is_empty() {
        let names: Vec<_> =
            op.callees.iter().map(|callee| format!("%{}", line.comp.printer.callee(*callee))).collect();
        line.attr("called_computations", format_args!("{{{}}}", names.join(", ")));
    }
    line.flag("custom_call_has_side_effect", op.has_side_effect && op.target != RNG_STATE);
    print_layouts(op, line);
    line.attrs.push_str(&crate::hlo::printer::kept_attrs(&op.attrs));
    // JAX names a typed call by the place of its dictionary.
    let is_typed = op.attrs.get(MHLO_CONFIG).is_some();
    let version = op.api_version.or(is_typed.then_some(TYPED));
    if let Some((_, word)) = API_VERSIONS.iter().find(|(number, _)| Some(*number) == version) {
        line.attr("api_version", word);
    }
    if let Some(Attr::Raw(rule)) = line.inst.attrs.get("sdy.sharding_rule") {
        line.frontend.push(("xla.sdy.sharding_rule".into(), Attr::Str(rule.clone())));
    }
    print_config(op, line);
}

fn print_layouts(op: &CustomCall, line: &mut Line<'_, '_, '_>) {
    let func = line.comp.func;
    let operands: Vec<_> = line.inst.operands.iter().map(|value| func.ty(*value)).collect();
    let results: Vec<_> = op.results.iter().collect();
    if let Some(constraints) = layouts::printed_operands(&op.attrs, &operands) {
        line.attr("operand_layout_constraints", constraints);
    }
    line.layouts = layouts::printed_results(&op.attrs, &results);
    let form = line.form.clone().unwrap_or_else(|| Form::of_count(results.len()));
    if let Some(aliases) = layouts::printed_aliases(&op.attrs, &form) {
        line.attr("output_to_operand_aliasing", aliases);
    }
}

/// A dictionary stands as it is, any other text as a string.
fn print_config(op: &CustomCall, line: &mut Line<'_, '_, '_>) {
    let fields = op.attrs.get(MHLO_CONFIG).or(op.attrs.get(CONFIG));
    let config = match (fields, &op.backend_config) {
        (Some(Attr::Dict(attrs)), _) => crate::hlo::printer::mlir_dictionary(attrs),
        (Some(Attr::Raw(text)), _) => text.to_string(),
        (Some(Attr::Str(_) | Attr::Unit) | None, Some(text)) if crate::hlo::lex::is_dictionary(text) => {
            text.clone()
        }
        (Some(Attr::Str(_) | Attr::Unit) | None, Some(text)) if text.is_empty() => return,
        (Some(Attr::Str(_) | Attr::Unit) | None, Some(text)) => quote(text),
        (Some(Attr::Str(_) | Attr::Unit) | None, None) => return,
    };
    line.attr("backend_config", config);
}
