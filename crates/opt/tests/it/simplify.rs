//! What becomes of small programs, and that random programs keep every bit.

use crate::support;

use meshwright_base::{SourceText, render};
use meshwright_campaign::family::named;
use meshwright_campaign::generate::case_of;
use meshwright_compile::{Observer, Options};
use meshwright_interp::{Tensor, run_devices, run_global};
use meshwright_ir::{Module, TensorType, Type, verify};
use meshwright_opt::{dce, simplify};
use support::without_annotations;

fn parse(text: &str) -> Module {
    let source = SourceText::new("test.mlir", text);
    meshwright_text::parse(&source).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|error| render(error, Some(&source))).collect::<String>())
    })
}

/// What the lines become, in a function of `%x: 4x6`, `%y: 4x6`, `%s`: `f32`; and `%i: s32`.
fn becomes(lines: &str, result: &str) -> String {
    let text = format!(
        "module attributes {{mhlo.num_partitions = 4 : i32}} {{
         func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>, %s: tensor<f32>, %i: tensor<i32>) -> {result} {{
           {lines}
           return %r : {result}
         }} }}"
    );
    let mut module = parse(&text);
    simplify(&mut module);
    dce(&mut module);
    verify(&module).expect("the module holds");
    assert!(!simplify(&mut module), "a second walk finds nothing");
    let main = module.main();
    let ops = main.insts_in_order().into_iter().map(|inst| main.inst(inst).op.mnemonic());
    ops.collect::<Vec<_>>().join(" ")
}

/// As a gradient's convolution reads its kernel.
#[test]
fn a_convolution_reads_its_kernel_backwards_itself() {
    let lines = |reversed: &str, reads: &str| {
        format!(
            "%i4 = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<1x4x6x1xf32>
             %k4 = stablehlo.reshape %y : (tensor<4x6xf32>) -> tensor<2x3x1x4xf32>
             %b = stablehlo.reverse %k4, dims = [{reversed}] : tensor<2x3x1x4xf32>
             %r = stablehlo.convolution(%i4, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
               window = {{pad = [[1, 0], [1, 1]], reverse = [{reads}]}}
               {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
               : (tensor<1x4x6x1xf32>, tensor<2x3x1x4xf32>) -> tensor<1x4x6x4xf32>"
        )
    };
    let ops = |reversed, reads| becomes(&lines(reversed, reads), "tensor<1x4x6x4xf32>");
    assert_eq!(ops("0, 1", "false, false"), "reshape reshape convolution");
    assert_eq!(ops("1", "true, true"), "reshape reshape convolution", "twice is once less");
    assert_eq!(ops("1, 3", "false, false"), "reshape reshape reverse convolution", "features come in order");
}

#[test]
fn a_slice_takes_from_what_was_padded() {
    let pad = |low: i64, high: i64| {
        let size = 6 + low + high;
        format!(
            "%p = stablehlo.pad %x, %s, low = [0, {low}], high = [0, {high}], interior = [0, 0]
               : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x{size}xf32>"
        )
    };
    let slice = |size: i64, from: i64, to: i64| {
        let count = to - from;
        format!(
            "%r = stablehlo.slice %p [0:4, {from}:{to}] : (tensor<4x{size}xf32>) -> tensor<4x{count}xf32>"
        )
    };
    let both = |low, high, from, to| {
        let lines = format!("{}\n{}", pad(low, high), slice(6 + low + high, from, to));
        becomes(&lines, &format!("tensor<4x{}xf32>", to - from))
    };
    assert_eq!(both(2, 2, 2, 8), "", "the padding is cut off again");
    assert_eq!(both(2, 2, 3, 7), "slice", "elements only");
    assert_eq!(both(2, 2, 0, 2), "broadcast_in_dim", "padding only");
    assert_eq!(both(2, 2, 1, 9), "pad", "less padding");
    assert_eq!(both(2, 2, 4, 9), "pad slice", "some elements and some padding");
}

#[test]
fn pieces_of_one_value_join() {
    let lines = "%a = stablehlo.slice %x [0:4, 1:3] : (tensor<4x6xf32>) -> tensor<4x2xf32>
        %b = stablehlo.slice %x [0:4, 3:6] : (tensor<4x6xf32>) -> tensor<4x3xf32>
        %r = stablehlo.concatenate %a, %b, dim = 1 : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<4x5xf32>";
    assert_eq!(becomes(lines, "tensor<4x5xf32>"), "slice");
    let cut =
        "%c = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
        %r = stablehlo.slice %c [4:8, 0:6] : (tensor<8x6xf32>) -> tensor<4x6xf32>";
    assert_eq!(becomes(cut, "tensor<4x6xf32>"), "");
}

#[test]
fn precision_that_is_kept_goes() {
    let reduced =
        |format: &str| format!("%r = stablehlo.reduce_precision %x, format = {format} : tensor<4x6xf32>");
    assert_eq!(becomes(&reduced("e8m23"), "tensor<4x6xf32>"), "");
    assert_eq!(becomes(&reduced("e8m10"), "tensor<4x6xf32>"), "reduce_precision");
    let half = "%h = stablehlo.convert %x : (tensor<4x6xf32>) -> tensor<4x6xbf16>
        %r = stablehlo.reduce_precision %h, format = e8m7 : tensor<4x6xbf16>";
    assert_eq!(becomes(half, "tensor<4x6xbf16>"), "convert reduce_precision");
}

#[test]
fn masks_that_hide_nothing_go() {
    let masked = |size: i64, bound: i64, offset: &str| {
        let lines = format!(
            "%id = stablehlo.partition_id : tensor<ui32>
             %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
             %z = stablehlo.constant dense<0> : tensor<i32>
             %k = stablehlo.constant dense<{size}> : tensor<i32>
             %o = stablehlo.multiply %n, %k : tensor<i32>
             %w = stablehlo.broadcast_in_dim {offset}, dims = [] : (tensor<i32>) -> tensor<4x6xi32>
             %t = stablehlo.iota dim = 1 : tensor<4x6xi32>
             %p = stablehlo.add %t, %w : tensor<4x6xi32>
             %b = stablehlo.constant dense<{bound}> : tensor<4x6xi32>
             %m = stablehlo.compare LT, %p, %b : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
             %f = stablehlo.constant dense<0.0> : tensor<4x6xf32>
             %r = stablehlo.select %m, %x, %f : tensor<4x6xi1>, tensor<4x6xf32>"
        );
        becomes(&lines, "tensor<4x6xf32>")
    };
    assert_eq!(masked(6, 24, "%o"), "", "the last device ends at 24");
    assert!(masked(6, 23, "%o").ends_with("select"), "the last element is hidden");
    assert_eq!(masked(6, 6, "%z"), "");
    assert!(masked(6, 6, "%i").ends_with("select"), "nothing is known of a parameter");
}

#[test]
fn a_choice_between_equal_constants_is_none() {
    let choice = |other: &str| {
        let lines = format!(
            "%z = stablehlo.constant dense<0.0> : tensor<f32>
             %a = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
             %b = stablehlo.constant dense<{other}> : tensor<4x6xf32>
             %m = stablehlo.compare LT, %x, %y : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
             %r = stablehlo.select %m, %a, %b : tensor<4x6xi1>, tensor<4x6xf32>"
        );
        becomes(&lines, "tensor<4x6xf32>")
    };
    assert_eq!(choice("0.0"), "constant broadcast_in_dim");
    assert!(choice("-0.0").ends_with("select"), "the sign of zero is a bit");
}

#[test]
fn a_product_that_is_only_used_turned_round_is_made_that_way() {
    let (batched, product) = ("tensor<2x4x6xf32>", "tensor<2x4x8xf32>");
    let dot = format!(
        "%a = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<4x6xf32>) -> {batched}
         %t = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x6x8xf32>
         %p = stablehlo.dot_general %a, %t, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({batched}, tensor<2x6x8xf32>) -> {product}"
    );
    let turned = "tensor<2x8x4xf32>";
    let turn = format!("%r = stablehlo.transpose %p, dims = [0, 2, 1] : ({product}) -> {turned}");
    assert_eq!(becomes(&format!("{dot}\n{turn}"), turned), "broadcast_in_dim broadcast_in_dim dot_general");
    // Another order of its dims than either product has.
    let mixed = "tensor<8x2x4xf32>";
    let mix = format!("%r = stablehlo.transpose %p, dims = [2, 0, 1] : ({product}) -> {mixed}");
    assert!(becomes(&format!("{dot}\n{mix}"), mixed).ends_with("dot_general transpose"));
    // Used as it is, too.
    let both = format!(
        "{}\n%q = stablehlo.reshape %p : ({product}) -> {turned}\n%r = stablehlo.add %q, %u : {turned}",
        turn.replace("%r", "%u")
    );
    assert!(becomes(&format!("{dot}\n{both}"), turned).contains("dot_general transpose"));
}

#[test]
fn floats_are_not_reckoned_with() {
    let lines = "%z = stablehlo.constant dense<0.0> : tensor<4x6xf32>
        %a = stablehlo.multiply %x, %z : tensor<4x6xf32>
        %r = stablehlo.add %a, %z : tensor<4x6xf32>";
    assert_eq!(becomes(lines, "tensor<4x6xf32>"), "constant multiply add");
    let narrow = "%a = stablehlo.convert %x : (tensor<4x6xf32>) -> tensor<4x6xbf16>
        %r = stablehlo.convert %a : (tensor<4x6xbf16>) -> tensor<4x6xf32>";
    assert_eq!(becomes(narrow, "tensor<4x6xf32>"), "convert convert");
}

/// Families whose ops the rules look at.
const FAMILIES: &[&str] = &[
    "broadcast",
    "transpose",
    "reshape",
    "slice",
    "pad",
    "concatenate",
    "reverse",
    "rotate",
    "select",
    "compare",
    "convert",
    "clamp",
    "dynamic_slice",
    "dynamic_update_slice",
    "data",
    "binary",
    "unary",
    "reduce",
];

/// Bytes that depend on the numbers; floats are now and then infinite, not a number, or a zero with a sign.
fn tensor(ty: &TensorType, seed: u64) -> Tensor {
    const ODD: [f64; 6] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 1e-310];
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 33
    };
    let values = (0..ty.elements()).map(|_| match next() % 3 {
        0 if ty.dtype.is_float() || ty.dtype.is_complex() => ODD[(next() % 6) as usize],
        _ => (next() % 9) as f64 - if ty.dtype.bits() > 8 { 3.0 } else { 0.0 },
    });
    Tensor::from_f64s(ty.dtype, &ty.dims, &values.collect::<Vec<_>>()).expect("as many values as elements")
}

fn inputs(module: &Module, seed: u64) -> Vec<Tensor> {
    let main = module.main();
    let tensors = main.param_values().iter().filter_map(|value| main.ty(*value).as_tensor());
    tensors.enumerate().map(|(at, ty)| tensor(ty, seed + 977 * at as u64)).collect()
}

fn bits(results: &[Tensor]) -> Vec<Vec<u8>> {
    results.iter().map(Tensor::to_bytes).collect()
}

fn has_only_tensors(module: &Module) -> bool {
    let main = module.main();
    main.param_values().iter().all(|value| matches!(main.ty(*value), Type::Tensor(_)))
}

/// The module after localization.
#[derive(Default)]
struct Localized(Option<Module>);

impl Observer for Localized {
    fn stage(&mut self, name: &'static str, module: &Module) {
        if name == "localize" {
            self.0 = Some(module.clone());
        }
    }
}

#[test]
fn random_programs_keep_every_bit() {
    let families = named(FAMILIES).expect("all families are there");
    let mut rewritten = 0;
    for number in 0..1500 {
        let case = case_of(11, number, &families);
        let before = without_annotations(&case.module);
        if !has_only_tensors(&before) {
            continue;
        }
        let mut after = before.clone();
        rewritten += usize::from(simplify(&mut after));
        verify(&after).expect("the module holds");
        let inputs = inputs(&before, number);
        let (expected, found) = (run_global(&before, &inputs), run_global(&after, &inputs));
        let (Ok(expected), Ok(found)) = (expected, found) else { panic!("case {number} does not run") };
        assert_eq!(bits(&expected), bits(&found), "case {number}");
    }
    assert!(rewritten > 100, "only {rewritten} programs were rewritten");
}

#[test]
fn partitioned_programs_keep_every_bit() {
    let families = named(FAMILIES).expect("all families are there");
    let mut rewritten = 0;
    for number in 0..600 {
        let case = case_of(12, number, &families);
        let mut options = Options::default();
        options.partition.machine = case.machine.machine();
        let mut seen = Localized::default();
        let made = meshwright_compile::partition(case.module.clone(), &options, &mut seen);
        let (Ok(_), Some(before)) = (made, seen.0) else { panic!("case {number} is not partitioned") };
        let mut after = before.clone();
        rewritten += usize::from(simplify(&mut after));
        verify(&after).expect("the module holds");
        let devices = before.num_partitions.unwrap_or(1) as usize;
        let local: Vec<_> = (0..devices as u64).map(|device| inputs(&before, number + 31 * device)).collect();
        let run = |module: &Module| run_devices(module, devices, &local);
        let (Ok(expected), Ok(found)) = (run(&before), run(&after)) else {
            panic!("case {number} does not run")
        };
        for (expected, found) in expected.iter().zip(&found) {
            assert_eq!(bits(expected), bits(found), "case {number}");
        }
    }
    assert!(rewritten > 50, "only {rewritten} programs were rewritten");
}
