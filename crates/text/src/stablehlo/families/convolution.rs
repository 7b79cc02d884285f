//! convolution: dimension numbers as `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, and the window.

use super::window::{Lists, each, padding, windows};
use super::{contract, int};
use crate::codes;
use crate::stablehlo::lexer::Kind;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Failed, Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree};
use meshwright_base::arrange::Arrange;
use meshwright_ir::Op;
use meshwright_ir::op::{Convolution, ConvolutionDims};

const LISTS: Lists =
    Lists { strides: "window_strides", base_dilations: "lhs_dilation", window_dilations: "rhs_dilation" };

pub fn convolution<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 2)?;
    let dims = dimension_numbers(p, draft)?;
    let kernel = p.operand_dims(draft, 1);
    let sizes: Vec<i64> = dims.kernel_spatial.iter().filter_map(|dim| kernel.get(*dim).copied()).collect();
    if sizes.len() != dims.kernel_spatial.len() {
        let message =
            format!("the dim numbers name dims that the kernel of {} dims does not have", kernel.len());
        return Err(p.fail(codes::BAD_ATTRIBUTE, draft.at, message));
    }
    let mut window = windows(p, draft, &sizes, &LISTS)?;
    let reversal = reversal(p, draft)?;
    for (dim, reversed) in window.iter_mut().zip(reversal) {
        dim.reversal = reversed;
    }
    Ok(Op::Convolution(Convolution {
        dims,
        window,
        feature_group_count: p.opt_int(draft, "feature_group_count")?.unwrap_or(1),
        batch_group_count: p.opt_int(draft, "batch_group_count")?.unwrap_or(1),
        result: p.result(draft, 0)?.dtype,
        precision: contract::precision(p, draft)?,
    }))
}

fn reversal<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Vec<bool>> {
    let Some(prop) = draft.take("window_reversal") else { return Ok(Vec::new()) };
    let flags = match &prop.tree {
        Tree::Bools(flags) => Some(flags.clone()),
        Tree::Array(items) => items.iter().map(Tree::as_bool).collect(),
        other => other.as_ints().map(|ints| ints.into_iter().map(|flag| flag != 0).collect()),
    };
    flags.ok_or_else(|| p.bad_prop(&prop, "a list of booleans"))
}

fn dimension_numbers<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<ConvolutionDims> {
    let prop = p.need(draft, "dimension_numbers")?;
    match prop.tree {
        Tree::Dialect { name: "stablehlo.conv", body } => p.elsewhere(body, bracketed),
        Tree::Dialect { name: "stablehlo.conv_raw", body } => {
            let mut fields = Draft::new(draft.name, draft.block, prop.at);
            fields.props = p.fields(body)?;
            let dims = raw(p, &mut fields)?;
            p.no_more_fields(&fields)?;
            Ok(dims)
        }
        _ => Err(p.bad_prop(&prop, "#stablehlo.conv<[..]x[..]->[..]>")),
    }
}

fn bracketed(p: &mut Parser<'_>) -> Parsed<ConvolutionDims> {
    let input = parts(p, "b", "f")?;
    p.expect_word("x")?;
    let kernel = parts(p, "i", "o")?;
    p.expect_arrow()?;
    let output = parts(p, "b", "f")?;
    Ok(ConvolutionDims {
        input_batch: input.first,
        input_feature: input.second,
        input_spatial: input.spatial,
        kernel_input_feature: kernel.first,
        kernel_output_feature: kernel.second,
        kernel_spatial: kernel.spatial,
        output_batch: output.first,
        output_feature: output.second,
        output_spatial: output.spatial,
    })
}

/// Which dims of one tensor play which part.
struct Parts {
    first: usize,
    second: usize,
    spatial: Vec<usize>,
}

/// `[b, 0, 1, f]`: two letters, and the spatial dims by number.
fn parts(p: &mut Parser<'_>, first: &str, second: &str) -> Parsed<Parts> {
    let at = p.peek().span();
    let (mut firsts, mut seconds, mut numbered) = (Vec::new(), Vec::new(), Vec::new());
    let mut dim = 0;
    p.list(b'[', b']', |p| {
        let token = p.bump();
        let text = p.str(token);
        match (token.kind, text.parse::<usize>()) {
            _ if text == first => firsts.push(dim),
            _ if text == second => seconds.push(dim),
            (Kind::Int, Ok(number)) => numbered.push((number, dim)),
            _ => return Err(bad_part(p, token.span(), text)),
        }
        dim += 1;
        Ok(())
    })?;
    numbered.arrange();
    let complete = numbered.iter().enumerate().all(|(i, (number, _))| i == *number);
    match (&firsts[..], &seconds[..]) {
        ([first], [second]) if complete => Ok(Parts {
            first: *first,
            second: *second,
            spatial: numbered.into_iter().map(|(_, dim)| dim).collect(),
        }),
        _ => {
            let message =
                format!("dim numbers must have one `{first}`, one `{second}` and the numbers from 0 on");
            Err(p.fail(codes::BAD_ATTRIBUTE, at, message))
        }
    }
}

fn bad_part(p: &mut Parser<'_>, at: meshwright_base::Span, text: &str) -> Failed {
    p.fail(codes::BAD_ATTRIBUTE, at, format!("`{text}` is no part of a convolution's dim numbers"))
}

/// The long form of the dimension numbers.
fn raw<'a>(p: &mut Parser<'a>, fields: &mut Draft<'a>) -> Parsed<ConvolutionDims> {
    Ok(ConvolutionDims {
        input_batch: p.dim(fields, "input_batch_dimension")?,
        input_feature: p.dim(fields, "input_feature_dimension")?,
        input_spatial: p.dims(fields, "input_spatial_dimensions")?,
        kernel_input_feature: p.dim(fields, "kernel_input_feature_dimension")?,
        kernel_output_feature: p.dim(fields, "kernel_output_feature_dimension")?,
        kernel_spatial: p.dims(fields, "kernel_spatial_dimensions")?,
        output_batch: p.dim(fields, "output_batch_dimension")?,
        output_feature: p.dim(fields, "output_feature_dimension")?,
        output_spatial: p.dims(fields, "output_spatial_dimensions")?,
    })
}

pub fn props(convolution: &Convolution) -> Vec<Prop<'static>> {
    let window = &convolution.window;
    let mut props = vec![
        int("batch_group_count", convolution.batch_group_count),
        Prop::made("dimension_numbers", Tree::Raw(numbers_text(&convolution.dims).into())),
        int("feature_group_count", convolution.feature_group_count),
        each("lhs_dilation", window, |dim| dim.base_dilation),
        padding(window),
        each("rhs_dilation", window, |dim| dim.window_dilation),
        each("window_strides", window, |dim| dim.stride),
    ];
    props.extend(contract::precision_prop(&convolution.precision));
    let flags = window.iter().map(|dim| dim.reversal).collect();
    props.push(Prop::made("window_reversal", Tree::Bools(flags)));
    props
}

fn numbers_text(dims: &ConvolutionDims) -> String {
    let input = letters(dims.input_batch, "b", dims.input_feature, "f", &dims.input_spatial);
    let kernel =
        letters(dims.kernel_input_feature, "i", dims.kernel_output_feature, "o", &dims.kernel_spatial);
    let output = letters(dims.output_batch, "b", dims.output_feature, "f", &dims.output_spatial);
    format!("#stablehlo.conv<[{input}]x[{kernel}]->[{output}]>")
}

/// `b, 0, 1, f` in the order of the dims.
fn letters(
    first: usize,
    first_letter: &str,
    second: usize,
    second_letter: &str,
    spatial: &[usize],
) -> String {
    let mut parts = vec![(first, first_letter.to_string()), (second, second_letter.to_string())];
    parts.extend(spatial.iter().enumerate().map(|(number, dim)| (*dim, number.to_string())));
    parts.arrange_by_key(|part| part.0);
    parts.into_iter().map(|part| part.1).collect::<Vec<_>>().join(", ")
}
