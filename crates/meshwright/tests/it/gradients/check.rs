//! Holds the gradient of a traced function against central differences of the function itself, through the public way:
//! trace, differentiate, partition, load, run.
//!
//! The loss is a weighted sum of all results and of their squares, so that cotangents depend on the results too. For
//! random directions `v` of the float inputs, `<gradient, v>` must be the derivative of `loss(x + h v)` by `h`,
//! relative to the gradient's norm. The same is asked of the function under `vmap` with another input for each case,
//! and of the derivative along a direction, which takes second derivatives.

use meshwright::prelude::*;
use meshwright_ir::{DType, TensorType};

/// An input of a row.
#[derive(Clone, Copy, Debug)]
pub enum In {
    /// Floats between two bounds.
    F(&'static [i64], f64, f64),
    /// Complex numbers whose parts lie between two bounds.
    C(&'static [i64], f64, f64),
    /// These integers.
    I(&'static [i64], &'static [i32]),
    /// Distinct floats, at least a tenth apart, in a mixed order: for whatever compares.
    Apart(&'static [i64]),
}

type Traced = Box<dyn Fn(&[Tensor]) -> Vec<Tensor>>;

/// A function with a gradient, and inputs away from its kinks.
pub struct Row {
    pub name: &'static str,
    pub inputs: Vec<In>,
    pub function: Traced,
    pub twice: bool,
}

pub fn row(name: &'static str, inputs: &[In], function: impl Fn(&[Tensor]) -> Vec<Tensor> + 'static) -> Row {
    Row { name, inputs: inputs.to_vec(), function: Box::new(function), twice: true }
}

impl Row {
    /// Its derivative is not differentiated again.
    pub fn once(self) -> Row {
        Row { twice: false, ..self }
    }
}

const TOLERANCE: f64 = 1e-6;
const STEP: f64 = 1e-4;
const CASES: i64 = 3;

/// Numbers from -1 to 1 that look random, the same for the same seed.
pub fn noise(count: i64, seed: u64) -> Vec<f64> {
    let number = |i: i64| {
        let mut bits =
            (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed.wrapping_mul(0xd1b5_4a32_d192_ed03);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(number).collect()
}

/// A permutation of so many places.
fn mixed(count: i64, seed: u64) -> Vec<usize> {
    let keys = noise(count, seed);
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|a, b| keys[*a].total_cmp(&keys[*b]));
    order
}

impl In {
    fn dims(self) -> &'static [i64] {
        match self {
            In::F(dims, ..) | In::C(dims, ..) | In::I(dims, _) | In::Apart(dims) => dims,
        }
    }

    pub fn dtype(self) -> DType {
        match self {
            In::F(..) | In::Apart(_) => DType::F64,
            In::C(..) => DType::C128,
            In::I(..) => DType::S32,
        }
    }

    /// The type as StableHLO writes it.
    pub fn words(self) -> String {
        let dims: String = self.dims().iter().map(|size| format!("{size}x")).collect();
        let element = match self {
            In::F(..) | In::Apart(_) => "f64",
            In::C(..) => "complex<f64>",
            In::I(..) => "i32",
        };
        format!("tensor<{dims}{element}>")
    }

    /// Numbers of one case.
    fn numbers(self, seed: u64) -> Numbers {
        let count = self.dims().iter().product::<i64>();
        let between = |low: f64, high: f64, count: i64| -> Vec<f64> {
            noise(count, seed).into_iter().map(|x| low + (high - low) * (x + 1.0) / 2.0).collect()
        };
        match self {
            In::F(_, low, high) => Numbers::Floats(between(low, high, count)),
            In::C(_, low, high) => Numbers::Floats(between(low, high, 2 * count)),
            In::I(_, numbers) => Numbers::Ints(numbers.to_vec()),
            In::Apart(_) => {
                let near = noise(count, seed + 1);
                let place = |(i, at): (usize, usize)| 0.2 * at as f64 - 0.1 * count as f64 + 0.05 * near[i];
                Numbers::Floats(mixed(count, seed).into_iter().enumerate().map(place).collect())
            }
        }
    }
}

/// Complex numbers stand as pairs.
#[derive(Clone, Debug)]
enum Numbers {
    Floats(Vec<f64>),
    Ints(Vec<i32>),
}

/// An input under its type.
#[derive(Clone, Debug)]
struct Given {
    name: String,
    ty: TensorType,
    numbers: Numbers,
}

impl Given {
    fn array(&self, moved: f64, along: &[f64]) -> Array {
        let bytes: Vec<u8> = match &self.numbers {
            Numbers::Floats(numbers) => {
                let at =
                    |(i, x): (usize, &f64)| (x + moved * along.get(i).copied().unwrap_or(0.0)).to_le_bytes();
                numbers.iter().enumerate().flat_map(at).collect()
            }
            Numbers::Ints(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        };
        Array::from_bytes(self.ty.dtype, self.ty.dims.clone(), bytes).unwrap()
    }

    fn is_float(&self) -> bool {
        matches!(self.numbers, Numbers::Floats(_))
    }
}

/// The inputs of a row, or of several cases of it, stacked.
fn given(row: &Row, cases: Option<i64>) -> Vec<Given> {
    let one = |(at, input): (usize, &In)| {
        let parts: Vec<Numbers> =
            (0..cases.unwrap_or(1)).map(|case| input.numbers(1000 * at as u64 + 7 * case as u64)).collect();
        let numbers = match input {
            In::I(_, numbers) => Numbers::Ints(numbers.repeat(parts.len())),
            In::F(..) | In::C(..) | In::Apart(_) => {
                let floats = |numbers: &Numbers| match numbers {
                    Numbers::Floats(floats) => floats.clone(),
                    Numbers::Ints(_) => Vec::new(),
                };
                Numbers::Floats(parts.iter().flat_map(floats).collect())
            }
        };
        let dims = cases.into_iter().chain(input.dims().iter().copied()).collect::<Vec<i64>>();
        Given { name: format!("x{at}"), ty: TensorType::new(input.dtype(), dims), numbers }
    };
    row.inputs.iter().enumerate().map(one).collect()
}

/// All results together as one number. Integers and truth values count nothing.
pub fn loss(results: &[Tensor]) -> Tensor {
    let parts = results.iter().enumerate().flat_map(|(at, result)| parts(at, *result));
    parts.reduce(|a, b| a + b).unwrap_or_else(|| scalar(f64, 0.0))
}

fn parts(at: usize, result: Tensor) -> Vec<Tensor> {
    let one = |x: Tensor, seed: u64| {
        let x = x.cast(f64);
        let weights = constant(f64, x.dims(), &noise(x.elements(), seed));
        (x * weights).sum(..) + 0.25 * x.square().sum(..)
    };
    let seed = 50 + 3 * at as u64;
    match result.dtype() {
        dtype if dtype.is_complex() => vec![one(result.real(), seed), one(result.imag(), seed + 1)],
        dtype if dtype.is_float() => vec![one(result, seed)],
        _ => Vec::new(),
    }
}

/// A program of a row's inputs, as `build` makes it of them.
fn program(given: &[Given], build: impl FnOnce(&[Tensor]) -> Tensor) -> Result<Program, Errors> {
    trace("row", |t| {
        t.set_float(f64);
        let inputs: Vec<Tensor> =
            given.iter().map(|input| t.input(&input.name, input.ty.dtype, input.ty.dims.clone())).collect();
        build(&inputs)
    })
}

/// The row's own program.
pub fn forward(row: &Row) -> Result<Program, Errors> {
    program(&given(row, None), |x| loss(&(row.function)(x)))
}

/// Everything that is asked of a row; what is wrong with it.
pub fn check(row: &Row) -> Result<(), String> {
    let say = |what: &'static str| move |wrong: String| format!("{}, {what}: {wrong}", row.name);
    let own = given(row, None);
    compare(&own, forward(row)).map_err(say("gradient"))?;
    let cases = given(row, Some(CASES));
    let shares = [1.0, -0.7, 1.3];
    let vmapped = program(&cases, |x| {
        let losses = vmap(x.to_vec(), |x| loss(&(row.function)(&x)));
        (losses * constant(f64, [CASES], &shares)).sum(..)
    });
    compare(&cases, vmapped).map_err(say("vmap"))?;
    if row.twice {
        let floats: Vec<usize> = (0..own.len()).filter(|at| own[*at].is_float()).collect();
        let slope = program(&own, |x| {
            let wrt: Vec<Tensor> = floats.iter().map(|at| x[*at]).collect();
            let gradients = grad(wrt, |wrt| {
                let mut all = x.to_vec();
                floats.iter().zip(wrt).for_each(|(at, x)| all[*at] = x);
                loss(&(row.function)(&all))
            });
            loss(&gradients)
        });
        compare(&own, slope).map_err(say("second derivative"))?;
    }
    Ok(())
}

fn compare(given: &[Given], program: Result<Program, Errors>) -> Result<(), String> {
    let program = program.map_err(|errors| errors.to_string())?;
    let wrt: Vec<&str> = given.iter().filter(|input| input.is_float()).map(|input| &*input.name).collect();
    let step = program.value_and_grad(&wrt).map_err(|errors| errors.to_string())?;
    let (mut program, mut step) = (loaded(&program)?, loaded(&step)?);
    let along: Vec<Vec<Vec<f64>>> = (0..2).map(|seed| directions(given, seed)).collect();
    let found = run(&mut step, given, 0.0, &along[0])?;
    let gradients: Vec<Vec<f64>> = given
        .iter()
        .map(|input| {
            if input.is_float() {
                floats(&found.get(&format!("grad.{}", input.name)).unwrap())
            } else {
                Vec::new()
            }
        })
        .collect();
    let norm = length(&gradients);
    for along in &along {
        let mut at = |moved: f64| -> Result<f64, String> {
            run(&mut program, given, moved, along)?.number("result").map_err(|error| error.to_string())
        };
        let mut central = |step: f64| -> Result<f64, String> { Ok((at(step)? - at(-step)?) / (2.0 * step)) };
        // Richardson: the error falls with the fourth power of the step.
        let numeric = (4.0 * central(STEP / 2.0)? - central(STEP)?) / 3.0;
        let analytic: f64 = (0..given.len()).map(|at| pair(&given[at], &gradients[at], &along[at])).sum();
        let error = (numeric - analytic).abs() / (norm * length(along)).max(1e-3);
        if error.is_nan() || error >= TOLERANCE {
            return Err(format!("numeric {numeric}, analytic {analytic}: relative error {error:.3e}"));
        }
    }
    Ok(())
}

fn loaded(program: &Program) -> Result<Loaded, String> {
    let partitioned = program.partition().map_err(|error| error.to_string())?;
    partitioned.load(partitioned.devices()).map_err(|error| error.to_string())
}

fn run(loaded: &mut Loaded, given: &[Given], moved: f64, along: &[Vec<f64>]) -> Result<Results, String> {
    let arrays: Vec<Array> =
        given.iter().zip(along).map(|(input, along)| input.array(moved, along)).collect();
    let named: Vec<(&str, &Array)> = given.iter().map(|input| &*input.name).zip(&arrays).collect();
    loaded.run(&named).map_err(|error| error.to_string())
}

fn directions(given: &[Given], seed: u64) -> Vec<Vec<f64>> {
    let one = |(at, input): (usize, &Given)| match &input.numbers {
        Numbers::Floats(numbers) => noise(numbers.len() as i64, 900 + 31 * seed + at as u64),
        Numbers::Ints(_) => Vec::new(),
    };
    given.iter().enumerate().map(one).collect()
}

fn floats(array: &Array) -> Vec<f64> {
    array.bytes().chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect()
}

fn length(all: &[Vec<f64>]) -> f64 {
    all.iter().flatten().map(|x| x * x).sum::<f64>().sqrt()
}

/// The change that a gradient tells for a direction: of complex numbers `Re(gradient * dz)`.
fn pair(input: &Given, gradient: &[f64], along: &[f64]) -> f64 {
    let sign = |at: usize| if input.ty.dtype.is_complex() && at % 2 == 1 { -1.0 } else { 1.0 };
    gradient.iter().zip(along).enumerate().map(|(at, (g, v))| sign(at) * g * v).sum()
}
