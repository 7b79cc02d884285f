//! Random programs that give the engine every chance to write where something is still to be read: updates, slices at
//! computed places, parts put together, products, convolutions, branches, and loops that carry what they are made of.
//!
//! All values have one shape, so that any may be an operand of any op; the interpreter says what is right. `CASES=N`
//! runs more of them.

use crate::support;

use meshwright_base::SourceText;
use meshwright_base::random::Random;
use meshwright_cpu::Cpu;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::Module;
use meshwright_runtime::{DeviceArray, Devices, HostArray, InProcess, LoadOptions, RunError};
use std::fmt::Write;
use std::sync::Arc;
use support::one_device;

/// What products are made smaller by, with how many they sum.
const SCALE: f32 = 0.125;

/// How far results may be apart: rounding grows from op to op, and what is written over is something else altogether.
const APART: f32 = 0.02;
/// Smaller numbers are what is left of a difference of equal ones.
const SMALL: f32 = 1e-3;

/// Numbers that look random and are the same every time.
/// A program while it is written.
struct Program {
    draw: Random,
    rows: usize,
    columns: usize,
    text: String,
    next: usize,
    /// Values of the shape in scope, and whole numbers.
    values: Vec<String>,
    places: Vec<String>,
    depth: usize,
}

fn ty(dims: &[usize]) -> String {
    let dims: String = dims.iter().map(|d| format!("{d}x")).collect();
    format!("tensor<{dims}f32>")
}

impl Program {
    /// Add an instruction; its name.
    fn op(&mut self, text: &str) -> String {
        self.next += 1;
        let name = format!("%v{}", self.next);
        writeln!(self.text, "  {name} = stablehlo.{text}").unwrap();
        name
    }

    fn shape(&self) -> String {
        ty(&[self.rows, self.columns])
    }

    fn any(&mut self) -> String {
        let at = self.draw.index(self.values.len());
        self.values[at].clone()
    }

    fn place(&mut self) -> String {
        let at = self.draw.index(self.places.len());
        self.places[at].clone()
    }

    fn number(&mut self, value: i64) -> String {
        self.op(&format!("constant dense<{value}> : tensor<i32>"))
    }

    fn zero(&mut self) -> String {
        self.op("constant dense<0.0> : tensor<f32>")
    }

    fn full(&mut self, value: &str) -> String {
        let shape = self.shape();
        self.op(&format!("constant dense<{value}> : {shape}"))
    }

    fn slice(&mut self, x: &str, rows: (usize, usize), columns: (usize, usize)) -> String {
        let to = ty(&[rows.1 - rows.0, columns.1 - columns.0]);
        let from = self.shape();
        self.op(&format!("slice {x} [{}:{}, {}:{}] : ({from}) -> {to}", rows.0, rows.1, columns.0, columns.1))
    }

    fn concatenate(&mut self, parts: &[(&str, [usize; 2])], dim: usize) -> (String, [usize; 2]) {
        let names: Vec<&str> = parts.iter().map(|part| part.0).collect();
        let types: Vec<String> = parts.iter().map(|part| ty(&part.1)).collect();
        let mut dims = parts[0].1;
        dims[dim] = parts.iter().map(|part| part.1[dim]).sum();
        let (names, types, to) = (names.join(", "), types.join(", "), ty(&dims));
        (self.op(&format!("concatenate {names}, dim = {dim} : ({types}) -> {to}")), dims)
    }

    fn dynamic_slice(&mut self, x: &str, from: [usize; 2], to: [usize; 2]) -> String {
        let (a, b) = (self.place(), self.place());
        let (sizes, from, to) = (format!("[{}, {}]", to[0], to[1]), ty(&from), ty(&to));
        let text = format!(
            "dynamic_slice {x}, {a}, {b}, sizes = {sizes} : ({from}, tensor<i32>, tensor<i32>) -> {to}"
        );
        self.op(&text)
    }

    /// `x y^T`, small.
    fn product(&mut self, x: (&str, usize), y: &str) -> String {
        let (a, b, to) = (ty(&[x.1, self.columns]), self.shape(), ty(&[x.1, self.rows]));
        let half = self.op(&format!("constant dense<{}> : {to}", SCALE / self.columns as f32));
        let text = format!("dot_general {}, {y}, contracting_dims = [1] x [1] : ({a}, {b}) -> {to}", x.0);
        let product = self.op(&text);
        self.op(&format!("multiply {product}, {half} : {to}"))
    }

    /// A square times a value.
    fn applied(&mut self, square: &str, x: &str) -> String {
        let (a, b) = (ty(&[self.rows, self.rows]), self.shape());
        let y =
            self.op(&format!("dot_general {square}, {x}, contracting_dims = [1] x [0] : ({a}, {b}) -> {b}"));
        // Numbers stay small, or rounding would be all that is seen.
        if self.draw.index(2) == 0 { self.op(&format!("tanh {y} : {b}")) } else { y }
    }

    fn row_wise(&mut self, x: &str, op: &str, init: &str) -> String {
        let (rows, shape) = (ty(&[self.rows]), self.shape());
        let init = self.op(&format!("constant dense<{init}> : tensor<f32>"));
        let text = format!(
            "reduce({x} init: {init}) applies stablehlo.{op} across dimensions = [1] : ({shape}, tensor<f32>) -> {rows}"
        );
        let reduced = self.op(&text);
        self.op(&format!("broadcast_in_dim {reduced}, dims = [0] : ({rows}) -> {shape}"))
    }

    fn convolved(&mut self, x: &str, relu: bool) -> String {
        let (image, shape) = (format!("tensor<1x{}x{}x1xf32>", self.rows, self.columns), self.shape());
        let x = self.op(&format!("reshape {x} : ({shape}) -> {image}"));
        let kernel = self.op("constant dense<[[[[2.5e-1]],[[-5.0e-1]],[[1.25e-1]]],[[[0.0]],[[1.0]],[[2.5e-1]]],[[[5.0e-1]],[[-1.25e-1]],[[2.5e-1]]]]> : tensor<3x3x1x1xf32>");
        let text = format!(
            "convolution({x}, {kernel}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({image}, tensor<3x3x1x1xf32>) -> {image}"
        );
        let y = self.op(&text);
        let y = if relu { self.op(&format!("tanh {y} : {image}")) } else { y };
        self.op(&format!("reshape {y} : ({image}) -> {shape}"))
    }

    /// One more value of the shape.
    fn step(&mut self) {
        let (r, c, shape) = (self.rows, self.columns, self.shape());
        let (x, y) = (self.any(), self.any());
        let made = match self.draw.index(if self.depth < 2 { 19 } else { 17 }) {
            0 => {
                let sum = self.op(&format!("add {x}, {y} : {shape}"));
                self.op(&format!("tanh {sum} : {shape}"))
            }
            1 => self.op(&format!("tanh {x} : {shape}")),
            2 => self.op(&format!("maximum {x}, {y} : {shape}")),
            3 => {
                let half = self.full("5.0e-1");
                self.op(&format!("multiply {x}, {half} : {shape}"))
            }
            4 => {
                let square = self.product((&x, r), &y);
                self.applied(&square, &x)
            }
            5 => {
                let (low, high) = (self.slice(&x, (0, 1), (0, c)), self.slice(&x, (r - 1, r), (0, c)));
                let parts = [(&high[..], [1, c]), (&y[..], [r, c]), (&low[..], [1, c])];
                let (whole, dims) = self.concatenate(&parts, 0);
                self.dynamic_slice(&whole, dims, [r, c])
            }
            6 => {
                let (a, b) = (self.slice(&x, (0, r), (0, c / 2)), self.slice(&y, (0, r), (c / 2, c)));
                let a = self.op(&format!("negate {a} : {}", ty(&[r, c / 2])));
                self.concatenate(&[(&a, [r, c / 2]), (&b, [r, c / 2])], 1).0
            }
            7 => {
                let update = self.slice(&y, (0, 2), (0, 3));
                let (a, b) = (self.place(), self.place());
                let types = format!("({shape}, {}, tensor<i32>, tensor<i32>) -> {shape}", ty(&[2, 3]));
                self.op(&format!("dynamic_update_slice {x}, {update}, {a}, {b} : {types}"))
            }
            8 => {
                let most = self.dynamic_slice(&x, [r, c], [r - 1, c]);
                let first = self.slice(&y, (0, 1), (0, c));
                self.concatenate(&[(&most, [r - 1, c]), (&first, [1, c])], 0).0
            }
            9 => {
                let turned = ty(&[c, r]);
                let turn = self.op(&format!("transpose {x}, dims = [1, 0] : ({shape}) -> {turned}"));
                self.op(&format!("reshape {turn} : ({turned}) -> {shape}"))
            }
            10 => {
                let most = self.row_wise(&x, "maximum", "0xFF800000");
                let less = self.op(&format!("subtract {x}, {most} : {shape}"));
                let e = self.op(&format!("exponential {less} : {shape}"));
                let sum = self.row_wise(&e, "add", "0.0");
                self.op(&format!("divide {e}, {sum} : {shape}"))
            }
            11 => self.op(&format!("reverse {x}, dims = [0, 1] : {shape}")),
            12 => {
                let inner = self.slice(&x, (1, r), (0, c - 2));
                let zero = self.zero();
                let from = ty(&[r - 1, c - 2]);
                self.op(&format!("pad {inner}, {zero}, low = [0, 1], high = [1, 1], interior = [0, 0] : ({from}, tensor<f32>) -> {shape}"))
            }
            13 => {
                let (top, bottom) = (self.slice(&x, (0, r / 2), (0, c)), self.slice(&x, (r / 2, r), (0, c)));
                let (a, b) = (self.product((&top, r / 2), &y), self.product((&bottom, r - r / 2), &y));
                let square = self.concatenate(&[(&b, [r - r / 2, r]), (&a, [r / 2, r])], 0).0;
                self.applied(&square, &y)
            }
            14 => self.convolved(&x, true),
            15 => {
                let row = self.dynamic_slice(&x, [r, c], [1, c]);
                let (one, flat) = (ty(&[1, c]), ty(&[c]));
                let row = self.op(&format!("reshape {row} : ({one}) -> {flat}"));
                let row = self.op(&format!("broadcast_in_dim {row}, dims = [1] : ({flat}) -> {shape}"));
                self.op(&format!("subtract {row}, {y} : {shape}"))
            }
            16 => {
                let y = self.convolved(&x, false);
                let most = self.dynamic_slice(&y, [r, c], [r - 1, c]);
                let edge = self.slice(&y, (0, 1), (0, c));
                self.concatenate(&[(&edge, [1, c]), (&most, [r - 1, c])], 0).0
            }
            17 => self.branched(),
            _ => return self.looped(),
        };
        self.values.push(made);
    }

    /// One of two or three values, each made where nobody else sees how.
    fn branched(&mut self) -> String {
        let (choice, arms, shape) = (self.place(), 2 + self.draw.index(2), self.shape());
        self.next += 1;
        let name = format!("%c{}", self.next);
        writeln!(self.text, "  {name} = \"stablehlo.case\"({choice}) ({{").unwrap();
        let (values, places) = (self.values.clone(), self.places.clone());
        self.depth += 1;
        for arm in 0..arms {
            if arm > 0 {
                writeln!(self.text, "  }}, {{").unwrap();
            }
            for _ in 0..self.draw.index(4) {
                self.step();
            }
            let result = self.any();
            writeln!(self.text, "  stablehlo.return {result} : {shape}").unwrap();
            (self.values, self.places) = (values.clone(), places.clone());
        }
        self.depth -= 1;
        writeln!(self.text, "  }}) : (tensor<i32>) -> {shape}").unwrap();
        name
    }

    /// Values carried through a loop, which see nothing else.
    fn looped(&mut self) {
        let (first, trips) = (self.number(0), 1 + self.draw.index(3));
        let carried: Vec<String> = (0..1 + self.draw.index(3)).map(|_| self.any()).collect();
        let place = self.place();
        self.next += 1;
        let name = format!("%w{}", self.next);
        let params: Vec<String> = (0..carried.len()).map(|i| format!("{name}p{i}")).collect();
        let shape = self.shape();
        let types = format!("tensor<i32>, tensor<i32>{}", format!(", {shape}").repeat(carried.len()));
        let bound: String = params.iter().zip(&carried).map(|(p, x)| format!(", {p} = {x}")).collect();
        writeln!(
            self.text,
            "  {name}:{} = stablehlo.while({name}i = {first}, {name}at = {place}{bound}) : {types}",
            carried.len() + 2
        )
        .unwrap();
        writeln!(self.text, "  cond {{").unwrap();
        let end = self.number(trips as i64);
        let more = self.op(&format!("compare LT, {name}i, {end} : (tensor<i32>, tensor<i32>) -> tensor<i1>"));
        writeln!(self.text, "  stablehlo.return {more} : tensor<i1>\n  }} do {{").unwrap();
        let places = vec![format!("{name}i"), format!("{name}at")];
        let outside =
            (std::mem::replace(&mut self.values, params), std::mem::replace(&mut self.places, places));
        self.depth += 1;
        for _ in 0..1 + self.draw.index(6) {
            self.step();
        }
        let results: String = (0..carried.len()).map(|_| format!(", {}", self.any())).collect();
        let one = self.number(1);
        let next = self.op(&format!("add {name}i, {one} : tensor<i32>"));
        writeln!(self.text, "  stablehlo.return {next}, {name}at{results} : {types}\n  }}").unwrap();
        self.depth -= 1;
        (self.values, self.places) = outside;
        self.values.extend((0..carried.len()).map(|i| format!("{name}#{}", i + 2)));
    }

    fn of(seed: u64) -> String {
        let mut draw = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), 0);
        draw.index(7);
        let (rows, columns) = [(4, 6), (6, 8), (5, 4), (24, 64), (70, 32), (8, 300)][draw.index(6)];
        let (values, places) = (vec!["%a".into(), "%b".into()], vec!["%i".into(), "%j".into()]);
        let (text, next, depth) = (String::new(), 0, 0);
        let mut program = Program { draw, rows, columns, text, next, values, places, depth };
        for _ in 0..3 + program.draw.index(14) {
            program.step();
        }
        let results = [program.any(), program.any(), program.values.last().unwrap().clone()];
        let shape = program.shape();
        let donated = if program.draw.index(2) == 0 { " {tf.aliasing_output = 0 : i32}" } else { "" };
        format!(
            "func.func public @main(%a: {shape}{donated}, %b: {shape}, %i: tensor<i32>, %j: tensor<i32>) -> ({shape}, {shape}, {shape}) {{\n{}  return {} : {shape}, {shape}, {shape}\n}}\n",
            program.text,
            results.join(", ")
        )
    }
}

fn module(text: &str) -> Module {
    let parsed = meshwright_text::parse(&SourceText::new("module".to_string(), text.to_string()));
    parsed.map_err(|all| all.first().map_or(String::new(), |d| format!("{d}\n{text}"))).unwrap()
}

fn launch(module: Module, inputs: &[Tensor], workers: usize) -> Result<Vec<HostArray>, RunError> {
    let set = InProcess::new(1, Some(workers), Arc::new(Cpu::default()));
    let mut loaded = set.load(&one_device(module).unwrap(), &LoadOptions::default())?;
    let host = |x: &Tensor| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() };
    let args = inputs.iter().map(|x| DeviceArray::repeated(&host(x), 1).unwrap()).collect();
    Ok(loaded.launch(args, None)?.iter().filter_map(|array| array.shard(0)).collect())
}

/// How far results are apart, as a share of the largest expected number; nothing is said of numbers that overflow.
fn apart(result: &HostArray, expected: &Tensor) -> f32 {
    let numbers = |bytes: &[u8]| -> Vec<f32> {
        bytes.chunks_exact(4).map(|x| f32::from_le_bytes([x[0], x[1], x[2], x[3]])).collect()
    };
    let (result, expected) = (numbers(&result.bytes), numbers(&expected.to_bytes()));
    if expected.iter().any(|x| !x.is_finite()) {
        return 0.0;
    }
    let largest = expected.iter().fold(SMALL, |most, x| most.max(x.abs()));
    let one = |(a, b): (&f32, &f32)| if a == b { 0.0 } else { (a - b).abs() / largest };
    // What is no number is as far apart as can be.
    result
        .iter()
        .zip(&expected)
        .map(one)
        .fold(0.0, |most, x| if x >= 0.0 { x.max(most) } else { f32::INFINITY })
}

#[test]
fn nothing_is_written_over_that_is_still_read() {
    let count = std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    for seed in 0..count {
        let text = Program::of(seed);
        let module = module(&text);
        let inputs = random_inputs(&module, seed, Style::Natural).unwrap();
        let expected = run_global(&module, &inputs).unwrap();
        let results = launch(module, &inputs, 1 + seed as usize % 2);
        let results = results.unwrap_or_else(|error| panic!("seed {seed}: {error} in\n{text}"));
        for (at, (result, expected)) in results.iter().zip(&expected).enumerate() {
            let apart = apart(result, expected);
            assert!(apart < APART, "seed {seed}, result {at}: {apart} apart in\n{text}");
        }
    }
}
