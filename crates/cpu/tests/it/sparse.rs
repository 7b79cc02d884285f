//! Products with masks of every density, layout and type against the interpreter, exact on small whole numbers; the
//! same bits on one and two workers.
//!
//! Kernels are held to masks of any density in `kernel/sparse.rs`; here masks are as routers make them.

use crate::support;

use meshwright_base::SourceText;
use meshwright_base::random::Random;
use meshwright_cpu::Cpu;
use meshwright_interp::{Tensor, run_global};
use meshwright_ir::{DType, Module};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Devices, HostArray, InProcess, LoadOptions};
use std::sync::Arc;

fn parse(text: &str) -> Module {
    meshwright_text::parse(&SourceText::new("m.mlir", text.to_string()))
        .unwrap_or_else(|all| panic!("{}\n{text}", all[0]))
}

/// The results, and what kinds of steps made them.
fn launch(text: &str, inputs: &[Tensor], workers: usize) -> (Vec<HostArray>, Vec<&'static str>) {
    let program = support::one_device(parse(text)).unwrap();
    let set = InProcess::new(1, Some(workers), Arc::new(Cpu::default()));
    let mut loaded = set.load(&program, &LoadOptions::default()).unwrap();
    let kinds = loaded.steps().iter().map(|step| step.kind).collect();
    let arrays: Vec<HostArray> =
        inputs.iter().map(|x| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() }).collect();
    let args = place_all(&program, &arrays, &set.local()).unwrap();
    let results = loaded.launch(args, None).unwrap();
    (results.iter().map(|result| result.shard(0).unwrap()).collect(), kinds)
}

/// Random numbers, the same for a seed.
struct Draw(Random);

impl Draw {
    fn whole(&mut self, dtype: DType, dims: &[i64]) -> Tensor {
        let count: i64 = dims.iter().product();
        let values: Vec<f64> = (0..count).map(|_| self.0.below(7) as f64 - 3.0).collect();
        Tensor::from_f64s(dtype, dims, &values).unwrap()
    }

    /// Numbers, and zeros of both signs.
    fn mask(&mut self, dtype: DType, dims: &[i64]) -> Tensor {
        let count: i64 = dims.iter().product();
        let values: Vec<f64> =
            (0..count).map(|_| [-0.0, 0.0, 1.0, 2.0, -1.0, 3.0][self.0.below(6) as usize]).collect();
        Tensor::from_f64s(dtype, dims, &values).unwrap()
    }

    /// Places below `n`, and some that are not there.
    fn places(&mut self, dims: &[i64], n: i64) -> Tensor {
        let count: i64 = dims.iter().product();
        let values: Vec<i64> = (0..count).map(|_| self.0.below(n as u64 + 2) as i64 - 1).collect();
        Tensor::from_ints(DType::S32, dims, &values).unwrap()
    }
}

fn check(text: &str, inputs: &[Tensor], wanted: &str, what: &str) {
    let expected = run_global(&parse(text), inputs).unwrap();
    let (two, kinds) = launch(text, inputs, 2);
    let (one, _) = launch(text, inputs, 1);
    for (i, (ours, expected)) in two.iter().zip(&expected).enumerate() {
        assert_eq!(support::same_enough(ours, expected, true), None, "result {i}, {what}\n{text}");
        assert_eq!(ours.bytes, one[i].bytes, "result {i} on one worker, {what}");
    }
    assert!(kinds.contains(&wanted), "no {wanted} step among {kinds:?}, {what}\n{text}");
}

fn tensor(dims: &[i64], dtype: &str) -> String {
    let sizes: String = dims.iter().map(|d| format!("{d}x")).collect();
    format!("tensor<{sizes}{dtype}>")
}

/// The text of a mask with at most two elements in the last dim that are not zero, its dims put into `order`.
fn mask_text(dims: &[i64], dtype: &str, order: &[usize]) -> String {
    let (ints, preds, floats) = (tensor(dims, "i32"), tensor(dims, "i1"), tensor(dims, dtype));
    let transposed: Vec<i64> = order.iter().map(|d| dims[*d]).collect();
    let last = dims.len() - 1;
    let (which, places) = (tensor(&dims[..last], "i32"), (0..last).collect::<Vec<_>>());
    let hot = |name: &str, which_: &str| {
        format!(
            "  %s{name} = stablehlo.broadcast_in_dim {which_}, dims = {places:?} : ({which}) -> {ints}
  %h{name} = stablehlo.compare EQ, %iota, %s{name} : ({ints}, {ints}) -> {preds}
  %f{name} = stablehlo.select %h{name}, %m, %none : {preds}, {floats}\n"
        )
    };
    format!(
        "  %iota = stablehlo.iota dim = {last} : {ints}
  %none = stablehlo.constant dense<0.0> : {floats}
{}{}  %both = stablehlo.add %f1, %f2 : {floats}
  %mask = stablehlo.transpose %both, dims = {order:?} : ({floats}) -> {}\n",
        hot("1", "%first"),
        hot("2", "%second"),
        tensor(&transposed, dtype)
    )
}

#[test]
fn dispatch_and_combine_are_products_whatever_the_layout() {
    let mut draw = Draw(Random::new(1, 0));
    // Groups, tokens, places, model.
    for (g, s, c, m) in [(2, 40, 24, 70), (1, 33, 65, 64), (3, 1, 40, 130), (1, 200, 17, 257), (2, 5, 64, 0)]
    {
        for (dtype, ty) in [(DType::F32, "f32"), (DType::BF16, "bf16")] {
            for order in [[0, 1, 2], [0, 2, 1], [2, 0, 1], [1, 2, 0]] {
                for contracted in [1, 2] {
                    let dims = [g, s, c];
                    let transposed: Vec<i64> = order.iter().map(|d| dims[*d]).collect();
                    let at = |d: usize| order.iter().position(|own| *own == d).unwrap();
                    let rows = [g, dims[contracted], m];
                    let free = dims[3 - contracted];
                    for swapped in [false, true] {
                        let (a, b, out) = if swapped {
                            ("%x", "%mask", [g, m, free])
                        } else {
                            ("%mask", "%x", [g, free, m])
                        };
                        let (ad, bd) = if swapped {
                            ((0, 1), (at(0), at(contracted)))
                        } else {
                            ((at(0), at(contracted)), (0, 1))
                        };
                        let (mt, xt) = (tensor(&transposed, ty), tensor(&rows, ty));
                        let (at, bt) = if swapped { (&xt, &mt) } else { (&mt, &xt) };
                        let text = format!(
                            "func.func @main(%m: {}, %first: {which}, %second: {which}, %x: {xt}) -> {out_ty} {{
{}  %d = stablehlo.dot_general {a}, {b}, batching_dims = [{}] x [{}], contracting_dims = [{}] x [{}] : ({at}, {bt}) -> {out_ty}
  return %d : {out_ty}
}}",
                            tensor(&dims, ty),
                            mask_text(&dims, ty, &order),
                            ad.0,
                            bd.0,
                            ad.1,
                            bd.1,
                            out_ty = tensor(&out, ty),
                            which = tensor(&[g, s], "i32"),
                        );
                        let mask = draw.mask(dtype, &dims);
                        let [first, second] = [(); 2].map(|_| draw.places(&[g, s], c));
                        let x = draw.whole(dtype, &rows);
                        let wanted = if ty == "f32" && m >= 64 && c >= 24 { "sparse" } else { "" };
                        let what = format!("{dims:?} by {m}, {ty}, {order:?}, contracting {contracted}");
                        run(&text, &[mask, first, second, x], wanted, &what);
                    }
                }
            }
        }
    }
}

fn run(text: &str, inputs: &[Tensor], wanted: &str, what: &str) {
    let (_, kinds) = launch(text, inputs, 1);
    let wanted = if wanted.is_empty() { kinds[0] } else { wanted };
    check(text, inputs, wanted, what);
}

/// The gradient of a mask: what tokens get back times what was sent, then the mask's own ops.
fn gradient(ty: &str, tail: &str, result: &str) -> String {
    let (m, x, y, d) = (
        tensor(&[2, 20, 48], ty),
        tensor(&[2, 20, 96], ty),
        tensor(&[2, 48, 96], ty),
        tensor(&[2, 20, 48], ty),
    );
    format!(
        "func.func @main(%m: {m}, %first: tensor<2x20xi32>, %second: tensor<2x20xi32>, %x: {x}, %y: {y}, %gate: tensor<2x20xi1>) -> {result} {{
{}  %d = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : ({x}, {y}) -> {d}
{tail}
  return %r : {result}
}}",
        mask_text(&[2, 20, 48], ty, &[0, 1, 2])
    )
}

fn check_gradient(dtype: DType, text: &str, wanted: &str) {
    let mut draw = Draw(Random::new(text.len() as u64, 0));
    let inputs = [
        draw.mask(dtype, &[2, 20, 48]),
        draw.places(&[2, 20], 48),
        draw.places(&[2, 20], 48),
        draw.whole(dtype, &[2, 20, 96]),
        draw.whole(dtype, &[2, 48, 96]),
        Tensor::from_ints(DType::Pred, &[2, 20], &(0..40).map(|i| i % 3 / 2).collect::<Vec<_>>()).unwrap(),
    ];
    check(text, &inputs, wanted, "gradient");
}

#[test]
fn a_product_that_is_masked_in_all_its_uses_is_made_there_only() {
    let f = tensor(&[2, 20, 48], "f32");
    check_gradient(
        DType::F32,
        &gradient("f32", &format!("  %r = stablehlo.multiply %d, %mask : {f}"), &f),
        "sparse",
    );
    let two = format!(
        "  %p = stablehlo.multiply %d, %f1 : {f}
  %n = stablehlo.negate %d : {f}
  %q = stablehlo.multiply %f2, %n : {f}
  %r = stablehlo.add %p, %q : {f}"
    );
    check_gradient(DType::F32, &gradient("f32", &two, &f), "sparse");
    let chosen = format!(
        "  %t = stablehlo.transpose %d, dims = [0, 2, 1] : ({f}) -> tensor<2x48x20xf32>
  %u = stablehlo.transpose %t, dims = [0, 2, 1] : (tensor<2x48x20xf32>) -> {f}
  %r = stablehlo.select %h1, %u, %none : tensor<2x20x48xi1>, {f}"
    );
    check_gradient(DType::F32, &gradient("f32", &chosen, &f), "sparse");
}

#[test]
fn what_is_summed_and_then_masked_is_made_there_only() {
    let f = tensor(&[2, 20, 48], "f32");
    let tail = format!(
        "  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.multiply %d, %f1 : {f}
  %s = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [2] : ({f}, tensor<f32>) -> tensor<2x20xf32>
  %g = stablehlo.convert %gate : (tensor<2x20xi1>) -> tensor<2x20xf32>
  %r = stablehlo.multiply %s, %g : tensor<2x20xf32>"
    );
    check_gradient(DType::F32, &gradient("f32", &tail, "tensor<2x20xf32>"), "sparse");
}

#[test]
fn a_product_with_another_use_is_made_whole() {
    let f = tensor(&[2, 20, 48], "f32");
    let tail = format!("  %p = stablehlo.multiply %d, %mask : {f}\n  %r = stablehlo.add %p, %d : {f}");
    check_gradient(DType::F32, &gradient("f32", &tail, &f), "dot");
}

#[test]
fn sums_over_all_that_came_before_run_on() {
    for (dtype, ty) in [(DType::F32, "f32"), (DType::S32, "i32"), (DType::F64, "f64"), (DType::U64, "ui64")] {
        for (dims, along) in [([3, 40, 5], 1), ([2, 3, 300], 0), ([1, 1, 9], 2), ([4, 7, 600], 1)] {
            let size = |d: usize| if d == along { dims[d] } else { 1 };
            let pads: Vec<String> = (0..3).map(|d| format!("[{}, 0]", size(d) - 1)).collect();
            let t = tensor(&dims, ty);
            let zero = if ty.starts_with('f') { "0.0" } else { "0" };
            let text = format!(
                "func.func @main(%x: {t}) -> {t} {{
  %zero = stablehlo.constant dense<{zero}> : tensor<{ty}>
  %r = \"stablehlo.reduce_window\"(%x, %zero) <{{padding = dense<[{}]> : tensor<3x2xi64>, window_dimensions = array<i64: {}, {}, {}>}}> ({{
  ^bb0(%a: tensor<{ty}>, %b: tensor<{ty}>):
    %s = stablehlo.add %a, %b : tensor<{ty}>
    stablehlo.return %s : tensor<{ty}>
  }}) : ({t}, tensor<{ty}>) -> {t}
  return %r : {t}
}}",
                pads.join(", "),
                size(0),
                size(1),
                size(2)
            );
            let count: i64 = dims.iter().product();
            let values: Vec<i64> = (0..count).map(|i| i * 7 % 11).collect();
            let floats: Vec<f64> = values.iter().map(|x| *x as f64).collect();
            let x = if ty.starts_with('f') {
                Tensor::from_f64s(dtype, &dims, &floats)
            } else {
                Tensor::from_ints(dtype, &dims, &values)
            };
            check(&text, &[x.unwrap()], "reduce", &format!("{dims:?} along {along}, {ty}"));
        }
    }
}
