//! Holds a function's vjp against central differences of the function itself.
//!
//! For random cotangents `c` of the results and directions `v` of the parameters, `<vjp(c), v>` must be the derivative
//! of `<c, f(x + h v)>` by `h`, relative to the gradient's norm.

use meshwright_base::{Diagnostic, SourceText, render};
use meshwright_grad::{Options, vjp};
use meshwright_interp::{Complex, Data, Style, Tensor, random_inputs, run_global};
use meshwright_ir::{Module, TensorType, verify};

const STEP: f64 = 1e-4;

/// How a check differs from the usual one.
#[derive(Clone)]
pub struct Check {
    pub tolerance: f64,
    pub options: Options,
    /// Check the derivative's derivative too.
    pub twice: bool,
    pub seeds: u64,
}

impl Default for Check {
    fn default() -> Self {
        Check { tolerance: 1e-6, options: Options::default(), twice: true, seeds: 2 }
    }
}

pub fn parse(text: &str) -> Module {
    let source = SourceText::new("test.mlir", text);
    let module = meshwright_text::stablehlo::parse(&source)
        .unwrap_or_else(|found| panic!("{}", shown(&found, &source)));
    let found = verify(&module);
    assert!(found.is_ok(), "{}", shown(&found.err().unwrap(), &source));
    module
}

fn shown(found: &[Diagnostic], source: &SourceText) -> String {
    found.iter().map(|diagnostic| render(diagnostic, Some(source))).collect()
}

pub fn print(module: &Module) -> String {
    meshwright_text::stablehlo::print(module)
}

/// The vjp of everything that has one, as the entry of its own module.
pub fn derivative(module: &Module, options: &Options) -> Result<Module, Vec<Diagnostic>> {
    let mut module = module.clone();
    let (wrt, from) = (float_params(&module), float_results(&module));
    let entry = module.entry;
    let func = vjp(&mut module, entry, &wrt, &from, options)?;
    module.entry = func;
    if let Err(found) = verify(&module) {
        panic!("{}\n{}", shown(&found, &SourceText::new("derivative", "")), print(&module));
    }
    Ok(module)
}

fn is_float(ty: &meshwright_ir::Type) -> bool {
    ty.as_tensor().is_some_and(|ty| ty.dtype.is_float() || ty.dtype.is_complex())
}

pub fn float_params(module: &Module) -> Vec<usize> {
    let main = module.main();
    (0..main.param_values().len()).filter(|at| is_float(main.ty(main.param_values()[*at]))).collect()
}

pub fn float_results(module: &Module) -> Vec<usize> {
    let main = module.main();
    (0..main.result_values().len()).filter(|at| is_float(main.ty(main.result_values()[*at]))).collect()
}

/// Check a module's entry with random inputs.
pub fn check(text: &str) {
    check_with(text, Check::default());
}

pub fn check_once(text: &str) {
    check_with(text, Check { twice: false, ..Check::default() });
}

pub fn check_with(text: &str, how: Check) {
    let module = parse(text);
    for seed in 0..how.seeds {
        let inputs = random_inputs(&module, 17 + seed, Style::Natural).unwrap();
        check_module(&module, &inputs, &how);
    }
}

pub fn check_inputs(text: &str, inputs: &[Tensor], how: &Check) {
    check_module(&parse(text), inputs, how);
}

pub fn check_module(module: &Module, inputs: &[Tensor], how: &Check) {
    let first = derivative(module, &how.options).unwrap_or_else(|found| {
        panic!("{}", shown(&found, &SourceText::new("", "")));
    });
    let inputs = compare(module, &first, inputs, how.tolerance).unwrap_or_else(|wrong| panic!("{wrong}"));
    crate::batched::check_batched(module);
    crate::batched::check_batched(&first);
    if how.twice {
        let second = derivative(&first, &how.options).unwrap_or_else(|found| {
            panic!("second derivative: {}", shown(&found, &SourceText::new("", "")));
        });
        compare(&first, &second, &inputs, how.tolerance).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
}

/// Compare; the inputs of the derivative that were used.
pub fn compare(
    module: &Module,
    derivative: &Module,
    inputs: &[Tensor],
    tolerance: f64,
) -> Result<Vec<Tensor>, String> {
    let (wrt, from) = (float_params(module), float_results(module));
    let results = run_or_print(module, inputs);
    let cotangents: Vec<Tensor> =
        from.iter().enumerate().map(|(i, at)| noise(results[*at].ty(), 100 + i as u64)).collect();
    let given: Vec<Tensor> = inputs.iter().chain(&cotangents).cloned().collect();
    let pulled = run_or_print(derivative, &given);
    for (at, result) in results.iter().enumerate() {
        let is_own = crate::batched::close(&pulled[at], result);
        assert!(is_own, "result {at} of the derivative is not the function's\n{}", print(derivative));
    }
    let gradients = &pulled[results.len()..];
    let norm = gradients.iter().map(|g| dot(g, g).abs()).sum::<f64>().sqrt();
    for direction in 0..2 {
        let along: Vec<Tensor> = wrt
            .iter()
            .enumerate()
            .map(|(i, at)| noise(inputs[*at].ty(), 200 + 31 * direction + i as u64))
            .collect();
        let at_step = |step: f64| {
            let mut moved = inputs.to_vec();
            for (at, along) in wrt.iter().zip(&along) {
                moved[*at] = axpy(&inputs[*at], along, step);
            }
            let results = run_or_print(module, &moved);
            from.iter().zip(&cotangents).map(|(at, c)| real_dot(c, &results[*at])).sum::<f64>()
        };
        // Richardson: the error falls with the fourth power of the step.
        let central = |step: f64| (at_step(step) - at_step(-step)) / (2.0 * step);
        let numeric = (4.0 * central(STEP / 2.0) - central(STEP)) / 3.0;
        let analytic: f64 = gradients.iter().zip(&along).map(|(g, v)| real_dot(g, v)).sum();
        let length = along.iter().map(|v| dot(v, v).abs()).sum::<f64>().sqrt();
        let scale = (norm * length).max(1e-3);
        let error = (numeric - analytic).abs() / scale;
        // Where the function itself is not a number nothing can be said.
        if !(error < tolerance || numeric.is_nan()) {
            let numbers = format!("numeric {numeric}, analytic {analytic}: relative error {error:.3e}");
            return Err(format!("{numbers}\n{}", print(derivative)));
        }
    }
    Ok(given)
}

pub fn run_or_print(module: &Module, inputs: &[Tensor]) -> Vec<Tensor> {
    run_global(module, inputs).unwrap_or_else(|found| panic!("{}\n{}", render(&found, None), print(module)))
}

/// Numbers from -1 to 1.
pub fn noise(ty: &TensorType, seed: u64) -> Tensor {
    let count = ty.elements() as usize;
    let number = |i: usize| {
        let mut bits =
            (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed.wrapping_mul(0xd1b5_4a32_d192_ed03);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let data = if ty.dtype.is_complex() {
        Data::Complex((0..count).map(|i| Complex { re: number(2 * i), im: number(2 * i + 1) }).collect())
    } else {
        Data::Float((0..count).map(number).collect())
    };
    Tensor::new(ty.clone(), data).unwrap()
}

fn axpy(x: &Tensor, v: &Tensor, step: f64) -> Tensor {
    let data = match (x.data(), v.data()) {
        (Data::Float(x), Data::Float(v)) => Data::Float(x.iter().zip(v).map(|(x, v)| x + step * v).collect()),
        (Data::Complex(x), Data::Complex(v)) => {
            let moved =
                |(x, v): (&Complex, &Complex)| Complex { re: x.re + step * v.re, im: x.im + step * v.im };
            Data::Complex(x.iter().zip(v).map(moved).collect())
        }
        _ => panic!("not floats"),
    };
    Tensor::new(x.ty().clone(), data).unwrap()
}

/// `Re(sum(a * b))`, as cotangents pair with tangents.
fn real_dot(a: &Tensor, b: &Tensor) -> f64 {
    match (a.data(), b.data()) {
        (Data::Float(a), Data::Float(b)) => a.iter().zip(b).map(|(a, b)| a * b).sum(),
        (Data::Complex(a), Data::Complex(b)) => a.iter().zip(b).map(|(a, b)| a.re * b.re - a.im * b.im).sum(),
        _ => panic!("not floats"),
    }
}

/// `sum(|a|^2)` for `a = b`.
fn dot(a: &Tensor, b: &Tensor) -> f64 {
    match (a.data(), b.data()) {
        (Data::Complex(a), Data::Complex(b)) => a.iter().zip(b).map(|(a, b)| a.re * b.re + a.im * b.im).sum(),
        _ => real_dot(a, b),
    }
}

/// The reports of a differentiation that fails.
pub fn refused(text: &str) -> String {
    let source = SourceText::new("test.mlir", text);
    match derivative(&parse(text), &Options::default()) {
        Ok(module) => panic!("differentiated:\n{}", print(&module)),
        Err(found) => shown(&found, &source),
    }
}
