//! Convolutions over one and three spatial dims against the interpreter, exact on small whole numbers, and what does
//! not fit a worker's scratch at once: long rows, deep sums, many images; the same bits on one and two workers.

use crate::support;

use meshwright_base::SourceText;
use meshwright_interp::{Style, random_inputs, run_global};
use meshwright_ir::Module;
use support::launch;

/// Images by places and features, and a window that moves over all dims alike.
#[derive(Clone, Debug)]
struct Case {
    images: usize,
    size: Vec<usize>,
    features: (usize, usize),
    window: Vec<usize>,
    stride: usize,
    pad: (i64, i64),
    image_dilation: usize,
    window_dilation: usize,
    feature_groups: usize,
    batch_groups: usize,
}

fn case(size: &[usize], features: (usize, usize), window: &[usize]) -> Case {
    Case {
        images: 2,
        size: size.to_vec(),
        features,
        window: window.to_vec(),
        stride: 1,
        pad: (1, 1),
        image_dilation: 1,
        window_dilation: 1,
        feature_groups: 1,
        batch_groups: 1,
    }
}

fn output(case: &Case, dim: usize) -> i64 {
    let spread = |count: usize, by: usize| ((count - 1) * by + 1) as i64;
    let image = spread(case.size[dim], case.image_dilation) + case.pad.0 + case.pad.1;
    (image - spread(case.window[dim], case.window_dilation)) / case.stride as i64 + 1
}

fn joined<T: ToString>(all: impl IntoIterator<Item = T>, by: &str) -> String {
    all.into_iter().map(|x| x.to_string()).collect::<Vec<_>>().join(by)
}

fn module(case: &Case) -> Module {
    let rank = case.size.len();
    let all = |x: String| format!("[{}]", joined(vec![x; rank], ", "));
    let places = joined(0..rank, ", ");
    let (x, k) = (joined(&case.size, "x"), joined(&case.window, "x"));
    let y = joined((0..rank).map(|dim| output(case, dim)), "x");
    let (inner, made) = (case.features.0 / case.feature_groups, case.features.1);
    let x = format!("tensor<{}x{x}x{}xf32>", case.images, case.features.0);
    let k = format!("tensor<{k}x{inner}x{made}xf32>");
    let y = format!("tensor<{}x{y}x{made}xf32>", case.images / case.batch_groups);
    let text = format!(
        "func.func @main(%x: {x}, %k: {k}) -> {y} {{
  %c = stablehlo.convolution(%x, %k) dim_numbers = [b, {places}, f]x[{places}, i, o]->[b, {places}, f], window = {{stride = {}, pad = {}, lhs_dilate = {}, rhs_dilate = {}}} {{batch_group_count = {} : i64, feature_group_count = {} : i64}} : ({x}, {k}) -> {y}
  return %c : {y}
}}",
        all(case.stride.to_string()),
        all(format!("[{}, {}]", case.pad.0, case.pad.1)),
        all(case.image_dilation.to_string()),
        all(case.window_dilation.to_string()),
        case.batch_groups,
        case.feature_groups,
    );
    meshwright_text::parse(&SourceText::new("m.mlir", text)).unwrap()
}

fn check(case: Case) {
    let inputs = random_inputs(&module(&case), 7, Style::SmallInts).unwrap();
    let expected = run_global(&module(&case), &inputs).unwrap();
    let [one, two] = [1, 2].map(|workers| launch(module(&case), &inputs, workers));
    assert_eq!(support::same_enough(&one, &expected[0], true), None, "{case:?}");
    assert_eq!(one.bytes, two.bytes, "{case:?}");
}

#[test]
fn volumes_are_exact_on_small_whole_numbers() {
    let small = case(&[5, 6, 7], (3, 4), &[3, 3, 3]);
    check(small.clone());
    check(Case { stride: 2, ..small.clone() });
    check(Case { window_dilation: 2, pad: (2, 3), ..small.clone() });
    check(Case { image_dilation: 2, ..small.clone() });
    check(Case { image_dilation: 2, pad: (-2, 3), ..small.clone() });
    check(Case { image_dilation: 3, ..case(&[3, 2, 3], (2, 40), &[2, 3, 2]) });
    check(case(&[4, 4, 4], (33, 35), &[2, 3, 1]));
    check(Case { pad: (0, 0), ..case(&[6, 7, 8], (3, 5), &[5, 6, 7]) });
    check(Case { pad: (0, 0), stride: 2, ..case(&[6, 7, 8], (3, 5), &[4, 5, 6]) });
    check(Case { feature_groups: 20, ..case(&[4, 5, 6], (20, 20), &[3, 3, 3]) });
    check(Case { feature_groups: 20, image_dilation: 2, ..case(&[4, 3, 2], (20, 20), &[3, 3, 3]) });
}

#[test]
fn rows_alone_are_exact_on_small_whole_numbers() {
    check(case(&[1], (1, 1), &[1]));
    check(case(&[50], (5, 7), &[3]));
    check(Case { stride: 5, ..case(&[301], (1, 33), &[10]) });
    check(Case { image_dilation: 5, pad: (9, 4), ..case(&[60], (40, 1), &[10]) });
    check(Case { window_dilation: 2, pad: (0, 1), ..case(&[90], (3, 8), &[80 / 2]) });
    check(Case { stride: 2, pad: (0, 0), ..case(&[95], (3, 40), &[90]) });
}

#[test]
fn groups_with_several_features_are_lanes() {
    for (groups, features) in [(8, (8, 16)), (24, (24, 72)), (70, (70, 140)), (9, (9, 45))] {
        let places = case(&[7, 6], features, &[3, 3]);
        check(Case { feature_groups: groups, ..places.clone() });
        check(Case { feature_groups: groups, image_dilation: 2, stride: 1, ..places });
    }
    // Sums over two features of a group, as a gradient by images has them.
    check(Case { feature_groups: 20, ..case(&[7, 6], (40, 20), &[3, 3]) });
    check(Case { feature_groups: 9, image_dilation: 2, ..case(&[7, 6], (27, 9), &[3, 3]) });
}

#[test]
fn what_does_not_fit_at_once_is_exact_on_small_whole_numbers() {
    // A row that is cut, a sum over features that is cut, and images that go together.
    check(Case { images: 1, ..case(&[3000], (96, 3), &[3]) });
    check(Case { images: 1, ..case(&[5, 5], (700, 33), &[5, 5]) });
    check(Case { images: 5, ..case(&[4, 3], (64, 65), &[3, 3]) });
    check(Case { images: 1, image_dilation: 4, pad: (3, 3), ..case(&[9, 8], (10, 3), &[4, 4]) });
    // As gradients of kernels: a row of positions, and images, that are cut.
    check(Case { images: 130, pad: (0, 0), ..case(&[2402], (1, 4), &[2400]) });
    check(Case { images: 200, pad: (0, 0), ..case(&[40], (1, 4), &[10]) });
    check(Case { images: 30, pad: (0, 0), stride: 2, ..case(&[40, 20], (2, 4), &[36, 16]) });
}
