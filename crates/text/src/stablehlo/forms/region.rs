//! Forms with regions: reduce, while, and CHLO's scan, which is only read.
//!
//! ```text
//! stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : (..) -> ..
//!
//! stablehlo.while(%iterArg = %0, %iterArg_0 = %1) : tensor<i32>, tensor<f32>
//! cond { .. } do { .. }
//! ```

use crate::codes;
use crate::stablehlo::block::Param;
use crate::stablehlo::families::elementwise;
use crate::stablehlo::lexer::Kind;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::table;
use crate::stablehlo::tree::Tree;
use crate::stablehlo::writer::{Item, Writer};
use meshwright_base::{Span, nearest};
use meshwright_ir::op::BinaryOp;
use meshwright_ir::{At, BlockId, Editor, Function, Inst, Op, SourceId, TensorType, Type, ValueId};

/// `(%a init: %x), (%b init: %y) [applies op] across dimensions = [1] {..} : (..) -> .. [reducer ..]`.
pub fn read_reduce<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    let mut inits = Draft::new(draft.name, draft.block, draft.at);
    p.items(|p| {
        p.expect(b'(')?;
        p.operand(draft)?;
        p.expect_word("init")?;
        p.expect(b':')?;
        p.operand(&mut inits)?;
        p.expect(b')')
    })?;
    draft.operands.append(&mut inits.operands);
    draft.uses.append(&mut inits.uses);
    let applied = if p.eat_word("applies") { Some(applied_op(p)?) } else { None };
    p.expect_word("across")?;
    p.expect_word("dimensions")?;
    p.expect(b'=')?;
    let start = p.peek().start;
    let dims = p.int_list()?;
    draft.put("dimensions", Tree::Ints(dims), Span::new(start, p.last_end()));
    p.opt_dict(draft)?;
    p.functional_type(draft)?;
    let region = match applied {
        Some(op) => applied_region(p, draft, op)?,
        None => reducer(p)?,
    };
    draft.regions.push(region);
    Ok(())
}

fn applied_op(p: &mut Parser<'_>) -> Parsed<BinaryOp> {
    let token = p.expect_kind(Kind::Word, "an op")?;
    let named = table::find(p.str(token));
    if let Some(table::Build::Binary(op)) = named.map(|row| &row.build) {
        return Ok(*op);
    }
    let message = format!("`{}` is not an op of two operands that can be applied", p.str(token));
    // The name of another op is not misspelled.
    let near = if named.is_none() { nearest::suggest(p.str(token), table::names()) } else { None };
    let help = near.unwrap_or_else(|| "name one, as `stablehlo.add` or `stablehlo.maximum`".to_string());
    Err(p.fail_help(codes::UNKNOWN_OP, token.span(), message, help))
}

/// The region `(a, b) -> op a, b` on scalars.
fn applied_region<'a>(p: &mut Parser<'a>, draft: &Draft<'a>, op: BinaryOp) -> Parsed<BlockId> {
    let Some(Type::Tensor(ty)) = draft.operands.first().map(|value| p.func.ty(*value)) else {
        return Err(p.fail(codes::WRONG_TYPE, draft.at, "a reduction needs a tensor to reduce"));
    };
    let scalar = Type::Tensor(TensorType::scalar(ty.dtype));
    let mut editor = Editor::new(&mut p.func);
    let block = editor.block();
    let params = vec![editor.param(block, scalar.clone()), editor.param(block, scalar.clone())];
    let inst = p.push(
        At::End(block),
        Op::Binary(op),
        params,
        Vec::new(),
        vec![scalar],
        SourceId::unknown(),
        draft.at,
    );
    let results = p.func.inst(inst).results.clone();
    Editor::new(&mut p.func).set_results(block, results);
    Ok(block)
}

/// `reducer(%a: T, %b: T) (%c: U, %d: U) { .. }`: pairs of accumulator and element; the region takes all
/// accumulators, then all elements.
fn reducer(p: &mut Parser<'_>) -> Parsed<BlockId> {
    p.expect_word("reducer")?;
    let (mut accumulators, mut elements) = (Vec::new(), Vec::new());
    while p.at_mark(b'(') {
        let at = p.peek().span();
        let mut pair = p.params()?.into_iter();
        let (Some(accumulator), Some(element), None) = (pair.next(), pair.next(), pair.next()) else {
            return Err(p.fail(codes::SYNTAX, at, "a reducer takes its parameters in pairs"));
        };
        accumulators.push(accumulator);
        elements.push(element);
    }
    accumulators.append(&mut elements);
    p.region(accumulators)
}

/// `(%a, ..) inits (%x, ..) dimension=1 [attributes {..}] { .. } : (..) -> ..`.
pub fn read_scan<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    let start = p.peek().start;
    p.operands_in_parens(draft)?;
    let inputs = draft.operands.len();
    p.expect_word("inits")?;
    p.operands_in_parens(draft)?;
    let sizes = vec![inputs as i64, (draft.operands.len() - inputs) as i64];
    draft.put("operandSegmentSizes", Tree::Ints(sizes), Span::new(start, p.last_end()));
    p.expect_word("dimension")?;
    p.expect(b'=')?;
    let start = p.peek().start;
    let dim = p.number()?;
    draft.put("dimension", Tree::Int(dim, "i64".into()), Span::new(start, p.last_end()));
    if p.eat_word("attributes") {
        draft.props.extend(p.dict()?);
    }
    draft.regions.push(p.region(Vec::new())?);
    p.functional_type(draft)
}

pub fn write_reduce(w: &mut Writer<'_>, item: &Item<'_>) {
    let Some(region) = item.regions.first().copied() else { return w.generic(item) };
    let params = w.func.block(region).params.clone();
    let count = item.operands.len() / 2;
    if params.len() != 2 * count || count == 0 {
        return w.generic(item);
    }
    w.name(item);
    let (inputs, inits) = item.operands.split_at(count);
    for (i, (input, init)) in inputs.iter().zip(inits).enumerate() {
        w.out.push_str(if i > 0 { ", (" } else { "(" });
        w.value(*input);
        w.out.push_str(" init: ");
        w.value(*init);
        w.out.push(')');
    }
    let applied = plain_reducer(w.func, w.func.inst(item.id)).filter(|_| w.same_source(item, region));
    if let Some(op) = applied {
        w.out.push_str(" applies ");
        w.out.push_str(elementwise::binary_name(op));
    }
    w.out.push_str(" across dimensions = ");
    w.int_list(item.ints("dimensions"));
    w.attr_dict_but(item, &["dimensions"]);
    w.functional_type(item);
    if applied.is_none() {
        write_reducer(w, region, &params, count);
    }
}

fn write_reducer(w: &mut Writer<'_>, region: BlockId, params: &[ValueId], count: usize) {
    w.new_line();
    w.out.push_str(" reducer");
    let (accumulators, elements) = params.split_at(count);
    for (accumulator, element) in accumulators.iter().zip(elements) {
        w.out.push('(');
        w.param(*accumulator);
        w.out.push_str(", ");
        w.param(*element);
        w.out.push_str(") ");
    }
    w.out.push(' ');
    w.region(region, false);
}

/// The op of a reduction that the short form says: its region applies one StableHLO op to its two parameters in their
/// order and returns it. Read back, these parameters have the input's element type.
pub fn plain_reducer(func: &Function, reduction: &Inst) -> Option<BinaryOp> {
    let ([region], [input, ..]) = (&reduction.regions[..], &reduction.operands[..]) else { return None };
    let block = func.block(*region);
    let ([a, b], [inst], [result]) = (&block.params[..], &block.insts[..], &block.results[..]) else {
        return None;
    };
    let inst = func.inst(*inst);
    let scalar = func.ty(*a).rank() == 0 && func.ty(*a) == func.ty(*b) && func.ty(*a) == func.ty(*result);
    let dtype = |value: ValueId| func.ty(value).as_tensor().map(|ty| ty.dtype);
    let scalar = scalar && dtype(*a) == dtype(*input);
    match inst.op {
        Op::Binary(op)
            if scalar
                && inst.operands == [*a, *b]
                && inst.results == [*result]
                && inst.attrs.is_empty()
                && func.value(*result).sharding.is_none()
                && elementwise::binary_name(op).starts_with("stablehlo.") =>
        {
            Some(op)
        }
        _ => None,
    }
}

/// `(%iterArg = %0, ..) : T, U [attributes {..}] cond {..} do {..}`.
pub fn read_while<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    let mut names = Vec::new();
    p.list(b'(', b')', |p| {
        let name = p.expect_kind(Kind::Value, "a value name")?;
        p.expect(b'=')?;
        p.operand(draft)?;
        names.push((p.str(name), name.span()));
        Ok(())
    })?;
    let mut types = Vec::new();
    let start = p.peek().start;
    if p.eat(b':') {
        p.items(|p| {
            p.shape()?.push_leaves(&mut types);
            Ok(())
        })?;
    }
    let at = Span::new(start, p.last_end());
    p.check_operands(draft, &types, at)?;
    if names.len() != types.len() {
        return Err(p.fail(
            codes::WRONG_TYPE,
            at,
            "a loop over tuples is not supported: carry their elements",
        ));
    }
    if p.eat_word("attributes") {
        draft.props.extend(p.dict()?);
    }
    let params =
        || names.iter().zip(&types).map(|((name, at), ty)| Param { name, at: *at, ty: ty.clone() }).collect();
    p.expect_word("cond")?;
    draft.regions.push(p.region(params())?);
    p.expect_word("do")?;
    draft.regions.push(p.region(params())?);
    draft.types = types;
    Ok(())
}

pub fn write_while(w: &mut Writer<'_>, item: &Item<'_>) {
    let [cond, body] = item.regions else { return w.generic(item) };
    let params = w.func.block(*cond).params.clone();
    w.name(item);
    w.out.push('(');
    for (i, (param, init)) in params.iter().zip(item.operands).enumerate() {
        w.out.push_str(if i > 0 { ", " } else { "" });
        w.value(*param);
        w.out.push_str(" = ");
        w.value(*init);
    }
    w.out.push(')');
    if !item.results.is_empty() {
        w.result_types(item);
    }
    let dict = item.dict_but(&[]);
    if !dict.is_empty() {
        w.out.push_str(" attributes ");
        w.dict(&dict);
    }
    w.new_line();
    w.out.push_str("cond ");
    w.region(*cond, false);
    w.out.push_str(" do ");
    w.region(*body, false);
}
