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

/// One result over all inputs.
#[derive(Clone, Copy, Default)]
struct Judged {
    /// The largest difference.
    worst: f64,
    /// How many elements were compared.
    elements: usize,
    /// How many of them were NaN or infinite in the original.
    not_finite: usize,
}

pub fn verify(args: &VerifyArgs) -> Result<Report, Failure> {
    let Loaded { module, text } = load(&args.input.file)?;
    let (module, limit, note) = in_types(module, args.dtype)?;
    let compiled = meshwright_compile::partition(module.clone(), &options(&args.input), &mut Unobserved)
        .map_err(|found| Failure::in_text(text, found))?;
    let mut results = vec![Judged::default(); module.main().results.len()];
    for seed in 0..args.seeds {
        compare(&mut results, &module, &compiled.program, seed)?;
    }
    let report = judged(&results, limit, args.seeds)?;
    Ok(Report { notes: note + &report.notes, ..report })
}

/// The module in the types asked for, the difference allowed in these, and what to tell of the choice.
fn in_types(module: Module, types: Compute) -> Result<(Module, f64, String), Failure> {
    if types == Compute::Asis {
        return Ok((module, AS_IS, String::new()));
    }
    match meshwright_ir::retype::widen(&module) {
        Ok(wide) => Ok((wide, IN_F64, String::new())),
        Err(why) if types == Compute::Auto => {
            Ok((module, AS_IS, format!("note: computed in the module's own types, as {why}\n")))
        }
        Err(why) => {
            let message = format!("the module cannot be computed in f64: {why}");
            Err(Failure::input(Diagnostic::error(Code(610), message).help("use `--dtype asis`")))
        }
    }
}

fn compare(results: &mut [Judged], module: &Module, program: &SpmdModule, seed: u64) -> Result<(), Failure> {
    let inputs = random_inputs(module, seed, Style::Natural).map_err(Failure::input)?;
    let whole = run_global(module, &inputs).map_err(Failure::input)?;
    let partitioned = run_spmd(program, &inputs).map_err(Failure::input)?;
    for ((result, a), b) in results.iter_mut().zip(&whole).zip(&partitioned) {
        result.worst = result.worst.max(difference(a, b));
        result.elements += a.len();
        result.not_finite += (0..a.len()).filter(|at| !is_finite(a, *at)).count();
    }
    Ok(())
}

fn is_finite(tensor: &Tensor, at: usize) -> bool {
    tensor.get(at).is_some_and(|scalar| parts(scalar).iter().all(|part| part.is_finite()))
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

fn judged(results: &[Judged], limit: f64, seeds: u64) -> Result<Report, Failure> {
    let wrong = |result: &&Judged| result.worst > limit;
    let mut text = String::new();
    for (at, Judged { worst, elements, not_finite }) in results.iter().enumerate() {
        let _ = write!(text, "result {at}: largest difference {worst:.3e}");
        let _ = match not_finite {
            0 => writeln!(text),
            _ => writeln!(text, "; {not_finite} of {elements} elements are NaN or infinite"),
        };
    }
    let agree = results.len() - results.iter().filter(wrong).count();
    let _ = writeln!(text, "{agree} of {} results agree within {limit:e}, {seeds} seeds", results.len());
    if let Some((first, result)) = results.iter().enumerate().find(|(_, result)| wrong(result)) {
        let message = format!("result {first} differs by {:.3e} of its largest element", result.worst);
        let diagnostic = Diagnostic::error(Code(611), message)
            .note(text.trim_end())
            .note("the partitioned program is wrong, or the module is very sensitive to rounding");
        return Err(Failure::input(diagnostic));
    }
    let worst: Vec<f64> = results.iter().map(|result| result.worst).collect();
    let not_finite: Vec<usize> = results.iter().map(|result| result.not_finite).collect();
    let report = Report::new(text)
        .with("differences", json!(worst))
        .with("not_finite", json!(not_finite))
        .with("limit", limit);
    Ok(Report { notes: says_little(results), ..report })
}

/// NaN equals NaN, so results of nothing else agree whatever the program does.
fn says_little(results: &[Judged]) -> String {
    let empty: Vec<String> = (0..results.len())
        .filter(|at| results[*at].elements > 0 && results[*at].not_finite == results[*at].elements)
        .map(|at| at.to_string())
        .collect();
    match &empty[..] {
        [] => String::new(),
        results => format!(
            "warning: no element of result {} is a finite number, so that they agree says little; \
             compare with inputs of your own by `meshwright run --inputs`\n",
            results.join(", ")
        ),
    }
}
