//! Loops that shift a buffer are pipelines, however the shift is written; others are not.

use meshwright_base::SourceText;
use meshwright_cost::{Machine, traffic, usefulness};

/// A loop of 6 trips over `f32[4,8]`, which a product with `f32[4,8,8]` follows.
fn told(shift: &str) -> Vec<(i64, i64)> {
    told_of(4, shift)
}

fn told_of(rows: i64, shift: &str) -> Vec<(i64, i64)> {
    let text = format!(
        "func.func @main(%x: tensor<{rows}x8xf32>, %w: tensor<{rows}x8x8xf32>, %in: tensor<1x8xf32>) -> tensor<{rows}x8xf32> {{
           %c0 = stablehlo.constant dense<0> : tensor<i32>
           %z = stablehlo.constant dense<0.0> : tensor<f32>
           %r:2 = stablehlo.while(%i = %c0, %b = %x) : tensor<i32>, tensor<{rows}x8xf32>
             cond {{
               %n = stablehlo.constant dense<6> : tensor<i32>
               %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
               stablehlo.return %t : tensor<i1>
             }} do {{
               %one = stablehlo.constant dense<1> : tensor<i32>
               %j = stablehlo.add %i, %one : tensor<i32>
               %y = stablehlo.dot_general %b, %w, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<{rows}x8xf32>, tensor<{rows}x8x8xf32>) -> tensor<{rows}x8xf32>
               {shift}
               stablehlo.return %j, %o : tensor<i32>, tensor<{rows}x8xf32>
             }}
           return %r#1 : tensor<{rows}x8xf32>
         }}"
    );
    let module = meshwright_text::stablehlo::parse(&SourceText::new("m", text)).expect("a module");
    let machine = Machine::default();
    let found = usefulness(&module, &machine, &traffic(&module, &machine));
    let loops: Vec<(i64, i64)> = found.loops.iter().map(|one| (one.stages, one.trips)).collect();
    // 6 products of rows x 8 x 8, of which stages - 1 are bubbles.
    let of_one = (2 * rows * 64) as f64;
    let expected = of_one * loops.first().map_or(0.0, |(stages, _)| (stages - 1) as f64);
    assert_eq!((found.flops, found.bubbles), (of_one * 6.0, expected));
    loops
}

const REST: &str = "%h = stablehlo.slice %y [0:3, 0:8] : (tensor<4x8xf32>) -> tensor<3x8xf32>";

#[test]
fn shifts_by_pads_slices_and_concatenations_are_pipelines() {
    let padded = "%p = stablehlo.pad %y, %z, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x8xf32>
                  %o = stablehlo.slice %p [0:4, 0:8] : (tensor<5x8xf32>) -> tensor<4x8xf32>";
    let at_once = "%o = stablehlo.pad %y, %z, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>";
    let fresh = format!(
        "{REST}\n%o = stablehlo.concatenate %in, %h, dim = 0 : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<4x8xf32>"
    );
    let round = format!(
        "{REST}
         %l = stablehlo.slice %y [3:4, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
         %o = stablehlo.concatenate %l, %h, dim = 0 : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<4x8xf32>"
    );
    for shift in [padded, at_once, &fresh, &round] {
        assert_eq!(told(shift), [(4, 6)], "{shift}");
    }
}

/// A roll of two rows is written as `reverse`.
#[test]
fn two_rows_that_change_places_are_two_stages() {
    let turned = |rows: i64| format!("%o = stablehlo.reverse %y, dims = [0] : tensor<{rows}x8xf32>");
    assert_eq!(told_of(2, &turned(2)), [(2, 6)]);
    assert_eq!(told_of(4, &turned(4)), []);
}

#[test]
fn a_stencil_and_a_plain_loop_are_none() {
    let stencil = format!(
        "{REST}
         %s = stablehlo.concatenate %in, %h, dim = 0 : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<4x8xf32>
         %o = stablehlo.add %y, %s : tensor<4x8xf32>"
    );
    for plain in [&*stencil, "%o = stablehlo.negate %y : tensor<4x8xf32>"] {
        assert_eq!(told(plain), [], "{plain}");
    }
}
