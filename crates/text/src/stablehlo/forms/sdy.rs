//! Forms of Shardy's ops.
//!
//! ```text
//! sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
//! sdy.all_gather [{"x"}] %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
//! sdy.manual_computation(%0) in_shardings=[..] out_shardings=[..] manual_axes={"x"} (%1: T) { .. } : (T) -> T
//! ```

use crate::stablehlo::families::sharding::direction_word;
use crate::stablehlo::lexer::Kind;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Tree, write_string};
use crate::stablehlo::writer::{Item, Writer};
use meshwright_base::Span;
use std::fmt::Write;

/// `<..>` here is the sharding `name`.
fn angled<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>, name: &'static str) -> Parsed<()> {
    let open = p.peek();
    if !p.at_mark(b'<') {
        return Err(p.expected("`<`"));
    }
    p.skip_angles()?;
    let tree = Tree::Dialect { name: "sdy.sharding", body: open.end };
    draft.put(name, tree, Span::new(open.start, p.last_end()));
    Ok(())
}

/// A bracketed or braced text here is the attribute `name` of the given dialect kind.
fn enclosed<'a>(
    p: &mut Parser<'a>,
    draft: &mut Draft<'a>,
    name: &'static str,
    kind: &'static str,
) -> Parsed<()> {
    let start = p.peek().start;
    if !p.at_mark(b'[') && !p.at_mark(b'{') {
        return Err(p.expected("`[` or `{`"));
    }
    let mut level = 0usize;
    loop {
        match p.peek().kind {
            Kind::Mark(b'[' | b'{') => level += 1,
            Kind::Mark(b']' | b'}') => level = level.saturating_sub(1),
            Kind::End | Kind::Bad => return Err(p.expected("a closing bracket")),
            _ => {}
        }
        p.bump();
        if level == 0 {
            break;
        }
    }
    draft.put(name, Tree::Dialect { name: kind, body: start }, Span::new(start, p.last_end()));
    Ok(())
}

/// `: T` for operand and result.
fn one_type<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>, results: usize) -> Parsed<()> {
    p.opt_dict(draft)?;
    p.expect(b':')?;
    let start = p.peek().start;
    let ty = p.ty()?;
    p.check_operands(draft, std::slice::from_ref(&ty), Span::new(start, p.last_end()))?;
    draft.types = vec![ty; results];
    Ok(())
}

/// What stands between `prefix` and the end of a raw attribute, without `suffix`.
fn inner<'t>(item: &'t Item<'_>, name: &str, prefix: &str, suffix: &str) -> &'t str {
    let Some(Tree::Raw(text)) = item.prop(name) else { return "" };
    let rest = text.strip_prefix(prefix).unwrap_or(text);
    rest.strip_suffix(suffix).unwrap_or(rest)
}

pub fn read_annotated<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.operand(draft)?;
    angled(p, draft, "sharding")?;
    one_type(p, draft, 1)
}

pub fn write_annotated(w: &mut Writer<'_>, item: &Item<'_>) {
    if item.prop("sharding").is_none() {
        return w.generic(item);
    }
    w.name(item);
    w.space_operands(item);
    put!(w.out, " {}", inner(item, "sharding", "#sdy.sharding", ""));
    w.attr_dict_but(item, &["sharding"]);
    w.result_type(item);
}

/// The attribute that says what a collective does, and the word before it in the generic form.
fn axes_of(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "sdy.all_gather" => Some(("gathering_axes", "list_of_axis_ref_lists")),
        "sdy.all_slice" => Some(("slicing_axes", "list_of_axis_ref_lists")),
        "sdy.all_to_all" => Some(("params", "all_to_all_param_list")),
        "sdy.all_reduce" => Some(("reduction_axes", "axis_ref_list")),
        "sdy.reduce_scatter" => Some(("reduce_scatter_axes", "list_of_axis_ref_lists")),
        "sdy.replicated_to_unreduced" => Some(("axes", "axis_ref_list")),
        _ => None,
    }
}

pub fn read_collective<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    if let Some((name, _)) = axes_of(draft.name) {
        enclosed(p, draft, name, "sdy")?;
    }
    p.operand(draft)?;
    p.expect_word("out_sharding")?;
    p.expect(b'=')?;
    angled(p, draft, "out_sharding")?;
    one_type(p, draft, 1)
}

pub fn write_collective(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    let axes = axes_of(item.name);
    if let Some((name, word)) = axes {
        put!(w.out, " {}", inner(item, name, &format!("#sdy<{word}"), ">"));
    }
    w.space_operands(item);
    put!(w.out, " out_sharding={}", inner(item, "out_sharding", "#sdy.sharding", ""));
    w.attr_dict_but(item, &["out_sharding", axes.map_or("", |axes| axes.0)]);
    w.result_type(item);
}

const LIST: &str = "#sdy.sharding_per_value<";

/// `word=[..]`.
fn sharding_list<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>, word: &'static str) -> Parsed<()> {
    p.expect_word(word)?;
    p.expect(b'=')?;
    enclosed(p, draft, word, "sdy.sharding_per_value")
}

/// `(%a: T) {..} : (T) -> T`.
fn body<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    let params = p.params()?;
    draft.regions.push(p.region(params)?);
    p.opt_dict(draft)?;
    p.functional_type(draft)
}

fn write_body(w: &mut Writer<'_>, item: &Item<'_>, own: &[&str]) {
    let Some(region) = item.regions.first().copied() else { return };
    w.out.push_str(" (");
    for (i, param) in w.func.block(region).params.iter().enumerate() {
        w.out.push_str(if i > 0 { ", " } else { "" });
        w.param(*param);
    }
    w.out.push_str(") ");
    w.region(region, false);
    w.attr_dict_but(item, own);
    w.functional_type(item);
}

pub fn read_manual<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.operands_in_parens(draft)?;
    sharding_list(p, draft, "in_shardings")?;
    sharding_list(p, draft, "out_shardings")?;
    p.expect_word("manual_axes")?;
    p.expect(b'=')?;
    enclosed(p, draft, "manual_axes", "sdy")?;
    body(p, draft)
}

pub fn write_manual(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    w.out.push('(');
    w.operands(item);
    w.out.push(')');
    put!(w.out, " in_shardings={}", inner(item, "in_shardings", LIST, ">"));
    put!(w.out, " out_shardings={}", inner(item, "out_shardings", LIST, ">"));
    put!(w.out, " manual_axes={}", inner(item, "manual_axes", "#sdy<manual_axes", ">"));
    write_body(w, item, &["in_shardings", "manual_axes", "out_shardings"]);
}

/// `<"name">(%a) in_shardings=[..] out_shardings=[..] (%b: T) {..} : (T) -> T`; either list may be absent.
pub fn read_named<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.expect(b'<')?;
    let at = p.peek().span();
    let name = p.string()?;
    draft.put("name", Tree::Str(name), at);
    p.expect(b'>')?;
    p.operands_in_parens(draft)?;
    for word in ["in_shardings", "out_shardings"] {
        if p.word() == word {
            sharding_list(p, draft, word)?;
        }
    }
    body(p, draft)
}

pub fn write_named(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    w.out.push('<');
    if let Some(Tree::Str(name)) = item.prop("name") {
        write_string(&mut w.out, name);
    }
    w.out.push_str(">(");
    w.operands(item);
    w.out.push(')');
    for word in ["in_shardings", "out_shardings"] {
        if item.prop(word).is_some() {
            put!(w.out, " {word}={}", inner(item, word, LIST, ">"));
        }
    }
    write_body(w, item, &["in_shardings", "name", "out_shardings"]);
}

/// `%a allowed_direction=BACKWARD : T`.
pub fn read_barrier<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.operand(draft)?;
    p.expect_word("allowed_direction")?;
    p.expect(b'=')?;
    let word = p.expect_kind(Kind::Word, "a direction")?;
    draft.put("allowed_direction", Tree::Raw(p.str(word).into()), word.span());
    one_type(p, draft, 1)
}

pub fn write_barrier(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    w.space_operands(item);
    put!(w.out, " allowed_direction={}", direction_word(item.int("allowed_direction")));
    w.attr_dict_but(item, &["allowed_direction"]);
    w.result_type(item);
}

/// `%a group_id=3 : T`.
pub fn read_group<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.operand(draft)?;
    p.expect_word("group_id")?;
    p.expect(b'=')?;
    let start = p.peek().start;
    let id = p.number()?;
    draft.put("group_id", Tree::Int(id, "i64".into()), Span::new(start, p.last_end()));
    one_type(p, draft, 0)
}

pub fn write_group(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    w.space_operands(item);
    put!(w.out, " group_id={}", item.int("group_id"));
    w.attr_dict_but(item, &["group_id"]);
    w.out.push_str(" : ");
    w.operand_types(item);
}
