//! Norms over any dims: what is summed up by columns in the loop that makes it, parts of reductions and operands that
//! repeat give what the interpreter gives, with the same bits on one worker and on two.

use crate::support;

use meshwright_base::SourceText;
use meshwright_base::random::Random;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::Module;
use support::launch;

/// The mean and the variance of some dims, and what is standardized by them, scaled by the last dim.
fn norm(dims: &[usize], over: &[usize]) -> Module {
    let listed = |x: &[usize]| x.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let shape = |dims: &[usize]| dims.iter().map(|size| format!("{size}x")).collect::<String>();
    let kept: Vec<usize> = (0..dims.len()).filter(|dim| !over.contains(dim)).collect();
    let few: Vec<usize> = kept.iter().map(|dim| dims[*dim]).collect();
    let count: usize = over.iter().map(|dim| dims[*dim]).product();
    let (all, few) = (format!("tensor<{}f32>", shape(dims)), format!("tensor<{}f32>", shape(&few)));
    let (kept, over) = (listed(&kept), listed(over));
    let (last, size) = (dims.len() - 1, dims.last().copied().unwrap_or(1));
    let text = format!(
        "func.func public @main(%x: {all}, %scale: tensor<{size}xf32>) -> ({all}, {few}) {{
  %zero = stablehlo.constant dense<0.25> : tensor<f32>
  %n = stablehlo.constant dense<{count}.0> : {few}
  %e = stablehlo.constant dense<0.01> : {few}
  %t = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [{over}] : ({all}, tensor<f32>) -> {few}
  %m = stablehlo.divide %t, %n : {few}
  %mb = stablehlo.broadcast_in_dim %m, dims = [{kept}] : ({few}) -> {all}
  %d = stablehlo.subtract %x, %mb : {all}
  %q = stablehlo.multiply %d, %d : {all}
  %s = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [{over}] : ({all}, tensor<f32>) -> {few}
  %v = stablehlo.divide %s, %n : {few}
  %w = stablehlo.add %v, %e : {few}
  %r = stablehlo.rsqrt %w : {few}
  %rb = stablehlo.broadcast_in_dim %r, dims = [{kept}] : ({few}) -> {all}
  %y = stablehlo.multiply %d, %rb : {all}
  %sb = stablehlo.broadcast_in_dim %scale, dims = [{last}] : (tensor<{size}xf32>) -> {all}
  %z = stablehlo.multiply %y, %sb : {all}
  return %z, %s : {all}, {few}
}}
"
    );
    meshwright_text::parse(&SourceText::new("norm".to_string(), text)).map_err(|_| "the module").unwrap()
}

fn holds(dims: &[usize], over: &[usize]) {
    let module = norm(dims, over);
    let inputs = random_inputs(&module, 3, Style::Natural).unwrap();
    let expected = run_global(&module, &inputs).unwrap();
    let [one, two] = [1, 2].map(|workers| launch(module.clone(), &inputs, workers));
    assert_eq!(one.bytes, two.bytes, "{dims:?} over {over:?}");
    // Differences to a mean are small where numbers are near it.
    let ours = Tensor::from_bytes(one.ty.clone(), &one.bytes).expect("an array").to_f64s();
    let theirs = expected[0].to_f64s();
    let largest = theirs.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-4 * largest;
    assert!(ours.len() == theirs.len(), "{dims:?} over {over:?}");
    assert!(ours.iter().zip(&theirs).all(near), "{dims:?} over {over:?}: {ours:?}, not {theirs:?}");
}

#[test]
fn norms_of_examples_of_groups_and_of_batches() {
    for dims in [&[4, 392, 8, 8][..], &[2, 1000, 4, 16], &[3, 97, 5, 13], &[2, 640, 1, 8], &[1, 4096, 2, 3]] {
        for over in [&[1][..], &[1, 2], &[1, 3], &[0, 1], &[0, 2], &[0, 1, 3], &[0, 1, 2, 3], &[2, 3]] {
            holds(dims, over);
        }
    }
}

#[test]
fn norms_of_dims_that_are_drawn() {
    let mut draw = Random::new(11, 0);
    let sizes = [1, 2, 3, 8, 16, 31, 64, 130, 512];
    for _ in 0..60 {
        let mut dims: Vec<usize> = (0..2 + draw.index(3)).map(|_| draw.of(&sizes)).collect();
        while dims.iter().product::<usize>() > 1 << 17 {
            let at = draw.index(dims.len());
            dims[at] = dims[at].div_ceil(5);
        }
        let over: Vec<usize> = (0..dims.len()).filter(|_| draw.index(2) == 0).collect();
        if !over.is_empty() {
            holds(&dims, &over);
        }
    }
}
