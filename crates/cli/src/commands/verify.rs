//! `verify`: is the partitioned program equal to the original?

use crate::args::{Compute, VerifyArgs};
use crate::commands::complete::options;
use crate::failure::Failure;
use crate::load::{Loaded, load};
use crate::report::Report;
use meshwright_campaign::global::run_spmd;
use meshwright_compile::Unobserved;
use meshwright_ground::{Code, Diagnostic};
use meshwright_interp::{Scalar, Style, Tensor, random_inputs, run_global};
use meshwright_ir::{Module, SpmdModule};
use serde_json::json;
use std::fmt::Write;

/// Largest difference allowed, relative to a result's largest element, when computing in f64.
const IN_F64: f64 = 1e-9;
/// The same in the module's own types.
const AS_IS: f64 = 1e-3;

pub fn verify(args: &VerifyArgs) -> Result<Report, Failure> {
    let Loaded { module, text } = load(&args.input.file)?;
    let module = match args.dtype {
        Compute::Asis => module,
        Compute::F64 => meshwright_ir::retype::widen(&module).map_err(|why| {
            let message = format!("the module cannot be computed in f64: {why}");
            Failure::input(Diagnostic::error(Code(610), message).help("use `--dtype asis`"))
        })?,
    };
    let compiled = meshwright_compile::partition(module.clone(), &options(&args.input), &mut Unobserved)
        .map_err(|found| Failure::in_text(text, found))?;
    let limit = if args.dtype == Compute::F64 { IN_F64 } else { AS_IS };
    let mut worst = vec![0f64; module.main().results.len()];
    for seed in 0..args.seeds {
        for (worst, found) in worst.iter_mut().zip(differences(&module, &compiled.program, seed)?) {
            *worst = worst.max(found);
        }
    }
    judged(&worst, limit, args.seeds)
}

fn differences(module: &Module, program: &SpmdModule, seed: u64) -> Result<Vec<f64>, Failure> {
    let inputs = random_inputs(module, seed, Style::Natural).map_err(Failure::input)?;
    let whole = run_global(module, &inputs).map_err(Failure::input)?;
    let parts = run_spmd(program, &inputs).map_err(Failure::input)?;
    Ok(whole.iter().zip(&parts).map(|(a, b)| difference(a, b)).collect())
}

/// Largest difference of two tensors, relative to the largest element of the first. NaN equals NaN.
fn difference(a: &Tensor, b: &Tensor) -> f64 {
    if a.ty() != b.ty() {
        return f64::INFINITY;
    }
    let (mut worst, mut scale) = (0f64, 0f64);
    for at in 0..a.len() {
        let (Some(x), Some(y)) = (a.get(at), b.get(at)) else { return f64::INFINITY };
        for (x, y) in parts(x).into_iter().zip(parts(y)) {
            if x == y || (x.is_nan() && y.is_nan()) {
                scale = scale.max(if x.is_finite() { x.abs() } else { 0.0 });
                continue;
            }
            worst = worst.max(if (x - y).is_nan() { f64::INFINITY } else { (x - y).abs() });
            scale = scale.max(x.abs());
        }
    }
    if scale > 0.0 { worst / scale } else { worst }
}

fn parts(scalar: Scalar) -> [f64; 2] {
    match scalar {
        Scalar::Pred(x) => [f64::from(u8::from(x)), 0.0],
        Scalar::Int(x) => [x as f64, 0.0],
        Scalar::Uint(x) => [x as f64, 0.0],
        Scalar::Float(x) => [x, 0.0],
        Scalar::Complex(z) => [z.re, z.im],
    }
}

fn judged(worst: &[f64], limit: f64, seeds: u64) -> Result<Report, Failure> {
    let wrong: Vec<usize> = (0..worst.len()).filter(|at| worst[*at] > limit).collect();
    let mut text = String::new();
    for (at, difference) in worst.iter().enumerate() {
        let _ = writeln!(text, "result {at}: largest difference {difference:.3e}");
    }
    let agree = worst.len() - wrong.len();
    let _ = writeln!(text, "{agree} of {} results agree within {limit:e}, {seeds} seeds", worst.len());
    if let Some(first) = wrong.first() {
        let message = format!("result {first} differs by {:.3e} of its largest element", worst[*first]);
        let diagnostic = Diagnostic::error(Code(611), message)
            .note(text.trim_end())
            .note("the partitioned program is wrong, or the module is very sensitive to rounding");
        return Err(Failure::input(diagnostic));
    }
    Ok(Report::new(text).with("differences", json!(worst)).with("limit", limit))
}
