//! Ops that the front end does not write itself, in modules of other origin that are called in the trace: further ops,
//! and further attributes of those it has.

use crate::gradients::check::In::{Apart, C, F, I};
use crate::gradients::check::{In, Row, row};
use meshwright::prelude::*;
use meshwright::{Cut, parse};

/// A module as a row; its parameters are the inputs.
fn text(name: &'static str, inputs: &[In], text: &str) -> Row {
    let module = parse(name, text).unwrap_or_else(|error| panic!("{name}: {error}"));
    row(name, inputs, move |x| module.call(x.to_vec()))
}

/// A function of tensors with these types and one result `%r`.
fn one(name: &'static str, inputs: &[In], result: &str, body: &str) -> Row {
    let params: Vec<String> =
        inputs.iter().enumerate().map(|(at, input)| format!("%x{at}: {}", input.words())).collect();
    let whole =
        format!("func.func @main({}) -> {result} {{\n{body}\nreturn %r : {result}\n}}", params.join(", "));
    text(name, inputs, &whole)
}

/// A gather from a table behind a sine.
fn gather(name: &'static str, table: In, indices: In, result: &str, numbers: &str, sizes: &str) -> Row {
    let (a, i) = (table.words(), indices.words());
    let body = format!(
        "%s = stablehlo.sine %x0 : {a}
         %r = \"stablehlo.gather\"(%s, %x1) <{{dimension_numbers = #stablehlo.gather<{numbers}>, indices_are_sorted = false,
           slice_sizes = array<i64: {sizes}>}}> : ({a}, {i}) -> {result}"
    );
    one(name, &[table, indices], result, &body)
}

/// A scatter of sines, by a region of `%p` and `%q`.
fn scatter(name: &'static str, [a, i, u]: [In; 3], numbers: &str, unique: bool, region: &str) -> Row {
    let (at, it, ut) = (a.words(), i.words(), u.words());
    let body = format!(
        "%s = stablehlo.sine %x0 : {at}
         %v = stablehlo.sine %x2 : {ut}
         %r = \"stablehlo.scatter\"(%s, %x1, %v) <{{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>,
             unique_indices = {unique}}}> ({{
         ^bb0(%p: tensor<f64>, %q: tensor<f64>):
           {region}
         }}) : ({at}, {it}, {ut}) -> {at}"
    );
    one(name, &[a, i, u], &at, &body)
}

fn convolution(
    name: &'static str,
    [x, w]: [In; 2],
    result: &str,
    numbers: &str,
    window: &str,
    (batch, features): (i64, i64),
) -> Row {
    let body = format!(
        "%r = stablehlo.convolution(%x0, %x1) dim_numbers = {numbers}, window = {{{window}}}
           {{batch_group_count = {batch} : i64, feature_group_count = {features} : i64}} : ({}, {}) -> {result}",
        x.words(),
        w.words()
    );
    one(name, &[x, w], result, &body)
}

const BY_ADD: &str = "%z = stablehlo.add %p, %q : tensor<f64>\n stablehlo.return %z : tensor<f64>";
const BY_MULTIPLY: &str = "%z = stablehlo.multiply %p, %q : tensor<f64>\n stablehlo.return %z : tensor<f64>";

pub fn elementwise() -> Vec<Row> {
    let x = F(&[5], 0.4, 2.4);
    vec![
        one(
            "clamp by scalar bounds",
            &[F(&[], -0.6, -0.5), F(&[9], -1.0, 1.0), F(&[], 0.4, 0.5)],
            "tensor<9xf64>",
            "%r = stablehlo.clamp %x0, %x1, %x2 : (tensor<f64>, tensor<9xf64>, tensor<f64>) -> tensor<9xf64>",
        ),
        one(
            "clamp by bounds of its shape",
            &[F(&[9], -0.6, -0.5), F(&[9], -1.0, 1.0), F(&[9], 0.4, 0.5)],
            "tensor<9xf64>",
            "%r = stablehlo.clamp %x0, %x1, %x2 : tensor<9xf64>",
        ),
        one(
            "reduce_precision that keeps every bit",
            &[x],
            "tensor<5xf64>",
            "%s = stablehlo.sine %x0 : tensor<5xf64>
             %r = stablehlo.reduce_precision %s, format = e11m52 : tensor<5xf64>",
        ),
        one("square", &[x], "tensor<5xf64>", "%r = chlo.square %x0 : tensor<5xf64> -> tensor<5xf64>"),
        one(
            "polygamma",
            &[x],
            "tensor<5xf64>",
            "%n = stablehlo.constant dense<2.0> : tensor<5xf64>
             %r = chlo.polygamma %n, %x0 : tensor<5xf64>, tensor<5xf64> -> tensor<5xf64>",
        ),
        one(
            "zeta",
            &[x],
            "tensor<5xf64>",
            "%n = stablehlo.constant dense<2.5> : tensor<5xf64>
             %r = chlo.zeta %n, %x0 : tensor<5xf64>, tensor<5xf64> -> tensor<5xf64>",
        ),
        one(
            "optimization_barrier",
            &[x],
            "tensor<5xf64>",
            "%s = stablehlo.sine %x0 : tensor<5xf64>
             %b:2 = stablehlo.optimization_barrier %s, %x0 : tensor<5xf64>, tensor<5xf64>
             %r = stablehlo.multiply %b#0, %b#1 : tensor<5xf64>",
        ),
        one(
            "pad between elements",
            &[x, F(&[], -1.0, 1.0)],
            "tensor<12xf64>",
            "%s = stablehlo.sine %x0 : tensor<5xf64>
             %r = stablehlo.pad %s, %x1, low = [-1], high = [4], interior = [1] : (tensor<5xf64>, tensor<f64>) -> tensor<12xf64>",
        ),
        one(
            "map",
            &[x, F(&[5], -1.0, 1.0)],
            "tensor<5xf64>",
            "%r = \"stablehlo.map\"(%x0, %x1) <{dimensions = array<i64: 0>}> ({
             ^bb0(%p: tensor<f64>, %q: tensor<f64>):
               %m = stablehlo.sine %p : tensor<f64>
               %n = stablehlo.multiply %m, %q : tensor<f64>
               stablehlo.return %n : tensor<f64>
             }) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>",
        ),
    ]
}

pub fn lookups() -> Vec<Row> {
    let table = F(&[5, 4], -1.0, 1.0);
    vec![
        gather(
            "gather of windows by vectors that stand first",
            table,
            I(&[2, 3], &[0, 3, 1, 2, 0, 1]),
            "tensor<2x3x2xf64>",
            "offset_dims = [0, 2], start_index_map = [0, 1], index_vector_dim = 0",
            "2, 2",
        ),
        gather(
            "gather of windows that are moved back inside",
            table,
            I(&[2, 3], &[0, 9, -1, 2, -1, 7]),
            "tensor<2x3x2xf64>",
            "offset_dims = [0, 2], start_index_map = [1, 0], index_vector_dim = 0",
            "2, 2",
        ),
        gather(
            "gather of batches",
            F(&[2, 5], -1.0, 1.0),
            I(&[2, 3], &[0, 4, 9, 2, 2, -7]),
            "tensor<2x3xf64>",
            "collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0],
             start_index_map = [1], index_vector_dim = 2",
            "1, 1",
        ),
        scatter(
            "scatter of windows into batches",
            [F(&[2, 6, 3], -1.0, 1.0), I(&[2, 2, 1], &[0, 5, 1, 4]), F(&[2, 2, 2, 3], -1.0, 1.0)],
            "update_window_dims = [2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0],
             scatter_dims_to_operand_dims = [1], index_vector_dim = 2",
            false,
            BY_ADD,
        ),
        scatter(
            "scatter that multiplies, of indices known to differ",
            [F(&[5, 3], 0.5, 1.5), I(&[4, 1], &[0, 4, -1, 2]), F(&[4, 3], 0.5, 1.5)],
            "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
            true,
            BY_MULTIPLY,
        ),
        scatter(
            "scatter that sets, of indices known to differ",
            [F(&[5, 3], 0.5, 1.5), I(&[4, 1], &[0, 4, -1, 2]), F(&[4, 3], 0.5, 1.5)],
            "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
            true,
            "stablehlo.return %q : tensor<f64>",
        ),
        one(
            "sort of three, descending by the second",
            &[F(&[4], -1.0, 1.0), Apart(&[4]), F(&[4], -1.0, 1.0)],
            "tensor<4xf64>",
            "%s:3 = \"stablehlo.sort\"(%x0, %x1, %x2) <{dimension = 0 : i64, is_stable = false}> ({
             ^bb0(%a: tensor<f64>, %b: tensor<f64>, %c: tensor<f64>, %d: tensor<f64>, %e: tensor<f64>, %f: tensor<f64>):
               %p = stablehlo.compare GT, %c, %d, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
               stablehlo.return %p : tensor<i1>
             }) : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
             %m = stablehlo.multiply %s#0, %s#1 : tensor<4xf64>
             %w = stablehlo.constant dense<[1.0, -2.0, 0.5, 3.0]> : tensor<4xf64>
             %n = stablehlo.multiply %s#2, %w : tensor<4xf64>
             %r = stablehlo.add %m, %n : tensor<4xf64>",
        ),
    ]
}

/// A reduction over dim 1 by a region of `%p` and `%q`, from a varied start.
fn reduce(name: &'static str, input: In, start: (f64, f64), region: &str) -> Row {
    let body = format!(
        "%r = \"stablehlo.reduce\"(%x0, %x1) <{{dimensions = array<i64: 1>}}> ({{
         ^bb0(%p: tensor<f64>, %q: tensor<f64>):
           {region}
         }}) : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>"
    );
    one(name, &[input, F(&[], start.0, start.1)], "tensor<3xf64>", &body)
}

/// A window of three by strides of two, by a region of `%p` and `%q`, from a varied start.
fn window(name: &'static str, input: In, start: (f64, f64), region: &str) -> Row {
    let body = format!(
        "%r = \"stablehlo.reduce_window\"(%x0, %x1) <{{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>,
             padding = dense<[[1, 0]]> : tensor<1x2xi64>}}> ({{
         ^bb0(%p: tensor<f64>, %q: tensor<f64>):
           {region}
         }}) : (tensor<8xf64>, tensor<f64>) -> tensor<4xf64>"
    );
    one(name, &[input, F(&[], start.0, start.1)], "tensor<4xf64>", &body)
}

fn by(op: &str) -> String {
    format!("%z = stablehlo.{op} %p, %q : tensor<f64>\n stablehlo.return %z : tensor<f64>")
}

const BY_MIXED: &str = "%y = stablehlo.sine %q : tensor<f64>
    %w = stablehlo.multiply %p, %y : tensor<f64>
    %z = stablehlo.add %w, %q : tensor<f64>
    stablehlo.return %z : tensor<f64>";

pub fn sums() -> Vec<Row> {
    let (any, mixed) = (F(&[3, 4], 0.5, 1.5), Apart(&[3, 4]));
    let (line, apart) = (F(&[8], 0.5, 1.5), Apart(&[8]));
    vec![
        reduce("reduce that adds to a start", any, (0.5, 1.5), &by("add")),
        reduce("reduce that multiplies a start", any, (0.5, 1.5), &by("multiply")),
        reduce("reduce to the largest beside a start", mixed, (0.03, 0.04), &by("maximum")),
        reduce("reduce to the smallest beside a start", mixed, (0.03, 0.04), &by("minimum")),
        reduce("reduce by any computation", any, (0.5, 1.5), BY_MIXED).once(),
        window("window that adds to a start", line, (0.5, 1.5), &by("add")),
        window("window that multiplies a start", line, (0.5, 1.5), &by("multiply")),
        window("window to the largest beside a start", apart, (-0.17, -0.16), &by("maximum")),
        window("window to the smallest beside a start", apart, (0.16, 0.17), &by("minimum")),
        window("window by any computation", line, (0.5, 1.5), BY_MIXED).once(),
        one(
            "argmax as a reduction of pairs",
            &[mixed],
            "tensor<3xf64>",
            "%at = stablehlo.iota dim = 1 : tensor<3x4xi32>
             %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
             %zero = stablehlo.constant dense<0> : tensor<i32>
             %b:2 = \"stablehlo.reduce\"(%x0, %at, %low, %zero) <{dimensions = array<i64: 1>}> ({
             ^bb0(%a: tensor<f64>, %i: tensor<i32>, %b: tensor<f64>, %j: tensor<i32>):
               %p = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
               %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f64>
               %k = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
               stablehlo.return %v, %k : tensor<f64>, tensor<i32>
             }) : (tensor<3x4xf64>, tensor<3x4xi32>, tensor<f64>, tensor<i32>) -> (tensor<3xf64>, tensor<3xi32>)
             %r = stablehlo.sine %b#0 : tensor<3xf64>",
        ),
        one(
            "select_and_scatter",
            &[apart, F(&[4], -1.0, 1.0)],
            "tensor<8xf64>",
            "%zero = stablehlo.constant dense<0.0> : tensor<f64>
             %s = stablehlo.sine %x1 : tensor<4xf64>
             %r = \"stablehlo.select_and_scatter\"(%x0, %s, %zero) <{window_dimensions = array<i64: 3>,
                 window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
             ^bb0(%a: tensor<f64>, %b: tensor<f64>):
               %p = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
               stablehlo.return %p : tensor<i1>
             }, {
             ^bb0(%a: tensor<f64>, %b: tensor<f64>):
               %c = stablehlo.add %a, %b : tensor<f64>
               stablehlo.return %c : tensor<f64>
             }) : (tensor<8xf64>, tensor<4xf64>, tensor<f64>) -> tensor<8xf64>",
        ),
        convolution(
            "convolution in groups of the batch",
            [F(&[4, 3, 5], -1.0, 1.0), F(&[6, 3, 3], -1.0, 1.0)],
            "tensor<2x6x3xf64>",
            "[b, f, 0]x[o, i, 0]->[b, f, 0]",
            "",
            (2, 1),
        ),
        convolution(
            "convolution with its kernel turned and dims in another order",
            [F(&[5, 2, 6], -1.0, 1.0), F(&[3, 3, 4], -1.0, 1.0)],
            "tensor<2x3x4xf64>",
            "[0, b, f]x[0, i, o]->[b, 0, f]",
            "reverse = [true]",
            (1, 2),
        ),
        convolution(
            "convolution of complex numbers",
            [C(&[2, 3, 5], -1.0, 1.0), C(&[4, 3, 3], -1.0, 1.0)],
            "tensor<2x4x3xcomplex<f64>>",
            "[b, f, 0]x[o, i, 0]->[b, f, 0]",
            "",
            (1, 1),
        ),
        one(
            "dot_general with dims in any order",
            &[F(&[2, 3, 4, 2], -1.0, 1.0), F(&[4, 2, 5, 3], -1.0, 1.0)],
            "tensor<2x2x5xf64>",
            "%r = stablehlo.dot_general %x0, %x1, batching_dims = [3] x [1], contracting_dims = [2, 1] x [0, 3]
               : (tensor<2x3x4x2xf64>, tensor<4x2x5x3xf64>) -> tensor<2x2x5xf64>",
        ),
        text(
            "batch_norm_training",
            &[F(&[4, 3, 2], -1.0, 1.0), F(&[3], -1.0, 1.0), F(&[3], -1.0, 1.0)],
            "func.func @main(%x: tensor<4x3x2xf64>, %s: tensor<3xf64>, %o: tensor<3xf64>)
                 -> (tensor<4x3x2xf64>, tensor<3xf64>, tensor<3xf64>) {
               %r:3 = \"stablehlo.batch_norm_training\"(%x, %s, %o) <{epsilon = 1.0e-2 : f32, feature_index = 1 : i64}>
                 : (tensor<4x3x2xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x3x2xf64>, tensor<3xf64>, tensor<3xf64>)
               return %r#0, %r#1, %r#2 : tensor<4x3x2xf64>, tensor<3xf64>, tensor<3xf64>
             }",
        ),
        text(
            "batch_norm_grad",
            &[
                F(&[4, 3], -1.0, 1.0),
                F(&[3], -1.0, 1.0),
                F(&[3], -1.0, 1.0),
                F(&[3], 0.5, 1.5),
                F(&[4, 3], -1.0, 1.0),
            ],
            "func.func @main(%x: tensor<4x3xf64>, %s: tensor<3xf64>, %m: tensor<3xf64>, %v: tensor<3xf64>, %g: tensor<4x3xf64>)
                 -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>) {
               %r:3 = \"stablehlo.batch_norm_grad\"(%x, %s, %m, %v, %g) <{epsilon = 1.0e-2 : f32, feature_index = 1 : i64}>
                 : (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<4x3xf64>)
                 -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>)
               return %r#0, %r#1, %r#2 : tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>
             }",
        ),
        one(
            "batch_norm_inference",
            &[F(&[4, 3], -1.0, 1.0), F(&[3], -1.0, 1.0), F(&[3], -1.0, 1.0), F(&[3], -1.0, 1.0), F(&[3], 0.5, 1.5)],
            "tensor<4x3xf64>",
            "%r = \"stablehlo.batch_norm_inference\"(%x0, %x1, %x2, %x3, %x4) <{epsilon = 1.0e-2 : f32, feature_index = 1 : i64}>
               : (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<4x3xf64>",
        ),
    ]
}

pub fn structure() -> Vec<Row> {
    let x = F(&[4], -1.0, 1.0);
    let mut rows = vec![
        text(
            "composite",
            &[x],
            "func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
               %r = stablehlo.composite \"my.swish\" %x {decomposition = @swish} : (tensor<4xf64>) -> tensor<4xf64>
               return %r : tensor<4xf64>
             }
             func.func private @swish(%x: tensor<4xf64>) -> tensor<4xf64> {
               %s = stablehlo.logistic %x : tensor<4xf64>
               %r = stablehlo.multiply %s, %x : tensor<4xf64>
               return %r : tensor<4xf64>
             }",
        ),
        text(
            "a function that is called twice",
            &[x],
            "func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
               %a = func.call @f(%x) : (tensor<4xf64>) -> tensor<4xf64>
               %r = func.call @f(%a) : (tensor<4xf64>) -> tensor<4xf64>
               return %r : tensor<4xf64>
             }
             func.func private @f(%x: tensor<4xf64>) -> tensor<4xf64> {
               %s = stablehlo.logistic %x : tensor<4xf64>
               %r = stablehlo.multiply %s, %x : tensor<4xf64>
               return %r : tensor<4xf64>
             }",
        ),
        text(
            "named computation",
            &[x, x],
            "sdy.mesh @m = <[\"x\"=2]>
             func.func @main(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
               %r = sdy.named_computation<\"part\">(%a, %b) in_shardings=[<@m, [{\"x\"}]>, <@m, [{}]>] out_shardings=[<@m, [{\"x\"}]>]
                   (%x: tensor<4xf64>, %y: tensor<4xf64>) {
                 %s = stablehlo.sine %x : tensor<4xf64>
                 %t = stablehlo.multiply %s, %y : tensor<4xf64>
                 sdy.return %t : tensor<4xf64>
               } : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
               return %r : tensor<4xf64>
             }",
        ),
        text(
            "fusion",
            &[x, x],
            "HloModule m
             part {
               p = f64[4] parameter(0)
               q = f64[4] parameter(1)
               s = f64[4] sine(p)
               ROOT r = f64[4] multiply(s, q)
             }
             ENTRY main {
               a = f64[4] parameter(0)
               b = f64[4] parameter(1)
               f = f64[4] fusion(a, b), kind=kLoop, calls=part
               ROOT q = f64[4] multiply(f, a)
             }",
        ),
    ];
    rows.extend(manual_regions());
    rows.extend([
        text(
            "copy",
            &[x],
            "HloModule m
             ENTRY main {
               a = f64[4] parameter(0)
               s = f64[4] sine(a)
               ROOT c = f64[4] copy(s)
             }",
        ),
        sharded(
            "propagation_barrier",
            "sdy.propagation_barrier %s allowed_direction=FORWARD : tensor<4xf64>",
        ),
        sharded("reshard", "sdy.reshard %s <@m, [{\"x\"}]> : tensor<4xf64>"),
        permuted(),
    ]);
    rows
}

/// An op on a value that lies on two devices.
fn sharded(name: &'static str, op: &str) -> Row {
    let whole = format!(
        "sdy.mesh @m = <[\"x\"=2]>
         func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {{
           %s = stablehlo.sine %x : tensor<4xf64>
           %t = {op}
           %r = stablehlo.multiply %t, %x : tensor<4xf64>
           return %r : tensor<4xf64>
         }}"
    );
    text(name, &[F(&[4], -1.0, 1.0)], &whole)
}

/// Two devices that exchange their pieces.
fn permuted() -> Row {
    in_region(
        "collective_permute",
        "%k = \"stablehlo.collective_permute\"(%s) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
             source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2xf64>) -> tensor<2xf64>",
    )
}

/// Regions on two devices, and the collectives in them.
fn manual_regions() -> Vec<Row> {
    let region = |name, split: bool, inside: fn(&Mesh, Tensor) -> Tensor| {
        row(name, &[F(&[4, 6], -1.0, 1.0)], move |x| {
            let mesh = Mesh::new([("x", 2)]).unwrap();
            let out: Vec<Cut> = if split { vec!["x".into(), ().into()] } else { vec![().into(), ().into()] };
            let cut: Vec<Cut> = vec!["x".into(), ().into()];
            vec![manual(&mesh, &["x"], &[(x[0].sin(), cut)], &[out], |local| inside(&mesh, local[0]))]
        })
    };
    vec![
        region("all_reduce", true, |mesh, x| x * x.exp().all_reduce(mesh, &["x"])),
        region("all_gather", true, |mesh, x| x * x.exp().all_gather(mesh, &["x"], 0).sum_keep(0)),
        region("reduce_scatter", true, |mesh, x| {
            let all = concat([x, x * x], 0);
            all.exp().reduce_scatter(mesh, &["x"], 0)
        }),
        region("all_to_all", true, |mesh, x| {
            x.exp().all_to_all(mesh, &["x"], 1, 0).all_to_all(mesh, &["x"], 0, 1)
        }),
        region("a result that every device has", false, |mesh, x| x.exp().all_reduce(mesh, &["x"])),
        row("pieces by annotation", &[F(&[4, 6], -1.0, 1.0)], |x| {
            let mesh = Mesh::new([("x", 2)]).unwrap();
            let piece = x[0].sin().auto_to_manual(&mesh, &["x"], [0, -1]);
            vec![(piece * piece.exp()).manual_to_auto(&mesh, &["x"], [0, -1])]
        }),
    ]
}

/// Functions of which some op has no derivative. It must be named, with the way that leads through it.
pub fn refused() -> Vec<Row> {
    let x = F(&[4], 0.5, 1.5);
    let unary = |name, body: &str| {
        let body = format!(
            "%s = stablehlo.sine %x0 : tensor<4xf64>\n{body}\n%r = stablehlo.tanh %t : tensor<4xf64>"
        );
        one(name, &[x], "tensor<4xf64>", &body)
    };
    let two = |name, body: &str| {
        let body = format!(
            "%s = stablehlo.sine %x0 : tensor<4xf64>\n{body}\n%r = stablehlo.tanh %t : tensor<4xf64>"
        );
        one(name, &[x, x], "tensor<4xf64>", &body)
    };
    vec![
        unary("bessel_i1e", "%t = chlo.bessel_i1e %s : tensor<4xf64> -> tensor<4xf64>"),
        unary("custom_call", "%t = stablehlo.custom_call @mystery(%s) : (tensor<4xf64>) -> tensor<4xf64>"),
        two("polygamma", "%t = chlo.polygamma %s, %x1 : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>"),
        two("zeta", "%t = chlo.zeta %s, %x1 : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>"),
        row("while", &[F(&[], 3.0, 5.0)], |x| vec![while_loop(x[0].sin(), |y| y.gt(0.1), |y| y * 0.5).tanh()]),
        in_region(
            "all_reduce",
            "%k = \"stablehlo.all_reduce\"(%s) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
                 replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
             ^bb0(%p: tensor<f64>, %q: tensor<f64>):
               %z = stablehlo.maximum %p, %q : tensor<f64>
               stablehlo.return %z : tensor<f64>
             }) : (tensor<2xf64>) -> tensor<2xf64>",
        ),
        in_region(
            "collective_broadcast",
            "%k = \"stablehlo.collective_broadcast\"(%s) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
                 replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf64>) -> tensor<2xf64>",
        ),
    ]
}

/// A manual region on two devices around an op from `%s` to `%k`.
fn in_region(name: &'static str, op: &str) -> Row {
    let whole = format!(
        "sdy.mesh @m = <[\"x\"=2]>
         func.func @main(%a: tensor<4xf64>) -> tensor<4xf64> {{
           %r = sdy.manual_computation(%a) in_shardings=[<@m, [{{\"x\"}}]>] out_shardings=[<@m, [{{\"x\"}}]>] manual_axes={{\"x\"}}
               (%x: tensor<2xf64>) {{
             %s = stablehlo.sine %x : tensor<2xf64>
             {op}
             %m = stablehlo.tanh %k : tensor<2xf64>
             sdy.return %m : tensor<2xf64>
           }} : (tensor<4xf64>) -> tensor<4xf64>
           return %r : tensor<4xf64>
         }}"
    );
    text(name, &[F(&[4], -1.0, 1.0)], &whole)
}
