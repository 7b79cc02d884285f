//! The program of one of a row's devices, and what is measured of it.

use meshwright_cli::failure::{Failure, Fault};
use meshwright_compile::{Compiled, Options, Unobserved};
use meshwright_cost::{Machine, Target, program_peak, traffic};
use meshwright_ir::Module;
use meshwright_nn::models::unet::OfTable8;
use meshwright_spmd::Loops;
use meshwright_tensor::{Errors, Program};

/// A traced step as one program for its devices. What does not trace or partition is our fault: tables have no input.
pub fn partitioned(step: Result<Program, Errors>, memory_limit: Option<i64>) -> Result<Compiled, Failure> {
    partitioned_by(step, &Options { memory_limit, ..Options::default() })
}

pub fn partitioned_by(step: Result<Program, Errors>, options: &Options) -> Result<Compiled, Failure> {
    let step = step.map_err(|errors| ours(errors.diagnostics()))?;
    meshwright_compile::partition(step.into_module(), options, &mut Unobserved).map_err(ours)
}

/// A row of GSPMD's Table 8 as a program that fits a core.
pub fn unet_within_a_core(of: &OfTable8) -> Result<Compiled, Failure> {
    let mut options = Options::default();
    options.partition.loops = Loops::Never;
    options.memory_limit = Some(core()?);
    partitioned_by(of.step(), &options)
}

/// Returns the bytes that a program can have on a core.
fn core() -> Result<i64, Failure> {
    let machine = Target::parse("tpu-v3:1x1").and_then(|target| target.machine(1)).map_err(Failure::input)?;
    Ok(machine.capacity)
}

fn ours(diagnostics: Vec<meshwright_base::Diagnostic>) -> Failure {
    Failure { fault: Fault::Bug, diagnostics, text: None }
}

/// Bytes of a device.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Bytes {
    /// Parameters and the optimizer's states.
    pub states: f64,
    /// The most that is held at one time, states among it.
    pub peak: f64,
    /// What it sends in one step.
    pub sent: f64,
}

impl Bytes {
    pub fn of(program: &Module) -> Bytes {
        Bytes {
            states: states(program),
            peak: program_peak(program) as f64,
            sent: traffic(program, &Machine::default()).sent,
        }
    }
}

/// What is given away and comes back: a step replaces its states in place.
fn states(program: &Module) -> f64 {
    let main = program.main();
    let given = main.params.iter().zip(main.param_values()).filter(|(info, _)| info.donation.is_some());
    given.map(|(_, value)| main.ty(*value).byte_size() as f64).sum()
}

/// By which power of `at` a value grows: the slope of a line through logarithms. `None` where a value is 0.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    if points.iter().any(|(at, value)| *at <= 0.0 || *value <= 0.0) {
        return None;
    }
    let logs: Vec<(f64, f64)> = points.iter().map(|(at, value)| (at.ln(), value.ln())).collect();
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(&|point| point.0), mean(&|point| point.1));
    let over: f64 = logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let under: f64 = logs.iter().map(|point| (point.0 - x).powi(2)).sum();
    (under > 0.0).then(|| over / under)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_powers() {
        let power = |of: f64| [4.0, 8.0, 32.0].map(|at: f64| (at, 3.0 * at.powf(of)));
        for of in [-1.0, 0.0, 0.5] {
            let found = exponent(&power(of)).unwrap();
            assert!((found - of).abs() < 1e-12, "{found}");
        }
        assert_eq!(exponent(&[(1.0, 0.0), (2.0, 1.0)]), None);
    }
}
