//! Batched ops whose places, choices or counts differ per case, and batched annotations.

use crate::batched::{batched, check_batched};
use crate::check::{parse, print};

fn check(text: &str) {
    check_batched(&parse(text));
}

#[test]
fn slices_at_places_of_their_own() {
    check(
        "func.func @main(%a: tensor<5x4xf64>, %u: tensor<2x3xf64>, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<2x3xf64>, tensor<5x4xf64>) {
           %s = stablehlo.dynamic_slice %a, %i, %j, sizes = [2, 3] : (tensor<5x4xf64>, tensor<i32>, tensor<i32>) -> tensor<2x3xf64>
           %w = stablehlo.dynamic_update_slice %a, %u, %i, %j : (tensor<5x4xf64>, tensor<2x3xf64>, tensor<i32>, tensor<i32>) -> tensor<5x4xf64>
           return %s, %w : tensor<2x3xf64>, tensor<5x4xf64>
         }",
    );
}

#[test]
fn gathers_and_scatters_at_places_of_their_own() {
    check(
        "func.func @main(%a: tensor<5x3xf64>, %i: tensor<4x1xi32>, %u: tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<5x3xf64>) {
           %g = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
             start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}>
             : (tensor<5x3xf64>, tensor<4x1xi32>) -> tensor<4x3xf64>
           %s = \"stablehlo.scatter\"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
               inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
           ^bb0(%x: tensor<f64>, %y: tensor<f64>):
             %z = stablehlo.add %x, %y : tensor<f64>
             stablehlo.return %z : tensor<f64>
           }) : (tensor<5x3xf64>, tensor<4x1xi32>, tensor<4x3xf64>) -> tensor<5x3xf64>
           return %g, %s : tensor<4x3xf64>, tensor<5x3xf64>
         }",
    );
    check(
        "func.func @main(%a: tensor<2x5xf64>, %i: tensor<2x3xi32>) -> tensor<2x3xf64> {
           %r = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1],
             operand_batching_dims = [0], start_indices_batching_dims = [0],
             start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}>
             : (tensor<2x5xf64>, tensor<2x3xi32>) -> tensor<2x3xf64>
           return %r : tensor<2x3xf64>
         }",
    );
}

#[test]
fn choices_of_their_own() {
    check(
        "func.func @main(%p: tensor<i1>, %n: tensor<i32>, %a: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
           %r = \"stablehlo.if\"(%p) ({
             %x = stablehlo.sine %a : tensor<4xf64>
             stablehlo.return %x : tensor<4xf64>
           }, {
             %x = stablehlo.constant dense<1.0> : tensor<4xf64>
             stablehlo.return %x : tensor<4xf64>
           }) : (tensor<i1>) -> tensor<4xf64>
           %s = \"stablehlo.case\"(%n) ({
             %x = stablehlo.sine %a : tensor<4xf64>
             stablehlo.return %x : tensor<4xf64>
           }, {
             stablehlo.return %r : tensor<4xf64>
           }, {
             %x = stablehlo.cosine %a : tensor<4xf64>
             stablehlo.return %x : tensor<4xf64>
           }) : (tensor<i32>) -> tensor<4xf64>
           return %r, %s : tensor<4xf64>, tensor<4xf64>
         }",
    );
}

#[test]
fn loops_that_go_on_as_long_as_each_case_wants() {
    check(
        "func.func @main(%a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<i32>) {
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %start = stablehlo.abs %a : tensor<f64>
           %r:2 = stablehlo.while(%x = %start, %i = %zero) : tensor<f64>, tensor<i32>
           cond {
             %n = stablehlo.constant dense<5.0> : tensor<f64>
             %p = stablehlo.compare LT, %x, %n, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
             stablehlo.return %p : tensor<i1>
           } do {
             %c = stablehlo.abs %b : tensor<f64>
             %one = stablehlo.constant dense<1.0> : tensor<f64>
             %d = stablehlo.add %c, %one : tensor<f64>
             %y = stablehlo.add %x, %d : tensor<f64>
             %j = stablehlo.constant dense<1> : tensor<i32>
             %k = stablehlo.add %i, %j : tensor<i32>
             stablehlo.return %y, %k : tensor<f64>, tensor<i32>
           }
           return %r#0, %r#1 : tensor<f64>, tensor<i32>
         }",
    );
    // The count is one for all, what is added differs.
    check(
        "func.func @main(%a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<i32>) {
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %r:2 = stablehlo.while(%x = %a, %i = %zero) : tensor<f64>, tensor<i32>
           cond {
             %n = stablehlo.constant dense<4> : tensor<i32>
             %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %p : tensor<i1>
           } do {
             %y = stablehlo.add %x, %b : tensor<f64>
             %j = stablehlo.constant dense<1> : tensor<i32>
             %k = stablehlo.add %i, %j : tensor<i32>
             stablehlo.return %y, %k : tensor<f64>, tensor<i32>
           }
           return %r#0, %r#1 : tensor<f64>, tensor<i32>
         }",
    );
}

#[test]
fn random_bits_from_states_of_their_own() {
    check(
        "func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2xui32>) {
           %t, %b = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2xui32>)
           return %t, %b : tensor<2xui64>, tensor<3x2xui32>
         }",
    );
}

#[test]
fn scalars_beside_tensors() {
    check(
        "func.func @main(%p: tensor<i1>, %l: tensor<f64>, %a: tensor<4xf64>, %b: tensor<4xf64>, %v: tensor<f64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<7xf64>) {
           %s = stablehlo.select %p, %a, %b : tensor<i1>, tensor<4xf64>
           %h = stablehlo.add %l, %l : tensor<f64>
           %c = stablehlo.clamp %l, %a, %h : (tensor<f64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
           %d = stablehlo.pad %a, %v, low = [1], high = [2], interior = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<7xf64>
           return %s, %c, %d : tensor<4xf64>, tensor<4xf64>, tensor<7xf64>
         }",
    );
}

#[test]
fn annotations_leave_the_new_dim_unspecified() {
    let text = "
      sdy.mesh @m = <[\"x\"=2]>
      func.func @main(%a: tensor<4xf64>) -> tensor<4xf64> {
        %e = sdy.sharding_constraint %a <@m, [{\"x\"}]> : tensor<4xf64>
        return %e : tensor<4xf64>
      }";
    check(text);
    let text = print(&batched(&parse(text), &[true]));
    assert!(text.contains("sdy.sharding_constraint %a <@m, [{?}, {\"x\"}]> : tensor<3x4xf64>"), "{text}");
}

#[test]
fn functions_without_cases_are_called_as_they_are() {
    let text = "
      func.func private @f(%a: tensor<3xf64>) -> tensor<3xf64> {
        %x = stablehlo.sine %a : tensor<3xf64>
        return %x : tensor<3xf64>
      }
      func.func @main(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
        %x = call @f(%a) : (tensor<3xf64>) -> tensor<3xf64>
        %y = call @f(%b) : (tensor<3xf64>) -> tensor<3xf64>
        %z = stablehlo.add %x, %y : tensor<3xf64>
        return %z : tensor<3xf64>
      }";
    check(text);
    let text = print(&batched(&parse(text), &[true, false]));
    assert_eq!(
        (text.matches("call @f(").count(), text.matches("call @f_batched(").count()),
        (3, 1),
        "{text}"
    );
}

#[test]
fn reductions_of_integers_that_start_somewhere_of_their_own() {
    for op in ["maximum", "minimum", "and", "or", "add"] {
        check(&format!(
            "func.func @main(%x: tensor<2x5xi32>, %i: tensor<i32>) -> tensor<2xi32> {{
               %r = stablehlo.reduce(%x init: %i) applies stablehlo.{op} across dimensions = [1] : (tensor<2x5xi32>, tensor<i32>) -> tensor<2xi32>
               return %r : tensor<2xi32>
             }}"
        ));
    }
}
