//! Forms of the contractions: dot_general and convolution.

use crate::codes;
use crate::stablehlo::lexer::Kind;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree, separated};
use crate::stablehlo::writer::{Item, Writer};
use meshwright_base::Span;
use meshwright_ir::{Literal, TensorType};

/// `%a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [..], algorithm = <..> : ..`.
///
/// The dims become four props; the family takes them like the fields of `#stablehlo.dot<..>`.
pub fn read_dot<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.operand(draft)?;
    p.expect(b',')?;
    p.operand(draft)?;
    while p.eat(b',') {
        let word =
            p.expect_kind(Kind::Word, "`batching_dims`, `contracting_dims`, `precision` or `algorithm`")?;
        p.expect(b'=')?;
        match p.str(word) {
            "batching_dims" => dim_pairs(p, draft, "lhs_batching_dimensions", "rhs_batching_dimensions")?,
            "contracting_dims" => {
                dim_pairs(p, draft, "lhs_contracting_dimensions", "rhs_contracting_dimensions")?
            }
            "precision" => precision(p, draft)?,
            "algorithm" => algorithm(p, draft)?,
            other => {
                let message = format!("unknown attribute `{other}` of a dot");
                let help = "known are batching_dims, contracting_dims, precision, algorithm";
                return Err(p.fail_help(codes::UNKNOWN_ATTRIBUTE, word.span(), message, help));
            }
        }
    }
    p.opt_dict(draft)?;
    p.functional_type(draft)
}

fn dim_pairs<'a>(
    p: &mut Parser<'a>,
    draft: &mut Draft<'a>,
    lhs: &'static str,
    rhs: &'static str,
) -> Parsed<()> {
    let start = p.peek().start;
    let left = p.int_list()?;
    p.expect_word("x")?;
    let right = p.int_list()?;
    let at = Span::new(start, p.last_end());
    draft.put(lhs, Tree::Ints(left), at);
    draft.put(rhs, Tree::Ints(right), at);
    Ok(())
}

fn precision<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    let start = p.peek().start;
    let mut cases = Vec::new();
    p.list(b'[', b']', |p| {
        let word = p.expect_kind(Kind::Word, "a precision")?;
        cases.push(Tree::Enum("precision".into(), p.str(word).into()));
        Ok(())
    })?;
    draft.put("precision_config", Tree::Array(cases), Span::new(start, p.last_end()));
    Ok(())
}

fn algorithm<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    let open = p.peek();
    if !p.at_mark(b'<') {
        return Err(p.expected("`<`"));
    }
    p.skip_angles()?;
    let tree = Tree::Dialect { name: "stablehlo.dot_algorithm", body: open.end };
    draft.put("algorithm", tree, Span::new(open.start, p.last_end()));
    Ok(())
}

const DOT_PROPS: [&str; 6] = [
    "lhs_batching_dimensions",
    "rhs_batching_dimensions",
    "lhs_contracting_dimensions",
    "rhs_contracting_dimensions",
    "precision_config",
    "algorithm",
];

pub fn write_dot(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    w.space_operands(item);
    let dot = match w.op(item) {
        meshwright_ir::Op::Dot(dot) => dot.clone(),
        _ => return,
    };
    let mut pairs = |word: &str, pairs: &[(usize, usize)]| {
        w.out.push_str(word);
        w.dim_list(pairs.iter().map(|pair| pair.0));
        w.out.push_str(" x ");
        w.dim_list(pairs.iter().map(|pair| pair.1));
    };
    if !dot.batch.is_empty() {
        pairs(", batching_dims = ", &dot.batch);
    }
    pairs(", contracting_dims = ", &dot.contract);
    if let Some(Tree::Array(cases)) = item.prop("precision_config") {
        w.out.push_str(", precision = [");
        separated(&mut w.out, cases, |out, case| {
            if let Tree::Enum(_, case) = case {
                out.push_str(case);
            }
        });
        w.out.push(']');
    }
    if let Some(algorithm) = &dot.algorithm {
        w.out.push_str(", algorithm = <");
        w.out.push_str(algorithm);
        w.out.push('>');
    }
    w.attr_dict_but(item, &[&DOT_PROPS[..], &["dot_dimension_numbers"]].concat());
    w.functional_type(item);
}

/// The words of `window = {..}` and their attributes.
const WINDOW: [(&str, &str); 5] = [
    ("stride", "window_strides"),
    ("pad", "padding"),
    ("lhs_dilate", "lhs_dilation"),
    ("rhs_dilate", "rhs_dilation"),
    ("reverse", "window_reversal"),
];

/// `(%a, %b) dim_numbers = [..]x[..]->[..], window = {..} {..} : (T, U) -> V`.
pub fn read_convolution<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    p.operands_in_parens(draft)?;
    p.expect_word("dim_numbers")?;
    p.expect(b'=')?;
    let body = p.peek().start;
    while !p.at_mark(b',') || p.slice(p.peek().end, p.text.len()).trim_start().starts_with(|c: char| c != 'w')
    {
        if matches!(p.peek().kind, Kind::End | Kind::Bad | Kind::Mark(b'{' | b':')) {
            return Err(p.expected("`, window = {..}`"));
        }
        p.bump();
    }
    let numbers = Tree::Dialect { name: "stablehlo.conv", body };
    draft.put("dimension_numbers", numbers, Span::new(body, p.last_end()));
    p.expect(b',')?;
    p.expect_word("window")?;
    p.expect(b'=')?;
    let mut props = Vec::new();
    p.list(b'{', b'}', |p| {
        props.push(window_field(p)?);
        Ok(())
    })?;
    draft.props.extend(props);
    p.opt_dict(draft)?;
    p.functional_type(draft)
}

fn window_field<'a>(p: &mut Parser<'a>) -> Parsed<Prop<'a>> {
    let word = p.expect_kind(Kind::Word, "a window attribute")?;
    let Some((_, name)) = WINDOW.iter().find(|(known, _)| *known == p.str(word)) else {
        let message = format!("unknown window attribute `{}`", p.str(word));
        let help = "known are stride, pad, lhs_dilate, rhs_dilate, reverse";
        return Err(p.fail_help(codes::UNKNOWN_ATTRIBUTE, word.span(), message, help));
    };
    p.expect(b'=')?;
    let start = p.peek().start;
    let tree = match *name {
        "padding" => pad_pairs(p)?,
        _ => p.tree()?,
    };
    Ok(Prop { name: (*name).into(), tree, at: Span::new(start, p.last_end()) })
}

/// `[[1, 1], [0, 2]]` as the tensor of the generic form.
fn pad_pairs<'a>(p: &mut Parser<'a>) -> Parsed<Tree<'a>> {
    let start = p.peek().start;
    let mut numbers = Vec::new();
    p.list(b'[', b']', |p| {
        numbers.extend(p.int_list()?);
        Ok(())
    })?;
    pairs_literal(&numbers).map(Tree::Dense).ok_or_else(|| {
        p.fail(
            codes::BAD_ATTRIBUTE,
            Span::new(start, p.last_end()),
            "padding is written as pairs, `[[1, 1], [0, 2]]`",
        )
    })
}

/// A tensor of n rows of two.
pub fn pairs_literal(numbers: &[i64]) -> Option<Literal> {
    let ty = TensorType::new(meshwright_ir::DType::S64, [(numbers.len() / 2) as i64, 2]);
    Literal::dense(ty, numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

pub fn write_convolution(w: &mut Writer<'_>, item: &Item<'_>) {
    w.name(item);
    w.out.push('(');
    w.operands(item);
    w.out.push_str(") dim_numbers = ");
    if let Some(Tree::Raw(numbers)) = item.prop("dimension_numbers") {
        let inner = numbers.strip_prefix("#stablehlo.conv<").and_then(|rest| rest.strip_suffix('>'));
        w.out.push_str(inner.unwrap_or(numbers));
    }
    w.out.push_str(", window = {");
    let mut first = true;
    for (word, name) in WINDOW {
        let Some(tree) = item.prop(name) else { continue };
        w.out.push_str(if first { "" } else { ", " });
        first = false;
        w.out.push_str(word);
        w.out.push_str(" = ");
        write_window_value(w, tree);
    }
    w.out.push('}');
    w.attr_dict_but(item, &[&["dimension_numbers"][..], &WINDOW.map(|row| row.1)].concat());
    w.functional_type(item);
}

fn write_window_value(w: &mut Writer<'_>, tree: &Tree<'_>) {
    match tree {
        Tree::Ints(values) => w.int_list(values),
        Tree::Bools(values) => {
            w.out.push('[');
            separated(&mut w.out, values, |out, value| out.push_str(if *value { "true" } else { "false" }));
            w.out.push(']');
        }
        Tree::Dense(literal) => {
            let numbers = literal.to_ints().unwrap_or_default();
            let rows: Vec<&[i64]> = numbers.chunks(2).collect();
            w.out.push('[');
            for (i, row) in rows.iter().enumerate() {
                w.out.push_str(if i > 0 { ", " } else { "" });
                w.int_list(row);
            }
            w.out.push(']');
        }
        _ => {}
    }
}
