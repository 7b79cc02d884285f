//! Small forms of single ops: constant, slice, compare, reduce_precision, top_k, get_tuple_element.

use crate::codes;
use crate::stablehlo::lexer::Kind;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::Tree;
use crate::stablehlo::writer::{Item, Writer};
use meshwright_base::Span;
use std::fmt::Write;

/// `{attrs} dense<1> : T`.
pub fn read_constant<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.opt_dict(draft)?;
    let start = p.peek().start;
    let tree = p.tree()?;
    let Tree::Dense(literal) = &tree else {
        let message = "a constant needs a literal, as `dense<0> : tensor<2xi32>`";
        return Err(p.fail(codes::BAD_LITERAL, Span::new(start, p.last_end()), message));
    };
    draft.types = vec![literal.ty().clone().into()];
    draft.put("value", tree, Span::new(start, p.last_end()));
    Ok(())
}

pub fn write_constant(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    w.attr_dict_but(item, &["value"]);
    w.out.push(' ');
    if let Some(value) = item.prop("value") {
        value.write(&mut w.out);
    }
}

/// `%a [0:4, 1:5:2] : (T) -> R`.
pub fn read_slice<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.operand(draft)?;
    let start = p.peek().start;
    let (mut starts, mut limits, mut strides) = (Vec::new(), Vec::new(), Vec::new());
    p.list(b'[', b']', |p| {
        starts.push(p.number()?);
        p.expect(b':')?;
        limits.push(p.number()?);
        strides.push(if p.eat(b':') { p.number()? } else { 1 });
        Ok(())
    })?;
    let at = Span::new(start, p.last_end());
    draft.put("start_indices", Tree::Ints(starts), at);
    draft.put("limit_indices", Tree::Ints(limits), at);
    draft.put("strides", Tree::Ints(strides), at);
    p.opt_dict(draft)?;
    p.functional_type(draft)
}

pub fn write_slice(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    w.space_operands(item);
    w.out.push_str(" [");
    let (starts, limits, strides) =
        (item.ints("start_indices"), item.ints("limit_indices"), item.ints("strides"));
    for (i, ((start, limit), stride)) in starts.iter().zip(limits).zip(strides).enumerate() {
        put!(w.out, "{}{start}:{limit}", if i > 0 { ", " } else { "" });
        if *stride != 1 {
            put!(w.out, ":{stride}");
        }
    }
    w.out.push(']');
    w.attr_dict_but(item, &["start_indices", "limit_indices", "strides"]);
    w.functional_type(item);
}

/// `LT, %a, %b, FLOAT : (T, T) -> R`.
pub fn read_compare<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    case(p, draft, "comparison_direction", "comparison_direction")?;
    p.expect(b',')?;
    p.operand(draft)?;
    p.expect(b',')?;
    p.operand(draft)?;
    if p.eat(b',') {
        case(p, draft, "compare_type", "comparison_type")?;
    }
    p.opt_dict(draft)?;
    p.functional_type(draft)
}

fn case<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>, prop: &'static str, kind: &'static str) -> Parsed<()> {
    let word = p.expect_kind(Kind::Word, "a word")?;
    let tree = Tree::Enum(kind.into(), p.str(word).into());
    draft.put(prop, tree, word.span());
    Ok(())
}

pub fn write_compare(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    put!(w.out, " {}, ", item.case("comparison_direction"));
    w.operands(item);
    if item.prop("compare_type").is_some() {
        put!(w.out, ", {}", item.case("compare_type"));
    }
    w.attr_dict_but(item, &["comparison_direction", "compare_type"]);
    w.functional_type(item);
}

/// `%a, format = e5m10 : T`.
pub fn read_reduce_precision<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.operand(draft)?;
    p.expect(b',')?;
    p.expect_word("format")?;
    p.expect(b'=')?;
    let word = p.expect_kind(Kind::Word, "a format as `e5m10`")?;
    let parts = p.str(word).strip_prefix('e').and_then(|rest| rest.split_once('m'));
    let parts = parts.and_then(|(e, m)| Some((e.parse().ok()?, m.parse().ok()?)));
    let Some((exponent, mantissa)) = parts else {
        return Err(p.fail(codes::BAD_ATTRIBUTE, word.span(), "a format is written as `e5m10`"));
    };
    draft.put("exponent_bits", Tree::Int(exponent, "i32".into()), word.span());
    draft.put("mantissa_bits", Tree::Int(mantissa, "i32".into()), word.span());
    p.opt_dict(draft)?;
    read_one_type(p, draft)
}

/// `: T` for the only operand and the result.
fn read_one_type<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.expect(b':')?;
    let start = p.peek().start;
    let ty = p.ty()?;
    p.check_operands(draft, std::slice::from_ref(&ty), Span::new(start, p.last_end()))?;
    draft.types = vec![ty];
    Ok(())
}

pub fn write_reduce_precision(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    w.space_operands(item);
    let (exponent, mantissa) = (item.int("exponent_bits"), item.int("mantissa_bits"));
    put!(w.out, ", format = e{exponent}m{mantissa}");
    w.attr_dict_but(item, &["exponent_bits", "mantissa_bits"]);
    w.result_type(item);
}

/// `(%a, k = 3) : T -> (R, I)`; mhlo's has `, largest = false` too.
pub fn read_top_k<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.expect(b'(')?;
    p.operand(draft)?;
    while p.eat(b',') {
        draft.props.push(p.prop()?);
    }
    p.expect(b')')?;
    p.opt_dict(draft)?;
    p.expect(b':')?;
    let start = p.peek().start;
    let ty = p.ty()?;
    p.check_operands(draft, &[ty], Span::new(start, p.last_end()))?;
    p.expect_arrow()?;
    p.result_types(draft)
}

pub fn write_top_k(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    w.out.push('(');
    w.operands(item);
    put!(w.out, ", k = {}", item.int("k"));
    if let Some(Tree::Bool(largest)) = item.prop("largest") {
        put!(w.out, ", largest = {largest}");
    }
    w.out.push(')');
    w.attr_dict_but(item, &["k", "largest"]);
    w.out.push_str(" : ");
    w.operand_types(item);
    w.arrow(item);
}

/// `%t[0] : (tuple<..>) -> T`. The whole tuple is the operand list; `index` says which part is meant.
pub fn read_tuple_element<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.operand(draft)?;
    p.expect(b'[')?;
    let start = p.peek().start;
    let index = p.number()?;
    draft.put("index", Tree::Int(index, "i32".into()), Span::new(start, p.last_end()));
    p.expect(b']')?;
    p.opt_dict(draft)?;
    p.functional_type(draft)
}
