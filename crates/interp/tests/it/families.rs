//! Small hand-checked cases of each family, run as modules.

use crate::support;

use meshwright_interp::{Tensor, run};
use meshwright_ir::DType;
use meshwright_ir::op::convolution::{Convolution, ConvolutionDims};
use meshwright_ir::op::data::Iota;
use meshwright_ir::op::{
    BinaryOp, Direction, Gather, Map, Op, Reduce, ReduceWindow, Scatter, SelectAndScatter, Sort, TopK,
    UnaryOp, WindowDim,
};
use support::*;

const STILL: WindowDim = WindowDim::TRIVIAL;

#[test]
fn f32_sums_run_in_row_major_order_in_f32() {
    // In f32, 2^24 + 1 + 1 stays 2^24, while 1 + 1 + 2^24 does not.
    let module = module(&[f32(&[2, 3])], |b, p| {
        let zero = b.constant(&floats(&[], &[0.0]));
        vec![b.reduce(BinaryOp::Add, p[0], zero, &[1])]
    });
    let big = f64::from(1 << 24);
    let x = floats(&[2, 3], &[big, 1.0, 1.0, 1.0, 1.0, big]);
    assert_eq!(run_one(&module, &[x]).to_f64s(), [big, big + 2.0]);
}

#[test]
fn bf16_sums_are_wide_and_round_once() {
    let bf16 = |dims: &[i64]| ty(DType::BF16, dims);
    let module = module(&[bf16(&[600])], |b, p| {
        let zero = b.constant(&Tensor::from_f64s(DType::BF16, &[], &[0.0]).unwrap());
        vec![b.reduce(BinaryOp::Add, p[0], zero, &[0])]
    });
    let ones = Tensor::from_f64s(DType::BF16, &[600], &[1.0; 600]).unwrap();
    assert_eq!(run_one(&module, &[ones]).to_f64s(), [600.0]);
}

#[test]
fn a_region_of_several_results_finds_the_largest_and_where() {
    let module = module(&[f32(&[2, 3])], |b, p| {
        let places = b.op(Op::Iota(Iota { dim: 1, ty: s32(&[2, 3]) }), &[]);
        let low = b.constant(&floats(&[], &[f64::NEG_INFINITY]));
        let zero = b.int(0);
        let scalars = [f32(&[]), s32(&[]), f32(&[]), s32(&[])];
        let region = b.region(&scalars, |b, s| {
            let take = b.compare(Direction::Gt, s[2], s[0]);
            vec![b.op(Op::Select, &[take, s[2], s[0]]), b.op(Op::Select, &[take, s[3], s[1]])]
        });
        b.all(Op::Reduce(Reduce { dims: vec![1] }), &[p[0], places, low, zero], &[region])
    });
    let results = run(&module, &[floats(&[2, 3], &[1.0, 7.0, 7.0, -1.0, -5.0, -0.5])]).unwrap();
    assert_eq!(results[0].to_f64s(), [7.0, -0.5]);
    assert_eq!(results[1].to_ints().unwrap(), [1, 2]);
}

#[test]
fn a_region_that_is_not_scalar_arithmetic_is_run_as_it_stands() {
    // The reducer captures a value and goes through a control flow op.
    let module = module(&[s32(&[4]), s32(&[])], |b, p| {
        let zero = b.int(0);
        let region = b.region(&[s32(&[]), s32(&[])], |b, s| {
            let odd = b.compare(Direction::Gt, s[1], p[1]);
            let yes = b.region(&[], |b, _| vec![b.binary(BinaryOp::Add, s[0], s[1])]);
            let no = b.region(&[], |_, _| vec![s[0]]);
            vec![b.with(Op::Control(meshwright_ir::op::Control::If), &[odd], &[yes, no])]
        });
        vec![b.with(Op::Reduce(Reduce { dims: vec![0] }), &[p[0], zero], &[region])]
    });
    assert_eq!(run_ints(&module, &[ints(&[4], &[1, 5, 2, 9]), ints(&[], &[2])]), [14]);
}

#[test]
fn map_applies_its_region_everywhere() {
    let module = module(&[s32(&[3])], |b, p| {
        let region = b.region(&[s32(&[])], |b, s| vec![b.binary(BinaryOp::Multiply, s[0], s[0])]);
        vec![b.with(Op::Map(Map { dims: vec![0] }), &[p[0]], &[region])]
    });
    assert_eq!(run_ints(&module, &[ints(&[3], &[1, 2, 3])]), [1, 4, 9]);
}

/// Rows of a matrix by index.
fn take_rows() -> Gather {
    Gather {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![0],
        operand_batching_dims: vec![],
        start_indices_batching_dims: vec![],
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: vec![1, 2],
        indices_are_sorted: false,
    }
}

#[test]
fn gather_takes_rows_and_clamps() {
    let module =
        module(&[s32(&[3, 2]), s32(&[3])], |b, p| vec![b.op(Op::Gather(take_rows()), &[p[0], p[1]])]);
    let x = ints(&[3, 2], &[1, 2, 3, 4, 5, 6]);
    assert_eq!(run_ints(&module, &[x, ints(&[3], &[2, -7, 99])]), [5, 6, 1, 2, 5, 6]);
}

#[test]
fn gather_with_batching_dims_pairs_operand_and_indices() {
    // Operand [batch 2, 3], indices [2 windows, batch 2, 1]: window of 2 elements.
    let op = Gather {
        offset_dims: vec![2],
        collapsed_slice_dims: vec![],
        operand_batching_dims: vec![0],
        start_indices_batching_dims: vec![1],
        start_index_map: vec![1],
        index_vector_dim: 2,
        slice_sizes: vec![1, 2],
        indices_are_sorted: false,
    };
    let module = module(&[s32(&[2, 3]), s32(&[2, 2, 1])], |b, p| vec![b.op(Op::Gather(op), &[p[0], p[1]])]);
    let (x, at) = (ints(&[2, 3], &[1, 2, 3, 4, 5, 6]), ints(&[2, 2, 1], &[0, 1, 1, 0]));
    assert_eq!(run_ints(&module, &[x, at]), [1, 2, 5, 6, 2, 3, 4, 5]);
}

fn put_rows() -> Scatter {
    Scatter {
        update_window_dims: vec![1],
        inserted_window_dims: vec![0],
        input_batching_dims: vec![],
        scatter_indices_batching_dims: vec![],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        indices_are_sorted: false,
        unique_indices: false,
    }
}

#[test]
fn scatter_adds_duplicates_and_skips_what_does_not_fit() {
    let inputs = || {
        let at = ints(&[4, 1], &[1, 9, 1, -1]);
        [ints(&[2, 2], &[1, 2, 3, 4]), at, ints(&[4, 2], &[10, 20, 500, 600, 1, 1, 700, 800])]
    };
    let types = [s32(&[2, 2]), s32(&[4, 1]), s32(&[4, 2])];
    let module = module(&types, |b, p| {
        let region = b.reducer(BinaryOp::Add, DType::S32);
        vec![b.with(Op::Scatter(put_rows()), p, &[region])]
    });
    assert_eq!(run_ints(&module, &inputs()), [1, 2, 14, 25]);
    let module = support::module(&types, |b, p| {
        let region = b.region(&[s32(&[]), s32(&[])], |_, s| vec![s[1]]);
        vec![b.with(Op::Scatter(put_rows()), p, &[region])]
    });
    assert_eq!(run_ints(&module, &inputs()), [1, 2, 1, 1]);
}

#[test]
fn sort_keeps_pairs_together_and_equals_in_order() {
    let module = module(&[s32(&[2, 4]), s32(&[2, 4])], |b, p| {
        let region = b.region(&[s32(&[]), s32(&[]), s32(&[]), s32(&[])], |b, s| {
            vec![b.compare(Direction::Lt, s[0], s[1])]
        });
        b.all(Op::Sort(Sort { dim: 1, stable: true }), p, &[region])
    });
    let keys = ints(&[2, 4], &[3, 1, 3, 2, 0, -1, 0, -1]);
    let results = run(&module, &[keys, ints(&[2, 4], &[0, 1, 2, 3, 0, 1, 2, 3])]).unwrap();
    assert_eq!(results[0].to_ints().unwrap(), [1, 2, 3, 3, -1, -1, 0, 0]);
    assert_eq!(results[1].to_ints().unwrap(), [1, 3, 0, 2, 1, 3, 0, 2]);
}

#[test]
fn top_k_gives_the_best_first_and_the_lower_index_of_equals() {
    let module = module(&[f32(&[5])], |b, p| b.all(Op::TopK(TopK { k: 3, largest: true }), p, &[]));
    let results = run(&module, &[floats(&[5], &[1.0, 4.0, -2.0, 4.0, 3.0])]).unwrap();
    assert_eq!(results[0].to_f64s(), [4.0, 4.0, 3.0]);
    assert_eq!(results[1].to_ints().unwrap(), [1, 3, 4]);
}

fn windows(window: &[WindowDim], op: BinaryOp, init: i64, x: &Tensor) -> Vec<i64> {
    let module = module(std::slice::from_ref(x.ty()), |b, p| {
        let init = b.int(init);
        let region = b.reducer(op, DType::S32);
        vec![b.with(Op::ReduceWindow(ReduceWindow { window: window.to_vec() }), &[p[0], init], &[region])]
    });
    run_ints(&module, std::slice::from_ref(x))
}

#[test]
fn windows_stride_dilate_and_pad() {
    let x = ints(&[5], &[1, 2, 3, 4, 5]);
    let sum = |window| windows(&[window], BinaryOp::Add, 0, &x);
    assert_eq!(sum(WindowDim { size: 2, stride: 2, ..STILL }), [3, 7]);
    assert_eq!(sum(WindowDim { size: 2, window_dilation: 3, ..STILL }), [5, 7]);
    assert_eq!(sum(WindowDim { size: 2, base_dilation: 2, ..STILL }), [1, 2, 2, 3, 3, 4, 4, 5]);
    assert_eq!(sum(WindowDim { size: 3, pad_low: 2, pad_high: 1, ..STILL }), [1, 3, 6, 9, 12, 9]);
    assert_eq!(sum(WindowDim { size: 2, pad_low: -1, pad_high: -1, ..STILL }), [5, 7]);
    let high = windows(&[WindowDim { size: 2, ..STILL }], BinaryOp::Maximum, i64::from(i32::MIN), &x);
    assert_eq!(high, [2, 3, 4, 5]);
}

#[test]
fn cumulative_windows_are_running_sums_along_any_dim() {
    let x = ints(&[3, 2], &[1, 10, 2, 20, 3, 30]);
    let running = WindowDim { size: 3, pad_low: 2, ..STILL };
    assert_eq!(windows(&[running, STILL], BinaryOp::Add, 0, &x), [1, 10, 3, 30, 6, 60]);
    let back = WindowDim { size: 3, pad_high: 2, ..STILL };
    assert_eq!(windows(&[back, STILL], BinaryOp::Add, 0, &x), [6, 60, 5, 50, 3, 30]);
    let wide = WindowDim { size: 2, pad_low: 1, ..STILL };
    assert_eq!(windows(&[STILL, wide], BinaryOp::Maximum, 5, &x), [5, 10, 5, 20, 5, 30]);
}

#[test]
fn select_and_scatter_sends_gradients_to_the_largest() {
    let module = module(&[s32(&[5]), s32(&[2])], |b, p| {
        let init = b.int(0);
        let select = b.region(&[s32(&[]), s32(&[])], |b, s| vec![b.compare(Direction::Ge, s[0], s[1])]);
        let scatter = b.reducer(BinaryOp::Add, DType::S32);
        let window = vec![WindowDim { size: 3, stride: 2, ..STILL }];
        let op = Op::SelectAndScatter(SelectAndScatter { window });
        vec![b.with(op, &[p[0], p[1], init], &[select, scatter])]
    });
    let inputs = [ints(&[5], &[1, 2, 9, 4, 9]), ints(&[2], &[10, 100])];
    assert_eq!(run_ints(&module, &inputs), [0, 0, 110, 0, 0]);
}

/// One spatial dim; input [batch, feature, x], kernel [out, in, k].
fn convolve(
    window: WindowDim,
    feature_group_count: i64,
    batch_group_count: i64,
    x: &Tensor,
    w: &Tensor,
) -> Vec<i64> {
    let op = Convolution {
        dims: ConvolutionDims {
            input_batch: 0,
            input_feature: 1,
            input_spatial: vec![2],
            kernel_output_feature: 0,
            kernel_input_feature: 1,
            kernel_spatial: vec![2],
            output_batch: 0,
            output_feature: 1,
            output_spatial: vec![2],
        },
        window: vec![window],
        feature_group_count,
        batch_group_count,
        result: DType::S32,
        precision: Vec::new(),
    };
    let module =
        module(&[x.ty().clone(), w.ty().clone()], |b, p| vec![b.op(Op::Convolution(op), &[p[0], p[1]])]);
    run_ints(&module, &[x.clone(), w.clone()])
}

#[test]
fn convolution_windows() {
    let x = ints(&[1, 1, 4], &[1, 2, 3, 4]);
    let w = ints(&[1, 1, 2], &[10, 1]);
    let run = |window: WindowDim| convolve(WindowDim { size: 2, ..window }, 1, 1, &x, &w);
    assert_eq!(run(STILL), [12, 23, 34]);
    assert_eq!(run(WindowDim { reversal: true, ..STILL }), [21, 32, 43]);
    assert_eq!(run(WindowDim { stride: 2, ..STILL }), [12, 34]);
    assert_eq!(run(WindowDim { window_dilation: 2, ..STILL }), [13, 24]);
    assert_eq!(run(WindowDim { base_dilation: 2, ..STILL }), [10, 2, 20, 3, 30, 4]);
    assert_eq!(run(WindowDim { pad_low: 1, pad_high: 1, ..STILL }), [1, 12, 23, 34, 40]);
    assert_eq!(run(WindowDim { pad_low: -1, ..STILL }), [23, 34]);
}

#[test]
fn convolution_features_and_groups() {
    let one = WindowDim { size: 1, ..STILL };
    let x = ints(&[2, 2, 1], &[1, 2, 3, 4]);
    let w = ints(&[2, 2, 1], &[1, 10, 100, 1000]);
    assert_eq!(convolve(one, 1, 1, &x, &w), [21, 2100, 43, 4300]);
    // Two feature groups: each output feature sees one input feature.
    let w = ints(&[2, 1, 1], &[10, 1000]);
    assert_eq!(convolve(one, 2, 1, &x, &w), [10, 2000, 30, 4000]);
    // Two batch groups: output feature 0 from batch 0, output feature 1 from batch 1.
    let w = ints(&[2, 2, 1], &[1, 10, 100, 1000]);
    assert_eq!(convolve(one, 1, 2, &x, &w), [21, 4300]);
}

#[test]
fn unary_ops_reach_complex_and_back() {
    let module = module(&[f32(&[2]), f32(&[2])], |b, p| {
        let z = b.binary(BinaryOp::Complex, p[0], p[1]);
        let square = b.binary(BinaryOp::Multiply, z, z);
        vec![b.op(Op::Unary(UnaryOp::Real), &[square]), b.op(Op::Unary(UnaryOp::Abs), &[z])]
    });
    let results = run(&module, &[floats(&[2], &[3.0, 0.0]), floats(&[2], &[4.0, 2.0])]).unwrap();
    assert_eq!(results[0].to_f64s(), [-7.0, -4.0]);
    assert_eq!(results[1].to_f64s(), [5.0, 2.0]);
}
