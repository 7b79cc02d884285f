//! Gradients against JAX's: every fixture of `tests/golden_grad`, which `peers/jax_gradients.py` writes.

use crate::check::{float_params, print, run_or_print};
use crate::npz;
use meshwright_base::{SourceText, render};
use meshwright_grad::{Options, value_and_grad};
use meshwright_interp::{Data, Tensor};
use meshwright_ir::{Module, verify};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden_grad")
}

pub fn read(path: &Path) -> Module {
    let text = std::fs::read_to_string(path).unwrap();
    let source = SourceText::new(path.display().to_string(), text);
    meshwright_text::stablehlo::parse(&source).unwrap_or_else(|found| {
        panic!("{}", found.iter().map(|d| render(d, Some(&source))).collect::<String>())
    })
}

pub fn gradient(module: &Module, options: &Options) -> Module {
    let mut module = module.clone();
    let (entry, wrt) = (module.entry, float_params(&module));
    module.entry = value_and_grad(&mut module, entry, &wrt, options)
        .unwrap_or_else(|found| panic!("{}", found.iter().map(|d| render(d, None)).collect::<String>()));
    if let Err(found) = verify(&module) {
        panic!("{}\n{}", found.iter().map(|d| render(d, None)).collect::<String>(), print(&module));
    }
    module
}

/// `|a - b| / |b|` over all gradients.
fn distance(ours: &[Tensor], theirs: &[Tensor]) -> f64 {
    let numbers = |tensors: &[Tensor]| -> Vec<f64> {
        tensors
            .iter()
            .flat_map(|tensor| match tensor.data() {
                Data::Float(v) => v.clone(),
                Data::Complex(v) => v.iter().flat_map(|z| [z.re, z.im]).collect(),
                _ => panic!("not floats"),
            })
            .collect()
    };
    let (a, b) = (numbers(ours), numbers(theirs));
    assert_eq!(a.len(), b.len());
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>().sqrt();
    norm(&mut a.iter().zip(&b).map(|(a, b)| a - b)) / norm(&mut b.iter().copied()).max(1e-12)
}

#[test]
fn gradients_are_those_of_jax() {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| folder().join(name).join("inputs.npz").exists())
        .collect();
    names.sort();
    assert!(names.len() >= 25, "{names:?}");
    let mut wrong = Vec::new();
    for name in &names {
        let module = read(&folder().join(name).join("module.mlir"));
        let inputs = npz::read(&folder().join(name).join("inputs.npz"));
        let expected = npz::read(&folder().join(name).join("outputs.npz"));
        for recompute_scans in [false, true] {
            let found = run_or_print(&gradient(&module, &Options { recompute_scans }), &inputs);
            let tolerance = if name.ends_with("_f32") { 2e-5 } else { 1e-6 };
            let (loss, gradients) =
                (distance(&found[..1], &expected[..1]), distance(&found[1..], &expected[1..]));
            if !(loss < tolerance && gradients < tolerance) {
                wrong.push(format!("{name}: loss off by {loss:.2e}, gradients by {gradients:.2e}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
