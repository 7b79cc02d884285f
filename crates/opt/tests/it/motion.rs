//! How slices, pads and masks move, and that programs keep every bit.

use crate::support;

use meshwright_base::{SourceText, render};
use meshwright_campaign::check::inputs;
use meshwright_campaign::generate::case;
use meshwright_interp::{Style, random_inputs, run_global};
use meshwright_ir::{Module, verify};
use meshwright_opt::{Changed, bound_motion, dce, mask_motion, pad_motion, slice_motion};
use support::without_annotations;

fn parse(text: &str) -> Module {
    let source = SourceText::new("test.mlir", text);
    meshwright_text::parse(&source).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|error| render(error, Some(&source))).collect::<String>())
    })
}

fn holds(module: &Module) {
    verify(module)
        .unwrap_or_else(|errors| panic!("{errors:?}\n{}", meshwright_text::stablehlo::print(module)));
}

/// What the lines become, in a function of `%x: 4x6`, `%y: 4x6`, `%s`: `f32`, `%i: s32`, `%m`: `pred`. Nothing may be
/// computed differently.
fn becomes(pass: fn(&mut Module) -> Changed, lines: &str, result: &str) -> String {
    let args =
        "%x: tensor<4x6xf32>, %y: tensor<4x6xf32>, %s: tensor<f32>, %i: tensor<i32>, %m: tensor<4x6xi1>";
    let before = parse(&format!("func.func @main({args}) -> {result} {{\n{lines}\nreturn %r : {result}\n}}"));
    let mut after = before.clone();
    pass(&mut after);
    dce(&mut after);
    holds(&after);
    let inputs = random_inputs(&before, 3, Style::Natural).expect("inputs are made");
    let run = |module| run_global(module, &inputs).expect("it runs");
    assert!(run(&before).iter().zip(&run(&after)).all(|(a, b)| a.same(b)), "the results differ");
    let main = after.main();
    let ops = main.insts_in_order().into_iter().map(|inst| main.inst(inst).op.mnemonic());
    ops.collect::<Vec<_>>().join(" ")
}

const X: &str = "tensor<4x6xf32>";

#[test]
fn a_slice_goes_in_front_of_what_computes_too_much() {
    let cut = "%r = stablehlo.slice %e [0:4, 1:3] : (tensor<4x6xf32>) -> tensor<4x2xf32>";
    let one = format!("%d = stablehlo.sine %x : {X}\n%e = stablehlo.negate %d : {X}\n{cut}");
    assert_eq!(becomes(slice_motion, &one, "tensor<4x2xf32>"), "slice sine negate");
    let with_scalar = format!(
        "%b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> {X}\n%e = stablehlo.add %x, %b : {X}\n{cut}"
    );
    assert_eq!(becomes(slice_motion, &with_scalar, "tensor<4x2xf32>"), "broadcast_in_dim slice slice add");
    let two = format!("%e = stablehlo.add %x, %y : {X}\n{cut}");
    assert_eq!(becomes(slice_motion, &two, "tensor<4x2xf32>"), "add slice", "two slices are more than one");
    let moving = format!(
        "%e = stablehlo.sine %x : {X}
         %r = stablehlo.dynamic_slice %e, %i, %i, sizes = [2, 3] : ({X}, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>"
    );
    assert_eq!(becomes(slice_motion, &moving, "tensor<2x3xf32>"), "dynamic_slice sine");
}

#[test]
fn what_names_its_shape_stays() {
    let lines = format!(
        "%e = stablehlo.bitcast_convert %x : ({X}) -> tensor<4x6xi32>
         %r = stablehlo.slice %e [0:4, 1:3] : (tensor<4x6xi32>) -> tensor<4x2xi32>"
    );
    assert_eq!(becomes(slice_motion, &lines, "tensor<4x2xi32>"), "bitcast_convert slice");
}

#[test]
fn what_others_use_is_computed_whole() {
    let lines = format!(
        "%e = stablehlo.sine %x : {X}
         %c = stablehlo.slice %e [0:4, 1:3] : ({X}) -> tensor<4x2xf32>
         %d = stablehlo.slice %e [0:4, 3:5] : ({X}) -> tensor<4x2xf32>
         %r = stablehlo.add %c, %d : tensor<4x2xf32>"
    );
    assert_eq!(becomes(slice_motion, &lines, "tensor<4x2xf32>"), "sine slice slice add");
}

fn pad(of: &str, name: &str) -> String {
    format!(
        "%{name} = stablehlo.pad {of}, %s, low = [1, 0], high = [0, 2], interior = [0, 0]
           : ({X}, tensor<f32>) -> tensor<5x8xf32>\n"
    )
}

#[test]
fn a_pad_goes_behind_what_computes_on_it() {
    let wide = "tensor<5x8xf32>";
    let one = pad("%x", "p") + &format!("%r = stablehlo.exponential %p : {wide}");
    assert_eq!(becomes(pad_motion, &one, wide), "exponential exponential pad");
    let two = pad("%x", "p") + &pad("%y", "q") + &format!("%r = stablehlo.multiply %p, %q : {wide}");
    assert_eq!(becomes(pad_motion, &two, wide), "multiply multiply pad");
    let with_number = pad("%x", "p")
        + &format!("%k = stablehlo.constant dense<3.0> : {wide}\n%r = stablehlo.multiply %p, %k : {wide}");
    assert_eq!(becomes(pad_motion, &with_number, wide), "constant multiply constant multiply pad");
}

#[test]
fn padding_is_a_piece_of_what_is_put_together() {
    let lines = |dim: usize, result: &str| {
        let (low, high, rows) =
            if dim == 0 { ("[1, 0]", "[2, 0]", "8x6") } else { ("[0, 1]", "[0, 0]", "8x6") };
        format!(
            "%c = stablehlo.concatenate %x, %y, dim = 0 : ({X}, {X}) -> tensor<8x6xf32>
             %r = stablehlo.pad %c, %s, low = {low}, high = {high}, interior = [0, 0]
               : (tensor<{rows}xf32>, tensor<f32>) -> {result}"
        )
    };
    let along = "tensor<11x6xf32>";
    assert_eq!(becomes(pad_motion, &lines(0, along), along), "broadcast_in_dim broadcast_in_dim concatenate");
    let across = "tensor<8x7xf32>";
    assert_eq!(becomes(pad_motion, &lines(1, across), across), "concatenate pad");
}

#[test]
fn a_mask_under_the_same_mask_goes() {
    let lines = format!(
        "%z = stablehlo.constant dense<0.0> : {X}
         %a = stablehlo.select %m, %x, %z : tensor<4x6xi1>, {X}
         %b = stablehlo.sine %a : {X}
         %c = stablehlo.add %b, %y : {X}
         %r = stablehlo.select %m, %c, %y : tensor<4x6xi1>, {X}"
    );
    assert_eq!(becomes(mask_motion, &lines, X), "sine add select");
    let seen =
        format!("{lines}\n%w = stablehlo.add %r, %b : {X}").replace("%r =", "%q =").replace("%r,", "%q,");
    let seen = seen.replace("%w =", "%r =");
    assert_eq!(becomes(mask_motion, &seen, X), "constant select sine add select add");
}

#[test]
fn random_programs_keep_every_bit() {
    let mut moved = [0; 3];
    for number in 0..1500 {
        let case = case(17, number);
        let before = without_annotations(&case.module);
        let mut after = before.clone();
        for (pass, moved) in [slice_motion, pad_motion, mask_motion].into_iter().zip(&mut moved) {
            *moved += usize::from(pass(&mut after));
        }
        holds(&after);
        let Ok(inputs) = inputs(&case) else { continue };
        let (Ok(a), Ok(b)) = (run_global(&before, &inputs), run_global(&after, &inputs)) else {
            continue;
        };
        assert!(a.iter().zip(&b).all(|(a, b)| a.same(b)), "case {number}");
    }
    assert!(moved[0] > 0, "the programs give this nothing to do: {moved:?}");
}

#[test]
fn comparisons_go_behind_a_bound_if_nothing_else_keeps_what_is_bounded() {
    /// Whether the comparison of `%d` with `%y` became one of what bounds it.
    fn moves(bound: &str, compare: &str, kept: &str) -> bool {
        let text = format!(
            "func.func @main(%x: {X}, %y: {X}) -> ({X}, tensor<4x6xi1>, {X}, {X}) {{
               %d = stablehlo.sine %x : {X}
               %b = stablehlo.{bound} %d, %y : {X}
               %p = stablehlo.compare {compare}, FLOAT : ({X}, {X}) -> tensor<4x6xi1>
               return %b, %p, %y, %{kept} : {X}, tensor<4x6xi1>, {X}, {X}
             }}"
        );
        let mut module = parse(&text);
        let changed = bound_motion(&mut module);
        holds(&module);
        assert!(!bound_motion(&mut module), "a second walk finds nothing");
        changed
    }
    for compare in ["GT, %d, %y", "LE, %d, %y", "LT, %y, %d", "GE, %y, %d"] {
        assert!(moves("maximum", compare, "x"), "{compare}");
        assert!(!moves("minimum", compare, "x"), "{compare}");
        assert!(!moves("maximum", compare, "d"), "something else keeps it");
    }
    for compare in ["LT, %d, %y", "GE, %d, %y", "GT, %y, %d", "LE, %y, %d"] {
        assert!(moves("minimum", compare, "x"), "{compare}");
        assert!(!moves("maximum", compare, "x"), "{compare}");
    }
    for compare in ["EQ, %d, %y", "NE, %d, %y"] {
        assert!(!moves("maximum", compare, "x"), "{compare}");
    }
}

#[test]
fn a_number_is_the_same_bound_however_it_is_written() {
    let text = format!(
        "func.func @main(%x: {X}) -> ({X}, tensor<4x6xi1>) {{
           %zero = stablehlo.constant dense<0.0> : tensor<f32>
           %zeros = stablehlo.constant dense<0.0> : {X}
           %d = stablehlo.sine %x : {X}
           %all = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> {X}
           %b = stablehlo.maximum %d, %zeros : {X}
           %p = stablehlo.compare GT, %d, %all, FLOAT : ({X}, {X}) -> tensor<4x6xi1>
           return %b, %p : {X}, tensor<4x6xi1>
         }}"
    );
    let mut module = parse(&text);
    assert!(bound_motion(&mut module));
    holds(&module);
}

#[test]
fn a_bound_and_what_it_bounds_compare_alike_for_every_number() {
    let numbers = "[0xFF800000, -2.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000]";
    let ty = "tensor<8x8xf32>";
    let mut lines = format!("%n = stablehlo.constant dense<{numbers}> : tensor<8xf32>\n");
    for (name, dim) in [("x", 0), ("c", 1)] {
        lines +=
            &format!("%{name} = stablehlo.broadcast_in_dim %n, dims = [{dim}] : (tensor<8xf32>) -> {ty}\n");
    }
    let mut results = Vec::new();
    for (op, directions) in [("maximum", ["GT", "LE"]), ("minimum", ["LT", "GE"])] {
        for direction in directions {
            // Each has a value of its own to bound.
            let name = format!("{op}{direction}");
            lines += &format!(
                "%v{name} = stablehlo.negate %x : {ty}\n%b{name} = stablehlo.{op} %v{name}, %c : {ty}\n"
            );
            lines += &format!(
                "%p{name} = stablehlo.compare {direction}, %v{name}, %c, FLOAT : ({ty}, {ty}) -> tensor<8x8xi1>\n"
            );
            results.push(format!("%p{name}"));
        }
    }
    let types = vec!["tensor<8x8xi1>"; results.len()].join(", ");
    let text =
        format!("func.func @main() -> ({types}) {{\n{lines}return {} : {types}\n}}", results.join(", "));
    let before = parse(&text);
    let mut after = before.clone();
    assert!(bound_motion(&mut after));
    holds(&after);
    let run = |module| run_global(module, &[]).expect("it runs");
    assert!(run(&before).iter().zip(&run(&after)).all(|(a, b)| a.same(b)));
}
