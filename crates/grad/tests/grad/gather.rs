//! Ops that look elements up, pick them, or slide over them.

use crate::check::{check, check_once, refused};

fn one(params: &str, result: &str, body: &str) -> String {
    format!("func.func @main({params}) -> {result} {{\n{body}\nreturn %r : {result}\n}}")
}

#[test]
fn dynamic_slices_in_and_out_of_range() {
    for (i, j) in [(1, 0), (9, -3), (2, 1)] {
        check(&one(
            "%a: tensor<5x4xf64>, %u: tensor<2x3xf64>",
            "tensor<2x3xf64>",
            &format!(
                "%i = stablehlo.constant dense<{i}> : tensor<i32>
                 %j = stablehlo.constant dense<{j}> : tensor<i32>
                 %s = stablehlo.sine %a : tensor<5x4xf64>
                 %w = stablehlo.dynamic_update_slice %s, %u, %j, %i : (tensor<5x4xf64>, tensor<2x3xf64>, tensor<i32>, tensor<i32>) -> tensor<5x4xf64>
                 %r = stablehlo.dynamic_slice %w, %i, %j, sizes = [2, 3] : (tensor<5x4xf64>, tensor<i32>, tensor<i32>) -> tensor<2x3xf64>"
            ),
        ));
    }
}

#[test]
fn gathers_of_rows_windows_and_batches_clamp() {
    // Rows, one index out of range on each side, one twice.
    check(&one(
        "%a: tensor<5x3xf64>",
        "tensor<4x3xf64>",
        "%i = stablehlo.constant dense<[[0], [9], [-2], [2]]> : tensor<4x1xi32>
         %s = stablehlo.sine %a : tensor<5x3xf64>
         %r = \"stablehlo.gather\"(%s, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
             start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}>
             : (tensor<5x3xf64>, tensor<4x1xi32>) -> tensor<4x3xf64>",
    ));
    // Windows at two-component indices.
    check(&one(
        "%a: tensor<5x4xf64>",
        "tensor<2x3x2xf64>",
        "%i = stablehlo.constant dense<[[0, 4, 1], [2, -1, 7]]> : tensor<2x3xi32>
         %s = stablehlo.sine %a : tensor<5x4xf64>
         %r = \"stablehlo.gather\"(%s, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2],
             start_index_map = [0, 1], index_vector_dim = 0>, indices_are_sorted = false, slice_sizes = array<i64: 2, 2>}>
             : (tensor<5x4xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>",
    ));
    // A batch, the index vector implied.
    check(&one(
        "%a: tensor<2x5xf64>",
        "tensor<2x3xf64>",
        "%i = stablehlo.constant dense<[[0, 4, 9], [2, 2, -7]]> : tensor<2x3xi32>
         %s = stablehlo.sine %a : tensor<2x5xf64>
         %r = \"stablehlo.gather\"(%s, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1],
             operand_batching_dims = [0], start_indices_batching_dims = [0],
             start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}>
             : (tensor<2x5xf64>, tensor<2x3xi32>) -> tensor<2x3xf64>",
    ));
}

fn scatter(region: &str, unique: bool, indices: &str) -> String {
    one(
        "%a: tensor<5x3xf64>, %u: tensor<4x3xf64>",
        "tensor<5x3xf64>",
        &format!(
            "%i = stablehlo.constant dense<{indices}> : tensor<4x1xi32>
             %s = stablehlo.sine %a : tensor<5x3xf64>
             %v = stablehlo.sine %u : tensor<4x3xf64>
             %r = \"stablehlo.scatter\"(%s, %i, %v) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
                 inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = {unique}}}> ({{
             ^bb0(%x: tensor<f64>, %y: tensor<f64>):
               {region}
             }}) : (tensor<5x3xf64>, tensor<4x1xi32>, tensor<4x3xf64>) -> tensor<5x3xf64>"
        ),
    )
}

fn by(op: &str) -> String {
    format!("%z = stablehlo.{op} %x, %y : tensor<f64>\n stablehlo.return %z : tensor<f64>")
}

const SET: &str = "stablehlo.return %y : tensor<f64>";

#[test]
fn scatters_that_meet_and_drop() {
    for op in ["add", "multiply", "maximum", "minimum"] {
        check_once(&scatter(&by(op), false, "[[0], [9], [2], [2]]"));
        check_once(&scatter(&by(op), true, "[[0], [4], [-1], [2]]"));
    }
    check(&scatter(&by("add"), false, "[[0], [9], [2], [2]]"));
    check(&scatter(SET, false, "[[0], [9], [2], [2]]"));
    check(&scatter(SET, true, "[[0], [4], [-1], [2]]"));
}

#[test]
fn scatters_of_windows_into_batches() {
    check(&one(
        "%a: tensor<2x6x3xf64>, %u: tensor<2x2x2x3xf64>",
        "tensor<2x6x3xf64>",
        "%i = stablehlo.constant dense<[[[0], [5]], [[1], [4]]]> : tensor<2x2x1xi32>
         %v = stablehlo.sine %u : tensor<2x2x2x3xf64>
         %r = \"stablehlo.scatter\"(%a, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3],
             input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
         ^bb0(%x: tensor<f64>, %y: tensor<f64>):
           %z = stablehlo.add %x, %y : tensor<f64>
           stablehlo.return %z : tensor<f64>
         }) : (tensor<2x6x3xf64>, tensor<2x2x1xi32>, tensor<2x2x2x3xf64>) -> tensor<2x6x3xf64>",
    ));
}

#[test]
fn scatters_of_two_inputs_are_refused() {
    let found = refused(
        "func.func @main(%a: tensor<5xf64>, %u: tensor<2xf64>) -> (tensor<5xf64>, tensor<5xf64>) {
         %i = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi32>
         %r:2 = \"stablehlo.scatter\"(%a, %a, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
             inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
         ^bb0(%x: tensor<f64>, %p: tensor<f64>, %y: tensor<f64>, %q: tensor<f64>):
           %z = stablehlo.add %x, %y : tensor<f64>
           %w = stablehlo.add %p, %q : tensor<f64>
           stablehlo.return %z, %w : tensor<f64>, tensor<f64>
         }) : (tensor<5xf64>, tensor<5xf64>, tensor<2x1xi32>, tensor<2xf64>, tensor<2xf64>) -> (tensor<5xf64>, tensor<5xf64>)
         return %r#0, %r#1 : tensor<5xf64>, tensor<5xf64> }",
    );
    assert!(found.contains("scatter has no derivative"), "{found}");
}

#[test]
fn sorts_of_one_and_several_operands() {
    for dim in [0, 1] {
        check(&one(
            "%a: tensor<4x5xf64>",
            "tensor<4x5xf64>",
            &format!(
                "%x = stablehlo.sine %a : tensor<4x5xf64>
                 %r = \"stablehlo.sort\"(%x) <{{dimension = {dim} : i64, is_stable = true}}> ({{
                 ^bb0(%p: tensor<f64>, %q: tensor<f64>):
                   %lt = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
                   stablehlo.return %lt : tensor<i1>
                 }}) : (tensor<4x5xf64>) -> tensor<4x5xf64>"
            ),
        ));
    }
    check(
        "func.func @main(%a: tensor<6xf64>, %b: tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>) {
           %i = stablehlo.iota dim = 0 : tensor<6xi32>
           %y = stablehlo.sine %b : tensor<6xf64>
           %r:3 = \"stablehlo.sort\"(%a, %i, %y) <{dimension = 0 : i64, is_stable = true}> ({
           ^bb0(%p: tensor<f64>, %q: tensor<f64>, %j: tensor<i32>, %k: tensor<i32>, %s: tensor<f64>, %t: tensor<f64>):
             %gt = stablehlo.compare GT, %p, %q, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
             stablehlo.return %gt : tensor<i1>
           }) : (tensor<6xf64>, tensor<6xi32>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xi32>, tensor<6xf64>)
           %m = stablehlo.multiply %r#0, %r#2 : tensor<6xf64>
           return %m, %r#2 : tensor<6xf64>, tensor<6xf64>
         }",
    );
}

#[test]
fn top_k_and_argmax_values() {
    check(&one(
        "%a: tensor<3x6xf64>",
        "tensor<3x2xf64>",
        "%x = stablehlo.sine %a : tensor<3x6xf64>
         %r, %i = chlo.top_k(%x, k = 2) : tensor<3x6xf64> -> (tensor<3x2xf64>, tensor<3x2xi32>)",
    ));
    for iota in [
        "%i = stablehlo.iota dim = 1 : tensor<3x6xi32>",
        "%k = stablehlo.iota dim = 0 : tensor<6xi32>
         %i = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<6xi32>) -> tensor<3x6xi32>",
    ] {
        check(&argmax(iota));
    }
}

/// The largest of each row, with its position.
fn argmax(iota: &str) -> String {
    let body = format!(
        "%x = stablehlo.sine %a : tensor<3x6xf64>
         {iota}
         %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
         %none = stablehlo.constant dense<0> : tensor<i32>
         %r, %j = stablehlo.reduce(%x init: %low), (%i init: %none) across dimensions = [1]
            : (tensor<3x6xf64>, tensor<3x6xi32>, tensor<f64>, tensor<i32>) -> (tensor<3xf64>, tensor<3xi32>)
          reducer(%p: tensor<f64>, %q: tensor<f64>) (%m: tensor<i32>, %n: tensor<i32>)  {{
            %gt = stablehlo.compare GT, %p, %q, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
            %v = stablehlo.select %gt, %p, %q : tensor<i1>, tensor<f64>
            %w = stablehlo.select %gt, %m, %n : tensor<i1>, tensor<i32>
            stablehlo.return %v, %w : tensor<f64>, tensor<i32>
          }}"
    );
    one("%a: tensor<3x6xf64>", "tensor<3xf64>", &body)
}

fn windowed(op: &str, init: &str, attributes: &str, to: &str) -> String {
    one(
        "%a: tensor<7x5xf64>",
        &format!("tensor<{to}xf64>"),
        &format!(
            "%i = stablehlo.constant dense<{init}> : tensor<f64>
             %x = stablehlo.sine %a : tensor<7x5xf64>
             %r = \"stablehlo.reduce_window\"(%x, %i) <{{{attributes}}}> ({{
             ^bb0(%p: tensor<f64>, %q: tensor<f64>):
               %z = stablehlo.{op} %p, %q : tensor<f64>
               stablehlo.return %z : tensor<f64>
             }}) : (tensor<7x5xf64>, tensor<f64>) -> tensor<{to}xf64>"
        ),
    )
}

#[test]
fn window_sums_with_every_attribute() {
    for (attributes, to) in [
        ("window_dimensions = array<i64: 3, 2>", "5x4"),
        ("window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 3>", "3x2"),
        ("window_dimensions = array<i64: 3, 1>, padding = dense<[[2, 1], [-1, 0]]> : tensor<2x2xi64>", "8x4"),
        ("window_dimensions = array<i64: 2, 2>, base_dilations = array<i64: 2, 3>", "12x12"),
        ("window_dimensions = array<i64: 3, 2>, window_dilations = array<i64: 2, 3>", "3x2"),
        (
            "window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 3>, base_dilations = array<i64: 3, 2>, \
             window_dilations = array<i64: 2, 1>, padding = dense<[[1, 2], [3, -1]]> : tensor<2x2xi64>",
            "9x4",
        ),
        ("window_dimensions = array<i64: 7, 1>, padding = dense<[[6, 0], [0, 0]]> : tensor<2x2xi64>", "7x5"),
    ] {
        check(&windowed("add", "0.0", attributes, to));
    }
}

#[test]
fn window_extrema_and_products() {
    for (op, init) in [("maximum", "0xFFF0000000000000"), ("minimum", "0x7FF0000000000000")] {
        for (attributes, to) in [
            ("window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 2>", "3x2"),
            (
                "window_dimensions = array<i64: 3, 2>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>",
                "7x5",
            ),
            (
                "window_dimensions = array<i64: 7, 1>, padding = dense<[[6, 0], [0, 0]]> : tensor<2x2xi64>",
                "7x5",
            ),
        ] {
            check(&windowed(op, init, attributes, to));
        }
        for (attributes, to) in [
            ("window_dimensions = array<i64: 2, 2>, window_dilations = array<i64: 2, 3>", "5x2"),
            (
                "window_dimensions = array<i64: 3, 2>, base_dilations = array<i64: 2, 1>, window_strides = array<i64: 1, 2>, \
                 padding = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>",
                "12x3",
            ),
        ] {
            check_once(&windowed(op, init, attributes, to));
        }
    }
    check(&windowed(
        "maximum",
        "0.3",
        "window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 2>",
        "3x2",
    ));
    check_once(&windowed(
        "multiply",
        "1.0",
        "window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>",
        "3x4",
    ));
}

#[test]
fn select_and_scatter_by_its_source() {
    check(&one(
        "%a: tensor<6x4xf64>, %s: tensor<3x2xf64>, %i: tensor<f64>",
        "tensor<6x4xf64>",
        "%x = stablehlo.sine %s : tensor<3x2xf64>
         %r = \"stablehlo.select_and_scatter\"(%a, %x, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
         ^bb0(%p: tensor<f64>, %q: tensor<f64>):
           %ge = stablehlo.compare GE, %p, %q, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
           stablehlo.return %ge : tensor<i1>
         }, {
         ^bb0(%p: tensor<f64>, %q: tensor<f64>):
           %z = stablehlo.add %p, %q : tensor<f64>
           stablehlo.return %z : tensor<f64>
         }) : (tensor<6x4xf64>, tensor<3x2xf64>, tensor<f64>) -> tensor<6x4xf64>",
    ));
}
