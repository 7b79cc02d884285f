//! Gathers, scatters, sorts, running folds, reductions and loops beside the interpreter, with the same bits on one and
//! on two workers, in sizes that are uneven, one, none, and more than one piece.

use crate::support;

use meshwright_base::SourceText;
use meshwright_interp::{Style, random_inputs, run_global};
use support::{launch, same_enough};

/// `Natural`: floats as they come; `SmallInts`: sums and products of them are exact, and many are equal.
fn check(text: &str, style: Style) {
    let module = meshwright_text::parse(&SourceText::new("op.mlir", text)).unwrap_or_else(|all| {
        panic!("{}\n{text}", all.first().map_or(String::new(), |found| found.to_string()))
    });
    let inputs = random_inputs(&module, 7, style).unwrap();
    let expected = run_global(&module, &inputs).unwrap();
    let one = launch(module.clone(), &inputs, 1);
    assert_eq!(one.bytes, launch(module, &inputs, 2).bytes, "one and two workers differ\n{text}");
    let exact = style == Style::SmallInts;
    if let Some(why) = same_enough(&one, &expected[0], exact) {
        panic!("{why}\n{text}");
    }
}

fn ty(dims: &[usize], element: &str) -> String {
    let dims: String = dims.iter().map(|dim| format!("{dim}x")).collect();
    format!("tensor<{dims}{element}>")
}

/// A function of some parameters.
fn main(params: &[String], result: &str, body: &str) -> String {
    let params: Vec<String> =
        params.iter().enumerate().map(|(i, ty)| format!("%{}: {ty}", ["a", "b", "c"][i])).collect();
    format!("func.func @main({}) -> {result} {{\n{body}\n  return %r : {result}\n}}\n", params.join(", "))
}

#[test]
fn gathers_take_rows_elements_and_windows() {
    for element in ["f32", "bf16", "f64", "i8"] {
        for (count, row) in [(1, 1), (7, 3), (5, 0), (0, 4), (300, 513), (40_000, 1)] {
            let (x, i, r) = (ty(&[11, row], element), ty(&[count], "i32"), ty(&[count, row], element));
            let body = format!(
                "  %r = \"stablehlo.gather\"(%a, %b) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, {row}>}}> : ({x}, {i}) -> {r}"
            );
            check(&main(&[x, i], &r, &body), Style::Natural);
        }
    }
    // One element of each row; a window in the middle of both dims, read from a transposed operand.
    let body = "  %r = \"stablehlo.gather\"(%a, %b) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<9x13xf32>, tensor<9x5x1xui32>) -> tensor<9x5xf32>";
    check(&main(&[ty(&[9, 13], "f32"), ty(&[9, 5, 1], "ui32")], &ty(&[9, 5], "f32"), body), Style::Natural);
    let body = "  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<13x9xf32>) -> tensor<9x13xf32>\n  %r = \"stablehlo.gather\"(%t, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 0>, slice_sizes = array<i64: 3, 4>}> : (tensor<9x13xf32>, tensor<2x5xi64>) -> tensor<5x3x4xf32>";
    check(&main(&[ty(&[13, 9], "f32"), ty(&[2, 5], "i64")], &ty(&[5, 3, 4], "f32"), body), Style::Natural);
}

fn scatter(element: &str, (count, row): (usize, usize), region: &str) -> String {
    let (x, i, u) = (ty(&[11, row], element), ty(&[count], "i32"), ty(&[count, row], element));
    let scalar = ty(&[], element);
    let body = format!(
        "  %r = \"stablehlo.scatter\"(%a, %b, %c) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{\n  ^bb0(%x: {scalar}, %y: {scalar}):\n{region}\n    stablehlo.return %z : {scalar}\n  }}) : ({x}, {i}, {u}) -> {x}"
    );
    main(&[x.clone(), i, u], &x, &body)
}

#[test]
fn scatters_meet_in_order() {
    for element in ["f32", "bf16", "f16", "f64", "i32", "i16", "ui64"] {
        let scalar = ty(&[], element);
        let of = |op: &str| format!("    %z = stablehlo.{op} %x, %y : {scalar}");
        let second = format!("    %z = stablehlo.maximum %y, %y : {scalar}");
        let half = format!(
            "    %w = stablehlo.subtract %y, %x : {scalar}\n    %z = stablehlo.add %w, %w : {scalar}"
        );
        for region in [of("add"), of("maximum"), of("minimum"), second, half] {
            for sizes in [(1, 1), (6, 3), (0, 5), (4, 0), (70, 1), (40, 1111)] {
                if sizes.0 < 41 || sizes.1 == 1 {
                    check(&scatter(element, sizes, &region), Style::SmallInts);
                }
            }
        }
    }
    check(&scatter("f32", (500, 600), "    %z = stablehlo.add %x, %y : tensor<f32>"), Style::Natural);
    check(&scatter("i1", (30, 40), "    %z = stablehlo.or %x, %y : tensor<i1>"), Style::Natural);
    // Windows that overlap: the order of the updates decides.
    let body = "  %r = \"stablehlo.scatter\"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    stablehlo.return %y : tensor<f32>\n  }) : (tensor<9x700xf32>, tensor<300xi32>, tensor<300x3x700xf32>) -> tensor<9x700xf32>";
    check(
        &main(
            &[ty(&[9, 700], "f32"), ty(&[300], "i32"), ty(&[300, 3, 700], "f32")],
            &ty(&[9, 700], "f32"),
            body,
        ),
        Style::Natural,
    );
}

/// Two operands sorted by a comparator over `%a0`, `%b0` (the first) and `%a1`, `%b1`; the result is one of them.
fn sort(dims: [usize; 2], dim: usize, elements: [&str; 2], comparator: &str, result: usize) -> String {
    let types = elements.map(|element| ty(&dims, element));
    let [x, y] = elements.map(|element| ty(&[], element));
    let [first, second] = &types;
    let body = format!(
        "  %s:2 = \"stablehlo.sort\"(%a, %b) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n  ^bb0(%a0: {x}, %b0: {x}, %a1: {y}, %b1: {y}):\n{comparator}\n    stablehlo.return %p : tensor<i1>\n  }}) : ({first}, {second}) -> ({first}, {second})\n  %r = stablehlo.reshape %s#{result} : ({own}) -> {own}",
        own = types[result]
    );
    main(&types, &types[result], &body)
}

#[test]
fn sorts_keep_the_order_of_equals() {
    let compare = |how: &str, kind: &str, element: &str, to: &str, (a, b): (&str, &str)| {
        format!(
            "    %{to} = stablehlo.compare {how}, %{a}, %{b}, {kind} : (tensor<{element}>, tensor<{element}>) -> tensor<i1>\n"
        )
    };
    let kinds = [
        ("f32", "FLOAT"),
        ("f32", "TOTALORDER"),
        ("bf16", "FLOAT"),
        ("f64", "TOTALORDER"),
        ("i32", "SIGNED"),
        ("i8", "SIGNED"),
        ("ui64", "UNSIGNED"),
        ("i64", "SIGNED"),
    ];
    for (element, kind) in kinds {
        let simple = [
            compare("LT", kind, element, "p", ("a0", "b0")),
            compare("GT", kind, element, "p", ("a0", "b0")),
            compare("GT", kind, element, "p", ("b0", "a0")),
            // No order by keys.
            compare("LE", kind, element, "p", ("a0", "b0")),
        ];
        for comparator in simple {
            for (dims, dim) in
                [([1, 1], 0), ([3, 17], 1), ([17, 3], 0), ([0, 4], 0), ([4, 0], 1), ([2, 3000], 1)]
            {
                let style = if element.starts_with('u') { Style::Natural } else { Style::SmallInts };
                check(&sort(dims, dim, [element, "i32"], &comparator, 1), style);
                check(&sort(dims, dim, [element, "i32"], &comparator, 0), style);
            }
        }
    }
    let two = [
        compare("LT", "SIGNED", "i32", "l", ("a0", "b0")),
        compare("EQ", "SIGNED", "i32", "e", ("a0", "b0")),
        "    %x = stablehlo.negate %a1 : tensor<f32>\n    %y = stablehlo.negate %b1 : tensor<f32>\n"
            .to_string(),
        compare("GT", "FLOAT", "f32", "m", ("x", "y")),
        "    %n = stablehlo.and %e, %m : tensor<i1>\n    %p = stablehlo.or %l, %n : tensor<i1>".to_string(),
    ];
    for result in [0, 1] {
        check(&sort([40, 90], 0, ["i32", "f32"], &two.concat(), result), Style::Natural);
        check(&sort([4, 900], 1, ["i32", "f32"], &two.concat(), result), Style::SmallInts);
        // Rows that all workers sort together.
        check(&sort([40_000, 2], 0, ["i32", "f32"], &two.concat(), result), Style::SmallInts);
        for (element, kind) in [("f32", "FLOAT"), ("f64", "TOTALORDER"), ("ui64", "UNSIGNED")] {
            let descending = compare("GT", kind, element, "p", ("a0", "b0"));
            check(&sort([2, 70_001], 1, [element, "i32"], &descending, result), Style::Natural);
        }
    }
}

#[test]
fn the_best_come_first() {
    for element in ["f32", "bf16", "f64", "i32", "ui8"] {
        for (rows, size, k) in
            [(1, 1, 1), (3, 7, 0), (3, 7, 7), (0, 5, 2), (5, 2000, 2), (5, 2000, 40), (2, 3000, 2999)]
        {
            let (x, v, i) = (ty(&[rows, size], element), ty(&[rows, k], element), ty(&[rows, k], "i32"));
            for (result, own) in [(0, &v), (1, &i)] {
                let body = format!(
                    "  %t:2 = chlo.top_k(%a, k = {k}) : {x} -> ({v}, {i})\n  %r = stablehlo.reshape %t#{result} : ({own}) -> {own}"
                );
                check(&main(std::slice::from_ref(&x), own, &body), Style::SmallInts);
            }
        }
    }
}

#[test]
fn running_folds_go_either_way() {
    let softplus = "      %m = stablehlo.maximum %x, %y : tensor<f32>\n      %d = stablehlo.subtract %x, %y : tensor<f32>\n      %e = stablehlo.abs %d : tensor<f32>\n      %n = stablehlo.negate %e : tensor<f32>\n      %o = stablehlo.exponential %n : tensor<f32>\n      %l = stablehlo.log_plus_one %o : tensor<f32>\n      %z = stablehlo.add %m, %l : tensor<f32>";
    let of = |op: &str, element: &str| format!("      %z = stablehlo.{op} %x, %y : tensor<{element}>");
    let folds = [
        ("f32", "0.0", of("add", "f32")),
        ("bf16", "0.0", of("add", "bf16")),
        ("f16", "0.0", of("add", "f16")),
        ("f32", "1.0", of("multiply", "f32")),
        ("f32", "0xFF800000", of("maximum", "f32")),
        ("i32", "-2147483648", of("maximum", "i32")),
        ("i16", "32767", of("minimum", "i16")),
        ("ui8", "255", of("and", "ui8")),
        ("f32", "-1.0e30", softplus.to_string()),
    ];
    for (element, init, region) in folds {
        for dims in [[1, 1, 1], [2, 5, 3], [9, 7, 1], [3, 40, 300], [700, 3, 1], [2, 0, 3]] {
            for reverse in [false, true] {
                let n = dims[1];
                let (low, high) = if reverse { (0, n.max(1) - 1) } else { (n.max(1) - 1, 0) };
                let (x, scalar) = (ty(&dims, element), ty(&[], element));
                let body = format!(
                    "  %i = stablehlo.constant dense<{init}> : {scalar}\n  %r = \"stablehlo.reduce_window\"(%a, %i) <{{padding = dense<[[0, 0], [{low}, {high}], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, {}, 1>}}> ({{\n    ^bb0(%x: {scalar}, %y: {scalar}):\n{region}\n      stablehlo.return %z : {scalar}\n    }}) : ({x}, {scalar}) -> {x}",
                    n.max(1)
                );
                let exact = element.starts_with(['i', 'u'])
                    || region.contains("maximum %x, %y : tensor<f32>\n      stable");
                let style = if exact || n > 9 && region.contains("multiply") {
                    Style::SmallInts
                } else {
                    Style::Natural
                };
                if !(n > 9 && (region.contains("multiply") || element.len() > 3 || element == "f16")) {
                    check(&main(&[x], &ty(&dims, element), &body), style);
                }
            }
        }
    }
}

#[test]
fn reductions_over_any_dims() {
    let folds = [
        ("f32", "add", "0.0"),
        ("f32", "maximum", "0xFF800000"),
        ("bf16", "add", "0.0"),
        ("bf16", "minimum", "0x7F80"),
        ("f16", "maximum", "0xFC00"),
        ("f64", "add", "2.0"),
        ("i32", "add", "3"),
        ("i8", "maximum", "-128"),
        ("i1", "or", "false"),
        ("i1", "and", "true"),
        ("ui32", "xor", "0"),
        ("i64", "minimum", "5"),
    ];
    let axes: [&[usize]; 6] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[0, 1, 2]];
    for (element, op, init) in folds {
        for dims in
            [[1, 1, 1], [3, 5, 7], [4, 0, 9], [300, 9, 17], [2, 70, 600], [5000, 1, 12], [70_000, 1, 9]]
        {
            if dims[0] > 999 && !["f32", "bf16", "i1"].contains(&element) {
                continue;
            }
            for axes in axes {
                let kept: Vec<usize> = (0..3).filter(|d| !axes.contains(d)).map(|d| dims[d]).collect();
                let (x, scalar, r) = (ty(&dims, element), ty(&[], element), ty(&kept, element));
                let body = format!(
                    "  %i = stablehlo.constant dense<{init}> : {scalar}\n  %r = stablehlo.reduce(%a init: %i) applies stablehlo.{op} across dimensions = {axes:?} : ({x}, {scalar}) -> {r}"
                );
                let style = if op == "add" && element == "f32" { Style::Natural } else { Style::SmallInts };
                let sums =
                    op == "add" && ["bf16"].contains(&element) && dims.iter().product::<usize>() > 9999;
                if !(sums || style == Style::Natural && dims[0] > 9999) {
                    check(&main(&[x], &r, &body), style);
                }
            }
        }
    }
}

/// A loop that carries an array and a row, and writes rows of the array.
fn carrying(body: &str) -> String {
    main(
        &[ty(&[9, 33], "f32"), ty(&[1, 33], "f32")],
        &ty(&[9, 33], "f32"),
        &format!(
            "  %n = stablehlo.constant dense<0> : tensor<i32>\n  %w:3 = stablehlo.while(%i = %n, %x = %a, %y = %b) : tensor<i32>, tensor<9x33xf32>, tensor<1x33xf32>\n  cond {{\n    %k = stablehlo.constant dense<7> : tensor<i32>\n    %p = stablehlo.compare LT, %i, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }} do {{\n    %one = stablehlo.constant dense<1> : tensor<i32>\n    %zero = stablehlo.constant dense<0> : tensor<i32>\n    %next = stablehlo.add %i, %one : tensor<i32>\n{body}\n  }}\n  %r = stablehlo.add %w#1, %w#1 : tensor<9x33xf32>"
        ),
    )
}

#[test]
fn loops_write_their_state_where_it_lies_if_nobody_needs_the_old_one() {
    let (array, row) = (ty(&[9, 33], "f32"), ty(&[1, 33], "f32"));
    let update = |x: &str, y: &str, to: &str| {
        format!(
            "    %{to} = stablehlo.dynamic_update_slice %{x}, %{y}, %i, %zero : ({array}, {row}, tensor<i32>, tensor<i32>) -> {array}\n"
        )
    };
    let slice = |x: &str, to: &str| {
        format!(
            "    %{to} = stablehlo.dynamic_slice %{x}, %next, %zero, sizes = [1, 33] : ({array}, tensor<i32>, tensor<i32>) -> {row}\n"
        )
    };
    let back =
        |x: &str, y: &str| format!("    stablehlo.return %next, %{x}, %{y} : tensor<i32>, {array}, {row}");
    let add = |a: &str, b: &str, to: &str, ty: &str| format!("    %{to} = stablehlo.add %{a}, %{b} : {ty}\n");
    let turn = |x: &str, to: &str| format!("    %{to} = stablehlo.reverse %{x}, dims = [1] : {array}\n");
    let bodies = [
        update("x", "y", "u") + &slice("u", "v") + &add("y", "v", "z", &row) + &back("u", "z"),
        // The old array is read after the update.
        update("x", "y", "u") + &slice("x", "v") + &add("y", "v", "z", &row) + &back("u", "z"),
        // It is read in another order by what takes its place.
        turn("x", "t") + &add("x", "t", "u", &array) + &slice("u", "v") + &back("u", "v"),
        turn("x", "t") + &update("t", "y", "u") + &slice("x", "v") + &back("u", "v"),
        // Twice the same, and a row that is read after it is made anew.
        update("x", "y", "u")
            + &update("u", "y", "t")
            + &add("u", "x", "s", &array)
            + &slice("s", "v")
            + &back("t", "v"),
        add("y", "y", "z", &row) + &update("x", "y", "u") + &back("u", "z"),
    ];
    for body in bodies {
        check(&carrying(&body), Style::SmallInts);
    }
    // What one turn makes of each is the other's in the next.
    let swap = "  %n = stablehlo.constant dense<0> : tensor<i32>\n  %w:3 = stablehlo.while(%i = %n, %x = %a, %y = %b) : tensor<i32>, tensor<600xf32>, tensor<600xf32>\n  cond {\n    %k = stablehlo.constant dense<5> : tensor<i32>\n    %p = stablehlo.compare LT, %i, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  } do {\n    %one = stablehlo.constant dense<1> : tensor<i32>\n    %next = stablehlo.add %i, %one : tensor<i32>\n    %s = stablehlo.add %x, %y : tensor<600xf32>\n    %d = stablehlo.subtract %x, %y : tensor<600xf32>\n    stablehlo.return %next, %d, %s : tensor<i32>, tensor<600xf32>, tensor<600xf32>\n  }\n  %r = stablehlo.add %w#1, %w#2 : tensor<600xf32>";
    check(&main(&[ty(&[600], "f32"), ty(&[600], "f32")], &ty(&[600], "f32"), swap), Style::SmallInts);
}

#[test]
fn transforms_of_lines_of_any_length() {
    for (dims, lengths) in [
        (vec![3, 8], vec![8]),
        (vec![1, 1], vec![1]),
        (vec![40, 12], vec![12]),
        (vec![2, 74], vec![74]),
        (vec![5, 6, 9], vec![6, 9]),
        (vec![4, 3, 10], vec![4, 3, 10]),
        (vec![33, 2], vec![2]),
    ] {
        let half: Vec<usize> =
            dims.iter().enumerate().map(|(d, n)| if d + 1 == dims.len() { n / 2 + 1 } else { *n }).collect();
        for (wide, part) in [("complex<f32>", "f32"), ("complex<f64>", "f64")] {
            let shapes = [
                ("FFT", &dims, wide, &dims, wide),
                ("IFFT", &dims, wide, &dims, wide),
                ("RFFT", &dims, part, &half, wide),
                ("IRFFT", &half, wide, &dims, part),
            ];
            for (kind, from, taken, to, made) in shapes {
                let (x, r) = (ty(from, taken), ty(to, made));
                let body =
                    format!("  %r = stablehlo.fft %a, type = {kind}, length = {lengths:?} : ({x}) -> {r}");
                check(&main(&[x], &r, &body), Style::Natural);
            }
        }
    }
}

#[test]
fn factors_and_systems() {
    for element in ["f32", "f64"] {
        for (batch, n, count) in [(1, 1, 1), (3, 2, 5), (2, 7, 70), (0, 3, 2), (2, 40, 3)] {
            let a = ty(&[batch, n, n], element);
            let scaled = format!(
                "  %k = stablehlo.constant dense<0.01> : {a}\n  %i = stablehlo.iota dim = 1 : tensor<{batch}x{n}x{n}xi32>\n  %j = stablehlo.iota dim = 2 : tensor<{batch}x{n}x{n}xi32>\n  %e = stablehlo.compare EQ, %i, %j, SIGNED : (tensor<{batch}x{n}x{n}xi32>, tensor<{batch}x{n}x{n}xi32>) -> tensor<{batch}x{n}x{n}xi1>\n  %two = stablehlo.constant dense<2.0> : {a}\n  %s = stablehlo.multiply %a, %k : {a}\n  %m = stablehlo.select %e, %two, %s : tensor<{batch}x{n}x{n}xi1>, {a}\n"
            );
            for lower in [true, false] {
                let body = format!("{scaled}  %r = stablehlo.cholesky %m, lower = {lower} : {a}");
                check(&main(std::slice::from_ref(&a), &a, &body), Style::Natural);
                for (left, unit, how) in [
                    (true, false, "NO_TRANSPOSE"),
                    (true, true, "TRANSPOSE"),
                    (false, false, "NO_TRANSPOSE"),
                    (false, true, "ADJOINT"),
                    (true, false, "TRANSPOSE"),
                ] {
                    let b =
                        if left { ty(&[batch, n, count], element) } else { ty(&[batch, count, n], element) };
                    let body = format!(
                        "{scaled}  %r = \"stablehlo.triangular_solve\"(%m, %b) <{{left_side = {left}, lower = {lower}, unit_diagonal = {unit}, transpose_a = #stablehlo<transpose {how}>}}> : ({a}, {b}) -> {b}"
                    );
                    check(&main(&[a.clone(), b.clone()], &b, &body), Style::Natural);
                }
            }
        }
    }
    // No factor: all is NaN.
    check(
        &main(
            &[ty(&[3, 3], "f32")],
            &ty(&[3, 3], "f32"),
            "  %n = stablehlo.negate %a : tensor<3x3xf32>\n  %m = stablehlo.abs %n : tensor<3x3xf32>\n  %k = stablehlo.negate %m : tensor<3x3xf32>\n  %r = stablehlo.cholesky %k, lower = true : tensor<3x3xf32>",
        ),
        Style::Natural,
    );
}

#[test]
fn random_bits_of_any_shape() {
    for algorithm in ["THREE_FRY", "PHILOX"] {
        for element in ["ui32", "ui64", "ui8", "ui16"] {
            let small = [vec![], vec![1], vec![7], vec![5, 4, 3], vec![3, 5], vec![0, 4], vec![3, 0]];
            for dims in small.into_iter().chain([vec![50_001], vec![40_002], vec![130, 397], vec![2, 20_000]])
            {
                let bits = ty(&dims, element);
                let body = format!(
                    "  %s, %r = stablehlo.rng_bit_generator %a, algorithm = {algorithm} : (tensor<2xui64>) -> (tensor<2xui64>, {bits})"
                );
                check(&main(&["tensor<2xui64>".to_string()], &bits, &body), Style::Natural);
            }
        }
    }
}

#[test]
fn places_of_extremes() {
    for (element, kind, least, most) in [
        ("f32", "FLOAT", "0xFF800000", "0x7F800000"),
        ("bf16", "FLOAT", "0xFF80", "0x7F80"),
        ("i32", "SIGNED", "-2147483648", "2147483647"),
        ("i8", "SIGNED", "-128", "127"),
        ("f64", "FLOAT", "0xFFF0000000000000", "0x7FF0000000000000"),
    ] {
        for (how, init) in [("GT", least), ("LT", most)] {
            for (dims, dim) in [
                ([1, 1], 0),
                ([9, 17], 1),
                ([17, 9], 0),
                ([5, 2000], 1),
                ([600, 700], 0),
                ([2, 70_000], 1),
                ([3, 3], 1),
            ] {
                if dims[1] > 9999 && element != "f32" {
                    continue;
                }
                let (x, places, scalar) = (ty(&dims, element), ty(&dims, "i32"), ty(&[], element));
                let kept = [dims[1 - dim]];
                let (value, r) = (ty(&kept, element), ty(&kept, "i32"));
                let (int, p) = ("tensor<i32>", "tensor<i1>");
                let body = format!(
                    "  %i = stablehlo.iota dim = {dim} : {places}\n  %m = stablehlo.constant dense<{init}> : {scalar}\n  %z = stablehlo.constant dense<0> : {int}\n  %o:2 = stablehlo.reduce(%a init: %m), (%i init: %z) across dimensions = [{dim}] : ({x}, {places}, {scalar}, {int}) -> ({value}, {r})\n   reducer(%x: {scalar}, %y: {scalar}) (%j: {int}, %k: {int}) {{\n    %g = stablehlo.compare {how}, %x, %y, {kind} : ({scalar}, {scalar}) -> {p}\n    %n = stablehlo.compare NE, %x, %x, {kind} : ({scalar}, {scalar}) -> {p}\n    %b = stablehlo.or %g, %n : {p}\n    %e = stablehlo.compare EQ, %x, %y, {kind} : ({scalar}, {scalar}) -> {p}\n    %l = stablehlo.compare LT, %j, %k, SIGNED : ({int}, {int}) -> {p}\n    %t = stablehlo.and %e, %l : {p}\n    %f = stablehlo.or %b, %t : {p}\n    %v = stablehlo.select %b, %x, %y : {p}, {scalar}\n    %w = stablehlo.select %f, %j, %k : {p}, {int}\n    stablehlo.return %v, %w : {scalar}, {int}\n  }}\n  %r = stablehlo.reshape %o#1 : ({r}) -> {r}"
                );
                check(&main(std::slice::from_ref(&x), &r, &body), Style::SmallInts);
                check(&main(std::slice::from_ref(&x), &r, &body), Style::Natural);
                if kind == "FLOAT" && dims[1] < 9999 {
                    // What is no number comes first.
                    let broken = body.replace("(%a init", "(%q init");
                    let broken = format!(
                        "  %s = stablehlo.sqrt %a : {x}\n  %q = stablehlo.add %s, %s : {x}\n{broken}"
                    );
                    check(&main(&[x], &r, &broken), Style::Natural);
                }
            }
        }
    }
}

#[test]
fn sums_of_what_was_widened() {
    for axes in [vec![0], vec![1], vec![0, 1]] {
        let kept: Vec<usize> = (0..2).filter(|d| !axes.contains(d)).map(|d| [90, 33][d]).collect();
        let r = ty(&kept, "f32");
        let body = format!(
            "  %z = stablehlo.constant dense<1.0> : tensor<f32>\n  %w = stablehlo.convert %a : (tensor<90x33xbf16>) -> tensor<90x33xf32>\n  %r = stablehlo.reduce(%w init: %z) applies stablehlo.add across dimensions = {axes:?} : (tensor<90x33xf32>, tensor<f32>) -> {r}"
        );
        check(&main(&[ty(&[90, 33], "bf16")], &r, &body), Style::Natural);
    }
}

#[test]
fn the_inverse_error_function_to_its_ends() {
    for element in ["f32", "bf16", "f16"] {
        let x = ty(&[3000], element);
        let body = format!("  %t = stablehlo.tanh %a : {x}\n  %r = chlo.erf_inv %t : {x} -> {x}");
        check(&main(std::slice::from_ref(&x), &x, &body), Style::Natural);
        let body = format!("  %r = chlo.erf_inv %a : {x} -> {x}");
        check(&main(std::slice::from_ref(&x), &x, &body), Style::SmallInts);
    }
}

#[test]
fn gradients_of_pooling() {
    for (dims, sizes, strides, pads) in [
        ([2, 7, 9, 5], [1, 3, 3, 1], [1, 2, 2, 1], [[0, 0], [1, 1], [0, 1], [0, 0]]),
        ([3, 4, 6, 300], [1, 2, 2, 1], [1, 2, 1, 1], [[0, 0]; 4]),
        ([1, 5, 1, 8], [1, 2, 1, 3], [1, 1, 1, 2], [[0, 0], [0, 1], [0, 0], [1, 1]]),
        ([4, 6, 3, 1], [2, 2, 1, 1], [2, 3, 1, 1], [[0, 0]; 4]),
    ] {
        let out: Vec<usize> =
            (0..4).map(|d| (dims[d] + pads[d][0] + pads[d][1] - sizes[d]) / strides[d] + 1).collect();
        for how in ["GE", "LT"] {
            let (x, s) = (ty(&dims, "f32"), ty(&out, "f32"));
            let body = format!(
                "  %z = stablehlo.constant dense<0.5> : tensor<f32>\n  %r = \"stablehlo.select_and_scatter\"(%a, %b, %z) <{{padding = dense<{pads:?}> : tensor<4x2xi64>, window_dimensions = array<i64: {}>, window_strides = array<i64: {}>}}> ({{\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %p = stablehlo.compare {how}, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }}, {{\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %p = stablehlo.add %x, %y : tensor<f32>\n    stablehlo.return %p : tensor<f32>\n  }}) : ({x}, {s}, tensor<f32>) -> {x}",
                join(&sizes),
                join(&strides)
            );
            check(&main(&[x.clone(), s], &x, &body), Style::SmallInts);
        }
    }
}

fn join(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

#[test]
fn short_rows_are_copied() {
    for n in [1, 2, 3, 4, 5, 8, 15, 16] {
        for element in ["f32", "i8", "bf16", "complex<f64>"] {
            let (x, y, r) =
                (ty(&[2, 9000, n], element), ty(&[2, 9000, 1], element), ty(&[2, 9000, n + 1], element));
            let body = format!(
                "  %c = stablehlo.reverse %a, dims = [2] : {x}\n  %r = stablehlo.concatenate %c, %b, dim = 2 : ({x}, {y}) -> {r}"
            );
            check(&main(&[x, y], &r, &body), Style::SmallInts);
        }
    }
}
