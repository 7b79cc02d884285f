//! Convolution, random bits, map, bit casts, reduced precision, select-and-scatter.

use crate::build::{Gen, Val, Want, joined, largest};
use meshwright_ir::op::{
    BinaryOp, Convert, Convolution, ConvolutionDims, Direction, Map, Random, RngAlgorithm, SelectAndScatter,
    WindowDim,
};
use meshwright_ir::{Build, DType, Op, TensorType};

/// Any convolution: over images, with strides, dilations, cropped edges, groups, and as kernels' gradients are.
pub fn convolution(g: &mut Gen) -> Option<()> {
    let x = g.operand_if(Want::Number, 3, 4, |value| value.ty.elements() <= 256);
    let rank = x.ty.rank();
    let parts = |g: &mut Gen| g.choices.shuffled((0..rank).collect::<Vec<_>>());
    let (input, kernel, output) = (parts(g), parts(g), parts(g));
    let (batches, features) = (x.ty.dims[input[0]], x.ty.dims[input[1]]);
    let divisible = |size: i64, n: i64| size > 0 && size % n == 0;
    let groups = 2 + i64::from(g.choices.below(2));
    let feature_group_count = if divisible(features, groups) && g.choices.chance(25) { groups } else { 1 };
    let by_batch = feature_group_count == 1 && divisible(batches, groups) && g.choices.chance(25);
    let batch_group_count = if by_batch { groups } else { 1 };
    let window: Vec<WindowDim> = input[2..].iter().map(|dim| window(g, x.ty.dims[*dim])).collect();
    let mut shape = vec![0; rank];
    shape[kernel[0]] = features / feature_group_count;
    shape[kernel[1]] = feature_group_count * batch_group_count * (1 + i64::from(g.choices.below(5)));
    window.iter().enumerate().for_each(|(at, window)| shape[kernel[2 + at]] = window.size);
    let terms = (shape[kernel[0]] * window.iter().map(|dim| dim.size).product::<i64>()).max(1);
    let weights = g.of_type(x.ty.dtype, &shape);
    let dims = ConvolutionDims {
        input_batch: input[0],
        input_feature: input[1],
        input_spatial: input[2..].to_vec(),
        kernel_input_feature: kernel[0],
        kernel_output_feature: kernel[1],
        kernel_spatial: kernel[2..].to_vec(),
        output_batch: output[0],
        output_feature: output[1],
        output_spatial: output[2..].to_vec(),
    };
    let op = Convolution {
        dims,
        window,
        feature_group_count,
        batch_group_count,
        result: x.ty.dtype,
        precision: Vec::new(),
    };
    let bound = x.info.bound * weights.info.bound * terms as f64;
    g.emit(Op::Convolution(op), &[&x, &weights], bound).map(|_| ())
}

/// A window over a dim of `size`: of a few taps, or of nearly as many as there are elements.
fn window(g: &mut Gen, size: i64) -> WindowDim {
    let is_gradient = size > 4 && g.choices.chance(25);
    let mut small = |n: u32| i64::from(g.choices.below(n));
    if is_gradient {
        let window_dilation = 1 + small(2);
        return WindowDim {
            size: (size / window_dilation - small(2)).max(1),
            pad_low: small(3),
            pad_high: small(4) - 1,
            base_dilation: 1 + small(8) / 7,
            window_dilation,
            reversal: small(8) == 7,
            ..WindowDim::TRIVIAL
        };
    }
    let crop = i64::from(size > 4);
    WindowDim {
        size: 1 + small(3),
        stride: 1 + small(3),
        pad_low: small(4) - crop,
        pad_high: small(4) - crop,
        base_dilation: 1 + (small(6) - 3).max(0),
        window_dilation: 1 + small(6) / 5,
        reversal: small(8) == 7,
    }
}

/// Bits by counter from a state.
pub fn random_bits(g: &mut Gen) -> Option<()> {
    let algorithm = g.choices.pick(&[RngAlgorithm::ThreeFry, RngAlgorithm::Philox, RngAlgorithm::Default]);
    let is_long = algorithm != RngAlgorithm::ThreeFry && g.choices.chance(40);
    let state = g.of_type(DType::U64, if is_long { &[3] } else { &[2] });
    let dtype = g.choices.pick(&[DType::U32, DType::U64, DType::U8]);
    let dims = g.dims(1, 3);
    let bits = TensorType::new(dtype, dims);
    let op = Op::Random(Random::BitGenerator { algorithm, bits });
    g.emit_all(op, &[&state], Vec::new(), &[f64::MAX, f64::MAX]).map(|_| ())
}

pub fn map(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Number, 1, 3);
    let y = g.of_type(x.ty.dtype, &x.ty.dims);
    let op = g.choices.pick(&[BinaryOp::Add, BinaryOp::Maximum, BinaryOp::Subtract]);
    let region = g.reducer(op, x.ty.dtype);
    let dims = (0..x.ty.rank()).collect();
    let bound = x.info.bound + y.info.bound;
    g.emit_all(Op::Map(Map { dims }), &[&x, &y], vec![region], &[bound]).map(|_| ())
}

/// Integers read as others of the same or of fewer bits.
pub fn bitcast(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Int, 0, 2);
    let to = match (x.ty.dtype, g.choices.chance(40)) {
        (DType::S32, false) => x.ty.with_dtype(DType::U32),
        (DType::U32, false) => x.ty.with_dtype(DType::S32),
        (DType::S64, false) => x.ty.with_dtype(DType::U64),
        (DType::S32 | DType::U32, true) => minor(&x.ty, DType::U8, 4),
        (DType::S64 | DType::U64, true) => minor(&x.ty, DType::S32, 2),
        _ => return None,
    };
    let bound = largest(to.dtype);
    g.emit(Op::Convert(Convert::Bitcast(to)), &[&x], bound).map(|_| ())
}

fn minor(ty: &TensorType, dtype: DType, count: i64) -> TensorType {
    TensorType::new(dtype, [ty.dims.clone(), vec![count]].concat())
}

/// Integers stay integers: rounding takes their last bits only.
pub fn reduce_precision(g: &mut Gen) -> Option<()> {
    let x = g.operand_if(Want::Float, 0, 3, |value| value.info.exact);
    let mantissa_bits = 3 + g.choices.below(5);
    let op = Op::Convert(Convert::ReducePrecision { exponent_bits: 8, mantissa_bits });
    g.emit(op, &[&x], x.info.bound * 1.125).map(|_| ())
}

/// The gradient of a pooling maximum.
pub fn select_and_scatter(g: &mut Gen) -> Option<()> {
    let x = g.operand_if(Want::Number, 1, 2, |value| value.info.exact);
    let mut dims = Vec::new();
    let mut window = Vec::new();
    for elements in &x.ty.dims {
        let pools = g.choices.chance(60);
        let any = |g: &mut Gen| 1 + i64::from(g.choices.below(3));
        let (size, stride) = if pools { (any(g), any(g)) } else { (1, 1) };
        let (size, stride) = if g.choices.chance(30) { (stride, stride) } else { (size, stride) };
        let pads = pools && size > 1 && g.choices.chance(30);
        let mut pad = || if pads { i64::from(g.choices.below(size as u32)) } else { 0 };
        let one = WindowDim { size, stride, pad_low: pad(), pad_high: pad(), ..WindowDim::TRIVIAL };
        dims.push(one.output(0, *elements).ok()?);
        window.push(one);
    }
    let source = g.of_type(x.ty.dtype, &dims);
    let init = g.splat(TensorType::scalar(x.ty.dtype), 0);
    let best =
        g.scalar_region(&[x.ty.dtype; 2], |b, params| vec![b.compare(Direction::Ge, params[0], params[1])]);
    let sum = g.reducer(BinaryOp::Add, x.ty.dtype);
    let operands: [&Val; 3] = [&x, &source, &init];
    let bound = joined(&operands).bound;
    g.emit_all(Op::SelectAndScatter(SelectAndScatter { window }), &operands, vec![best, sum], &[bound])
        .map(|_| ())
}
