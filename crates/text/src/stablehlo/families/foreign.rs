//! custom_call and composite. Calls that are annotations in disguise become sharding ops.

use super::sharding;
use crate::calls::misfit;
use crate::codes;
use crate::stablehlo::annotate::{attr_of, attrs_of, tree_of};
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree};
use meshwright_ir::op::{Composite, CustomCall, Foreign};
use meshwright_ir::{Attr, Attrs, FuncId, Module, Op, Type};

/// Attributes of a custom call that are kept as they are.
const KEPT: [&str; 4] =
    ["mhlo.backend_config", "operand_layouts", "output_operand_aliases", "result_layouts"];

pub fn custom_call<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let Some(target) = p.opt_string(draft, "call_target_name")? else {
        return Err(p.missing(draft, "call_target_name"));
    };
    if let Some(op) = sharding::from_custom_call(p, draft, &target)? {
        return Ok(op);
    }
    let mut attrs = Attrs::default();
    let backend_config = backend_config(p, draft, &mut attrs)?;
    for name in KEPT {
        if let Some(prop) = draft.take(name) {
            let attr = attr_of(p, &prop)?;
            check_layouts(p, draft, &prop, &attr)?;
            attrs.set(name, attr);
        }
    }
    Ok(Op::Foreign(Foreign::CustomCall(CustomCall {
        target: target.into_owned(),
        results: draft.types.clone(),
        has_side_effect: p.flag(draft, "has_side_effect")?,
        backend_config,
        api_version: p.opt_int(draft, "api_version")?,
        attrs,
        callees: callees(p, draft)?,
    })))
}

/// Layouts list the dims of each operand or result.
fn check_layouts<'a>(p: &mut Parser<'a>, draft: &Draft<'a>, prop: &Prop<'a>, attr: &Attr) -> Parsed<()> {
    let operands = || draft.operands.iter().map(|value| p.func.ty(*value)).collect::<Vec<&Type>>();
    let types = match &*prop.name {
        "operand_layouts" => operands(),
        "result_layouts" => draft.types.iter().collect(),
        _ => return Ok(()),
    };
    let misfit = match attr {
        Attr::Raw(text) => misfit(text, &types),
        Attr::Str(_) | Attr::Dict(_) | Attr::Unit => Some("layouts are a list".to_string()),
    };
    misfit.map_or(Ok(()), |message| Err(p.fail(codes::BAD_ATTRIBUTE, prop.at, message)))
}

/// A string, or a dictionary that is kept among the attributes.
fn backend_config<'a>(
    p: &mut Parser<'a>,
    draft: &mut Draft<'a>,
    attrs: &mut Attrs,
) -> Parsed<Option<String>> {
    let Some(prop) = draft.take("backend_config") else { return Ok(None) };
    match &prop.tree {
        Tree::Str(text) => Ok(Some(text.to_string())),
        Tree::Dict(_) => {
            attrs.set("backend_config", attr_of(p, &prop)?);
            Ok(None)
        }
        _ => Err(p.bad_prop(&prop, "a string or a dictionary")),
    }
}

fn callees<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Vec<FuncId>> {
    let Some(prop) = draft.take("called_computations") else { return Ok(Vec::new()) };
    let Tree::Array(items) = &prop.tree else {
        return Err(p.bad_prop(&prop, "a list of functions"));
    };
    let mut callees = Vec::new();
    for item in items {
        let Tree::Symbol(name) = item else {
            return Err(p.bad_prop(&prop, "a list of functions"));
        };
        callees.push(p.symbols.mention(name.clone(), prop.at));
    }
    Ok(callees)
}

pub fn composite<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let Some(name) = p.opt_string(draft, "name")? else {
        return Err(p.missing(draft, "name"));
    };
    let callee = p.need(draft, "decomposition")?;
    let Tree::Symbol(decomposition) = callee.tree else {
        return Err(p.bad_prop(&callee, "a function as `@f`"));
    };
    let attrs = match draft.take("composite_attributes") {
        None => Attrs::default(),
        Some(prop) => match &prop.tree {
            Tree::Dict(props) => attrs_of(p, props)?,
            _ => return Err(p.bad_prop(&prop, "a dictionary")),
        },
    };
    Ok(Op::Foreign(Foreign::Composite(Composite {
        name: name.into_owned(),
        decomposition: p.symbols.mention(decomposition, callee.at),
        version: p.opt_int(draft, "version")?.unwrap_or(0),
        attrs,
    })))
}

pub fn name(foreign: &Foreign) -> &'static str {
    match foreign {
        Foreign::CustomCall(_) => "stablehlo.custom_call",
        Foreign::Composite(_) => "stablehlo.composite",
    }
}

pub fn props<'m>(module: &'m Module, foreign: &'m Foreign) -> Vec<Prop<'m>> {
    match foreign {
        Foreign::CustomCall(call) => custom_call_props(module, call),
        Foreign::Composite(composite) => composite_props(module, composite),
    }
}

fn symbol(module: &Module, callee: FuncId) -> Tree<'_> {
    Tree::Symbol((*module.funcs[callee].name).into())
}

fn custom_call_props<'m>(module: &'m Module, call: &'m CustomCall) -> Vec<Prop<'m>> {
    let mut props = vec![Prop::made("call_target_name", Tree::Str((&*call.target).into()))];
    if call.has_side_effect {
        props.push(super::flag("has_side_effect", true));
    }
    if let Some(config) = &call.backend_config {
        props.push(Prop::made("backend_config", Tree::Str((&**config).into())));
    }
    if let Some(version) = call.api_version {
        props.push(Prop::made("api_version", Tree::Int(version, "i32".into())));
    }
    if !call.callees.is_empty() {
        let callees = call.callees.iter().map(|callee| symbol(module, *callee)).collect();
        props.push(Prop::made("called_computations", Tree::Array(callees)));
    }
    props.extend(tree_of(&call.attrs));
    props
}

fn composite_props<'m>(module: &'m Module, composite: &'m Composite) -> Vec<Prop<'m>> {
    let mut props = vec![
        Prop::made("name", Tree::Str((&*composite.name).into())),
        Prop::made("decomposition", symbol(module, composite.decomposition)),
    ];
    if !composite.attrs.is_empty() {
        props.push(Prop::made("composite_attributes", Tree::Dict(tree_of(&composite.attrs))));
    }
    if composite.version != 0 {
        props.push(Prop::made("version", Tree::Int(composite.version, "i32".into())));
    }
    props
}
