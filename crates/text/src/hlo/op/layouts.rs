//! Layouts and aliases of custom calls, kept as StableHLO writes them, so that both text forms say the same.
//!
//! ```text
//! operand_layout_constraints={f32[4,3]{0,1}, f32[3]{0}}   operand_layouts = [dense<[0, 1]> : tensor<2xindex>, ..]
//! the layouts of the result shape                         result_layouts = [..]
//! output_to_operand_aliasing={{0}: (1, {})}               output_operand_aliases = [#stablehlo.output_operand_alias<
//!                       output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>]
//! ```

use crate::calls::{misfit, orders};
use crate::hlo::inst::{InstText, bad, int_list, list_of};
use crate::hlo::lex::{Piece, Read};
use crate::hlo::shape::{Form, HloShape, Leaf, write_type};
use meshwright_ir::{Attr, Attrs, Type};

const OPERANDS: &str = "operand_layouts";
const RESULTS: &str = "result_layouts";
const ALIASES: &str = "output_operand_aliases";

/// Read what constrains a call into its attributes. Whether the result's layouts are among them.
pub(super) fn read(text: &mut InstText<'_, '_>, shape: &HloShape<'_>, attrs: &mut Attrs) -> Read<bool> {
    if let Some(piece) = text.get("output_to_operand_aliasing") {
        attrs.set(ALIASES, Attr::Raw(read_aliases(piece)?.into()));
    }
    let Some(piece) = text.get("operand_layout_constraints") else { return Ok(false) };
    let operands = list_of(piece, HloShape::read)?;
    let leaves: Vec<&Leaf<'_>> = operands.iter().flat_map(|shape| &shape.leaves).collect();
    let results: Vec<&Leaf<'_>> = shape.leaves.iter().collect();
    let (Some(operands), Some(results)) = (dense_list(&leaves), dense_list(&results)) else {
        attrs.set("hlo.operand_layout_constraints", Attr::Str(piece.str.into()));
        return Ok(false);
    };
    attrs.set(OPERANDS, Attr::Raw(operands.into()));
    attrs.set(RESULTS, Attr::Raw(results.into()));
    Ok(true)
}

/// `[dense<[0, 1]> : tensor<2xindex>]`; `None` for layouts with tiles or memory spaces.
fn dense_list(leaves: &[&Leaf<'_>]) -> Option<String> {
    let dense = |leaf: &&Leaf<'_>| {
        let rank = leaf.ty.rank();
        let order: Vec<String> = match leaf.layout {
            None => (0..rank).rev().map(|dim| dim.to_string()).collect(),
            Some(text) if text.contains(':') => return None,
            Some(text) => {
                text.trim_matches(['{', '}']).split(',').map(|dim| dim.trim().to_string()).collect()
            }
        };
        let body = match &order[..] {
            [] => String::new(),
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        Some(format!("dense<{body}> : tensor<{rank}xindex>"))
    };
    let list: Option<Vec<String>> = leaves.iter().map(dense).collect();
    list.map(|list| format!("[{}]", list.join(", ")))
}

fn read_aliases(piece: Piece<'_>) -> Read<String> {
    let alias = |cursor: &mut crate::hlo::lex::Cursor<'_>| {
        let output = int_list(cursor.brackets()?)?;
        cursor.expect(b':')?;
        let place = cursor.brackets()?;
        let inner = place.inside('(', ')').ok_or_else(|| bad(place, "`(operand, {..})`"))?;
        let mut cursor = inner.cursor();
        let operand = cursor.int()?;
        let path = if cursor.eat(b',') { int_list(cursor.brackets()?)? } else { Vec::new() };
        Ok(format!(
            "#stablehlo.output_operand_alias<output_tuple_indices = {output:?}, operand_index = {operand}, \
             operand_tuple_indices = {path:?}>"
        ))
    };
    Ok(format!("[{}]", list_of(piece, alias)?.join(", ")))
}

/// Attributes of a call as text.
fn raw<'m>(attrs: &'m Attrs, name: &str) -> Option<&'m str> {
    match attrs.get(name)? {
        Attr::Raw(text) => Some(text),
        Attr::Str(_) | Attr::Dict(_) | Attr::Unit => None,
    }
}

/// The layouts as HLO writes them, or `None` where one does not list each dim of its type once.
fn layouts(attrs: &Attrs, name: &str, types: &[&Type]) -> Option<Vec<String>> {
    let text = raw(attrs, name).filter(|text| misfit(text, types).is_none())?;
    let layout = |order: Vec<usize>| {
        let dims: Vec<String> = order.iter().map(ToString::to_string).collect();
        if dims.is_empty() { String::new() } else { format!("{{{}}}", dims.join(",")) }
    };
    Some(orders(text)?.into_iter().map(layout).collect())
}

/// `operand_layout_constraints`, if the call's operands are constrained.
pub(super) fn printed_operands(attrs: &Attrs, types: &[&Type]) -> Option<String> {
    let layouts = layouts(attrs, OPERANDS, types)?;
    let shape = |(ty, layout): (&&Type, &String)| {
        let mut out = String::new();
        write_type(&mut out, ty, Some(layout));
        out
    };
    Some(format!("{{{}}}", types.iter().zip(&layouts).map(shape).collect::<Vec<_>>().join(", ")))
}

/// The layouts of the results, `;` between them.
pub(super) fn printed_results(attrs: &Attrs, types: &[&Type]) -> Option<String> {
    layouts(attrs, RESULTS, types).map(|layouts| layouts.join(";"))
}

/// `output_to_operand_aliasing`, if the call has aliases. A call with one result has no tuple to index.
pub(super) fn printed_aliases(attrs: &Attrs, form: &Form) -> Option<String> {
    let text = raw(attrs, ALIASES)?;
    let list = |alias: &str, key: &str| -> Option<String> {
        let (_, rest) = alias.split_once(key)?;
        let inner = rest.split_once('[')?.1.split_once(']')?.0;
        Some(inner.split_whitespace().collect())
    };
    let alias = |alias: &str| {
        let output = list(alias, "output_tuple_indices")?;
        let operand = alias.split_once("operand_index")?.1.trim_start().strip_prefix('=')?;
        let operand: i64 = operand.split([',', '>']).next()?.trim().parse().ok()?;
        let output = if *form == Form::Leaf { String::new() } else { output };
        Some(format!("{{{output}}}: ({operand}, {{{}}})", list(alias, "operand_tuple_indices")?))
    };
    let aliases: Vec<String> = text.split("output_operand_alias<").skip(1).filter_map(alias).collect();
    (!aliases.is_empty()).then(|| format!("{{{}}}", aliases.join(", ")))
}
