//! Convolutions against the interpreter, exact on small whole numbers: every kind of window, and layouts whose features
//! lie along memory or not; the same bits on one and two workers.

use crate::support;

use meshwright_base::SourceText;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::Module;
use support::launch;

/// Images by rows, columns and features, windows, and how they move over both dims.
#[derive(Clone, Copy, Debug)]
struct Case {
    images: usize,
    size: (usize, usize),
    features: (usize, usize),
    window: (usize, usize),
    stride: usize,
    low: i64,
    high: i64,
    image_dilation: usize,
    window_dilation: usize,
    feature_groups: usize,
    batch_groups: usize,
    reverse: bool,
    /// Features come last; else before the places.
    last: bool,
}

const CASE: Case = Case {
    images: 2,
    size: (9, 11),
    features: (5, 7),
    window: (3, 4),
    stride: 1,
    low: 1,
    high: 2,
    image_dilation: 1,
    window_dilation: 1,
    feature_groups: 1,
    batch_groups: 1,
    reverse: false,
    last: true,
};

fn output(case: &Case, size: usize, window: usize) -> i64 {
    let spread = |count: usize, by: usize| ((count - 1) * by + 1) as i64;
    let room =
        spread(size, case.image_dilation) + case.low + case.high - spread(window, case.window_dilation);
    room / case.stride as i64 + 1
}

fn module(case: &Case) -> Module {
    let Case { images: b, features: (i, o), stride: s, low, high, image_dilation: d, .. } = *case;
    let ((h, w), (kh, kw), wd, rev) = (case.size, case.window, case.window_dilation, case.reverse);
    let (oh, ow) = (output(case, h, kh), output(case, w, kw));
    let (gi, images) = (i / case.feature_groups, b / case.batch_groups);
    let names = if case.last {
        "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
    } else {
        "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"
    };
    let (x, k, y) = if case.last {
        (format!("{b}x{h}x{w}x{i}"), format!("{kh}x{kw}x{gi}x{o}"), format!("{images}x{oh}x{ow}x{o}"))
    } else {
        (format!("{b}x{i}x{h}x{w}"), format!("{o}x{gi}x{kh}x{kw}"), format!("{images}x{o}x{oh}x{ow}"))
    };
    let (x, k, y) = (format!("tensor<{x}xf32>"), format!("tensor<{k}xf32>"), format!("tensor<{y}xf32>"));
    let text = format!(
        "func.func @main(%x: {x}, %k: {k}) -> {y} {{
  %c = stablehlo.convolution(%x, %k) dim_numbers = {names}, window = {{stride = [{s}, {s}], pad = [[{low}, {high}], [{low}, {high}]], lhs_dilate = [{d}, {d}], rhs_dilate = [{wd}, {wd}], reverse = [{rev}, {rev}]}} {{batch_group_count = {} : i64, feature_group_count = {} : i64}} : ({x}, {k}) -> {y}
  return %c : {y}
}}",
        case.batch_groups, case.feature_groups
    );
    meshwright_text::parse(&SourceText::new("m.mlir", text)).unwrap()
}

fn check(case: Case) {
    for last in [true, false] {
        let case = Case { last, ..case };
        let inputs = random_inputs(&module(&case), 7, Style::SmallInts).unwrap();
        let expected = run_global(&module(&case), &inputs).unwrap();
        let ours = launch(module(&case), &inputs, 2);
        assert_eq!(support::same_enough(&ours, &expected[0], true), None, "{case:?}");
    }
}

#[test]
fn windows_of_all_kinds_are_exact_on_small_whole_numbers() {
    check(CASE);
    check(Case { stride: 2, ..CASE });
    check(Case { stride: 3, reverse: true, ..CASE });
    check(Case { window_dilation: 2, low: 3, ..CASE });
    check(Case { window_dilation: 2, stride: 2, high: 0, ..CASE });
    check(Case { low: -2, high: -1, ..CASE });
    check(Case { low: 6, high: 5, ..CASE });
    check(Case { window: (1, 1), low: 0, high: 0, ..CASE });
    check(Case { images: 1, size: (1, 40), window: (1, 5), ..CASE });
    check(Case { features: (33, 70), size: (5, 30), ..CASE });
    check(Case { features: (3, 16), size: (20, 30), ..CASE });
    check(Case { features: (3, 1), size: (40, 6), stride: 2, ..CASE });
}

#[test]
fn dilated_images_are_exact_on_small_whole_numbers() {
    check(Case { image_dilation: 2, ..CASE });
    check(Case { image_dilation: 2, low: 2, high: 3, reverse: true, ..CASE });
    check(Case { image_dilation: 3, window: (2, 2), ..CASE });
    check(Case { image_dilation: 3, window: (7, 5), low: 4, features: (4, 3), ..CASE });
    check(Case { image_dilation: 2, low: -3, high: -2, ..CASE });
    check(Case { image_dilation: 2, stride: 2, ..CASE });
    check(Case { image_dilation: 2, window_dilation: 3, low: 4, ..CASE });
}

#[test]
fn windows_larger_than_what_they_make_are_exact_on_small_whole_numbers() {
    let case = Case { size: (20, 30), window: (18, 28), ..CASE };
    check(case);
    check(Case { features: (3, 16), ..case });
    check(Case { features: (2, 40), images: 5, ..case });
    check(Case { size: (40, 60), window: (20, 30), window_dilation: 2, ..case });
    check(Case { window_dilation: 2, low: 21, high: 22, features: (4, 8), ..case });
    check(Case { images: 20, features: (2, 3), ..case });
    check(Case { images: 1, size: (4, 1300), window: (3, 1297), ..case });
    check(Case { stride: 2, ..case });
}

#[test]
fn groups_are_exact_on_small_whole_numbers() {
    check(Case { features: (8, 12), feature_groups: 4, ..CASE });
    check(Case { features: (70, 70), feature_groups: 70, stride: 2, ..CASE });
    check(Case { features: (24, 24), feature_groups: 24, image_dilation: 2, ..CASE });
    check(Case { features: (12, 24), feature_groups: 12, ..CASE });
    check(Case { images: 6, features: (4, 12), batch_groups: 3, ..CASE });
    check(Case { images: 20, features: (4, 20), batch_groups: 20, ..CASE });
    check(Case { images: 20, features: (4, 20), batch_groups: 20, size: (20, 30), window: (18, 28), ..CASE });
    check(Case { images: 8, features: (3, 32), batch_groups: 2, size: (20, 30), window: (18, 28), ..CASE });
}

/// An infinity spreads to the places that see it, and no further.
#[test]
fn infinities_stay_where_they_are_seen() {
    let windows = Case { size: (20, 30), window: (18, 28), features: (2, 8), low: 0, high: 0, ..CASE };
    let few = Case { features: (3, 8), ..CASE };
    for case in [few, Case { image_dilation: 2, ..few }, windows] {
        let mut inputs = random_inputs(&module(&case), 7, Style::SmallInts).unwrap();
        let mut bytes = inputs[0].to_bytes();
        let middle = (2 * case.size.1 + 3) * case.features.0 * 4;
        bytes[middle..middle + 4].copy_from_slice(&f32::INFINITY.to_le_bytes());
        inputs[0] = Tensor::from_bytes(inputs[0].ty().clone(), &bytes).unwrap();
        let expected = run_global(&module(&case), &inputs).unwrap()[0].to_bytes();
        let ours = launch(module(&case), &inputs, 1).bytes;
        let numbers = |bytes: &[u8]| -> Vec<f32> {
            bytes.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect()
        };
        let same = |(x, y): (&f32, &f32)| x == y || x.is_nan() && y.is_nan();
        let (ours, expected) = (numbers(&ours), numbers(&expected));
        assert!(expected.iter().any(|x| x.is_finite()), "{case:?}");
        assert!(ours.iter().zip(&expected).all(same), "{case:?}");
    }
}

#[test]
fn convolutions_of_real_numbers_keep_their_bits_on_two_workers() {
    let large = Case { size: (60, 60), features: (16, 32), images: 4, ..CASE };
    for case in [large, Case { window: (58, 57), ..large }, Case { image_dilation: 2, ..large }] {
        let inputs = random_inputs(&module(&case), 3, Style::Natural).unwrap();
        let [one, two] = [1, 2].map(|workers| launch(module(&case), &inputs, workers));
        assert_eq!(one.bytes, two.bytes, "{case:?}");
    }
}
