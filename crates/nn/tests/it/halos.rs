//! What neighbours send each other in models of images and sound: bytes counted by hand from windows and sizes, of the
//! forward pass and of the whole training step.

#[path = "../../examples/spatial_models/models.rs"]
mod models;

use meshwright_compile::Unobserved;
use meshwright_cost::{Machine, Pattern, traffic};
use meshwright_tensor::prelude::*;

/// Bytes of permutes that a device sends.
fn sent(program: &Program) -> i64 {
    let options = meshwright_compile::Options::default();
    let compiled = meshwright_compile::partition(program.module().clone(), &options, &mut Unobserved)
        .unwrap_or_else(|found| panic!("{}", Errors::from(found)));
    let all = traffic(compiled.program.module(), &Machine::default());
    all.by_pattern.get(&Pattern::Permute).map_or(0, |total| total.sent as i64)
}

fn case(name: &str) -> [i64; 2] {
    let all = models::all().unwrap_or_else(|errors| panic!("{errors}"));
    let case = all.iter().find(|case| case.name == name).expect("a case of this name");
    [&case.forward, &case.step].map(sent)
}

/// What a device has of an image that is split both ways: rows, columns, and how many images.
#[derive(Clone, Copy)]
struct Piece {
    rows: i64,
    columns: i64,
    images: i64,
}

impl Piece {
    /// Of an image of half the places.
    fn half(self) -> Piece {
        Piece { rows: self.rows / 2, columns: self.columns / 2, ..self }
    }

    /// Bytes of `f32` that a window takes which looks so far back and forth in both dims: rows first, then columns with
    /// what has come of rows.
    fn window(self, (back, forth): (i64, i64), features: i64) -> i64 {
        let Piece { rows, columns, images } = self;
        let reach = back + forth;
        4 * images * features * (reach * columns + reach * (rows + reach))
    }
}

/// 64 x 64 over 2 x 4 devices, a whole batch on each.
const BOTH_WAYS: Piece = Piece { rows: 32, columns: 16, images: models::BATCH };

/// Windows of 3 that look one place to both sides; of stride 2, one ahead of what they read, and one back of what is
/// learnt of what they made.
const AROUND: (i64, i64) = (1, 1);

/// The forward pass and what is added to it backwards: what is learnt of each layer's result goes back through its
/// window. Kernels' gradients use again what came for the forward pass, and an image has no gradient.
fn both(forward: i64, backward: i64) -> [i64; 2] {
    [forward, forward + backward]
}

fn residual() -> [i64; 2] {
    let (all, half) = (BOTH_WAYS, BOTH_WAYS.half());
    // Stem; a block of two; a block that halves, its second; a block of two.
    let read = all.window(AROUND, 3)
        + 2 * all.window(AROUND, 8)
        + all.window((0, 1), 8)
        + 3 * half.window(AROUND, 16);
    let learnt = 2 * all.window(AROUND, 8) + half.window((1, 0), 16) + 3 * half.window(AROUND, 16);
    both(read, learnt)
}

#[test]
fn a_residual_network() {
    assert_eq!(case("residual"), residual());
}

#[test]
fn a_stack_of_ever_further_windows() {
    // Two stacks, and in each block two convolutions that look as far.
    let blocks: i64 = [1, 2, 4, 8].map(|apart| 2 * 2 * BOTH_WAYS.window((apart, apart), 8)).iter().sum();
    assert_eq!(case("dilated"), both(BOTH_WAYS.window(AROUND, 4) + blocks, blocks));
}

#[test]
fn a_unet_over_rows_of_its_volumes() {
    // Two volumes of a batch of four on a device, and planes of 16 x 16 and of 8 x 8.
    let planes = |reach: i64, plane: i64, features: i64| 4 * (models::BATCH / 2) * reach * plane * features;
    let (fine, coarse) = (16 * 16, 8 * 8);
    let read = planes(2, fine, 1)      // down_0.conv_0
        + planes(2, fine, 4)           // down_0.conv_1
        + planes(1, fine, 8)           // down_1.conv_0, of stride 2
        + planes(2, coarse, 8)         // down_1.conv_1
        + planes(2, fine, 16)          // up_0.conv_0, of what came up and the skip
        + planes(2, fine, 8); // up_0.conv_1
    let learnt = planes(2, fine, 8)    // of down_0.conv_1
        + planes(1, coarse, 8)         // of down_1.conv_0
        + planes(2, coarse, 16)        // of down_1.conv_1
        + planes(2, fine, 8)           // of up_0.conv_0
        + planes(2, fine, 8); // of up_0.conv_1
    assert_eq!(case("unet"), both(read, learnt));
}

#[test]
fn patches_that_no_border_cuts_and_examples_of_their_own_take_nothing_from_neighbours() {
    // Rows of patches divide among the devices; a Conformer's batch is split, and no time.
    assert_eq!(case("vit"), [0, 0]);
    assert_eq!(case("conformer"), [0, 0]);
}

#[test]
fn an_image_beside_a_text_takes_what_it_takes_alone() {
    assert_eq!(case("joined"), residual());
}
