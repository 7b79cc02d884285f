//! Small modules at the edge of the language, each with a name.

use meshwright_ir::DType;
use std::fmt::Write;

/// Operands of a long instruction, parameters and results of a long signature.
const MANY: usize = 400;

/// All modules, in a fixed order.
pub fn all() -> Vec<(String, String)> {
    let mut all = Vec::new();
    of_dtypes(&mut all);
    of_structure(&mut all);
    of_zero_sizes(&mut all);
    of_meshes(&mut all);
    of_names(&mut all);
    of_many(&mut all);
    of_calls(&mut all);
    of_hlo(&mut all);
    all
}

type Modules = Vec<(String, String)>;

fn add(all: &mut Modules, name: &str, text: impl Into<String>) {
    all.push((name.replace(' ', "_"), text.into()));
}

/// `func.func public @main(PARAMS) -> (RESULTS) { BODY }`.
fn main(params: &str, results: &str, body: &str) -> String {
    let arrow = if results.is_empty() { String::new() } else { format!(" -> ({results})") };
    format!("func.func public @main({params}){arrow} {{\n{body}\n}}\n")
}

fn of_dtypes(all: &mut Modules) {
    for dtype in DType::all() {
        let name = dtype.mlir_name();
        let (vector, none, scalar) =
            (format!("tensor<4x{name}>"), format!("tensor<0x3x{name}>"), format!("tensor<{name}>"));
        let mut module = |kind: &str, params: &str, result: &str, body: &str| {
            add(all, &format!("{kind} of {}", dtype.hlo_name()), main(params, result, body));
        };
        module("identity", &format!("%a: {vector}"), &vector, &format!("  return %a : {vector}"));
        let unused = format!("%a: {scalar}, %b: {vector}, %c: {none}");
        module("unused", &unused, &scalar, &format!("  return %a : {scalar}"));
        let zeros = format!(
            "  %r = stablehlo.reshape %a : ({none}) -> tensor<3x0x{name}>\n  return %r : tensor<3x0x{name}>"
        );
        module("empty", &format!("%a: {none}"), &format!("tensor<3x0x{name}>"), &zeros);
        let convert =
            format!("  %r = stablehlo.convert %a : ({vector}) -> tensor<4xf32>\n  return %r : tensor<4xf32>");
        module("convert", &format!("%a: {vector}"), "tensor<4xf32>", &convert);
        let joined = format!(
            "  %b = stablehlo.broadcast_in_dim %a, dims = [] : ({scalar}) -> {vector}\n  \
             %r = stablehlo.concatenate %b, %b, dim = 0 : ({vector}, {vector}) -> tensor<8x{name}>\n  \
             return %r : tensor<8x{name}>"
        );
        module("join", &format!("%a: {scalar}"), &format!("tensor<8x{name}>"), &joined);
    }
}

fn of_structure(all: &mut Modules) {
    let t = "tensor<4xf32>";
    for (name, params, results, body) in [
        (
            "no parameters",
            "",
            t,
            "  %a = stablehlo.constant dense<1.0> : tensor<4xf32>\n  return %a : tensor<4xf32>",
        ),
        ("no results", "%a: tensor<4xf32>", "", "  return"),
        ("nothing", "", "", "  return"),
        ("dead code alone", "%a: tensor<4xf32>", "", "  %t = stablehlo.tanh %a : tensor<4xf32>\n  return"),
        (
            "one value twice",
            "%a: tensor<4xf32>",
            "tensor<4xf32>, tensor<4xf32>",
            "  return %a, %a : tensor<4xf32>, tensor<4xf32>",
        ),
        (
            "crossed parameters",
            "%a: tensor<4xf32>, %b: tensor<4xf32>",
            "tensor<4xf32>, tensor<4xf32>",
            "  return %b, %a : tensor<4xf32>, tensor<4xf32>",
        ),
        (
            "one operand twice",
            "%a: tensor<4xf32>",
            t,
            "  %b = stablehlo.add %a, %a : tensor<4xf32>\n  return %b : tensor<4xf32>",
        ),
        (
            "a dead chain",
            "%a: tensor<4xf32>",
            t,
            "  %b = stablehlo.tanh %a : tensor<4xf32>\n  %c = stablehlo.add %b, %b : tensor<4xf32>\n  return %a : tensor<4xf32>",
        ),
        (
            "a constant twice",
            "",
            "tensor<f32>, tensor<f32>",
            "  %a = stablehlo.constant dense<0.0> : tensor<f32>\n  return %a, %a : tensor<f32>, tensor<f32>",
        ),
        (
            "one element of many dims",
            "%a: tensor<1x1x1x1x1x1x1x1x1x1x1x1xf32>",
            "tensor<f32>",
            "  %r = stablehlo.reshape %a : (tensor<1x1x1x1x1x1x1x1x1x1x1x1xf32>) -> tensor<f32>\n  return %r : tensor<f32>",
        ),
        ("a token", "%a: !stablehlo.token", "!stablehlo.token", "  return %a : !stablehlo.token"),
        (
            "a made token",
            "",
            "!stablehlo.token",
            "  %a = stablehlo.create_token : !stablehlo.token\n  return %a : !stablehlo.token",
        ),
        ("a tuple", "%a: tuple<tensor<4xf32>>", "tuple<tensor<4xf32>>", "  return %a : tuple<tensor<4xf32>>"),
        ("an unknown size", "%a: tensor<?xf32>", "tensor<?xf32>", "  return %a : tensor<?xf32>"),
        (
            "a huge shape",
            "%a: tensor<9223372036854775807x9223372036854775807xi8>",
            "tensor<9223372036854775807x9223372036854775807xi8>",
            "  return %a : tensor<9223372036854775807x9223372036854775807xi8>",
        ),
        (
            "a huge empty shape",
            "%a: tensor<9223372036854775807x0xi8>",
            "tensor<9223372036854775807x0xi8>",
            "  return %a : tensor<9223372036854775807x0xi8>",
        ),
        (
            "a large broadcast",
            "%a: tensor<f32>",
            "tensor<1048576x1048576xf32>",
            "  %r = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<1048576x1048576xf32>\n  return %r : tensor<1048576x1048576xf32>",
        ),
        (
            "a loop that never turns",
            "%a: tensor<i32>",
            "tensor<i32>",
            "  %f = stablehlo.constant dense<false> : tensor<i1>\n  %r = stablehlo.while(%i = %a) : tensor<i32>\n    cond {\n      stablehlo.return %f : tensor<i1>\n    } do {\n      stablehlo.return %i : tensor<i32>\n    }\n  return %r : tensor<i32>",
        ),
        (
            "a choice of one branch",
            "%a: tensor<i32>, %b: tensor<4xf32>",
            t,
            "  %r = \"stablehlo.case\"(%a) ({\n    stablehlo.return %b : tensor<4xf32>\n  }) : (tensor<i32>) -> tensor<4xf32>\n  return %r : tensor<4xf32>",
        ),
        (
            "a barrier",
            "%a: tensor<4xf32>",
            t,
            "  %r = stablehlo.optimization_barrier %a : tensor<4xf32>\n  return %r : tensor<4xf32>",
        ),
        ("a barrier of nothing", "", "", "  stablehlo.optimization_barrier\n  return"),
        (
            "the number of this device",
            "",
            "tensor<ui32>",
            "  %r = stablehlo.partition_id : tensor<ui32>\n  return %r : tensor<ui32>",
        ),
        (
            "an unknown custom call",
            "%a: tensor<4xf32>",
            t,
            "  %r = stablehlo.custom_call @unknown(%a) : (tensor<4xf32>) -> tensor<4xf32>\n  return %r : tensor<4xf32>",
        ),
        (
            "a custom call of nothing",
            "",
            "",
            "  stablehlo.custom_call @unknown() {has_side_effect = true} : () -> ()\n  return",
        ),
        (
            "a composite",
            "%a: tensor<4xf32>",
            t,
            "  %r = stablehlo.composite \"x.y\" %a {decomposition = @main} : (tensor<4xf32>) -> tensor<4xf32>\n  return %r : tensor<4xf32>",
        ),
    ] {
        add(all, name, main(params, results, body));
    }
    let identity = main("%a: tensor<4xf32>", t, "  return %a : tensor<4xf32>");
    for (name, text) in [
        ("an empty text", String::new()),
        ("blanks alone", " \n\t\r\n".into()),
        ("a comment alone", "// nothing\n".into()),
        ("an empty module", "module {\n}\n".into()),
        ("a named empty module", "module @m attributes {mhlo.num_partitions = 8 : i32} {\n}\n".into()),
        ("no line end", identity.trim_end().into()),
        ("other line ends", identity.replace('\n', "\r\n")),
        ("a byte order mark", format!("\u{FEFF}{identity}")),
        ("not public", identity.replace(" public", "")),
        ("private", identity.replace(" public", " private")),
        ("no main", identity.replace("@main", "@other")),
        ("two mains", identity.clone() + &identity),
        ("one partition", format!("module attributes {{mhlo.num_partitions = 1 : i32}} {{\n{identity}}}\n")),
        ("many partitions", format!("module attributes {{mhlo.num_partitions = 2147483647 : i32}} {{\n{identity}}}\n")),
        ("no partitions", format!("module attributes {{mhlo.num_partitions = 0 : i32}} {{\n{identity}}}\n")),
        ("many replicas", format!("module attributes {{mhlo.num_replicas = 4 : i32}} {{\n{identity}}}\n")),
        ("unknown attributes", format!("module attributes {{x.y = [1, {{z = \"\"}}], \"a b\"}} {{\n{identity}}}\n")),
        (
            "generic form",
            "\"builtin.module\"() ({\n  \"func.func\"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = \"main\"}> ({\n  ^bb0(%a: tensor<4xf32>):\n    \"func.return\"(%a) : (tensor<4xf32>) -> ()\n  }) : () -> ()\n}) : () -> ()\n".into(),
        ),
    ] {
        add(all, name, text);
    }
}

fn of_zero_sizes(all: &mut Modules) {
    let split = "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}";
    for (name, sizes, result, op) in [
        (
            "dot",
            ("0x4", "4x3"),
            "0x3",
            "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (A, B) -> R",
        ),
        (
            "contraction",
            ("3x0", "0x3"),
            "3x3",
            "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (A, B) -> R",
        ),
        ("transpose", ("0x4", "4x3"), "4x0", "stablehlo.transpose %a, dims = [1, 0] : (A) -> R"),
        ("slice", ("4x4", "4x3"), "0x4", "stablehlo.slice %a [2:2, 0:4] : (A) -> R"),
        ("reverse", ("0x4", "4x3"), "0x4", "stablehlo.reverse %a, dims = [0, 1] : A"),
        ("concatenate", ("0x4", "0x4"), "0x4", "stablehlo.concatenate %a, %b, dim = 0 : (A, B) -> R"),
        ("add", ("0x4", "0x4"), "0x4", "stablehlo.add %a, %b : A"),
        ("compare", ("0x4", "0x4"), "0x4", "stablehlo.maximum %a, %b : A"),
        ("broadcast", ("0x4", "4x3"), "2x0x4", "stablehlo.broadcast_in_dim %a, dims = [1, 2] : (A) -> R"),
        ("iota", ("0x4", "4x3"), "0x4", "stablehlo.iota dim = 0 : R"),
        ("constant", ("0x4", "4x3"), "0x4", "stablehlo.constant dense<> : R"),
        ("tanh", ("0x0", "4x3"), "0x0", "stablehlo.tanh %a : A"),
        ("gather", ("0x4", "4x3"), "0x4", "stablehlo.reshape %a : (A) -> R"),
        ("clamp", ("0x4", "0x4"), "0x4", "stablehlo.clamp %a, %b, %a : A"),
        (
            "uneven",
            ("3x5", "5x3"),
            "3x3",
            "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (A, B) -> R",
        ),
        (
            "small",
            ("1x1", "1x1"),
            "1x1",
            "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (A, B) -> R",
        ),
    ] {
        for mesh in ["x\"=4", "x\"=1"] {
            let ty = |dims: &str| format!("tensor<{dims}xf32>");
            let (a, b, r) = (ty(sizes.0), ty(sizes.1), ty(result));
            let op = op.replace('A', &a).replace('B', &b).replace('R', &r);
            let params = format!("%a: {a} {split}, %b: {b}");
            let body = format!("  %r = {op}\n  return %r : {r}");
            let text = format!("sdy.mesh @mesh = <[\"{mesh}]>\n{}", main(&params, &r, &body));
            add(all, &format!("{name} without elements on {}", &mesh[3..]), text);
        }
    }
    let reduce = "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<0x4xf32>, tensor<f32>) -> tensor<f32>\n  return %r : tensor<f32>";
    add(all, "sum of nothing", main("%a: tensor<0x4xf32>", "tensor<f32>", reduce));
    let pad = "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %r = stablehlo.pad %a, %z, low = [0, 1], high = [0, -3], interior = [5, 0] : (tensor<0x4xf32>, tensor<f32>) -> tensor<0x2xf32>\n  return %r : tensor<0x2xf32>";
    add(all, "pad of nothing", main("%a: tensor<0x4xf32>", "tensor<0x2xf32>", pad));
    let sort = "  %r = \"stablehlo.sort\"(%a) <{dimension = 0 : i64, is_stable = true}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %l = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %l : tensor<i1>\n  }) : (tensor<0xf32>) -> tensor<0xf32>\n  return %r : tensor<0xf32>";
    add(all, "sort of nothing", main("%a: tensor<0xf32>", "tensor<0xf32>", sort));
}

fn of_meshes(all: &mut Modules) {
    let t = "tensor<8x8xf32>";
    let body = "  %t = stablehlo.tanh %a : tensor<8x8xf32>\n  return %t : tensor<8x8xf32>";
    let on = |mesh: &str, sharding: &str| {
        let params = format!("%a: {t} {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}");
        format!("sdy.mesh @mesh = <{mesh}>\n{}", main(&params, t, body))
    };
    for (name, mesh, sharding) in [
        ("mesh of one device", "[\"x\"=1]", "[{\"x\"}, {}]"),
        ("mesh of many axes of one", "[\"x\"=1, \"y\"=1, \"z\"=1]", "[{\"x\", \"y\"}, {\"z\"}]"),
        ("mesh without axes", "[]", "[{}, {}]"),
        ("mesh of one number", "[], device_ids=[0]", "[{}, {}]"),
        ("mesh of another order", "[\"x\"=4], device_ids=[3, 2, 1, 0]", "[{\"x\"}, {}]"),
        ("mesh larger than its tensor", "[\"x\"=64]", "[{\"x\"}, {}]"),
        ("mesh of a thousand", "[\"x\"=32, \"y\"=32]", "[{\"x\"}, {\"y\"}]"),
        ("all open", "[\"x\"=4]", "[{?}, {?}]"),
        ("sub axes", "[\"x\"=8]", "[{\"x\":(1)2}, {\"x\":(2)4}]"),
        ("replicated axes", "[\"x\"=4]", "[{}, {}], replicated={\"x\"}"),
        ("priorities", "[\"x\"=4]", "[{\"x\"}p3, {?}p0]"),
        ("uneven pieces", "[\"x\"=3]", "[{\"x\"}, {}]"),
        ("partial sums", "[\"x\"=4]", "[{}, {}], unreduced={\"x\"}"),
    ] {
        add(all, name, on(mesh, sharding));
    }
    let unused = format!(
        "sdy.mesh @mesh = <[\"x\"=4]>\nsdy.mesh @other = <[\"y\"=2]>\n{}",
        main("%a: tensor<8x8xf32>", t, body)
    );
    add(all, "unused meshes", unused);
    let pruned = "%a: tensor<8x8xf32>, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}";
    add(all, "annotated and unused", format!("sdy.mesh @mesh = <[\"x\"=4]>\n{}", main(pruned, t, body)));
    let returned = "%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}";
    let result = "tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}";
    let identity = main(returned, result, "  return %a : tensor<8x8xf32>");
    add(all, "identity that reshards", format!("sdy.mesh @mesh = <[\"x\"=4]>\n{identity}"));
    let donated = identity.replace("}]>}) ->", "}]>, tf.aliasing_output = 0 : i32}) ->");
    add(all, "identity that is donated", format!("sdy.mesh @mesh = <[\"x\"=4]>\n{donated}"));
    for (name, sharding) in [
        ("hlo replicated", "{replicated}"),
        ("hlo one device", "{maximal device=0}"),
        ("hlo tiled", "{devices=[4,1]<=[4]}"),
        ("hlo partly", "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"),
        ("hlo manual", "{manual}"),
        ("hlo unknown", "{unknown}"),
    ] {
        let params = format!("%a: {t} {{mhlo.sharding = \"{sharding}\"}}");
        let text =
            format!("module attributes {{mhlo.num_partitions = 4 : i32}} {{\n{}}}\n", main(&params, t, body));
        add(all, name, text);
    }
    let region = |body: &str| {
        format!(
            "sdy.mesh @mesh = <[\"x\"=4]>\n{}",
            main(
                "%a: tensor<8xf32>",
                "tensor<8xf32>",
                &format!(
                    "  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{{\"x\"}}]>] out_shardings=[<@mesh, [{{\"x\"}}]>] manual_axes={{\"x\"}} (%l: tensor<2xf32>) {{\n{body}\n  }} : (tensor<8xf32>) -> tensor<8xf32>\n  return %r : tensor<8xf32>"
                )
            )
        )
    };
    add(all, "manual identity", region("    sdy.return %l : tensor<2xf32>"));
    add(
        all,
        "manual constant",
        region("    %c = stablehlo.constant dense<1.0> : tensor<2xf32>\n    sdy.return %c : tensor<2xf32>"),
    );
    let nothing = "  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {\n    sdy.return\n  } : () -> ()\n  return";
    add(all, "manual of nothing", format!("sdy.mesh @mesh = <[\"x\"=4]>\n{}", main("", "", nothing)));
}

fn of_names(all: &mut Modules) {
    let t = "tensor<4xf32>";
    for (name, value) in [
        ("a number", "%0".to_string()),
        ("an underscore", "%_".into()),
        ("signs", "%-a$.b_".into()),
        ("a long one", format!("%{}", "n".repeat(10_000))),
    ] {
        let text = main(&format!("{value}: {t}"), t, &format!("  return {value} : {t}"));
        add(all, &format!("name {name}"), text);
    }
    for (name, symbol) in [
        ("quoted", "\"main main\"".to_string()),
        ("escaped", "\"\\0A\\1B[31m\\C3\\A9\\22\\\\\"".into()),
        ("empty", "\"\"".into()),
        ("long", "f".repeat(10_000)),
    ] {
        let callee = format!("func.func private @{symbol}(%a: {t}) -> {t} {{\n  return %a : {t}\n}}\n");
        let body = format!("  %r = func.call @{symbol}(%a) : ({t}) -> {t}\n  return %r : {t}");
        add(all, &format!("function {name}"), callee + &main(&format!("%a: {t}"), t, &body));
    }
    for (name, axis) in
        [("quoted", "\\22'\\\\"), ("not ASCII", "\u{e9}\u{202e}"), ("spaces", " "), ("empty", "")]
    {
        let params = format!("%a: {t} {{sdy.sharding = #sdy.sharding<@mesh, [{{\"{axis}\"}}]>}}");
        let text =
            format!("sdy.mesh @mesh = <[\"{axis}\"=2]>\n{}", main(&params, t, &format!("  return %a : {t}")));
        add(all, &format!("axis {name}"), text);
    }
    for (name, location) in [
        ("unknown", "unknown".to_string()),
        ("name", "\"\"".into()),
        ("file", "\"\\1B[2J<script>.py\":0:0".into()),
        ("far", "\"f\":4294967295:4294967295".into()),
        ("callsite", "callsite(\"a\" at callsite(\"b\" at \"c\":1:1))".into()),
        ("fused", "fused[\"a\", \"b\"(\"c\":1:2), unknown]".into()),
        ("deep", (0..200).fold("\"x\":1:1".into(), |inner, _| format!("callsite(\"f\" at {inner})"))),
    ] {
        let body = format!("  %t = stablehlo.tanh %a : {t} loc({location})\n  return %t : {t}");
        add(all, &format!("location {name}"), main(&format!("%a: {t}"), t, &body));
    }
}

fn of_many(all: &mut Modules) {
    let list =
        |count: usize, one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<Vec<_>>().join(", ");
    let ty = |_: usize| "tensor<1xf32>".to_string();
    let params = list(MANY, &|at| format!("%p{at}: tensor<1xf32>"));
    let values = list(MANY, &|at| format!("%p{at}"));
    let types = list(MANY, &ty);
    add(all, "many parameters and results", main(&params, &types, &format!("  return {values} : {types}")));
    add(all, "many unused parameters", main(&params, "tensor<1xf32>", "  return %p0 : tensor<1xf32>"));
    let joined = format!(
        "  %r = stablehlo.concatenate {values}, dim = 0 : ({types}) -> tensor<{MANY}xf32>\n  return %r : tensor<{MANY}xf32>"
    );
    add(all, "many operands", main(&params, &format!("tensor<{MANY}xf32>"), &joined));
    let repeated = list(MANY, &|_| "%a".to_string());
    let joined = format!(
        "  %r = stablehlo.concatenate {repeated}, dim = 0 : ({types}) -> tensor<{MANY}xf32>\n  return %r : tensor<{MANY}xf32>"
    );
    add(all, "one operand many times", main("%a: tensor<1xf32>", &format!("tensor<{MANY}xf32>"), &joined));
    let mut chain = String::new();
    for at in 0..MANY {
        let before = if at == 0 { "a".to_string() } else { format!("v{}", at - 1) };
        let _ = writeln!(chain, "  %v{at} = stablehlo.negate %{before} : tensor<1xf32>");
    }
    let _ = write!(chain, "  return %v{} : tensor<1xf32>", MANY - 1);
    add(all, "a long chain", main("%a: tensor<1xf32>", "tensor<1xf32>", &chain));
}

fn of_calls(all: &mut Modules) {
    let t = "tensor<4xf32>";
    let call = |value: &str, callee: &str, argument: &str| {
        format!("  %{value} = func.call @{callee}(%{argument}) : ({t}) -> {t}\n")
    };
    let function =
        |name: &str, body: String| format!("func.func private @{name}(%a: {t}) -> {t} {{\n{body}}}\n");
    let leaf = function("f0", format!("  return %a : {t}\n"));
    let entry =
        |callee: &str| main(&format!("%a: {t}"), t, &format!("{}  return %r : {t}", call("r", callee, "a")));
    add(all, "a call of an identity", leaf.clone() + &entry("f0"));
    add(
        all,
        "an uncalled function",
        leaf.clone() + &main(&format!("%a: {t}"), t, &format!("  return %a : {t}")),
    );
    for (name, depth, twice) in
        [("a deep call", 200, false), ("calls that double", 40, true), ("a few calls", 4, true)]
    {
        let mut text = leaf.clone();
        for at in 1..=depth {
            let below = format!("f{}", at - 1);
            let second =
                if twice { call("y", &below, "x") } else { format!("  %y = stablehlo.tanh %x : {t}\n") };
            text += &function(
                &format!("f{at}"),
                call("x", &below, "a") + &second + &format!("  return %y : {t}\n"),
            );
        }
        add(all, name, text + &entry(&format!("f{depth}")));
    }
    let itself = function("f", call("r", "f", "a") + &format!("  return %r : {t}\n"));
    add(all, "a call of itself", itself + &entry("f"));
    add(all, "a call of an unknown target", entry("nobody"));
    add(
        all,
        "a call of main",
        main(&format!("%a: {t}"), t, &format!("{}  return %r : {t}", call("r", "main", "a"))),
    );
}

fn of_hlo(all: &mut Modules) {
    let sharded = |sharding: &str| {
        format!(
            "HloModule m, num_partitions=4\n\nENTRY e {{\n  ROOT a = f32[8] parameter(0), sharding={sharding}\n}}\n"
        )
    };
    for (name, text) in [
        ("identity", "ENTRY e {\n  ROOT a = f32[4] parameter(0)\n}\n"),
        ("unused", "ENTRY e {\n  a = f32[4] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n"),
        ("constant", "ENTRY e {\n  ROOT a = f32[] constant(1)\n}\n"),
        ("empty tuple", "ENTRY e {\n  ROOT a = () tuple()\n}\n"),
        ("tuple", "ENTRY e {\n  a = f32[4] parameter(0)\n  ROOT t = (f32[4], f32[4]) tuple(a, a)\n}\n"),
        (
            "nested tuple",
            "ENTRY e {\n  a = f32[4] parameter(0)\n  t = (f32[4]) tuple(a)\n  ROOT u = ((f32[4])) tuple(t)\n}\n",
        ),
        (
            "tuple parameter",
            "ENTRY e {\n  a = (f32[4], s32[]) parameter(0)\n  ROOT b = f32[4] get-tuple-element(a), index=0\n}\n",
        ),
        ("tuple through", "ENTRY e {\n  ROOT a = (f32[4], s32[]) parameter(0)\n}\n"),
        ("token", "ENTRY e {\n  ROOT a = token[] after-all()\n}\n"),
        (
            "zero",
            "ENTRY e {\n  a = f32[0,4] parameter(0)\n  ROOT b = f32[4,0] transpose(a), dimensions={1,0}\n}\n",
        ),
        ("layout", "ENTRY e {\n  ROOT a = f32[4,2]{0,1:T(8,128)} parameter(0)\n}\n"),
        ("bounded size", "ENTRY e {\n  ROOT a = f32[<=4] parameter(0)\n}\n"),
        ("no entry", "f {\n  ROOT a = f32[4] parameter(0)\n}\n"),
        ("gap of parameters", "ENTRY e {\n  ROOT a = f32[4] parameter(1)\n}\n"),
        ("no root", "ENTRY e {\n  a = f32[4] parameter(0)\n}\n"),
        (
            "fusion",
            "f {\n  p = f32[4] parameter(0)\n  ROOT t = f32[4] tanh(p)\n}\n\nENTRY e {\n  a = f32[4] parameter(0)\n  ROOT r = f32[4] fusion(a), kind=kLoop, calls=f\n}\n",
        ),
        (
            "async",
            "ENTRY e {\n  a = f32[4] parameter(0)\n  s = (f32[4], f32[4], u32[]) copy-start(a)\n  ROOT d = f32[4] copy-done(s)\n}\n",
        ),
        (
            "domain",
            "ENTRY e {\n  a = f32[4] parameter(0)\n  ROOT d = f32[4] domain(a), domain={kind=\"sharding\", entry={replicated}, exit={replicated}}\n}\n",
        ),
    ] {
        add(all, &format!("text {name}"), format!("HloModule m\n\n{text}"));
    }
    for (name, sharding) in [
        ("replicated", "{replicated}"),
        ("maximal", "{maximal device=3}"),
        ("tiled", "{devices=[4]<=[4]}"),
        ("manual", "{manual}"),
        ("unknown", "{unknown}"),
        ("listed", "{devices=[4]3,2,1,0}"),
    ] {
        add(all, &format!("text {name}"), sharded(sharding));
    }
    add(all, "text head", "HloModule");
    add(all, "text no name", "HloModule \n\nENTRY {\n  ROOT a = f32[] parameter(0)\n}\n");
}
