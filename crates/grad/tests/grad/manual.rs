//! Manual regions and the collectives inside them, on simulated devices.

use crate::check::{check, derivative, parse, print};
use meshwright_grad::Options;

/// A body on the devices of a 2x4 mesh: `%x` is split over both axes, `%w` given to all.
fn manual(body: &str, result: &str, out: &str) -> String {
    format!(
        "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>
         func.func @main(%a: tensor<4x8xf64>, %w: tensor<2xf64>) -> {result} {{
           %r = sdy.manual_computation(%a, %w) in_shardings=[<@mesh, [{{\"x\"}}, {{\"y\"}}]>, <@mesh, [{{}}]>]
               out_shardings=[<@mesh, {out}>] manual_axes={{\"x\", \"y\"}} (%x: tensor<2x2xf64>, %v: tensor<2xf64>) {{
             {body}
           }} : (tensor<4x8xf64>, tensor<2xf64>) -> {result}
           %s = stablehlo.sine %r : {result}
           return %s : {result}
         }}"
    )
}

const GROUPS: &str = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
    replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids";

fn reducer(dims: &str) -> String {
    format!(
        "({{
         ^bb0(%p: tensor<f64>, %q: tensor<f64>):
           %z = stablehlo.add %p, %q : tensor<f64>
           stablehlo.return %z : tensor<f64>
         }}) : {dims}"
    )
}

const LOCAL: &str = "%vv = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<2xf64>) -> tensor<2x2xf64>
    %m = stablehlo.multiply %x, %vv : tensor<2x2xf64>
    %t = stablehlo.tanh %m : tensor<2x2xf64>\n";

#[test]
fn split_and_shared_operands() {
    check(&manual(
        &format!("{LOCAL} sdy.return %t : tensor<2x2xf64>"),
        "tensor<4x8xf64>",
        "[{\"x\"}, {\"y\"}]",
    ));
}

#[test]
fn sums_over_an_axis_and_shared_results() {
    let sum = reducer("(tensor<2x2xf64>) -> tensor<2x2xf64>");
    check(&manual(
        &format!(
            "{LOCAL} %g = \"stablehlo.all_reduce\"(%t) <{{{GROUPS}}}> {sum}
                  sdy.return %g : tensor<2x2xf64>"
        ),
        "tensor<4x2xf64>",
        "[{\"x\"}, {}]",
    ));
}

#[test]
fn gathers_and_scattered_sums() {
    let sum = reducer("(tensor<2x8xf64>) -> tensor<2x2xf64>");
    check(&manual(
        &format!("{LOCAL} %g = \"stablehlo.all_gather\"(%t) <{{all_gather_dim = 1 : i64, {GROUPS}}}> : (tensor<2x2xf64>) -> tensor<2x8xf64>
                  %h = stablehlo.sine %g : tensor<2x8xf64>
                  %k = \"stablehlo.reduce_scatter\"(%h) <{{scatter_dimension = 1 : i64, {GROUPS}}}> {sum}
                  sdy.return %k : tensor<2x2xf64>"),
        "tensor<4x8xf64>",
        "[{\"x\"}, {\"y\"}]",
    ));
}

#[test]
fn exchanges_and_permutes() {
    check(&manual(
        &format!("{LOCAL} %g = \"stablehlo.all_gather\"(%t) <{{all_gather_dim = 1 : i64, {GROUPS}}}> : (tensor<2x2xf64>) -> tensor<2x8xf64>
                  %h = \"stablehlo.all_to_all\"(%g) <{{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, {GROUPS}}}>
                    : (tensor<2x8xf64>) -> tensor<8x2xf64>
                  %k = \"stablehlo.collective_permute\"(%h) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
                    source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [4, 0], [5, 7]]> : tensor<5x2xi64>}}> : (tensor<8x2xf64>) -> tensor<8x2xf64>
                  sdy.return %k : tensor<8x2xf64>"),
        "tensor<16x8xf64>",
        "[{\"x\"}, {\"y\"}]",
    ));
}

#[test]
fn scalars_that_differ_per_device_are_kept() {
    let text = manual(
        "%zero = stablehlo.constant dense<0.0> : tensor<f64>
         %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x2xf64>, tensor<f64>) -> tensor<f64>
         %e = stablehlo.tanh %s : tensor<f64>
         %f = stablehlo.broadcast_in_dim %e, dims = [] : (tensor<f64>) -> tensor<2xf64>
         %g = stablehlo.multiply %f, %v : tensor<2xf64>
         sdy.return %g : tensor<2xf64>",
        "tensor<16xf64>",
        "[{\"x\", \"y\"}]",
    );
    check(&text);
    let module = derivative(&parse(&text), &Options::default()).unwrap();
    assert!(print(&module).contains("tensor<8xf64>"), "{}", print(&module));
}
