//! Convolution: `window={..}, dim_labels=b01f_01io->b01f`.

use super::Made;
use super::window::print_window;
use crate::hlo::inst::{InstText, bad};
use crate::hlo::lex::{Piece, Read};
use crate::hlo::line::Line;
use meshwright_ir::Op;
use meshwright_ir::op::{Convolution, ConvolutionDims};

pub(super) fn read<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let dims = dim_labels(text.need("dim_labels")?)?;
    Ok(Made::of(Op::Convolution(Convolution {
        dims,
        window: text.window()?,
        feature_group_count: text.int("feature_group_count")?.unwrap_or(1),
        batch_group_count: text.int("batch_group_count")?.unwrap_or(1),
        result: text.sum_dtype()?,
        precision: text.precision()?,
    })))
}

/// Two letters and the spatial dims in order of one tensor's labels.
fn labels(text: &str, first: char, second: char) -> Option<(usize, usize, Vec<usize>)> {
    let place = |label: char| {
        let mut found = text.chars().enumerate().filter(|(_, c)| *c == label).map(|(at, _)| at);
        found.next().filter(|_| found.next().is_none())
    };
    let spatial = text.len().checked_sub(2)?;
    let digits = (0..spatial).map(|dim| place(char::from_digit(u32::try_from(dim).ok()?, 10)?));
    Some((place(first)?, place(second)?, digits.collect::<Option<_>>()?))
}

fn dim_labels(piece: Piece<'_>) -> Read<ConvolutionDims> {
    read_labels(piece.str).ok_or_else(|| bad(piece, "labels like `b01f_01io->b01f`"))
}

fn read_labels(text: &str) -> Option<ConvolutionDims> {
    let (operands, output) = text.split_once("->")?;
    let (input, kernel) = operands.split_once('_')?;
    let (input_batch, input_feature, input_spatial) = labels(input, 'b', 'f')?;
    let (kernel_input_feature, kernel_output_feature, kernel_spatial) = labels(kernel, 'i', 'o')?;
    let (output_batch, output_feature, output_spatial) = labels(output, 'b', 'f')?;
    Some(ConvolutionDims {
        input_batch,
        input_feature,
        input_spatial,
        kernel_input_feature,
        kernel_output_feature,
        kernel_spatial,
        output_batch,
        output_feature,
        output_spatial,
    })
}

fn written_labels(first: (usize, char), second: (usize, char), spatial: &[usize]) -> String {
    let mut labels = vec!['?'; spatial.len() + 2];
    let digits = spatial.iter().enumerate();
    let digits = digits.map(|(i, dim)| (*dim, char::from_digit(i as u32 % 10, 10).unwrap_or('?')));
    for (dim, label) in digits.chain([first, second]) {
        if let Some(place) = labels.get_mut(dim) {
            *place = label;
        }
    }
    labels.into_iter().collect()
}

pub(super) fn print(op: &Convolution, line: &mut Line<'_, '_, '_>) {
    let dims = &op.dims;
    let input = written_labels((dims.input_batch, 'b'), (dims.input_feature, 'f'), &dims.input_spatial);
    let kernel = written_labels(
        (dims.kernel_input_feature, 'i'),
        (dims.kernel_output_feature, 'o'),
        &dims.kernel_spatial,
    );
    let output = written_labels((dims.output_batch, 'b'), (dims.output_feature, 'f'), &dims.output_spatial);
    line.op("convolution");
    print_window(&op.window, line);
    line.attr("dim_labels", format_args!("{input}_{kernel}->{output}"));
    if op.feature_group_count != 1 {
        line.attr("feature_group_count", op.feature_group_count);
    }
    if op.batch_group_count != 1 {
        line.attr("batch_group_count", op.batch_group_count);
    }
    super::contract::print_precision(&op.precision, line);
}
