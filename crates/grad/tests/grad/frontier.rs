//! What a scan keeps for its derivative: of what can be computed again, the fewest bytes.

use crate::check::{check, derivative, parse, print};
use meshwright_grad::Options;
use meshwright_ir::{InstId, Module, Op};

/// A loop of five trips over a carried `%c` of 8 numbers and a number `%k` of each trip, which goes on with `%next`.
fn looped(body: &str) -> String {
    format!(
        "func.func @main(%c0: tensor<8xf64>, %ks: tensor<5xi32>, %w: tensor<8x8xf64>) -> tensor<8xf64> {{
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %r:3 = stablehlo.while(%all = %ks, %i = %zero, %c = %c0) : tensor<5xi32>, tensor<i32>, tensor<8xf64>
           cond {{
             %n = stablehlo.constant dense<5> : tensor<i32>
             %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %p : tensor<i1>
           }} do {{
             %row = stablehlo.dynamic_slice %all, %i, sizes = [1] : (tensor<5xi32>, tensor<i32>) -> tensor<1xi32>
             %k = stablehlo.reshape %row : (tensor<1xi32>) -> tensor<i32>
             %o = stablehlo.constant dense<0.0> : tensor<8xf64>
             %half = stablehlo.constant dense<0.5> : tensor<8xf64>
             {body}
             %one = stablehlo.constant dense<1> : tensor<i32>
             %i1 = stablehlo.add %i, %one : tensor<i32>
             stablehlo.return %all, %i1, %next : tensor<5xi32>, tensor<i32>, tensor<8xf64>
           }}
           return %r#2 : tensor<8xf64>
         }}"
    )
}

/// Types of what the first scan of the derivative stacks.
fn stacked(module: &Module) -> Vec<String> {
    let main = module.main();
    let scan = main.insts_in_order().into_iter().find_map(|inst| match &main.inst(inst).op {
        Op::Scan(scan) => Some((scan.carries, inst)),
        _ => None,
    });
    let (carries, inst) = scan.expect("a scan");
    main.inst(inst).results.iter().skip(carries).map(|value| main.ty(*value).to_string()).collect()
}

fn expect_kept(body: &str, kept: &[&str]) {
    let text = looped(body);
    check(&text);
    let module = derivative(&parse(&text), &Options::default()).unwrap();
    assert_eq!(stacked(&module), kept, "{}", print(&module));
}

#[test]
fn a_chain_is_kept_at_its_narrowest_place() {
    // The mask, what it lets through and what is made of that come from the product; the product's other side is
    // carried.
    let body = "%h = stablehlo.dot_general %w, %c, contracting_dims = [1] x [0] : (tensor<8x8xf64>, tensor<8xf64>) -> tensor<8xf64>
                %m = stablehlo.compare GT, %h, %o, FLOAT : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xi1>
                %t = stablehlo.select %m, %h, %o : tensor<8xi1>, tensor<8xf64>
                %d = stablehlo.multiply %t, %half : tensor<8xf64>
                %next = stablehlo.dot_general %w, %d, contracting_dims = [1] x [0] : (tensor<8x8xf64>, tensor<8xf64>) -> tensor<8xf64>";
    expect_kept(body, &["f64[5,8]", "f64[5,8]"]);
}

#[test]
fn what_comes_from_a_stacked_input_is_not_stacked_again() {
    let body = "%at = stablehlo.iota dim = 0 : tensor<8xi32>
                %ka = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> tensor<8xi32>
                %hot = stablehlo.compare EQ, %at, %ka, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
                %f = stablehlo.convert %hot : (tensor<8xi1>) -> tensor<8xf64>
                %h = stablehlo.dot_general %w, %f, contracting_dims = [1] x [0] : (tensor<8x8xf64>, tensor<8xf64>) -> tensor<8xf64>
                %s = stablehlo.select %hot, %h, %c : tensor<8xi1>, tensor<8xf64>
                %next = stablehlo.multiply %s, %f : tensor<8xf64>";
    // The mask and the numbers made of it come from `%k`, which is there.
    expect_kept(body, &[]);
}

#[test]
fn what_takes_a_product_or_a_sum_stays_kept() {
    let body = "%z = stablehlo.constant dense<0.0> : tensor<f64>
                %h = stablehlo.dot_general %w, %c, contracting_dims = [1] x [0] : (tensor<8x8xf64>, tensor<8xf64>) -> tensor<8xf64>
                %s = stablehlo.reduce(%h init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
                %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f64>) -> tensor<8xf64>
                %q = stablehlo.multiply %b, %half : tensor<8xf64>
                %next = stablehlo.multiply %q, %c : tensor<8xf64>";
    // The carried value, and the sum, of 8 bytes.
    expect_kept(body, &["f64[5,8]", "f64[5]"]);
}

#[test]
fn cotangents_of_inputs_are_stacked_as_they_were_before_they_were_widened() {
    let text = "func.func @main(%c0: tensor<8xf32>, %xs: tensor<5x8xf64>) -> tensor<8xf32> {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %r:3 = stablehlo.while(%all = %xs, %i = %zero, %c = %c0) : tensor<5x8xf64>, tensor<i32>, tensor<8xf32>
        cond {
          %n = stablehlo.constant dense<5> : tensor<i32>
          %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %row = stablehlo.dynamic_slice %all, %i, %zero, sizes = [1, 8] : (tensor<5x8xf64>, tensor<i32>, tensor<i32>) -> tensor<1x8xf64>
          %x = stablehlo.reshape %row : (tensor<1x8xf64>) -> tensor<8xf64>
          %f = stablehlo.convert %x : (tensor<8xf64>) -> tensor<8xf32>
          %next = stablehlo.multiply %c, %f : tensor<8xf32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %i1 = stablehlo.add %i, %one : tensor<i32>
          stablehlo.return %all, %i1, %next : tensor<5x8xf64>, tensor<i32>, tensor<8xf32>
        }
        return %r#2 : tensor<8xf32>
      }";
    let module = derivative(&parse(text), &Options::default()).unwrap();
    let main = module.main();
    let is_scan = |inst: &InstId| matches!(main.inst(*inst).op, Op::Scan(_));
    let backward = main.insts_in_order().into_iter().rfind(is_scan).expect("a scan");
    let given: Vec<String> =
        main.inst(backward).results.iter().map(|value| main.ty(*value).to_string()).collect();
    assert_eq!(given, ["f32[8]", "f32[5,8]"], "{}", print(&module));
    assert_eq!(main.ty(main.result_values()[2]).to_string(), "f64[5,8]");
}
