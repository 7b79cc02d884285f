//! The derivative of a convolution: two convolutions.
//!
//! ```text
//! y[n,o,p] = sum_{c,k} x[n,c,i] w[k,c,o]        where i * base = p * stride + k * dilation - low
//! dx: the cotangent under the turned kernel; stride and base dilation change places
//! dw: the input under the cotangent as its kernel; stride and dilation change places, batch and features too
//! ```
//!
//! Groups are the major part of a dim. Of `groups` of features, `dx` has as many; its kernel carries them in its output
//! features. `dw` sees them as groups of the batch. And the other way round for groups of the batch.

use crate::tape::Tape;
use crate::window::{fit, reach_of, transposed};
use meshwright_ir::op::{Convolution, ConvolutionDims, Op, WindowDim};
use meshwright_ir::{Build, InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &Convolution, c: ValueId) {
    let [input, kernel] = t.func.inst(inst).operands[..] else { return };
    for (operand, other) in [(input, kernel), (kernel, input)] {
        if !t.is_varied(operand) {
            continue;
        }
        let empty = [c, operand, other].iter().any(|value| t.func.dims(*value).contains(&0));
        let other = t.primal(other);
        let given = match (empty, operand == input) {
            (true, _) => t.zeros_like(operand),
            (false, true) => by_input(t, op, input, other, c),
            (false, false) => by_kernel(t, op, kernel, other, c),
        };
        t.pull(operand, given);
        if input == kernel {
            // One value on both sides: its other half.
            let given = by_kernel(t, op, kernel, other, c);
            return t.pull(operand, given);
        }
    }
}

fn by_input(t: &mut Tape<'_>, op: &Convolution, input: ValueId, kernel: ValueId, c: ValueId) -> ValueId {
    let dims = &op.dims;
    let groups = op.feature_group_count.max(op.batch_group_count);
    let kernel = move_major(t, kernel, dims.kernel_output_feature, dims.kernel_input_feature, groups);
    let (sizes, places) = (t.func.dims(input).to_vec(), t.func.dims(c).to_vec());
    let window = op.window.iter().enumerate().map(|(at, window)| WindowDim {
        reversal: !window.reversal,
        ..transposed(window, sizes[dims.input_spatial[at]], places[dims.output_spatial[at]])
    });
    let turned = Convolution {
        dims: ConvolutionDims {
            input_batch: dims.output_batch,
            input_feature: dims.output_feature,
            input_spatial: dims.output_spatial.clone(),
            kernel_input_feature: dims.kernel_output_feature,
            kernel_output_feature: dims.kernel_input_feature,
            kernel_spatial: dims.kernel_spatial.clone(),
            output_batch: dims.input_batch,
            output_feature: dims.input_feature,
            output_spatial: dims.input_spatial.clone(),
        },
        window: window.collect(),
        feature_group_count: groups,
        batch_group_count: 1,
        result: t.dtype(input),
        precision: op.precision.clone(),
    };
    let given = t.push(Op::Convolution(turned), vec![c, kernel]);
    move_major(t, given, dims.input_feature, dims.input_batch, op.batch_group_count)
}

/// Make the major part of one dim the major part of another: `[.., g * a, .., b, ..] -> [.., a, .., g * b, ..]`.
fn move_major(t: &mut Tape<'_>, x: ValueId, from: usize, to: usize, groups: i64) -> ValueId {
    if groups == 1 {
        return x;
    }
    let sizes = t.func.dims(x).to_vec();
    let mut split = Vec::new();
    // Where each dim's minor part stands once the one dim is two.
    let mut place = Vec::new();
    for (dim, size) in sizes.iter().enumerate() {
        if dim == from {
            split.push(groups);
        }
        place.push(split.len());
        split.push(if dim == from { size / groups } else { *size });
    }
    let major = place[from] - 1;
    let mut permutation = Vec::new();
    for (dim, at) in place.iter().enumerate() {
        if dim == to {
            permutation.push(major);
        }
        permutation.push(*at);
    }
    let mut merged = sizes;
    (merged[from], merged[to]) = (merged[from] / groups, merged[to].saturating_mul(groups));
    let parts = t.reshape(x, &split);
    let moved = t.transpose(parts, permutation);
    t.reshape(moved, &merged)
}

fn by_kernel(t: &mut Tape<'_>, op: &Convolution, kernel: ValueId, input: ValueId, c: ValueId) -> ValueId {
    let dims = &op.dims;
    let (sizes, places) = (t.func.dims(input).to_vec(), t.func.dims(c).to_vec());
    let window = op.window.iter().enumerate().map(|(at, window)| {
        over_input(window, sizes[dims.input_spatial[at]], places[dims.output_spatial[at]])
    });
    let turned = Convolution {
        dims: ConvolutionDims {
            input_batch: dims.input_feature,
            input_feature: dims.input_batch,
            input_spatial: dims.input_spatial.clone(),
            kernel_input_feature: dims.output_batch,
            kernel_output_feature: dims.output_feature,
            kernel_spatial: dims.output_spatial.clone(),
            output_batch: dims.kernel_input_feature,
            output_feature: dims.kernel_output_feature,
            output_spatial: dims.kernel_spatial.clone(),
        },
        window: window.collect(),
        feature_group_count: op.batch_group_count,
        batch_group_count: op.feature_group_count,
        result: t.dtype(kernel),
        precision: op.precision.clone(),
    };
    let given = t.push(Op::Convolution(turned), vec![input, c]);
    let turned = op.window.iter().zip(&dims.kernel_spatial).filter(|(window, _)| window.reversal);
    let reversed = turned.map(|(_, dim)| *dim).collect();
    t.reverse(given, reversed)
}

/// The window that the cotangent is over `size` input elements, so that the result is as large as the kernel.
fn over_input(window: &WindowDim, size: i64, places: i64) -> WindowDim {
    let base = reach_of(size, window.base_dilation);
    let reach = reach_of(window.size, window.window_dilation) + reach_of(places, window.stride) - 1;
    WindowDim {
        size: places,
        stride: window.window_dilation,
        pad_low: window.pad_low,
        pad_high: fit(reach - i128::from(window.pad_low) - base),
        base_dilation: window.base_dilation,
        window_dilation: window.stride,
        reversal: false,
    }
}
