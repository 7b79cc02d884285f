//! Every module of `tests/golden`, as JAX lowers it, is differentiated twice and batched, or refused with a reason.
//! Where a central difference can be taken the numbers are compared, in f64.

use crate::batched::check_mask;
use crate::check::{compare, float_params, float_results};
use crate::golden::read;
use meshwright_base::{Diagnostic, render};
use meshwright_grad::{Options, batch, vjp};
use meshwright_interp::{Style, random_inputs, run_global};
use meshwright_ir::{Module, retype, verify};
use std::path::{Path, PathBuf};

/// Modules with an op that has no derivative, and which.
const REFUSED: &[(&str, &str)] = &[
    ("all_reduce", "all_reduce"), // maximum
    ("all_reduce_gspmd", "all_reduce"),
    ("approx_top_k", "custom_call"),
    ("bessel", "bessel_i1e"),
    ("callbacks", "custom_call"),
    ("collective_broadcast", "collective_broadcast"),
    ("control_flow_batched", "while"),
    ("decompositions_lapack", "custom_call"),
    ("gamma_functions", "zeta"), // by its first operand
    ("incomplete_gamma", "while"),
    ("linear_algebra_lapack", "custom_call"),
    ("scatter_kinds", "scatter"), // by any function
    ("while_loop", "while"),
];

/// Modules whose derivative is not the function's slope, by convention or because they are no functions.
const NOT_COMPARED: &[(&str, &str)] = &[
    ("all_to_all", "returns values as equal on devices where they differ"),
    ("binary_float", "next_after has the derivative zero"),
    ("bitcast", "bits have no derivative"),
    ("complex_functions", "the sign of a complex number has the derivative zero"),
    ("reduce_precision", "rounding has the derivative one"),
    ("reduce_scatter", "returns values as equal on devices where they differ"),
    ("rng_uniform", "random numbers have no derivative"),
];

fn modules() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut found: Vec<(String, PathBuf)> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path().join("module.mlir")))
        .filter(|(_, path)| path.exists())
        .collect();
    found.sort();
    found
}

fn shown(found: &[Diagnostic]) -> String {
    found.iter().map(|diagnostic| render(diagnostic, None)).collect()
}

pub fn derivative(module: &Module) -> Result<Module, Vec<Diagnostic>> {
    let mut made = module.clone();
    let entry = made.entry;
    made.entry = vjp(&mut made, entry, &float_params(module), &float_results(module), &Options::default())?;
    Ok(made)
}

fn is_in(list: &[(&str, &str)], name: &str) -> bool {
    list.iter().any(|row| row.0 == name)
}

/// What is wrong with the derivatives of a module.
fn differentiate(name: &str, module: &Module) -> Option<String> {
    let first = match derivative(module) {
        Err(found) => {
            let known = REFUSED.iter().any(|row| row.0 == name && found[0].message.starts_with(row.1));
            return (!known).then(|| format!("{name} is refused: {}", shown(&found)));
        }
        Ok(_) if is_in(REFUSED, name) => return Some(format!("{name} is not refused any more")),
        Ok(first) => first,
    };
    if let Err(found) = verify(&first) {
        return Some(format!("{name}: wrong derivative: {}", shown(&found)));
    }
    match derivative(&first).map(|second| verify(&second)) {
        Ok(Ok(_)) => {}
        Ok(Err(found)) | Err(found) => return Some(format!("{name}: second derivative: {}", shown(&found))),
    }
    let inputs = random_inputs(module, 5, Style::Natural).ok()?;
    if is_in(NOT_COMPARED, name) || run_global(module, &inputs).is_err() {
        return None;
    }
    compare(module, &first, &inputs, 1e-5).err().map(|wrong| format!("{name}: {wrong}"))
}

#[test]
fn every_golden_module_is_differentiated_or_refused() {
    let mut wrong = Vec::new();
    for (name, path) in modules() {
        let module = read(&path);
        let wide = retype::widen(&module).unwrap_or(module);
        wrong.extend(differentiate(&name, &wide));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_golden_module_is_batched_or_refused() {
    for (name, path) in modules() {
        let module = read(&path);
        let wide = retype::widen(&module).unwrap_or(module);
        let flags = vec![true; wide.main().param_values().len()];
        let mut made = wide.clone();
        let entry = made.entry;
        match batch(&mut made, entry, 2, &flags) {
            Ok(_) => assert!(verify(&made).is_ok(), "{name}"),
            // Tokens.
            Err(found) => assert_eq!(name, "callbacks", "{}", shown(&found)),
        }
        let inputs = random_inputs(&wide, 5, Style::Natural);
        let runs = inputs.is_ok_and(|inputs| run_global(&wide, &inputs).is_ok());
        // Random numbers are others for every case.
        if runs && name != "rng_uniform" {
            check_mask(&wide, &flags);
        }
    }
}
