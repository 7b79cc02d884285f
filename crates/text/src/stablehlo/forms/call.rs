//! Forms of calls: func.call, custom_call, composite.

use crate::stablehlo::lexer::Kind;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Tree, write_string, write_symbol};
use crate::stablehlo::writer::{Item, Writer};

fn symbol<'a>(
    p: &mut Parser<'a>,
    draft: &mut Draft<'a>,
    prop: &'static str,
    make: fn(&'a str) -> Tree<'a>,
) -> Parsed<()> {
    let token = p.expect_kind(Kind::Symbol, "a name as `@f`")?;
    let name = p.symbol_name(token.start, token.end);
    let tree = match name {
        std::borrow::Cow::Borrowed(name) => make(name),
        std::borrow::Cow::Owned(name) => match make("") {
            Tree::Str(_) => Tree::Str(name.into()),
            _ => Tree::Symbol(name.into()),
        },
    };
    draft.put(prop, tree, token.span());
    Ok(())
}

/// `@f(%a, %b) {..} : (T, U) -> V`.
pub fn read_call<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    symbol(p, draft, "callee", |name| Tree::Symbol(name.into()))?;
    p.operands_in_parens(draft)?;
    p.opt_dict(draft)?;
    p.functional_type(draft)
}

pub fn write_call(w: &mut Writer<'_>, item: &Item<'_>) {
    w.out.push_str(if w.at_function_level() { "call " } else { "func.call " });
    if let Some(Tree::Symbol(name)) = item.prop("callee") {
        write_symbol(&mut w.out, name);
    }
    w.out.push('(');
    w.operands(item);
    w.out.push(')');
    w.attr_dict_but(item, &["callee"]);
    w.functional_type(item);
}

/// `@target(%a) {..} : (T) -> V`.
pub fn read_custom_call<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    symbol(p, draft, "call_target_name", |name| Tree::Str(name.into()))?;
    p.operands_in_parens(draft)?;
    p.opt_dict(draft)?;
    p.functional_type(draft)
}

pub fn write_custom_call(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    w.out.push(' ');
    if let Some(Tree::Str(name)) = item.prop("call_target_name") {
        write_symbol(&mut w.out, name);
    }
    w.out.push('(');
    w.operands(item);
    w.out.push(')');
    w.attr_dict_but(item, &["call_target_name"]);
    w.functional_type(item);
}

/// `"name" %a, %b {..} : (T) -> V`.
pub fn read_composite<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    let at = p.peek().span();
    let name = p.string()?;
    draft.put("name", Tree::Str(name), at);
    p.operands(draft)?;
    p.opt_dict(draft)?;
    p.functional_type(draft)
}

pub fn write_composite(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    w.out.push(' ');
    if let Some(Tree::Str(name)) = item.prop("name") {
        write_string(&mut w.out, name);
    }
    w.space_operands(item);
    w.attr_dict_but(item, &["name"]);
    w.functional_type(item);
}
